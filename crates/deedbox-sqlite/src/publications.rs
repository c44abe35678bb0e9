//! Publications: loaded for a decision, kept after it, listed by their age, and opened.

use std::{collections::BTreeSet, iter};

use deedbox_core::{
    ChainAccount, ChainAddress, Deed, Publication, PublicationId, PublicationState, Stream,
    Timestamp, hash::CallHash,
};
use deedbox_store::{Publications, StoreError};
use sqlx::SqliteConnection;

use crate::{
    error::failed,
    readers::Readers,
    rows::{Batch, Cause, DeedRow, Text, array, head, hex, integer},
};

/// A row of `publications`.
#[derive(Debug)]
pub(crate) struct PublicationRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: i64,
    pub(crate) operation: String,
    pub(crate) chain_id: i64,
    pub(crate) account: Vec<u8>,
    pub(crate) nonce: i64,
    pub(crate) recipient: Option<Vec<u8>>,
    pub(crate) call: Vec<u8>,
    pub(crate) status: String,
    pub(crate) max_fee_per_gas: String,
    pub(crate) max_priority_fee_per_gas: String,
    pub(crate) attempts: String,
    pub(crate) signed_at: i64,
}

impl PublicationRow {
    pub(crate) fn state(self) -> Result<PublicationState, StoreError> {
        let row = format!("publication:{}", self.id);
        self.read()
            .map_err(|cause| StoreError::unreadable("publication", row, cause))
    }

    fn read(self) -> Result<PublicationState, Cause> {
        let recipient = self.recipient.as_deref();
        Ok(PublicationState {
            id: self.id.parse()?,
            head: head(self.version, &self.head_hash, self.head_at)?,
            operation: self.operation.parse()?,
            signer: ChainAccount {
                chain_id: u64::try_from(self.chain_id)?,
                account: self.account.as_slice().try_into()?,
            },
            nonce: u64::try_from(self.nonce)?,
            to: recipient.map(ChainAddress::try_from).transpose()?,
            call: CallHash::try_from(self.call.as_slice())?,
            status: self.status.parse()?,
            max_fee_per_gas: self.max_fee_per_gas.parse()?,
            max_priority_fee_per_gas: self.max_priority_fee_per_gas.parse()?,
            attempts: serde_json::from_str(&self.attempts)?,
            signed_at: Timestamp::from_millis(self.signed_at)?,
        })
    }
}

/// These publications, those of them that there are; whatever is open for their accounts or for these; and, of what is settled
/// with these nonces of theirs or higher ones, the lowest.
pub(crate) async fn wanted(
    connection: &mut SqliteConnection,
    ids: BTreeSet<PublicationId>,
    nonces: BTreeSet<(ChainAccount, u64)>,
) -> Result<Vec<PublicationState>, StoreError> {
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let ids = array(ids);
    let rows = sqlx::query_file_as!(PublicationRow, "queries/publications_wanted.sql", ids)
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
    let mut found = states(rows)?;
    let own = found.iter().map(|publication| publication.signer);
    let signers: BTreeSet<_> = own.chain(nonces.iter().map(|(of, _)| *of)).collect();
    found.extend(open(connection, signers).await?);
    found.extend(used(connection, nonces).await?);
    Ok(found)
}

async fn used(
    connection: &mut SqliteConnection,
    nonces: BTreeSet<(ChainAccount, u64)>,
) -> Result<Vec<PublicationState>, StoreError> {
    if nonces.is_empty() {
        return Ok(vec![]);
    }
    let wanted = nonces
        .into_iter()
        .map(|(of, nonce)| serde_json::json!([of.chain_id, hex(&of.account.0), nonce]));
    let wanted = serde_json::Value::from_iter(wanted).to_string();
    let rows = sqlx::query_file_as!(
        PublicationRow,
        "queries/publications_used_wanted.sql",
        wanted
    )
    .fetch_all(connection)
    .await
    .map_err(failed)?;
    states(rows)
}

