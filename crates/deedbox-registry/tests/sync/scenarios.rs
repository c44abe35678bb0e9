//! Five hundred lives of a chain: it grows, takes back blocks, becomes final; endpoints lag, fail, bear little and hang behind; syncers are
//! stopped in the middle and begun anew. In the end the index has what the chain says, and what a fresh index has.

use std::sync::Arc;

use deedbox_chain::Chains;
use deedbox_registry::sync::News;
use deedbox_sqlite::SqliteIndex;
use deedbox_store::index::{Index as _, Standard};
use tempfile::TempDir;

use crate::{
    life::{CHAIN, Followed, Hand, Life, registry},
    rig::{Clock, Listener, Server, begin, chains, dump, facts, index, options, syncer},
};

struct Scenario {
    seed: u64,
    hand: Hand,
    life: Life,
    servers: Vec<Server>,
    clock: Arc<Clock>,
    folder: TempDir,
    index: Arc<SqliteIndex>,
    max_batch: u32,
    chains: Option<Arc<Chains>>,
    restarts: u32,
    /// How high the chain ever was.
    tallest: u64,
}

/// One or two registries of each standard, begun at different heights.
fn followed(hand: &mut Hand) -> Vec<Followed> {
    let mut followed = vec![
        registry(0xa1, Standard::Erc8122, hand.below(3)),
        registry(0xb1, Standard::Erc8257, hand.below(12)),
    ];
    if hand.one_in(3) {
        followed.push(registry(0xb2, Standard::Erc8257, hand.below(30)));
    }
    followed
}

impl Scenario {
    async fn new(seed: u64) -> Self {
        let mut hand = Hand(seed);
        let followed = followed(&mut hand);
        let life = Life::new(hand.next(), followed);
        let servers = (0..=hand.below(2)).map(|_| Server::new(&life.chain, hand.next()));
        let servers: Vec<_> = servers.collect();
        for server in &servers {
            server.set(|conduct| {
                let bears = &mut conduct.bears;
                bears.blocks =
                    [None, None, Some(2), Some(9)][usize::try_from(hand.below(4)).unwrap()];
                bears.logs = [None, Some(15)][usize::try_from(hand.below(2)).unwrap()];
                bears.is_timeless = hand.one_in(4);
            });
        }
        let folder = tempfile::tempdir().unwrap();
        let index = index(&folder, "followed").await;
        begin(&index, &life.followed).await;
        Self {
            seed,
            clock: Clock::new(hand.next()),
            max_batch: [20, 20, 20, 1][usize::try_from(hand.below(4)).unwrap()],
            hand,
            life,
            servers,
            folder,
            index,
            chains: None,
            restarts: 0,
            tallest: 0,
        }
    }

    async fn live(mut self) {
        for _ in 0..4 + self.hand.below(6) {
            self.tallest = self.tallest.max(self.life.chain.height());
            match self.hand.below(8) {
                0..3 => {
                    let blocks = 1 + self.hand.below(12);
                    self.life.grow(blocks);
                }
                3 => {
                    let blocks = self.hand.below(6);
                    let height = self.life.chain.finalized() + blocks;
                    self.life.chain.finalize(height);
                }
                4 | 5 => {
                    let server = &self.servers
                        [usize::try_from(self.hand.below(2)).unwrap() % self.servers.len()];
                    if self.hand.one_in(2) {
                        let branch = self.life.chain.frozen();
                        server.set(|conduct| conduct.stale = Some(branch));
                    }
                    let depth = 1 + self.hand.below(10);
                    self.life.chain.take_back(depth);
                    // Sometimes the new branch is shorter for a while.
                    let blocks = self.hand.below(depth + 3);
                    self.life.grow(blocks);
                }
                _ => {
                    for server in &self.servers {
                        let (lag, failing) = (self.hand.below(4), self.hand.below(3) * 120);
                        server.set(|conduct| {
                            conduct.bears.lag = lag;
                            conduct.failing = failing;
                        });
                    }
                }
            }
            self.read().await;
            if self.hand.one_in(2) {
                self.servers.iter().for_each(Server::heal);
            }
        }
        self.servers.iter().for_each(Server::heal);
        // A chain that is shorter than it was cannot be told from an endpoint that lags, until it is as long again.
        let missing = (self.tallest + 1).saturating_sub(self.life.chain.height());
        self.life.grow(missing.max(12));
        self.compare().await;
    }

