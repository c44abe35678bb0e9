//! Deeds kept in one embedded SQLite file.
//!
//! Every command goes through [one writer](writer), which carries out all that are waiting in
//! [one transaction](group) and lets them share one wait for the disk. Reads go through [a few
//! connections](readers) that never wait for it. Several processes may open the same file: each takes SQLite's
//! write lock before it reads what it decides on.
//!
//! Each statement stands in a file of its own under `queries/`, is checked against the schema when the program is
//! built, and is shown by a test to read no table from end to end.

mod error;
mod evidence;
mod group;
mod index;
mod keys;
mod memories;
mod open;
mod publications;
mod readers;
mod registries;
mod rows;
mod snapshot;
mod writer;

#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, path::Path, sync::Arc};

use async_trait::async_trait;
use deedbox_core::{
    Actor, ActorId, ChainAccount, Evidence, EvidenceId, EvidenceState, KeyId, KeyRecord,
    Publication, PublicationId, PublicationState, RegistryId, RegistryState, Stream, TakenNonce,
    TaskId, Timestamp, World,
    evidence::ReadingKey,
    task::{Status, Task},
};
use deedbox_store::{
    Execute, Outcome, Publications, Recorded, Snapshot, Store, StoreError, Unaccepted,
};

pub use crate::index::{RenewingIndex, SqliteIndex};
use crate::{
    error::failed,
    keys::Keys,
    readers::Readers,
    rows::{ActorRow, DeedRow, KeyRow, ListedRow},
    snapshot::SqliteSnapshot,
    writer::Inbox,
};

/// How many reads run at once. Reads never wait for the writer; more threads than this would only take turns.
const READERS: u32 = 4;

/// A store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    inbox: Inbox,
    readers: Readers,
    keys: Keys,
}

