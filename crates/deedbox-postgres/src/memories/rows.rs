//! Rows of memories, spaces and their audit, to and from what the core calls them.

use deedbox_core::{
    ActorId, Basis, InstanceHash, Memory, MemoryId, MemoryState, MemoryStatus, MemoryText,
    PrincipalId, SpaceId, SpaceUsage, TeamSpace,
    attribution::AgentLabel,
    deed::Authorship,
    memory::{About, MemoryAuthor},
};
use deedbox_store::{AccessRow, Filed, KeptText, StoreError};
use uuid::Uuid;

use crate::rows::{Cause, Micros, head};

/// A row of `memories`, with its text where that is asked for.
#[derive(Debug)]
pub(crate) struct MemoryRow {
    pub(crate) id: Uuid,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: Micros,
    pub(crate) space: String,
    pub(crate) kind: String,
    pub(crate) todo_done: bool,
    pub(crate) expires_at: Option<Micros>,
    pub(crate) status: String,
    pub(crate) created_at: Micros,
    pub(crate) updated_at: Micros,
    pub(crate) first_actor: Option<String>,
    pub(crate) first_principal: String,
    pub(crate) first_basis: String,
    pub(crate) first_label: Option<String>,
    pub(crate) first_instance: Option<Vec<u8>>,
    pub(crate) last_actor: Option<String>,
    pub(crate) last_principal: String,
    pub(crate) last_basis: String,
    pub(crate) last_label: Option<String>,
    pub(crate) last_instance: Option<Vec<u8>>,
    pub(crate) text_version: Option<i64>,
    pub(crate) bytes: i64,
    pub(crate) text: Option<String>,
}

fn author(
    actor: Option<String>,
    principal: String,
    basis: &str,
    label: Option<&str>,
    instance: Option<&[u8]>,
) -> Result<MemoryAuthor, Cause> {
    Ok(MemoryAuthor {
        actor: actor.map(ActorId::new).transpose()?,
        by: Authorship {
            principal: PrincipalId::from_stored(principal),
            basis: match basis {
                "asserted" => Basis::Asserted,
                "authenticated" => Basis::Authenticated,
                _ => return Err("its basis is not understood".into()),
            },
            agent_label: label.map(AgentLabel::new).transpose()?,
            instance_hash: instance.map(InstanceHash::try_from).transpose()?,
        },
    })
}

impl MemoryRow {
    /// The memory with its text. A living or forgotten one without a text is not readable.
    pub(crate) fn memory(mut self) -> Result<Memory, StoreError> {
        let row = format!("memory:{}", self.id);
        let text = self.text.take();
        let read = || -> Result<Memory, Cause> {
            let state = self.read()?;
            let text = text.map(|text| serde_json::from_str::<MemoryText>(&text));
            let text = text.transpose()?;
            if text.is_none() && state.status != MemoryStatus::Redacted {
                return Err("its text is missing".into());
            }
            Ok(Memory { state, text })
        };
        read().map_err(|cause| StoreError::unreadable("memory", row, cause))
    }

    /// What its deeds add up to, of a row that was read without its text; what it has instead is left of one that is gone.
    pub(crate) fn bare(self) -> Result<MemoryState, StoreError> {
        let row = format!("memory:{}", self.id);
        let read = if self.text.is_some() {
            Err("its text is gone, and its path, key, tags or digest is not".into())
        } else {
            self.read()
        };
        read.map_err(|cause| StoreError::unreadable("memory", row, cause))
    }

    fn read(self) -> Result<MemoryState, Cause> {
        Ok(MemoryState {
            id: MemoryId(self.id),
            head: head(self.version, &self.head_hash, self.head_at)?,
            space: self.space.parse()?,
            about: About {
                kind: self.kind.parse()?,
                todo_done: self.todo_done,
                expires_at: self.expires_at.map(Micros::timestamp).transpose()?,
            },
            status: self.status.parse()?,
            created_at: self.created_at.timestamp()?,
            updated_at: self.updated_at.timestamp()?,
            first_author: author(
                self.first_actor,
                self.first_principal,
                &self.first_basis,
                self.first_label.as_deref(),
                self.first_instance.as_deref(),
            )?,
            last_author: author(
                self.last_actor,
                self.last_principal,
                &self.last_basis,
                self.last_label.as_deref(),
                self.last_instance.as_deref(),
            )?,
            text: self.text_version.map(u64::try_from).transpose()?,
            bytes: u64::try_from(self.bytes)?,
        })
    }
}