async fn open(
    connection: &mut SqliteConnection,
    signers: impl IntoIterator<Item = ChainAccount>,
) -> Result<Vec<PublicationState>, StoreError> {
    let pairs = signers
        .into_iter()
        .map(|of| serde_json::json!([of.chain_id, hex(&of.account.0)]));
    let pairs = serde_json::Value::from_iter(pairs).to_string();
    let rows = sqlx::query_file_as!(
        PublicationRow,
        "queries/publications_open_wanted.sql",
        pairs
    )
    .fetch_all(connection)
    .await
    .map_err(failed)?;
    states(rows)
}

/// Keeps where these publications stand now.
pub(crate) async fn keep(
    connection: &mut SqliteConnection,
    mut changed: Vec<&PublicationState>,
) -> Result<(), StoreError> {
    if changed.is_empty() {
        return Ok(());
    }
    changed.sort_by_key(|publication| publication.is_open());
    let mut batch = Batch::default();
    for publication in changed {
        batch.push(&(
            publication.id,
            publication.head.version,
            hex(publication.head.hash.as_bytes()),
            publication.head.at.as_millis(),
            &publication.operation,
            publication.signer.chain_id,
            hex(&publication.signer.account.0),
            publication.nonce,
            publication.to.map(|to| hex(&to.0)),
            hex(publication.call.as_bytes()),
            publication.status,
            publication.max_fee_per_gas,
            publication.max_priority_fee_per_gas,
            Text(&publication.attempts),
            publication.signed_at.as_millis(),
        ))?;
    }
    let publications = batch.finish();
    sqlx::query_file!("queries/publications_keep.sql", publications)
        .execute(connection)
        .await
        .map_err(failed)?;
    Ok(())
}

pub(crate) async fn open_of(
    readers: &Readers,
    of: ChainAccount,
) -> Result<Option<PublicationState>, StoreError> {
    let mut reader = readers.get().await?;
    let open = open(&mut reader, iter::once(of)).await?;
    Ok(open.into_iter().next())
}

pub(crate) async fn one(
    readers: &Readers,
    id: PublicationId,
) -> Result<Option<Publication>, StoreError> {
    let stream = Stream::Publication(id).to_string();
    let rows = {
        let mut reader = readers.get().await?;
        sqlx::query_file_as!(DeedRow, "queries/status.sql", stream)
            .fetch_all(&mut *reader)
            .await
            .map_err(failed)?
    };
    let deeds = rows
        .into_iter()
        .map(DeedRow::deed)
        .collect::<Result<Vec<Deed>, _>>()?;
    Publication::from_deeds(deeds).map_err(|broken| StoreError::unreadable("deed", stream, broken))
}

pub(crate) async fn listed(
    readers: &Readers,
    query: &Publications,
) -> Result<Vec<PublicationState>, StoreError> {
    let (at, id) = query.after.map_or_else(
        // Before everything: nothing is newer than this.
        || (i64::MAX, String::new()),
        |place| (place.signed_at.as_millis(), place.id.to_string()),
    );
    let chain = query.chain_id.map(integer);
    let account = query.account.map(|account| account.0.to_vec());
    let limit = query.limit;
    let rows = {
        let mut reader = readers.get().await?;
        if query.open {
            sqlx::query_file_as!(
                PublicationRow,
                "queries/publications_open_listed.sql",
                at,
                id,
                chain,
                account,
                limit
            )
            .fetch_all(&mut *reader)
            .await
        } else {
            sqlx::query_file_as!(
                PublicationRow,
                "queries/publications_listed.sql",
                at,
                id,
                chain,
                account,
                limit
            )
            .fetch_all(&mut *reader)
            .await
        }
        .map_err(failed)?
    };
    states(rows)
}

fn states(rows: Vec<PublicationRow>) -> Result<Vec<PublicationState>, StoreError> {
    rows.into_iter().map(PublicationRow::state).collect()
}