impl SqliteStore {
    /// Opens the database at `path`, makes it if there is none, and brings its schema up to date. Must be called
    /// inside a Tokio runtime, which then runs the writer.
    ///
    /// `world` says what time it is for every deed.
    ///
    /// # Errors
    /// * [`StoreError::Newer`] when a newer program has migrated it;
    /// * [`StoreError::Unsuitable`] when the folder does not exist or is not writable, or the file is
    ///   something else than a database of this program's;
    /// * [`StoreError::Migration`] when its schema could not be brought up to date;
    /// * [`StoreError::Busy`] when another process holds it for longer than five seconds;
    /// * [`StoreError::Unavailable`] when the disk fails.
    pub async fn open(path: &Path, world: Arc<dyn World>) -> Result<Self, StoreError> {
        let connection = open::open(path).await?;
        Ok(Self {
            inbox: writer::start(path.to_owned(), connection, world),
            keys: Keys::start(path),
            readers: Readers::new(path, READERS),
        })
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn execute(&self, execute: Execute) -> Result<Outcome, StoreError> {
        self.inbox.execute(execute).await
    }

    async fn status(&self, task: TaskId) -> Result<Option<Status>, StoreError> {
        let stream = Stream::Task(task).to_string();
        let rows = {
            let mut reader = self.readers.get().await?;
            sqlx::query_file_as!(DeedRow, "queries/status.sql", stream)
                .fetch_all(&mut *reader)
                .await
                .map_err(failed)?
        };
        let deeds = rows
            .into_iter()
            .map(DeedRow::deed)
            .collect::<Result<Vec<_>, _>>()?;
        let mut status =
            Status::from_deeds(deeds).map_err(|e| StoreError::unreadable("deed", &stream, e))?;
        if let Some(status) = &mut status {
            // Evidence is there before the claim that cites it, and never changes: this need not be the same moment.
            let cited = status.cited();
            if !cited.is_empty() {
                status.witness(&self.cited(&cited).await?);
            }
        }
        Ok(status)
    }

    async fn evidence(&self, id: EvidenceId) -> Result<Option<Evidence>, StoreError> {
        evidence::one(&self.readers, id).await
    }

    async fn readings(&self, of: &ReadingKey, limit: u32) -> Result<Vec<Evidence>, StoreError> {
        evidence::readings(&self.readers, of, limit).await
    }

    async fn recorded(&self, query: &Recorded) -> Result<Vec<EvidenceState>, StoreError> {
        evidence::recorded(&self.readers, query).await
    }

    async fn cited(&self, ids: &BTreeSet<EvidenceId>) -> Result<Vec<EvidenceState>, StoreError> {
        evidence::cited(&self.readers, ids).await
    }

    async fn readings_for(&self, task: TaskId) -> Result<u64, StoreError> {
        evidence::count(&self.readers, task).await
    }

    async fn open_publication(
        &self,
        of: ChainAccount,
    ) -> Result<Option<PublicationState>, StoreError> {
        publications::open_of(&self.readers, of).await
    }

    async fn used_nonce(
        &self,
        of: ChainAccount,
        nonce: u64,
    ) -> Result<Option<TakenNonce>, StoreError> {
        publications::used_by(&self.readers, of, nonce).await
    }

    async fn publication(&self, id: PublicationId) -> Result<Option<Publication>, StoreError> {
        publications::one(&self.readers, id).await
    }

    async fn publications(
        &self,
        query: &Publications,
    ) -> Result<Vec<PublicationState>, StoreError> {
        publications::listed(&self.readers, query).await
    }

    async fn registry(&self, id: RegistryId) -> Result<Option<RegistryState>, StoreError> {
        registries::one(&self.readers, id).await
    }

    async fn registries(&self) -> Result<Vec<RegistryState>, StoreError> {
        registries::all(&self.readers).await
    }

    async fn unaccepted(&self, query: &Unaccepted) -> Result<Vec<Task>, StoreError> {
        let (at, id) = query.after.map_or_else(
            // Before everything: no task is newer than this.
            || (i64::MAX, String::new()),
            |place| (place.created_at.as_millis(), place.id.to_string()),
        );
        let limit = query.limit;
        let rows = {
            let mut reader = self.readers.get().await?;
            if let Some(creator) = &query.injected_by {
                let creator = creator.as_str();
                sqlx::query_file_as!(
                    ListedRow,
                    "queries/unaccepted_by.sql",
                    creator,
                    at,
                    id,
                    limit
                )
                .fetch_all(&mut *reader)
                .await
            } else {
                sqlx::query_file_as!(ListedRow, "queries/unaccepted.sql", at, id, limit)
                    .fetch_all(&mut *reader)
                    .await
            }
            .map_err(failed)?
        };
        rows.into_iter().map(ListedRow::task).collect()
    }

    async fn actor(&self, id: &ActorId) -> Result<Option<Actor>, StoreError> {
        let id = id.as_str();
        let mut reader = self.readers.get().await?;
        let row = sqlx::query_file_as!(ActorRow, "queries/actor.sql", id)
            .fetch_optional(&mut *reader)
            .await
            .map_err(failed)?;
        row.map(|row| row.actor().map(|(actor, _)| actor))
            .transpose()
    }

    async fn actors(&self) -> Result<Vec<Actor>, StoreError> {
        let mut reader = self.readers.get().await?;
        let rows = sqlx::query_file_as!(ActorRow, "queries/actors.sql", "", -1)
            .fetch_all(&mut *reader)
            .await
            .map_err(failed)?;
        rows.into_iter()
            .map(|row| row.actor().map(|(actor, _)| actor))
            .collect()
    }

    async fn key(&self, id: &KeyId) -> Result<Option<KeyRecord>, StoreError> {
        self.keys.get(id.clone()).await
    }

    async fn keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        let mut reader = self.readers.get().await?;
        let rows = sqlx::query_file_as!(KeyRow, "queries/keys_by_age.sql")
            .fetch_all(&mut *reader)
            .await
            .map_err(failed)?;
        rows.into_iter()
            .map(|row| row.key().map(|(key, _)| key))
            .collect()
    }

    async fn forget_idempotency(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut all = 0;
        loop {
            let (forgotten, more) = self.inbox.forget(before).await?;
            all += forgotten;
            if !more {
                return Ok(all);
            }
        }
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.inbox.ping().await
    }

    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        let connection = self.readers.apart().await?;
        Ok(Box::new(SqliteSnapshot::begin(connection).await?))
    }

    async fn close(&self) {
        // Readers first: the last connection to close is the writer's, which leaves the file whole.
        self.readers.close().await;
        self.keys.close().await;
        self.inbox.close().await;
    }
}
