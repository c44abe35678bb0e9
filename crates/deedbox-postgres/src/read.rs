//! Reads that need no transaction: each is one statement, and so is true of one moment.

use std::error::Error;

use deedbox_core::{
    Actor, ActorId, Deed, Head, KeyRecord, TaskId, Timestamp,
    task::{Status, Task},
};
use deedbox_store::{StoreError, Unaccepted};
use uuid::Uuid;

use crate::{
    evidence,
    pool::Pool,
    rows::{ActorRow, DeedRow, KeyRow, Micros},
};

pub(crate) async fn status(pool: &Pool, task: TaskId) -> Result<Option<Status>, StoreError> {
    let stream = format!("task:{task}");
    let rows = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(
                    DeedRow,
                    "SELECT * FROM deeds WHERE stream = $1 ORDER BY version",
                    stream
                )
                .fetch_all(connection),
            )
        })
        .await?;
    let deeds: Vec<Deed> = rows
        .into_iter()
        .map(DeedRow::read)
        .collect::<Result<_, _>>()?;
    let mut status = Status::from_deeds(deeds)
        .map_err(|broken| StoreError::unreadable("deed", stream, broken))?;
    if let Some(status) = &mut status {
        // Evidence is there before the claim that cites it, and never changes: this need not be the same moment.
        let cited = status.cited();
        if !cited.is_empty() {
            status.witness(&evidence::cited(pool, &cited).await?);
        }
    }
    Ok(status)
}

/// A task's creation, which has its texts, beside where it stands now.
struct Listed {
    now_status: String,
    now_owner: Option<String>,
    stream: String,
    version: i64,
    kind: String,
    body: serde_json::Value,
    at: Micros,
    principal: String,
    basis: String,
    agent_label: Option<String>,
    instance_hash: Option<Vec<u8>>,
    previous_hash: Option<Vec<u8>>,
    hash: Vec<u8>,
}

// The page is taken from the index first; then each of its tasks' texts are looked up by key. `LIMIT 1`
// keeps it that way however long the planner thinks that a page might be.
macro_rules! list {
    ($filter:literal, $($argument:expr),*) => {
        sqlx::query_as!(
            Listed,
            r#"
SELECT t.status AS now_status, t.owner AS now_owner, d.*
FROM (
    SELECT id, status, owner, created_at FROM tasks
    WHERE owner IS NULL AND (created_at, id) < ($1, $2)"# + $filter + r#"
    ORDER BY created_at DESC, id DESC
    LIMIT $3
) t
CROSS JOIN LATERAL (
    SELECT * FROM deeds WHERE stream = 'task:' || t.id::text AND version = 1 LIMIT 1
) d
ORDER BY t.created_at DESC, t.id DESC"#,
            $($argument),*
        )
    };
}

pub(crate) async fn unaccepted(pool: &Pool, query: &Unaccepted) -> Result<Vec<Task>, StoreError> {
    // The first page starts before the newest task: at the end of time.
    let (at, id) = query
        .after
        .map_or((Micros::INFINITY, Uuid::max()), |place| {
            (place.created_at.into(), place.id.0)
        });
    let limit = i64::from(query.limit);
    let rows = pool
        .read(|connection| match &query.injected_by {
            None => Box::pin(list!("", at, id, limit).fetch_all(connection)),
            Some(by) => Box::pin(
                list!(" AND injected_by = $4", at, id, limit, by.as_str()).fetch_all(connection),
            ),
        })
        .await?;
    rows.into_iter().map(task).collect()
}

fn task(row: Listed) -> Result<Task, StoreError> {
    let stream = row.stream.clone();
    let read = |row: Listed| -> Result<Task, Box<dyn Error + Send + Sync>> {
        let status = row.now_status.parse()?;
        let owner = row.now_owner.map(ActorId::new).transpose()?;
        let deed = DeedRow {
            stream: row.stream,
            version: row.version,
            kind: row.kind,
            body: row.body,
            at: row.at,
            principal: row.principal,
            basis: row.basis,
            agent_label: row.agent_label,
            instance_hash: row.instance_hash,
            previous_hash: row.previous_hash,
            hash: row.hash,
        };
        Ok(Task::new(deed.read()?, status, owner)?)
    };
    read(row).map_err(|cause| StoreError::unreadable("task", stream, cause))
}

pub(crate) async fn actor(pool: &Pool, id: &ActorId) -> Result<Option<Actor>, StoreError> {
    let row = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(ActorRow, "SELECT * FROM actors WHERE id = $1", id.as_str())
                    .fetch_optional(connection),
            )
        })
        .await?;
    let read = row.map(<(Actor, Head)>::try_from).transpose()?;
    Ok(read.map(|(actor, _)| actor))
}

pub(crate) async fn actors(pool: &Pool) -> Result<Vec<Actor>, StoreError> {
    let rows = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(ActorRow, "SELECT * FROM actors ORDER BY id").fetch_all(connection),
            )
        })
        .await?;
    rows.into_iter()
        .map(|row| <(Actor, Head)>::try_from(row).map(|(actor, _)| actor))
        .collect()
}

pub(crate) async fn keys(pool: &Pool) -> Result<Vec<KeyRecord>, StoreError> {
    let rows = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(KeyRow, "SELECT * FROM keys ORDER BY created_at, id")
                    .fetch_all(connection),
            )
        })
        .await?;
    rows.into_iter()
        .map(|row| <(KeyRecord, Head)>::try_from(row).map(|(key, _)| key))
        .collect()
}

pub(crate) async fn forget_idempotency(pool: &Pool, before: Timestamp) -> Result<u64, StoreError> {
    // Doing it twice does no harm, so a lost connection is no reason to fail.
    let before = Micros::from(before);
    pool.read(|connection| {
        Box::pin(async move {
            let query = sqlx::query!("DELETE FROM idempotency WHERE created_at < $1", before);
            Ok(query.execute(connection).await?.rows_affected())
        })
    })
    .await
}

pub(crate) async fn ping(pool: &Pool) -> Result<(), StoreError> {
    let read_only = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_scalar!(
                    r#"SELECT current_setting('transaction_read_only') = 'on' AS "read_only!""#
                )
                .fetch_one(connection),
            )
        })
        .await?;
    if read_only {
        return Err(StoreError::Unavailable(
            "the database server takes no writes: it is a standby, or is set to read only".into(),
        ));
    }
    Ok(())
}
