//! Deeds kept in PostgreSQL, shared by several replicas.
//!
//! What each part is for:
//!
//! * `group`: the one way to write. A transaction locks the tasks of all commands that were waiting, has the
//!   rules decide on each, and writes what follows in one statement. Four round trips and one flush to the disk
//!   serve them all;
//! * `lane`: how commands (and look-ups of keys) come to wait together, without ever waiting for each other:
//!   a task that another replica is at is left out of the group and goes alone;
//! * `pool`: connections for readings and for what goes alone;
//! * `connect`: what the server must be, and what each connection is set to;
//! * `evidence`: recorded readings, kept and found;
//! * `publications`: what was published, kept and found;
//! * `index`: what registries said, in tables of its own;
//! * `memories`: what is remembered, with its texts, its spaces and its audit;
//! * `registries`: what was decided about registries, kept and listed;
//! * `rows`: rows, read without trust.
//!
//! Two replicas meet only in locks, of rows, of spaces and of accounts that publish, and in unique keys: `(stream, version)` of a deed, an
//! idempotency key, and the nonce of a publication. The loser of a race on one of these rolls back and asks the rules again.

mod blocks;
mod connect;
mod error;
mod evidence;
mod group;
mod index;
mod lane;
mod load;
mod lookup;
mod memories;
mod pool;
mod publications;
mod read;
mod registries;
mod rows;
mod snapshot;
mod write;
mod writer;

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use deedbox_core::{
    Actor, ActorId, ChainAccount, Command, Evidence, EvidenceId, EvidenceState, KeyId, KeyRecord,
    Publication, PublicationId, PublicationState, RegistryId, RegistryState, TakenNonce, TaskId,
    Timestamp, World,
    evidence::ReadingKey,
    task::{Status, Task},
};
use deedbox_store::{
    Execute, Outcome, Publications, Recorded, Snapshot, Store, StoreError, Unaccepted,
};
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

pub use crate::index::PostgresIndex;
use crate::{
    connect::Connector,
    lane::Lane,
    lookup::{Lookup, Lookups},
    pool::Pool,
    snapshot::PostgresSnapshot,
    writer::{Job, Writer},
};

/// How many workers write. One would leave the server idle while it flushes; more would only make the
/// groups smaller.
const WRITERS: u32 = 2;
/// How many look up keys.
const LOOKUPS: u32 = 1;

/// How to use the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostgresOptions {
    /// How many connections this process opens at most; fewer than five count as five. Three of them
    /// are for writing and for keys, the others for everything else.
    pub max_connections: u32,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            max_connections: 12,
        }
    }
}

/// Deeds in a PostgreSQL database of version 15 or newer.
pub struct PostgresStore {
    connector: Connector,
    pool: Pool,
    writer: Arc<Writer>,
    commands: Lane<Job>,
    lookups: Lane<Lookup>,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PostgresStore")
            .field(&self.connector)
            .finish()
    }
}

impl PostgresStore {
    /// Connects to the database that a `postgres://` URL names, and brings it up to date. Several replicas
    /// may do so at once. TLS is used as the URL's `sslmode` says.
    ///
    /// No error carries the URL's password.
    ///
    /// # Errors
    /// [`StoreError::Unsuitable`] when the URL is not one, or the server is older than version 15, has
    /// another encoding than UTF-8, or is a standby; [`StoreError::Newer`] when a newer program has
    /// migrated the database; [`StoreError::Migration`] when a migration fails; [`StoreError::Unavailable`]
    /// when the server cannot be reached or lets us not in.
    pub async fn open(
        url: &str,
        options: PostgresOptions,
        world: Arc<dyn World>,
    ) -> Result<Self, StoreError> {
        let connector = Connector::new(url)?;
        connect::prepare(&connector).await?;
        let others = options
            .max_connections
            .max(WRITERS + LOOKUPS + 2)
            .saturating_sub(WRITERS + LOOKUPS);
        let pool = Pool::new(connector.clone(), others);
        let writer = Arc::new(Writer {
            world,
            pool: pool.clone(),
            alone: TaskTracker::new(),
        });
        Ok(Self {
            commands: Lane::start(WRITERS, &connector, &writer),
            lookups: Lane::start(LOOKUPS, &connector, &Arc::new(Lookups)),
            connector,
            pool,
            writer,
        })
    }
}

