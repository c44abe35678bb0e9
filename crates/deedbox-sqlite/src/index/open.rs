//! Opening the index: whose file it is, and making its schema.

use std::path::Path;

use deedbox_store::{StoreError, index::EDITION};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, SqliteConnection,
    sqlite::SqliteSynchronous,
};

use crate::{error::failed, open};

/// The schema, whole.
pub(super) const SCHEMA: &str = include_str!("../../index.sql");

/// "deei" in ASCII: an index, and no ledger.
pub(super) const APPLICATION_ID: i64 = 0x6465_6569;

/// What the file's header says it was made with: one number for the schema's text and the edition of what fills it (FNV-1a), so that no
/// change of either can be forgotten.
pub(super) const VERSION: i64 = {
    let (text, mut hash) = (SCHEMA.as_bytes(), 0x811c_9dc5_u32);
    let mut at = 0;
    while at < text.len() {
        hash = (hash ^ text[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash = (hash ^ EDITION).wrapping_mul(0x0100_0193);
    // The header has room for 31 bits and a sign.
    (hash & 0x7fff_ffff) as i64
};

/// The writing connection. After a power cut the last batches may be missing, which is as if they had not been read: the log is
/// whole all the same.
async fn writing(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    open::options(path)
        .synchronous(SqliteSynchronous::Normal)
        // 32 MiB: the upper levels of every index, and where the ends of all registries are.
        .pragma("cache_size", "-32768")
        .connect()
        .await
}

pub(super) async fn open(path: &Path) -> Result<SqliteConnection, StoreError> {
    open::make(path)?;
    let mut connection = writing(path).await.map_err(failed)?;
    open::is_ours(&mut connection, APPLICATION_ID).await?;
    open::write_ahead(&mut connection).await?;
    if version(&mut connection).await? != VERSION {
        make(&mut connection).await?;
    }
    Ok(connection)
}

async fn version(connection: &mut SqliteConnection) -> Result<i64, StoreError> {
    sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(connection)
        .await
        .map_err(failed)
}

/// Empties the file and makes the schema, in one transaction; one of several processes does it.
async fn make(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let mut transaction = connection
        .begin_with("BEGIN IMMEDIATE")
        .await
        .map_err(failed)?;
    let found = version(&mut transaction).await?;
    if found == VERSION {
        return Ok(());
    }
    // A virtual table takes those along that it is made of.
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
         ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .fetch_all(&mut *transaction)
    .await
    .map_err(failed)?;
    let mut statements = String::new();
    for table in &tables {
        statements.push_str(&format!("DROP TABLE IF EXISTS \"{table}\";\n"));
    }
    statements.push_str(SCHEMA);
    statements.push_str(&format!(
        ";\nPRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {VERSION};"
    ));
    sqlx::raw_sql(AssertSqlSafe(statements))
        .execute(&mut *transaction)
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    if !tables.is_empty() {
        tracing::info!(
            index.found = found,
            index.wanted = VERSION,
            "the index was made by another edition of this program; it is empty now, and registries are read anew"
        );
    }
    Ok(())
}
