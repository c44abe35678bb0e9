//! What no retry mends: a chain that goes back on what was final, and a block that nobody gives.

use deedbox_chain::Code;
use deedbox_core::World as _;
use deedbox_registry::sync::{News, SyncError};
use deedbox_store::index::{Index as _, Standard};

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
