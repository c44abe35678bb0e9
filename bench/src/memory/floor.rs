//! What a note costs at the least: a row of its size, committed and on the disk, and nothing else.

use std::path::{Path, PathBuf};

use anyhow::Result;
use deedbox_bench::pgbench;
use deedbox_neighbours::postgres::Cluster;
use futures::future::BoxFuture;
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::time::{Duration, Instant};

/// Inserts a second by so many clients, each in a transaction of its own, of rows of so many bytes, and the average of their milliseconds.
pub(crate) trait Floor {
    fn name(&self) -> &'static str;
    fn inserts(
        &self,
        clients: usize,
        bytes: usize,
        seconds: u64,
    ) -> BoxFuture<'_, Result<(f64, f64)>>;
}

/// One connection to a file of its own beside the database, set up as the program's: SQLite has one writer, however many clients wait for it.
#[derive(Debug)]
pub(crate) struct Sqlite(PathBuf);

impl Sqlite {
    pub(crate) fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }
}

impl Floor for Sqlite {
    fn name(&self) -> &'static str {
        "bare: one connection, one row a transaction"
    }

    fn inserts(
        &self,
        _clients: usize,
        bytes: usize,
        seconds: u64,
    ) -> BoxFuture<'_, Result<(f64, f64)>> {
        Box::pin(async move {
            let folder = tempfile::tempdir_in(&self.0)?;
            let options = SqliteConnectOptions::new()
                .filename(folder.path().join("bare.sqlite"))
                .create_if_missing(true)
                .journal_mode(sqlx::sqlite::SqliteJournalMode::Wal)
                .synchronous(sqlx::sqlite::SqliteSynchronous::Full)
                .pragma("wal_autocheckpoint", "4000");
            let mut connection = SqliteConnection::connect_with(&options).await?;
            sqlx::query("CREATE TABLE bare (id INTEGER PRIMARY KEY, words TEXT NOT NULL) STRICT")
                .execute(&mut connection)
                .await?;
            let words = "x".repeat(bytes);
            let (began, mut count) = (Instant::now(), 0_u32);
            while began.elapsed() < Duration::from_secs(seconds) {
                sqlx::query("INSERT INTO bare (words) VALUES (?1)")
                    .bind(&words)
                    .execute(&mut connection)
                    .await?;
                count += 1;
            }
            let each = began.elapsed().as_secs_f64() / f64::from(count);
            connection.close().await?;
            Ok((1.0 / each, each * 1_000.0))
        })
    }
}

/// `pgbench` with as many clients, in a database of its own on the same server.
#[derive(Debug)]
pub(crate) struct Postgres(String);

impl Postgres {
    pub(crate) fn new(cluster: &Cluster) -> Result<Self> {
        let url = cluster.fresh_database("bare")?;
        let table = "CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, words text NOT NULL)";
        cluster.psql(&url, table)?;
        Ok(Self(url))
    }
}

impl Floor for Postgres {
    fn name(&self) -> &'static str {
        "bare: pgbench, one row a transaction"
    }

    fn inserts(
        &self,
        clients: usize,
        bytes: usize,
        seconds: u64,
    ) -> BoxFuture<'_, Result<(f64, f64)>> {
        Box::pin(async move { pgbench::inserts(&self.0, clients, bytes, seconds) })
    }
}
