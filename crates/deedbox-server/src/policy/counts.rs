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

    /// Whether a task was seen before; if not, [`begin`](Self::begin) is told how many readings are recorded for it.
    pub(crate) fn knows(&self, task: TaskId) -> bool {
        self.state().tasks.contains_key(&task)
    }

    /// Begins to count for a task that has `recorded` readings already. Whoever comes second changes nothing.
    pub(crate) fn begin(&self, task: TaskId, recorded: u32, now: Timestamp) {
        let mut state = self.state();
        if state.tasks.len() >= TASKS && !state.tasks.contains_key(&task) {
            let oldest = state.tasks.iter().min_by_key(|(_, count)| count.last);
            if let Some(oldest) = oldest.map(|(task, _)| *task) {
                state.tasks.remove(&oldest);
            }
        }
        state.tasks.entry(task).or_insert(PerTask {
            calls: recorded,
            last: now.as_millis(),
        });
    }

    /// Counts one call of `by`, if the policy allows it. What is refused is not counted.
    ///
    /// # Errors
    /// [`PolicyRefused`], with the first rule that refuses.
    pub(crate) fn admit(
        &self,
        policy: &Policy,
        asked: &Asked,
        by: &PrincipalId,
        now: Timestamp,
    ) -> Result<(), PolicyRefused> {
        let now = now.as_millis();
        let mut state = self.state();
        let State { minutes, tasks } = &mut *state;
        let times = minutes.entry((by.clone(), asked.tool.clone())).or_default();
        // What lies in the future was counted before the clock was set back.
        times.retain(|then| (0..WINDOW_MILLIS).contains(&(now - then)));
        let mut for_task = asked.task.and_then(|task| tasks.get_mut(&task));
        let used = Used {
            this_minute: u32::try_from(times.len()).unwrap_or(u32::MAX),
            for_task: for_task.as_ref().map_or(0, |count| count.calls),
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
        if asked.chain_id.is_some()
            && let Some(count) = &mut for_task
        {
            count.calls = count.calls.saturating_add(1);
            count.last = now;
        }
        Ok(())
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
            chain_id: Some(1),
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
            |seconds| counts.admit(&policy, &asked("a", None), &PrincipalId::LOCAL, at(seconds));
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
        let call = |tool, by| {
            counts
                .admit(&policy, &asked(tool, None), &by, at(0))
                .is_ok()
        };
        assert!(call("a", PrincipalId::LOCAL));
        assert!(!call("a", PrincipalId::LOCAL));
        assert!(call("b", PrincipalId::LOCAL));
        assert!(call("a", PrincipalId::ACCESS_TOKEN));
    }

    #[test]
    fn a_clock_that_is_set_back_locks_nobody_out() {
        let (counts, policy) = (Counts::default(), policy(1, 0));
        let call =
            |seconds| counts.admit(&policy, &asked("a", None), &PrincipalId::LOCAL, at(seconds));
        assert_eq!(call(10_000), Ok(()));
        assert_eq!(call(0), Ok(()));
        assert!(call(1).is_err());
    }

    #[test]
    fn a_task_is_counted_on_from_what_is_recorded_for_it() {
        let (counts, policy) = (Counts::default(), policy(0, 3));
        let call =
            |task| counts.admit(&policy, &asked("a", Some(task)), &PrincipalId::LOCAL, at(0));
        assert!(!counts.knows(task(1)));
        counts.begin(task(1), 1, at(0));
        // A second request that saw the task for the first time too changes nothing.
        assert_eq!(call(task(1)), Ok(()));
        counts.begin(task(1), 1, at(0));
        assert_eq!(call(task(1)), Ok(()));
        let refused = call(task(1)).unwrap_err();
        assert_eq!((refused.rule, refused.wait), ("calls_per_task", None));
        counts.begin(task(2), 0, at(0));
        assert_eq!(call(task(2)), Ok(()));
    }

    #[test]
    fn a_task_refused_for_the_minute_is_not_charged() {
        let (counts, policy) = (Counts::default(), policy(1, 2));
        counts.begin(task(1), 0, at(0));
        let call = |seconds| {
            counts.admit(
                &policy,
                &asked("a", Some(task(1))),
                &PrincipalId::LOCAL,
                at(seconds),
            )
        };
        assert_eq!(call(0), Ok(()));
        for _ in 0..5 {
            assert_eq!(call(1).unwrap_err().rule, "calls_per_minute");
        }
        assert_eq!(call(100), Ok(()));
        assert_eq!(call(200).unwrap_err().rule, "calls_per_task");
    }

    #[test]
    fn tasks_are_forgotten_from_the_one_unused_for_longest() {
        let counts = Counts::default();
        for number in 0..TASKS {
            let seconds = i64::try_from(number).unwrap();
            counts.begin(task(number as u128), 0, at(seconds));
        }
        counts.begin(task(u128::from(u32::MAX)), 0, at(1_000_000));
        assert!(!counts.knows(task(0)));
        assert!(counts.knows(task(1)) && counts.knows(task(u128::from(u32::MAX))));
        assert_eq!(counts.state().tasks.len(), TASKS);
    }
}
