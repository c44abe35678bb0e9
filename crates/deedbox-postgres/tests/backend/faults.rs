//! Servers that die, and connections that were cut.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::common::{Fixture, plain};
use deedbox_neighbours::postgres::Cluster;
use deedbox_store::{Store, StoreError, ledger};
use futures::future::join_all;

const KILL: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[tokio::test(flavor = "multi_thread")]
async fn cut_connections_are_replaced_and_nobody_notices() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let (key, issue) = fixture.issue(false);
    fixture.ask(issue).await.unwrap().unwrap();
    for _ in 0..5 {
        let task = fixture.created().await;
        // Several of each kind are open now.
        join_all((0..8).map(|_| fixture.store.status(task))).await;
        fixture.psql(KILL);
        fixture.ask(fixture.accept(task)).await.unwrap().unwrap();
        fixture.psql(KILL);
        assert!(fixture.store.key(key.id()).await.unwrap().is_some());
        assert!(fixture.store.status(task).await.unwrap().is_some());
        fixture.psql(KILL);
        let mut snapshot = fixture.store.snapshot().await.unwrap();
        ledger::check(&mut *snapshot, |_| {})
            .await
            .unwrap()
            .unwrap();
        drop(snapshot);
        fixture.psql(KILL);
        fixture.add_actor(&format!("a{task}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_is_said_to_be_so_soon_and_is_found_again() {
    let mut fixture = Fixture::on(Cluster::start_without_fsync().unwrap()).await;
    fixture.add_actor("alice").await;
    let (key, issue) = fixture.issue(false);
    fixture.ask(issue).await.unwrap().unwrap();
    let task = fixture.created().await;

    fixture.cluster.stop().unwrap();
    let started = Instant::now();
    let errors = [
        fixture
            .ask(fixture.accept(task))
            .await
            .map(drop)
            .unwrap_err(),
        fixture.store.status(task).await.map(drop).unwrap_err(),
        fixture.store.key(key.id()).await.map(drop).unwrap_err(),
        fixture.store.ping().await.unwrap_err(),
        fixture.store.snapshot().await.map(drop).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    }
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );

    fixture.cluster.start_again().unwrap();
    fixture.store.ping().await.unwrap();
    assert!(fixture.store.key(key.id()).await.unwrap().is_some());
    fixture.ask(fixture.accept(task)).await.unwrap().unwrap();
}

/// The server crashes again and again under load. What was acknowledged is there, nothing is there
/// twice, and the chains are whole.
#[tokio::test(flavor = "multi_thread")]
async fn a_crashing_server_loses_no_acknowledged_deed() {
    let mut fixture = Fixture::on(Cluster::start().unwrap()).await;
    fixture.add_actor("alice").await;
    let stop = Arc::new(AtomicBool::new(false));
    let mut callers = Vec::new();
    let commands: Vec<Vec<_>> = (0..16)
        .map(|_| (0..2_000).map(|_| fixture.create()).collect())
        .collect();
    for mine in commands {
        let (store, stop) = (Arc::clone(&fixture.store), Arc::clone(&stop));
        callers.push(tokio::spawn(async move {
            let mut acknowledged = Vec::new();
            for (task, command) in mine {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                match store.execute(plain(command)).await {
                    Ok(outcome) => {
                        outcome.unwrap();
                        acknowledged.push(task);
                    }
                    Err(StoreError::Unavailable(_) | StoreError::Busy(_)) => {
                        tokio::task::yield_now().await;
                    }
                    Err(other) => panic!("{other:?}"),
                }
            }
            acknowledged
        }));
    }
    for _ in 0..3 {
        let before = fixture.psql("SELECT count(*) FROM deeds");
        // Until there is work in flight again.
        while fixture.psql("SELECT count(*) FROM deeds") == before {}
        fixture.cluster.crash_and_restart().unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    let mut acknowledged = 0;
    for caller in callers {
        for task in caller.await.unwrap() {
            assert!(
                fixture.store.status(task).await.unwrap().is_some(),
                "{task} is lost"
            );
            acknowledged += 1;
        }
    }
    assert!(acknowledged > 0);
    let mut snapshot = fixture.store.snapshot().await.unwrap();
    let sound = ledger::check(&mut *snapshot, |_| {})
        .await
        .unwrap()
        .unwrap();
    assert!(
        sound.streams > acknowledged,
        "the actor's stream, and every task's"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_answers_what_was_taken() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let asks: Vec<_> = (0..50)
        .map(|_| {
            let (store, command) = (Arc::clone(&fixture.store), fixture.create().1);
            tokio::spawn(async move { store.execute(plain(command)).await })
        })
        .collect();
    tokio::task::yield_now().await;
    fixture.store.close().await;
    let mut kept = 0;
    for ask in asks {
        match ask.await.unwrap() {
            Ok(outcome) => {
                outcome.unwrap();
                kept += 1;
            }
            Err(StoreError::Closed) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    let deeds = fixture.psql("SELECT count(*) FROM deeds WHERE kind = 'task_created'");
    assert_eq!(deeds, kept.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_no_writes_does_not_answer_a_ping() {
    let fixture = Fixture::new().await;
    let (_, database) = fixture.url.rsplit_once('/').unwrap();
    fixture.store.ping().await.unwrap();
    fixture.psql(&format!(
        "ALTER DATABASE {database} SET default_transaction_read_only = on"
    ));
    fixture.psql(KILL);
    let error = fixture.store.ping().await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
}
