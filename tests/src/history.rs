//! Histories of one task, recorded at its callers, and the question whether they are linearizable.
//!
//! A history is linearizable when every call can be thought of as happening at one moment between its start
//! and its return, and all of them in that order give the answers that were seen.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use porcupine_rs::{CheckResult, Model, Operation};
use serde_json::Value;
use tokio::sync::Barrier;

use crate::{Answer, Client, Random};

/// Who acts in recorded histories.
pub const ACTORS: [&str; 4] = ["ada", "ben", "cyd", "dan"];
const PROVENANCES: [&str; 3] = ["reported", "reviewed", "observed"];
const REFERENCES: [&str; 6] = ["ci/1", "ci/2", "ci/3", "ci/4", "ci/5", "ci/6"];

/// What a caller asked. Actors, provenances and references are indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `accept_task`.
    Accept(u8),
    /// `report_completion`: by whom, how certain, on which evidence.
    Complete(u8, u8, Option<u8>),
    /// `handoff_task`.
    Handoff(u8, u8),
    /// `get_task_status`.
    Status,
}

/// What the caller saw. Records are known by the hash of their id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A record was made.
    Made(u64),
    /// The refusal's code.
    Refused(String),
    /// The whole task.
    Task(Task),
}

/// One call, as its caller knows it.
#[derive(Clone, Debug)]
pub struct Op {
    call: Call,
    seen: Seen,
}

/// A task as a status shows it. What happened is remembered as one number for each list of records, which depends
/// on every id in it and on their order: a state must be small, since the checker keeps very many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Task {
    owner: Option<u8>,
    status: Phase,
    acceptances: Chain,
    completions: Chain,
    handoffs: Chain,
    /// How certain the latest claim is.
    latest: Option<u8>,
    /// For each reference, the least certain claim that cited it.
    cited: [Option<u8>; REFERENCES.len()],
}

/// A list of records, as one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Chain(u64);

