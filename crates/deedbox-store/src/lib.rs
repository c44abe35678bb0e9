//! What every storage backend promises.
//!
//! A backend keeps deeds, projections and idempotency records; it knows no rule of the protocol. The one
//! way to write is [`Store::execute`]: inside one transaction the backend loads what the command
//! [needs](deedbox_core::Command::needs), asks [`Execute::decide`], and appends what comes back. When
//! `execute` returns a deed, that deed is durable: it survives the death of the process and of the machine's power.
//!
//! Each backend writes its SQL in its own database's words. What they share is this trait, and the story
//! in `story` (a feature, for tests) that each of them must tell word for word.

pub mod blocks;
pub mod conclusion;
mod error;
mod execute;
pub mod index;
pub mod ledger;
mod memory;
#[cfg(feature = "story")]
pub mod story;

use std::collections::BTreeSet;

use async_trait::async_trait;
use deedbox_core::{
    Actor, ActorId, ChainAccount, ChainAddress, Evidence, EvidenceId, EvidenceState, KeyId,
    KeyRecord, Publication, PublicationId, PublicationState, RegistryId, RegistryState, StoredDeed,
    TakenNonce, TaskId, TaskState, Timestamp,
    deed::Head,
    evidence::ReadingKey,
    limits,
    task::{Status, Task},
};
pub use error::StoreError;
pub use execute::{
    Decided, Execute, Idempotency, IdempotencyKey, Kept, NotAnIdempotencyKey, Outcome,
};
pub use memory::{
    Access, AccessRow, Accesses, Candidate, Document, Filed, KeptText, MEMORY_EDITION, Memories,
    MemoryHistory, MemoryPlace, MemorySnapshot, MemoryStore, Probe, Recall, Recalled, Wanted,
    document, path_end, rank, run as recall,
};

/// Somewhere deeds are kept.
#[async_trait]
pub trait Store: MemoryStore + Send + Sync + std::fmt::Debug {
    /// Carries out a command: decides on it with the state locked, and keeps its deeds durably.
    ///
    /// The inner result is the protocol's answer; a refusal has written nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked or did not commit. Then nothing is known to
    /// have been written, and the command may be tried again (with its idempotency key, without risk).
    async fn execute(&self, execute: Execute) -> Result<Outcome, StoreError>;

    /// A task with its whole history, read at one moment, and who saw the evidence that its claims cite. `None` when
    /// there is no such task.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn status(&self, task: TaskId) -> Result<Option<Status>, StoreError>;

    /// Tasks that nobody owns, newest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn unaccepted(&self, query: &Unaccepted) -> Result<Vec<Task>, StoreError>;

    /// One piece of evidence.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn evidence(&self, id: EvidenceId) -> Result<Option<Evidence>, StoreError>;

    /// Readings of one tool on one chain at one block, the one recorded last first.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn readings(&self, of: &ReadingKey, limit: u32) -> Result<Vec<Evidence>, StoreError>;

    /// What evidence there is, newest first, without what was asked and answered.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn recorded(&self, query: &Recorded) -> Result<Vec<EvidenceState>, StoreError>;

    /// The same of these pieces, those that there are, in no order: who is behind the references of claims.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn cited(&self, ids: &BTreeSet<EvidenceId>) -> Result<Vec<EvidenceState>, StoreError>;

    /// How many readings were recorded for a task.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn readings_for(&self, task: TaskId) -> Result<u64, StoreError>;

    /// Of the publications of an account that are not settled, the one with the lowest nonce: the one to go on with first. There are
    /// several only after a chain took back blocks that had settled some.
    ///
    /// # Errors
    /// As [`Store::publication`].
    async fn open_publication(
        &self,
        of: ChainAccount,
    ) -> Result<Option<PublicationState>, StoreError>;

    /// Of the settled publications of an account that have this nonce or a higher one, the one with the lowest: why the nonce cannot be
    /// signed anew ([`may_sign`](deedbox_core::publication::may_sign)).
    ///
    /// # Errors
    /// As [`Store::publication`].
    async fn used_nonce(
        &self,
        of: ChainAccount,
        nonce: u64,
    ) -> Result<Option<TakenNonce>, StoreError>;

