//! A syncer that ends anywhere, also in the middle of a write or of an undoing: what it began is as if it had not been.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use deedbox_store::index::{Index as _, Standard};

use crate::{
    life::{CHAIN, Life, registry},
    rig::{Clock, Server, begin, chains, dump, facts, index, options, syncer},
};

/// A future that is polled so many times and then dropped; whether it ended before.
struct Polls<F>(Option<Pin<Box<F>>>, u32);

impl<F: Future> Future for Polls<F> {
    type Output = bool;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        let Some(left) = self.1.checked_sub(1) else {
            self.0 = None;
            return Poll::Ready(false);
        };
        self.1 = left;
        let inner = self.0.as_mut().map(|inner| inner.as_mut().poll(context));
        match inner {
            Some(Poll::Pending) => Poll::Pending,
            _ => Poll::Ready(true),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wherever_a_syncer_is_dropped_the_next_one_ends_as_the_chain_says() {
    let followed = vec![
        registry(0xa1, Standard::Erc8122, 1),
        registry(0xb1, Standard::Erc8257, 1),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut ended = 0;
    for polls in 1..=120_u32 {
        let mut life = Life::new(u64::from(polls), followed.clone());
        life.grow(12);
        let server = Server::new(&life.chain, 1);
        let index = index(&folder, &format!("index{polls}")).await;
        begin(&index, &life.followed).await;
        let clock = Clock::new(1);
        let chains = chains(std::slice::from_ref(&server), 20, &clock);
        // Half of them are dropped while they read for the first time, the others while they undo.
        if polls % 2 == 0 {
            let (first, _) = syncer(&chains, &index, &clock, options("first", 4));
            first.catch_up(CHAIN).await.unwrap();
            life.chain.take_back(6);
            life.grow(8);
        }
        let (dying, _) = syncer(&chains, &index, &clock, options("dying", 3));
        let dying = Polls(Some(Box::pin(dying.catch_up(CHAIN))), polls);
        ended += u32::from(dying.await);
        clock.pass(31);
        let (heir, _) = syncer(&chains, &index, &clock, options("heir", 5));
        heir.catch_up(CHAIN).await.unwrap();
        for one in &life.followed {
            let rows = dump(&index, one.id).await;
            assert_eq!(facts(&rows), life.facts(*one), "{polls} polls");
        }
        index.close().await;
    }
    assert!(
        ended < 100,
        "most were to be dropped on the way, and {ended} were not"
    );
}
