//! What an operator allows: which tools, chains and addresses, and how often.
//!
//! The rules are pure: [`Policy::explain`] takes what is asked and what was used before, and says of every rule, in
//! order, whether it allows the call. The server decides by it and an operator can look at it beforehand, so the two
//! cannot disagree. What was used is counted in `counts`, by each process for itself, as the rate limit is.
//!
//! Which tools a policy governs, their [toolset](crate::Toolset::is_governed) says.

mod counts;

use std::{collections::BTreeSet, fmt, num::NonZeroU32, time::Duration};

use deedbox_chain::ReadError;
use deedbox_core::{RegistryId, TaskId};
use deedbox_id::Address;
use serde::Serialize;

pub(crate) use self::counts::Counts;
use crate::{problem::seconds, readings::ReadingRequest};

/// Calls of one tool that one key has in a minute when nobody says otherwise.
pub const CALLS_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(119);
/// Readings that one task has when nobody says otherwise.
pub const CALLS_PER_TASK: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);

/// What is allowed and what is denied of one kind of thing. What stands in both is denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists<T: Ord> {
    /// Only these; `None` for all.
    pub allow: Option<BTreeSet<T>>,
    /// None of these.
    pub deny: BTreeSet<T>,
}

impl<T: Ord> Default for Lists<T> {
    /// Everything is allowed.
    fn default() -> Self {
        Self {
            allow: None,
            deny: BTreeSet::new(),
        }
    }
}

/// What an operator allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Which tools, by name.
    pub tools: Lists<String>,
    /// Which chains, by id (EIP-155).
    pub chains: Lists<u64>,
    /// Which addresses. Every address in a call's arguments is looked at, a token's as well as a holder's.
    pub addresses: Lists<Address>,
    /// How many calls of one tool one key has in any 60 seconds; `None` for no limit.
    pub calls_per_minute: Option<NonZeroU32>,
    /// How many readings may be asked for in the name of one task; `None` for no limit.
    pub calls_per_task: Option<NonZeroU32>,
    /// Whether a reading must name the task that it is for.
    pub task_required: bool,
}

impl Default for Policy {
    /// Everything is allowed, 120 calls a minute, and 20 readings a task.
    fn default() -> Self {
        Self {
            tools: Lists::default(),
            chains: Lists::default(),
            addresses: Lists::default(),
            calls_per_minute: Some(CALLS_PER_MINUTE),
            calls_per_task: Some(CALLS_PER_TASK),
            task_required: false,
        }
    }
}

/// A call, as far as a policy looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The tool's name.
    pub tool: String,
    /// The chains that it is about.
    pub chains: Vec<u64>,
    /// Whether a chain would be read; otherwise the rules about tasks do not apply.
    pub is_reading: bool,
    /// Every address in the arguments, with the argument's name; of a name of an agent or a tool, its registry's.
    pub addresses: Vec<(String, Address)>,
    /// The task that the call names.
    pub task: Option<TaskId>,
}

impl Asked {
    /// What a reading asks, in the name of `task`.
    ///
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument) as [`ReadingRequest::about`] has it.
    pub fn reading(request: &ReadingRequest, task: Option<TaskId>) -> Result<Self, ReadError> {
        let about = request.about()?;
        Ok(Self {
            tool: request.tool().name().to_owned(),
            chains: about.chain_ids,
            is_reading: true,
            addresses: about.addresses,
            task,
        })
    }

    /// What a call of a tool asks that reads no chain.
    #[must_use]
    pub fn of_no_chain(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            chains: Vec::new(),
            is_reading: false,
            addresses: Vec::new(),
            task: None,
        }
    }

    /// What a call of a tool asks that is about chains and addresses, and reads none of them: the local index answers.
    pub(crate) fn of_the_index(
        tool: &str,
        chains: impl IntoIterator<Item = u64>,
        addresses: impl IntoIterator<Item = (String, Address)>,
    ) -> Self {
        Self {
            chains: chains.into_iter().collect(),
            addresses: addresses.into_iter().collect(),
            ..Self::of_no_chain(tool)
        }
    }
}

/// What was used before a call, without the call itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Calls of this tool with this key in the last 60 seconds.
    pub this_minute: u32,
    /// Readings in the name of this task.
    pub for_task: u32,
}

/// Whether a rule allows a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It does.
    Allowed,
    /// It does not.
    Refused,
    /// The rule is not set, or says nothing about such a call.
    NotApplicable,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allowed => "allowed",
            Self::Refused => "refused",
            Self::NotApplicable => "not applicable",
        })
    }
}

/// What one rule says of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// The rule's name, which never changes: the name of its setting.
    pub rule: &'static str,
    /// Whether it allows the call.
    pub outcome: Outcome,
    /// Why, and for a refusal, what to do about it.
    pub says: String,
}

/// What every rule says of a call, in the order in which they are asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// One for each rule.
    pub rulings: Vec<Ruling>,
}

impl Explained {
    /// The first rule that refuses; none when the call is allowed.
    #[must_use]
    pub fn refusal(&self) -> Option<&Ruling> {
        let mut refusals = self.rulings.iter();
        refusals.find(|ruling| ruling.outcome == Outcome::Refused)
    }
}

/// A call that the policy does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("policy rule {rule}: {says}{}", advice(*wait))]
pub struct PolicyRefused {
    /// Which rule.
    pub rule: &'static str,
    /// Why, and what to do about it.
    pub says: String,
    /// When the same call would be allowed; `None` when waiting does not help.
    pub wait: Option<Duration>,
}

/// Not everybody sees a `Retry-After`.
fn advice(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| {
        format!("; come back in {} s", seconds(wait))
    })
}

