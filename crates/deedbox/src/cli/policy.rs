//! `deedbox policy …`

use clap::{Args, Subcommand};

use super::examples;

/// `deedbox policy …`
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Print every rule that is in force
    #[command(after_help = examples::POLICY_SHOW)]
    Show,
    /// Say of a call what every rule says, without making it
    ///
    /// With --task, the readings that are recorded for the task count. Calls within a minute are counted by each server for
    /// itself, so that limit is looked at as if nothing had been used.
    #[command(after_help = examples::POLICY_TEST)]
    Test(PolicyTest),
}

/// `deedbox policy test`
#[derive(Args, Debug)]
pub(crate) struct PolicyTest {
    /// The tool's name, like get_native_balance
    pub(crate) tool: String,
    /// Its arguments: one JSON object, or name=value for each
    #[arg(value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<String>,
    /// The task that the call names
    #[arg(long)]
    pub(crate) task: Option<String>,
}
