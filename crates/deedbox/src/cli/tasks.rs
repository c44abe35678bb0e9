//! `deedbox task …`

use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use deedbox_core::ClaimProvenance;

use super::examples;

/// `deedbox task …`
#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Create a task; nobody owns it until somebody accepts it
    #[command(after_help = examples::TASK_CREATE)]
    Create(Create),
    /// Accept a task for an actor, who owns it from then on
    #[command(after_help = examples::TASK_ACCEPT)]
    Accept {
        /// The task's id
        task: String,
        /// Who accepts
        #[arg(long = "as", value_name = "ACTOR")]
        actor: String,
        /// What the new owner wants known; - reads it from standard input
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Report a task complete, and say how the owner knows
    #[command(after_help = examples::TASK_COMPLETE)]
    Complete(Complete),
    /// Hand a task off; nobody owns it until somebody accepts it again
    #[command(after_help = examples::TASK_HANDOFF)]
    Handoff {
        /// The task's id
        task: String,
        /// Who gives it away: its owner
        #[arg(long = "as", value_name = "ACTOR")]
        actor: String,
        /// For whom it is meant
        #[arg(long, value_name = "ACTOR")]
        to: String,
        /// Why; - reads it from standard input
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Show a task and its whole history as a timeline
    #[command(after_help = examples::TASK_STATUS)]
    Status {
        /// The task's id
        task: String,
    },
    /// List the tasks that nobody owns, newest first
    #[command(after_help = examples::TASK_UNACCEPTED)]
    Unaccepted {
        /// Only tasks that this actor created
        #[arg(long, value_name = "ACTOR")]
        injected_by: Option<String>,
        /// How many at most, 1 to 1000 [default: 100]
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
        /// Where the page before ended, as it printed it
        #[arg(long)]
        cursor: Option<String>,
    },
}

/// `deedbox task create`
#[derive(Args, Debug)]
pub(crate) struct Create {
    /// What the task is called, at most 500 characters
    pub(crate) title: String,
    /// Who creates it
    #[arg(long = "as", value_name = "ACTOR")]
    pub(crate) actor: String,
    /// What it is about; - reads it from standard input
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) description: String,
    /// Under whose authority
    #[arg(long, value_name = "TEXT")]
    pub(crate) authority_scope: Option<String>,
    /// After a handoff, let only its recipient accept
    #[arg(long)]
    pub(crate) recipient_only: bool,
}

/// `deedbox task complete`
#[derive(Args, Debug)]
pub(crate) struct Complete {
    /// The task's id
    pub(crate) task: String,
    /// Who claims it: the task's owner
    #[arg(long = "as", value_name = "ACTOR")]
    pub(crate) actor: String,
    /// How the owner knows: observed (saw it happen), reviewed (looked at the result) or reported (was told)
    #[arg(long, value_name = "PROVENANCE", value_parser = provenances(), hide_possible_values = true)]
    pub(crate) provenance: ClaimProvenance,
    /// What is claimed; - reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub(crate) claim: String,
    /// Where the evidence is: a link, a commit. A more certain claim than the last one needs a new one
    #[arg(long, value_name = "REFERENCE")]
    pub(crate) source: Option<String>,
}

/// Reads a provenance, and lets shells complete it.
fn provenances() -> impl TypedValueParser<Value = ClaimProvenance> {
    let provenances = ClaimProvenance::ALL.map(ClaimProvenance::as_str);
    PossibleValuesParser::new(provenances).try_map(|text| text.parse::<ClaimProvenance>())
}
