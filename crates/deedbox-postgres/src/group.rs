//! A group of commands in one transaction: load, decide, write, commit.
//!
//! The commands of a group are decided one after the other, each on the state that those before it left, with
//! every task's row locked. So they get the answers that they would get one by one, and none of
//! these is given before the commit.

use std::{
    collections::{BTreeSet, HashMap},
    time::Instant,
};

use deedbox_core::{Deed, Projection, Refusal, TaskId, Timestamp, World, limits};
use deedbox_store::{Execute, Idempotency, Kept, Outcome, StoreError};
use sqlx::{Connection, PgConnection};

use crate::{
    error::{Failure, store_error},
    load::{Loaded, Repeat, Tasks, Wait, load},
    rows::DeedRow,
    write::{Record, write},
};

/// What came of one command of a group.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Answered, and durable if it is a deed.
    Done(Box<Outcome>),
    /// Somebody else is at its task or its idempotency key; it has to be asked again, alone.
    Again,
    /// It cannot be carried out.
    Failed(StoreError),
}

/// Carries out `group`. The verdicts are in its order.
///
/// After a failure nothing was written, unless it is [`Failure::Unknown`].
pub(crate) async fn run(
    connection: &mut PgConnection,
    world: &dyn World,
    group: &[&Execute],
    wait: Wait,
) -> Result<Vec<Verdict>, Failure> {
    let started = Instant::now();
    let mut transaction = connection.begin().await?;
    let (tasks, loaded) = load(&mut transaction, group, wait, world.now()).await?;
    // The clock is read under the locks, so that whoever held them before has an earlier time.
    let mut deciding = Deciding::new(world.now(), tasks);
    let mut verdicts = Vec::with_capacity(group.len());
    let mut to_look_again = Vec::new();
    for (execute, loaded) in group.iter().zip(loaded) {
        verdicts.push(match deciding.decide(execute, loaded) {
            Ok(Decision::Done(outcome)) => Verdict::Done(outcome),
            Ok(Decision::HeldElsewhere) => Verdict::Again,
            Ok(Decision::Refused(refusal)) => {
                if execute.idempotency.is_some() {
                    to_look_again.push(verdicts.len());
                }
                Verdict::Done(Box::new(Err(refusal)))
            }
            Ok(Decision::Repeated(repeat)) => {
                Verdict::Done(kept(read_deed(&mut transaction, &repeat).await?, true))
            }
            Err(error) => Verdict::Failed(error),
        });
    }
    for place in to_look_again {
        if was_done_meanwhile(&mut transaction, group[place], deciding.now).await? {
            verdicts[place] = Verdict::Again;
        }
    }
    if deciding.deeds.is_empty() {
        transaction.rollback().await?;
        return Ok(verdicts);
    }
    let size = deciding.deeds.len();
    deciding.write(&mut transaction).await?;
    // From here on a lost connection does not say whether the deeds are kept.
    transaction
        .commit()
        .await
        .map_err(|error| Failure::Unknown(store_error(error)))?;
    record(size, started);
    Ok(verdicts)
}

fn record(deeds: usize, started: Instant) {
    metrics::counter!("deedbox_commits_total", "backend" => "postgres").increment(1);
    metrics::histogram!("deedbox_commit_seconds", "backend" => "postgres")
        .record(started.elapsed());
    #[expect(
        clippy::cast_precision_loss,
        reason = "a group has at most some hundred deeds"
    )]
    metrics::histogram!("deedbox_commit_group_size", "backend" => "postgres").record(deeds as f64);
}

/// The state of a group between its commands.
struct Deciding {
    now: Timestamp,
    tasks: Tasks,
    changed: BTreeSet<TaskId>,
    others: Vec<Projection>,
    deeds: Vec<Deed>,
    records: Vec<Record>,
    /// What this group's own commands did under an idempotency key: a place in `records`, and the deed.
    named: HashMap<(String, String), (usize, Deed)>,
}

enum Decision {
    Done(Box<Outcome>),
    Refused(Refusal),
    Repeated(Repeat),
    HeldElsewhere,
}

impl Deciding {
    fn new(now: Timestamp, tasks: Tasks) -> Self {
        Self {
            now,
            tasks,
            changed: BTreeSet::new(),
            others: Vec::new(),
            deeds: Vec::new(),
            records: Vec::new(),
            named: HashMap::new(),
        }
    }

