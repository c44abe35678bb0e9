//! Two syncers, one index: each fact once, and one goes on where the other stopped.

use std::sync::Arc;

use deedbox_registry::sync::News;
use deedbox_store::index::{Index as _, Standard};
use tokio_util::sync::CancellationToken;

use crate::{
    life::{CHAIN, Life, registry},
    rig::{Clock, Server, begin, chains, dump, facts, index, options, syncer},
};

fn life(seed: u64) -> Life {
    let followed = vec![
        registry(0xa1, Standard::Erc8122, 1),
        registry(0xb1, Standard::Erc8257, 1),
    ];
    let mut life = Life::new(seed, followed);
    life.grow(30);
    life
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_syncers_that_race_each_fact_is_written_once() {
    for seed in 1..=20 {
        println!("seed {seed}");
        let life = life(seed);
        let server = Server::new(&life.chain, seed);
        let folder = tempfile::tempdir().unwrap();
        let index = index(&folder, "one").await;
        begin(&index, &life.followed).await;
        let clock = Clock::new(seed);
        let chains = chains(std::slice::from_ref(&server), 20, &clock);
        let (one, _) = syncer(&chains, &index, &clock, options("one", 2));
        let (two, _) = syncer(&chains, &index, &clock, options("two", 3));
        let (a, b) = tokio::join!(one.catch_up(CHAIN), two.catch_up(CHAIN));
        let elsewhere = a.unwrap().elsewhere.len() + b.unwrap().elsewhere.len();
        assert!(elsewhere <= 2, "each registry is somebody's");
        for followed in &life.followed {
            let rows = dump(&index, followed.id).await;
            assert_eq!(facts(&rows), life.facts(*followed), "seed {seed}");
        }
        index.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_takes_over_when_the_other_does_not_renew() {
    let mut life = life(7);
    let server = Server::new(&life.chain, 7);
    let told = Arc::clone(&server.told);
    server.set(|conduct| conduct.tell_after = Some(8));
    let folder = tempfile::tempdir().unwrap();
    let index = index(&folder, "one").await;
    begin(&index, &life.followed).await;
    let clock = Clock::new(7);
    let chains = chains(std::slice::from_ref(&server), 20, &clock);
    let (dying, _) = syncer(&chains, &index, &clock, options("dying", 1));
    tokio::select! {
        outcome = dying.catch_up(CHAIN) => panic!("it was to be stopped: {outcome:?}"),
        () = told.notified() => {}
    }
    let (heir, _) = syncer(&chains, &index, &clock, options("heir", u64::MAX));
    let before = heir.catch_up(CHAIN).await.unwrap();
    assert_eq!(before.elsewhere.len(), 2, "held until its time is over");
    clock.pass(31);
    life.grow(3);
    let after = heir.catch_up(CHAIN).await.unwrap();
    assert_eq!(after, Default::default());
    for followed in &life.followed {
        let rows = dump(&index, followed.id).await;
        assert_eq!(facts(&rows), life.facts(*followed));
    }
    // Its leases were given back: the next one need not wait.
    let (next, _) = syncer(&chains, &index, &clock, options("next", 5));
    assert_eq!(next.catch_up(CHAIN).await.unwrap(), Default::default());
    index.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn following_goes_on_until_it_is_stopped_and_takes_in_what_comes_later() {
    let mut life = life(3);
    let server = Server::new(&life.chain, 3);
    let folder = tempfile::tempdir().unwrap();
    let index = index(&folder, "one").await;
    let (first, later) = (life.followed[0], life.followed[1]);
    begin(&index, &[first]).await;
    let clock = Clock::new(3);
    let chains = chains(std::slice::from_ref(&server), 20, &clock);
    let (follower, listener) = syncer(&chains, &index, &clock, options("one", u64::MAX));
    let stop = CancellationToken::new();
    let task = tokio::spawn({
        let stop = stop.clone();
        async move { follower.follow(&stop).await }
    });
    let read = async |of: deedbox_store::index::RegistryId, height: u64| loop {
        let cursors = index.cursors().await.unwrap();
        if cursors
            .iter()
            .any(|cursor| cursor.registry == of && cursor.next() > height)
        {
            return;
        }
        tokio::task::yield_now().await;
    };
    read(first.id, life.chain.height()).await;
    begin(&index, &[later]).await;
    // Not only when a third of a lease is over.
    read(later.id, life.chain.height()).await;
    life.chain.take_back(4);
    life.grow(6);
    read(first.id, life.chain.height()).await;
    read(later.id, life.chain.height()).await;
    stop.cancel();
    task.await.unwrap();
    for followed in &life.followed {
        let rows = dump(&index, followed.id).await;
        assert_eq!(facts(&rows), life.facts(*followed));
    }
    let news = listener.news.lock().unwrap();
    let went_back = news
        .iter()
        .filter(|news| matches!(news, News::WentBack { .. }));
    assert_eq!(went_back.count(), 2, "{news:?}");
}
