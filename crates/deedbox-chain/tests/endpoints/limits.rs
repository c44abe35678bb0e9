//! How many at once, how many waiting, how long; and that what was given up leaves nothing behind.

use std::{
    sync::{Condvar, Mutex},
    time::Instant,
};

use futures::future::join_all;

use crate::support::*;

/// Lets requests for data through once it is opened.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn wait(&self) {
        let (open, changed) = &*self.0;
        drop(
            changed
                .wait_while(open.lock().unwrap(), |open| !*open)
                .unwrap(),
        );
    }

    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

fn gated(gate: &Gate) -> FaultyEndpoint {
    let gate = gate.clone();
    honest_about_blocks(move |request| {
        gate.wait();
        CHAIN.reply(request)
    })
}

async fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "it never happened"
        );
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_fresh_endpoint_is_verified_once_however_many_wait() {
    let server = honest();
    let chains = of(&[&server]);
    for reading in join_all((0..20).map(|_| read(&chains))).await {
        assert_right(reading, "main");
    }
    // One for all, and one in each answer.
    assert_eq!(server.calls("eth_chainId"), 1 + 20);
}

#[tokio::test]
async fn a_verification_that_fails_fails_for_all_who_wait() {
    let server = served(|_| Reply::new(403, "").after(Duration::from_millis(50)));
    let chains = of(&[&server]);
    for reading in join_all((0..20).map(|_| read(&chains))).await {
        assert_fails(reading, Code::EndpointUnavailable);
    }
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn a_verification_that_is_given_up_is_taken_over() {
    let server = served(|_| Reply::hang());
    let chains = of(&[&server]);
    let first = tokio::time::timeout(PATIENCE, read(&chains)).await;
    assert!(first.is_err());
    server.script(|request| CHAIN.reply(request));
    assert_right(read(&chains).await, "main");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_requests_are_in_flight_than_allowed() {
    let server = served(|request| CHAIN.reply(request).after(Duration::from_millis(5)));
    let mut configs = configs(&[&server]);
    configs[0].max_concurrent = 3.try_into().unwrap();
    let chains = chains(configs);
    for reading in join_all((0..30).map(|_| read(&chains))).await {
        assert_right(reading, "main");
    }
    assert_eq!(server.most_at_once(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_is_refused_at_once_when_enough_wait() {
    let gate = Gate::default();
    let server = gated(&gate);
    let mut configs = configs(&[&server]);
    configs[0].max_concurrent = 1.try_into().unwrap();
    configs[0].max_waiting = 1;
    let chains = Arc::new(chains(configs));
    let spawn = || {
        let chains = Arc::clone(&chains);
        tokio::spawn(async move { read(&chains).await })
    };
    let first = spawn();
    until(|| server.at_once() == 1 && server.asked().iter().any(|r| r.has("eth_getBalance"))).await;
    let second = spawn();
    // The second waits in line, and nothing shows it; so the third may come before it, and then waits instead.
    let third = spawn();
    let start = Instant::now();
    until(|| second.is_finished() || third.is_finished()).await;
    assert!(start.elapsed() < Duration::from_secs(5));
    gate.open();
    assert_right(first.await.unwrap(), "main");
    let others = [second.await.unwrap(), third.await.unwrap()];
    let (busy, right): (Vec<_>, Vec<_>) = others.into_iter().partition(Result::is_err);
    let [busy] = &busy[..] else {
        panic!("{busy:?}")
    };
    assert_eq!(busy.as_ref().unwrap_err().code, Code::Busy);
    assert_right(right.into_iter().next().unwrap(), "main");
}

/// Its own line is long, which says nothing about the endpoint.
#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_busy_with_us_is_listed_as_it_was_and_is_not_tried_last() {
    let gate = Gate::default();
    let server = gated(&gate);
    let mut configs = configs(&[&server]);
    configs[0].max_concurrent = 1.try_into().unwrap();
    let chains = Arc::new(chains(configs));
    let first = {
        let chains = Arc::clone(&chains);
        tokio::spawn(async move { read(&chains).await })
    };
    until(|| server.at_once() == 1 && server.asked().iter().any(|r| r.has("eth_getBalance"))).await;
    let list = serde_json::to_value(chains.list(|_| true).await).unwrap();
    let endpoint = &list[0]["endpoints"][0];
    assert_eq!(
        *endpoint,
        serde_json::json!({"endpoint_id": "main", "health": "healthy", "reason": null, "head": 900})
    );
    gate.open();
    assert_right(first.await.unwrap(), "main");
    assert_eq!(server.calls("eth_blockNumber"), 0);
}

/// Its first request holds the only turn, so all others wait to hear which chain it is on.
#[tokio::test]
async fn no_more_reads_wait_for_a_verification_than_may_wait() {
    let server = served(|request| CHAIN.reply(request).after(Duration::from_millis(100)));
    let mut configs = configs(&[&server]);
    configs[0].max_concurrent = 1.try_into().unwrap();
    configs[0].max_waiting = 3;
    let chains = chains(configs);
    let readings = join_all((0..20).map(|_| read(&chains))).await;
    let (right, busy): (Vec<_>, Vec<_>) = readings.into_iter().partition(Result::is_ok);
    assert_eq!((right.len(), busy.len()), (4, 16));
    for reading in busy {
        assert_fails(reading, Code::Busy);
    }
    assert_eq!(server.calls("eth_chainId"), 1 + 4);
}

#[tokio::test]
async fn a_read_has_a_deadline_over_all_endpoints() {
    let servers = [(), (), ()].map(|()| served(|_| Reply::hang()));
    let chains = of(&servers.each_ref()).with_deadline(PATIENCE);
    let start = Instant::now();
    let message = assert_fails(read(&chains).await, Code::Timeout);
    assert!(start.elapsed() < PATIENCE * 4, "{:?}", start.elapsed());
    assert_eq!(message, "no answer within 800 ms");
    // What had failed before is told.
    let broken = served(|_| Reply::new(403, ""));
    let chains = of(&[&broken, &servers[0]]).with_deadline(PATIENCE);
    let message = assert_fails(read(&chains).await, Code::Timeout);
    assert!(
        message.starts_with("endpoint main refuses its key"),
        "{message}"
    );
}

#[tokio::test]
async fn a_read_that_is_dropped_leaves_no_request_behind() {
    let server = honest_about_blocks(|_| Reply::hang());
    let mut configs = configs(&[&server]);
    configs[0].max_concurrent = 1.try_into().unwrap();
    let chains = chains(configs);
    let dropped = tokio::time::timeout(PATIENCE, read(&chains)).await;
    assert!(dropped.is_err());
    until(|| server.at_once() == 0).await;
    // Its turn was given back.
    server.script(|request| CHAIN.reply(request));
    assert_right(read(&chains).await, "main");
}
