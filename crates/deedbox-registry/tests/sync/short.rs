//! A chain that is shorter than what was read: an endpoint that is behind, a chain that was begun anew, and one of which that cannot be told.

use std::sync::Arc;

use alloy_primitives::U256;
use deedbox_neighbours::branching::BranchingChain;
use deedbox_registry::sync::News;
use deedbox_sqlite::SqliteIndex;
use deedbox_store::index::{
    ChainStanding, Checkpoint, Index as _, Row, ShortChain, Standard, Survey,
};
use tempfile::TempDir;

use crate::{
    life::{CHAIN, Life, metadata, registry},
    rig::{Clock, Server, begin, chains, dump, index, options, syncer},
};

/// Blocks of the registry in which something was said.
const SAID: [u64; 2] = [3, 6];
const HEIGHT: u64 = 40;
const FINAL: u64 = 30;

/// An index that was read up to the head of a chain on which a registry said something twice, long ago.
struct Read {
    life: Life,
    server: Server,
    honest: BranchingChain,
    index: Arc<SqliteIndex>,
    clock: Arc<Clock>,
    before: Vec<Row>,
    _folder: TempDir,
}

impl Read {
    async fn new(said: &[u64]) -> Self {
        let seed = 21;
        let mut life = Life::new(seed, vec![registry(0xa1, Standard::Erc8122, 1)]);
        for block in 1..=HEIGHT {
            let logs = match said.contains(&block) {
                true => vec![metadata(0xa1, Some(U256::from(1)), b"name", b"x")],
                false => Vec::new(),
            };
            life.block(logs);
        }
        life.chain.finalize(FINAL);
        let server = Server::new(&life.chain, seed);
        let folder = tempfile::tempdir().unwrap();
        let index = index(&folder, "one").await;
        begin(&index, &life.followed).await;
        let honest = life.chain.frozen();
        let mut read = Self {
            life,
            server,
            honest,
            index,
            clock: Clock::new(seed),
            before: Vec::new(),
            _folder: folder,
        };
        read.catch_up("first").await;
        read.before = dump(&read.index, read.life.followed[0].id).await;
        assert_eq!(read.survey().await.standing(), ChainStanding::GoesOn);
        read
    }

    /// Somebody reads; returns what was told. Nothing that was read before is undone by it.
    async fn catch_up(&self, holder: &str) -> Vec<News> {
        let servers = std::slice::from_ref(&self.server);
        let chains = chains(servers, 20, &self.clock);
        let options = options(holder, u64::MAX);
        let (syncer, listener) = syncer(&chains, &self.index, &self.clock, options);
        syncer.catch_up(CHAIN).await.unwrap();
        if !self.before.is_empty() {
            let now = dump(&self.index, self.life.followed[0].id).await;
            assert_eq!(now, self.before);
        }
        std::mem::take(&mut *listener.news.lock().unwrap())
    }

    async fn survey(&self) -> Survey {
        self.index.surveys().await.unwrap().remove(0)
    }

    /// The chain was begun anew: it is this high, and has other blocks from this one on.
    fn restart(&self, from: u64, height: u64) {
        self.life.chain.break_finality(0);
        self.life
            .chain
            .take_back(self.life.chain.height() + 1 - from);
        while self.life.chain.height() < height {
            self.life.chain.grow(Vec::new());
        }
    }

    /// The endpoint is on the chain again that was read.
    fn mend(&self) {
        let honest = self.honest.clone();
        self.server.set(|conduct| {
            conduct.bears.lag = 0;
            conduct.stale = Some(honest);
        });
    }

    fn kept(&self, block: u64) -> Checkpoint {
        Checkpoint {
            block,
            hash: self.honest.hash(block).unwrap().parse().unwrap(),
        }
    }

    /// The chain as it was seen, with this newest block.
    fn short(&self, head: u64, recognised: Option<u64>) -> ShortChain {
        ShortChain {
            head,
            read_upto: HEIGHT,
            final_upto: Some(FINAL),
            recognised: recognised.map(|block| self.kept(block)),
        }
    }
}

