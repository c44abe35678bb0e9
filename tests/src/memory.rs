//! A store in memory that can be told to be wrong: the control that shows what the checkers catch.
//!
//! It runs the real rules; what it gets wrong is only how it keeps what they decide. No wrong answer of it
//! can be told from a right one by looking at that answer alone.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use deedbox_core::{
    Actor, ActorId, ActorKind, ChainAccount, Deed, Evidence, EvidenceId, EvidenceState, KeyId,
    KeyRecord, MemoryId, Projection, Publication, PublicationId, PublicationState, RegistryId,
    RegistryState, Space, SpaceId, SpaceUsage, State, TakenNonce, TaskId, TaskState, Timestamp,
    World,
    evidence::ReadingKey,
    task::{Status, Task},
    text::Name,
};
use deedbox_store::{
    Access, AccessRow, Accesses, Execute, Kept, Memories, MemoryHistory, MemoryStore, Outcome,
    Publications, Recall, Recalled, Recorded, Snapshot, Store, StoreError, Unaccepted,
};
use tokio::sync::Mutex;

/// What is wrong with a [`Memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It loads and decides, and writes a moment later without looking again: long enough for all others to call.
    ChecksThenWrites,
    /// Every seventh status lacks the newest deed, as from a replica that lags behind.
    ReadsStale,
    /// Every twentieth write is acknowledged and lost.
    LosesWrites,
}

/// Tasks of actors that are all known.
#[derive(Debug)]
pub struct Memory {
    fault: Fault,
    tasks: Mutex<HashMap<TaskId, History>>,
    actors: BTreeMap<ActorId, Actor>,
    calls: AtomicU64,
}

impl Memory {
    /// An empty one that knows these actors.
    ///
    /// # Errors
    /// When an actor's id is not one.
    pub fn new(fault: Fault, actors: &[&str]) -> anyhow::Result<Self> {
        let actors = actors
            .iter()
            .map(|id| {
                let actor = Actor {
                    id: ActorId::new(*id)?,
                    kind: ActorKind::Agent,
                    name: Name::new(*id)?,
                    created_at: Clock.now(),
                };
                anyhow::Ok((actor.id.clone(), actor))
            })
            .collect::<anyhow::Result<_>>()?;
        Ok(Self {
            fault,
            tasks: Mutex::default(),
            actors,
            calls: AtomicU64::new(0),
        })
    }

    fn load(&self, tasks: &HashMap<TaskId, History>, execute: &Execute) -> State {
        let needs = execute.needs();
        let task = needs.task.and_then(|task| tasks.get(&task));
        State {
            task: task.map(|task| (*task.state).clone()),
            actors: needs
                .actors
                .into_iter()
                .filter(|id| self.actors.contains_key(id))
                .collect(),
            ..State::default()
        }
    }

    fn every(&self, n: u64) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) % n == n - 1
    }
}

/// A task's deeds, and the state that they were said to lead to.
#[derive(Debug)]
struct History {
    deeds: Vec<Deed>,
    state: Box<TaskState>,
}

fn not_here() -> StoreError {
    StoreError::Unsuitable("a store in memory does not do this".to_owned())
}

#[async_trait]
impl MemoryStore for Memory {
    async fn memory(&self, _id: MemoryId) -> Result<Option<MemoryHistory>, StoreError> {
        Err(not_here())
    }

    async fn memories(&self, _query: &Memories) -> Result<Vec<deedbox_core::Memory>, StoreError> {
        Err(not_here())
    }

    async fn recall(&self, _query: &Recall, _now: Timestamp) -> Result<Recalled, StoreError> {
        Err(not_here())
    }

    async fn space(&self, _id: &SpaceId) -> Result<Option<Space>, StoreError> {
        Err(not_here())
    }

    async fn spaces(&self, _of: &ActorId) -> Result<Vec<Space>, StoreError> {
        Err(not_here())
    }

    async fn space_usage(&self, _id: &SpaceId) -> Result<SpaceUsage, StoreError> {
        Err(not_here())
    }

    async fn export(
        &self,
        _space: &SpaceId,
        _after: Option<MemoryId>,
        _limit: u32,
    ) -> Result<Vec<deedbox_core::Memory>, StoreError> {
        Err(not_here())
    }

    async fn record_access(&self, _access: Access) -> Result<(), StoreError> {
        Err(not_here())
    }

