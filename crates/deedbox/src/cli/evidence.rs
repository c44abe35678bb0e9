//! `deedbox evidence …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{examples, flags::ChainFlags};

/// `deedbox evidence …`
#[derive(Debug, Subcommand)]
pub(crate) enum EvidenceCommand {
    /// List what was read, newest first
    #[command(after_help = examples::EVIDENCE_LIST)]
    List {
        /// Only what was read for this task
        #[arg(long, value_name = "ID")]
        task: Option<String>,
        /// How many at most, 1 to 1000 [default: 100]
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
        /// The evidence after which to go on, as the page before named it
        #[arg(long, value_name = "ID")]
        after: Option<String>,
    },
    /// Show one reading: what was asked, what was answered, where and when
    #[command(after_help = examples::EVIDENCE_SHOW)]
    Show {
        /// The evidence's id
        evidence: String,
    },
    /// Write readings as JSON, with all that their digests and hashes are made of
    #[command(
        after_help = examples::EVIDENCE_EXPORT,
        override_usage = "deedbox evidence export [OPTIONS] <EVIDENCE>...\n       deedbox evidence export [OPTIONS] --task <ID>"
    )]
    Export(Export),
    /// Compute the digests and hashes of exported readings again; needs no database
    #[command(after_help = examples::EVIDENCE_VERIFY)]
    Verify {
        /// A file that `export` wrote
        file: PathBuf,
    },
    /// Read the same again, at the same block, and compare
    ///
    /// Asks the endpoints of the chain as the settings have them. Ends with exit code 1 when the answer is another one, or
    /// the block is gone.
    #[command(after_help = examples::EVIDENCE_RECHECK)]
    Recheck {
        /// The evidence's id
        evidence: String,
        #[command(flatten)]
        chains: ChainFlags,
    },
}

/// `deedbox evidence export`
#[derive(Args, Debug)]
pub(crate) struct Export {
    /// Which readings, by id
    #[arg(required_unless_present = "task", conflicts_with = "task")]
    pub(crate) evidence: Vec<String>,
    /// Everything that was read for this task
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// Where to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a file that is there already
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}
