//! Registries of a node, followed into an index: what tests of syncing share.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use alloy_primitives::Address;
use anyhow::{Result, bail, ensure};
use deedbox_chain::{ChainConfig, Chains, EndpointConfig, config::Secret};
use deedbox_core::{ChainAddress, EndpointId, Timestamp, World};
use deedbox_neighbours::postgres::Cluster;
use deedbox_postgres::PostgresIndex;
use deedbox_registry::sync::{Backoff, CaughtUp, News, Options, Syncer, Watch};
use deedbox_sqlite::SqliteIndex;
use deedbox_store::index::{Index, RegistryId, Row, Standard};
use tempfile::TempDir;

use crate::chain::CHAIN;

/// Which database keeps an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A SQLite file.
    InSqlite,
    /// A PostgreSQL database.
    InPostgres,
}

/// Where indexes are made.
#[derive(Debug)]
pub struct Indexes {
    folder: TempDir,
    cluster: Option<Cluster>,
}

impl Indexes {
    /// Somewhere for indexes of this kind.
    ///
    /// # Errors
    /// When PostgreSQL does not start.
    pub fn new(kept: Kept) -> Result<Self> {
        Ok(Self {
            folder: tempfile::tempdir()?,
            cluster: match kept {
                Kept::InSqlite => None,
                Kept::InPostgres => Some(Cluster::for_tests()?),
            },
        })
    }

    /// Where an index of this name is: a file's path, or a database's URL. It is empty.
    ///
    /// # Errors
    /// When the database cannot be made.
    pub fn place(&self, name: &str) -> Result<String> {
        match &self.cluster {
            None => Ok(self.folder.path().join(name).display().to_string()),
            Some(cluster) => cluster.fresh_database(name),
        }
    }

    /// An empty index.
    ///
    /// # Errors
    /// When it cannot be made.
    pub async fn make(&self, name: &str) -> Result<Arc<dyn Index>> {
        open(&self.place(name)?).await
    }
}

/// The index at a path or a URL.
///
/// # Errors
/// When it cannot be opened.
pub async fn open(place: &str) -> Result<Arc<dyn Index>> {
    Ok(match place.starts_with("postgres") {
        true => Arc::new(PostgresIndex::open(place, 3).await?),
        false => Arc::new(SqliteIndex::open(place.as_ref()).await?),
    })
}

/// A clock that is as far ahead of the machine's as a test says.
#[derive(Debug, Default)]
pub struct Ahead(AtomicI64);

impl Ahead {
    /// Lets so many seconds pass.
    pub fn pass(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000, Ordering::AcqRel);
    }
}

impl World for Ahead {
    fn now(&self) -> Timestamp {
        crate::memory::Clock
            .now()
            .plus_millis(self.0.load(Ordering::Acquire))
    }

    fn fill(&self, bytes: &mut [u8]) {
        crate::memory::Clock.fill(bytes);
    }
}

/// The node's chain, as it is known anew.
///
/// # Errors
/// When the URL is none.
pub fn chains(url: &str, world: &Arc<Ahead>) -> Result<Arc<Chains>> {
    let endpoint = EndpointConfig::new(EndpointId::known("node"), Secret::new(url));
    let config = ChainConfig {
        id: CHAIN,
        name: "Test chain".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: None,
        finality_depth: None,
        endpoints: vec![endpoint],
    };
    Ok(Arc::new(Chains::new(vec![config], world.clone())?))
}

/// The registry at an address of the node's chain.
#[must_use]
pub fn registry(address: Address) -> RegistryId {
    RegistryId {
        chain_id: CHAIN,
        address: ChainAddress(address.0.0),
    }
}

/// What a syncer told.
#[derive(Debug, Default)]
pub struct Listener(Mutex<Vec<News>>);

impl Watch for Listener {
    fn tell(&self, news: News) {
        if let Ok(mut heard) = self.0.lock() {
            heard.push(news);
        }
    }
}

impl Listener {
    /// How many logs of each registry could not be read.
    #[must_use]
    pub fn unreadable(&self) -> BTreeMap<RegistryId, u64> {
        let mut unreadable = BTreeMap::new();
        for news in self.0.lock().iter().flat_map(|heard| heard.iter()) {
            if let News::Progress(progress) = news {
                unreadable.insert(progress.registry, progress.unreadable);
            }
        }
        unreadable
    }

    /// How often something was undone.
    #[must_use]
    pub fn went_back(&self) -> usize {
        let heard = self.0.lock();
        let went_back = heard.iter().flat_map(|heard| heard.iter());
        let went_back = went_back.filter(|news| matches!(news, News::WentBack { .. }));
        went_back.count()
    }
}

/// A syncer under this name that asks for so many blocks at once.
#[must_use]
pub fn syncer(
    chains: &Arc<Chains>,
    index: &Arc<dyn Index>,
    world: &Arc<Ahead>,
    holder: &str,
    width: u64,
) -> (Syncer, Arc<Listener>) {
    let options = Options {
        holder: holder.to_owned(),
        width,
        backoff: Backoff {
            first: Duration::from_millis(5),
            most: Duration::from_millis(50),
        },
        attempts: 8,
        ..Options::new(&**world)
    };
    let listener = Arc::new(Listener::default());
    let (chains, index) = (Arc::clone(chains), Arc::clone(index));
    let syncer = Syncer::new(chains, index, world.clone(), options, listener.clone());
    (syncer, listener)
}

/// Reads all that was said until now into an index.
///
/// # Errors
/// When that does not succeed for every registry.
pub async fn catch_up(syncer: &Syncer) -> Result<()> {
    let caught_up = syncer.catch_up(CHAIN).await?;
    ensure!(caught_up == CaughtUp::default(), "{caught_up:?}");
    Ok(())
}

/// Takes registries into an index, from the first block on.
///
/// # Errors
/// When it cannot be written.
pub async fn begin(index: &Arc<dyn Index>, followed: &[(RegistryId, Standard)]) -> Result<()> {
    for (registry, standard) in followed {
        index.begin(*registry, *standard, 0).await?;
    }
    Ok(())
}

/// Everything of a registry.
///
/// # Errors
/// When it cannot be read, or has no end.
pub async fn dump(index: &Arc<dyn Index>, of: RegistryId) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    loop {
        let after = rows.last().map(Row::place);
        let more = index.dump(of, after, 500).await?;
        if more.is_empty() {
            return Ok(rows);
        }
        if rows.len() > 1_000_000 {
            bail!("a dump without end");
        }
        rows.extend(more);
    }
}