    async fn accesses(&self, _query: &Accesses) -> Result<Vec<AccessRow>, StoreError> {
        Err(not_here())
    }
}

#[async_trait]
impl Store for Memory {
    async fn execute(&self, execute: Execute) -> Result<Outcome, StoreError> {
        let mut tasks = self.tasks.lock().await;
        let decided = match execute.decide(self.load(&tasks, &execute), Clock.now())? {
            Ok(decided) => decided,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if self.fault == Fault::ChecksThenWrites {
            drop(tasks);
            tokio::time::sleep(Duration::from_millis(20)).await;
            tasks = self.tasks.lock().await;
        }
        let deed = decided.deeds.into_iter().next().ok_or_else(not_here)?;
        let Projection::Task(state) = decided.projection else {
            return Err(not_here());
        };
        let (id, lost) = (state.id, self.fault == Fault::LosesWrites && self.every(20));
        if let Some(task) = tasks.get_mut(&id) {
            if !lost {
                task.deeds.push(deed.clone());
                task.state = state;
            }
        } else {
            let deeds = vec![deed.clone()];
            tasks.insert(id, History { deeds, state });
        }
        Ok(Ok(Kept {
            deed,
            replayed: false,
        }))
    }

    async fn status(&self, task: TaskId) -> Result<Option<Status>, StoreError> {
        let tasks = self.tasks.lock().await;
        let mut deeds = tasks
            .get(&task)
            .map(|task| task.deeds.clone())
            .unwrap_or_default();
        if self.fault == Fault::ReadsStale && deeds.len() > 1 && self.every(7) {
            deeds.pop();
        }
        Status::from_deeds(deeds).map_err(|broken| StoreError::unreadable("deed", task, broken))
    }

    async fn unaccepted(&self, _query: &Unaccepted) -> Result<Vec<Task>, StoreError> {
        Err(not_here())
    }

    async fn evidence(&self, _id: EvidenceId) -> Result<Option<Evidence>, StoreError> {
        Err(not_here())
    }

    async fn readings(&self, _of: &ReadingKey, _limit: u32) -> Result<Vec<Evidence>, StoreError> {
        Err(not_here())
    }

    async fn recorded(&self, _query: &Recorded) -> Result<Vec<EvidenceState>, StoreError> {
        Err(not_here())
    }

    async fn cited(&self, _ids: &BTreeSet<EvidenceId>) -> Result<Vec<EvidenceState>, StoreError> {
        Err(not_here())
    }

    async fn readings_for(&self, _task: TaskId) -> Result<u64, StoreError> {
        Err(not_here())
    }

    async fn open_publication(
        &self,
        _of: ChainAccount,
    ) -> Result<Option<PublicationState>, StoreError> {
        Err(not_here())
    }

    async fn used_nonce(
        &self,
        _of: ChainAccount,
        _nonce: u64,
    ) -> Result<Option<TakenNonce>, StoreError> {
        Err(not_here())
    }

    async fn publication(&self, _id: PublicationId) -> Result<Option<Publication>, StoreError> {
        Err(not_here())
    }

    async fn publications(
        &self,
        _query: &Publications,
    ) -> Result<Vec<PublicationState>, StoreError> {
        Err(not_here())
    }

    async fn registry(&self, _id: RegistryId) -> Result<Option<RegistryState>, StoreError> {
        Err(not_here())
    }

    async fn registries(&self) -> Result<Vec<RegistryState>, StoreError> {
        Err(not_here())
    }

    async fn actor(&self, id: &ActorId) -> Result<Option<Actor>, StoreError> {
        Ok(self.actors.get(id).cloned())
    }

    async fn actors(&self) -> Result<Vec<Actor>, StoreError> {
        Ok(self.actors.values().cloned().collect())
    }

    async fn key(&self, _id: &KeyId) -> Result<Option<KeyRecord>, StoreError> {
        Ok(None)
    }

    async fn keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        Ok(vec![])
    }

    async fn forget_idempotency(&self, _before: Timestamp) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn ping(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        Err(not_here())
    }

    async fn close(&self) {}
}

/// This machine's clock and random source.
#[derive(Clone, Copy, Debug)]
pub struct Clock;

impl World for Clock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let epoch = Timestamp::from_millis(0).unwrap_or_else(|_| unreachable!());
        epoch.plus_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    #[expect(clippy::expect_used, reason = "without randomness no test can go on")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the system has a random source");
    }
}
