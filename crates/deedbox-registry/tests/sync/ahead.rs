//! A piece is read while the one before it is written: what happens in between to the chain, and to who reads.

use std::sync::{Arc, Mutex, mpsc};

use deedbox_core::World as _;
use deedbox_neighbours::{
    branching::Bears,
    rpc::{Request, hex},
};
use deedbox_registry::sync::News;
use deedbox_store::index::{Index as _, Standard};
use tokio::sync::Notify;

use crate::{
    life::{CHAIN, Life, registry},
    rig::{Clock, Server, begin, chains, dump, facts, index, options, syncer},
};

/// How many blocks are asked for at once here.
const WIDTH: u64 = 4;

fn life(seed: u64) -> Life {
    let followed = vec![
        registry(0xa1, Standard::Erc8122, 1),
        registry(0xb1, Standard::Erc8257, 1),
    ];
    let mut life = Life::new(seed, followed);
    life.grow(30);
    life
}

/// Whether logs are asked for from this block on.
fn asks_from(request: &Request, block: u64) -> bool {
    let logs = request
        .calls
        .iter()
        .filter(|call| call.method == "eth_getLogs");
    let mut from = logs.filter_map(|call| hex(call.params[0]["fromBlock"].as_str()?));
    from.any(|from| from == block)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocks_that_are_replaced_after_they_were_read_ahead_are_undone() {
    for seed in 1..=20 {
        println!("seed {seed}");
        let life = Arc::new(Mutex::new(life(seed)));
        let (chain, followed) = {
            let life = life.lock().unwrap();
            (life.chain.clone(), life.followed.clone())
        };
        let server = Server::new(&chain, seed);
        // The blocks 5 to 8 are read and not written when their second half is replaced.
        let replaced = Mutex::new(false);
        server.endpoint.script({
            let life = Arc::clone(&life);
            move |request| {
                let mut replaced = replaced.lock().unwrap();
                if !*replaced && asks_from(request, 9) {
                    *replaced = true;
                    let mut life = life.lock().unwrap();
                    life.chain.take_back(24);
                    life.grow(26);
                }
                chain.reply(request, Bears::default())
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let index = index(&folder, "one").await;
        begin(&index, &followed).await;
        let clock = Clock::new(seed);
        let chains = chains(std::slice::from_ref(&server), 20, &clock);
        let (syncer, listener) = syncer(&chains, &index, &clock, options("one", WIDTH));
        assert_eq!(syncer.catch_up(CHAIN).await.unwrap(), Default::default());
        let news = std::mem::take(&mut *listener.news.lock().unwrap());
        for one in followed {
            let facts = facts(&dump(&index, one.id).await);
            assert_eq!(facts, life.lock().unwrap().facts(one), "seed {seed}");
            let went_back = news.iter().filter_map(|news| match news {
                News::WentBack { registry, from, to } if *registry == one.id => Some((*from, *to)),
                _ => None,
            });
            assert_eq!(went_back.collect::<Vec<_>>(), [(8, Some(4))], "seed {seed}");
        }
        index.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_lost_a_registry_does_not_write_what_was_read_ahead() {
    let life = life(11);
    let server = Server::new(&life.chain, 11);
    let (asked, answered) = (Arc::new(Notify::new()), mpsc::channel::<()>());
    let (answer, may_answer) = answered;
    let may_answer = Mutex::new(may_answer);
    server.endpoint.script({
        let (chain, asked) = (life.chain.clone(), Arc::clone(&asked));
        move |request| {
            if asks_from(request, 5) {
                asked.notify_one();
                // Fails from when nobody holds it up any more.
                let _nobody = may_answer.lock().unwrap().recv();
            }
            chain.reply(request, Bears::default())
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let index = index(&folder, "one").await;
    begin(&index, &life.followed).await;
    let clock = Clock::new(11);
    let chains = chains(std::slice::from_ref(&server), 20, &clock);
    let (slow, listener) = syncer(&chains, &index, &clock, options("slow", WIDTH));
    let reading = tokio::spawn(async move { slow.catch_up(CHAIN).await });
    asked.notified().await;
    let upto = async || {
        let cursors = index.cursors().await.unwrap().into_iter();
        let upto = cursors.map(|cursor| cursor.upto.map(|upto| upto.block));
        upto.collect::<Vec<_>>()
    };
    // The first piece is written while the second is asked for.
    while upto().await != [Some(4); 2] {
        tokio::task::yield_now().await;
    }
    clock.pass(31);
    let registries: Vec<_> = life.followed.iter().map(|one| one.id).collect();
    let lease = std::time::Duration::from_secs(30);
    let leases = index
        .claim(&registries, "heir", clock.now(), lease)
        .await
        .unwrap();
    assert_eq!(leases.len(), 2);
    drop(answer);
    let outcome = reading.await.unwrap().unwrap();
    assert_eq!(outcome.elsewhere.len(), 2, "{outcome:?}");
    assert_eq!(upto().await, [Some(4); 2]);
    let news = std::mem::take(&mut *listener.news.lock().unwrap());
    let lost = news.iter().filter(|news| matches!(news, News::Lost(_)));
    assert_eq!(lost.count(), 2);
    let (heir, _) = syncer(&chains, &index, &clock, options("heir", u64::MAX));
    assert_eq!(heir.catch_up(CHAIN).await.unwrap(), Default::default());
    for one in &life.followed {
        assert_eq!(facts(&dump(&index, one.id).await), life.facts(*one));
    }
    index.close().await;
}
