//! The whole way of a change, from what somebody wants to what the chain then says.

use deedbox_chain::Chains;
use deedbox_core::{Attribution, PublicationId, World};
use deedbox_fetch::Fetcher;
use deedbox_store::Store;

use crate::{Action, Options, PublishError, Published, Signer, Teller};

/// What publishing needs of its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a> {
    /// The chains.
    pub chains: &'a Chains,
    /// Where deeds are kept.
    pub store: &'a dyn Store,
    /// The clock and the random source.
    pub world: &'a dyn World,
    /// What fetches manifests.
    pub fetcher: &'a Fetcher,
    /// Who is at the desk: an operator.
    pub attribution: &'a Attribution,
}

/// Publishes one change.
///
/// # Errors
/// [`PublishError`]; when [`PublishError::publication`] names one, it is open and can be [resumed](resume).
pub async fn publish(
    desk: Desk<'_>,
    chain_id: u64,
    action: Action,
    signer: &dyn Signer,
    options: &Options,
    teller: &mut dyn Teller,
) -> Result<Published, PublishError> {
    let _ = (desk, chain_id, action, signer, options, teller);
    Err(PublishError::Declined)
}

/// Goes on with a publication, from whatever the ledger and the chain say of it. Needs a signer only to raise the fee.
///
/// # Errors
/// As [`publish`].
pub async fn resume(
    desk: Desk<'_>,
    id: PublicationId,
    signer: Option<&dyn Signer>,
    options: &Options,
    teller: &mut dyn Teller,
) -> Result<Published, PublishError> {
    let _ = (desk, id, signer, options, teller);
    Err(PublishError::Declined)
}
