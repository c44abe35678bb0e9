//! What every storage backend promises.
//!
//! A backend keeps deeds, projections and idempotency records; it knows no rule of the protocol. The one
//! way to write is [`Store::execute`]: inside one transaction the backend loads what the command
//! [needs](deedbox_core::Command::needs), asks [`Execute::decide`], and appends what comes back. When
//! `execute` returns a deed, that deed is durable: it survives the death of the process and of the machine's power.
//!
//! Each backend writes its SQL in its own database's words. What they share is this trait, and the story
//! in `story` (a feature, for tests) that each of them must tell word for word.

mod error;
mod execute;
pub mod ledger;
#[cfg(feature = "story")]
pub mod story;

use async_trait::async_trait;
use deedbox_core::{
    Actor, ActorId, KeyId, KeyRecord, StoredDeed, TaskId, TaskState, Timestamp,
    deed::Head,
    limits,
    task::{Status, Task},
};
pub use error::StoreError;
pub use execute::{
    Decided, Execute, Idempotency, IdempotencyKey, Kept, NotAnIdempotencyKey, Outcome,
};

/// Somewhere deeds are kept.
#[async_trait]
pub trait Store: Send + Sync + std::fmt::Debug {
    /// Carries out a command: decides on it with the state locked, and keeps its deeds durably.
    ///
    /// The inner result is the protocol's answer; a refusal has written nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked or did not commit. Then nothing is known to
    /// have been written, and the command may be tried again (with its idempotency key, without risk).
    async fn execute(&self, execute: Execute) -> Result<Outcome, StoreError>;

    /// A task with its whole history, read at one moment. `None` when there is no such task.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn status(&self, task: TaskId) -> Result<Option<Status>, StoreError>;

    /// Tasks that nobody owns, newest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn unaccepted(&self, query: &Unaccepted) -> Result<Vec<Task>, StoreError>;

    /// One actor.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn actor(&self, id: &ActorId) -> Result<Option<Actor>, StoreError>;

    /// All actors, by id.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn actors(&self) -> Result<Vec<Actor>, StoreError>;

    /// One key. On the path of every request.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn key(&self, id: &KeyId) -> Result<Option<KeyRecord>, StoreError>;

    /// All keys, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn keys(&self) -> Result<Vec<KeyRecord>, StoreError>;

    /// Forgets idempotency records made before `before`. Returns how many.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn forget_idempotency(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Whether the database answers and could take a write.
    ///
    /// # Errors
    /// [`StoreError`] when it does not.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Everything as it is at this moment, for reading in order while writes go on.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError>;

    /// Finishes what was acknowledged and closes every connection. Later calls fail.
    async fn close(&self);
}

/// The whole database at one moment. Pages are ordered by the byte order of their keys.
#[async_trait]
pub trait Snapshot: Send + std::fmt::Debug {
    /// How many deeds there are; for progress only.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn count(&mut self) -> Result<u64, StoreError>;

    /// Up to `limit` deeds after this stream (as text) and version, ordered by both.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn deeds(
        &mut self,
        after: Option<(&str, i64)>,
        limit: u32,
    ) -> Result<Vec<StoredDeed>, StoreError>;

    /// Up to `limit` rows of the task projection after this id, by id.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked; [`StoreError::Unreadable`] when a row is not
    /// what this program writes.
    async fn tasks(
        &mut self,
        after: Option<TaskId>,
        limit: u32,
    ) -> Result<Vec<TaskState>, StoreError>;

    /// Up to `limit` rows of the actor projection after this id, by id.
    ///
    /// # Errors
    /// As [`Snapshot::tasks`].
    async fn actors(
        &mut self,
        after: Option<&ActorId>,
        limit: u32,
    ) -> Result<Vec<(Actor, Head)>, StoreError>;

    /// Up to `limit` rows of the key projection after this id, by id.
    ///
    /// # Errors
    /// As [`Snapshot::tasks`].
    async fn keys(
        &mut self,
        after: Option<&KeyId>,
        limit: u32,
    ) -> Result<Vec<(KeyRecord, Head)>, StoreError>;
}

/// Which tasks to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unaccepted {
    /// Only those that this actor created.
    pub injected_by: Option<ActorId>,
    /// Only those that come after this place in the order.
    pub after: Option<Place>,
    /// How many at most; 1 to [`limits::PAGE_MAX`].
    pub limit: u32,
}

impl Default for Unaccepted {
    fn default() -> Self {
        Self {
            injected_by: None,
            after: None,
            limit: limits::PAGE_DEFAULT,
        }
    }
}

/// A task's place in the order of lists: newest first, and by id, descending, among those of one millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// When the task was created.
    pub created_at: Timestamp,
    /// The task.
    pub id: TaskId,
}

impl From<&Task> for Place {
    fn from(task: &Task) -> Self {
        Self {
            created_at: task.created_at,
            id: task.id,
        }
    }
}
