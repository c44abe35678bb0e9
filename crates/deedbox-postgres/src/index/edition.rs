//! Whether the tables were filled by this program's functions.
//!
//! Replicas of two editions may run at once while a program is being replaced. The newer one empties the tables, and with them go all
//! leases; the older one gets none any more, because whoever claims one looks here first.

use deedbox_store::{StoreError, index::EDITION};
use sqlx::{Executor as _, PgConnection};

use super::PostgresIndex;
use crate::error::store_error;

const KNOWN: i32 = EDITION.cast_signed();

/// Empties tables that an older edition filled, and says that they are this one's now.
pub(super) async fn own(index: &PostgresIndex) -> Result<(), StoreError> {
    let mut transaction = index.writing().await?;
    let found = sqlx::query_file_scalar!("queries/index/edition_own.sql")
        .fetch_one(&mut *transaction)
        .await
        .map_err(store_error)?;
    if found >= KNOWN {
        return not_newer(found);
    }
    transaction
        .execute(
            "TRUNCATE index_registries, index_blocks, index_subjects, index_facts, index_documents,
                      index_checks, index_manifests",
        )
        .await
        .map_err(store_error)?;
    sqlx::query_file!("queries/index/edition_keep.sql", KNOWN)
        .execute(&mut *transaction)
        .await
        .map_err(store_error)?;
    number_anew(&mut transaction).await?;
    transaction.commit().await.map_err(store_error)?;
    // Nothing was ever filled by edition 0.
    if found > 0 {
        tracing::info!(
            index.found = found,
            index.wanted = KNOWN,
            "the index was made by an older edition of this program; it is empty now, and registries are read anew"
        );
    }
    Ok(())
}

/// Says that rows were thrown away. Last in a transaction: whoever does so waits for others that do.
pub(super) async fn number_anew(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query_file!("queries/index/numbering_change.sql")
        .execute(connection)
        .await
        .map(drop)
        .map_err(store_error)
}

/// Makes sure, until the transaction ends, that no newer edition takes the tables over.
pub(super) async fn still_ours(connection: &mut PgConnection) -> Result<(), StoreError> {
    let found = sqlx::query_file_scalar!("queries/index/edition.sql")
        .fetch_one(connection)
        .await
        .map_err(store_error)?;
    not_newer(found)
}

fn not_newer(found: i32) -> Result<(), StoreError> {
    if found > KNOWN {
        return Err(StoreError::Unsuitable(format!(
            "its index was filled by edition {found} of this program, and this one is edition {KNOWN}; use the newer program"
        )));
    }
    Ok(())
}
