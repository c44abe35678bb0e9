//! Endpoints that serve a chain well or badly, and syncers that read it.

use std::{
    num::NonZeroU32,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use deedbox_chain::{ChainConfig, Chains, EndpointConfig, config::Secret};
use deedbox_core::{Timestamp, World};
use deedbox_neighbours::{
    branching::{Bears, BranchingChain},
    rpc::{FaultyEndpoint, Reply},
};
use deedbox_registry::sync::{Backoff, News, Options, Syncer, Watch};
use deedbox_sqlite::SqliteIndex;
use deedbox_store::index::{Fact, Index, RegistryId, Row};
use tokio::sync::Notify;

use crate::life::{CHAIN, Followed, Hand};

/// A clock that a test sets, and numbers from a seed.
#[derive(Debug)]
pub(crate) struct Clock {
    pub(crate) millis: AtomicI64,
    hand: Mutex<Hand>,
}

impl Clock {
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self {
            millis: AtomicI64::new(1_800_000_000_000),
            hand: Mutex::new(Hand(seed)),
        })
    }

    pub(crate) fn pass(&self, seconds: i64) {
        self.millis.fetch_add(seconds * 1_000, Ordering::AcqRel);
    }
}

impl World for Clock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::Acquire)).unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        let mut hand = self.hand.lock().unwrap();
        for byte in bytes {
            *byte = u8::try_from(hand.below(256)).unwrap();
        }
    }
}

/// How an endpoint behaves at the moment.
#[derive(Debug)]
pub(crate) struct Conduct {
    pub(crate) bears: Bears,
    /// Of a thousand requests, how many fail.
    pub(crate) failing: u64,
    /// The branch that it stayed on.
    pub(crate) stale: Option<BranchingChain>,
    /// After so many requests the test is told.
    pub(crate) tell_after: Option<u64>,
    hand: Hand,
}

/// An endpoint, and how it behaves.
pub(crate) struct Server {
    pub(crate) endpoint: FaultyEndpoint,
    pub(crate) conduct: Arc<Mutex<Conduct>>,
    pub(crate) told: Arc<Notify>,
}

impl Server {
    pub(crate) fn new(chain: &BranchingChain, seed: u64) -> Self {
        let conduct = Arc::new(Mutex::new(Conduct {
            bears: Bears::default(),
            failing: 0,
            stale: None,
            tell_after: None,
            hand: Hand(seed),
        }));
        let told = Arc::new(Notify::new());
        let (chain, shared, tell) = (chain.clone(), Arc::clone(&conduct), Arc::clone(&told));
        let endpoint = FaultyEndpoint::http(move |request| {
            let mut conduct = shared.lock().unwrap();
            if let Some(left) = conduct.tell_after {
                conduct.tell_after = left.checked_sub(1);
                if left == 0 {
                    tell.notify_one();
                }
            }
            let failing = conduct.failing;
            if conduct.hand.below(1_000) < failing {
                return match conduct.hand.below(3) {
                    0 => Reply::close(),
                    1 => Reply::new(503, "busy"),
                    _ => Reply::new(200, "{"),
                };
            }
            let chain = conduct.stale.as_ref().unwrap_or(&chain);
            chain.reply(request, conduct.bears)
        });
        Self {
            endpoint: endpoint.unwrap(),
            conduct,
            told,
        }
    }

    pub(crate) fn set(&self, change: impl FnOnce(&mut Conduct)) {
        change(&mut self.conduct.lock().unwrap());
    }

    /// Serves the chain as it is, as well as it can.
    pub(crate) fn heal(&self) {
        self.set(|conduct| {
            conduct.bears.lag = 0;
            conduct.failing = 0;
            conduct.stale = None;
            conduct.tell_after = None;
        });
    }
}

/// The chain through these servers.
pub(crate) fn chains(servers: &[Server], max_batch: u32, world: &Arc<Clock>) -> Arc<Chains> {
    let endpoints = servers.iter().enumerate().map(|(number, server)| {
        let id = format!("node{number}").parse().unwrap();
        EndpointConfig {
            attempts: NonZeroU32::MIN,
            max_batch: NonZeroU32::new(max_batch).unwrap(),
            ..EndpointConfig::new(id, Secret::new(server.endpoint.url()))
        }
    });
    let config = ChainConfig {
        id: CHAIN,
        name: "Test chain".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: None,
        finality_depth: None,
        endpoints: endpoints.collect(),
    };
    Arc::new(Chains::new(vec![config], world.clone()).unwrap())
}

/// What a syncer told.
#[derive(Debug, Default)]
pub(crate) struct Listener {
    pub(crate) news: Mutex<Vec<News>>,
    pub(crate) unreadable: AtomicU64,
}

impl Watch for Listener {
    fn tell(&self, news: News) {
        if let News::Progress(progress) = &news {
            self.unreadable
                .fetch_max(progress.unreadable, Ordering::AcqRel);
        }
        self.news.lock().unwrap().push(news);
    }
}

pub(crate) fn options(holder: &str, width: u64) -> Options {
    Options {
        holder: holder.to_owned(),
        lease: Duration::from_secs(30),
        poll: Duration::from_millis(2),
        width,
        backoff: Backoff {
            first: Duration::from_millis(1),
            most: Duration::from_millis(4),
        },
        attempts: 8,
    }
}

pub(crate) fn syncer(
    chains: &Arc<Chains>,
    index: &Arc<SqliteIndex>,
    world: &Arc<Clock>,
    options: Options,
) -> (Syncer, Arc<Listener>) {
    let listener = Arc::new(Listener::default());
    let index: Arc<dyn Index> = index.clone();
    let syncer = Syncer::new(
        Arc::clone(chains),
        index,
        world.clone(),
        options,
        listener.clone(),
    );
    (syncer, listener)
}

pub(crate) async fn index(folder: &tempfile::TempDir, name: &str) -> Arc<SqliteIndex> {
    let path = folder.path().join(format!("{name}.sqlite3"));
    Arc::new(SqliteIndex::open(&path).await.unwrap())
}

pub(crate) async fn begin(index: &SqliteIndex, followed: &[Followed]) {
    for one in followed {
        index.begin(one.id, one.standard, one.from).await.unwrap();
    }
}

pub(crate) async fn dump(index: &SqliteIndex, of: RegistryId) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    loop {
        let after = rows.last().map(Row::place);
        let more = index.dump(of, after, 500).await.unwrap();
        if more.is_empty() {
            return rows;
        }
        rows.extend(more);
    }
}

pub(crate) fn facts(rows: &[Row]) -> Vec<Fact> {
    let facts = rows.iter().filter_map(|row| match row {
        Row::Fact(fact) => Some(fact.clone()),
        Row::Entry(_) => None,
    });
    facts.collect()
}
