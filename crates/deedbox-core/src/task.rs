//! Tasks: the state that the rules need, and the shapes in which callers see them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AcceptanceId, ActorId, AgentLabel, Basis, Body, BrokenDeed, CompletionId, Deed, EvidenceId,
    HandoffId, Head, InstanceHash, Projection, Stream, TaskId, Timestamp,
    command::cited_evidence_id,
    deed::DeedHash,
    evidence::{CitedEvidence, EvidenceState},
    text::{AuthorityScope, ClaimText, ContextNote, Description, Reason, SourceReference, Title},
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

impl ClaimProvenance {
    /// All of them, the least certain first.
    pub const ALL: [Self; 3] = [Self::Reported, Self::Reviewed, Self::Observed];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Reviewed => "reviewed",
            Self::Observed => "observed",
        }
    }
}

impl fmt::Display for ClaimProvenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is not a [`ClaimProvenance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be observed, reviewed or reported")]
pub struct NotAProvenance;

impl FromStr for ClaimProvenance {
    type Err = NotAProvenance;
    fn from_str(text: &str) -> Result<Self, NotAProvenance> {
        Self::ALL
            .into_iter()
            .find(|provenance| provenance.as_str() == text)
            .ok_or(NotAProvenance)
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

impl TaskStatus {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PendingAcceptance => "pending_acceptance",
            Self::Accepted => "accepted",
            Self::Completed => "completed",
            Self::Transitioned => "transitioned",
        }
    }
}

impl fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is not a [`TaskStatus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be pending_acceptance, accepted, completed or transitioned")]
pub struct NotAStatus;

impl FromStr for TaskStatus {
    type Err = NotAStatus;
    fn from_str(text: &str) -> Result<Self, NotAStatus> {
        [
            Self::PendingAcceptance,
            Self::Accepted,
            Self::Completed,
            Self::Transitioned,
        ]
        .into_iter()
        .find(|status| status.as_str() == text)
        .ok_or(NotAStatus)
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

/// What Deedbox knows beyond the protocol's own fields about who wrote a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordAttribution {
    /// `authenticated` when the actor's own key was used, `asserted` when an operator's credential named it.
    #[serde(rename = "actor")]
    pub basis: Basis,
    /// Which credential, by name.
    pub principal: String,
    /// What the agent called itself.
    pub agent_label: Option<String>,
    /// Which installation it said it was.
    pub instance_hash: Option<InstanceHash>,
    /// The hash of the deed that records this.
    pub hash: DeedHash,
    /// The recorded reading that a completion claim cites as `evidence:<id>`. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Box<CitedEvidence>>,
}

impl From<&Deed> for RecordAttribution {
    fn from(deed: &Deed) -> Self {
        Self {
            basis: deed.by.basis,
            principal: deed.by.principal.to_string(),
            agent_label: deed
                .by
                .agent_label
                .as_ref()
                .map(AgentLabel::as_str)
                .map(str::to_owned),
            instance_hash: deed.by.instance_hash,
            hash: deed.hash,
            evidence: None,
        }
    }
}

/// A task as callers see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// The task.
    pub id: TaskId,
    /// What it is called.
    pub title: Title,
    /// What it is about.
    pub description: Description,
    /// Who created it.
    pub injected_by: ActorId,
    /// Under whose authority.
    pub authority_scope: Option<AuthorityScope>,
    /// Where it stands.
    pub status: TaskStatus,
    /// Who owns it.
    pub current_owner_actor_id: Option<ActorId>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who wrote it.
    pub attribution: RecordAttribution,
}

/// An acceptance as callers see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Acceptance {
    /// The acceptance.
    pub id: AcceptanceId,
    /// The task.
    pub task_id: TaskId,
    /// Who accepted.
    pub actor_id: ActorId,
    /// When.
    pub accepted_at: Timestamp,
    /// What it wanted known.
    pub context_note: Option<ContextNote>,
    /// Who wrote it.
    pub attribution: RecordAttribution,
}

/// A completion claim as callers see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The claim.
    pub id: CompletionId,
    /// The task.
    pub task_id: TaskId,
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
    /// Who wrote it.
    pub attribution: RecordAttribution,
}

/// A handoff as callers see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Handoff {
    /// The handoff.
    pub id: HandoffId,
    /// The task.
    pub task_id: TaskId,
    /// The owner until then.
    pub from_actor_id: ActorId,
    /// For whom it was meant.
    pub to_actor_id: ActorId,
    /// When.
    pub handoff_at: Timestamp,
    /// Why.
    pub reason: Option<Reason>,
    /// The task as it stood.
    pub context_snapshot: ContextSnapshot,
    /// Who wrote it.
    pub attribution: RecordAttribution,
}

/// A task with its whole history, oldest first. Exactly these six keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The task.
    pub task: Task,
    /// Every acceptance.
    pub acceptances: Vec<Acceptance>,
    /// The last of them.
    pub latest_acceptance: Option<Acceptance>,
    /// Every claim.
    pub completions: Vec<Completion>,
    /// The last of them.
    pub latest_completion: Option<Completion>,
    /// Every handoff.
    pub handoffs: Vec<Handoff>,
}

/// What one deed of a task is to callers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Record {
    /// The answer to `create_task`: the task as it was then.
    Task(Task),
    /// The answer to `accept_task`.
    Acceptance(Acceptance),
    /// The answer to `report_completion`.
    Completion(Completion),
    /// The answer to `handoff_task`.
    Handoff(Box<Handoff>),
}

