//! Rows, as the tables have them, to and from what the core calls them.
//!
//! Nothing here judges: a row that does not read as what this program writes is an error that names the row.

use std::fmt::Display;

use data_encoding::HEXLOWER;
use deedbox_core::{
    Actor, ActorId, AgentLabel, BlockHash, BrokenDeed, Deed, EvidenceState, KeyRecord, StoredDeed,
    TaskState, Timestamp,
    deed::Head,
    hash::{DeedHash, NotAHash, RequestHash},
    task::Task,
};
use deedbox_store::StoreError;
use serde::{Serialize, Serializer, ser};
use serde_json::Value;

pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Rows that hold a deed, alone or beside other columns.
macro_rules! deed_rows {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* })*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
            pub(crate) stream: String,
            pub(crate) version: i64,
            pub(crate) kind: String,
            pub(crate) body: String,
            pub(crate) at: i64,
            pub(crate) principal: String,
            pub(crate) basis: String,
            pub(crate) agent_label: Option<String>,
            pub(crate) instance_hash: Option<Vec<u8>>,
            pub(crate) previous: Option<Vec<u8>>,
            pub(crate) hash: Vec<u8>,
        }

        impl $name {
            fn row(self) -> Result<StoredDeed, StoreError> {
                let bad = |cause: Cause| unreadable_deed(&self.stream, self.version, cause);
                let at = Timestamp::from_millis(self.at).map_err(|e| bad(e.into()))?;
                let body = serde_json::from_str(&self.body).map_err(|e| bad(e.into()))?;
                Ok(StoredDeed {
                    stream: self.stream,
                    version: self.version,
                    kind: self.kind,
                    body,
                    at,
                    principal: self.principal,
                    basis: self.basis,
                    agent_label: self.agent_label,
                    instance_hash: self.instance_hash,
                    previous: self.previous,
                    hash: self.hash,
                })
            }

            /// The deed, read.
            pub(crate) fn deed(self) -> Result<Deed, StoreError> {
                let stored = self.row()?;
                let (stream, version) = (stored.stream.clone(), stored.version);
                stored.read().map_err(|e| unreadable_deed(&stream, version, e.into()))
            }
        }
    )*};
}

deed_rows! {
    /// A deed.
    DeedRow {}
    /// A task on a list: the deed that created it, and where it stands.
    ListedRow { status: String }
    /// The deed that an earlier request with the same idempotency key led to.
    ReplayRow { position: i64, request: Vec<u8> }
}

impl DeedRow {
    /// The deed as it is stored, not yet understood, for whoever checks the ledger. Reading a task does not pay for it.
    pub(crate) fn stored(self) -> Result<StoredDeed, StoreError> {
        let text = self.body.clone();
        let stored = self.row()?;
        // The hash covers what the text reads as. Other text that reads the same, with a name twice or spaces,
        // was not written by this program.
        if stored.canonical_body() != text {
            let cause = "its body is not in canonical form".into();
            return Err(unreadable_deed(&stored.stream, stored.version, cause));
        }
        Ok(stored)
    }
}

fn unreadable_deed(stream: &str, version: i64, cause: Cause) -> StoreError {
    StoreError::unreadable("deed", format_args!("{stream} version {version}"), cause)
}

impl ListedRow {
    /// The task as callers see it.
    pub(crate) fn task(self) -> Result<Task, StoreError> {
        let row = self.stream.clone();
        let status = self
            .status
            .parse()
            .map_err(|e| StoreError::unreadable("task", &row, Cause::from(e)))?;
        let created = self.deed()?;
        // A listed task has no owner; that is what the list is of.
        Task::new(created, status, None).map_err(|e: BrokenDeed| unreadable_deed(&row, 1, e.into()))
    }
}

