//! Words of memories that another edition of this program made are made anew.

use std::collections::HashMap;

use deedbox_store::{MEMORY_EDITION, StoreError, document};
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

use super::write::wanted;
use crate::error::store_error;

/// How many are made anew at once, in a transaction of their own: others write in between.
const PAGE: i64 = 1_000;
/// After how many it is said how far that is.
const STEP: usize = 100_000;

/// Makes them anew; in nearly every case there is nothing to do. Several replicas may do so at once: each waits for the other's page.
pub(crate) async fn renew(connection: &mut PgConnection) -> Result<(), StoreError> {
    let mut renewed = 0;
    loop {
        let more = page(connection).await?;
        if more == 0 {
            break;
        }
        renewed += more;
        if renewed % STEP == 0 {
            tracing::info!(memory.renewed = renewed, "words of memories are made anew");
        }
    }
    if renewed > 0 {
        tracing::info!(
            memory.renewed = renewed,
            memory.edition = MEMORY_EDITION,
            "the words of memories were made by another edition of this program, and were made anew"
        );
    }
    Ok(())
}

async fn page(connection: &mut PgConnection) -> Result<usize, StoreError> {
    let mut transaction = connection.begin().await.map_err(store_error)?;
    let old = sqlx::query_file!("queries/memory/documents_old.sql", MEMORY_EDITION, PAGE)
        .fetch_all(&mut *transaction)
        .await
        .map_err(store_error)?;
    let places: HashMap<Uuid, i64> = old.into_iter().map(|row| (row.id, row.row)).collect();
    let ids: Vec<Uuid> = places.keys().copied().collect();
    let (mut rows, mut words) = (Vec::new(), Vec::new());
    for memory in wanted(&mut transaction, &ids)
        .await
        .map_err(StoreError::from)?
    {
        let row = places.get(&memory.state.id.0).copied();
        if let (Some(row), Some(text)) = (row, &memory.text) {
            rows.push(row);
            words.push(document(row, &memory.state, text).join(" "));
        }
    }
    sqlx::query_file!(
        "queries/memory/documents_renew.sql",
        &rows,
        &words,
        MEMORY_EDITION
    )
    .execute(&mut *transaction)
    .await
    .map_err(store_error)?;
    transaction.commit().await.map_err(store_error)?;
    Ok(rows.len())
}
