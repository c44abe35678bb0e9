//! Reaching the server, and making sure that it keeps what it acknowledges.

use std::{str::FromStr, time::Duration};

use deedbox_store::StoreError;
use sqlx::{
    ConnectOptions, Connection, Executor, PgConnection,
    migrate::{MigrateError, Migrator},
    postgres::PgConnectOptions,
};
use tokio::time::timeout;

use crate::{error::store_error, memories};

static MIGRATIONS: Migrator = sqlx::migrate!();

/// How long a connection may take to open.
const CONNECT: Duration = Duration::from_secs(5);
const OLDEST_VERSION: i32 = 15;

/// What every connection of ours is set to.
const SESSION: &str = include_str!("../session.sql");

/// Where the server is, and as whom we go there. Does not show the password.
#[derive(Clone)]
pub(crate) struct Connector(PgConnectOptions);

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector")
            .field("host", &self.0.get_host())
            .field("port", &self.0.get_port())
            .field("database", &self.0.get_database())
            .finish_non_exhaustive()
    }
}

impl Connector {
    /// Reads a `postgres://` URL. What is wrong with it is not repeated, because it holds a password.
    pub(crate) fn new(url: &str) -> Result<Self, StoreError> {
        let unreadable = || {
            StoreError::Unsuitable(
                "its URL cannot be read; expected postgres://user:password@host:port/database, optionally with ?sslmode=verify-full&sslrootcert=FILE, and with special characters in the password percent-encoded".to_owned(),
            )
        };
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(unreadable());
        }
        let options = PgConnectOptions::from_str(url).map_err(|_| unreadable())?;
        let options = match options.get_application_name() {
            Some(_) => options,
            None => options.application_name("deedbox"),
        };
        // The driver's own log of statements would cost on every one of them; ours are the requests.
        Ok(Self(options.disable_statement_logging()))
    }

    pub(crate) fn options(&self) -> PgConnectOptions {
        self.0.clone()
    }

    /// Opens a connection and sets it up.
    pub(crate) async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        let connect = async {
            let mut connection = self.0.connect().await?;
            set_up(&mut connection).await?;
            Ok(connection)
        };
        timeout(CONNECT, connect)
            .await
            .unwrap_or_else(|_| Err(timed_out("no answer from the server while connecting")))
    }
}

/// Sets up a fresh connection.
pub(crate) async fn set_up(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    connection.execute(SESSION).await.map(drop)
}

/// A wait that was given up.
pub(crate) fn timed_out(what: &'static str) -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, what))
}

/// Refuses a server on which promises could not be kept.
async fn check(connection: &mut PgConnection) -> Result<(), StoreError> {
    let server = sqlx::query!(
        r#"SELECT current_setting('server_version_num')::int AS "version!",
                  current_setting('server_encoding') AS "encoding!",
                  current_setting('fsync') AS "fsync!",
                  pg_is_in_recovery() AS "standby!""#
    )
    .fetch_one(connection)
    .await
    .map_err(store_error)?;
    let major = server.version / 10_000;
    if major < OLDEST_VERSION {
        return Err(StoreError::Unsuitable(format!(
            "it is PostgreSQL {major}; {OLDEST_VERSION} or newer is needed"
        )));
    }
    if server.encoding != "UTF8" {
        return Err(StoreError::Unsuitable(format!(
            "its encoding is {}; create it with ENCODING 'UTF8'",
            server.encoding
        )));
    }
    if server.standby {
        return Err(StoreError::Unsuitable(
            "it is a standby, which takes no writes".to_owned(),
        ));
    }
    if server.fsync != "on" {
        tracing::warn!(
            "the database server runs with fsync = off: deeds that were acknowledged can be lost when its machine loses power"
        );
    }
    Ok(())
}

/// Makes sure that the server will do, and brings the database up to date.
pub(crate) async fn prepare(connector: &Connector) -> Result<(), StoreError> {
    let mut connection = connector.connect().await.map_err(store_error)?;
    check(&mut connection).await?;
    let result = migrate(&mut connection).await;
    // The migrator's lock belongs to this connection and ends with it, also after a failure.
    drop(connection.close().await);
    result
}

/// Replicas that start at once take turns, by an advisory lock. Words that another edition made are made anew after it.
async fn migrate(connection: &mut PgConnection) -> Result<(), StoreError> {
    // Another replica may be at it for longer than a request may wait.
    connection
        .execute("SET lock_timeout = 0; SET statement_timeout = 0")
        .await
        .map_err(store_error)?;
    match MIGRATIONS.run_direct(None, connection, false).await {
        Ok(()) => memories::renew(connection).await,
        Err(MigrateError::VersionMissing(_)) => Err(newer(connection).await),
        Err(error) => Err(StoreError::Migration(error.into())),
    }
}

async fn newer(connection: &mut PgConnection) -> StoreError {
    let known = MIGRATIONS.iter().map(|migration| migration.version).max();
    let known = known.unwrap_or_default();
    // Not a checked query: this table is the migrator's own.
    let found = sqlx::query_scalar::<_, i64>("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(connection)
        .await;
    match found {
        Ok(found) if found > known => StoreError::Newer { found, known },
        Ok(found) => StoreError::Migration(
            format!("a migration up to {found} was applied that this program does not know").into(),
        ),
        Err(error) => store_error(error),
    }
}
