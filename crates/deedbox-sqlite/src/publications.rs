//! Publications: loaded for a decision, kept after it, listed by their age, and opened.

use std::collections::{BTreeMap, BTreeSet};

use deedbox_core::{
    ChainAccount, ChainAddress, Publication, PublicationId, PublicationState, Stream, TakenNonce,
    Timestamp, hash::CallHash,
};
use deedbox_store::{Publications, StoreError, ledger};
use sqlx::{Connection as _, Sqlite, SqliteConnection, Transaction};

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
/// with these nonces of theirs or higher ones, the lowest. All of them vouched for by their deeds.
pub(crate) async fn wanted(
    connection: &mut SqliteConnection,
    ids: BTreeSet<PublicationId>,
    nonces: BTreeSet<(ChainAccount, u64)>,
) -> Result<Vec<PublicationState>, StoreError> {
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let mut found = named(connection, &ids).await?;
    let own = found.iter().map(|publication| publication.signer);
    let signers: BTreeSet<_> = own.chain(nonces.iter().map(|(of, _)| *of)).collect();
    found.extend(open(connection, signers).await?);
    found.extend(used(connection, nonces).await?);
    let publications = vouched_for(connection, ids, found).await?;
    Ok(publications.into_iter().map(|one| one.state).collect())
}

/// The publications with these ids or of these rows. An id without a row is looked up among the deeds, too: its row may be gone.
async fn vouched_for(
    connection: &mut SqliteConnection,
    ids: BTreeSet<PublicationId>,
    found: Vec<PublicationState>,
) -> Result<Vec<Publication>, StoreError> {
    let mut rows: BTreeMap<_, _> = ids.into_iter().map(|id| (id, None)).collect();
    rows.extend(found.into_iter().map(|row| (row.id, Some(row))));
    let streams = array(rows.keys().map(|id| Stream::Publication(*id)));
    let stored = sqlx::query_file_as!(DeedRow, "queries/publications_deeds.sql", streams)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let mut deeds = BTreeMap::<_, Vec<_>>::new();
    for row in stored {
        let stored = row.stored()?;
        deeds.entry(stored.stream.clone()).or_default().push(stored);
    }
    let mut publications = Vec::with_capacity(rows.len());
    for (id, row) in rows {
        let stream = Stream::Publication(id).to_string();
        let mut deeds = deeds.remove(&stream).unwrap_or_default();
        deeds.sort_by_key(|deed| deed.version);
        publications.extend(ledger::vouched(id, row, deeds)?);
    }
    Ok(publications)
}

async fn named(
    connection: &mut SqliteConnection,
    ids: &BTreeSet<PublicationId>,
) -> Result<Vec<PublicationState>, StoreError> {
    let ids = array(ids);
    let rows = sqlx::query_file_as!(PublicationRow, "queries/publications_wanted.sql", ids)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    states(rows)
}

async fn used(
    connection: &mut SqliteConnection,
    nonces: impl IntoIterator<Item = (ChainAccount, u64)>,
) -> Result<Vec<PublicationState>, StoreError> {
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
    changed: Vec<&PublicationState>,
) -> Result<(), StoreError> {
    if changed.is_empty() {
        return Ok(());
    }
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
    let mut moment = moment(&mut reader).await?;
    let lowest = open(&mut moment, [of]).await?;
    let lowest = lowest.into_iter().min_by_key(|one| one.nonce);
    let publication = only(moment, None, lowest).await?;
    Ok(publication.map(|one| one.state))
}

pub(crate) async fn used_by(
    readers: &Readers,
    of: ChainAccount,
    nonce: u64,
) -> Result<Option<TakenNonce>, StoreError> {
    let mut reader = readers.get().await?;
    let mut moment = moment(&mut reader).await?;
    let row = used(&mut moment, [(of, nonce)]).await?.pop();
    let publication = only(moment, None, row).await?;
    Ok(publication.map(|one| one.state.taken_nonce()))
}

pub(crate) async fn one(
    readers: &Readers,
    id: PublicationId,
) -> Result<Option<Publication>, StoreError> {
    let mut reader = readers.get().await?;
    let mut moment = moment(&mut reader).await?;
    let row = named(&mut moment, &BTreeSet::from([id])).await?.pop();
    only(moment, Some(id), row).await
}

/// A reading transaction: a row and its deeds are compared as they are at one moment.
async fn moment(reader: &mut SqliteConnection) -> Result<Transaction<'_, Sqlite>, StoreError> {
    reader.begin().await.map_err(failed)
}

/// The publication with this id or of this row, as it is at this moment.
async fn only(
    mut moment: Transaction<'_, Sqlite>,
    id: Option<PublicationId>,
    row: Option<PublicationState>,
) -> Result<Option<Publication>, StoreError> {
    let ids = id.into_iter().collect();
    let mut publications = vouched_for(&mut moment, ids, row.into_iter().collect()).await?;
    moment.rollback().await.map_err(failed)?;
    Ok(publications.pop())
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