    /// A publication with its whole history, read at one moment. `None` when there is no such publication.
    ///
    /// It is not believed blindly: see [`ledger::vouched`]. The same holds of every publication that [`Store::execute`] decides on.
    ///
    /// # Errors
    /// [`StoreError::Altered`] when its deeds do not vouch for it; others when the database could not be asked.
    async fn publication(&self, id: PublicationId) -> Result<Option<Publication>, StoreError>;

    /// What publications there are, newest first, without what was signed. These are rows, and nobody has looked at their deeds.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn publications(&self, query: &Publications)
    -> Result<Vec<PublicationState>, StoreError>;

    /// A registry that somebody decided on, with the tools that are pinned in it. `None` when nobody ever followed it.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn registry(&self, id: RegistryId) -> Result<Option<RegistryState>, StoreError>;

    /// All registries that somebody decided on, by the byte order of their ids: those that are followed, and those that are not any more.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn registries(&self) -> Result<Vec<RegistryState>, StoreError>;

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
pub trait Snapshot: MemorySnapshot + Send + std::fmt::Debug {
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

    /// Up to `limit` rows of the evidence projection after this id, by id.
    ///
    /// # Errors
    /// As [`Snapshot::tasks`].
    async fn evidence(
        &mut self,
        after: Option<EvidenceId>,
        limit: u32,
    ) -> Result<Vec<EvidenceState>, StoreError>;

    /// Up to `limit` rows of the publication projection after this id, by id.
    ///
    /// # Errors
    /// As [`Snapshot::tasks`].
    async fn publications(
        &mut self,
        after: Option<PublicationId>,
        limit: u32,
    ) -> Result<Vec<PublicationState>, StoreError>;

    /// Up to `limit` rows of the registry projection after this id, by the byte order of ids as texts.
    ///
    /// # Errors
    /// As [`Snapshot::tasks`].
    async fn registries(
        &mut self,
        after: Option<RegistryId>,
        limit: u32,
    ) -> Result<Vec<RegistryState>, StoreError>;

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

/// Which evidence to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Only what was read for this task.
    pub task: Option<TaskId>,
    /// Only what comes after this place in the order.
    pub after: Option<EvidencePlace>,
    /// How many at most; 1 to [`limits::PAGE_MAX`].
    pub limit: u32,
}

impl Default for Recorded {
    fn default() -> Self {
        Self {
            task: None,
            after: None,
            limit: limits::PAGE_DEFAULT,
        }
    }
}

/// The place of evidence in the order of lists: newest first, and by id, descending, among that of one millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvidencePlace {
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// The evidence.
    pub id: EvidenceId,
}

impl From<&EvidenceState> for EvidencePlace {
    fn from(evidence: &EvidenceState) -> Self {
        Self {
            recorded_at: evidence.recorded_at,
            id: evidence.id,
        }
    }
}

/// Which publications to list. Every filter that is given has to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publications {
    /// Only those that are not settled.
    pub open: bool,
    /// Only those on this chain (EIP-155).
    pub chain_id: Option<u64>,
    /// Only those that this account signed, on whatever chain.
    pub account: Option<ChainAddress>,
    /// Only what comes after this place in the order.
    pub after: Option<PublicationPlace>,
    /// How many at most; 1 to [`limits::PAGE_MAX`].
    pub limit: u32,
}

impl Default for Publications {
    fn default() -> Self {
        Self {
            open: false,
            chain_id: None,
            account: None,
            after: None,
            limit: limits::PAGE_DEFAULT,
        }
    }
}

/// The place of a publication in the order of lists: by when it was first signed, newest first, and by id, descending,
/// among those of one millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicationPlace {
    /// When it was first signed.
    pub signed_at: Timestamp,
    /// The publication.
    pub id: PublicationId,
}

impl From<&PublicationState> for PublicationPlace {
    fn from(publication: &PublicationState) -> Self {
        Self {
            signed_at: publication.signed_at,
            id: publication.id,
        }
    }
}