impl Chain {
    fn then(self, id: u64) -> Self {
        let mut hasher = DefaultHasher::new();
        (self.0, id).hash(&mut hasher);
        Self(hasher.finish())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Phase {
    #[default]
    Pending,
    Accepted,
    Completed,
    Transitioned,
}

/// One task, as the protocol says it behaves, said once more and without the rules' code.
#[derive(Clone, Debug)]
pub struct OneTask;

impl Model for OneTask {
    type State = Task;
    type Op = Op;
    type Metadata = ();

    fn init() -> Task {
        Task::default()
    }

    fn step(task: &Task, op: &Op) -> (bool, Task) {
        let expected = task.refusal(op.call);
        match &op.seen {
            Seen::Task(seen) => (op.call == Call::Status && seen == task, *task),
            Seen::Refused(code) => (expected == Some(code.as_str()), *task),
            Seen::Made(id) => (
                expected.is_none() && op.call != Call::Status,
                task.after(op.call, *id),
            ),
        }
    }
}

impl Task {
    fn refusal(&self, call: Call) -> Option<&'static str> {
        match call {
            Call::Accept(_) if self.owner.is_some() => Some("already_owned"),
            Call::Complete(..) if self.owner.is_none() => Some("no_current_owner"),
            Call::Complete(by, ..) if self.owner != Some(by) => Some("not_owner"),
            Call::Complete(_, certainty, cited) => {
                let weakest = cited.and_then(|cited| self.cited[usize::from(cited)]);
                let old = cited.is_none() || weakest.is_some_and(|weakest| weakest < certainty);
                let rises = self.latest.is_some_and(|latest| certainty > latest);
                (rises && old).then_some("evidence_required")
            }
            Call::Handoff(from, _) if self.owner != Some(from) => Some("not_owner"),
            Call::Accept(_) | Call::Handoff(..) | Call::Status => None,
        }
    }

    fn after(mut self, call: Call, id: u64) -> Self {
        match call {
            Call::Accept(by) => {
                self.owner = Some(by);
                self.status = Phase::Accepted;
                self.acceptances = self.acceptances.then(id);
            }
            Call::Complete(_, certainty, cited) => {
                self.status = Phase::Completed;
                self.completions = self.completions.then(id);
                self.claim(certainty, cited);
            }
            Call::Handoff(..) => {
                self.owner = None;
                self.status = Phase::Transitioned;
                self.handoffs = self.handoffs.then(id);
            }
            Call::Status => {}
        }
        self
    }

    fn claim(&mut self, certainty: u8, cited: Option<u8>) {
        self.latest = Some(certainty);
        if let Some(cited) = cited {
            let weakest = &mut self.cited[usize::from(cited)];
            *weakest = Some(weakest.map_or(certainty, |weakest| weakest.min(certainty)));
        }
    }

    fn read(status: &Value) -> Result<Self> {
        let index = |names: &[&str], value: &Value| {
            let found = names.iter().position(|name| value == *name);
            found.and_then(|i| u8::try_from(i).ok())
        };
        let chain = |list: &str| -> Result<Chain> {
            let rows = status[list]
                .as_array()
                .with_context(|| format!("no {list}"))?;
            let ids = rows.iter().map(|row| known_by(&row["id"]));
            Ok(ids.fold(Chain::default(), Chain::then))
        };
        let task = &status["task"];
        let mut read = Self {
            owner: index(&ACTORS, &task["currentOwnerActorId"]),
            status: match task["status"].as_str() {
                Some("pending_acceptance") => Phase::Pending,
                Some("accepted") => Phase::Accepted,
                Some("completed") => Phase::Completed,
                Some("transitioned") => Phase::Transitioned,
                other => anyhow::bail!("status {other:?}"),
            },
            acceptances: chain("acceptances")?,
            completions: chain("completions")?,
            handoffs: chain("handoffs")?,
            ..Self::default()
        };
        for claim in status["completions"].as_array().into_iter().flatten() {
            let certainty = index(&PROVENANCES, &claim["provenance"]).context("no provenance")?;
            read.claim(certainty, index(&REFERENCES, &claim["sourceReference"]));
        }
        Ok(read)
    }
}

fn known_by(id: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.as_str().hash(&mut hasher);
    hasher.finish()
}

/// A recorded history of one task.
#[derive(Debug)]
pub struct History {
    operations: Vec<Operation<OneTask>>,
}

/// How often the quiet end reads and writes: more than twenty times, since the wrong servers answer wrongly once in
/// seven or twenty times.
const QUIET_ROUNDS: usize = 24;

/// Lets `clients` call at one task at once, `calls` each, then one of them alone, and records what they saw.
///
/// What is wrong while others call may be right for some order of the calls, by chance; what is wrong in the quiet
/// end is wrong in every order.
///
/// # Errors
/// When a call is answered by something else than a result or a refusal.
pub async fn record(
    task: &str,
    clients: Vec<Client>,
    calls: usize,
    random: &Random,
) -> Result<History> {
    let began = Instant::now();
    let barrier = Arc::new(Barrier::new(clients.len()));
    // Who seems to own the task, so that many calls are the owner's.
    let hint = Arc::new(AtomicU8::new(0));
    let mut running = Vec::new();
    for (n, client) in (0_u32..).zip(clients) {
        let (barrier, hint) = (Arc::clone(&barrier), Arc::clone(&hint));
        let mut random = random.fork(u64::from(n));
        let mut caller = Caller::new(n, client, task, began);
        running.push(tokio::spawn(async move {
            barrier.wait().await;
            for _ in 0..calls {
                let call = choose(&mut random, hint.load(Ordering::Relaxed));
                let seen = caller.call(call).await?;
                if let (Call::Accept(by), Seen::Made(_)) = (call, seen) {
                    hint.store(by, Ordering::Relaxed);
                }
            }
            anyhow::Ok(caller)
        }));
    }
    let mut callers = Vec::new();
    for caller in running {
        callers.push(caller.await??);
    }
    if let Some(alone) = callers.first_mut() {
        alone.quiet_end().await?;
    }
    let operations = callers.into_iter().flat_map(|caller| caller.operations);
    Ok(History {
        operations: operations.collect(),
    })
}

/// One client, and what it has seen.
struct Caller {
    number: u32,
    client: Client,
    task: String,
    began: Instant,
    operations: Vec<Operation<OneTask>>,
}

impl Caller {
    fn new(number: u32, client: Client, task: &str, began: Instant) -> Self {
        Self {
            number,
            client,
            task: task.to_owned(),
            began,
            operations: Vec::new(),
        }
    }

    async fn call(&mut self, call: Call) -> Result<Seen> {
        let call_time = nanos(self.began)?;
        let answer = ask(&mut self.client, &self.task, call).await?;
        let return_time = nanos(self.began)?;
        let seen = see(call, answer)?;
        self.operations.push(Operation {
            client_id: Some(self.number),
            call_time,
            return_time,
            op: Op {
                call,
                seen: seen.clone(),
            },
            metadata: None,
        });
        Ok(seen)
    }

