//! Measures searches over an index of a million agents, in each database, and how long it takes to fill one.
//!
//! Run it as `cargo xtask bench search`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures is what this is for"
)]

mod agents;
mod load;

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use deedbox_bench::prepared::Prepared;
use deedbox_core::{BlockHash, Timestamp};
use deedbox_neighbours::postgres::Cluster;
use deedbox_postgres::PostgresIndex;
use deedbox_sqlite::SqliteIndex;
use deedbox_store::index::{Batch, Checkpoint, EDITION, Index, Lease, Standard};
use serde_json::json;
use tokio::time::Instant;

use self::agents::{FACTS, World};

/// How many agents one batch has.
const STEP: u64 = 2_000;

/// Searches over many agents
#[derive(Debug, Parser)]
#[command(name = "deedbox-bench-search")]
struct Options {
    /// How many agents there are
    #[arg(long, default_value_t = 1_000_000)]
    agents: u64,
    /// How many searches of each kind are timed
    #[arg(long, default_value_t = 400)]
    searches: usize,
    /// What repeats the agents and the searches
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// In which database
    #[arg(long, value_enum, default_value = "both")]
    database: Which,
    /// A folder in which the filled indexes stay; a later run with the same seed and number of agents searches them again
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    Sqlite,
    Postgres,
    Both,
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    println!(
        "\n## Searches over {} agents (seed {})",
        options.agents, options.seed
    );
    let world = World::new(options.seed, options.agents);
    // An index of another edition is emptied by whoever opens it.
    let record = json!({
        "seed": options.seed, "agents": options.agents, "facts_of_each": FACTS, "edition": EDITION,
    });
    // What is not to stay goes with this folder.
    let passing = tempfile::tempdir()?;
    let data = options.data.as_deref().unwrap_or(passing.path());
    if options.database != Which::Postgres {
        let mut prepared = Prepared::take(&data.join("sqlite"), &record)?;
        let index = SqliteIndex::open(&prepared.folder().join("index.sqlite")).await?;
        let index: Arc<dyn Index> = Arc::new(index);
        println!("\n### SQLite\n");
        fill_once(&*index, &world, &prepared).await?;
        if !prepared.is_filled() {
            prepared.finish()?;
        }
        load::searches(&index, &world, options.searches).await?;
        index.close().await;
    }
    if options.database != Which::Sqlite {
        let mut prepared = Prepared::take(&data.join("postgres"), &record)?;
        let cluster = match options.data {
            Some(_) => Cluster::start_keeping(prepared.folder())?,
            None => Cluster::start()?,
        };
        let index: Arc<dyn Index> = Arc::new(PostgresIndex::open(&cluster.url(), 10).await?);
        println!("\n### PostgreSQL\n");
        fill_once(&*index, &world, &prepared).await?;
        if !prepared.is_filled() {
            // The index does not wait for the disk, and a server that is kept is ended as by a crash.
            cluster.psql(&cluster.url(), "CHECKPOINT")?;
            prepared.finish()?;
        }
        load::searches(&index, &world, options.searches).await?;
        index.close().await;
    }
    Ok(())
}

/// Fills an index, if it was not by an earlier run.
async fn fill_once(index: &dyn Index, world: &World, prepared: &Prepared) -> Result<()> {
    if !prepared.is_filled() {
        let start = Instant::now();
        fill(index, world).await?;
        let took = start.elapsed();
        let facts = world.agents() * FACTS;
        println!(
            "Filled with {facts} facts in {:.0} s: {:.0} facts a second.\n",
            took.as_secs_f64(),
            facts as f64 / took.as_secs_f64()
        );
    }
    let found: u64 = index.counts().await?.values().sum();
    ensure!(
        found == world.agents(),
        "{} holds an index of {found} agents: remove it",
        prepared.folder().display()
    );
    Ok(())
}

/// Writes all agents, registry by registry in turns, as a syncer does.
async fn fill(index: &dyn Index, world: &World) -> Result<()> {
    let registries = world.registries();
    for registry in &registries {
        index.begin(*registry, Standard::Erc8122, 1).await?;
    }
    let now = Timestamp::from_millis(1_796_000_000_000)?;
    let day = Duration::from_secs(24 * 60 * 60);
    let leases: Vec<Lease> = index.claim(&registries, "bench", now, day).await?;
    let mut after: Vec<Option<Checkpoint>> = vec![None; registries.len()];
    let (mut first, mut turn) = (1, 0);
    while first <= world.agents() {
        let last = (first + STEP - 1).min(world.agents());
        let upto = Checkpoint {
            block: last,
            hash: BlockHash([1; 32]),
        };
        let batch = Batch {
            registry: registries[turn],
            after: after[turn],
            facts: (first..=last).flat_map(|n| world.facts(n)).collect(),
            upto,
            upto_at: Some(now),
            final_upto: Some(last),
        };
        let applied = index.apply(&leases, vec![batch], now).await?;
        applied.context("the lease is held by somebody else")?;
        after[turn] = Some(upto);
        turn = (turn + 1) % registries.len();
        if first % (50 * STEP) == 1 {
            eprintln!("  {last} of {}", world.agents());
        }
        first = last + 1;
    }
    Ok(())
}
