//! Publications: loaded for a decision, kept after it, listed by their age, and opened.

use deedbox_core::{
    ChainAccount, ChainAddress, Deed, Publication, PublicationId, PublicationState, State, Stream,
    TransactionHash, UsedNonce, hash::CallHash,
};
use deedbox_store::{Publications, StoreError};
use sqlx::{PgConnection, types::Json};
use uuid::Uuid;

use crate::{
    error::Failure,
    pool::Pool,
    rows::{Cause, DeedRow, Micros, head, signed},
};

/// A row of `publications`.
#[derive(Debug)]
pub(crate) struct PublicationRow {
    pub(crate) id: Uuid,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: Micros,
    pub(crate) operation: String,
    pub(crate) chain_id: i64,
    pub(crate) account: Vec<u8>,
    pub(crate) nonce: i64,
    pub(crate) recipient: Option<Vec<u8>>,
    pub(crate) call: Vec<u8>,
    pub(crate) status: String,
    pub(crate) max_fee_per_gas: String,
    pub(crate) max_priority_fee_per_gas: String,
    pub(crate) attempts: serde_json::Value,
    pub(crate) signed_at: Micros,
}

impl TryFrom<PublicationRow> for PublicationState {
    type Error = StoreError;
    fn try_from(row: PublicationRow) -> Result<Self, StoreError> {
        let id = PublicationId(row.id);
        let read = || -> Result<Self, Cause> {
            let recipient = row.recipient.as_deref();
            Ok(Self {
                id,
                head: head(row.version, &row.head_hash, row.head_at)?,
                operation: row.operation.parse()?,
                signer: ChainAccount {
                    chain_id: row.chain_id.try_into()?,
                    account: row.account.as_slice().try_into()?,
                },
                nonce: row.nonce.try_into()?,
                to: recipient.map(ChainAddress::try_from).transpose()?,
                call: CallHash::try_from(row.call.as_slice())?,
                status: row.status.parse()?,
                max_fee_per_gas: row.max_fee_per_gas.parse()?,
                max_priority_fee_per_gas: row.max_priority_fee_per_gas.parse()?,
                attempts: serde_json::from_value(row.attempts)?,
                signed_at: row.signed_at.timestamp()?,
            })
        };
        read().map_err(|cause| {
            StoreError::unreadable("publication", format!("publication:{id}"), cause)
        })
    }
}

/// Adds to `state` the publication, with its row locked; which one is open for its account or for the one in `signs`; and which
/// nonce is used.
pub(crate) async fn load(
    connection: &mut PgConnection,
    state: &mut State,
    id: PublicationId,
    signs: Option<(ChainAccount, u64)>,
) -> Result<(), Failure> {
    state.publication = sqlx::query_as!(
        PublicationRow,
        "SELECT * FROM publications WHERE id = $1 FOR UPDATE",
        id.0
    )
    .fetch_optional(&mut *connection)
    .await?
    .map(TryInto::try_into)
    .transpose()?;
    let own = state.publication.as_ref().map(|own| own.signer);
    let Some(of) = own.or(signs.map(|(of, _)| of)) else {
        return Ok(());
    };
    let open = sqlx::query_scalar!(
        "SELECT id FROM publications WHERE chain_id = $1 AND account = $2 AND status = 'open' FOR UPDATE",
        signed(of.chain_id),
        of.account.0.as_slice(),
    )
    .fetch_optional(&mut *connection)
    .await?;
    state.open_publication = open.map(PublicationId);
    let Some((of, nonce)) = signs else {
        return Ok(());
    };
    // Asked after the lock, so that it sees what whoever held the open one before has settled.
    let used = sqlx::query!(
        "SELECT id, nonce FROM publications
         WHERE chain_id = $1 AND account = $2 AND nonce >= $3 AND status <> 'open' ORDER BY nonce LIMIT 1",
        signed(of.chain_id),
        of.account.0.as_slice(),
        signed(nonce),
    )
    .fetch_optional(connection)
    .await?;
    let read = used.map(|row| {
        let publication = PublicationId(row.id);
        let nonce = u64::try_from(row.nonce).map_err(|cause| {
            StoreError::unreadable("publication", format!("publication:{publication}"), cause)
        })?;
        Ok::<_, StoreError>(UsedNonce { nonce, publication })
    });
    state.used_nonce = read.transpose()?;
    Ok(())
}