    fn width(&mut self) -> u64 {
        [1, 3, 7, u64::MAX][usize::try_from(self.hand.below(4)).unwrap()]
    }

    /// A new syncer reads until the head, or is stopped on the way.
    async fn read(&mut self) {
        let width = self.width();
        self.restarts += 1;
        let holder = format!("syncer {}", self.restarts);
        // What is known of endpoints is lost, too, where the whole program begins anew.
        if self.chains.is_none() || self.hand.one_in(5) {
            self.chains = Some(chains(&self.servers, self.max_batch, &self.clock));
        }
        let chains = self.chains.clone().unwrap();
        let (syncer, _) = syncer(&chains, &self.index, &self.clock, options(&holder, width));
        let server = &self.servers[0];
        if self.hand.one_in(3) {
            let requests = self.hand.below(12);
            server.set(|conduct| conduct.tell_after = Some(requests));
            tokio::select! {
                _ = syncer.catch_up(CHAIN) => {}
                () = server.told.notified() => {}
            }
            server.set(|conduct| conduct.tell_after = None);
            // Whoever stopped on the way holds its registries still.
            self.clock.pass(31);
        } else {
            // That endpoints fail is no news.
            let _outcome = syncer.catch_up(CHAIN).await;
            self.clock.pass(31);
        }
    }

    /// Everything served well again: the index has what the chain says.
    async fn compare(&mut self) {
        let seed = self.seed;
        let width = self.width();
        let chains = chains(&self.servers, self.max_batch, &self.clock);
        let fresh = index(&self.folder, "fresh").await;
        begin(&fresh, &self.life.followed).await;
        for (index, width) in [(&self.index, width), (&fresh, u64::MAX)] {
            let (syncer, listener) = syncer(&chains, index, &self.clock, options("last", width));
            let caught_up = syncer.catch_up(CHAIN).await;
            let caught_up = caught_up.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
            assert_eq!(caught_up, Default::default(), "seed {seed}");
            let listener: &Listener = &listener;
            let broke = listener.news.lock().unwrap();
            let broke = broke
                .iter()
                .find(|news| matches!(news, News::BrokeFinality(_)));
            assert!(broke.is_none(), "seed {seed}: {broke:?}");
        }
        let newest = self.life.chain.height();
        for cursor in self.index.cursors().await.unwrap() {
            let of = self
                .life
                .followed
                .iter()
                .find(|one| one.id == cursor.registry)
                .unwrap();
            let read = cursor.next() == newest + 1 || of.from > newest;
            assert!(read, "seed {seed}: {cursor:?} of {newest}");
        }
        for one in &self.life.followed {
            let (rows, anew) = (dump(&self.index, one.id).await, dump(&fresh, one.id).await);
            assert_eq!(
                facts(&rows),
                self.life.facts(*one),
                "seed {seed}: {}",
                one.id
            );
            assert_eq!(rows, anew, "seed {seed}: {}", one.id);
        }
        self.index.close().await;
        fresh.close().await;
    }
}

async fn live(seeds: std::ops::Range<u64>) {
    println!("seeds {seeds:?}");
    for seed in seeds {
        Scenario::new(seed).await.live().await;
    }
}

/// Lives that ended otherwise than their chain while the reader was built; [another one](crate::faults) has become a test of its rule.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn life_10_which_ended_otherwise_once_ends_as_the_chain_says() {
    live(10..11).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn life_128_which_ended_otherwise_once_ends_as_the_chain_says() {
    live(128..129).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn life_265_which_ended_otherwise_once_ends_as_the_chain_says() {
    live(265..266).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn life_383_which_ended_otherwise_once_ends_as_the_chain_says() {
    live(383..384).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lives_1_to_125_end_as_the_chain_says() {
    live(1..126).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lives_126_to_250_end_as_the_chain_says() {
    live(126..251).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lives_251_to_375_end_as_the_chain_says() {
    live(251..376).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lives_376_to_500_end_as_the_chain_says() {
    live(376..501).await;
}