/// Rows on their way to a statement that takes a JSON array of arrays.
#[derive(Debug, Default)]
pub(crate) struct Batch(String);

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One more row.
    pub(crate) fn push(&mut self, values: &impl Serialize) -> Result<(), StoreError> {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        let values = serde_json::to_string(values).map_err(|e| StoreError::Rejected(e.into()))?;
        self.0.push_str(&values);
        Ok(())
    }

    /// The array, closed.
    pub(crate) fn finish(mut self) -> String {
        self.0.push(']');
        self.0
    }

    /// A deed, for `deeds_append.sql`.
    pub(crate) fn push_deed(&mut self, deed: &Deed) -> Result<(), StoreError> {
        let stored = deed.to_stored();
        self.push(&(
            &stored.stream,
            stored.version,
            &stored.kind,
            deed.canonical_body(),
            stored.at.as_millis(),
            &stored.principal,
            &stored.basis,
            &stored.agent_label,
            stored.instance_hash.as_deref().map(hex),
            stored.previous.as_deref().map(hex),
            hex(&stored.hash),
        ))
    }

    /// A task, for `tasks_keep.sql`.
    pub(crate) fn push_task(&mut self, task: &TaskState) -> Result<(), StoreError> {
        self.push(&(
            task.id,
            task.head.version,
            hex(task.head.hash.as_bytes()),
            task.head.at.as_millis(),
            task.status,
            &task.owner,
            &task.injected_by,
            task.created_at.as_millis(),
            &task.reserved_for,
            i64::from(task.recipient_only),
            task.latest_acceptance.as_ref().map(Text),
            task.latest_completion.as_ref().map(Text),
            Text(&task.cited),
            task.bytes,
        ))
    }

    /// Evidence, for `evidence_keep.sql`.
    pub(crate) fn push_evidence(&mut self, evidence: &EvidenceState) -> Result<(), StoreError> {
        self.push(&(
            evidence.id,
            evidence.head.version,
            hex(evidence.head.hash.as_bytes()),
            evidence.head.at.as_millis(),
            &evidence.tool,
            evidence.chain_id,
            evidence.block_number,
            hex(&evidence.block_hash.0),
            hex(evidence.digest.as_bytes()),
            evidence.task,
            evidence.recorded_at.as_millis(),
        ))
    }

    /// How to recognise a repeat, for `idempotency_keep.sql`.
    pub(crate) fn push_repeat(
        &mut self,
        (principal, key): &(String, String),
        request: &RequestHash,
        deed: &Deed,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.push(&(
            principal,
            key,
            hex(request.as_bytes()),
            deed.stream.to_string(),
            deed.version,
            now.as_millis(),
        ))
    }
}

/// A value whose JSON is kept as a text.
pub(crate) struct Text<'a, T>(pub(crate) &'a T);

impl<T: Serialize> Serialize for Text<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(self.0).map_err(ser::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

/// Bytes as the statements' `unhex` reads them.
pub(crate) fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// A row of `tasks`.
#[derive(Debug)]
pub(crate) struct TaskRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: i64,
    pub(crate) status: String,
    pub(crate) owner: Option<String>,
    pub(crate) injected_by: String,
    pub(crate) created_at: i64,
    pub(crate) reserved_for: Option<String>,
    pub(crate) recipient_only: i64,
    pub(crate) latest_acceptance: Option<String>,
    pub(crate) latest_completion: Option<String>,
    pub(crate) cited: String,
    pub(crate) bytes: i64,
}

impl TaskRow {
    pub(crate) fn state(self) -> Result<TaskState, StoreError> {
        let id = self.id.clone();
        self.read()
            .map_err(|cause| StoreError::unreadable("task", format_args!("task:{id}"), cause))
    }

    fn read(self) -> Result<TaskState, Cause> {
        Ok(TaskState {
            id: self.id.parse()?,
            head: head(self.version, &self.head_hash, self.head_at)?,
            status: self.status.parse()?,
            owner: self.owner.map(ActorId::new).transpose()?,
            injected_by: ActorId::new(self.injected_by)?,
            created_at: Timestamp::from_millis(self.created_at)?,
            reserved_for: self.reserved_for.map(ActorId::new).transpose()?,
            recipient_only: self.recipient_only != 0,
            latest_acceptance: self
                .latest_acceptance
                .map(|text| serde_json::from_str(&text))
                .transpose()?,
            latest_completion: self
                .latest_completion
                .map(|text| serde_json::from_str(&text))
                .transpose()?,
            cited: serde_json::from_str(&self.cited)?,
            bytes: u64::try_from(self.bytes)?,
        })
    }
}

/// A row of `actors`.
#[derive(Debug)]
pub(crate) struct ActorRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: i64,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) created_at: i64,
}