    /// Reads the task and writes what it then may, again and again, while nobody else calls.
    async fn quiet_end(&mut self) -> Result<()> {
        for _ in 0..QUIET_ROUNDS {
            let seen = self.call(Call::Status).await?;
            let owner = match seen {
                Seen::Task(task) => task.owner,
                other => anyhow::bail!("a status was answered {other:?}"),
            };
            self.call(owner.map_or(Call::Accept(0), |owner| Call::Handoff(owner, 0)))
                .await?;
        }
        Ok(())
    }
}

fn nanos(began: Instant) -> Result<i64> {
    Ok(i64::try_from(began.elapsed().as_nanos())?)
}

fn choose(random: &mut Random, owner: u8) -> Call {
    let mut actor = || u8::try_from(random.below(ACTORS.len() as u64)).unwrap_or(0);
    let (one, other) = (actor(), actor());
    let by = if random.below(5) == 0 { one } else { owner };
    match random.below(100) {
        0..30 => Call::Accept(one),
        30..55 => {
            let certainty = u8::try_from(random.below(3)).unwrap_or(0);
            let cited = u8::try_from(random.below(REFERENCES.len() as u64 + 1)).unwrap_or(0);
            Call::Complete(by, certainty, cited.checked_sub(1))
        }
        55..75 => Call::Handoff(by, other),
        _ => Call::Status,
    }
}

async fn ask(client: &mut Client, task: &str, call: Call) -> Result<Answer> {
    let actor = |i: u8| ACTORS[usize::from(i)];
    match call {
        Call::Accept(by) => client.accept(task, actor(by)).await,
        Call::Complete(by, certainty, cited) => {
            let cited = cited.map(|i| REFERENCES[usize::from(i)]);
            let how = PROVENANCES[usize::from(certainty)];
            client.complete(task, actor(by), how, cited).await
        }
        Call::Handoff(from, to) => client.handoff(task, actor(from), actor(to)).await,
        Call::Status => {
            client
                .call("get_task_status", serde_json::json!({"taskId": task}))
                .await
        }
    }
}

fn see(call: Call, answer: Answer) -> Result<Seen> {
    Ok(match (call, answer.status) {
        (Call::Status, 200) => Seen::Task(Task::read(&answer.body)?),
        (_, 201) => Seen::Made(known_by(&answer.body["id"])),
        (_, 403 | 409) => Seen::Refused(answer.code().to_owned()),
        _ => anyhow::bail!("{call:?} was answered {} {}", answer.status, answer.body),
    })
}

impl History {
    /// How many calls there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Whether it can have caught anything: calls overlapped, and each kind was answered in more than one way.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn says_enough(&self) -> Result<()> {
        let overlapping = self
            .operations
            .iter()
            .filter(|one| {
                self.operations.iter().any(|other| {
                    other.client_id != one.client_id
                        && other.call_time < one.return_time
                        && one.call_time < other.return_time
                })
            })
            .count();
        let share = overlapping * 100 / self.len().max(1);
        ensure!(
            share >= 50,
            "only {share} % of the calls overlapped with another"
        );
        for code in [
            "already_owned",
            "no_current_owner",
            "not_owner",
            "evidence_required",
        ] {
            let seen = self.count(|op| op.seen == Seen::Refused(code.to_owned()));
            ensure!(seen > 0, "{code} was never answered");
        }
        let made = |kind: fn(Call) -> bool| {
            self.count(|op| kind(op.call) && matches!(op.seen, Seen::Made(_)))
        };
        let accepted = made(|call| matches!(call, Call::Accept(_)));
        let completed = made(|call| matches!(call, Call::Complete(..)));
        let handed_off = made(|call| matches!(call, Call::Handoff(..)));
        ensure!(
            accepted > 5 && completed > 5 && handed_off > 5,
            "only {accepted} acceptances, {completed} claims and {handed_off} handoffs were made"
        );
        Ok(())
    }

    fn count(&self, which: impl Fn(&Op) -> bool) -> usize {
        self.operations
            .iter()
            .filter(|operation| which(&operation.op))
            .count()
    }

    /// Whether it is linearizable. When it is not, a drawing of how far it is goes to the system's temporary
    /// folder.
    ///
    /// # Errors
    /// When the question could not be answered in a minute.
    pub fn is_linearizable(&self) -> Result<bool> {
        let limit = Duration::from_secs(60);
        match porcupine_rs::check_operations_timeout::<OneTask>(&self.operations, limit) {
            CheckResult::Ok => Ok(true),
            CheckResult::Illegal => Ok(false),
            CheckResult::Unknown => anyhow::bail!("the checker had no answer in {limit:?}"),
        }
    }

    /// Draws the history as an HTML page in the system's temporary folder, and says where.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn draw(&self) -> Result<std::path::PathBuf> {
        let limit = Duration::from_secs(60);
        let (_, info) =
            porcupine_rs::check_operations_info_timeout::<OneTask>(&self.operations, limit);
        let path =
            std::env::temp_dir().join(format!("deedbox-history-{}.html", std::process::id()));
        porcupine_rs::visualize_path::<OneTask>(&info, &path)?;
        Ok(path)
    }
}
