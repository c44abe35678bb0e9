//! What those who look after a space are told: what is in it, who wrote and read it, and what went.

use std::collections::HashMap;

use deedbox_core::{
    ActorId, AgentLabel, Basis, InstanceHash, Memory, MemoryId, MemoryKind, MemoryStatus, SpaceId,
    Timestamp, deed::DeedHash, memory::MemoryAuthor,
};
use deedbox_store::AccessRow;
use schemars::JsonSchema;
use serde::Serialize;

use super::{ExportedVersion, Imported, MemorySource, Wrote};

/// One page of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportPage {
    /// The space.
    pub space: SpaceId,
    /// When the page was made.
    pub at: Timestamp,
    /// Deeds, memory by memory by id, each memory's from its first to its last. A memory is never cut in two.
    pub versions: Vec<ExportedVersion>,
    /// What to give as `cursor` for the next page; null when this is the last.
    pub next_cursor: Option<MemoryId>,
}

/// What became of one entry of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedVersion {
    /// The memory that it is of.
    pub memory_id: MemoryId,
    /// Its place in that memory's history.
    pub version: u64,
    /// The memory that takes it up here.
    pub into: MemoryId,
    /// What became of it.
    pub outcome: Imported,
    /// Why it was refused.
    pub code: Option<String>,
}

/// What an import came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportReport {
    /// The space.
    pub space: SpaceId,
    /// Whether nothing was written, and all this only would be so.
    pub dry_run: bool,
    /// How many entries were, or would be, taken.
    pub taken: u64,
    /// How many were there already.
    pub there_already: u64,
    /// How many were left out for other reasons.
    pub left_out: u64,
    /// Each entry, in its order.
    pub versions: Vec<ImportedVersion>,
}

/// A memory that went, or would. Says nothing of what it said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeletedRow {
    /// The memory.
    pub memory_id: MemoryId,
    /// What kind of thing it was.
    pub kind: MemoryKind,
    /// What it was before.
    pub status: MemoryStatus,
    /// What became of it, or would.
    pub outcome: Wrote,
    /// When it was remembered.
    pub created_at: Timestamp,
    /// When it was last changed before.
    pub updated_at: Timestamp,
    /// Whether somebody else wrote words of it, too, which went with the others.
    pub others_wrote: bool,
    /// The hash of the deed that records it; null when nothing was written.
    pub hash: Option<DeedHash>,
}

/// What a deletion came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeletionReport {
    /// The space.
    pub space: SpaceId,
    /// Whether nothing was written, and all this only would be so.
    pub dry_run: bool,
    /// When.
    pub at: Timestamp,
    /// How many memories were looked at.
    pub looked_at: u64,
    /// What went, memory by memory by id.
    pub rows: Vec<DeletedRow>,
    /// What to give as `cursor` to go on; null when the whole space was looked at.
    pub next_cursor: Option<MemoryId>,
}

/// One entry of an audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// What was done: the name of what was asked, like `recall`, or what became of the memory, like `revised`.
    pub operation: String,
    /// Which memory.
    pub memory_id: MemoryId,
    /// The place of the deed in its history; null of a reading.
    pub version: Option<u64>,
    /// By whom, with the name of the credential.
    pub source: MemorySource,
}

/// One page of an audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditPage {
    /// The space.
    pub space: SpaceId,
    /// What was done.
    pub entries: Vec<AuditEntry>,
    /// What to give as `cursor` for the next page; null when this is the last.
    pub next_cursor: Option<String>,
}

impl From<AccessRow> for AuditEntry {
    fn from(row: AccessRow) -> Self {
        // Who reads is never asserted: an operator's credential reads as nobody.
        let basis = match row.actor {
            Some(_) => Basis::Authenticated,
            None => Basis::Asserted,
        };
        Self {
            at: row.at,
            operation: row.operation,
            memory_id: row.memory,
            version: None,
            source: MemorySource {
                actor_id: row.actor,
                basis,
                agent_label: row.agent_label.map(|label| label.as_str().to_owned()),
                instance_id_hash: row.instance,
                principal: Some(row.principal.to_string()),
            },
        }
    }
}

