//! What was used: calls of a tool by a key within a minute, and readings of a task.
//!
//! Counted by each process for itself. A task's count begins with the readings that are recorded for it, so it
//! outlives a restart; calls that came to nothing are forgotten by then.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deedbox_core::{PrincipalId, TaskId, Timestamp};

use super::{Asked, Policy, PolicyRefused, Used};

/// A minute.
const WINDOW_MILLIS: i64 = 60_000;
/// How many tasks are remembered. One that was forgotten is counted from what is recorded for it, as after a restart.
const TASKS: usize = 10_000;

/// Counts calls, and admits those that the policy allows.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the calls of the last minute were, oldest first. Only credentials that were admitted and tools that exist
    /// get an entry, so there are never more than keys times tools; each holds at most as many times as the policy
    /// allows a minute.
    minutes: HashMap<(PrincipalId, String), VecDeque<i64>>,
    tasks: HashMap<TaskId, PerTask>,
}

#[derive(Clone, Copy, Debug)]
struct PerTask {
    calls: u32,
    last: i64,
}

impl Counts {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here is left half done by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one call of `by` against its minute, if everything but the task's own count allows it. What is refused is not
    /// counted.
    ///
    /// # Errors
    /// [`PolicyRefused`], with the first rule that refuses.
    pub(crate) fn call(
        &self,
        policy: &Policy,
        asked: &Asked,
        by: &PrincipalId,
        now: Timestamp,
    ) -> Result<(), PolicyRefused> {
        let now = now.as_millis();
        let mut state = self.state();
        let times = state
            .minutes
            .entry((by.clone(), asked.tool.clone()))
            .or_default();
        // What lies in the future was counted before the clock was set back.
        times.retain(|then| (0..WINDOW_MILLIS).contains(&(now - then)));
        let used = Used {
            this_minute: u32::try_from(times.len()).unwrap_or(u32::MAX),
            // Every task has at least one reading.
            for_task: 0,
        };
        if let Some(ruling) = policy.explain(asked, &used).refusal() {
            let waits = ruling.rule == "calls_per_minute";
            let oldest = times.front().filter(|_| waits);
            let left = oldest.map(|then| u64::try_from(then + WINDOW_MILLIS - now).unwrap_or(0));
            return Err(PolicyRefused {
                rule: ruling.rule,
                says: ruling.says.clone(),
                wait: left.map(Duration::from_millis),
            });
        }
        if policy.calls_per_minute.is_some() {
            times.push_back(now);
        }
        Ok(())
    }

