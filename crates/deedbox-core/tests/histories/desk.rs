//! A store in memory: loads what a command needs, asks the rules, keeps the deeds and the projections.

use std::collections::{BTreeMap, BTreeSet};

use deedbox_core::{
    Actor, ActorId, ActorKind, Attribution, Authority, ClaimProvenance, Command, Deed, Principal,
    PrincipalId, Projection, Refusal, Scope, State, Stream, TaskId, TaskState, Timestamp, decide,
    task::Status,
    text::{ClaimText, ContextNote, Description, Name, Reason, SourceReference, Title},
};

use crate::{
    model::No,
    steps::{Act, KNOWN, NAMES, RECORDED, Step},
};

#[derive(Clone, Debug)]
pub(crate) struct Desk {
    /// Every deed in the order in which it was done.
    pub(crate) deeds: Vec<Deed>,
    /// The incrementally kept state of every task.
    pub(crate) tasks: BTreeMap<u8, TaskState>,
    /// What every task's state was before each of its deeds; the index is the deed's in `deeds`.
    pub(crate) before: BTreeMap<usize, Option<TaskState>>,
    /// Who is known.
    pub(crate) actors: BTreeSet<ActorId>,
    now: Timestamp,
    serial: u128,
}

/// What the rules answered.
#[derive(Debug)]
pub(crate) struct Answer(Result<(), Refusal>);

impl Answer {
    pub(crate) fn answer(&self) -> Result<(), No> {
        self.0
            .as_ref()
            .copied()
            .map_err(|refusal| (refusal.status(), refusal.code()))
    }

    /// Like `accept: already_owned`, for counting.
    pub(crate) fn name(&self, step: &Step) -> String {
        let answer = self.0.as_ref().map_or_else(Refusal::code, |()| "ok");
        format!("{}: {answer}", step.act.name())
    }
}

pub(crate) fn actor(name: &str) -> ActorId {
    ActorId::new(name).unwrap()
}

pub(crate) fn task_id(task: u8) -> TaskId {
    format!("0198a1c2-0000-7000-8000-0000000000{task:02x}")
        .parse()
        .unwrap()
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            deeds: vec![],
            tasks: BTreeMap::new(),
            before: BTreeMap::new(),
            actors: NAMES[..KNOWN].iter().map(|name| actor(name)).collect(),
            now: Timestamp::from_millis(1_800_000_000_000).unwrap(),
            serial: 0,
        }
    }

    /// The deeds of one task, oldest first.
    pub(crate) fn of(&self, task: u8) -> impl Iterator<Item = &Deed> {
        let stream = Stream::Task(task_id(task));
        self.deeds.iter().filter(move |deed| deed.stream == stream)
    }

    /// What callers see of a task.
    pub(crate) fn status(&self, task: u8) -> Status {
        Status::from_deeds(self.of(task).cloned()).unwrap().unwrap()
    }

    fn load(&self, command: &Command) -> State {
        let needs = command.needs();
        let existing = |id: ActorId| Actor {
            kind: ActorKind::Agent,
            name: Name::new(id.as_str()).unwrap(),
            created_at: self.now,
            id,
        };
        State {
            task: needs
                .task
                .and_then(|id| self.tasks.values().find(|task| task.id == id))
                .cloned(),
            actors: needs
                .actors
                .into_iter()
                .filter(|id| self.actors.contains(id))
                .collect(),
            evidence: needs.evidence.is_some_and(|id| id.to_string() == RECORDED),
            actor: needs
                .actor
                .filter(|id| self.actors.contains(id))
                .map(existing),
            ..State::default()
        }
    }

    pub(crate) fn ask(&mut self, step: &Step) -> Answer {
        self.now = self.now.plus_millis(step.clock);
        let (task, command) = self.command(&step.act);
        let scopes: &[Scope] = if step.caller.writes {
            &Scope::ALL
        } else {
            &[Scope::TasksRead]
        };
        let attribution = Attribution::of(Principal {
            id: PrincipalId::from_stored(format!(
                "key:{}",
                step.caller.bound.unwrap_or("operator")
            )),
            authority: step
                .caller
                .bound
                .map_or(Authority::Operator, |name| Authority::Actor(actor(name))),
            scopes: scopes.iter().copied().collect(),
            agent_label: None,
        });
        let state = self.load(&command);
        match decide(&state, command, &attribution, self.now) {
            Ok(deeds) => {
                deeds.into_iter().for_each(|deed| self.keep(task, deed));
                Answer(Ok(()))
            }
            Err(refusal) => Answer(Err(refusal)),
        }
    }

    fn keep(&mut self, task: Option<u8>, deed: Deed) {
        if let Some(task) = task {
            let before = self.tasks.remove(&task);
            self.before.insert(self.deeds.len(), before.clone());
            let before = before.map(|task| Projection::Task(Box::new(task)));
            let Projection::Task(after) = Projection::apply(before, &deed).unwrap() else {
                panic!("a task's deed led to something else");
            };
            self.tasks.insert(task, *after);
        } else if let Stream::Actor(id) = &deed.stream {
            self.actors.insert(id.clone());
        }
        self.deeds.push(deed);
    }

    fn uuid<Id: std::str::FromStr<Err: std::fmt::Debug>>(&mut self) -> Id {
        self.serial += 1;
        format!("0198a1c2-1111-7000-8000-{:012x}", self.serial)
            .parse()
            .unwrap()
    }

    fn command(&mut self, act: &Act) -> (Option<u8>, Command) {
        match *act {
            Act::Create {
                task,
                by,
                recipient_only,
            } => (
                Some(task),
                Command::CreateTask {
                    task: task_id(task),
                    title: Title::new("t").unwrap(),
                    description: Description::new("").unwrap(),
                    injected_by: actor(by),
                    authority_scope: None,
                    recipient_only,
                },
            ),
            Act::Accept { task, by, note } => (
                Some(task),
                Command::AcceptTask {
                    task: task_id(task),
                    id: self.uuid(),
                    actor: actor(by),
                    context_note: note.map(|text| ContextNote::new(text).unwrap()),
                },
            ),
            Act::Complete {
                task,
                by,
                certainty,
                reference,
            } => (
                Some(task),
                Command::ReportCompletion {
                    task: task_id(task),
                    id: self.uuid(),
                    actor: actor(by),
                    provenance: [
                        ClaimProvenance::Reported,
                        ClaimProvenance::Reviewed,
                        ClaimProvenance::Observed,
                    ][usize::from(certainty)],
                    claim_text: ClaimText::new("done").unwrap(),
                    source_reference: reference.map(|text| SourceReference::new(text).unwrap()),
                },
            ),
            Act::Handoff { task, from, to } => (
                Some(task),
                Command::HandoffTask {
                    task: task_id(task),
                    id: self.uuid(),
                    from: actor(from),
                    to: actor(to),
                    reason: Some(Reason::new("").unwrap()),
                },
            ),
            Act::Add { name } => (
                None,
                Command::AddActor {
                    id: actor(name),
                    kind: ActorKind::Agent,
                    name: Name::new(name).unwrap(),
                },
            ),
        }
    }
}
