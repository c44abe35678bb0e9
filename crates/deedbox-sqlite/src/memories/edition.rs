//! Words of memories that another edition of this program made are made anew.

use deedbox_core::MemoryId;
use deedbox_store::{MEMORY_EDITION, StoreError};
use sqlx::{Connection as _, SqliteConnection};

use super::write::{keep_documents, wanted};
use crate::{error::failed, rows::array};

/// How many are made anew at once.
const PAGE: u32 = 1_000;
/// After how many it is said how far that is.
const STEP: usize = 100_000;

/// Makes them anew, all or none of them; in nearly every case there is nothing to do.
pub(crate) async fn renew(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    if old(connection).await?.is_empty() {
        return Ok(());
    }
    let mut transaction = connection
        .begin_with("BEGIN IMMEDIATE")
        .await
        .map_err(failed)?;
    // The index is made of the words at the end: to take old ones out of it and put new ones in, one by one, would be much slower.
    sqlx::query!("INSERT INTO memory_words (memory_words) VALUES ('delete-all')")
        .execute(&mut *transaction)
        .await
        .map_err(failed)?;
    let mut renewed = 0;
    loop {
        let ids = old(&mut transaction).await?;
        if ids.is_empty() {
            break;
        }
        renewed += ids.len();
        let memories = wanted(&mut transaction, ids.iter().copied().collect()).await?;
        let ids = array(&ids);
        sqlx::query_file!("queries/memory_documents_forget.sql", ids)
            .execute(&mut *transaction)
            .await
            .map_err(failed)?;
        keep_documents(&mut transaction, memories.iter()).await?;
        if renewed % STEP == 0 {
            tracing::info!(memory.renewed = renewed, "words of memories are made anew");
        }
    }
    sqlx::query!("INSERT INTO memory_words (memory_words) VALUES ('rebuild')")
        .execute(&mut *transaction)
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    tracing::info!(
        memory.renewed = renewed,
        memory.edition = MEMORY_EDITION,
        "the words of memories were made by another edition of this program, and were made anew"
    );
    Ok(())
}

/// Some of those whose words are another edition's.
async fn old(connection: &mut SqliteConnection) -> Result<Vec<MemoryId>, StoreError> {
    let ids = sqlx::query_file_scalar!("queries/memory_documents_old.sql", MEMORY_EDITION, PAGE)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let read = |id: String| {
        let unreadable = |cause| StoreError::unreadable("memory", &id, cause);
        id.parse().map_err(unreadable)
    };
    ids.into_iter().map(read).collect()
}