/// The worker that had this request is gone: it met a fault of this program, which it has logged.
fn unanswered<T>(_: oneshot::error::RecvError) -> Result<T, StoreError> {
    Err(StoreError::Unavailable("the request was dropped".into()))
}

#[async_trait]
impl Store for PostgresStore {
    async fn execute(&self, execute: Execute) -> Result<Outcome, StoreError> {
        let (reply, answer) = oneshot::channel();
        let lane = matches!(
            execute.command,
            Command::CreateTask { .. }
                | Command::AcceptTask { .. }
                | Command::ReportCompletion { .. }
                | Command::HandoffTask { .. }
                | Command::RecordReading { .. }
        );
        let job = Job { execute, reply };
        if lane {
            self.commands.send(job).await?;
        } else {
            // Rare, and some of them wait for a lock.
            self.commands.must_be_open()?;
            self.writer.go_alone(job);
        }
        answer.await.unwrap_or_else(unanswered)
    }

    async fn status(&self, task: TaskId) -> Result<Option<Status>, StoreError> {
        read::status(&self.pool, task).await
    }

    async fn evidence(&self, id: EvidenceId) -> Result<Option<Evidence>, StoreError> {
        evidence::one(&self.pool, id).await
    }

    async fn readings(&self, of: &ReadingKey, limit: u32) -> Result<Vec<Evidence>, StoreError> {
        evidence::readings(&self.pool, of, limit).await
    }

    async fn recorded(&self, query: &Recorded) -> Result<Vec<EvidenceState>, StoreError> {
        evidence::recorded(&self.pool, query).await
    }

    async fn cited(&self, ids: &BTreeSet<EvidenceId>) -> Result<Vec<EvidenceState>, StoreError> {
        evidence::cited(&self.pool, ids).await
    }

    async fn readings_for(&self, task: TaskId) -> Result<u64, StoreError> {
        evidence::count(&self.pool, task).await
    }

    async fn open_publication(
        &self,
        of: ChainAccount,
    ) -> Result<Option<PublicationState>, StoreError> {
        publications::open_of(&self.pool, of).await
    }

    async fn used_nonce(
        &self,
        of: ChainAccount,
        nonce: u64,
    ) -> Result<Option<TakenNonce>, StoreError> {
        publications::used_by(&self.pool, of, nonce).await
    }

    async fn publication(&self, id: PublicationId) -> Result<Option<Publication>, StoreError> {
        publications::one(&self.pool, id).await
    }

    async fn publications(
        &self,
        query: &Publications,
    ) -> Result<Vec<PublicationState>, StoreError> {
        publications::listed(&self.pool, query).await
    }

    async fn registry(&self, id: RegistryId) -> Result<Option<RegistryState>, StoreError> {
        registries::one(&self.pool, id).await
    }

    async fn registries(&self) -> Result<Vec<RegistryState>, StoreError> {
        registries::all(&self.pool).await
    }

    async fn unaccepted(&self, query: &Unaccepted) -> Result<Vec<Task>, StoreError> {
        read::unaccepted(&self.pool, query).await
    }

    async fn actor(&self, id: &ActorId) -> Result<Option<Actor>, StoreError> {
        read::actor(&self.pool, id).await
    }

    async fn actors(&self) -> Result<Vec<Actor>, StoreError> {
        read::actors(&self.pool).await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<KeyRecord>, StoreError> {
        let (reply, answer) = oneshot::channel();
        let id = id.clone();
        self.lookups.send(Lookup { id, reply }).await?;
        answer.await.unwrap_or_else(unanswered)
    }

    async fn keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        read::keys(&self.pool).await
    }

    async fn forget_idempotency(&self, before: Timestamp) -> Result<u64, StoreError> {
        read::forget_idempotency(&self.pool, before).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        read::ping(&self.pool).await
    }

    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        Ok(Box::new(PostgresSnapshot::begin(&self.pool).await?))
    }

    async fn close(&self) {
        self.commands.close().await;
        self.lookups.close().await;
        self.writer.alone.close();
        self.writer.alone.wait().await;
        self.pool.close().await;
    }
}
