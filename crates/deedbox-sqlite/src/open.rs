//! Opening the file: whose it is, how it is set up, and bringing its schema up to date.

use std::{fs::OpenOptions, io, path::Path, time::Duration};

use deedbox_core::limits;
use deedbox_store::StoreError;
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, SqliteConnection,
    migrate::{MigrateError, Migrator},
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};
use tokio::time::{Instant, sleep};

use crate::{
    error::{failed, is_busy},
    memories,
};

/// The schema, in steps. Embedded, so that the program needs no file beside it.
static MIGRATIONS: Migrator = sqlx::migrate!();

/// "deed" in ASCII; the first migration writes it into the file's header.
const APPLICATION_ID: i64 = 0x6465_6564;

/// How long a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the writer waits for reads that began before it empties the log.
const READ_TIMEOUT: Duration = Duration::from_millis(100);

/// How many pages the write-ahead log may have (of 4 KiB each) before a commit copies them into the
/// database. The copy waits for the disk twice, so it should be seldom; a larger log costs a longer first read after a crash.
const CHECKPOINT_PAGES: u32 = 4_000;

/// How every connection is set up.
pub(crate) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        // The log is on the disk before a commit returns: what was acknowledged survives a power cut.
        .synchronous(SqliteSynchronous::Full)
        .pragma("temp_store", "memory")
        .pragma("trusted_schema", "off")
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES.to_string())
        // A long read can make the log grow; afterwards it is cut back to 64 MiB.
        .pragma("journal_size_limit", "67108864")
        // A whole page of a list passes between the connection's thread and the caller without a stop.
        .row_buffer_size(limits::PAGE_MAX as usize)
        .disable_statement_logging()
}

/// A connection that writes, to a database that exists.
pub(crate) async fn writing(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    options(path)
        // 4 MiB: the upper levels of every index of a million tasks. Not more: when an index page splits, SQLite
        // looks at each cached page once during the commit. Leaves come from the system's cache.
        .pragma("cache_size", "-4096")
        // What is deleted, replaced or moved is overwritten where it stood, so that a redacted memory leaves no words in the
        // file: not those of earlier versions either, nor those of a part of the index that was merged into another.
        .pragma("secure_delete", "on")
        .connect()
        .await
}

/// A connection that only reads.
pub(crate) async fn reading(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    options(path)
        .read_only(true)
        // 8 MiB: the upper levels of what a recall among a million memories goes through.
        .pragma("cache_size", "-8192")
        .connect()
        .await
}

/// Opens the file, making it first if there is none, and leaves it as this program wants it.
pub(crate) async fn open(path: &Path) -> Result<SqliteConnection, StoreError> {
    make(path)?;
    let mut connection = writing(path).await.map_err(failed)?;
    is_ours(&mut connection, APPLICATION_ID).await?;
    write_ahead(&mut connection).await?;
    migrate(&mut connection).await?;
    memories::renew(&mut connection).await?;
    Ok(connection)
}

/// Makes an empty file, which SQLite takes for an empty database, readable to its owner only: it will
/// hold the hashes of keys, and SQLite gives its log the same rights.
pub(crate) fn make(path: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let unsuitable = |why: &str| Err(StoreError::Unsuitable(why.to_owned()));
    let Err(error) = options.open(path) else {
        return Ok(());
    };
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            unsuitable("the folder that it should be in does not exist")
        }
        io::ErrorKind::IsADirectory => unsuitable("there is a folder in the place of its file"),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            unsuitable("its file, or the folder that it should be in, is not writable")
        }
        _ => Err(StoreError::Unavailable(error.into())),
    }
}

/// Refuses a file that another program uses, before anything is changed in it.
pub(crate) async fn is_ours(
    connection: &mut SqliteConnection,
    ours: i64,
) -> Result<(), StoreError> {
    // In this order: another process may make the database in between, tables and header at once.
    let empty: bool = sqlx::query_scalar("SELECT count(*) = 0 FROM sqlite_schema")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    let application: i64 = sqlx::query_scalar("PRAGMA application_id")
        .fetch_one(connection)
        .await
        .map_err(failed)?;
    if empty || application == ours {
        return Ok(());
    }
    Err(StoreError::Unsuitable(
        "the file is the database of another program".to_owned(),
    ))
}

/// Copies the log into the file and empties it, so that what was overwritten in the file is not in the log any more. Says whether that
/// could be done: a read that began before holds the log, and the writer does not wait for it for long.
pub(crate) async fn empty_log(connection: &mut SqliteConnection) -> Result<bool, StoreError> {
    set_busy_timeout(connection, READ_TIMEOUT).await?;
    let emptied = sqlx::query_scalar::<_, i64>("PRAGMA wal_checkpoint(TRUNCATE)")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed);
    set_busy_timeout(connection, BUSY_TIMEOUT).await?;
    Ok(emptied? == 0)
}

async fn set_busy_timeout(
    connection: &mut SqliteConnection,
    timeout: Duration,
) -> Result<(), StoreError> {
    let pragma = format!("PRAGMA busy_timeout = {}", timeout.as_millis());
    sqlx::query(AssertSqlSafe(pragma))
        .execute(connection)
        .await
        .map_err(failed)?;
    Ok(())
}

/// Write-ahead logging lets readers read while the writer writes. The mode stays with the file.
///
/// Two processes that start at once can meet here, where SQLite does not wait by itself.
pub(crate) async fn write_ahead(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let until = Instant::now() + BUSY_TIMEOUT;
    loop {
        let mode: Result<String, _> = sqlx::query_scalar("PRAGMA journal_mode = wal")
            .fetch_one(&mut *connection)
            .await;
        match mode {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(_) => {
                return Err(StoreError::Unsuitable(
                    "the volume that its file is on cannot share memory between processes; use a local disk"
                        .to_owned(),
                ));
            }
            Err(error) if is_busy(&error) && Instant::now() < until => {
                sleep(Duration::from_millis(10)).await;
            }
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Applies the migrations that are missing, all in one transaction; one of several processes does it.
async fn migrate(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let known = MIGRATIONS.iter().map(|m| m.version).max().unwrap_or(0);
    if applied(connection).await? == known {
        // Nothing to write; but what was applied must read as it does here.
        return MIGRATIONS.run(connection).await.map_err(unmigrated);
    }
    let mut transaction = connection
        .begin_with("BEGIN IMMEDIATE")
        .await
        .map_err(failed)?;
    let found = applied(&mut transaction).await?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    MIGRATIONS
        .run(&mut *transaction)
        .await
        .map_err(unmigrated)?;
    transaction.commit().await.map_err(failed)
}

fn unmigrated(error: MigrateError) -> StoreError {
    match error {
        MigrateError::Execute(error) if is_busy(&error) => failed(error),
        error => StoreError::Migration(error.into()),
    }
}

/// The newest migration that the database has; 0 when it has none.
async fn applied(connection: &mut SqliteConnection) -> Result<i64, StoreError> {
    let begun: bool = sqlx::query_scalar(
        "SELECT count(*) > 0 FROM sqlite_schema WHERE name = '_sqlx_migrations'",
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(failed)?;
    if !begun {
        return Ok(0);
    }
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")
        .fetch_one(connection)
        .await
        .map_err(failed)
}
