//! `deedbox space …`

use clap::Subcommand;

use super::{DeleteRowsArgs, examples};

/// `deedbox space …`
#[derive(Debug, Subcommand)]
pub(crate) enum SpaceCommand {
    /// Make a space for a team
    #[command(after_help = examples::SPACE_NEW)]
    New {
        /// Its id from then on
        space: String,
        /// Who decides on it; its first member
        #[arg(long, value_name = "ACTOR")]
        owner: String,
        /// How it is shown [default: its id]
        #[arg(long)]
        name: Option<String>,
    },
    /// List spaces
    #[command(after_help = examples::SPACE_LIST)]
    List {
        /// Only those that this actor is in, its personal one too
        #[arg(long, value_name = "ACTOR")]
        of: Option<String>,
        /// How many at most, 1 to 1000 [default: 100]
        #[arg(long, value_name = "N", conflicts_with = "of")]
        limit: Option<u32>,
        /// Where the page before ended, as it printed it
        #[arg(long, conflicts_with = "of")]
        cursor: Option<String>,
    },
    /// Show a space, who is in it and how full it is
    #[command(after_help = examples::SPACE_SHOW)]
    Show {
        /// The space's id
        space: String,
    },
    /// Say who is in a space
    #[command(subcommand, after_help = examples::SPACE_MEMBER)]
    Member(MemberCommand),
    /// Forget or redact all that one actor or agent wrote in a space, and say what went
    #[command(after_help = examples::SPACE_DELETE_ROWS)]
    DeleteRows(DeleteRowsArgs),
}

/// `deedbox space member …`
#[derive(Debug, Subcommand)]
pub(crate) enum MemberCommand {
    /// Let an actor into a team's space
    #[command(after_help = examples::SPACE_MEMBER_ADD)]
    Add {
        /// The space's id
        space: String,
        /// Who comes in
        actor: String,
    },
    /// Take an actor out of a team's space; what it wrote stays
    #[command(after_help = examples::SPACE_MEMBER_REMOVE)]
    Remove {
        /// The space's id
        space: String,
        /// Who goes out
        actor: String,
    },
}