impl Policy {
    /// What every rule says of a call.
    #[must_use]
    pub fn explain(&self, asked: &Asked, used: &Used) -> Explained {
        let mut rulings = Vec::with_capacity(9);
        let tool = [("tool", &asked.tool)];
        rulings.extend(self.tools.rule(["tools.deny", "tools.allow"], &tool));
        let chain: Vec<_> = asked.chains.iter().map(|id| ("chain", id)).collect();
        rulings.extend(self.chains.rule(["chains.deny", "chains.allow"], &chain));
        let addresses = asked.addresses.iter();
        let addresses: Vec<_> = addresses.map(|(name, a)| (name.as_str(), a)).collect();
        let names = ["addresses.deny", "addresses.allow"];
        rulings.extend(self.addresses.rule(names, &addresses));
        rulings.push(self.task_required(asked));
        rulings.push(self.calls_per_minute(asked, used));
        rulings.push(self.calls_per_task(asked, used));
        Explained { rulings }
    }

    /// Whether anything of this chain may be told.
    #[must_use]
    pub fn allows_chain(&self, id: u64) -> bool {
        let rulings = self
            .chains
            .rule(["chains.deny", "chains.allow"], &[("chain", &id)]);
        rulings
            .iter()
            .all(|ruling| ruling.outcome != Outcome::Refused)
    }

    /// Whether anything of this registry may be told.
    pub(crate) fn allows_registry(&self, registry: RegistryId) -> bool {
        let address = Address(registry.address.0);
        let names = ["addresses.deny", "addresses.allow"];
        let rulings = self.addresses.rule(names, &[("registry", &address)]);
        let mut rulings = rulings.iter();
        self.allows_chain(registry.chain_id)
            && rulings.all(|ruling| ruling.outcome != Outcome::Refused)
    }

    fn task_required(&self, asked: &Asked) -> Ruling {
        let (outcome, says) = if !self.task_required {
            (Outcome::NotApplicable, "no task has to be named")
        } else if !asked.is_reading {
            (Outcome::NotApplicable, "no chain is read")
        } else if asked.task.is_some() {
            (Outcome::Allowed, "a task is named")
        } else {
            let says = "name the task that this reading is for, in _meta as deedbox/taskId, in the header Deedbox-Task, or with --task";
            (Outcome::Refused, says)
        };
        ruling("task_required", outcome, says)
    }

    fn calls_per_task(&self, asked: &Asked, used: &Used) -> Ruling {
        let name = "calls_per_task";
        let task = asked.task.filter(|_| asked.is_reading);
        let (Some(max), Some(task)) = (self.calls_per_task, task) else {
            return ruling(
                name,
                Outcome::NotApplicable,
                "nothing is counted for a task",
            );
        };
        let for_task = used.for_task;
        if for_task < max.get() {
            let says = format!("task {task} has used {for_task} of {max} readings");
            return ruling(name, Outcome::Allowed, says);
        }
        let says = format!(
            "task {task} has used its {max} readings; use the answers that you have, each of which is kept under its evidence_id, or make a follow-up task"
        );
        ruling(name, Outcome::Refused, says)
    }

    fn calls_per_minute(&self, asked: &Asked, used: &Used) -> Ruling {
        let name = "calls_per_minute";
        let Some(max) = self.calls_per_minute else {
            return ruling(name, Outcome::NotApplicable, "there is no limit");
        };
        let (tool, this_minute) = (shown(&asked.tool), used.this_minute);
        if this_minute < max.get() {
            let says =
                format!("{tool} was called {this_minute} times within a minute, of {max} allowed");
            return ruling(name, Outcome::Allowed, says);
        }
        let says = format!("{tool} was called {max} times with this key within a minute");
        ruling(name, Outcome::Refused, says)
    }
}

impl<T: Ord + fmt::Display> Lists<T> {
    /// What the two lists say of things, each with the word for what it is.
    fn rule(&self, [deny, allow]: [&'static str; 2], things: &[(&str, &T)]) -> [Ruling; 2] {
        let denied = || things.iter().find(|(_, thing)| self.deny.contains(thing));
        let left_out = |list: &BTreeSet<T>| things.iter().find(|(_, thing)| !list.contains(thing));
        let none = || {
            ruling(
                deny,
                Outcome::NotApplicable,
                "the call has nothing of that kind",
            )
        };
        if things.is_empty() {
            let allow = Ruling {
                rule: allow,
                ..none()
            };
            return [none(), allow];
        }
        let refuse = |rule, (what, thing): &(&str, &T), why| {
            let thing = shown(&thing.to_string());
            let says = format!("{what} {thing} {why}; only an operator can change that");
            ruling(rule, Outcome::Refused, says)
        };
        let denied = match denied() {
            Some(thing) => refuse(deny, thing, "is denied here"),
            None if self.deny.is_empty() => {
                ruling(deny, Outcome::NotApplicable, "nothing is denied")
            }
            None => ruling(deny, Outcome::Allowed, "not denied"),
        };
        let allowed = match &self.allow {
            None => ruling(allow, Outcome::NotApplicable, "everything is allowed"),
            Some(list) => match left_out(list) {
                Some(thing) => refuse(allow, thing, "is not among those that are allowed here"),
                None => ruling(allow, Outcome::Allowed, "allowed by name"),
            },
        };
        [denied, allowed]
    }
}

fn ruling(rule: &'static str, outcome: Outcome, says: impl Into<String>) -> Ruling {
    Ruling {
        rule,
        outcome,
        says: says.into(),
    }
}

/// A name that somebody typed, for `policy test`: not without end.
fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}

#[cfg(test)]
mod tests;
