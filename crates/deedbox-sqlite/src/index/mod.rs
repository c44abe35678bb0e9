//! The index of registries, in a SQLite file of its own, beside the ledger's.
//!
//! A file of its own, because the ledger's writer waits for the disk with every commit and nobody should wait behind a batch of a
//! thousand events; and because this one may be thrown away. It has one writing connection and a few that read.
//!
//! What is written for each fact is kept small: facts go in by statements of many rows, and entries and documents are written once
//! for each subject that a batch speaks of.

mod bulk;
mod leases;
mod open;
mod read;
mod renewing;
mod rewind;
mod rows;
mod write;

use std::{collections::BTreeMap, path::Path, time::Duration};

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
use sqlx::{Connection as _, Sqlite, SqliteConnection, Transaction};
use tokio::sync::{Mutex, MutexGuard};

pub use self::renewing::RenewingIndex;
use crate::{error::failed, readers::Readers};

/// How many reads run at once.
const READERS: u32 = 4;

/// An index in one SQLite file.
#[derive(Debug)]
pub struct SqliteIndex {
    /// The one connection that writes; none after closing.
    writer: Mutex<Option<SqliteConnection>>,
    readers: Readers,
}

impl SqliteIndex {
    /// Opens the index at `path` and makes it if there is none. One that another edition of this program made is emptied, and has
    /// to be filled anew: a log line says so.
    ///
    /// # Errors
    /// * [`StoreError::Unsuitable`] when the folder does not exist or is not writable, or the file is something else
    ///   than an index of this program's;
    /// * [`StoreError::Damaged`] when it is damaged, as far as opening it shows that, or no database;
    /// * [`StoreError::Busy`] when another process holds it for longer than five seconds;
    /// * [`StoreError::Unavailable`] when the disk fails.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = open::open(path).await?;
        Ok(Self {
            writer: Mutex::new(Some(connection)),
            readers: Readers::new(path, READERS),
        })
    }

    async fn writer(&self) -> Writer<'_> {
        Writer(self.writer.lock().await)
    }
}

/// The writing connection, for as long as its turn lasts.
struct Writer<'a>(MutexGuard<'a, Option<SqliteConnection>>);

impl Writer<'_> {
    fn connection(&mut self) -> Result<&mut SqliteConnection, StoreError> {
        self.0.as_mut().ok_or(StoreError::Closed)
    }

    /// A transaction that has the write lock. Dropped, it is rolled back.
    async fn begin(&mut self) -> Result<Transaction<'_, Sqlite>, StoreError> {
        let connection = self.connection()?;
        connection
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(failed)
    }
}

#[async_trait]
impl Index for SqliteIndex {
    async fn begin(
        &self,
        registry: RegistryId,
        standard: Standard,
        from: u64,
    ) -> Result<Cursor, StoreError> {
        let mut writer = self.writer().await;
        leases::begin(writer.connection()?, registry, standard, from).await
    }

