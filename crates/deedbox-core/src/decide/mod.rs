//! The rules. Each stands here and nowhere else, in the file of its family of streams.

mod evidence;
pub(crate) mod memories;
mod people;
mod publications;
mod registries;
mod spaces;
mod tasks;

use crate::{
    ActorId, Attribution, Body, Command, Deed, Head, Refusal, State, Stream, TaskState, Timestamp,
    deed::Authorship, limits, text::BadText,
};

/// What is to be written, and the deed that it follows in its stream, if there is one.
type Decided = Result<(Body, Option<Head>), Refusal>;

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
    if let Command::Memory(command) = command {
        return memories::decide(state, *command, attribution, now).map(|deed| vec![deed]);
    }
    let stream = command.stream();
    let (body, head) = body(state, command, attribution, now)?;
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

/// Asks the rules of the command's family.
fn body(state: &State, command: Command, attribution: &Attribution, now: Timestamp) -> Decided {
    let tasks = tasks::Asked { state, attribution };
    match command {
        Command::CreateTask {
            task,
            title,
            description,
            injected_by,
            authority_scope,
            recipient_only,
        } => tasks.create(
            task,
            title,
            description,
            injected_by,
            authority_scope,
            recipient_only,
        ),
        Command::AcceptTask {
            task,
            id,
            actor,
            context_note,
        } => tasks.accept(task, id, actor, context_note),
        Command::ReportCompletion {
            task,
            id,
            actor,
            provenance,
            claim_text,
            source_reference,
        } => tasks.complete(task, id, actor, provenance, claim_text, source_reference),
        Command::HandoffTask {
            task,
            id,
            from,
            to,
            reason,
        } => tasks.hand_off(task, id, from, to, reason, now),
        Command::RecordReading { id, reading, task } => evidence::record(state, id, *reading, task),
        Command::AddActor { id, kind, name } => people::add_actor(state, id, kind, name),
        Command::IssueKey {
            id: _,
            secret_hash,
            actor,
            scopes,
            label,
            agent_label,
            expires_at,
            only_first_operator,
        } => {
            people::may_issue_key(state, actor.as_ref(), only_first_operator)?;
            let body = Body::KeyIssued {
                secret_hash,
                actor_id: actor,
                scopes,
                label,
                agent_label,
                expires_at,
            };
            Ok((body, None))
        }
        Command::RevokeKey { id } => people::revoke_key(state, id),
        Command::SignPublication { id: _, attempt } => publications::sign(state, attempt),
        Command::SettlePublication { id, settlement } => {
            publications::settle(state, id, settlement)
        }
        Command::UnsettlePublication { id, reason } => publications::unsettle(state, id, reason),
        Command::FollowRegistry { id, following } => registries::follow(state, id, following),
        Command::UnfollowRegistry { id } => registries::unfollow(state, id),
        Command::SetTrust { id, trust } => registries::set_trust(state, id, trust),
        Command::AcceptCode { id, seen } => registries::accept_code(state, id, seen),
        Command::PinTool {
            registry,
            tool,
            manifest_hash,
        } => registries::pin(state, registry, tool, manifest_hash),
        Command::UnpinTool { registry, tool } => registries::unpin(state, registry, tool),
        Command::CreateSpace { id, name, owner } => spaces::create(state, id, name, owner),
        Command::AddMember { space, actor } => {
            spaces::add(state, &attribution.principal, space, actor)
        }
        Command::RemoveMember { space, actor } => {
            spaces::remove(state, &attribution.principal, space, actor)
        }
        // Decided apart: where its deed goes, and what stands beside it, are part of the decision.
        Command::Memory(command) => Err(Refusal::MemoryNotFound(command.id)),
    }
}

fn known(state: &State, actor: &ActorId) -> Result<(), Refusal> {
    if state.actors.contains(actor) {
        Ok(())
    } else {
        Err(Refusal::ActorNotFound(actor.clone()))
    }
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
