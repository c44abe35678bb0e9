//! What every backend promises of memories and spaces.
//!
//! Memories are written as everything else is, by [`Store::execute`](crate::Store::execute). Their texts stand beside their deeds, one
//! for each deed that commits to one, and are written and deleted in the transaction of the deed that says so.
//!
//! Nothing here asks who may read: whoever calls has asked [`rights`](deedbox_core::memory::rights), and names the spaces.

mod document;
mod everyday;
pub mod rank;
mod recall;
mod sample;

use async_trait::async_trait;
use deedbox_core::{
    ActorId, Deed, InstanceHash, Memory, MemoryId, MemoryKind, MemoryState, MemoryStatus,
    MemoryText, PrincipalId, Space, SpaceId, SpaceUsage, TeamSpace, Timestamp,
    attribution::AgentLabel,
    limits,
    memory::{Salt, SealedText},
    text::{MemoryKey, MemoryPath, MemoryTag},
};

pub use self::{
    document::{MEMORY_EDITION, document},
    recall::{Candidate, Probe, Recall, Recalled, Wanted, path_end, run},
    sample::Document,
};
use crate::StoreError;

/// Somewhere memories are kept: a part of [`Store`](crate::Store).
#[async_trait]
pub trait MemoryStore: Send + Sync {
    /// A memory with its whole history and the texts of it that are kept, read at one moment. `None` when there is no such memory.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn memory(&self, id: MemoryId) -> Result<Option<MemoryHistory>, StoreError>;

    /// Memories of some spaces, the one remembered last first.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn memories(&self, query: &Memories) -> Result<Vec<Memory>, StoreError>;

    /// What helps with a question, best first: living memories, and of those that have expired at `now` only when the question says so.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn recall(&self, query: &Recall, now: Timestamp) -> Result<Recalled, StoreError>;

    /// One space. `None` when there is no such team's, or, of a personal one, no such actor.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn space(&self, id: &SpaceId) -> Result<Option<Space>, StoreError>;

    /// The spaces that an actor is in: its personal one, and teams' by id. None when there is no such actor.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn spaces(&self, of: &ActorId) -> Result<Vec<Space>, StoreError>;

    /// What a space has; nothing when there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn space_usage(&self, id: &SpaceId) -> Result<SpaceUsage, StoreError>;

    /// All memories of a space whatever their status, by id, after this one; at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn export(
        &self,
        space: &SpaceId,
        after: Option<MemoryId>,
        limit: u32,
    ) -> Result<Vec<Memory>, StoreError>;

    /// Keeps durably who read which memories. Who changed them stands in the deeds.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked or did not commit.
    async fn record_access(&self, access: Access) -> Result<(), StoreError>;

    /// Who read which memories, the latest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn accesses(&self, query: &Accesses) -> Result<Vec<AccessRow>, StoreError>;
}

/// A memory, and how it came to be what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryHistory {
    /// The memory now.
    pub memory: Memory,
    /// Its deeds by version, each with the text that it committed to, when that is kept.
    pub deeds: Vec<(Deed, Option<MemoryText>)>,
}

/// A text beside a deed, as a database keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptText {
    /// Of which memory.
    pub memory: MemoryId,
    /// Beside the deed of this version.
    pub version: u64,
    /// The text with its salt.
    pub sealed: SealedText,
}

impl KeptText {
    /// Reads what a database keeps: the salt's 32 bytes, and the text in RFC 8785 canonical form.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] when it is not what this program writes.
    pub fn read(
        memory: MemoryId,
        version: i64,
        salt: &[u8],
        text: &str,
    ) -> Result<Self, StoreError> {
        let bad = |cause: Box<dyn std::error::Error + Send + Sync>| {
            StoreError::unreadable(
                "memory text",
                format_args!("memory:{memory} version {version}"),
                cause,
            )
        };
        let words: MemoryText = serde_json::from_str(text).map_err(|e| bad(e.into()))?;
        if words.canonical() != text {
            return Err(bad("it is not in canonical form".into()));
        }
        let salt = salt
            .try_into()
            .map_err(|_| bad("its salt has not 32 bytes".into()))?;
        Ok(Self {
            memory,
            version: u64::try_from(version).map_err(|e| bad(e.into()))?,
            sealed: SealedText::new(words, Salt(salt)),
        })
    }
}

/// What a memory's row has of its text, for looking it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filed {
    /// Its path.
    pub path: Option<String>,
    /// Its key.
    pub key: Option<String>,
    /// Its tags, in their order.
    pub tags: Vec<String>,
    /// The [digest](MemoryText::digest) of its content, 32 bytes.
    pub digest: Vec<u8>,
}

impl From<&MemoryText> for Filed {
    fn from(text: &MemoryText) -> Self {
        Self {
            path: text.path.as_ref().map(ToString::to_string),
            key: text.key.as_ref().map(ToString::to_string),
            tags: text.tags.iter().map(ToString::to_string).collect(),
            digest: text.digest().as_bytes().to_vec(),
        }
    }
}