    async fn cursors(&self) -> Result<Vec<Cursor>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::cursors(&mut reader).await
    }

    async fn claim(
        &self,
        registries: &[RegistryId],
        holder: &str,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        let mut writer = self.writer().await;
        let mut transaction = writer.begin().await?;
        let until = now.plus_millis(i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX));
        let leases = leases::claim(&mut transaction, registries, holder, now, until).await?;
        transaction.commit().await.map_err(failed)?;
        Ok(leases)
    }

    async fn release(&self, leases: &[Lease]) -> Result<(), StoreError> {
        let mut writer = self.writer().await;
        let mut transaction = writer.begin().await?;
        leases::release(&mut transaction, leases).await?;
        transaction.commit().await.map_err(failed)
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
        let mut writer = self.writer().await;
        let mut transaction = writer.begin().await?;
        let mut cursors = Vec::with_capacity(batches.len());
        for batch in &batches {
            match write::apply(&mut transaction, leases, batch, now).await? {
                Ok(cursor) => cursors.push(cursor),
                Err(superseded) => {
                    transaction.rollback().await.map_err(failed)?;
                    return Ok(Err(superseded));
                }
            }
        }
        transaction.commit().await.map_err(failed)?;
        Ok(Ok(cursors))
    }

    async fn rewind(
        &self,
        lease: &Lease,
        to: Option<Checkpoint>,
        now: Timestamp,
    ) -> Result<Result<Cursor, Superseded>, StoreError> {
        let mut writer = self.writer().await;
        let mut transaction = writer.begin().await?;
        let cursor = rewind::rewind(&mut transaction, lease, to, now).await?;
        match &cursor {
            Ok(_) => transaction.commit().await.map_err(failed)?,
            Err(_) => transaction.rollback().await.map_err(failed)?,
        }
        Ok(cursor)
    }

    async fn forget(&self, registry: RegistryId) -> Result<(), StoreError> {
        let mut writer = self.writer().await;
        let mut transaction = writer.begin().await?;
        rewind::forget(&mut transaction, registry).await?;
        transaction.commit().await.map_err(failed)
    }

    async fn agent(
        &self,
        registry: RegistryId,
        id: U256,
    ) -> Result<Option<AgentEntry>, StoreError> {
        let mut reader = self.readers.get().await?;
        match read::entry(&mut reader, registry, Subject::Agent(id)).await? {
            Some((_, Entry::Agent(agent))) => Ok(Some(agent)),
            _ => Ok(None),
        }
    }

    async fn tool(&self, registry: RegistryId, id: U256) -> Result<Option<ToolEntry>, StoreError> {
        let mut reader = self.readers.get().await?;
        match read::entry(&mut reader, registry, Subject::Tool(id)).await? {
            Some((_, Entry::Tool(tool))) => Ok(Some(tool)),
            _ => Ok(None),
        }
    }

    async fn history(&self, query: &History) -> Result<Vec<Fact>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::history(&mut reader, query).await
    }

    async fn predicates(
        &self,
        registry: RegistryId,
        after: Option<Place>,
        limit: u32,
    ) -> Result<Vec<(Place, ChainAddress)>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::predicates(&mut reader, registry, after, limit).await
    }

    async fn permissions(
        &self,
        registry: RegistryId,
        owner: ChainAddress,
        agent: U256,
        limit: u32,
    ) -> Result<Vec<Fact>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::permissions(&mut reader, registry, owner, agent, limit).await
    }

    async fn counts(&self) -> Result<BTreeMap<RegistryId, u64>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::counts(&mut reader).await
    }

    async fn record_check(
        &self,
        registry: RegistryId,
        tool: U256,
        check: ManifestCheck,
        served: Option<ServedManifest>,
    ) -> Result<bool, StoreError> {
        let mut writer = self.writer().await;
        let mut transaction = writer.begin().await?;
        let known = write::check(&mut transaction, registry, tool, check, served).await?;
        transaction.commit().await.map_err(failed)?;
        Ok(known)
    }

    async fn manifest(&self, hash: ManifestHash) -> Result<Option<Vec<u8>>, StoreError> {
        let mut reader = self.readers.get().await?;
        let hash = hash.0.as_slice();
        sqlx::query_file_scalar!("queries-index/manifest.sql", hash)
            .fetch_optional(&mut *reader)
            .await
            .map_err(failed)
    }

    async fn unchecked(
        &self,
        registry: RegistryId,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<ToolEntry>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::unchecked(&mut reader, registry, now, limit).await
    }

    async fn record_look(&self, look: &Look) -> Result<bool, StoreError> {
        let mut writer = self.writer().await;
        write::look(writer.connection()?, look).await
    }

    async fn looks(&self) -> Result<Vec<Look>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::looks(&mut reader).await
    }

    async fn record_surveys(
        &self,
        leases: &[Lease],
        surveys: &[Survey],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut writer = self.writer().await;
        leases::keep_surveys(writer.connection()?, leases, surveys, now).await
    }

    async fn surveys(&self) -> Result<Vec<Survey>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::surveys(&mut reader).await
    }

    async fn last_said(
        &self,
        registry: RegistryId,
        upto: u64,
    ) -> Result<Option<Checkpoint>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::last_said(&mut reader, registry, upto).await
    }

    async fn size(&self, registry: RegistryId) -> Result<Size, StoreError> {
        let mut reader = self.readers.get().await?;
        read::size(&mut reader, registry).await
    }

    async fn numbering(&self) -> Result<i64, StoreError> {
        let mut reader = self.readers.get().await?;
        sqlx::query_file_scalar!("queries-index/numbering.sql")
            .fetch_one(&mut *reader)
            .await
            .map_err(failed)
    }

    async fn search_agents(
        &self,
        search: &Search<OfAgents>,
    ) -> Result<Found<AgentEntry>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::search(&mut reader, search).await
    }

    async fn search_tools(&self, search: &Search<OfTools>) -> Result<Found<ToolEntry>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::search(&mut reader, search).await
    }

    async fn dump(
        &self,
        registry: RegistryId,
        after: Option<RowPlace>,
        limit: u32,
    ) -> Result<Vec<Row>, StoreError> {
        let mut reader = self.readers.get().await?;
        read::dump(&mut reader, registry, after, limit).await
    }

    async fn close(&self) {
        // Readers first: the last connection to close is the writer's, which leaves the file whole.
        self.readers.close().await;
        let connection = self.writer.lock().await.take();
        if let Some(connection) = connection
            && let Err(error) = connection.close().await
        {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the index did not close cleanly; nothing is lost"
            );
        }
    }
}
