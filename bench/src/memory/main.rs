//! Measures memory of a release build of `deedbox` from outside, as an agent asks for it: `remember` and `recall` over MCP and HTTP, with a million notes
//! in each database.
//!
//! Run it as `cargo xtask bench memory`, which builds the program first and names it in `DEEDBOX_BIN`.
#![expect(
    clippy::print_stderr,
    reason = "for the person who waits; what is found is printed by the report"
)]

mod copy;
mod fill;
mod floor;
mod measure;
mod notes;

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use deedbox_bench::{load::Target, prepared::Prepared, report::Report};
use deedbox_core::{Space, SpaceId, Timestamp};
use deedbox_neighbours::{deedbox::Server, postgres::Cluster};
use deedbox_postgres::{PostgresOptions, PostgresStore};
use deedbox_store::{MemoryStore as _, Store as _};
use serde_json::json;
use tokio::time::Instant;

use self::{
    fill::{Filler, Filling},
    measure::Bench,
    notes::{LARGE, SMALL, World},
};

/// How many actors there are whose personal spaces are written to in turns.
pub(crate) const WRITERS: usize = 32;

/// Remembering and recalling among many notes
#[derive(Debug, Parser)]
#[command(name = "deedbox-bench-memory")]
struct Options {
    /// How many notes there are before anything is measured
    #[arg(long, default_value_t = 1_000_000)]
    notes: u64,
    /// Recalls of each kind of question at each number of clients; remembers of each client
    #[arg(long, default_value_t = 400)]
    calls: usize,
    /// What repeats the notes and the questions
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// In which database
    #[arg(long, value_enum, default_value = "both")]
    backend: Which,
    /// Seconds that each floor is measured
    #[arg(long, default_value_t = 5)]
    floor_seconds: u64,
    /// A folder in which the filled databases stay; a later run with the same seed and number of notes goes on with them, and with what it added
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    Sqlite,
    Postgres,
    Both,
}

pub(crate) fn progress(text: &str) {
    eprintln!("  {text}");
}

// One thread on purpose: the load generator must leave the other core to the server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::parse();
    let mut report = Report::default();
    let seed = options.seed;
    let record = json!({"notes": options.notes, "seed": seed, "form": 1});
    // What is not to stay goes with this folder.
    let passing = tempfile::tempdir()?;
    let data = options.data.as_deref().unwrap_or(passing.path());
    if options.backend != Which::Postgres {
        let mut prepared = Prepared::take(&data.join("sqlite"), &record)?;
        report.heading(&title("SQLite", &options));
        let mut server = Server::builder()
            .quiet()
            .data_dir(prepared.folder())
            .env("DEEDBOX_RATE_LIMIT", "0")
            .start()?;
        if !prepared.is_filled() {
            let path = prepared.folder().join("deedbox.sqlite");
            let filler = Filler::new(World::new(seed), seed, options.notes)?;
            found(&server)?;
            server.terminate()?;
            let began = Instant::now();
            filler.sqlite(&path).await?;
            filled(&mut report, &options, began);
            server.restart()?;
            check(&mut report, &server)?;
            prepared.finish()?;
        }
        let bench = bench(&options, &server)?;
        bench.recalls(&mut report).await?;
        bench
            .remembers(&mut report, &floor::Sqlite::new(prepared.folder()))
            .await?;
        bench.over_time(&mut report).await?;
    }
    if options.backend != Which::Sqlite {
        let mut prepared = Prepared::take(&data.join("postgres"), &record)?;
        report.heading(&title("PostgreSQL", &options));
        let cluster = match options.data {
            Some(_) => Cluster::start_keeping(prepared.folder())?,
            None => Cluster::start()?,
        };
        let mut server = Server::builder()
            .quiet()
            .database_url(cluster.url())
            .env("DEEDBOX_RATE_LIMIT", "0")
            .start()?;
        if !prepared.is_filled() {
            found(&server)?;
            server.terminate()?;
            let began = Instant::now();
            let filler = Filler::new(World::new(seed), seed, options.notes)?;
            copy::copy(&cluster, filler.decided(&spaces(&cluster, seed).await?))?;
            filled(&mut report, &options, began);
            server.restart()?;
            check(&mut report, &server)?;
            prepared.finish()?;
        }
        let bench = bench(&options, &server)?;
        bench.recalls(&mut report).await?;
        bench
            .remembers(&mut report, &floor::Postgres::new(&cluster)?)
            .await?;
        bench.over_time(&mut report).await?;
    }
    Ok(())
}

fn title(database: &str, options: &Options) -> String {
    let Options { notes, seed, .. } = options;
    format!("{database}: {notes} notes, seed {seed}")
}

/// Founds actors and spaces.
fn found(server: &Server) -> Result<()> {
    let run = |args: &[&str]| server.cli_json(args).map(drop);
    run(&["actor", "add", "alice", "--kind", "agent"])?;
    for space in [LARGE].into_iter().chain(SMALL) {
        if !space.starts_with("personal:") {
            run(&["space", "new", space, "--owner", "alice", "--name", space])?;
        }
    }
    for writer in 0..WRITERS {
        run(&[
            "actor",
            "add",
            &format!("writer-{writer}"),
            "--kind",
            "agent",
        ])?;
    }
    Ok(())
}

/// The spaces of the notes, as the database has them.
async fn spaces(cluster: &Cluster, seed: u64) -> Result<Vec<Space>> {
    let world = Arc::new(Filling::new(seed, Timestamp::from_millis(0)?));
    let options = PostgresOptions { max_connections: 5 };
    let store = PostgresStore::open(&cluster.url(), options, world).await?;
    let mut spaces = Vec::new();
    for id in [LARGE].into_iter().chain(SMALL) {
        let space = store.space(&SpaceId::new(id)?).await?;
        spaces.push(space.with_context(|| format!("there is no space {id}"))?);
    }
    store.close().await;
    Ok(spaces)
}

fn filled(report: &mut Report, options: &Options, began: Instant) {
    let seconds = began.elapsed().as_secs_f64();
    let rate = options.notes as f64 / seconds;
    report.fact(
        "filled in",
        &format!("{seconds:.0} s: {rate:.0} notes a second"),
    );
}

/// Whether what was filled in is what the rules would have made.
fn check(report: &mut Report, server: &Server) -> Result<()> {
    progress("deedbox ledger check");
    let answer = server.cli_json(&["ledger", "check"])?;
    report.fact("`deedbox ledger check`", &answer.to_string());
    Ok(())
}

/// The server, asked with keys of its own.
fn bench<'a>(options: &Options, server: &'a Server) -> Result<Bench<'a>> {
    let key = |args: &[&str]| {
        let made = server.cli_json(args)?;
        let key = made["key"].as_str().context("no key was made")?;
        Target::of(server, key)
    };
    Ok(Bench {
        server,
        agent: key(&["key", "new", "--actor", "alice"])?,
        operator: key(&["key", "new", "--operator"])?,
        notes: World::new(options.seed),
        filled: options.notes,
        calls: options.calls,
        floor_seconds: options.floor_seconds,
    })
}
