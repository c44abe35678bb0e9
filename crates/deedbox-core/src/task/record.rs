//! What callers see of a task: the task itself, what was done to it, and all of that together. Computed from its deeds, never
//! stored.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ClaimProvenance, ContextSnapshot, TaskStatus};
use crate::{
    AcceptanceId, ActorId, AgentLabel, Attribution, Basis, Body, BrokenDeed, CompletionId, Deed,
    EvidenceId, HandoffId, InstanceHash, Projection, Stream, TaskId, Timestamp,
    attribution::{MemoryAgentBoundary, memory_agent_boundary},
    command::cited_evidence_id,
    deed::DeedHash,
    evidence::{CitedEvidence, EvidenceState},
    text::{AuthorityScope, ClaimText, ContextNote, Description, Reason, SourceReference, Title},
};

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
    // Not read back from an export: it is about whoever reads, and not about whoever wrote.
    /// How the caller stands to the writer. Absent where no caller in particular is shown this.
    #[serde(
        rename = "memory_agent_boundary",
        skip_deserializing,
        skip_serializing_if = "Option::is_none"
    )]
    pub boundary: Option<MemoryAgentBoundary>,
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
            boundary: None,
            evidence: None,
        }
    }
}

impl RecordAttribution {
    /// Says how `caller`, who is shown this, stands to whoever wrote it.
    pub fn shown_to(&mut self, caller: &Attribution) {
        self.boundary = Some(memory_agent_boundary(&*self, caller));
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
    /// Says how `caller`, who is shown this, stands to whoever wrote it.
    pub fn shown_to(&mut self, caller: &Attribution) {
        match self {
            Self::Task(task) => &mut task.attribution,
            Self::Acceptance(acceptance) => &mut acceptance.attribution,
            Self::Completion(completion) => &mut completion.attribution,
            Self::Handoff(handoff) => &mut handoff.attribution,
        }
        .shown_to(caller);
    }

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
            | Body::RegistryFollowed(_)
            | Body::RegistryUnfollowed {}
            | Body::RegistryTrustSet { .. }
            | Body::RegistryCodeAccepted(_)
            | Body::ToolPinned { .. }
            | Body::ToolUnpinned { .. }
            | Body::MemoryRemembered { .. }
            | Body::MemoryRevised { .. }
            | Body::MemoryForgotten { .. }
            | Body::MemoryRedacted { .. }
            | Body::SpaceCreated { .. }
            | Body::SpaceMemberAdded { .. }
            | Body::SpaceMemberRemoved { .. }
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

    /// Says how `caller`, who is shown this, stands to whoever wrote each of its records.
    pub fn shown_to(&mut self, caller: &Attribution) {
        self.task.attribution.shown_to(caller);
        for one in self
            .acceptances
            .iter_mut()
            .chain(&mut self.latest_acceptance)
        {
            one.attribution.shown_to(caller);
        }
        for one in self
            .completions
            .iter_mut()
            .chain(&mut self.latest_completion)
        {
            one.attribution.shown_to(caller);
        }
        for one in &mut self.handoffs {
            one.attribution.shown_to(caller);
        }
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
