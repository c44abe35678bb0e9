//! `cargo xtask bench`: what a release build does under load.

use std::path::PathBuf;

use anyhow::Result;
use deedbox_neighbours::tools;

use crate::{
    command::{self, cargo},
    install,
    progress::step,
};

/// Builds in release what is measured and what measures, and runs the latter with `args`.
///
/// # Errors
/// When something does not build or a measured call fails.
pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first() {
        Some((first, rest)) if first == "manifest" => manifest(rest),
        Some((first, rest)) if first == "reads" => reads(rest),
        Some((first, rest)) if first == "gas" => gas(rest),
        Some((first, rest)) if first == "sync" => sync(rest),
        Some((first, rest)) if first == "verify" => verify(rest),
        Some((first, rest)) if first == "search" => search(rest),
        Some((first, rest)) if first == "memory" => memory(rest),
        _ => tasks(args),
    }
}

fn tasks(args: &[String]) -> Result<()> {
    step("PostgreSQL", install::postgres)?;
    build(&["-p", "deedbox", "-p", "deedbox-bench"])?;
    let program = release("deedbox");
    command::run(
        command::command(release("deedbox-bench"))
            .args(args)
            .env(deedbox_neighbours::deedbox::BINARY, program),
    )
}

fn manifest(args: &[String]) -> Result<()> {
    step("npm packages", install::benchmark_packages)?;
    build(&["-p", "deedbox-bench", "--bin", "deedbox-bench-manifest"])?;
    command::run(command::command(release("deedbox-bench-manifest")).args(args))
}

fn reads(args: &[String]) -> Result<()> {
    step("npm packages", install::contract_packages)?;
    build(&["-p", "deedbox-bench", "--bin", "deedbox-bench-reads"])?;
    command::run(command::command(release("deedbox-bench-reads")).args(args))
}

fn sync(args: &[String]) -> Result<()> {
    step("npm packages", install::contract_packages)?;
    step("PostgreSQL", install::postgres)?;
    build(&["-p", "deedbox-bench", "--bin", "deedbox-bench-sync"])?;
    command::run(command::command(release("deedbox-bench-sync")).args(args))
}

fn verify(args: &[String]) -> Result<()> {
    step("npm packages", install::contract_packages)?;
    build(&["-p", "deedbox-bench", "--bin", "deedbox-bench-verify"])?;
    command::run(command::command(release("deedbox-bench-verify")).args(args))
}

fn search(args: &[String]) -> Result<()> {
    step("PostgreSQL", install::postgres)?;
    build(&["-p", "deedbox-bench", "--bin", "deedbox-bench-search"])?;
    command::run(command::command(release("deedbox-bench-search")).args(args))
}

fn memory(args: &[String]) -> Result<()> {
    step("PostgreSQL", install::postgres)?;
    let programs = ["--bin", "deedbox", "--bin", "deedbox-bench-memory"];
    build(&[&["-p", "deedbox", "-p", "deedbox-bench"], &programs[..]].concat())?;
    command::run(
        command::command(release("deedbox-bench-memory"))
            .args(args)
            .env(deedbox_neighbours::deedbox::BINARY, release("deedbox")),
    )
}

/// What is measured is the node's, so how the program that asks was built does not matter.
fn gas(args: &[String]) -> Result<()> {
    step("npm packages", install::npm_packages)?;
    step("npm packages of the contracts", install::contract_packages)?;
    let mut gas = cargo();
    gas.args([
        "run",
        "--quiet",
        "-p",
        "deedbox-bench",
        "--bin",
        "deedbox-bench-gas",
        "--",
    ]);
    command::run(gas.args(args))
}

fn build(what: &[&str]) -> Result<()> {
    step("Release build", || {
        command::run(cargo().args(["build", "--release"]).args(what))
    })
}

fn release(program: &str) -> PathBuf {
    tools::root().join("target/release").join(program)
}
