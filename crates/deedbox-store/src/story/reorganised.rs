//! A chain that takes back more than one block, and somebody who takes back what the ledger says.

use deedbox_core::{ChainAccount, PublicationId};

use super::{
    publications::{FEE, account, included, signed},
    *,
};
use crate::{Publications, StoreError};

fn settle(id: PublicationId, of: ChainAccount, nonce: u64, number: u64) -> Command {
    let attempt = signed(of, nonce, FEE, b"call");
    let settlement = included(&attempt, number, true);
    Command::SettlePublication { id, settlement }
}

fn unsettle(id: PublicationId) -> Command {
    let reason = Reason::new("its block is gone from the chain").unwrap();
    Command::UnsettlePublication { id, reason }
}

impl Teller {
    /// One is settled, the next is on its way; then the chain takes back the block of the first.
    pub(super) async fn a_reorganisation_two_publications_deep_is_mended_from_the_lowest_nonce_up(
        &self,
    ) {
        let of = account(7);
        let first = self.published(signed(of, 6, FEE, b"call")).await;
        self.done(settle(first, of, 6, 10)).await;
        let second = self.published(signed(of, 7, FEE, b"call")).await;
        let open = |id| Refusal::PublicationOpen { id, signer: of };
        let (_, third) = self.sign(signed(of, 8, FEE, b"call"));
        assert_eq!(self.refused(third.clone()).await, open(second));

        // The second waits for the first, which is opened again and comes first.
        self.done(unsettle(first)).await;
        assert_eq!(self.open_of(of).await.unwrap().id, first);
        assert_eq!(self.refused(third.clone()).await, open(first));
        let query = Publications {
            open: true,
            account: Some(of.account),
            ..Publications::default()
        };
        assert_eq!(self.store.publications(&query).await.unwrap().len(), 2);
        // Both can be offered for more: neither takes another nonce.
        for (id, nonce) in [(second, 7), (first, 6)] {
            let attempt = signed(of, nonce, 2 * FEE, b"call");
            self.done(Command::SignPublication { id, attempt }).await;
        }
        self.done(settle(first, of, 6, 11)).await;
        assert_eq!(self.open_of(of).await.unwrap().id, second);
        assert_eq!(self.refused(third.clone()).await, open(second));
        self.done(settle(second, of, 7, 12)).await;

        // Both blocks are gone: a later one is opened only when no earlier one is open, an earlier one always.
        self.done(unsettle(first)).await;
        assert_eq!(self.refused(unsettle(second)).await, open(first));
        self.done(settle(first, of, 6, 13)).await;
        self.done(unsettle(second)).await;
        self.done(unsettle(first)).await;
        assert_eq!(self.open_of(of).await.unwrap().id, first);
        // What a chain says of the later one is a fact, whatever is known of the earlier one.
        self.done(settle(second, of, 7, 14)).await;
        self.done(settle(first, of, 6, 14)).await;
        assert_eq!(self.open_of(of).await, None);
        self.done(third).await;
        self.the_ledger_is_sound().await;
    }
}

/// Checks that nothing is done with a publication that somebody changed past this program: neither is it opened, nor offered for more,
/// settled or opened again; and nothing is written. `attempt` is what it was first signed as.
///
/// Each backend's test changes rows and deeds in its own SQL, and calls this.
///
/// # Panics
/// When something is done with it.
pub async fn refuses_an_altered_publication(
    store: &dyn Store,
    id: PublicationId,
    attempt: &deedbox_core::SignedTransaction,
) {
    let altered = |error: StoreError| {
        let text = error.to_string();
        assert!(matches!(error, StoreError::Altered { .. }), "{error:?}");
        let advice = "the ledger was changed outside of Deedbox";
        assert!(text.starts_with(advice), "{text}");
        assert!(text.contains(&id.to_string()), "{text}");
        assert!(text.ends_with("deedbox ledger check"), "{text}");
    };
    let count = async || store.snapshot().await.unwrap().count().await.unwrap();
    let before = count().await;
    altered(store.publication(id).await.unwrap_err());
    let of = attempt.signer();
    let more = signed(of, attempt.nonce, 2 * FEE, b"call");
    for command in [
        Command::SignPublication { id, attempt: more },
        Command::SettlePublication {
            id,
            settlement: included(attempt, 10, true),
        },
        unsettle(id),
    ] {
        let execute = Execute {
            command,
            attribution: operator(),
            idempotency: None,
        };
        altered(store.execute(execute).await.unwrap_err());
    }
    assert_eq!(count().await, before);
}