/// Whom memories come from: one actor, agent and installation, as far as each is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewedSource {
    /// As whom.
    pub actor_id: Option<ActorId>,
    /// What the agent called itself.
    pub agent_label: Option<String>,
    /// Which installation it said it was.
    pub instance_id_hash: Option<InstanceHash>,
    /// How many memories it remembered, whatever became of them.
    pub remembered: u64,
    /// How many of these can be recalled.
    pub live: u64,
    /// How many memories it was the last to change.
    pub changed_last: u64,
    /// When it last wrote something that stands: the first or the last deed of a memory.
    pub last_activity: Timestamp,
}

/// What is in a space, and whom it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpaceReview {
    /// The space.
    pub space: SpaceId,
    /// When it was looked at.
    pub at: Timestamp,
    /// How many memories can be recalled, or could if they had not expired.
    pub live: u64,
    /// How many of these have expired.
    pub expired: u64,
    /// How many were forgotten.
    pub forgotten: u64,
    /// How many were redacted.
    pub redacted: u64,
    /// Whom they come from; who wrote last, first.
    pub sources: Vec<ReviewedSource>,
}

/// Whom memories come from, by what tells sources apart.
type Sources = HashMap<(Option<ActorId>, Option<String>, Option<InstanceHash>), ReviewedSource>;

/// Counts what is in a space, memory by memory.
pub(crate) struct Review {
    counted: SpaceReview,
    sources: Sources,
}

impl Review {
    /// Nothing is counted yet.
    pub(crate) fn new(space: SpaceId, at: Timestamp) -> Self {
        Self {
            counted: SpaceReview {
                space,
                at,
                live: 0,
                expired: 0,
                forgotten: 0,
                redacted: 0,
                sources: Vec::new(),
            },
            sources: Sources::new(),
        }
    }

    /// One memory more.
    pub(crate) fn count(&mut self, memory: &Memory) {
        let state = &memory.state;
        let is_live = state.status == MemoryStatus::Live;
        match state.status {
            MemoryStatus::Live => self.counted.live += 1,
            MemoryStatus::Forgotten => self.counted.forgotten += 1,
            MemoryStatus::Redacted => self.counted.redacted += 1,
        }
        self.counted.expired += u64::from(is_live && state.has_expired(self.counted.at));
        let first = self.source(&state.first_author, state.created_at);
        first.remembered += 1;
        first.live += u64::from(is_live);
        if state.updated_at != state.created_at || state.first_author != state.last_author {
            self.source(&state.last_author, state.updated_at)
                .changed_last += 1;
        }
    }

    fn source(&mut self, author: &MemoryAuthor, at: Timestamp) -> &mut ReviewedSource {
        let label = author
            .by
            .agent_label
            .as_ref()
            .map(AgentLabel::as_str)
            .map(str::to_owned);
        let key = (author.actor.clone(), label.clone(), author.by.instance_hash);
        let source = self.sources.entry(key).or_insert_with(|| ReviewedSource {
            actor_id: author.actor.clone(),
            agent_label: label,
            instance_id_hash: author.by.instance_hash,
            remembered: 0,
            live: 0,
            changed_last: 0,
            last_activity: at,
        });
        source.last_activity = source.last_activity.max(at);
        source
    }

    /// What was counted.
    pub(crate) fn done(self) -> SpaceReview {
        let mut sources: Vec<_> = self.sources.into_values().collect();
        sources.sort_by(|one, other| {
            let by_name = || {
                one.actor_id
                    .cmp(&other.actor_id)
                    .then_with(|| one.agent_label.cmp(&other.agent_label))
            };
            other
                .last_activity
                .cmp(&one.last_activity)
                .then_with(by_name)
        });
        SpaceReview {
            sources,
            ..self.counted
        }
    }
}
