//! The rules of tasks: who may do what with which, and what a claim has to bring (OAP).

use super::{Decided, known};
use crate::{
    AcceptanceId, ActorId, Attribution, Body, ClaimProvenance, CompletionId, HandoffId, Refusal,
    State, TaskId, TaskState, Timestamp,
    command::cited_evidence,
    task::{ContextSnapshot, cited_key},
    text::{AuthorityScope, ClaimText, ContextNote, Description, Reason, SourceReference, Title},
};

/// Who asks, and what is known.
pub(super) struct Asked<'a> {
    pub(super) state: &'a State,
    pub(super) attribution: &'a Attribution,
}

impl<'a> Asked<'a> {
    pub(super) fn create(
        &self,
        task: TaskId,
        title: Title,
        description: Description,
        injected_by: ActorId,
        authority_scope: Option<AuthorityScope>,
        recipient_only: bool,
    ) -> Decided {
        self.attribution.may_act_as(&injected_by)?;
        known(self.state, &injected_by)?;
        if self.state.task.is_some() {
            return Err(Refusal::invalid(
                "id",
                format_args!("task {task} exists already"),
            ));
        }
        let body = Body::TaskCreated {
            title,
            description,
            injected_by,
            authority_scope,
            recipient_only,
        };
        Ok((body, None))
    }

    pub(super) fn accept(
        &self,
        task: TaskId,
        id: AcceptanceId,
        actor: ActorId,
        context_note: Option<ContextNote>,
    ) -> Decided {
        let task = self.acting(task, &actor)?;
        may_accept(task, &actor)?;
        let body = Body::TaskAccepted {
            id,
            actor_id: actor,
            context_note,
        };
        Ok((body, Some(task.head)))
    }

    pub(super) fn complete(
        &self,
        task: TaskId,
        id: CompletionId,
        actor: ActorId,
        provenance: ClaimProvenance,
        claim_text: ClaimText,
        source_reference: Option<SourceReference>,
    ) -> Decided {
        let task = self.acting(task, &actor)?;
        may_complete(task, &actor)?;
        cites_what_exists(self.state, source_reference.as_ref())?;
        brings_new_evidence(task, provenance, source_reference.as_ref())?;
        let body = Body::CompletionReported {
            id,
            actor_id: actor,
            provenance,
            claim_text,
            source_reference,
        };
        Ok((body, Some(task.head)))
    }

    pub(super) fn hand_off(
        &self,
        task: TaskId,
        id: HandoffId,
        from: ActorId,
        to: ActorId,
        reason: Option<Reason>,
        now: Timestamp,
    ) -> Decided {
        let task = self.acting(task, &from)?;
        known(self.state, &to)?;
        owns(task, &from)?;
        let body = Body::TaskHandedOff {
            id,
            from_actor_id: from,
            to_actor_id: to,
            reason,
            context_snapshot: Box::new(snapshot(task, now)),
        };
        Ok((body, Some(task.head)))
    }

    /// The task, if it and the actor exist and the caller may act as the actor. In this order of refusal: a
    /// credential that may not act learns nothing about what exists.
    fn acting(&self, task: TaskId, actor: &ActorId) -> Result<&'a TaskState, Refusal> {
        self.attribution.may_act_as(actor)?;
        let task = self
            .state
            .task
            .as_ref()
            .ok_or(Refusal::TaskNotFound(task))?;
        known(self.state, actor)?;
        Ok(task)
    }
}

/// Invariants 1 and 2: only a task without owner can be accepted.
fn may_accept(task: &TaskState, actor: &ActorId) -> Result<(), Refusal> {
    if let Some(owner) = &task.owner {
        return Err(Refusal::AlreadyOwned {
            task: task.id,
            owner: owner.clone(),
        });
    }
    match &task.reserved_for {
        Some(recipient) if recipient != actor => Err(Refusal::NotRecipient {
            task: task.id,
            recipient: recipient.clone(),
        }),
        _ => Ok(()),
    }
}

fn may_complete(task: &TaskState, actor: &ActorId) -> Result<(), Refusal> {
    if task.owner.is_none() {
        return Err(Refusal::NoCurrentOwner(task.id));
    }
    owns(task, actor)
}

fn owns(task: &TaskState, actor: &ActorId) -> Result<(), Refusal> {
    if task.owner.as_ref() == Some(actor) {
        return Ok(());
    }
    Err(Refusal::NotOwner {
        task: task.id,
        actor: actor.clone(),
        owner: task.owner.clone(),
    })
}

fn cites_what_exists(state: &State, reference: Option<&SourceReference>) -> Result<(), Refusal> {
    match reference.and_then(cited_evidence) {
        Some(id) if !state.evidence => Err(Refusal::EvidenceNotFound(id)),
        _ => Ok(()),
    }
}

/// Invariant 4: provenance never becomes more certain without new evidence. New is a reference that is not
/// blank and that no less certain claim on this task has cited. First, equal and weaker claims are free.
fn brings_new_evidence(
    task: &TaskState,
    claimed: ClaimProvenance,
    reference: Option<&SourceReference>,
) -> Result<(), Refusal> {
    let Some(latest) = task
        .latest_completion
        .as_ref()
        .map(|claim| claim.provenance)
    else {
        return Ok(());
    };
    if claimed <= latest {
        return Ok(());
    }
    let new = reference.is_some_and(|reference| {
        !reference.comparable().is_empty()
            && task
                .cited
                .get(&cited_key(reference))
                .is_none_or(|weakest| *weakest >= claimed)
    });
    if new {
        Ok(())
    } else {
        Err(Refusal::EvidenceRequired { latest, claimed })
    }
}

/// Invariant 5: what the next owner should know, frozen.
fn snapshot(task: &TaskState, now: Timestamp) -> ContextSnapshot {
    ContextSnapshot {
        captured_at: task.head.at.max(now),
        status: task.status,
        latest_acceptance: task.latest_acceptance.clone(),
        latest_completion: task.latest_completion.clone(),
    }
}
