//! `deedbox publication …`

use clap::Subcommand;

use super::{
    examples,
    publishing::{Sending, SignerFlags},
};

/// `deedbox publication …`
#[derive(Debug, Subcommand)]
pub(crate) enum PublicationCommand {
    /// List what was published, newest first
    #[command(after_help = examples::PUBLICATION_LIST)]
    List {
        /// Only what is not settled
        #[arg(long)]
        open: bool,
        /// Only on this chain (EIP-155)
        #[arg(long, value_name = "ID")]
        chain_id: Option<u64>,
        /// Only what this account signed: 0x and 40 hex digits
        #[arg(long, value_name = "ADDRESS")]
        account: Option<String>,
        /// How many at most, 1 to 1000 [default: 100]
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
        /// The publication after which to go on, as the page before named it
        #[arg(long, value_name = "ID")]
        after: Option<String>,
    },
    /// Show a publication and its whole history as a timeline
    #[command(after_help = examples::PUBLICATION_SHOW)]
    Show {
        /// The publication's id
        publication: String,
    },
    /// Go on with a publication that was sent, or was to be: wait for it, read it back, settle it
    ///
    /// Asks the ledger and the chain where it stands. The same signed bytes are sent again if need be, never others; only
    /// --raise-fee signs, under the same nonce, so that the chain takes one of the two at most.
    #[command(after_help = examples::PUBLICATION_RESUME)]
    Resume {
        /// The publication's id
        publication: String,
        /// Sign the same change again with a higher fee
        #[arg(long)]
        raise_fee: bool,
        #[command(flatten)]
        signer: SignerFlags,
        #[command(flatten)]
        sending: Sending,
    },
}
