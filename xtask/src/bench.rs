//! `cargo xtask bench`: what a release build does under load.

use anyhow::Result;
use deedbox_neighbours::tools;

use crate::{
    command::{self, cargo},
    install,
    progress::step,
};

/// Builds the program and the load generator in release, and runs the latter with `args`.
///
/// # Errors
/// When something does not build or a measured call fails.
pub(crate) fn run(args: &[String]) -> Result<()> {
    step("PostgreSQL", install::postgres)?;
    step("Release build", || {
        command::run(cargo().args(["build", "--release", "-p", "deedbox", "-p", "deedbox-bench"]))
    })?;
    let release = tools::root().join("target/release");
    command::run(
        command::command(release.join("deedbox-bench"))
            .args(args)
            .env(deedbox_neighbours::deedbox::BINARY, release.join("deedbox")),
    )
}