    /// Counts one reading for `task`, if the policy allows it. A task that is not known yet begins with those that are
    /// `recorded` for it; `None` when that has to be looked up first. Looking up and counting are one step, so that no
    /// task is forgotten in between and read for without being counted.
    ///
    /// # Errors
    /// Inside: [`PolicyRefused`] when the task has used what it has.
    pub(crate) fn charge(
        &self,
        policy: &Policy,
        asked: &Asked,
        task: TaskId,
        recorded: Option<u32>,
        now: Timestamp,
    ) -> Option<Result<(), PolicyRefused>> {
        let now = now.as_millis();
        let State { tasks, .. } = &mut *self.state();
        let calls = tasks.get(&task).map(|count| count.calls).or(recorded)?;
        let used = Used {
            this_minute: 0,
            for_task: calls,
        };
        let explained = policy.explain(asked, &used);
        let refusal = explained.refusal().map(|ruling| PolicyRefused {
            rule: ruling.rule,
            says: ruling.says.clone(),
            wait: None,
        });
        let calls = match refusal {
            Some(_) => calls,
            None => calls.saturating_add(1),
        };
        if tasks.len() >= TASKS && !tasks.contains_key(&task) {
            let oldest = tasks.iter().min_by_key(|(_, count)| count.last);
            if let Some(oldest) = oldest.map(|(task, _)| *task) {
                tasks.remove(&oldest);
            }
        }
        tasks.insert(task, PerTask { calls, last: now });
        Some(refusal.map_or(Ok(()), Err))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + seconds * 1000).unwrap()
    }

    fn task(number: u128) -> TaskId {
        format!("00000000-0000-7000-8000-{number:012x}")
            .parse()
            .unwrap()
    }

    fn asked(tool: &str, task: Option<TaskId>) -> Asked {
        Asked {
            tool: tool.to_owned(),
            chains: vec![1],
            is_reading: true,
            addresses: Vec::new(),
            task,
        }
    }

    fn policy(per_minute: u32, per_task: u32) -> Policy {
        Policy {
            calls_per_minute: NonZeroU32::new(per_minute),
            calls_per_task: NonZeroU32::new(per_task),
            ..Policy::default()
        }
    }

    #[test]
    fn no_sixty_seconds_hold_more_calls_than_allowed() {
        let (counts, policy) = (Counts::default(), policy(2, 0));
        let call =
            |seconds| counts.call(&policy, &asked("a", None), &PrincipalId::LOCAL, at(seconds));
        assert_eq!(call(0), Ok(()));
        assert_eq!(call(50), Ok(()));
        let refused = call(59).unwrap_err();
        assert_eq!(refused.rule, "calls_per_minute");
        assert_eq!(refused.wait, Some(Duration::from_secs(1)));
        // What was refused is not counted: the second of the two still stands, and nothing else.
        assert_eq!(call(60), Ok(()));
        assert_eq!(call(109).unwrap_err().wait, Some(Duration::from_secs(1)));
        assert_eq!(call(110), Ok(()));
    }

    #[test]
    fn each_key_and_each_tool_has_minutes_of_its_own() {
        let (counts, policy) = (Counts::default(), policy(1, 0));
        let call = |tool, by| counts.call(&policy, &asked(tool, None), &by, at(0)).is_ok();
        assert!(call("a", PrincipalId::LOCAL));
        assert!(!call("a", PrincipalId::LOCAL));
        assert!(call("b", PrincipalId::LOCAL));
        assert!(call("a", PrincipalId::ACCESS_TOKEN));
    }

    #[test]
    fn a_clock_that_is_set_back_locks_nobody_out() {
        let (counts, policy) = (Counts::default(), policy(1, 0));
        let call =
            |seconds| counts.call(&policy, &asked("a", None), &PrincipalId::LOCAL, at(seconds));
        assert_eq!(call(10_000), Ok(()));
        assert_eq!(call(0), Ok(()));
        assert!(call(1).is_err());
    }

    /// One reading for a task, of which `recorded` readings are known to the database.
    fn charge(
        counts: &Counts,
        policy: &Policy,
        number: u128,
        recorded: Option<u32>,
    ) -> Option<Result<(), PolicyRefused>> {
        let task = task(number);
        counts.charge(policy, &asked("a", Some(task)), task, recorded, at(0))
    }

    #[test]
    fn a_task_is_counted_on_from_what_is_recorded_for_it() {
        let (counts, policy) = (Counts::default(), policy(0, 3));
        let charge = |number, recorded| charge(&counts, &policy, number, recorded);
        assert_eq!(charge(1, None), None, "nobody knows what it has used");
        assert_eq!(charge(1, Some(1)), Some(Ok(())));
        // A second request that saw the task for the first time too changes nothing.
        assert_eq!(charge(1, Some(1)), Some(Ok(())));
        let refused = charge(1, None).unwrap().unwrap_err();
        assert_eq!((refused.rule, refused.wait), ("calls_per_task", None));
        assert_eq!(charge(2, Some(0)), Some(Ok(())));
        // What is recorded decides, also when it is more than is allowed.
        assert!(charge(3, Some(u32::MAX)).unwrap().is_err());
    }

    #[test]
    fn a_call_refused_by_a_list_is_counted_nowhere() {
        let counts = Counts::default();
        let denied = Policy {
            chains: crate::policy::Lists {
                allow: None,
                deny: [1].into(),
            },
            ..policy(1, 1)
        };
        let call = |policy| {
            counts.call(
                policy,
                &asked("a", Some(task(1))),
                &PrincipalId::LOCAL,
                at(0),
            )
        };
        assert_eq!(call(&denied).unwrap_err().rule, "chains.deny");
        assert_eq!(call(&policy(1, 1)), Ok(()));
    }

    #[test]
    fn a_task_that_was_forgotten_is_not_read_for_uncounted() {
        let (counts, policy) = (Counts::default(), policy(0, 1));
        for number in 0..TASKS {
            let (task, last) = (task(number as u128), i64::try_from(number).unwrap());
            let asked = asked("a", Some(task));
            let charged = counts.charge(&policy, &asked, task, Some(0), at(last));
            assert_eq!(charged, Some(Ok(())));
        }
        let one_more = task(u128::from(u32::MAX));
        let asked = asked("a", Some(one_more));
        let charged = counts.charge(&policy, &asked, one_more, Some(0), at(1_000_000));
        assert_eq!(charged, Some(Ok(())));
        assert_eq!(counts.state().tasks.len(), TASKS);
        assert_eq!(charge(&counts, &policy, 0, None), None, "the oldest");
        assert!(charge(&counts, &policy, 1, None).unwrap().is_err());
        assert!(charge(&counts, &policy, 0, Some(1)).unwrap().is_err());
    }
}
