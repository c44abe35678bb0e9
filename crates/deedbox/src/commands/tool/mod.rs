//! `deedbox tool …`

mod check;
mod hash;
mod init;
mod input;
mod normalize;
pub(super) mod output;
mod report;

use std::process::ExitCode;

use crate::{cli::ToolCommand, failure::Failure, render::Output};

pub(super) fn run(command: ToolCommand, output: &Output) -> Result<ExitCode, Failure> {
    match command {
        ToolCommand::Check(arguments) => check::check(&arguments, output),
        ToolCommand::Hash(manifest) => hash::hash(&manifest, output),
        ToolCommand::Canonical(manifest) => hash::canonical(&manifest, output),
        ToolCommand::Init(arguments) => init::init(&arguments, output),
        ToolCommand::Normalize(arguments) => normalize::normalize(&arguments, output),
    }
}
