//! One reading of all that the registries said, and what it took.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use deedbox_chain::{ChainConfig, Chains, EndpointConfig, config::Secret};
use deedbox_core::ChainAddress;
use deedbox_postgres::PostgresIndex;
use deedbox_registry::sync::{News, Options, Syncer, Watch};
use deedbox_sqlite::SqliteIndex;
use deedbox_store::index::{Index, RegistryId, Standard};
use serde::{Deserialize, Serialize};

use crate::{bare, chain::Registries, processor, world::Here};

/// The chain's id, as the node has it unless it is told otherwise.
const CHAIN: u64 = 31_337;

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reader {
    /// Fetches and decodes, nothing else.
    Bare,
    /// Reads into a new SQLite index.
    Sqlite,
    /// Reads into an empty PostgreSQL index.
    Postgres,
}

impl Reader {
    pub(crate) const ALL: [Self; 3] = [Self::Bare, Self::Sqlite, Self::Postgres];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// What a process that reads is told.
#[derive(Debug, Args)]
pub(crate) struct Task {
    /// Who reads
    #[arg(long)]
    reader: Reader,
    /// A file's path, or a database's URL
    #[arg(long)]
    index: String,
    #[command(flatten)]
    registries: Registries,
}

/// What a reading took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) events: u64,
    pub(crate) requests: u64,
    seconds: f64,
    /// Of user and system time of the whole process, from just before the reading until just after it.
    cpu_seconds: f64,
    /// The same of the database server, where there is one: whoever starts the reading knows.
    #[serde(default)]
    pub(crate) server_cpu_seconds: f64,
    /// The most memory that the process had.
    pub(crate) peak_mib: f64,
}

impl Measured {
    pub(crate) fn rate(&self) -> f64 {
        self.events as f64 / self.seconds
    }

    pub(crate) fn server_cpu_for_50_000(&self) -> f64 {
        self.server_cpu_seconds * 50_000.0 / self.events as f64
    }

    pub(crate) fn per_cpu_second(&self) -> f64 {
        self.events as f64 / self.cpu_seconds
    }
}

/// Reads, and prints what it took as JSON.
#[tokio::main]
pub(crate) async fn run(task: &Task) -> Result<()> {
    let index: Option<Arc<dyn Index>> = match task.reader {
        Reader::Bare => None,
        Reader::Sqlite => Some(Arc::new(SqliteIndex::open(task.index.as_ref()).await?)),
        Reader::Postgres => Some(Arc::new(PostgresIndex::open(&task.index, 4).await?)),
    };
    let (start, cpu) = (Instant::now(), processor::of_this()?);
    let (events, requests) = match &index {
        None => bare::read(&task.registries).await?,
        Some(index) => sync(&task.registries, index).await?,
    };
    let measured = Measured {
        events,
        requests,
        seconds: start.elapsed().as_secs_f64(),
        cpu_seconds: (processor::of_this()? - cpu).as_secs_f64(),
        server_cpu_seconds: 0.0,
        peak_mib: peak()?,
    };
    println!("{}", serde_json::to_string(&measured)?);
    if let Some(index) = index {
        index.close().await;
    }
    Ok(())
}

/// Facts by registry, as a syncer tells.
#[derive(Debug, Default)]
struct Count(Mutex<std::collections::BTreeMap<RegistryId, u64>>);

impl Watch for Count {
    fn tell(&self, news: News) {
        if let (News::Progress(progress), Ok(mut count)) = (news, self.0.lock()) {
            count.insert(progress.registry, progress.facts);
        }
    }
}

async fn sync(registries: &Registries, index: &Arc<dyn Index>) -> Result<(u64, u64)> {
    let world = Arc::new(Here);
    let endpoint = EndpointConfig::new("local".parse()?, Secret::new(&registries.node));
    let chain = ChainConfig {
        id: CHAIN,
        name: "Local".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: None,
        finality_depth: None,
        endpoints: vec![endpoint],
    };
    let chains = Arc::new(Chains::new(vec![chain], world.clone())?);
    for (address, standard) in [
        (registries.agents, Standard::Erc8122),
        (registries.tools, Standard::Erc8257),
    ] {
        let registry = RegistryId {
            chain_id: CHAIN,
            address: ChainAddress(address.0.0),
        };
        index.begin(registry, standard, 0).await?;
    }
    let count = Arc::new(Count::default());
    let options = Options::new(&*world);
    let syncer = Syncer::new(chains.clone(), index.clone(), world, options, count.clone());
    let caught_up = syncer.catch_up(CHAIN).await?;
    ensure!(caught_up == Default::default(), "{caught_up:?}");
    let count = count.0.lock().ok().context("a watcher panicked")?;
    Ok((count.values().sum(), chains.requests_sent()))
}

fn peak() -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes: f64 = peak
        .and_then(|peak| peak.trim().strip_suffix(" kB"))
        .context("no VmHWM")?
        .trim()
        .parse()?;
    Ok(kibibytes / 1_024.0)
}
