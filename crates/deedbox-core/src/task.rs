//! Tasks: the state that the rules need and the shapes in which callers see them.

mod record;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::record::{Acceptance, Completion, Handoff, Record, RecordAttribution, Status, Task};
use crate::{
    AcceptanceId, ActorId, CompletionId, Head, TaskId, Timestamp,
    command::cited_evidence_id,
    text::{ClaimText, ContextNote, SourceReference},
    words::words,
};

/// How the one who claims completion knows, from the least certain to the most (OAP, invariant 4).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ClaimProvenance {
    /// Somebody else said so.
    Reported,
    /// The claimant looked at the result.
    Reviewed,
    /// The claimant saw it happen.
    Observed,
}

words! {
    ClaimProvenance, NotAProvenance, "must be observed, reviewed or reported" {
        Reported = "reported",
        Reviewed = "reviewed",
        Observed = "observed",
    }
}

/// Where a task stands. `in_progress` and `expired` are reserved by the protocol and not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TaskStatus {
    /// Created, and never accepted.
    PendingAcceptance,
    /// Owned; no claim since it was last accepted.
    Accepted,
    /// Owned, and its owner claims that it is done.
    Completed,
    /// Handed off; nobody owns it.
    Transitioned,
}

words! {
    TaskStatus, NotAStatus, "must be pending_acceptance, accepted, completed or transitioned" {
        PendingAcceptance = "pending_acceptance",
        Accepted = "accepted",
        Completed = "completed",
        Transitioned = "transitioned",
    }
}

/// What the rules need to know of a task. A projection of its deeds; its texts stay in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskState {
    /// The task.
    pub id: TaskId,
    /// The last deed.
    pub head: Head,
    /// Where it stands.
    pub status: TaskStatus,
    /// Who owns it.
    pub owner: Option<ActorId>,
    /// Who created it.
    pub injected_by: ActorId,
    /// When it was created.
    pub created_at: Timestamp,
    /// The only actor who may accept it now: set by a handoff of a task created for recipients only.
    pub reserved_for: Option<ActorId>,
    /// Whether handoffs reserve it for their recipient.
    pub recipient_only: bool,
    /// The latest acceptance, as a handoff would freeze it.
    pub latest_acceptance: Option<AcceptanceSummary>,
    /// The latest claim, as a handoff would freeze it.
    pub latest_completion: Option<CompletionSummary>,
    /// For each source reference that a claim below `observed` cited, by [`cited_key`]: the least certain
    /// provenance it was cited for.
    pub cited: BTreeMap<String, ClaimProvenance>,
    /// Bytes of canonical JSON in the bodies of all its deeds.
    pub bytes: u64,
}

/// The key under which [`TaskState::cited`] remembers a reference: the first 16 bytes of its SHA-256, in hex.
/// A hash, because a reference may have two kilobytes, and a task many of them. Evidence has one key however
/// `evidence:` is spelled.
#[must_use]
pub fn cited_key(reference: &SourceReference) -> String {
    let text = match cited_evidence_id(reference) {
        Some(id) => format!("evidence:{id}"),
        None => reference.comparable(),
    };
    let hash = crate::hash::RequestHash::of(text.as_bytes());
    data_encoding::HEXLOWER.encode(&hash.0[..16])
}

/// An acceptance inside a [`ContextSnapshot`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptanceSummary {
    /// The acceptance.
    pub id: AcceptanceId,
    /// Who accepted.
    pub actor_id: ActorId,
    /// When.
    pub accepted_at: Timestamp,
    /// What it wanted known.
    pub context_note: Option<ContextNote>,
}

/// A completion claim inside a [`ContextSnapshot`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompletionSummary {
    /// The claim.
    pub id: CompletionId,
    /// Who claimed.
    pub actor_id: ActorId,
    /// How it knew.
    pub provenance: ClaimProvenance,
    /// What it claimed.
    pub claim_text: ClaimText,
    /// Where the evidence is.
    pub source_reference: Option<SourceReference>,
    /// When.
    pub reported_at: Timestamp,
}

/// A task as it stood when it was handed off (OAP, invariant 5). Exactly these four keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextSnapshot {
    /// When it was taken: the time of the handoff.
    pub captured_at: Timestamp,
    /// The status before the handoff.
    pub status: TaskStatus,
    /// The latest acceptance.
    pub latest_acceptance: Option<AcceptanceSummary>,
    /// The latest claim.
    pub latest_completion: Option<CompletionSummary>,
}
