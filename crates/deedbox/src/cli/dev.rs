//! `deedbox chain …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::examples;

/// `deedbox chain …`
#[derive(Debug, Subcommand)]
pub(crate) enum ChainCommand {
    /// Start a chain of your own on this machine, with registries, agents and tools to try things on
    ///
    /// Runs anvil in the foreground until Ctrl-C, and prints how to talk to it. Where anvil is not found, it is installed with
    /// npm into the data folder. Nothing of it is worth anything: its keys are known to everybody.
    #[command(after_help = examples::CHAIN_DEV)]
    Dev(Dev),
}

/// `deedbox chain dev`
#[derive(Args, Debug)]
pub(crate) struct Dev {
    /// Where it listens on this machine; 0 takes a free port
    #[arg(long, default_value_t = 8545)]
    pub(crate) port: u16,
    /// The chain's id
    #[arg(long, value_name = "ID", default_value_t = 31337)]
    pub(crate) chain_id: u64,
    /// Keep the chain in this folder, and go on with it the next time [default: begin anew each time]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) state_dir: Option<PathBuf>,
    /// The program [default: DEEDBOX_ANVIL, then anvil on the PATH, else it is installed]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::ExecutablePath)]
    pub(crate) anvil: Option<PathBuf>,
    /// Start the bare chain, without registries, agents and tools
    #[arg(long)]
    pub(crate) bare: bool,
}
