//! `cargo xtask sqlx`: the descriptions of our queries, by which a build without a database checks them.
//!
//! Each database crate is compiled against a real, empty database of its own that its migrations were just
//! applied to. The macros of sqlx then leave one file for each query.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::{Context, Result, bail, ensure};
use deedbox_neighbours::{postgres::Cluster, tools};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection, migrate::Migrator};
use tempfile::TempDir;

use crate::{
    command::{cargo, run},
    install,
    progress::say,
};

const CRATES: [&str; 2] = ["deedbox-sqlite", "deedbox-postgres"];

/// File name to content.
type Descriptions = BTreeMap<String, Value>;

/// Writes the descriptions of every query, and removes those of queries that are gone.
///
/// # Errors
/// When a migration or a query is wrong.
pub(crate) fn renew() -> Result<()> {
    for (name, made) in make()? {
        let folder = kept_in(name);
        if read_folder(&folder)? == made {
            say(&format!("{name}: {} queries, nothing to renew", made.len()));
            continue;
        }
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        for (file, value) in &made {
            let text = serde_json::to_string_pretty(value)?;
            fs::write(folder.join(file), format!("{text}\n"))?;
        }
        say(&format!("{name}: {} queries, renewed", made.len()));
    }
    Ok(())
}

/// Fails when [`renew`] would change something.
///
/// # Errors
/// Then, and when a migration or a query is wrong.
pub(crate) fn check() -> Result<()> {
    for (name, made) in make()? {
        if read_folder(&kept_in(name))? != made {
            bail!("crates/{name}/.sqlx is stale: run `cargo xtask sqlx` and commit what it wrote");
        }
        say(&format!("{name}: {} queries, all described", made.len()));
    }
    Ok(())
}

/// Describes the queries of both crates.
fn make() -> Result<Vec<(&'static str, Descriptions)>> {
    install::postgres()?;
    let databases = Databases::start()?;
    databases.migrate()?;
    // One folder for both would mix two descriptions of the same text. The first pass brings both crates up
    // to date; each of the others compiles one crate anew, and so describes only its queries.
    compile(&databases, &CRATES)?;
    CRATES
        .iter()
        .map(|name| Ok((*name, compile(&databases, &[name])?)))
        .collect()
}

/// Compiles both crates, those in `anew` whether or not they changed, and returns what the macros wrote.
fn compile(databases: &Databases, anew: &[&str]) -> Result<Descriptions> {
    for name in anew {
        // How a database describes a query is nothing that cargo knows to have changed.
        let root = tools::root().join(format!("crates/{name}/src/lib.rs"));
        fs::File::open(root)?.set_modified(SystemTime::now())?;
    }
    let out = tempfile::tempdir()?;
    let mut cargo = cargo();
    cargo.args(["check", "--all-targets"]);
    for name in CRATES {
        cargo.args(["--package", name]);
    }
    run(cargo
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", out.path())
        .env("DEEDBOX_SQLITE_URL", databases.sqlite_url())
        .env("DEEDBOX_POSTGRES_URL", databases.postgres.url()))?;
    read_folder(out.path())
}

fn kept_in(name: &str) -> PathBuf {
    tools::root().join(format!("crates/{name}/.sqlx"))
}

fn read_folder(folder: &Path) -> Result<Descriptions> {
    if !folder.exists() {
        return Ok(Descriptions::new());
    }
    let read = |path: PathBuf| {
        let name = path.file_name().context("a file without a name")?;
        let text = fs::read_to_string(&path)?;
        let value = serde_json::from_str(&text)
            .with_context(|| format!("{} is no JSON", path.display()))?;
        Ok((name.to_string_lossy().into_owned(), value))
    };
    fs::read_dir(folder)?
        .map(|entry| read(entry?.path()))
        .collect()
}

/// One empty database of each kind.
struct Databases {
    postgres: Cluster,
    sqlite: TempDir,
}

impl Databases {
    fn start() -> Result<Self> {
        Ok(Self {
            postgres: Cluster::start_without_fsync()?,
            sqlite: tempfile::tempdir()?,
        })
    }

    fn sqlite_url(&self) -> String {
        let path = self.sqlite.path().join("queries.sqlite");
        format!("sqlite://{}?mode=rwc", path.display())
    }

    fn migrate(&self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let mut sqlite = SqliteConnection::connect(&self.sqlite_url()).await?;
            migrations("deedbox-sqlite")
                .await?
                .run_direct(None, &mut sqlite, false)
                .await?;
            // The index is a file of its own; its queries are checked in the same database.
            let index = tools::root().join("crates/deedbox-sqlite/index.sql");
            sqlx::raw_sql(AssertSqlSafe(fs::read_to_string(index)?))
                .execute(&mut sqlite)
                .await?;
            sqlite.close().await?;
            let mut postgres = PgConnection::connect(&self.postgres.url()).await?;
            migrations("deedbox-postgres")
                .await?
                .run_direct(None, &mut postgres, false)
                .await?;
            postgres.close().await?;
            Ok(())
        })
    }
}

async fn migrations(name: &str) -> Result<Migrator> {
    let folder = tools::root().join(format!("crates/{name}/migrations"));
    ensure!(folder.is_dir(), "{} is missing", folder.display());
    Migrator::new(folder)
        .await
        .with_context(|| format!("the migrations of {name} cannot be read"))
}
