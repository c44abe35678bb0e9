//! Several replicas, and others who hold locks.
#![expect(clippy::unwrap_used, reason = "a race that cannot be run has failed")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crate::common::{Fixture, account, named, open, plain};
use deedbox_core::{Command, Refusal};
use deedbox_postgres::PostgresStore;
use deedbox_store::{Execute, Outcome, Store, StoreError, story};
use futures::future::join_all;

/// The fixture's store and two more on the same database.
async fn three(fixture: &Fixture) -> Vec<Arc<PostgresStore>> {
    let mut stores = vec![Arc::clone(&fixture.store)];
    for _ in 0..2 {
        stores.push(Arc::new(open(&fixture.url, &fixture.world).await.unwrap()));
    }
    stores
}

/// All of `asks` at once, each through the next of `stores`.
async fn race(stores: &[Arc<PostgresStore>], asks: Vec<Execute>) -> Vec<Outcome> {
    let asks = asks.into_iter().enumerate().map(|(i, ask)| {
        let store = Arc::clone(&stores[i % stores.len()]);
        tokio::spawn(async move { store.execute(ask).await })
    });
    let answers = join_all(asks).await;
    answers
        .into_iter()
        .map(|answer| answer.unwrap().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_racing_accepts_through_three_replicas_one_wins() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let stores = three(&fixture).await;
    for _ in 0..50 {
        let task = fixture.created().await;
        let asks = (0..9).map(|_| plain(fixture.accept(task))).collect();
        let answers = race(&stores, asks).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        for refusal in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            assert_eq!(refusal.code(), "already_owned");
        }
    }
}