    fn decide(&mut self, execute: &Execute, loaded: Loaded) -> Result<Decision, StoreError> {
        if let Some(idempotency) = &execute.idempotency
            && let Some(repeated) = self.repeated(execute, idempotency, loaded.repeat)?
        {
            return Ok(repeated);
        }
        if loaded.held_elsewhere {
            return Ok(Decision::HeldElsewhere);
        }
        let mut state = loaded.state;
        state.task = execute
            .needs()
            .task
            .and_then(|task| self.tasks.get(&task).cloned());
        let decided = match execute.decide(state, self.now)? {
            Ok(decided) => decided,
            Err(refusal) => return Ok(Decision::Refused(refusal)),
        };
        match decided.projection {
            Projection::Task(task) => {
                self.changed.insert(task.id);
                self.tasks.insert(task.id, *task);
            }
            other => self.others.push(other),
        }
        let deed = decided
            .deeds
            .last()
            .cloned()
            .ok_or_else(|| StoreError::Rejected("a command led to no deed".into()))?;
        self.deeds.extend(decided.deeds);
        if let Some(idempotency) = &execute.idempotency {
            let name = name(execute, idempotency);
            self.records
                .push(Record::new(&name, idempotency, &deed, self.now));
            self.named
                .insert(name, (self.records.len() - 1, deed.clone()));
        }
        Ok(Decision::Done(kept(deed, false)))
    }

    /// The answer to a request that was answered before.
    fn repeated(
        &self,
        execute: &Execute,
        idempotency: &Idempotency,
        repeat: Option<Repeat>,
    ) -> Result<Option<Decision>, StoreError> {
        let conflict = || Some(Decision::Done(Box::new(Err(Refusal::IdempotencyConflict))));
        if let Some((place, deed)) = self.named.get(&name(execute, idempotency)) {
            if self.records[*place].request != idempotency.request {
                return Ok(conflict());
            }
            return Ok(Some(Decision::Done(kept(deed.clone(), true))));
        }
        let Some(repeat) = repeat else {
            return Ok(None);
        };
        if !repeat.is_fresh(self.now)? {
            return Ok(None);
        }
        if repeat.is_of(&idempotency.request) {
            Ok(Some(Decision::Repeated(repeat)))
        } else {
            Ok(conflict())
        }
    }

    async fn write(&self, connection: &mut PgConnection) -> Result<(), Failure> {
        let changed = self.changed.iter().filter_map(|id| self.tasks.get(id));
        let expired = self.now.plus_millis(-limits::IDEMPOTENCY_MILLIS);
        write(
            connection,
            &self.deeds,
            changed,
            &self.others,
            &self.records,
            expired,
        )
        .await
    }
}

fn kept(deed: Deed, replayed: bool) -> Box<Outcome> {
    Box::new(Ok(Kept { deed, replayed }))
}

fn name(execute: &Execute, idempotency: &Idempotency) -> (String, String) {
    let principal = execute.attribution.principal.id.to_string();
    (principal, idempotency.key.to_string())
}

async fn read_deed(connection: &mut PgConnection, repeat: &Repeat) -> Result<Deed, Failure> {
    let row = sqlx::query_as!(
        DeedRow,
        "SELECT * FROM deeds WHERE stream = $1 AND version = $2",
        repeat.stream,
        repeat.version
    )
    .fetch_optional(connection)
    .await?;
    let place = || format!("{} version {}", repeat.stream, repeat.version);
    let row = row.ok_or_else(|| StoreError::unreadable("deed", place(), "it is missing"))?;
    Ok(row.read()?)
}

/// Whether a request that is about to be refused was carried out by a repeat of itself between the moment
/// as of which this transaction looked for that and the moment at which it had its task's row. Then the
/// refusal (of a second acceptance, say) would be the wrong answer.
async fn was_done_meanwhile(
    connection: &mut PgConnection,
    execute: &Execute,
    now: Timestamp,
) -> Result<bool, Failure> {
    let Some(idempotency) = &execute.idempotency else {
        return Ok(false);
    };
    let repeat = sqlx::query_as!(
        Repeat,
        "SELECT request, stream, version, created_at AS at FROM idempotency
         WHERE principal = $1 AND key = $2",
        execute.attribution.principal.id.as_str(),
        idempotency.key.as_str(),
    )
    .fetch_optional(connection)
    .await?;
    Ok(match repeat {
        Some(repeat) => repeat.is_fresh(now)?,
        None => false,
    })
}
