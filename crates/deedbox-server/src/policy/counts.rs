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
