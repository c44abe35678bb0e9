//! `deedbox instance …`

use clap::Subcommand;

use super::examples;

/// `deedbox instance …`
#[derive(Debug, Subcommand)]
pub(crate) enum InstanceCommand {
    /// Make a random label for this user's installation of an agent, and say how a client is configured with it
    ///
    /// It lies in a file for its owner alone, one per agent, and is made of random bits: nothing of this machine is in it. Only its hash is
    /// ever sent on, stored or shown by a server.
    #[command(after_help = examples::INSTANCE_NEW)]
    New {
        /// What the agent calls itself [default: what --as-agent or DEEDBOX_AGENT_ID says]
        #[arg(long, value_name = "LABEL")]
        agent: Option<String>,
    },
    /// Show the hash of an installation's label, and where the label lies
    #[command(after_help = examples::INSTANCE_SHOW)]
    Show {
        /// What the agent calls itself [default: what --as-agent or DEEDBOX_AGENT_ID says]
        #[arg(long, value_name = "LABEL")]
        agent: Option<String>,
        /// Show the label itself, too, and how a client is configured with it
        #[arg(long)]
        reveal: bool,
    },
}
