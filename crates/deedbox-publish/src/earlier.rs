//! Whether an earlier publication of the same account comes first. A chain takes an account's transactions in the order of their nonces, and
//! it can take back the blocks of several: then the lowest is gone on with first, and nothing is sent that would wait for it in vain.

use deedbox_chain::send::Sending;
use deedbox_core::{ChainAccount, ChainAddress, TakenNonce};

use crate::{Desk, PublishError, publication::Publication};

impl Publication {
    /// Whose it is.
    fn signer(&self) -> ChainAccount {
        ChainAccount {
            chain_id: self.latest.chain_id,
            account: ChainAddress(self.account.0.0),
        }
    }

    fn waits_for(&self, first: TakenNonce) -> Result<(), PublishError> {
        Err(PublishError::EarlierFirst {
            id: self.id,
            first: first.publication,
            nonce: first.nonce,
        })
    }
}

/// Whether the ledger has no earlier one of the account that is open.
///
/// # Errors
/// [`PublishError::EarlierFirst`] names it.
pub(crate) async fn none_is_open(
    desk: Desk<'_>,
    publication: &Publication,
) -> Result<(), PublishError> {
    match desk.store.open_publication(publication.signer()).await? {
        Some(open) if open.nonce < publication.latest.nonce => {
            publication.waits_for(open.taken_nonce())
        }
        _ => Ok(()),
    }
}

/// The same, and that none is gone: settled in a block in whose place another one stands. `account_nonce` is the account's next on the chain.
///
/// # Errors
/// [`PublishError::EarlierFirst`] names it.
pub(crate) async fn none_is_gone(
    desk: Desk<'_>,
    sending: &Sending<'_>,
    publication: &Publication,
    account_nonce: u64,
) -> Result<(), PublishError> {
    if account_nonce >= publication.latest.nonce {
        return Ok(());
    }
    none_is_open(desk, publication).await?;
    let used = desk.store.used_nonce(publication.signer(), account_nonce);
    let Some(used) = used
        .await?
        .filter(|used| used.nonce < publication.latest.nonce)
    else {
        return Ok(());
    };
    let earlier = Publication::load(desk, used.publication).await?;
    let Some(settlement) = earlier.settlement else {
        // Opened again just now.
        return publication.waits_for(used);
    };
    let (number, hash) = settlement.block();
    match sending.is_canonical(number, hash).await {
        Ok(false) => publication.waits_for(used),
        // Whoever cannot tell, lags: that is waited for, as everything else is.
        Ok(true) | Err(_) => Ok(()),
    }
}
