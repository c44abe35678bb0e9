//! Readings that were recorded: found by their block, listed by their age, and opened.

use std::collections::BTreeSet;

use deedbox_core::{
    Deed, Evidence, EvidenceId, EvidenceState, FixedBlock, Stream, TaskId, evidence::ReadingKey,
};
use deedbox_store::{Recorded, StoreError};

use crate::{
    error::failed,
    readers::Readers,
    rows::{DeedRow, EvidenceRow, array, integer},
};

pub(crate) async fn one(readers: &Readers, id: EvidenceId) -> Result<Option<Evidence>, StoreError> {
    let stream = Stream::Evidence(id).to_string();
    let row = {
        let mut reader = readers.get().await?;
        sqlx::query_file_as!(DeedRow, "queries/status.sql", stream)
            .fetch_optional(&mut *reader)
            .await
            .map_err(failed)?
    };
    row.map(opened).transpose()
}

pub(crate) async fn readings(
    readers: &Readers,
    of: &ReadingKey,
    limit: u32,
) -> Result<Vec<Evidence>, StoreError> {
    let (tool, chain) = (of.tool.as_str(), integer(of.chain_id));
    let rows = {
        let mut reader = readers.get().await?;
        match of.block {
            FixedBlock::Number(number) => {
                let number = integer(number);
                sqlx::query_file_as!(
                    DeedRow,
                    "queries/readings_at_number.sql",
                    tool,
                    chain,
                    number,
                    limit
                )
                .fetch_all(&mut *reader)
                .await
            }
            FixedBlock::Hash(hash) => {
                let hash = hash.0.as_slice();
                sqlx::query_file_as!(
                    DeedRow,
                    "queries/readings_at_hash.sql",
                    tool,
                    chain,
                    hash,
                    limit
                )
                .fetch_all(&mut *reader)
                .await
            }
        }
        .map_err(failed)?
    };
    rows.into_iter().map(opened).collect()
}

pub(crate) async fn recorded(
    readers: &Readers,
    query: &Recorded,
) -> Result<Vec<EvidenceState>, StoreError> {
    let (at, id) = query.after.map_or_else(
        // Before everything: nothing is newer than this.
        || (i64::MAX, String::new()),
        |place| (place.recorded_at.as_millis(), place.id.to_string()),
    );
    let limit = query.limit;
    let rows = {
        let mut reader = readers.get().await?;
        if let Some(task) = query.task {
            let task = task.to_string();
            sqlx::query_file_as!(EvidenceRow, "queries/recorded_for.sql", task, at, id, limit)
                .fetch_all(&mut *reader)
                .await
        } else {
            sqlx::query_file_as!(EvidenceRow, "queries/recorded.sql", at, id, limit)
                .fetch_all(&mut *reader)
                .await
        }
        .map_err(failed)?
    };
    rows.into_iter().map(EvidenceRow::state).collect()
}

pub(crate) async fn cited(
    readers: &Readers,
    ids: &BTreeSet<EvidenceId>,
) -> Result<Vec<EvidenceState>, StoreError> {
    let ids = array(ids);
    let mut reader = readers.get().await?;
    let rows = sqlx::query_file_as!(EvidenceRow, "queries/evidence_cited.sql", ids)
        .fetch_all(&mut *reader)
        .await
        .map_err(failed)?;
    rows.into_iter().map(EvidenceRow::state).collect()
}

pub(crate) async fn count(readers: &Readers, task: TaskId) -> Result<u64, StoreError> {
    let task = task.to_string();
    let mut reader = readers.get().await?;
    let count = sqlx::query_file_scalar!("queries/readings_count.sql", task)
        .fetch_one(&mut *reader)
        .await
        .map_err(failed)?;
    Ok(u64::try_from(count).unwrap_or(0))
}

fn opened(row: DeedRow) -> Result<Evidence, StoreError> {
    let deed: Deed = row.deed()?;
    let stream = deed.stream.clone();
    Evidence::new(deed).map_err(|broken| StoreError::unreadable("deed", stream, broken))
}
