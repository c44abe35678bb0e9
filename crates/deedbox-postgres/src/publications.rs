//! Publications: loaded for a decision, kept after it, listed by their age, and opened.

use deedbox_core::{
    ChainAccount, ChainAddress, Publication, PublicationId, PublicationState, State, Stream,
    TakenNonce, TransactionHash, hash::CallHash,
};
use deedbox_store::{Publications, StoreError, ledger};
use sqlx::{Connection, PgConnection, types::Json};
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

/// A publication that is looked for.
#[derive(Clone, Copy, Debug)]
enum Sought {
    /// The one with this id.
    Named(PublicationId),
    /// The open one of this account with the lowest nonce.
    Open(ChainAccount),
    /// The settled one of this account with the lowest nonce that is not below this one.
    Used(ChainAccount, u64),
}

/// Its row and its deeds.
type Found = (Option<PublicationRow>, Vec<DeedRow>);

impl Sought {
    async fn row(self, connection: &mut PgConnection) -> sqlx::Result<Option<PublicationRow>> {
        match self {
            Self::Named(id) => {
                sqlx::query_as!(
                    PublicationRow,
                    "SELECT * FROM publications WHERE id = $1",
                    id.0
                )
                .fetch_optional(connection)
                .await
            }
            Self::Open(of) => {
                sqlx::query_as!(
                    PublicationRow,
                    "SELECT * FROM publications
                     WHERE chain_id = $1 AND account = $2 AND status = 'open' ORDER BY nonce LIMIT 1",
                    signed(of.chain_id),
                    of.account.0.as_slice()
                )
                .fetch_optional(connection)
                .await
            }
            Self::Used(of, nonce) => {
                sqlx::query_as!(
                    PublicationRow,
                    "SELECT * FROM publications
                     WHERE chain_id = $1 AND account = $2 AND nonce >= $3 AND status <> 'open'
                     ORDER BY nonce LIMIT 1",
                    signed(of.chain_id),
                    of.account.0.as_slice(),
                    signed(nonce)
                )
                .fetch_optional(connection)
                .await
            }
        }
    }

    /// Looks for it where nobody writes meanwhile. A row that is gone may have left its deeds.
    async fn find(self, connection: &mut PgConnection) -> sqlx::Result<Found> {
        let row = self.row(&mut *connection).await?;
        let id = match (&row, self) {
            (Some(row), _) => PublicationId(row.id),
            (None, Self::Named(id)) => id,
            (None, Self::Open(_) | Self::Used(..)) => return Ok((None, vec![])),
        };
        let deeds = sqlx::query_as!(
            DeedRow,
            "SELECT * FROM deeds WHERE stream = $1 ORDER BY version",
            Stream::Publication(id).to_string()
        )
        .fetch_all(connection)
        .await?;
        Ok((row, deeds))
    }

    /// The publication, vouched for by its deeds.
    fn vouched(self, (row, deeds): Found) -> Result<Option<Publication>, StoreError> {
        let row = row.map(PublicationState::try_from).transpose()?;
        let id = match (&row, self) {
            (Some(row), _) => row.id,
            (None, Self::Named(id)) => id,
            (None, Self::Open(_) | Self::Used(..)) => return Ok(None),
        };
        let deeds = deeds.into_iter().map(TryInto::try_into);
        ledger::vouched(id, row, deeds.collect::<Result<_, _>>()?)
    }

    /// Looks for it in a transaction that writes, under the account's lock.
    async fn load(
        self,
        connection: &mut PgConnection,
    ) -> Result<Option<PublicationState>, Failure> {
        let found = self.find(connection).await?;
        Ok(self.vouched(found)?.map(|publication| publication.state))
    }

    /// Looks for it at one moment.
    async fn read(self, pool: &Pool) -> Result<Option<Publication>, StoreError> {
        let found = pool.read(|connection| Box::pin(self.find_at_once(connection)));
        self.vouched(found.await?)
    }

    async fn find_at_once(self, connection: &mut PgConnection) -> sqlx::Result<Found> {
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let mut transaction = connection.begin_with(begin).await?;
        let found = self.find(&mut transaction).await?;
        transaction.rollback().await?;
        Ok(found)
    }
}

/// Adds to `state` the publication, which one is open for its account or for the one in `signs`, and which nonce is used; under a lock
/// of that account, which whoever decides on its publications holds until it commits.
pub(crate) async fn load(
    connection: &mut PgConnection,
    state: &mut State,
    id: PublicationId,
    signs: Option<(ChainAccount, u64)>,
) -> Result<(), Failure> {
    let named = Sought::Named(id);
    // Whose it is never changes; everything else is read once the lock is held.
    let row = named.row(&mut *connection).await?;
    let own = row.map(PublicationState::try_from).transpose()?;
    let own = own.map(|own| own.signer);
    let Some(of) = own.or(signs.map(|(of, _)| of)) else {
        state.publication = named.load(connection).await?;
        return Ok(());
    };
    lock(connection, of).await?;
    state.publication = named.load(connection).await?;
    let open = Sought::Open(of).load(connection).await?;
    state.open_publication = open.map(|open| open.taken_nonce());
    if let Some((_, nonce)) = signs {
        let used = Sought::Used(of, nonce).load(connection).await?;
        state.used_nonce = used.map(|used| used.taken_nonce());
    }
    Ok(())
}

/// Several processes may sign for one account at once, with other nonces, too: then no row and no index is where they meet.
async fn lock(connection: &mut PgConnection, of: ChainAccount) -> Result<(), Failure> {
    let ChainAccount { chain_id, account } = of;
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
        format!("deedbox: publications of {account} on {chain_id}")
    )
    .fetch_one(connection)
    .await?;
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
    let open = Sought::Open(of).read(pool).await?;
    Ok(open.map(|open| open.state))
}

pub(crate) async fn used_by(
    pool: &Pool,
    of: ChainAccount,
    nonce: u64,
) -> Result<Option<TakenNonce>, StoreError> {
    let used = Sought::Used(of, nonce).read(pool).await?;
    Ok(used.map(|used| used.state.taken_nonce()))
}

pub(crate) async fn one(pool: &Pool, id: PublicationId) -> Result<Option<Publication>, StoreError> {
    Sought::Named(id).read(pool).await
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
