//! Finding and opening the database, and saying clearly when that does not work.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use deedbox_core::World;
use deedbox_postgres::{PostgresIndex, PostgresOptions, PostgresStore};
use deedbox_server::Toolset;
use deedbox_sqlite::{RenewingIndex, SqliteStore};
use deedbox_store::{Store, StoreError, index::Index};

use crate::{
    failure::Failure,
    settings::{DatabaseUrl, Settings},
    world::SystemWorld,
};

/// What to do when there is no embedded database yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenMissing {
    /// Make one, and the folder for it.
    Create,
    /// Say so: an empty one would answer "not found" to a mistyped path.
    Fail,
}

/// Opens the database that is in force.
///
/// # Errors
/// [`Failure`] says what is wrong with the folder or the database, and what to do.
pub(crate) async fn open(
    settings: &Settings,
    world: Arc<dyn World>,
    missing: WhenMissing,
) -> Result<Arc<dyn Store>, Failure> {
    let url = &settings.database_url.value;
    let failed = |cause| Failure::Store {
        database: url.to_string(),
        cause,
    };
    match url {
        DatabaseUrl::Sqlite(path) => {
            match missing {
                WhenMissing::Create => prepare(path)?,
                WhenMissing::Fail if !path.exists() => {
                    return Err(Failure::NoDatabase { path: path.clone() });
                }
                WhenMissing::Fail => {}
            }
            let store = SqliteStore::open(path, world).await.map_err(failed)?;
            Ok(Arc::new(store))
        }
        DatabaseUrl::Postgres(url) => {
            let options = PostgresOptions {
                max_connections: settings.postgres_max_connections.value.get(),
            };
            let store = PostgresStore::open(url.as_str(), options, world)
                .await
                .map_err(failed)?;
            Ok(Arc::new(store))
        }
    }
}

/// Opens the index of registries that belongs to the database in force: a file beside the embedded one, which may be thrown away, or
/// tables of the same PostgreSQL database. A file that is damaged is set aside, with a line in the log, and an empty one begun.
///
/// # Errors
/// [`Failure::Store`] names what could not be opened.
pub(crate) async fn open_index(settings: &Settings) -> Result<Arc<dyn Index>, Failure> {
    match &settings.database_url.value {
        DatabaseUrl::Sqlite(ledger) => {
            let path = index_beside(ledger);
            prepare(&path)?;
            let index = RenewingIndex::open(&path, Arc::new(SystemWorld)).await;
            let index = index.map_err(|cause| Failure::Index { path, cause })?;
            Ok(Arc::new(index))
        }
        DatabaseUrl::Postgres(url) => {
            let connections = settings.postgres_max_connections.value.get();
            let index = PostgresIndex::open(url.as_str(), connections).await;
            Ok(Arc::new(index.map_err(failed(settings))?))
        }
    }
}

/// The same for a server; one that offers no tools of registries needs none.
///
/// # Errors
/// As [`open_index`].
pub(crate) async fn index_of_server(
    settings: &Settings,
) -> Result<Option<Arc<dyn Index>>, Failure> {
    let needed = [Toolset::Agents, Toolset::Tools];
    let offered = settings.toolsets.value;
    match needed.iter().any(|toolset| offered.contains(*toolset)) {
        true => Ok(Some(open_index(settings).await?)),
        false => Ok(None),
    }
}

/// The same for a command that only looks things up in it: one that is not there is not made.
///
/// # Errors
/// As [`open_index`].
pub(crate) async fn index_if_there(settings: &Settings) -> Result<Option<Arc<dyn Index>>, Failure> {
    if let DatabaseUrl::Sqlite(ledger) = &settings.database_url.value
        && !index_beside(ledger).exists()
    {
        return Ok(None);
    }
    open_index(settings).await.map(Some)
}

/// `deedbox.sqlite` has `deedbox-index.sqlite` beside it.
fn index_beside(ledger: &Path) -> PathBuf {
    let mut name = ledger.file_stem().unwrap_or_default().to_owned();
    name.push("-index");
    let name = PathBuf::from(name);
    let name = match ledger.extension() {
        Some(extension) => name.with_added_extension(extension),
        None => name,
    };
    ledger.with_file_name(name)
}

/// Turns a failure of an open database into this program's; one of the index names the file that it is in.
pub(crate) fn failed(settings: &Settings) -> impl Fn(StoreError) -> Failure + Copy + '_ {
    |cause| match (&settings.database_url.value, cause) {
        (DatabaseUrl::Sqlite(ledger), cause @ StoreError::Index { .. }) => Failure::Index {
            path: index_beside(ledger),
            cause,
        },
        (url, cause) => Failure::Store {
            database: url.to_string(),
            cause,
        },
    }
}

/// Makes the folder if it is not there, for this user alone, and finds out whether files can be made in it.
/// SQLite makes files beside its database, so a writable database file is not enough.
fn prepare(database: &Path) -> Result<(), Failure> {
    let Some(folder) = database
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    let refuse = |source: io::Error| {
        let through_a_file = matches!(
            source.kind(),
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists
        );
        let path = folder.to_owned();
        if through_a_file {
            Failure::NotAFolder { path }
        } else {
            Failure::NotWritable { path, source }
        }
    };
    if !folder.is_dir() {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(refuse)?;
    }
    let probe = folder.join(format!(".deedbox-probe-{}", std::process::id()));
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&probe)
        .and_then(|_| fs::remove_file(&probe))
        .map_err(refuse)
}
