//! Taking away what a chain took back, and what nobody wants to know any more.

use std::collections::BTreeMap;

use deedbox_core::Timestamp;
use deedbox_store::{
    StoreError,
    index::{Checkpoint, Cursor, Entry, Fact, Lease, RegistryId, Superseded},
};
use futures::TryStreamExt as _;
use sqlx::{Executor as _, PgConnection};

use super::{
    apply::held,
    edition,
    entries::{Entries, Row},
    leases::{keep_cursors, lock},
    rows::{FactRow, attach, height, subject},
};
use crate::error::store_error;

pub(super) async fn rewind(
    connection: &mut PgConnection,
    lease: &Lease,
    to: Option<Checkpoint>,
    now: Timestamp,
) -> Result<Result<Cursor, Superseded>, StoreError> {
    let of = lease.registry;
    let mut locked = lock(&mut *connection, &[of]).await?;
    let row = match held(&mut locked, of, Some(lease), now) {
        Ok(row) => row,
        Err(superseded) => return Ok(Err(superseded)),
    };
    if let Err(superseded) = row.cursor.go_back(to) {
        return Ok(Err(superseded));
    }
    let above = to.map_or(Ok(0), |to| height(to.block).map(|block| block + 1))?;
    let touched = sqlx::query_file_scalar!("queries/index/facts_forget.sql", row.id, above)
        .fetch_all(&mut *connection)
        .await
        .map_err(store_error)?;
    if !touched.is_empty() {
        fold_anew(&mut *connection, of, row.id, &touched).await?;
    }
    keep_cursors(connection, [&*row]).await?;
    Ok(Ok(row.cursor.clone()))
}

/// Makes subjects' entries from the facts that are left of them; subjects of which none are left go.
async fn fold_anew(
    connection: &mut PgConnection,
    of: RegistryId,
    registry: i64,
    touched: &[i64],
) -> Result<(), StoreError> {
    let mut left = left_of(&mut *connection, of, touched).await?;
    let subjects = sqlx::query_file!("queries/index/subjects_of.sql", touched)
        .fetch_all(&mut *connection)
        .await
        .map_err(store_error)?;
    let (mut entries, mut gone, mut without) = (Entries::default(), Vec::new(), Vec::new());
    for known in subjects {
        let id = known.id;
        let row = Row {
            id,
            registry,
            subject: subject(&known.key)?,
            is_new: false,
        };
        match left.remove(&id) {
            None => gone.push(id),
            Some(None) => {
                without.push(id);
                entries.push(row, None)?;
            }
            Some(Some(mut entry)) => {
                attach(&mut entry, id, known.check.as_deref())?;
                entries.push(row, Some(&entry))?;
            }
        }
    }
    sqlx::query_file!("queries/index/subjects_forget.sql", &gone, &without)
        .execute(&mut *connection)
        .await
        .map_err(store_error)?;
    entries.write(connection).await
}

/// What the facts that are left of subjects fold to; nothing for those of which none are left. A subject's facts are not held in memory,
/// however many there are.
async fn left_of(
    connection: &mut PgConnection,
    of: RegistryId,
    subjects: &[i64],
) -> Result<BTreeMap<i64, Option<Entry>>, StoreError> {
    let mut left: BTreeMap<i64, Option<Entry>> = BTreeMap::new();
    let mut rows = sqlx::query_file!("queries/index/facts_of.sql", subjects).fetch(connection);
    while let Some(row) = rows.try_next().await.map_err(store_error)? {
        let fact = Fact::try_from(FactRow {
            block: row.block,
            log_index: row.log_index,
            tx: row.tx,
            statement: row.statement,
            hash: row.hash,
            at: row.at,
        })?;
        let entry = left.entry(row.subject).or_default();
        *entry = Entry::fold(entry.take(), of, [&fact]);
    }
    Ok(left)
}

pub(super) async fn forget(
    connection: &mut PgConnection,
    of: RegistryId,
) -> Result<(), StoreError> {
    // A registry of a million agents takes longer than a request may.
    connection
        .execute("SET LOCAL statement_timeout = 0")
        .await
        .map_err(store_error)?;
    let locked = lock(&mut *connection, &[of]).await?;
    if locked.is_empty() {
        return Ok(());
    }
    for row in locked.values() {
        sqlx::query_file!("queries/index/registry_forget.sql", row.id)
            .execute(&mut *connection)
            .await
            .map_err(store_error)?;
    }
    edition::number_anew(connection).await
}