/// A row of `memory_texts`, with what the memory's row has of it if it is that one's now.
#[derive(Debug)]
pub(crate) struct TextRow {
    pub(crate) memory: Uuid,
    pub(crate) version: i64,
    pub(crate) salt: Vec<u8>,
    pub(crate) text: String,
    pub(crate) is_current: bool,
    pub(crate) path: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) digest: Option<Vec<u8>>,
}

impl TextRow {
    /// The text, and nothing else in the memory's row than what it says.
    pub(crate) fn kept(self) -> Result<KeptText, StoreError> {
        let id = MemoryId(self.memory);
        let kept = KeptText::read(id, self.version, &self.salt, &self.text)?;
        let filed = Filed {
            path: self.path,
            key: self.key,
            tags: self.tags.unwrap_or_default(),
            digest: self.digest.unwrap_or_default(),
        };
        if self.is_current && filed != Filed::from(&kept.sealed.text) {
            let cause = "its path, key, tags or digest is not that of its text";
            let row = format_args!("memory:{id}");
            return Err(StoreError::unreadable("memory", row, cause));
        }
        Ok(kept)
    }
}

/// A row of `spaces`, with its members.
#[derive(Debug)]
pub(crate) struct SpaceRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: Micros,
    pub(crate) name: String,
    pub(crate) owner: String,
    pub(crate) created_at: Micros,
    pub(crate) members: Vec<String>,
}

impl SpaceRow {
    pub(crate) fn space(self) -> Result<TeamSpace, StoreError> {
        let row = format!("space:{}", self.id);
        self.read()
            .map_err(|cause| StoreError::unreadable("space", row, cause))
    }

    fn read(self) -> Result<TeamSpace, Cause> {
        let members = self.members.into_iter().map(ActorId::new);
        Ok(TeamSpace {
            id: self.id.parse()?,
            head: head(self.version, &self.head_hash, self.head_at)?,
            name: self.name.parse()?,
            owner: self.owner.parse()?,
            members: members.collect::<Result<_, _>>()?,
            created_at: self.created_at.timestamp()?,
        })
    }
}

/// A row of `space_usage`.
#[derive(Debug)]
pub(crate) struct UsageRow {
    pub(crate) space: String,
    pub(crate) memories: i64,
    pub(crate) bytes: i64,
}

impl UsageRow {
    pub(crate) fn usage(self) -> Result<(SpaceId, SpaceUsage), StoreError> {
        let row = format!("space:{}", self.space);
        let read = || -> Result<_, Cause> {
            let usage = SpaceUsage {
                memories: u64::try_from(self.memories)?,
                bytes: u64::try_from(self.bytes)?,
            };
            Ok((self.space.parse()?, usage))
        };
        read().map_err(|cause| StoreError::unreadable("space usage", row, cause))
    }
}

/// A row of `memory_accesses`.
#[derive(Debug)]
pub(crate) struct ReadingRow {
    pub(crate) number: i64,
    pub(crate) at: Micros,
    pub(crate) principal: String,
    pub(crate) actor: Option<String>,
    pub(crate) agent_label: Option<String>,
    pub(crate) instance_hash: Option<Vec<u8>>,
    pub(crate) operation: String,
    pub(crate) space: String,
    pub(crate) memory: Uuid,
}

impl ReadingRow {
    pub(crate) fn access(self) -> Result<AccessRow, StoreError> {
        let number = self.number;
        self.read()
            .map_err(|cause| StoreError::unreadable("memory access", number, cause))
    }

    fn read(self) -> Result<AccessRow, Cause> {
        let label = self.agent_label.as_deref();
        let instance = self.instance_hash.as_deref();
        Ok(AccessRow {
            number: self.number,
            at: self.at.timestamp()?,
            principal: PrincipalId::from_stored(self.principal),
            actor: self.actor.map(ActorId::new).transpose()?,
            agent_label: label.map(AgentLabel::new).transpose()?,
            instance: instance.map(InstanceHash::try_from).transpose()?,
            operation: self.operation,
            space: self.space.parse()?,
            memory: MemoryId(self.memory),
        })
    }
}
