//! What a group of commands needs to know, in one statement.

use std::collections::{BTreeSet, HashMap};

use deedbox_core::{
    ActorId, Needs, State, Stream, TaskId, TaskState, Timestamp, hash::RequestHash,
};
use deedbox_store::{Execute, StoreError};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    error::Failure,
    memories, publications, registries,
    rows::{ActorRow, KeyRow, Micros, TaskRow},
};

/// What to do about a task whose row another transaction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Leave it out: nobody else in the group should wait for it.
    No,
    /// Wait, up to the connection's `lock_timeout`.
    Yes,
}

/// What was loaded for one command.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// All but the task, which may be shared within the group.
    pub(crate) state: State,
    pub(crate) repeat: Option<Repeat>,
    /// The task exists, but another transaction holds its row.
    pub(crate) held_elsewhere: bool,
}

/// The record of an earlier request with the same idempotency key.
#[derive(Clone, Debug)]
pub(crate) struct Repeat {
    pub(crate) request: Vec<u8>,
    pub(crate) stream: String,
    pub(crate) version: i64,
    pub(crate) at: Micros,
}

/// The tasks of a group, as they stand in its transaction.
pub(crate) type Tasks = HashMap<TaskId, TaskState>;

/// One row for each command: its task's row, locked, and whether what it names exists.
struct Row {
    known: Option<bool>,
    other_known: Option<bool>,
    evidence: Option<bool>,
    exists: Option<bool>,
    named: Option<bool>,
    request: Option<Vec<u8>>,
    stream: Option<String>,
    done_version: Option<i64>,
    done_at: Option<Micros>,
    id: Option<Uuid>,
    version: Option<i64>,
    head_hash: Option<Vec<u8>>,
    head_at: Option<Micros>,
    status: Option<String>,
    owner: Option<String>,
    injected_by: Option<String>,
    created_at: Option<Micros>,
    reserved_for: Option<String>,
    recipient_only: Option<bool>,
    latest_acceptance: Option<serde_json::Value>,
    latest_completion: Option<serde_json::Value>,
    cited: Option<serde_json::Value>,
    bytes: Option<i64>,
}

impl Row {
    fn task(&mut self) -> Option<TaskRow> {
        Some(TaskRow {
            id: self.id.take()?,
            version: self.version?,
            head_hash: self.head_hash.take()?,
            head_at: self.head_at?,
            status: self.status.take()?,
            owner: self.owner.take(),
            injected_by: self.injected_by.take()?,
            created_at: self.created_at?,
            reserved_for: self.reserved_for.take(),
            recipient_only: self.recipient_only?,
            latest_acceptance: self.latest_acceptance.take(),
            latest_completion: self.latest_completion.take(),
            cited: self.cited.take()?,
            bytes: self.bytes?,
        })
    }

    fn repeat(&mut self) -> Option<Repeat> {
        Some(Repeat {
            request: self.request.take()?,
            stream: self.stream.take()?,
            version: self.done_version?,
            at: self.done_at?,
        })
    }
}

// `LIMIT 1` in each lateral part keeps it a look-up by key for each command, however the planner guesses
// at the sizes. `held` is read once, before anything is joined to it.
macro_rules! load {
    ($lock:literal, $wants:expr) => {
        sqlx::query_as!(
            Row,
            r#"
WITH held AS MATERIALIZED (
    SELECT * FROM tasks WHERE id = ANY($1) ORDER BY id FOR UPDATE "#
                + $lock
                + r#"
)
SELECT a.known AS "known?", b.known AS "other_known?", e.known AS "evidence?", x.known AS "exists?",
       n.known AS "named?",
       i.request AS "request?", i.stream AS "stream?", i.version AS "done_version?",
       i.created_at AS "done_at?",
       t.id AS "id?", t.version AS "version?", t.head_hash AS "head_hash?", t.head_at AS "head_at?",
       t.status AS "status?", t.owner, t.injected_by AS "injected_by?",
       t.created_at AS "created_at?", t.reserved_for, t.recipient_only AS "recipient_only?",
       t.latest_acceptance, t.latest_completion, t.cited AS "cited?", t.bytes AS "bytes?"
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
            $7::uuid[])
     WITH ORDINALITY AS w (task, actor, other, evidence, principal, key, named, place)
LEFT JOIN held t ON t.id = w.task
LEFT JOIN LATERAL (SELECT true AS known FROM tasks WHERE id = w.task LIMIT 1) x ON true
LEFT JOIN LATERAL (SELECT true AS known FROM tasks WHERE id = w.named LIMIT 1) n ON true
LEFT JOIN LATERAL (SELECT true AS known FROM actors WHERE id = w.actor LIMIT 1) a ON true
LEFT JOIN LATERAL (SELECT true AS known FROM actors WHERE id = w.other LIMIT 1) b ON true
LEFT JOIN LATERAL (
    SELECT true AS known FROM deeds WHERE stream = w.evidence AND version = 1 LIMIT 1
) e ON true
LEFT JOIN LATERAL (
    SELECT * FROM idempotency WHERE principal = w.principal AND key = w.key LIMIT 1
) i ON true
ORDER BY w.place"#,
            &$wants.task as &[Option<Uuid>],
            &$wants.actor as &[Option<&str>],
            &$wants.other as &[Option<&str>],
            &$wants.evidence as &[Option<String>],
            &$wants.principal as &[Option<&str>],
            &$wants.key as &[Option<&str>],
            &$wants.named as &[Option<Uuid>],
        )
    };
}

