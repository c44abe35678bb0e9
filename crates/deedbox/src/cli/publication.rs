//! `deedbox publication …`

use clap::Subcommand;

use super::{
    examples,
    publishing::{Sending, SignerFlags},
};

/// `deedbox publication …`
#[derive(Debug, Subcommand)]
pub(crate) enum PublicationCommand {
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
