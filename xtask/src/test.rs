//! `cargo xtask test`: everything that the tests need, and all the tests.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::{
    deedbox::BINARY,
    postgres::{Cluster, SHARED_URL},
};

use crate::{
    command::{self, cargo, has_cargo_command, target_folder},
    contracts, install,
    progress::{say, step},
};

/// Runs all the tests, or those that `args` select.
///
/// # Errors
/// When something that the tests need cannot be had, when something does not build, and when a test fails.
pub(crate) fn run(args: &[String]) -> Result<()> {
    step("Python packages", install::python_packages)?;
    step("npm packages", install::npm_packages)?;
    step("EVM node", install::contract_packages)?;
    step("PostgreSQL's programs", install::postgres)?;
    let binary = step("Build", build)?;
    // Its data need not outlive a power cut; a test that kills the database starts one of its own.
    let cluster = step("Start PostgreSQL", Cluster::start_without_fsync)?;

    let with_neighbours = |mut command: Command| {
        command.env(BINARY, &binary).env(SHARED_URL, cluster.url());
        command
    };
    step("Tests", || command::run(&mut with_neighbours(tests(args))))?;
    if args.is_empty() {
        contracts::test::run(false)?;
        let mut examples = with_neighbours(cargo());
        examples.args(["test", "--workspace", "--doc", "--quiet"]);
        step("Documentation examples", || command::run(&mut examples))?;
    }
    Ok(())
}

/// The program and the tests in one go: cargo chooses the features of a dependency for what it builds
/// together, and two choices would be two builds.
fn build() -> Result<PathBuf> {
    command::run(cargo().args(["build", "--workspace", "--bins", "--tests"]))?;
    let binary = target_folder()?.join("debug/deedbox");
    ensure!(binary.is_file(), "{} was not built", binary.display());
    binary.canonicalize().context("the program's path")
}

fn tests(args: &[String]) -> Command {
    let mut command = cargo();
    if has_cargo_command("nextest") {
        command.args(["nextest", "run"]);
    } else {
        say("cargo-nextest is not installed: running with `cargo test`");
        command.args(["test", "--lib", "--bins", "--tests"]);
    }
    let is_package = |arg: &String| arg.starts_with("-p") || arg.starts_with("--package");
    if !args.iter().any(is_package) {
        command.arg("--workspace");
    }
    command.args(args);
    command
}