/// A repeat must get the first result even when it looked before the first was there, and then found the task
/// owned: by its own first attempt.
#[tokio::test(flavor = "multi_thread")]
async fn racing_repeats_of_one_accept_through_three_replicas_all_get_the_same_acceptance() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let stores = three(&fixture).await;
    for round in 0..100 {
        let task = fixture.created().await;
        let key = format!("accept-{round}");
        let asks = (0..6).map(|_| named(fixture.accept(task), &key)).collect();
        let answers = race(&stores, asks).await;
        let kept: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
        assert_eq!(kept.iter().filter(|kept| !kept.replayed).count(), 1);
        assert!(kept.iter().all(|one| one.deed == kept[0].deed));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn racing_creations_of_one_id_make_one_task() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let stores = three(&fixture).await;
    for _ in 0..20 {
        let (task, command) = fixture.create();
        let asks = (0..6).map(|_| plain(command.clone())).collect();
        let answers = race(&stores, asks).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        let exists = |refusal: &Refusal| refusal.code() == "invalid_input";
        assert!(answers.iter().filter_map(|a| a.as_ref().err()).all(exists));
        assert!(fixture.store.status(task).await.unwrap().is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_racing_signatures_through_three_replicas_one_is_kept_and_the_others_are_refused() {
    let fixture = Fixture::new().await;
    let stores = three(&fixture).await;
    for round in 0..40 {
        // Half of them with one nonce and half with the next: endpoints may lag.
        let nonces = (0..10).map(|i| 2 * round + i % 2);
        let asks = nonces
            .map(|nonce| plain(fixture.publish(nonce).1))
            .collect();
        let answers = race(&stores, asks).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        let open = fixture.store.open_publication(account()).await.unwrap();
        let open = open.unwrap();
        for refusal in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            let signer = account();
            assert_eq!(
                *refusal,
                Refusal::PublicationOpen {
                    id: open.id,
                    signer
                }
            );
        }
        let attempt = story::signed(account(), open.nonce, 1_000, b"call");
        // Several that settle it at once, too.
        let settle = Command::SettlePublication {
            id: open.id,
            settlement: story::included(&attempt, 10, true),
        };
        let asks = (0..3).map(|_| plain(settle.clone())).collect();
        let answers = race(&stores, asks).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    }
}

/// Whoever goes past the rules is held up by the database.
#[tokio::test(flavor = "multi_thread")]
async fn the_database_itself_refuses_a_nonce_twice() {
    let fixture = Fixture::new().await;
    fixture.ask(fixture.publish(0).1).await.unwrap().unwrap();
    for change in ["status = 'open'", "status = 'succeeded'"] {
        let copy = format!(
            "CREATE TEMPORARY TABLE copy AS SELECT * FROM publications;
             UPDATE copy SET id = gen_random_uuid(), {change};
             INSERT INTO publications SELECT * FROM copy"
        );
        let error = fixture.cluster.psql(&fixture.url, &copy).unwrap_err();
        assert!(error.to_string().contains("publications_"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_on_one_task_that_share_a_commit_follow_each_other() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let task = fixture.created().await;
    fixture.ask(fixture.accept(task)).await.unwrap().unwrap();
    let claims = (0..40).map(|i| fixture.ask(fixture.complete(task, &format!("claim {i}"))));
    let answers = join_all(claims).await;
    for answer in answers {
        answer.unwrap().unwrap();
    }
    let status = fixture.store.status(task).await.unwrap().unwrap();
    assert_eq!(status.completions.len(), 40);
}

/// Holds a row as somebody else's transaction would, until it is dropped.
async fn hold(fixture: &Fixture, sql: &str) -> sqlx::Transaction<'static, sqlx::Postgres> {
    let pool = sqlx::PgPool::connect(&fixture.url).await.unwrap();
    let mut transaction = pool.begin().await.unwrap();
    sqlx::query(sqlx::AssertSqlSafe(sql))
        .execute(&mut *transaction)
        .await
        .unwrap();
    transaction
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_somebody_else_holds_delays_only_itself() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let (held, free) = (fixture.created().await, fixture.created().await);
    let lock = hold(
        &fixture,
        &format!("SELECT FROM tasks WHERE id = '{held}' FOR UPDATE"),
    )
    .await;

    let started = Instant::now();
    let (store, command) = (Arc::clone(&fixture.store), fixture.accept(held));
    let waiting = tokio::spawn(async move { store.execute(plain(command)).await });
    let others = (0..20).map(|_| fixture.created());
    join_all(others).await;
    fixture.ask(fixture.accept(free)).await.unwrap().unwrap();
    assert!(
        started.elapsed() < Duration::from_secs(4),
        "nobody else waits"
    );
    assert!(!waiting.is_finished());

    lock.rollback().await.unwrap();
    waiting.await.unwrap().unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_stays_held_is_answered_with_busy() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let task = fixture.created().await;
    let lock = hold(
        &fixture,
        &format!("SELECT FROM tasks WHERE id = '{task}' FOR UPDATE"),
    )
    .await;
    let error = fixture.ask(fixture.accept(task)).await.unwrap_err();
    assert!(matches!(error, StoreError::Busy(_)), "{error:?}");
    drop(lock);
    fixture.ask(fixture.accept(task)).await.unwrap().unwrap();
}

/// A command that the database refuses takes nobody else's with it.
#[tokio::test(flavor = "multi_thread")]
async fn one_bad_row_in_a_group_fails_alone() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    fixture.psql("ALTER TABLE deeds ADD CHECK (body->>'title' IS DISTINCT FROM 'Poison')");
    let asks: Vec<_> = (0..20)
        .map(|i| {
            let (_, mut command) = fixture.create();
            if let (Command::CreateTask { title, .. }, true) = (&mut command, i == 7) {
                *title = "Poison".parse().unwrap();
            }
            fixture.store.execute(plain(command))
        })
        .collect();
    let answers = join_all(asks).await;
    for (i, answer) in answers.into_iter().enumerate() {
        match answer {
            Err(StoreError::Rejected(_)) => assert_eq!(i, 7),
            other => {
                other.unwrap().unwrap();
                assert_ne!(i, 7);
            }
        }
    }
}
