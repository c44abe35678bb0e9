//! Taking away what a chain took back, and what nobody wants to know any more.

use std::collections::{BTreeMap, BTreeSet};

use deedbox_core::Timestamp;
use deedbox_store::{
    StoreError,
    index::{Checkpoint, Cursor, Entry, Lease, RegistryId, Superseded},
};
use sqlx::SqliteConnection;

use super::{
    leases::{held, keep_cursor},
    read,
    rows::{FactRow, attach, height, numbers},
    write::{Written, keep, replace_documents},
};
use crate::error::failed;

/// How many facts of a subject are read at once.
const PAGE: u32 = 1_000;

pub(super) async fn rewind(
    connection: &mut SqliteConnection,
    lease: &Lease,
    to: Option<Checkpoint>,
    now: Timestamp,
) -> Result<Result<Cursor, Superseded>, StoreError> {
    let held = held(&mut *connection, lease.registry, Some(lease), now).await?;
    let (registry, mut cursor) = match held {
        Ok(held) => held,
        Err(superseded) => return Ok(Err(superseded)),
    };
    if let Err(superseded) = cursor.go_back(to) {
        return Ok(Err(superseded));
    }
    let above = to.map_or(Ok(0), |to| height(to.block).map(|block| block + 1))?;
    for subject in take_away(&mut *connection, registry, above).await? {
        fold_anew(&mut *connection, lease.registry, subject).await?;
    }
    keep_cursor(connection, registry, &cursor).await?;
    Ok(Ok(cursor))
}

/// Takes away the facts of a block and of those above it. Returns of whom they spoke.
async fn take_away(
    connection: &mut SqliteConnection,
    registry: i64,
    block: i64,
) -> Result<BTreeSet<i64>, StoreError> {
    let (_, last) = numbers(registry);
    let first = sqlx::query_file_scalar!("queries-index/blocks_from.sql", registry, block)
        .fetch_optional(&mut *connection)
        .await
        .map_err(failed)?;
    let Some(first) = first else {
        return Ok(BTreeSet::new());
    };
    let subjects = sqlx::query_file_scalar!("queries-index/facts_subjects.sql", first, last)
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
    sqlx::query_file!("queries-index/facts_forget.sql", first, last)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    sqlx::query_file!("queries-index/blocks_forget.sql", registry, block)
        .execute(connection)
        .await
        .map_err(failed)?;
    Ok(subjects.into_iter().collect())
}

/// Makes a subject's entry from the facts that are left of it; a subject of which none are left goes.
async fn fold_anew(
    connection: &mut SqliteConnection,
    registry: RegistryId,
    subject: i64,
) -> Result<(), StoreError> {
    let (mut entry, mut after, mut any) = (None, (-1, -1), false);
    loop {
        let (block, log) = after;
        let rows = sqlx::query_file_as!(
            FactRow,
            "queries-index/facts_of.sql",
            subject,
            block,
            log,
            PAGE
        )
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
        let Some(last) = rows.last() else { break };
        after = (last.block, last.log_index);
        any = true;
        let facts = rows.into_iter().map(FactRow::fact);
        let facts = facts.collect::<Result<Vec<_>, _>>()?;
        entry = Entry::fold(entry, registry, &facts);
    }
    if !any {
        return drop_subject(connection, subject).await;
    }
    match entry {
        Some(mut entry) => {
            let check = sqlx::query_file_scalar!("queries-index/check.sql", subject)
                .fetch_optional(&mut *connection)
                .await
                .map_err(failed)?;
            attach(&mut entry, subject, check.as_deref())?;
            let (words, written) = Written::of(&entry)?;
            keep(&mut *connection, subject, written).await?;
            replace_documents(connection, &[subject], BTreeMap::from([(subject, words)])).await
        }
        None => {
            sqlx::query_file!(
                "queries-index/subjects_change.sql",
                subject,
                None::<&str>,
                None::<&str>,
                None::<i64>
            )
            .execute(&mut *connection)
            .await
            .map_err(failed)?;
            replace_documents(connection, &[subject], BTreeMap::new()).await
        }
    }
}

async fn drop_subject(connection: &mut SqliteConnection, subject: i64) -> Result<(), StoreError> {
    sqlx::query_file!("queries-index/subject_forget.sql", subject)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    sqlx::query_file!("queries-index/check_forget.sql", subject)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    replace_documents(connection, &[subject], BTreeMap::new()).await
}

pub(super) async fn forget(
    connection: &mut SqliteConnection,
    registry: RegistryId,
) -> Result<(), StoreError> {
    let Some(row) = read::registry(&mut *connection, registry).await? else {
        return Ok(());
    };
    take_away(&mut *connection, row.id, 0).await?;
    // Subjects last: the others are found by them.
    sqlx::query_file!("queries-index/documents_forget_all.sql", row.id)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    sqlx::query_file!("queries-index/checks_forget.sql", row.id)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    sqlx::query_file!("queries-index/subjects_forget.sql", row.id)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    sqlx::query_file!("queries-index/numbering_change.sql")
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    sqlx::query_file!("queries-index/registry_forget.sql", row.id)
        .execute(connection)
        .await
        .map(drop)
        .map_err(failed)
}
