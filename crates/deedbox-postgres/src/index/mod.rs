//! The index of registries, in tables of the same database: a cache that all replicas share.
//!
//! * `leases`: registries, who may write them, and the lock on each that whoever writes holds until the end of the transaction;
//! * `apply`: facts appended. Seven round trips serve one call, whatever is in it: begin, lock, recall, entries, words, facts, commit;
//! * `entries`: entries and documents on their way into the tables;
//! * `rewind`: facts taken away;
//! * `read`: everything else that is read;
//! * `search`: words looked up, newest rows first;
//! * `edition`: whether the tables were filled by this program's functions;
//! * `rows`: rows, read without trust.
//!
//! It has connections of its own, so that following a chain never keeps a deed waiting. Its commits do not wait for the disk: a server
//! that crashes forgets the last of them whole, which is as if they had not been read yet.

mod apply;
mod edition;
mod entries;
mod leases;
mod read;
mod rewind;
mod rows;
mod search;

pub(crate) use self::search::{one_of, quoted};
use std::{collections::BTreeMap, time::Duration};

use async_trait::async_trait;
use deedbox_core::{ChainAddress, ManifestHash, Timestamp};
use deedbox_id::U256;
use deedbox_store::{
    StoreError,
    index::{
        AgentEntry, Batch, Checkpoint, Cursor, Entry, Fact, Found, History, Index, Lease, Look,
        ManifestCheck, OfAgents, OfTools, Place, RegistryId, Row, RowPlace, Search, ServedManifest,
        Size, Standard, Subject, Superseded, Survey, ToolEntry,
    },
};
use sqlx::{Postgres, SqlSafeStr, Transaction};

use crate::{
    connect::{self, Connector},
    error::{is_gone, store_error},
    pool::{LOST, Pool},
};

/// An index in a PostgreSQL database of version 15 or newer.
#[derive(Debug)]
pub struct PostgresIndex {
    pool: Pool,
}

impl PostgresIndex {
    /// Connects to the database that a `postgres://` URL names, with so many connections at most (fewer than two count as
    /// two), and brings it up to date. Tables that an older edition of this program filled are emptied, and have to be filled anew: a
    /// log line says so.
    ///
    /// No error carries the URL's password.
    ///
    /// # Errors
    /// As [`PostgresStore::open`](crate::PostgresStore::open); [`StoreError::Newer`] also when a newer edition of this program filled
    /// the tables.
    pub async fn open(url: &str, max_connections: u32) -> Result<Self, StoreError> {
        let connector = Connector::new(url)?;
        connect::prepare(&connector).await?;
        let pool = Pool::new(connector, max_connections.max(2));
        let index = Self { pool };
        edition::own(&index).await?;
        Ok(index)
    }

    /// A transaction that writes. Dropped, it is rolled back.
    async fn writing(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        let mut lost = 0;
        loop {
            let connection = self.pool.acquire().await?;
            let begin = "BEGIN; SET LOCAL synchronous_commit = off".into_sql_str();
            match Transaction::begin(connection, Some(begin)).await {
                Ok(transaction) => return Ok(transaction),
                Err(error) if is_gone(&error) && lost < LOST => {
                    lost += 1;
                    self.pool.suspect();
                }
                Err(error) => return Err(store_error(error)),
            }
        }
    }
}

/// Ends a transaction as its outcome says: when nothing was to be written, nothing is.
async fn end<T>(
    transaction: Transaction<'static, Postgres>,
    outcome: Result<T, Superseded>,
) -> Result<Result<T, Superseded>, StoreError> {
    match &outcome {
        Ok(_) => transaction.commit().await,
        Err(_) => transaction.rollback().await,
    }
    .map_err(store_error)?;
    Ok(outcome)
}

#[async_trait]
impl Index for PostgresIndex {
    async fn begin(
        &self,
        registry: RegistryId,
        standard: Standard,
        from: u64,
    ) -> Result<Cursor, StoreError> {
        let mut transaction = self.writing().await?;
        let cursor = leases::begin(&mut transaction, registry, standard, from).await?;
        transaction.commit().await.map_err(store_error)?;
        Ok(cursor)
    }

    async fn cursors(&self) -> Result<Vec<Cursor>, StoreError> {
        read::cursors(&self.pool).await
    }