/// What was told of a chain's length, and of finality.
fn alarms(news: &[News]) -> Vec<String> {
    let alarms = news.iter().filter_map(|news| match news {
        News::EndsBelowFinal { chain, .. } => Some(match chain.recognised {
            Some(_) => format!("behind at {}", chain.head),
            None => format!("unknown at {}", chain.head),
        }),
        News::BrokeFinality(broke) => Some(format!("broke {}", broke.kept.block)),
        News::KeptFinality(_) => Some("kept".to_owned()),
        News::LongAgain(_) => Some("long again".to_owned()),
        _ => None,
    });
    alarms.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_is_behind_is_called_that_and_no_alarm_stays() {
    let read = Read::new(&SAID).await;
    for (lag, head, recognised) in [(20, 20, 6), (34, 6, 6), (35, 5, 3)] {
        read.server.set(|conduct| conduct.bears.lag = lag);
        let told = alarms(&read.catch_up("one").await);
        assert_eq!(told, [format!("behind at {head}")]);
        let behind = ChainStanding::Behind(read.short(head, Some(recognised)));
        assert_eq!(read.survey().await.standing(), behind);
    }
    // Not below what is final: that happens every day.
    read.server.set(|conduct| conduct.bears.lag = 4);
    assert_eq!(alarms(&read.catch_up("one").await), [""; 0]);
    let standing = read.survey().await.standing();
    let ChainStanding::Behind(short) = standing else {
        panic!("{standing:?}");
    };
    assert_eq!((short.missing(), short.is_below_final()), (4, false));
    read.server.heal();
    read.catch_up("one").await;
    assert_eq!(read.survey().await.standing(), ChainStanding::GoesOn);
    read.index.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_that_was_begun_anew_and_is_shorter_broke_finality() {
    let read = Read::new(&SAID).await;
    read.restart(1, 12);
    assert_eq!(alarms(&read.catch_up("one").await), ["broke 6"]);
    let broke = read.survey().await.broke.unwrap();
    assert_eq!(broke.kept, read.kept(6));
    assert_eq!(Some(broke.now.to_string()), read.life.chain.hash(6));
    // The branches part between two blocks in which something was said: the last one is looked at.
    read.mend();
    assert_eq!(alarms(&read.catch_up("two").await), ["kept"]);
    assert_eq!(read.survey().await.standing(), ChainStanding::GoesOn);
    read.index.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_shorter_chain_broke_stands_while_the_chain_is_shorter_still() {
    let read = Read::new(&SAID).await;
    read.restart(5, 8);
    assert_eq!(alarms(&read.catch_up("one").await), ["broke 6"]);
    let broke = read.survey().await.broke;
    // Of the same chain a block is left that was read.
    read.restart(4, 3);
    assert_eq!(alarms(&read.catch_up("two").await), ["broke 6"]);
    assert_eq!(read.survey().await.broke, broke);
    // As long as it was, with other blocks.
    read.restart(4, HEIGHT);
    assert_eq!(alarms(&read.catch_up("three").await), ["broke 30"]);
    read.mend();
    assert_eq!(alarms(&read.catch_up("four").await), ["kept"]);
    read.index.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_chain_without_a_known_block_that_ends_below_what_was_final_nobody_knows() {
    for said in [&SAID[..], &[]] {
        let read = Read::new(said).await;
        read.restart(1, 2);
        assert_eq!(alarms(&read.catch_up("one").await), ["unknown at 2"]);
        let unknown = ChainStanding::EndsBelowFinal(read.short(2, None));
        assert_eq!(read.survey().await.standing(), unknown);
        // The chain is as long again, with the same blocks.
        read.mend();
        read.catch_up("two").await;
        assert_eq!(read.survey().await.standing(), ChainStanding::GoesOn);
        read.index.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_reader_tells_each_change_once_and_its_end() {
    let read = Read::new(&SAID).await;
    let chains = chains(std::slice::from_ref(&read.server), 20, &read.clock);
    let (syncer, listener) = syncer(&chains, &read.index, &read.clock, options("one", u64::MAX));
    let stop = tokio_util::sync::CancellationToken::new();
    let task = tokio::spawn({
        let stop = stop.clone();
        async move { syncer.follow(&stop).await }
    });
    let until = async |told: &[&str]| {
        loop {
            let now = alarms(&listener.news.lock().unwrap());
            if now == told {
                break;
            }
            assert!(now.len() <= told.len(), "{now:?}, not {told:?}");
            tokio::task::yield_now().await;
        }
    };
    read.server.set(|conduct| conduct.bears.lag = 39);
    until(&["unknown at 1"]).await;
    read.server.set(|conduct| conduct.bears.lag = 20);
    until(&["unknown at 1", "behind at 20"]).await;
    read.server.heal();
    until(&["unknown at 1", "behind at 20", "long again"]).await;
    stop.cancel();
    task.await.unwrap();
    read.index.close().await;
}