/// Which memories to list. Every filter that is given has to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memories {
    /// In these spaces, and in no others.
    pub spaces: Vec<SpaceId>,
    /// Only these.
    pub status: MemoryStatus,
    /// Only this kind.
    pub kind: Option<MemoryKind>,
    /// Only at this path, or below it.
    pub path: Option<MemoryPath>,
    /// Only with this tag.
    pub tag: Option<MemoryTag>,
    /// Only with this key.
    pub key: Option<MemoryKey>,
    /// Only those that somebody with this label wrote first or last.
    pub agent_label: Option<AgentLabel>,
    /// Only those that somebody from this installation wrote first or last.
    pub instance: Option<InstanceHash>,
    /// Only those that this actor remembered.
    pub author: Option<ActorId>,
    /// Those that have expired by now: only them (`true`), or only the others (`false`).
    pub expired: Option<(bool, Timestamp)>,
    /// Only what comes after this place in the order.
    pub after: Option<MemoryPlace>,
    /// How many at most; 1 to [`limits::PAGE_MAX`].
    pub limit: u32,
}

impl Memories {
    /// The living ones of these spaces.
    #[must_use]
    pub const fn of(spaces: Vec<SpaceId>) -> Self {
        Self {
            spaces,
            status: MemoryStatus::Live,
            kind: None,
            path: None,
            tag: None,
            key: None,
            agent_label: None,
            instance: None,
            author: None,
            expired: None,
            after: None,
            limit: limits::PAGE_DEFAULT,
        }
    }

    /// What was found in several spaces, each in the order of the list, as one page.
    #[must_use]
    pub fn page(&self, mut found: Vec<Memory>) -> Vec<Memory> {
        found.sort_by_key(|memory| {
            let place = MemoryPlace::from(&memory.state);
            std::cmp::Reverse((place.created_at, place.id))
        });
        found.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        found
    }
}

/// A memory's place in the order of lists: newest first, and by id, descending, among those of one millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlace {
    /// When it was remembered.
    pub created_at: Timestamp,
    /// The memory.
    pub id: MemoryId,
}

impl From<&MemoryState> for MemoryPlace {
    fn from(memory: &MemoryState) -> Self {
        Self {
            created_at: memory.created_at,
            id: memory.id,
        }
    }
}

/// A reading of memories. Says nothing of what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// When.
    pub at: Timestamp,
    /// By which credential.
    pub principal: PrincipalId,
    /// As whom, if as anybody.
    pub actor: Option<ActorId>,
    /// What the agent calls itself.
    pub agent_label: Option<AgentLabel>,
    /// Which installation it says it is.
    pub instance: Option<InstanceHash>,
    /// What was done: the tool's name, like `recall`.
    pub operation: String,
    /// Which memories were shown, each with its space.
    pub shown: Vec<(SpaceId, MemoryId)>,
}

/// One memory that was shown, as the audit has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRow {
    /// Its place in the order of the audit; greater is later.
    pub number: i64,
    /// When.
    pub at: Timestamp,
    /// By which credential.
    pub principal: PrincipalId,
    /// As whom, if as anybody.
    pub actor: Option<ActorId>,
    /// What the agent calls itself.
    pub agent_label: Option<AgentLabel>,
    /// Which installation it says it is.
    pub instance: Option<InstanceHash>,
    /// What was done.
    pub operation: String,
    /// In which space.
    pub space: SpaceId,
    /// Which memory was shown.
    pub memory: MemoryId,
}

/// Which readings to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accesses {
    /// In this space.
    pub space: SpaceId,
    /// Only of this memory.
    pub memory: Option<MemoryId>,
    /// Only those before this number.
    pub before: Option<i64>,
    /// How many at most; 1 to [`limits::PAGE_MAX`].
    pub limit: u32,
}

/// What of a snapshot is of memories; see [`Snapshot`](crate::Snapshot).
#[async_trait]
pub trait MemorySnapshot: Send {
    /// Up to `limit` rows of the memory projection after this id, by id. A row without a text has nothing of one.
    ///
    /// # Errors
    /// As [`Snapshot::tasks`](crate::Snapshot::tasks).
    async fn memories(
        &mut self,
        after: Option<MemoryId>,
        limit: u32,
    ) -> Result<Vec<MemoryState>, StoreError>;

    /// Up to `limit` texts after this memory and version, by both. What the memory's row has of its text is [what the text says](Filed).
    ///
    /// # Errors
    /// As [`Snapshot::tasks`](crate::Snapshot::tasks).
    async fn texts(
        &mut self,
        after: Option<(MemoryId, u64)>,
        limit: u32,
    ) -> Result<Vec<KeptText>, StoreError>;

    /// Up to `limit` rows of the space projection after this id, by id.
    ///
    /// # Errors
    /// As [`Snapshot::tasks`](crate::Snapshot::tasks).
    async fn spaces(
        &mut self,
        after: Option<&SpaceId>,
        limit: u32,
    ) -> Result<Vec<TeamSpace>, StoreError>;

    /// Up to `limit` rows of what spaces have after this id, by id.
    ///
    /// # Errors
    /// As [`Snapshot::tasks`](crate::Snapshot::tasks).
    async fn usages(
        &mut self,
        after: Option<&SpaceId>,
        limit: u32,
    ) -> Result<Vec<(SpaceId, SpaceUsage)>, StoreError>;
}
