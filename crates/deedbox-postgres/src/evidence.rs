//! Readings that were recorded: kept, found by their block, listed by their age, and opened.

use std::collections::BTreeSet;

use deedbox_core::{
    Deed, Evidence, EvidenceId, EvidenceState, FixedBlock, Stream, TaskId, evidence::ReadingKey,
};
use deedbox_store::{Recorded, StoreError};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    error::Failure,
    pool::Pool,
    rows::{DeedRow, EvidenceRow, Micros, signed},
};

/// Keeps where the stream of new evidence stands. It never stands anywhere else.
pub(crate) async fn add(
    connection: &mut PgConnection,
    evidence: &EvidenceState,
) -> Result<(), Failure> {
    sqlx::query!(
        "INSERT INTO evidence (id, version, head_hash, head_at, tool, chain_id, block_number, block_hash,
                               digest, task, recorded_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        evidence.id.0,
        signed(evidence.head.version),
        evidence.head.hash.as_bytes().as_slice(),
        Micros::from(evidence.head.at),
        evidence.tool.as_str(),
        signed(evidence.chain_id),
        signed(evidence.block_number),
        evidence.block_hash.0.as_slice(),
        evidence.digest.as_bytes().as_slice(),
        evidence.task.map(|task| task.0),
        Micros::from(evidence.recorded_at),
    )
    .execute(connection)
    .await?;
    Ok(())
}

pub(crate) async fn one(pool: &Pool, id: EvidenceId) -> Result<Option<Evidence>, StoreError> {
    let stream = Stream::Evidence(id).to_string();
    let row = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(
                    DeedRow,
                    "SELECT * FROM deeds WHERE stream = $1 AND version = 1",
                    stream
                )
                .fetch_optional(connection),
            )
        })
        .await?;
    row.map(opened).transpose()
}

// The readings are taken from an index first; then each one's deed is looked up by key. `LIMIT 1` keeps it that
// way however long the planner thinks that the list might be.
macro_rules! readings {
    ($filter:literal, $($argument:expr),*) => {
        sqlx::query_as!(
            DeedRow,
            r#"
SELECT d.*
FROM (
    SELECT id, recorded_at FROM evidence
    WHERE tool = $1 AND chain_id = $2 AND "# + $filter + r#"
    ORDER BY recorded_at DESC, id DESC
    LIMIT $4
) e
CROSS JOIN LATERAL (
    SELECT * FROM deeds WHERE stream = 'evidence:' || e.id::text AND version = 1 LIMIT 1
) d
ORDER BY e.recorded_at DESC, e.id DESC"#,
            $($argument),*
        )
    };
}

pub(crate) async fn readings(
    pool: &Pool,
    of: &ReadingKey,
    limit: u32,
) -> Result<Vec<Evidence>, StoreError> {
    let (tool, chain, limit) = (of.tool.as_str(), signed(of.chain_id), i64::from(limit));
    let rows = match of.block {
        FixedBlock::Number(number) => {
            let number = signed(number);
            pool.read(|connection| {
                Box::pin(
                    readings!("block_number = $3", tool, chain, number, limit)
                        .fetch_all(connection),
                )
            })
            .await?
        }
        FixedBlock::Hash(hash) => {
            let hash = hash.0.as_slice();
            pool.read(|connection| {
                Box::pin(
                    readings!("block_hash = $3", tool, chain, hash, limit).fetch_all(connection),
                )
            })
            .await?
        }
    };
    rows.into_iter().map(opened).collect()
}

pub(crate) async fn recorded(
    pool: &Pool,
    query: &Recorded,
) -> Result<Vec<EvidenceState>, StoreError> {
    // The first page starts before the newest: at the end of time.
    let (at, id) = query
        .after
        .map_or((Micros::INFINITY, Uuid::max()), |place| {
            (place.recorded_at.into(), place.id.0)
        });
    let limit = i64::from(query.limit);
    let rows = pool
        .read(|connection| match query.task {
            None => Box::pin(
                sqlx::query_as!(
                    EvidenceRow,
                    "SELECT * FROM evidence WHERE (recorded_at, id) < ($1, $2)
                     ORDER BY recorded_at DESC, id DESC LIMIT $3",
                    at,
                    id,
                    limit
                )
                .fetch_all(connection),
            ),
            Some(task) => Box::pin(
                sqlx::query_as!(
                    EvidenceRow,
                    "SELECT * FROM evidence WHERE task = $4 AND (recorded_at, id) < ($1, $2)
                     ORDER BY recorded_at DESC, id DESC LIMIT $3",
                    at,
                    id,
                    limit,
                    task.0
                )
                .fetch_all(connection),
            ),
        })
        .await?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(crate) async fn cited(
    pool: &Pool,
    ids: &BTreeSet<EvidenceId>,
) -> Result<Vec<EvidenceState>, StoreError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(
                    EvidenceRow,
                    "SELECT * FROM evidence WHERE id = ANY($1)",
                    &ids
                )
                .fetch_all(connection),
            )
        })
        .await?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(crate) async fn count(pool: &Pool, task: TaskId) -> Result<u64, StoreError> {
    let count = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_scalar!(
                    r#"SELECT count(*) AS "count!" FROM evidence WHERE task = $1"#,
                    task.0
                )
                .fetch_one(connection),
            )
        })
        .await?;
    Ok(u64::try_from(count).unwrap_or_default())
}

fn opened(row: DeedRow) -> Result<Evidence, StoreError> {
    let deed: Deed = row.read()?;
    let stream = deed.stream.clone();
    Evidence::new(deed).map_err(|broken| StoreError::unreadable("deed", stream, broken))
}
