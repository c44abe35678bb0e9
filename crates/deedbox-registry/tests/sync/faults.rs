//! What no retry mends: a chain that goes back on what was final, and a block that nobody gives.

use std::sync::Arc;

use deedbox_chain::Code;
use deedbox_core::{Timestamp, World as _};
use deedbox_neighbours::branching::BranchingChain;
use deedbox_registry::sync::{News, SyncError, anew};
use deedbox_sqlite::SqliteIndex;
use deedbox_store::index::{Index as _, Standard, Survey};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::{
    life::{CHAIN, Life, beacon_upgraded, metadata, predicate_set, registry, upgraded},
    rig::{Clock, Server, begin, chains, dump, facts, index, options, syncer},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_that_breaks_finality_is_reported_and_nothing_is_undone() {
    let followed = vec![registry(0xa1, Standard::Erc8122, 1)];
    let mut life = Life::new(5, followed);
    life.grow(20);
    life.chain.finalize(15);
    let server = Server::new(&life.chain, 5);
    let folder = tempfile::tempdir().unwrap();
    let index = index(&folder, "one").await;
    begin(&index, &life.followed).await;
    let clock = Clock::new(5);
    let chains = chains(std::slice::from_ref(&server), 20, &clock);
    let (syncer, listener) = syncer(&chains, &index, &clock, options("one", u64::MAX));
    for _ in 0..2 {
        syncer.catch_up(CHAIN).await.unwrap();
    }
    let of = life.followed[0];
    let cursor = index.cursors().await.unwrap().remove(0);
    assert_eq!(cursor.final_upto, Some(15));
    let before = dump(&index, of.id).await;
    let honest = life.chain.frozen();
    life.chain.break_finality(9);
    life.chain.take_back(8);
    life.grow(12);
    let outcome = syncer.catch_up(CHAIN).await.unwrap();
    assert_eq!(outcome.failed, [of.id]);
    assert_eq!(dump(&index, of.id).await, before);
    let news = std::mem::take(&mut *listener.news.lock().unwrap());
    let broke = news.iter().find_map(|news| match news {
        News::BrokeFinality(broke) => Some(*broke),
        _ => None,
    });
    let broke = broke.unwrap();
    assert_eq!((broke.registry, broke.kept.block), (of.id, 15));
    assert_eq!(Some(broke.kept.hash.to_string()), honest.hash(15));
    assert_eq!(Some(broke.now.to_string()), life.chain.hash(15));
    index.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_reading_ends_with_what_is_final_called_so() {
    let whole = Broken::not_yet(5).await;
    whole.catch_up("first").await;
    let cursor = whole.index.cursors().await.unwrap().remove(0);
    assert_eq!(cursor.final_upto, Some(15));
    assert!(cursor.upto.is_some_and(|upto| upto.block > 15));
    whole.index.close().await;
}

/// A chain whose block 15 was final, and that has another one there; an index that was read before; and its registry.
struct Broken {
    life: Life,
    server: Server,
    honest: BranchingChain,
    index: Arc<SqliteIndex>,
    clock: Arc<Clock>,
    _folder: TempDir,
}

impl Broken {
    /// With the chain whole, and nothing read.
    async fn not_yet(seed: u64) -> Self {
        let mut life = Life::new(seed, vec![registry(0xa1, Standard::Erc8122, 1)]);
        life.grow(20);
        life.chain.finalize(15);
        let server = Server::new(&life.chain, seed);
        let folder = tempfile::tempdir().unwrap();
        let index = index(&folder, "one").await;
        begin(&index, &life.followed).await;
        let clock = Clock::new(seed);
        let honest = life.chain.frozen();
        Self {
            life,
            server,
            honest,
            index,
            clock,
            _folder: folder,
        }
    }

    async fn new(seed: u64) -> Self {
        let mut broken = Self::not_yet(seed).await;
        broken.catch_up("first").await;
        broken.life.chain.break_finality(9);
        broken.life.chain.take_back(8);
        broken.life.grow(12);
        broken
    }

    /// Somebody who knows only what the index says reads; returns what was told.
    async fn catch_up(&self, holder: &str) -> Vec<News> {
        let servers = std::slice::from_ref(&self.server);
        let chains = chains(servers, 20, &self.clock);
        let options = options(holder, u64::MAX);
        let (syncer, listener) = syncer(&chains, &self.index, &self.clock, options);
        syncer.catch_up(CHAIN).await.unwrap();
        std::mem::take(&mut *listener.news.lock().unwrap())
    }

    async fn survey(&self) -> Survey {
        self.index.surveys().await.unwrap().remove(0)
    }
}

fn says_broken(news: &[News]) -> bool {
    let mut news = news.iter();
    news.any(|news| matches!(news, News::BrokeFinality(_)))
}

fn says_kept(news: &[News]) -> bool {
    let mut news = news.iter();
    news.any(|news| matches!(news, News::KeptFinality(_)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn that_a_chain_broke_finality_stands_in_the_index_until_it_has_the_block_again() {
    let mut broken = Broken::new(10).await;
    assert_eq!(broken.survey().await.broke, None);
    assert!(says_broken(&broken.catch_up("one").await));
    let found = broken.survey().await;
    let kept = found.broke.unwrap().kept;
    assert_eq!(kept.block, 15);
    assert_eq!(Some(kept.hash.to_string()), broken.honest.hash(15));
    assert_eq!(found.head, broken.life.chain.height());
    // Another process is told, too, although it is known.
    assert!(says_broken(&broken.catch_up("two").await));
    // A chain that has no such block at all has not mended anything.
    let height = broken.life.chain.height();
    broken.life.chain.take_back(height - 10);
    let news = broken.catch_up("three").await;
    assert!(!says_kept(&news), "{news:?}");
    assert_eq!(broken.survey().await.broke, found.broke);
    assert_eq!(broken.survey().await.head, 10);
    broken.life.grow(12);
    assert!(says_broken(&broken.catch_up("four").await));
    // The endpoint was on another chain, and is on the right one again.
    let honest = broken.honest.clone();
    broken.server.set(|conduct| conduct.stale = Some(honest));
    let news = broken.catch_up("five").await;
    assert!(says_kept(&news) && !says_broken(&news), "{news:?}");
    assert_eq!(broken.survey().await.broke, None);
    broken.index.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_registry_whose_chain_broke_finality_is_read_anew_on_request_also_by_who_holds_it() {
    let broken = Broken::new(11).await;
    let of = broken.life.followed[0];
    let chains = chains(std::slice::from_ref(&broken.server), 20, &broken.clock);
    let (follower, listener) = syncer(
        &chains,
        &broken.index,
        &broken.clock,
        options("follower", u64::MAX),
    );
    let stop = CancellationToken::new();
    let task = tokio::spawn({
        let stop = stop.clone();
        async move { follower.follow(&stop).await }
    });
    while !says_broken(&listener.news.lock().unwrap()) {
        tokio::task::yield_now().await;
    }
    let begun = anew(&*broken.index, of.id, of.standard, of.from);
    begun.await.unwrap();
    assert_eq!(broken.index.surveys().await.unwrap(), []);
    // What it holds is looked at again when a third of a lease is over.
    broken.clock.pass(11);
    loop {
        let cursor = broken.index.cursors().await.unwrap().remove(0);
        if cursor.next() > broken.life.chain.height() {
            break;
        }
        tokio::task::yield_now().await;
    }
    stop.cancel();
    task.await.unwrap();
    let rows = dump(&broken.index, of.id).await;
    assert_eq!(facts(&rows), broken.life.facts(of));
    assert_eq!(broken.survey().await.broke, None);
    broken.index.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_at_a_chain_is_one_that_succeeded_and_says_when_and_how_far_it_was() {
    let mut life = Life::new(12, vec![registry(0xa1, Standard::Erc8122, 1)]);
    life.grow(5);
    let server = Server::new(&life.chain, 12);
    let folder = tempfile::tempdir().unwrap();
    let index = index(&folder, "one").await;
    begin(&index, &life.followed).await;
    let clock = Clock::new(12);
    let chains = chains(std::slice::from_ref(&server), 20, &clock);
    let (syncer, _) = syncer(&chains, &index, &clock, options("one", u64::MAX));
    let look = async || {
        let survey = index.surveys().await.unwrap().remove(0);
        (survey.looked_at, survey.head, survey.is_old(clock.now()))
    };
    let first = clock.now();
    syncer.catch_up(CHAIN).await.unwrap();
    assert_eq!(look().await, (first, 5, false));
    let cursor = index.cursors().await.unwrap().remove(0);
    let made = cursor.upto_at.map(Timestamp::as_millis);
    let seconds = i64::try_from(BranchingChain::timestamp(5)).unwrap();
    assert_eq!(made, Some(seconds * 1_000));
    // Nothing happens on the chain: it was looked at all the same, and the block that is read is as old as it is.
    clock.pass(90);
    assert_eq!(look().await, (first, 5, true));
    let second = clock.now();
    syncer.catch_up(CHAIN).await.unwrap();
    assert_eq!(look().await, (second, 5, false));
    assert_eq!(index.cursors().await.unwrap(), [cursor]);
    // The endpoint is dead.
    clock.pass(90);
    server.set(|conduct| conduct.failing = 1_000);
    syncer.catch_up(CHAIN).await.unwrap_err();
    assert_eq!(look().await, (second, 5, true));
    index.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_registry_with_too_much_in_a_block_does_not_stop_the_others() {
    let followed = vec![
        registry(0xa1, Standard::Erc8122, 1),
        registry(0xa2, Standard::Erc8122, 1),
        registry(0xb1, Standard::Erc8257, 1),
    ];
    let mut life = Life::new(6, followed);
    life.grow(5);
    let flood =
        (0..30_u8).map(|n| metadata(0xa2, Some(alloy_primitives::U256::from(n)), b"name", b"x"));
    life.block(flood.collect());
    life.grow(5);
    let server = Server::new(&life.chain, 6);
    server.set(|conduct| conduct.bears.logs = Some(25));
    let folder = tempfile::tempdir().unwrap();
    let index = index(&folder, "one").await;
    begin(&index, &life.followed).await;
    let clock = Clock::new(6);
    let chains = chains(std::slice::from_ref(&server), 20, &clock);
    let (syncer, listener) = syncer(&chains, &index, &clock, options("one", u64::MAX));
    let outcome = syncer.catch_up(CHAIN).await.unwrap();
    assert_eq!(outcome.failed, [life.followed[1].id]);
    for one in [life.followed[0], life.followed[2]] {
        assert_eq!(facts(&dump(&index, one.id).await), life.facts(one));
    }
    let news = listener.news.lock().unwrap();
    let failed = news.iter().find_map(|news| match news {
        News::RegistryFailed {
            registry, error, ..
        } => Some((*registry, error.code)),
        _ => None,
    });
    assert_eq!(failed, Some((life.followed[1].id, Code::RangeTooLarge)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_predicate_is_watched_from_where_it_is_named_also_in_the_same_batch() {
    let of = registry(0xb1, Standard::Erc8257, 1);
    let mut life = Life::new(8, vec![of]);
    let tool = alloy_primitives::U256::from(1);
    life.block(vec![upgraded(0xe1, 1)]);
    life.block(vec![
        upgraded(0xe1, 2),
        predicate_set(0xb1, tool, 0xe1),
        upgraded(0xe1, 3),
    ]);
    life.block(vec![predicate_set(0xb1, tool, 0), upgraded(0xe1, 4)]);
    life.block(vec![upgraded(0xb1, 5), upgraded(0xe2, 6)]);
    life.block(vec![beacon_upgraded(0xe2, 7), beacon_upgraded(0xe1, 8)]);
    let server = Server::new(&life.chain, 8);
    for (name, width) in [("whole", u64::MAX), ("single", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let index = index(&folder, name).await;
        begin(&index, &life.followed).await;
        let clock = Clock::new(8);
        let chains = chains(std::slice::from_ref(&server), 20, &clock);
        let (syncer, _) = syncer(&chains, &index, &clock, options(name, width));
        syncer.catch_up(CHAIN).await.unwrap();
        let facts = facts(&dump(&index, of.id).await);
        assert_eq!(facts, life.facts(of));
        // Two statements of the registry, its own upgrade, and the predicate's third and fourth, and its other beacon.
        let places: Vec<_> = facts
            .iter()
            .map(|fact| (fact.origin.place.block, fact.origin.place.log_index))
            .collect();
        assert_eq!(
            places,
            [(2, 1), (2, 2), (3, 0), (3, 1), (4, 0), (5, 1)],
            "{name}"
        );
        index.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_that_cannot_be_read_is_an_error_after_so_many_attempts() {
    let life = Life::new(9, vec![registry(0xa1, Standard::Erc8122, 1)]);
    let server = Server::new(&life.chain, 9);
    server.set(|conduct| conduct.failing = 1_000);
    let folder = tempfile::tempdir().unwrap();
    let index = index(&folder, "one").await;
    begin(&index, &life.followed).await;
    let clock = Clock::new(9);
    let chains = chains(std::slice::from_ref(&server), 20, &clock);
    let (syncer, _) = syncer(&chains, &index, &clock, options("one", u64::MAX));
    let error = syncer.catch_up(CHAIN).await.unwrap_err();
    assert!(matches!(error, SyncError::Read(_)), "{error:?}");
    // Another chain is none of its business.
    assert!(syncer.catch_up(1).await.unwrap().failed.is_empty());
    let (of, now) = ([life.followed[0].id], clock.now());
    let second = std::time::Duration::from_secs(1);
    let next = index.claim(&of, "next", now, second).await.unwrap();
    assert_eq!(next.len(), 1, "it was given back");
}

/// Life 143 of the scenarios ended while its chain was shorter than it had been, and the index had kept what was taken back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_shorter_chain_took_back_is_undone_when_it_is_as_long_again() {
    let mut life = Life::new(143, vec![registry(0xa1, Standard::Erc8122, 1)]);
    life.grow(16);
    let server = Server::new(&life.chain, 143);
    let folder = tempfile::tempdir().unwrap();
    let index = index(&folder, "one").await;
    begin(&index, &life.followed).await;
    let clock = Clock::new(143);
    let chains = chains(std::slice::from_ref(&server), 20, &clock);
    let (syncer, _) = syncer(&chains, &index, &clock, options("one", 4));
    syncer.catch_up(CHAIN).await.unwrap();
    let of = life.followed[0];
    let before = dump(&index, of.id).await;
    // An endpoint that has not the newest blocks yet looks the same.
    life.chain.take_back(2);
    syncer.catch_up(CHAIN).await.unwrap();
    assert_eq!(dump(&index, of.id).await, before);
    life.grow(3);
    syncer.catch_up(CHAIN).await.unwrap();
    assert_eq!(facts(&dump(&index, of.id).await), life.facts(of));
    index.close().await;
}
