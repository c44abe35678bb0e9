//! The rules. Each stands here and nowhere else; those about publications have a file of their own.

mod publications;

use crate::{
    ActorId, Attribution, Body, ClaimProvenance, Command, Deed, EvidenceId, Reading, Refusal,
    State, Stream, TaskId, TaskState, Timestamp,
    command::cited_evidence,
    deed::Authorship,
    limits,
    task::{ContextSnapshot, cited_key},
    text::{BadText, SourceReference},
};

/// Decides on `command`: the deeds that follow from it, or why it is refused.
///
/// `state` holds what [`Command::needs`] asked for, read in the transaction in which the deeds will be
/// written. `now` is the time at which they are done.
///
/// # Errors
/// A [`Refusal`]; then nothing may be written.
pub fn decide(
    state: &State,
    command: Command,
    attribution: &Attribution,
    now: Timestamp,
) -> Result<Vec<Deed>, Refusal> {
    if let Some(scope) = command.scope() {
        attribution.principal.require(scope)?;
    } else {
        attribution.must_be_operator()?;
    }
    let stream = command.stream();
    let (body, head) = match command {
        Command::CreateTask {
            task,
            title,
            description,
            injected_by,
            authority_scope,
            recipient_only,
        } => {
            attribution.may_act_as(&injected_by)?;
            known(state, &injected_by)?;
            if state.task.is_some() {
                return Err(Refusal::invalid(
                    "id",
                    format_args!("task {task} exists already"),
                ));
            }
            (
                Body::TaskCreated {
                    title,
                    description,
                    injected_by,
                    authority_scope,
                    recipient_only,
                },
                None,
            )
        }
        Command::AcceptTask {
            task,
            id,
            actor,
            context_note,
        } => {
            let task = acting(state, attribution, task, &actor)?;
            may_accept(task, &actor)?;
            (
                Body::TaskAccepted {
                    id,
                    actor_id: actor,
                    context_note,
                },
                Some(task.head),
            )
        }
        Command::ReportCompletion {
            task,
            id,
            actor,
            provenance,
            claim_text,
            source_reference,
        } => {
            let task = acting(state, attribution, task, &actor)?;
            may_complete(task, &actor)?;
            cites_what_exists(state, source_reference.as_ref())?;
            brings_new_evidence(task, provenance, source_reference.as_ref())?;
            let actor_id = actor;
            (
                Body::CompletionReported {
                    id,
                    actor_id,
                    provenance,
                    claim_text,
                    source_reference,
                },
                Some(task.head),
            )
        }
        Command::HandoffTask {
            task,
            id,
            from,
            to,
            reason,
        } => {
            let task = acting(state, attribution, task, &from)?;
            known(state, &to)?;
            owns(task, &from)?;
            let context_snapshot = Box::new(snapshot(task, now));
            let (from_actor_id, to_actor_id) = (from, to);
            (
                Body::TaskHandedOff {
                    id,
                    from_actor_id,
                    to_actor_id,
                    reason,
                    context_snapshot,
                },
                Some(task.head),
            )
        }
        Command::RecordReading { id, reading, task } => {
            may_be_recorded(state, id, &reading, task)?;
            let digest = reading.digest();
            let Reading {
                tool,
                arguments,
                data,
                provenance,
            } = *reading;
            (
                Body::ReadingRecorded {
                    tool,
                    arguments,
                    data,
                    provenance,
                    digest,
                    task_id: task,
                },
                None,
            )
        }
        Command::AddActor { id, kind, name } => {
            if state.actor.is_some() {
                return Err(Refusal::ActorExists(id));
            }
            (
                Body::ActorAdded {
                    actor_kind: kind,
                    name,
                },
                None,
            )
        }
        Command::IssueKey {
            secret_hash,
            actor,
            scopes,
            label,
            expires_at,
            only_first_operator,
            ..
        } => {
            if let Some(actor) = &actor {
                known(state, actor)?;
            }
            if only_first_operator && state.operator {
                return Err(Refusal::OperatorExists);
            }
            (
                Body::KeyIssued {
                    secret_hash,
                    actor_id: actor,
                    scopes,
                    label,
                    expires_at,
                },
                None,
            )
        }
        Command::RevokeKey { id } => {
            let (record, head) = state
                .key
                .as_ref()
                .ok_or_else(|| Refusal::KeyNotFound(id.clone()))?;
            if record.revoked_at.is_some() {
                return Err(Refusal::KeyRevoked(id));
            }
            (Body::KeyRevoked {}, Some(*head))
        }
        Command::SignPublication { id: _, attempt } => publications::sign(state, attempt)?,
        Command::SettlePublication { id, settlement } => {
            publications::settle(state, id, settlement)?
        }
        Command::UnsettlePublication { id, reason } => publications::unsettle(state, id, reason)?,
    };
    let deed = Deed::seal(
        stream,
        head.as_ref(),
        body,
        Authorship::from(attribution),
        now,
    );
    within_limits(state.task.as_ref(), &deed)?;
    Ok(vec![deed])
}

/// The task, if it and the actor exist and the caller may act as the actor. In this order of refusal: a
/// credential that may not act learns nothing about what exists.
fn acting<'a>(
    state: &'a State,
    attribution: &Attribution,
    task: TaskId,
    actor: &ActorId,
) -> Result<&'a TaskState, Refusal> {
    attribution.may_act_as(actor)?;
    let task = state.task.as_ref().ok_or(Refusal::TaskNotFound(task))?;
    known(state, actor)?;
    Ok(task)
}

fn known(state: &State, actor: &ActorId) -> Result<(), Refusal> {
    if state.actors.contains(actor) {
        Ok(())
    } else {
        Err(Refusal::ActorNotFound(actor.clone()))
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

/// Evidence is recorded once, and of a form whose digest anybody can compute again.
fn may_be_recorded(
    state: &State,
    id: EvidenceId,
    reading: &Reading,
    task: Option<TaskId>,
) -> Result<(), Refusal> {
    if state.evidence {
        return Err(Refusal::invalid(
            "id",
            format_args!("evidence {id} exists already"),
        ));
    }
    if let Some(task) = task
        && !state.named_task
    {
        return Err(Refusal::TaskNotFound(task));
    }
    reading
        .check()
        .map_err(|bad| Refusal::invalid("reading", bad))
}

fn within_limits(task: Option<&TaskState>, deed: &Deed) -> Result<(), Refusal> {
    if let Stream::Evidence(_) = deed.stream {
        let found = deed.canonical_body().len();
        let (limit, unit) = (limits::READING_BYTES, "bytes");
        return if found > limit {
            let long = BadText::TooLong { limit, found, unit };
            Err(Refusal::invalid("reading", long))
        } else {
            Ok(())
        };
    }
    let (Some(task), Stream::Task(id)) = (task, &deed.stream) else {
        return Ok(());
    };
    let bytes = task.bytes + deed.canonical_body().len() as u64;
    if deed.version > limits::TASK_DEEDS || bytes > limits::TASK_BYTES {
        return Err(Refusal::HistoryFull(*id));
    }
    Ok(())
}