/// Keeps where a publication stands now.
pub(crate) async fn put(
    connection: &mut PgConnection,
    publication: &PublicationState,
) -> Result<(), Failure> {
    let head = publication.head;
    sqlx::query!(
        "INSERT INTO publications (id, version, head_hash, head_at, operation, chain_id, account, nonce, recipient,
                                   call, status, max_fee_per_gas, max_priority_fee_per_gas, attempts, signed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
         ON CONFLICT (id) DO UPDATE SET
             version = excluded.version, head_hash = excluded.head_hash, head_at = excluded.head_at,
             status = excluded.status, max_fee_per_gas = excluded.max_fee_per_gas,
             max_priority_fee_per_gas = excluded.max_priority_fee_per_gas, attempts = excluded.attempts",
        publication.id.0,
        signed(head.version),
        head.hash.as_bytes().as_slice(),
        Micros::from(head.at),
        publication.operation.as_str(),
        signed(publication.signer.chain_id),
        publication.signer.account.0.as_slice(),
        signed(publication.nonce),
        publication.to.as_ref().map(|to| to.0.as_slice()),
        publication.call.as_bytes().as_slice(),
        publication.status.as_str(),
        publication.max_fee_per_gas.to_string(),
        publication.max_priority_fee_per_gas.to_string(),
        Json(&publication.attempts) as Json<&Vec<TransactionHash>>,
        Micros::from(publication.signed_at),
    )
    .execute(connection)
    .await?;
    Ok(())
}

pub(crate) async fn open_of(
    pool: &Pool,
    of: ChainAccount,
) -> Result<Option<PublicationState>, StoreError> {
    let (chain, account) = (signed(of.chain_id), of.account.0);
    let row = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(
                    PublicationRow,
                    "SELECT * FROM publications
                     WHERE chain_id = $1 AND account = $2 AND status = 'open'",
                    chain,
                    account.as_slice()
                )
                .fetch_optional(connection),
            )
        })
        .await?;
    row.map(TryInto::try_into).transpose()
}

pub(crate) async fn one(pool: &Pool, id: PublicationId) -> Result<Option<Publication>, StoreError> {
    let stream = Stream::Publication(id).to_string();
    let rows = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(
                    DeedRow,
                    "SELECT * FROM deeds WHERE stream = $1 ORDER BY version",
                    stream
                )
                .fetch_all(connection),
            )
        })
        .await?;
    let deeds: Vec<Deed> = rows
        .into_iter()
        .map(DeedRow::read)
        .collect::<Result<_, _>>()?;
    Publication::from_deeds(deeds).map_err(|broken| StoreError::unreadable("deed", stream, broken))
}

macro_rules! list {
    ($filter:literal, $($argument:expr),*) => {
        sqlx::query_as!(
            PublicationRow,
            "SELECT * FROM publications WHERE " + $filter + "(signed_at, id) < ($1, $2)
                 AND ($3::bigint IS NULL OR chain_id = $3) AND ($4::bytea IS NULL OR account = $4)
             ORDER BY signed_at DESC, id DESC LIMIT $5",
            $($argument),*
        )
    };
}

pub(crate) async fn listed(
    pool: &Pool,
    query: &Publications,
) -> Result<Vec<PublicationState>, StoreError> {
    // The first page starts before the newest: at the end of time.
    let (at, id) = query
        .after
        .map_or((Micros::INFINITY, Uuid::max()), |place| {
            (place.signed_at.into(), place.id.0)
        });
    let chain = query.chain_id.map(signed);
    let account = query.account.map(|account| account.0);
    let account = account.as_ref().map(<[u8; 20]>::as_slice);
    let limit = i64::from(query.limit);
    let rows = pool
        .read(|connection| {
            if query.open {
                Box::pin(
                    list!("status = 'open' AND ", at, id, chain, account, limit)
                        .fetch_all(connection),
                )
            } else {
                Box::pin(list!("", at, id, chain, account, limit).fetch_all(connection))
            }
        })
        .await?;
    rows.into_iter().map(TryInto::try_into).collect()
}
