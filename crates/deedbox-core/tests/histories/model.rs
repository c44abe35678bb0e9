//! The protocol once more, as plainly as it can be said: lists of what happened, and questions asked of the
//! whole list each time. It shares no code with the rules.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{prelude::*, test_runner::TestCaseError};

use crate::{
    desk::Desk,
    steps::{Act, Caller, KNOWN, NAMES, RECORDED, Step},
};

/// Something that happened to a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Accepted {
        by: &'static str,
    },
    Completed {
        by: &'static str,
        certainty: u8,
        reference: Option<&'static str>,
    },
    HandedOff {
        from: &'static str,
        to: &'static str,
    },
}

#[derive(Clone, Debug)]
struct Task {
    by: &'static str,
    recipient_only: bool,
    events: Vec<Event>,
}

#[derive(Debug)]
pub(crate) struct Model {
    actors: BTreeSet<&'static str>,
    tasks: BTreeMap<u8, Task>,
}

/// A refusal, as status and code.
pub(crate) type No = (u16, &'static str);

impl Task {
    /// Whoever accepted last, unless the task was handed off since.
    fn owner(&self) -> Option<&'static str> {
        self.events.iter().rev().find_map(|event| match event {
            Event::Accepted { by } => Some(Some(*by)),
            Event::HandedOff { .. } => Some(None),
            Event::Completed { .. } => None,
        })?
    }

    fn status(&self) -> &'static str {
        match self.events.last() {
            None => "pending_acceptance",
            Some(Event::Accepted { .. }) => "accepted",
            Some(Event::Completed { .. }) => "completed",
            Some(Event::HandedOff { .. }) => "transitioned",
        }
    }

    fn reserved_for(&self) -> Option<&'static str> {
        match self.events.last() {
            Some(Event::HandedOff { to, .. }) if self.recipient_only => Some(to),
            _ => None,
        }
    }

    fn claims(&self) -> impl DoubleEndedIterator<Item = (u8, Option<&'static str>)> {
        self.events.iter().filter_map(|event| match event {
            Event::Completed {
                certainty,
                reference,
                ..
            } => Some((*certainty, *reference)),
            _ => None,
        })
    }

    /// Whether a claim of this certainty is free, or brings what it needs.
    fn may_claim(&self, certainty: u8, reference: Option<&'static str>) -> bool {
        let rises = self
            .claims()
            .next_back()
            .is_some_and(|(latest, _)| certainty > latest);
        let offered = reference.unwrap_or("").trim();
        let cited_by_weaker = self.claims().any(|(claimed, cited)| {
            claimed < certainty && cited.is_some_and(|cited| cited.trim() == offered)
        });
        !rises || (!offered.is_empty() && !cited_by_weaker)
    }
}

fn acts_as(caller: Caller, name: &str) -> Result<(), No> {
    if !caller.writes {
        return Err((403, "missing_scope"));
    }
    match caller.bound {
        Some(bound) if bound != name => Err((403, "wrong_actor")),
        _ => Ok(()),
    }
}

fn cites_what_is_there(reference: Option<&str>) -> Result<(), No> {
    match reference.unwrap_or("").trim().strip_prefix("evidence:") {
        Some(id) if id != RECORDED => Err((404, "evidence_not_found")),
        _ => Ok(()),
    }
}

impl Model {
    pub(crate) fn new() -> Self {
        Self {
            actors: NAMES[..KNOWN].iter().copied().collect(),
            tasks: BTreeMap::new(),
        }
    }