impl ActorRow {
    pub(crate) fn actor(self) -> Result<(Actor, Head), StoreError> {
        let id = self.id.clone();
        self.read()
            .map_err(|cause| StoreError::unreadable("actor", format_args!("actor:{id}"), cause))
    }

    fn read(self) -> Result<(Actor, Head), Cause> {
        let head = head(self.version, &self.head_hash, self.head_at)?;
        let actor = Actor {
            id: ActorId::new(self.id)?,
            kind: self.kind.parse()?,
            name: self.name.parse()?,
            created_at: Timestamp::from_millis(self.created_at)?,
        };
        Ok((actor, head))
    }
}

/// A row of `keys`.
#[derive(Debug)]
pub(crate) struct KeyRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: i64,
    pub(crate) secret_hash: Vec<u8>,
    pub(crate) actor: Option<String>,
    pub(crate) scopes: String,
    pub(crate) label: Option<String>,
    pub(crate) agent_label: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) expires_at: Option<i64>,
    pub(crate) revoked_at: Option<i64>,
}

impl KeyRow {
    pub(crate) fn key(self) -> Result<(KeyRecord, Head), StoreError> {
        let id = self.id.clone();
        self.read()
            .map_err(|cause| StoreError::unreadable("key", format_args!("key:{id}"), cause))
    }

    fn read(self) -> Result<(KeyRecord, Head), Cause> {
        let head = head(self.version, &self.head_hash, self.head_at)?;
        let key = KeyRecord {
            id: self.id.parse()?,
            secret_hash: self.secret_hash.as_slice().try_into()?,
            actor: self.actor.map(ActorId::new).transpose()?,
            scopes: self.scopes.parse()?,
            label: self.label.map(|text| text.parse()).transpose()?,
            agent_label: self
                .agent_label
                .as_deref()
                .map(AgentLabel::new)
                .transpose()?,
            created_at: Timestamp::from_millis(self.created_at)?,
            expires_at: self.expires_at.map(Timestamp::from_millis).transpose()?,
            revoked_at: self.revoked_at.map(Timestamp::from_millis).transpose()?,
        };
        Ok((key, head))
    }
}

/// A row of `evidence`.
#[derive(Debug)]
pub(crate) struct EvidenceRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: i64,
    pub(crate) tool: String,
    pub(crate) chain_id: i64,
    pub(crate) block_number: i64,
    pub(crate) block_hash: Vec<u8>,
    pub(crate) digest: Vec<u8>,
    pub(crate) task: Option<String>,
    pub(crate) recorded_at: i64,
}

impl EvidenceRow {
    pub(crate) fn state(self) -> Result<EvidenceState, StoreError> {
        let row = format!("evidence:{}", self.id);
        self.read()
            .map_err(|cause| StoreError::unreadable("evidence", row, cause))
    }

    fn read(self) -> Result<EvidenceState, Cause> {
        Ok(EvidenceState {
            id: self.id.parse()?,
            head: head(self.version, &self.head_hash, self.head_at)?,
            tool: self.tool.parse()?,
            chain_id: u64::try_from(self.chain_id)?,
            block_number: u64::try_from(self.block_number)?,
            block_hash: BlockHash(self.block_hash.as_slice().try_into()?),
            digest: self.digest.as_slice().try_into()?,
            task: self.task.map(|id| id.parse()).transpose()?,
            recorded_at: Timestamp::from_millis(self.recorded_at)?,
        })
    }
}

/// The last deed of a stream, as its projection's row names it.
pub(crate) fn head(version: i64, hash: &[u8], at: i64) -> Result<Head, Cause> {
    Ok(Head {
        version: u64::try_from(version)?,
        hash: DeedHash::try_from(hash).map_err(|e: NotAHash| e)?,
        at: Timestamp::from_millis(at)?,
    })
}

/// A number of the core's as SQLite holds it. Versions and sizes stay far below what this cuts at.
pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Texts as the JSON array that a statement's `json_each` reads.
pub(crate) fn array<T: Display>(texts: impl IntoIterator<Item = T>) -> String {
    Value::from_iter(texts.into_iter().map(|text| text.to_string())).to_string()
}