    async fn claim(
        &self,
        registries: &[RegistryId],
        holder: &str,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        let until = now.plus_millis(i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX));
        let mut transaction = self.writing().await?;
        let leases = leases::claim(&mut transaction, registries, holder, now, until).await?;
        transaction.commit().await.map_err(store_error)?;
        Ok(leases)
    }

    async fn release(&self, leases: &[Lease]) -> Result<(), StoreError> {
        let mut transaction = self.writing().await?;
        leases::release(&mut transaction, leases).await?;
        transaction.commit().await.map_err(store_error)
    }

    async fn apply(
        &self,
        leases: &[Lease],
        batches: Vec<Batch>,
        now: Timestamp,
    ) -> Result<Result<Vec<Cursor>, Superseded>, StoreError> {
        for batch in &batches {
            batch
                .check()
                .map_err(|error| StoreError::Rejected(error.into()))?;
        }
        let mut transaction = self.writing().await?;
        let cursors = apply::apply(&mut transaction, leases, &batches, now).await?;
        end(transaction, cursors).await
    }

    async fn rewind(
        &self,
        lease: &Lease,
        to: Option<Checkpoint>,
        now: Timestamp,
    ) -> Result<Result<Cursor, Superseded>, StoreError> {
        let mut transaction = self.writing().await?;
        let cursor = rewind::rewind(&mut transaction, lease, to, now).await?;
        end(transaction, cursor).await
    }

    async fn forget(&self, registry: RegistryId) -> Result<(), StoreError> {
        let mut transaction = self.writing().await?;
        rewind::forget(&mut transaction, registry).await?;
        transaction.commit().await.map_err(store_error)
    }

    async fn agent(
        &self,
        registry: RegistryId,
        id: U256,
    ) -> Result<Option<AgentEntry>, StoreError> {
        match read::entry(&self.pool, registry, Subject::Agent(id)).await? {
            Some(Entry::Agent(agent)) => Ok(Some(agent)),
            _ => Ok(None),
        }
    }

    async fn tool(&self, registry: RegistryId, id: U256) -> Result<Option<ToolEntry>, StoreError> {
        match read::entry(&self.pool, registry, Subject::Tool(id)).await? {
            Some(Entry::Tool(tool)) => Ok(Some(tool)),
            _ => Ok(None),
        }
    }

    async fn history(&self, query: &History) -> Result<Vec<Fact>, StoreError> {
        read::history(&self.pool, query).await
    }

    async fn predicates(
        &self,
        registry: RegistryId,
        after: Option<Place>,
        limit: u32,
    ) -> Result<Vec<(Place, ChainAddress)>, StoreError> {
        read::predicates(&self.pool, registry, after, limit).await
    }

    async fn permissions(
        &self,
        registry: RegistryId,
        owner: ChainAddress,
        agent: U256,
        limit: u32,
    ) -> Result<Vec<Fact>, StoreError> {
        read::permissions(&self.pool, registry, owner, agent, limit).await
    }

    async fn counts(&self) -> Result<BTreeMap<RegistryId, u64>, StoreError> {
        read::counts(&self.pool).await
    }

    async fn record_check(
        &self,
        registry: RegistryId,
        tool: U256,
        check: ManifestCheck,
        served: Option<ServedManifest>,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.writing().await?;
        let known = entries::check(&mut transaction, registry, tool, check, served).await?;
        transaction.commit().await.map_err(store_error)?;
        Ok(known)
    }

    async fn manifest(&self, hash: ManifestHash) -> Result<Option<Vec<u8>>, StoreError> {
        read::manifest(&self.pool, hash).await
    }

    async fn unchecked(
        &self,
        registry: RegistryId,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<ToolEntry>, StoreError> {
        read::unchecked(&self.pool, registry, now, limit).await
    }

    async fn record_look(&self, look: &Look) -> Result<bool, StoreError> {
        let mut transaction = self.writing().await?;
        let known = leases::look(&mut transaction, look).await?;
        transaction.commit().await.map_err(store_error)?;
        Ok(known)
    }

    async fn looks(&self) -> Result<Vec<Look>, StoreError> {
        read::looks(&self.pool).await
    }

    async fn record_surveys(
        &self,
        leases: &[Lease],
        surveys: &[Survey],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut transaction = self.writing().await?;
        leases::keep_surveys(&mut transaction, leases, surveys, now).await?;
        transaction.commit().await.map_err(store_error)
    }

    async fn surveys(&self) -> Result<Vec<Survey>, StoreError> {
        read::surveys(&self.pool).await
    }

    async fn last_said(
        &self,
        registry: RegistryId,
        upto: u64,
    ) -> Result<Option<Checkpoint>, StoreError> {
        read::last_said(&self.pool, registry, upto).await
    }

    async fn size(&self, registry: RegistryId) -> Result<Size, StoreError> {
        read::size(&self.pool, registry).await
    }

    async fn numbering(&self) -> Result<i64, StoreError> {
        let number = self.pool.read(|connection| {
            let file = sqlx::query_file_scalar!("queries/index/numbering.sql");
            Box::pin(file.fetch_one(connection))
        });
        number.await
    }

    async fn search_agents(
        &self,
        search: &Search<OfAgents>,
    ) -> Result<Found<AgentEntry>, StoreError> {
        search::search(&self.pool, search).await
    }

    async fn search_tools(&self, search: &Search<OfTools>) -> Result<Found<ToolEntry>, StoreError> {
        search::search(&self.pool, search).await
    }

    async fn dump(
        &self,
        registry: RegistryId,
        after: Option<RowPlace>,
        limit: u32,
    ) -> Result<Vec<Row>, StoreError> {
        read::dump(&self.pool, registry, after, limit).await
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}
