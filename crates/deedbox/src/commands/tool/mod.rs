//! `deedbox tool …`

mod check;
mod hash;
mod init;
mod input;
mod normalize;
pub(super) mod output;
mod report;

use std::process::ExitCode;

use crate::{cli::ManifestCommand, failure::Failure, render::Output};

pub(super) fn run(command: ManifestCommand, output: &Output) -> Result<ExitCode, Failure> {
    match command {
        ManifestCommand::Check(arguments) => check::check(&arguments, output),
        ManifestCommand::Hash(manifest) => hash::hash(&manifest, output),
        ManifestCommand::Canonical(manifest) => hash::canonical(&manifest, output),
        ManifestCommand::Init(arguments) => init::init(&arguments, output),
        ManifestCommand::Normalize(arguments) => normalize::normalize(&arguments, output),
    }
}