#[derive(Default)]
struct Wants<'a> {
    task: Vec<Option<Uuid>>,
    actor: Vec<Option<&'a str>>,
    other: Vec<Option<&'a str>>,
    evidence: Vec<Option<String>>,
    principal: Vec<Option<&'a str>>,
    key: Vec<Option<&'a str>>,
    named: Vec<Option<Uuid>>,
}

impl<'a> Wants<'a> {
    fn of(group: &[&'a Execute], needs: &'a [Needs]) -> Self {
        let mut wants = Wants::default();
        for (execute, need) in group.iter().zip(needs) {
            let [actor, other] = [0, 1].map(|i| need.actors.get(i).map(ActorId::as_str));
            wants.task.push(need.task.map(|task| task.0));
            wants.actor.push(actor);
            wants.other.push(other);
            wants
                .evidence
                .push(need.evidence.map(|id| Stream::Evidence(id).to_string()));
            let idempotency = execute.idempotency.as_ref();
            wants
                .principal
                .push(idempotency.map(|_| execute.attribution.principal.id.as_str()));
            wants.key.push(idempotency.map(|i| i.key.as_str()));
            wants.named.push(need.named_task.map(|task| task.0));
        }
        wants
    }
}

/// Loads what `group` needs, and locks it. One row of the answer for each command, in order.
pub(crate) async fn load(
    connection: &mut PgConnection,
    group: &[&Execute],
    wait: Wait,
    now: Timestamp,
) -> Result<(Tasks, Vec<Loaded>), Failure> {
    let needs: Vec<_> = group.iter().map(|execute| execute.needs()).collect();
    let wants = Wants::of(group, &needs);
    let rows = match wait {
        Wait::No => {
            load!("SKIP LOCKED", wants)
                .fetch_all(&mut *connection)
                .await?
        }
        Wait::Yes => load!("", wants).fetch_all(&mut *connection).await?,
    };
    let mut tasks = Tasks::new();
    let mut loaded = Vec::with_capacity(group.len());
    for (mut row, need) in rows.into_iter().zip(needs) {
        let repeat = row.repeat();
        let (known, other_known) = (row.known, row.other_known);
        let evidence = row.evidence.is_some();
        let exists = row.exists.is_some();
        let named_task = row.named.is_some();
        let task = row.task();
        let held_elsewhere = exists && task.is_none();
        if let Some(task) = task
            && !tasks.contains_key(&TaskId(task.id))
        {
            let task = TaskState::try_from(task)?;
            tasks.insert(task.id, task);
        }
        let known = [known, other_known];
        let state = State {
            named_task,
            ..state(connection, need, known, evidence, now).await?
        };
        loaded.push(Loaded {
            state,
            repeat,
            held_elsewhere,
        });
    }
    Ok((tasks, loaded))
}

/// The state for one command, but for its task. What only commands of operators need is asked for here,
/// one by one.
async fn state(
    connection: &mut PgConnection,
    need: Needs,
    known: [Option<bool>; 2],
    evidence: bool,
    now: Timestamp,
) -> Result<State, Failure> {
    let actors: BTreeSet<ActorId> = need
        .actors
        .into_iter()
        .zip(known)
        .filter_map(|(actor, known)| known.map(|_| actor))
        .collect();
    let mut state = State {
        actors,
        evidence,
        ..State::default()
    };
    if let Some(id) = need.actor {
        state.actor = actor(connection, &id).await?;
    }
    if let Some(id) = need.key {
        state.key = sqlx::query_as!(
            KeyRow,
            "SELECT * FROM keys WHERE id = $1 FOR UPDATE",
            id.as_str()
        )
        .fetch_optional(&mut *connection)
        .await?
        .map(TryInto::try_into)
        .transpose()?;
    }
    if let Some(id) = need.publication {
        publications::load(connection, &mut state, id, need.signs).await?;
    }
    if let Some(id) = need.registry {
        state.registry = registries::load(connection, id).await?;
    }
    if need.memory.is_some() || need.space.is_some() {
        let (memory, space) = (need.memory, need.space);
        memories::load(connection, &mut state, memory, space, need.twin).await?;
    }
    if need.operator {
        state.operator = operator(connection, now).await?;
    }
    Ok(state)
}

async fn actor(
    connection: &mut PgConnection,
    id: &ActorId,
) -> Result<Option<deedbox_core::Actor>, Failure> {
    let row = sqlx::query_as!(ActorRow, "SELECT * FROM actors WHERE id = $1", id.as_str())
        .fetch_optional(connection)
        .await?;
    let read = row.map(<(deedbox_core::Actor, _)>::try_from).transpose()?;
    Ok(read.map(|(actor, _)| actor))
}

/// Whether an operator key exists that can be used, under a lock that whoever asks this holds until it
/// commits. The lock comes first, so that the look afterwards sees what its last holder did.
async fn operator(connection: &mut PgConnection, now: Timestamp) -> Result<bool, Failure> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('deedbox: first operator key', 0))"
    )
    .fetch_one(&mut *connection)
    .await?;
    let usable = sqlx::query_scalar!(
        "SELECT id FROM keys
         WHERE actor IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)
         ORDER BY id LIMIT 1",
        Micros::from(now)
    )
    .fetch_optional(connection)
    .await?;
    Ok(usable.is_some())
}

impl Repeat {
    /// Whether the record still stands for its key at `now`.
    pub(crate) fn is_fresh(&self, now: Timestamp) -> Result<bool, StoreError> {
        let at = self
            .at
            .timestamp()
            .map_err(|cause| StoreError::unreadable("idempotency", &self.stream, cause))?;
        Ok(at.plus_millis(deedbox_core::limits::IDEMPOTENCY_MILLIS) > now)
    }

    pub(crate) fn is_of(&self, request: &RequestHash) -> bool {
        self.request == request.as_bytes()
    }
}
