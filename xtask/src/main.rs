//! What a contributor runs: `cargo xtask test`, and what a submission must pass: `cargo xtask ci`.

mod bench;
mod ci;
mod command;
mod contracts;
mod install;
mod progress;
mod sqlx;
mod test;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Tasks of this repository. Everything that they fetch is kept in `.tools/`, everything that they build in `target/`.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    version,
    disable_version_flag = true
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Install and start what the tests need, and run them all.
    #[command(after_help = "\
Examples:
  cargo xtask test                             everything, documentation examples included
  cargo xtask test -- -p deedbox-core          one package
  cargo xtask test -- -E 'test(handoff)'       what a nextest filter selects")]
    Test {
        /// Passed on to `cargo nextest run` (to `cargo test` where nextest is not installed)
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// Build in release, measure, and print figures as Markdown.
    #[command(after_help = "\
Examples:
  cargo xtask bench tasks                                  everything; about 15 minutes
  cargo xtask bench tasks --backend sqlite --sizes 1000    one database, without the million tasks
  cargo xtask bench tasks --help                           all options
  cargo xtask bench manifest                               manifests and identifiers, beside npm packages
  cargo xtask bench reads                                  readings of a chain, beside bare calls
  cargo xtask bench search                                 searches over a million agents, in each database
  cargo xtask bench memory                                 notes, remembered and recalled among a million of them
  cargo xtask bench gas                                    what the registries' calls cost, beside others'
  cargo xtask bench verify                                 how many tools are verified in a minute")]
    Bench {
        /// Passed on to the benchmark program; the first says what to measure
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        args: Vec<String>,
    },
    /// Formatting, queries, lints, dependencies, and then `cargo xtask test`.
    Ci,
    /// Renew the query descriptions (`.sqlx/`) of both databases after a query or a migration changed.
    Sqlx {
        /// Change nothing; fail when something would change
        #[arg(long)]
        check: bool,
    },
    /// Compile the contracts (`contracts/src` and `contracts/fixtures`) after one of them changed.
    #[command(after_help = "\
Examples:
  cargo xtask contracts                    compile, and write what programs and tests embed
  cargo xtask contracts test               the contracts' tests, coverage, gas and analysis
  cargo xtask contracts test --renew-gas   write down what the contracts cost now")]
    #[command(args_conflicts_with_subcommands = true)]
    Contracts {
        /// Change nothing; fail when something would change
        #[arg(long)]
        check: bool,
        #[command(subcommand)]
        task: Option<ContractTask>,
    },
}

#[derive(Debug, Subcommand)]
enum ContractTask {
    /// Run the contracts' own tests, and look at what they reach, at what the contracts cost, and at what an analyser finds.
    Test {
        /// Write down what the contracts cost now as what they may cost
        #[arg(long)]
        renew_gas: bool,
    },
}

fn main() -> ExitCode {
    match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            progress::say(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn work() -> Result<()> {
    match Arguments::parse().task {
        Task::Test { args } => test::run(&args),
        Task::Bench { args } => bench::run(&args),
        Task::Ci => ci::run(),
        Task::Sqlx { check: true } => sqlx::check(),
        Task::Sqlx { check: false } => sqlx::renew(),
        Task::Contracts {
            task: Some(task), ..
        } => match task {
            ContractTask::Test { renew_gas } => contracts::test::run(renew_gas),
        },
        Task::Contracts { check: true, .. } => contracts::check(),
        Task::Contracts { check: false, .. } => contracts::renew(),
    }
}
