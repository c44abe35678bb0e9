//! A publication, as it is recorded.

use alloy_primitives::{Address, B256, Bytes};
use deedbox_chain::{
    ReadError,
    send::{Sending, Whereabouts},
};
use deedbox_core::{OperationName, PublicationId, Refusal, publication::Settlement};
use serde_json::{Map, Value};

use crate::{Desk, PublishError, change::Change, transaction::Transaction};

/// A publication as it is recorded, its bytes read.
#[derive(Clone, Debug)]
pub(crate) struct Publication {
    pub(crate) id: PublicationId,
    pub(crate) account: Address,
    pub(crate) operation: OperationName,
    pub(crate) arguments: Map<String, Value>,
    /// What was signed the last time; the earlier attempts differ in fees only.
    pub(crate) latest: Transaction,
    /// What it changes; none where this program does not make such calls (any more): after an update it may deploy other code.
    pub(crate) change: Option<Change>,
    /// Every attempt's bytes and hash, the oldest first.
    pub(crate) attempts: Vec<(Bytes, B256)>,
    /// How it was settled; none while it is open.
    pub(crate) settlement: Option<Settlement>,
}

impl Publication {
    /// Loads one, and makes sure that every attempt says what is recorded of it and was signed by its account.
    pub(crate) async fn load(desk: Desk<'_>, id: PublicationId) -> Result<Self, PublishError> {
        let stored = desk.store.publication(id).await?;
        let stored = stored.ok_or(Refusal::PublicationNotFound(id))?;
        let unreadable = |reason: &str| PublishError::Unreadable {
            id,
            reason: reason.to_owned(),
        };
        let mut read = None;
        let mut attempts = Vec::new();
        for attempt in stored.attempts() {
            attempt
                .check()
                .map_err(|bad| unreadable(&bad.to_string()))?;
            let raw = attempt.raw_transaction.as_bytes();
            let (transaction, signer) =
                Transaction::read(raw).ok_or_else(|| unreadable("its bytes are no transaction"))?;
            if signer.0.0 != attempt.account.0 {
                return Err(unreadable("another account signed it"));
            }
            attempts.push((
                Bytes::copy_from_slice(raw),
                B256::from(attempt.transaction_hash.0),
            ));
            read = Some((attempt, transaction, signer));
        }
        let (attempt, latest, account) = read.ok_or_else(|| unreadable("nothing was signed"))?;
        Ok(Self {
            id,
            account,
            change: Change::read(latest.to, &latest.data),
            operation: attempt.operation.clone(),
            arguments: attempt.arguments.clone(),
            latest,
            attempts,
            settlement: stored.settlement().cloned(),
        })
    }

    /// Where each attempt is.
    pub(crate) async fn whereabouts(
        &self,
        sending: &Sending<'_>,
    ) -> Result<Vec<Whereabouts>, ReadError> {
        let mut all = Vec::new();
        for (_, hash) in &self.attempts {
            all.push(sending.whereabouts(*hash).await?);
        }
        Ok(all)
    }

    /// The bytes of the newest attempt, and its hash.
    pub(crate) fn newest(&self) -> (&Bytes, B256) {
        // Never empty: `load` refuses that.
        self.attempts
            .last()
            .map_or((&self.latest.data, B256::ZERO), |(raw, hash)| (raw, *hash))
    }
}
