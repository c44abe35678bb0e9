//! Every rule of the protocol as a table: what stands, who asks for what, and what the answer is.
//!
//! The expected answers are written out by hand from the protocol's text, not computed.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test's helpers may fail the test"
)]

mod keys;
mod memories;
mod memory_bounds;
mod provenance;
mod refusals;
mod registries;
mod spaces;
mod tasks;

use deedbox_core::{
    AcceptanceId, ActorId, ActorKind, ApiKey, Attribution, Authority, Basis, Body, ClaimProvenance,
    Command, CompletionId, Deed, HandoffId, Head, KeyRecord, Principal, PrincipalId, Projection,
    Refusal, Scope, Scopes, State, TaskId, TaskState, TaskStatus, Timestamp, World, decide,
    deed::DeedHash,
    limits,
    text::{ClaimText, ContextNote, Description, Name, Reason, SourceReference, Title},
};

const EVIDENCE: &str = "evidence:0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

fn actor(id: &str) -> ActorId {
    ActorId::new(id).unwrap()
}

fn task_id() -> TaskId {
    "0198a1c2-0000-7000-8000-000000000001".parse().unwrap()
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

fn operator() -> Attribution {
    Attribution::of(Principal {
        id: PrincipalId::from_stored("key:operator".to_owned()),
        authority: Authority::Operator,
        scopes: Scopes::all(),
        agent_label: None,
    })
}

fn key_of(id: &str, scopes: &str) -> Attribution {
    Attribution::of(Principal {
        id: PrincipalId::from_stored(format!("key:{id}")),
        authority: Authority::Actor(actor(id)),
        scopes: scopes.parse().unwrap(),
        agent_label: None,
    })
}

fn create(by: &str, recipient_only: bool) -> Command {
    Command::CreateTask {
        task: task_id(),
        title: Title::new("Check the rollback plan").unwrap(),
        description: Description::new("").unwrap(),
        injected_by: actor(by),
        authority_scope: None,
        recipient_only,
    }
}

fn accept(by: &str) -> Command {
    Command::AcceptTask {
        task: task_id(),
        id: "0198a1c2-0000-7000-8000-00000000000a".parse().unwrap(),
        actor: actor(by),
        context_note: Some(ContextNote::new("on it").unwrap()),
    }
}

fn complete(by: &str, provenance: &str, reference: Option<&str>) -> Command {
    Command::ReportCompletion {
        task: task_id(),
        id: "0198a1c2-0000-7000-8000-00000000000c".parse().unwrap(),
        actor: actor(by),
        provenance: provenance.parse().unwrap(),
        claim_text: ClaimText::new("done").unwrap(),
        source_reference: reference.map(|text| SourceReference::new(text).unwrap()),
    }
}

fn handoff(from: &str, to: &str) -> Command {
    Command::HandoffTask {
        task: task_id(),
        id: "0198a1c2-0000-7000-8000-000000000004".parse().unwrap(),
        from: actor(from),
        to: actor(to),
        reason: Some(Reason::new("end of shift").unwrap()),
    }
}

/// Loads what the command needs, and nothing else, out of what exists: alice, bob, carol and one evidence.
fn load(task: Option<&TaskState>, command: &Command) -> State {
    let needs = command.needs();
    let known = ["alice", "bob", "carol"].map(actor);
    State {
        task: task.filter(|t| needs.task == Some(t.id)).cloned(),
        actors: needs
            .actors
            .into_iter()
            .filter(|id| known.contains(id))
            .collect(),
        evidence: needs
            .evidence
            .is_some_and(|id| format!("evidence:{id}") == EVIDENCE),
        ..State::default()
    }
}

fn ask(
    task: Option<&TaskState>,
    command: Command,
    who: &Attribution,
    now: Timestamp,
) -> Result<Deed, Refusal> {
    let state = load(task, &command);
    let mut deeds = decide(&state, command, who, now)?;
    assert_eq!(deeds.len(), 1, "a command is one deed");
    Ok(deeds.remove(0))
}

/// The task after these commands, all by an operator; `None` after none.
fn after(commands: &[Command]) -> Option<TaskState> {
    let mut projection = None;
    for (i, command) in (1_i64..).zip(commands) {
        let task = match &projection {
            Some(Projection::Task(task)) => Some(&**task),
            _ => None,
        };
        let deed = ask(task, command.clone(), &operator(), at(i * 1_000))
            .unwrap_or_else(|refusal| panic!("step {i}: {refusal}"));
        projection = Some(Projection::apply(projection, &deed).unwrap());
    }
    match projection {
        Some(Projection::Task(task)) => Some(*task),
        _ => None,
    }
}

fn answer(task: Option<&TaskState>, command: Command, who: &Attribution) -> String {
    match ask(task, command, who, at(1_000_000)) {
        Ok(_) => "ok".to_owned(),
        Err(refusal) => format!("{} {}", refusal.status(), refusal.code()),
    }
}

#[derive(Debug)]
struct Seven;
impl World for Seven {
    fn now(&self) -> Timestamp {
        at(1_000)
    }
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}