impl Task {
    /// A task from the deed that created it and where it stands now.
    ///
    /// # Errors
    /// [`BrokenDeed::Unreadable`] when the deed is of another kind.
    pub fn new(
        created: Deed,
        status: TaskStatus,
        owner: Option<ActorId>,
    ) -> Result<Self, BrokenDeed> {
        let attribution = RecordAttribution::from(&created);
        let (
            Stream::Task(id),
            Body::TaskCreated {
                title,
                description,
                injected_by,
                authority_scope,
                ..
            },
        ) = (created.stream, created.body)
        else {
            return Err(BrokenDeed::Unreadable("kind"));
        };
        Ok(Self {
            id,
            title,
            description,
            injected_by,
            authority_scope,
            status,
            current_owner_actor_id: owner,
            created_at: created.at,
            attribution,
        })
    }
}

impl Record {
    /// The record that a task's deed is.
    ///
    /// # Errors
    /// [`BrokenDeed::Unreadable`] when the deed is not a task's.
    pub fn new(deed: Deed) -> Result<Self, BrokenDeed> {
        let Stream::Task(task_id) = deed.stream else {
            return Err(BrokenDeed::Unreadable("stream"));
        };
        let attribution = RecordAttribution::from(&deed);
        Ok(match deed.body {
            Body::TaskCreated { .. } => {
                Self::Task(Task::new(deed, TaskStatus::PendingAcceptance, None)?)
            }
            Body::TaskAccepted {
                id,
                actor_id,
                context_note,
            } => Self::Acceptance(Acceptance {
                id,
                task_id,
                actor_id,
                accepted_at: deed.at,
                context_note,
                attribution,
            }),
            Body::CompletionReported {
                id,
                actor_id,
                provenance,
                claim_text,
                source_reference,
            } => Self::Completion(Completion {
                id,
                task_id,
                actor_id,
                provenance,
                claim_text,
                source_reference,
                reported_at: deed.at,
                attribution,
            }),
            Body::TaskHandedOff {
                id,
                from_actor_id,
                to_actor_id,
                reason,
                context_snapshot,
            } => Self::Handoff(Box::new(Handoff {
                id,
                task_id,
                from_actor_id,
                to_actor_id,
                handoff_at: deed.at,
                reason,
                context_snapshot: *context_snapshot,
                attribution,
            })),
            Body::ReadingRecorded { .. }
            | Body::PublicationSigned(_)
            | Body::PublicationSettled(_)
            | Body::PublicationUnsettled { .. }
            | Body::ActorAdded { .. }
            | Body::KeyIssued { .. }
            | Body::KeyRevoked {} => {
                return Err(BrokenDeed::Unreadable("kind"));
            }
        })
    }
}

impl Status {
    /// A task's status from all its deeds, oldest first: the history is nothing but the deeds (invariant 6).
    /// `None` when there are none.
    ///
    /// # Errors
    /// [`BrokenDeed`] when they are not one task's deeds from its creation on.
    pub fn from_deeds(deeds: impl IntoIterator<Item = Deed>) -> Result<Option<Self>, BrokenDeed> {
        let mut deeds = deeds.into_iter();
        let Some(first) = deeds.next() else {
            return Ok(None);
        };
        let mut state = Projection::apply(None, &first)?;
        let mut task = Task::new(first, TaskStatus::PendingAcceptance, None)?;
        let (mut acceptances, mut completions, mut handoffs) = (vec![], vec![], vec![]);
        for deed in deeds {
            state = Projection::apply(Some(state), &deed)?;
            match Record::new(deed)? {
                Record::Task(_) => return Err(BrokenDeed::Misapplied),
                Record::Acceptance(acceptance) => acceptances.push(acceptance),
                Record::Completion(completion) => completions.push(completion),
                Record::Handoff(handoff) => handoffs.push(*handoff),
            }
        }
        if let Projection::Task(state) = state {
            task.status = state.status;
            task.current_owner_actor_id = state.owner;
        }
        Ok(Some(Self {
            task,
            latest_acceptance: acceptances.last().cloned(),
            acceptances,
            latest_completion: completions.last().cloned(),
            completions,
            handoffs,
        }))
    }

    /// The evidence that its claims cite: what [`Status::witness`] wants to know.
    #[must_use]
    pub fn cited(&self) -> BTreeSet<EvidenceId> {
        self.completions
            .iter()
            .filter_map(Completion::cited)
            .collect()
    }

    /// Shows, at each claim that cites evidence, who saw what it says.
    pub fn witness(&mut self, evidence: &[EvidenceState]) {
        for claim in self
            .completions
            .iter_mut()
            .chain(&mut self.latest_completion)
        {
            claim.witness(evidence);
        }
    }
}

impl Completion {
    /// The evidence that this claim cites.
    #[must_use]
    pub fn cited(&self) -> Option<EvidenceId> {
        self.source_reference.as_ref().and_then(cited_evidence_id)
    }

    /// Shows who saw what the cited evidence says, if it is in `evidence`.
    pub fn witness(&mut self, evidence: &[EvidenceState]) {
        let Some(id) = self.cited() else { return };
        self.attribution.evidence = evidence
            .iter()
            .find(|state| state.id == id)
            .map(|state| Box::new(state.cited_by(&self.actor_id)));
    }
}