    pub(crate) fn owner(&self, task: u8) -> Option<&'static str> {
        self.tasks.get(&task).and_then(Task::owner)
    }

    fn known(&self, name: &str) -> Result<(), No> {
        if self.actors.contains(name) {
            Ok(())
        } else {
            Err((404, "actor_not_found"))
        }
    }

    fn task(&mut self, task: u8) -> Result<&mut Task, No> {
        self.tasks.get_mut(&task).ok_or((404, "task_not_found"))
    }

    /// What the protocol answers, and what is so afterwards.
    pub(crate) fn ask(&mut self, step: &Step) -> Result<(), No> {
        let caller = step.caller;
        match step.act {
            Act::Create {
                task,
                by,
                recipient_only,
            } => {
                acts_as(caller, by)?;
                self.known(by)?;
                if self.tasks.contains_key(&task) {
                    return Err((400, "invalid_input"));
                }
                self.tasks.insert(
                    task,
                    Task {
                        by,
                        recipient_only,
                        events: vec![],
                    },
                );
            }
            Act::Accept { task, by, .. } => {
                acts_as(caller, by)?;
                self.task(task)?;
                self.known(by)?;
                let task = self.task(task)?;
                if task.owner().is_some() {
                    return Err((409, "already_owned"));
                }
                if task.reserved_for().is_some_and(|name| name != by) {
                    return Err((403, "not_recipient"));
                }
                task.events.push(Event::Accepted { by });
            }
            Act::Complete {
                task,
                by,
                certainty,
                reference,
            } => {
                acts_as(caller, by)?;
                self.task(task)?;
                self.known(by)?;
                let task = self.task(task)?;
                match task.owner() {
                    None => return Err((409, "no_current_owner")),
                    Some(owner) if owner != by => return Err((403, "not_owner")),
                    Some(_) => {}
                }
                cites_what_is_there(reference)?;
                if !task.may_claim(certainty, reference) {
                    return Err((409, "evidence_required"));
                }
                task.events.push(Event::Completed {
                    by,
                    certainty,
                    reference,
                });
            }
            Act::Handoff { task, from, to } => {
                acts_as(caller, from)?;
                self.task(task)?;
                self.known(from)?;
                self.known(to)?;
                let task = self.task(task)?;
                if task.owner() != Some(from) {
                    return Err((403, "not_owner"));
                }
                task.events.push(Event::HandedOff { from, to });
            }
            Act::Add { name } => {
                if caller.bound.is_some() {
                    return Err((403, "operator_only"));
                }
                if !self.actors.insert(name) {
                    return Err((409, "actor_exists"));
                }
            }
        }
        Ok(())
    }

    /// Whether the projections say of every task what this model says of it.
    pub(crate) fn same_as(&self, desk: &Desk) -> Result<(), TestCaseError> {
        prop_assert_eq!(
            self.tasks.keys().collect::<Vec<_>>(),
            desk.tasks.keys().collect::<Vec<_>>()
        );
        for (task, state) in self.tasks.values().zip(desk.tasks.values()) {
            prop_assert_eq!(state.status.as_str(), task.status());
            prop_assert_eq!(
                state.owner.as_ref().map(deedbox_core::ActorId::as_str),
                task.owner()
            );
            prop_assert_eq!(
                state
                    .reserved_for
                    .as_ref()
                    .map(deedbox_core::ActorId::as_str),
                task.reserved_for()
            );
            prop_assert_eq!(state.injected_by.as_str(), task.by);
            prop_assert_eq!(state.head.version, 1 + task.events.len() as u64);
        }
        let found: Vec<_> = desk
            .actors
            .iter()
            .map(deedbox_core::ActorId::as_str)
            .collect();
        prop_assert_eq!(self.actors.iter().copied().collect::<Vec<_>>(), found);
        Ok(())
    }

    /// Whether what callers are shown of every task is what happened, in its order.
    pub(crate) fn same_history_as(&self, desk: &Desk) -> Result<(), TestCaseError> {
        for (id, task) in &self.tasks {
            let status = desk.status(*id);
            let shown = serde_json::to_value(&status).unwrap();
            prop_assert_eq!(shown.as_object().unwrap().len(), 6);
            prop_assert_eq!(shown["task"]["status"].as_str(), Some(task.status()));
            prop_assert_eq!(shown["task"]["currentOwnerActorId"].as_str(), task.owner());
            let mut expected = [vec![], vec![], vec![]];
            for event in &task.events {
                match event {
                    Event::Accepted { by } => expected[0].push(serde_json::json!([by])),
                    Event::Completed {
                        by,
                        certainty,
                        reference,
                    } => {
                        let how = ["reported", "reviewed", "observed"][usize::from(*certainty)];
                        expected[1].push(serde_json::json!([by, how, reference]));
                    }
                    Event::HandedOff { from, to } => {
                        expected[2].push(serde_json::json!([from, to]));
                    }
                }
            }
            let lists: [(&str, &[&str]); 3] = [
                ("acceptances", &["actorId"]),
                ("completions", &["actorId", "provenance", "sourceReference"]),
                ("handoffs", &["fromActorId", "toActorId"]),
            ];
            for ((list, fields), expected) in lists.into_iter().zip(expected) {
                let found: Vec<serde_json::Value> = shown[list]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|row| fields.iter().map(|field| row[*field].clone()).collect())
                    .collect();
                prop_assert_eq!(&found, &expected, "{}", list);
            }
            for (latest, list) in [
                ("latestAcceptance", "acceptances"),
                ("latestCompletion", "completions"),
            ] {
                let last = shown[list].as_array().unwrap().last().cloned();
                prop_assert_eq!(&shown[latest], &last.unwrap_or_default());
            }
        }
        Ok(())
    }
}
