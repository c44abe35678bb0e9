//! Finding and opening the database, and saying clearly when that does not work.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io,
    path::Path,
    sync::Arc,
};

use deedbox_core::World;
use deedbox_postgres::{PostgresOptions, PostgresStore};
use deedbox_sqlite::SqliteStore;
use deedbox_store::{Store, StoreError};

use crate::{
    failure::Failure,
    settings::{DatabaseUrl, Settings},
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

/// Turns a failure of an open database into this program's.
pub(crate) fn failed(settings: &Settings) -> impl Fn(StoreError) -> Failure + Copy + '_ {
    |cause| Failure::Store {
        database: settings.database_url.value.to_string(),
        cause,
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
