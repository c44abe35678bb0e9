use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use deedbox_core::{
    ClaimProvenance, Command, CompletionId, HandoffId, Refusal, World as _,
    text::{ClaimText, Title},
};
use deedbox_store::{Store as _, StoreError, Unaccepted};
use futures::future::join_all;
use metrics::{Counter, CounterFn, Gauge, Histogram, Key, KeyName, Metadata, SharedString, Unit};

use super::{Place, actor, add, by_operator, done, is_sound, run, sql};
use crate::{group, open};

/// Counts commits, and nothing else.
#[derive(Debug, Default, Clone)]
struct Commits(Arc<AtomicU64>);

impl CounterFn for Commits {
    fn increment(&self, value: u64) {
        self.0.fetch_add(value, Ordering::SeqCst);
    }
    fn absolute(&self, _: u64) {}
}

impl metrics::Recorder for Commits {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        assert_eq!(key.name(), "deedbox_commits_total");
        Counter::from_arc(Arc::new(self.clone()))
    }
    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[tokio::test]
async fn commands_that_share_a_transaction_see_each_other() {
    let place = Place::new();
    let mut connection = open::open(&place.path()).await.unwrap();
    let (task, create) = place.create("A whole life at once");
    let complete = Command::ReportCompletion {
        task,
        id: CompletionId(place.world.uuid()),
        actor: actor("alice"),
        provenance: ClaimProvenance::Reported,
        claim_text: ClaimText::new("done").unwrap(),
        source_reference: None,
    };
    let handoff = Command::HandoffTask {
        task,
        id: HandoffId(place.world.uuid()),
        from: actor("alice"),
        to: actor("bob"),
        reason: None,
    };
    let commands = [
        place.accept(task), // before it exists
        add("alice"),
        add("bob"),
        create,
        complete.clone(), // before it is accepted
        place.accept(task),
        place.accept(task), // once too often
        complete,
        handoff.clone(),
        handoff, // once too often
        place.accept(task),
    ]
    .map(by_operator);
    sql(&mut connection, "BEGIN IMMEDIATE").await.unwrap();
    let group: Vec<_> = commands.iter().collect();
    let done = group::carry_out(&mut connection, &group, &*place.world)
        .await
        .unwrap();
    sql(&mut connection, "COMMIT").await.unwrap();
    let codes: Vec<_> = done
        .answers
        .into_iter()
        .map(|answer| answer.unwrap().map_or_else(|no| no.code(), |_| "done"))
        .collect();
    assert_eq!(
        codes,
        [
            "task_not_found",
            "done",
            "done",
            "done",
            "no_current_owner",
            "done",
            "already_owned",
            "done",
            "done",
            "not_owner",
            "done"
        ]
    );
    let store = place.open().await;
    let status = store.status(task).await.unwrap().unwrap();
    assert_eq!(status.acceptances.len(), 2);
    assert_eq!(is_sound(&store).await.deeds, 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_that_wait_together_share_a_commit_and_a_spoiled_one_fails_alone() {
    let (place, commits) = (Place::new(), Commits::default());
    let connection = open::open(&place.path()).await.unwrap();
    let inbox = metrics::with_local_recorder(&commits, || {
        crate::writer::start(place.path(), connection, place.world.clone())
    });
    let execute = |command| inbox.execute(by_operator(command));
    execute(add("alice")).await.unwrap().unwrap();
    let count = || commits.0.load(Ordering::SeqCst);
    assert_eq!(count(), 1);

    // While somebody else has the lock, commands gather.
    let mut stranger = place.stranger().await;
    sql(&mut stranger, "BEGIN IMMEDIATE").await.unwrap();
    let waiting = join_all((0..100).map(|_| execute(place.create("One of a hundred").1)));
    let release = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        sql(&mut stranger, "COMMIT").await.unwrap();
    };
    let (outcomes, ()) = tokio::join!(waiting, release);
    assert!(outcomes.into_iter().all(|outcome| outcome.unwrap().is_ok()));
    // However the hundred were cut up, it was into few.
    assert!((2..20).contains(&count()), "{} commits", count());

    // One of a group meets a row that the database refuses.
    sql(
        &mut stranger,
        "CREATE TRIGGER poison BEFORE INSERT ON deeds WHEN NEW.body LIKE '%poison%'
         BEGIN SELECT RAISE(ABORT, 'spoiled'); END",
    )
    .await
    .unwrap();
    let titles = ["good", "poison", "better", "best"];
    let outcomes = join_all(titles.map(|title| execute(place.create(title).1))).await;
    for (title, outcome) in titles.into_iter().zip(outcomes) {
        match outcome {
            Ok(outcome) => assert!(outcome.is_ok() && title != "poison"),
            Err(error) => {
                assert_eq!(title, "poison", "{error}");
                assert!(matches!(error, StoreError::Rejected(_)));
                assert!(!error.to_string().contains("spoiled"), "SQL stays inside");
            }
        }
    }
    inbox.close().await;
    assert_eq!(is_sound(&place.open().await).await.streams, 1 + 100 + 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_goes_away_leaves_the_others_as_they_were() {
    let place = Place::new();
    let store = Arc::new(place.with_alice().await);
    let mut stranger = place.stranger().await;
    sql(&mut stranger, "BEGIN IMMEDIATE").await.unwrap();
    let callers: Vec<_> = (0..20)
        .map(|i| {
            let (store, (task, create)) = (Arc::clone(&store), place.create(&format!("{i}")));
            let call = tokio::spawn(async move { run(&store, create).await.is_ok() });
            (task, call)
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(20)).await;
    for (_, call) in callers.iter().step_by(2) {
        call.abort();
    }
    sql(&mut stranger, "COMMIT").await.unwrap();
    for (i, (task, call)) in callers.into_iter().enumerate() {
        match call.await {
            Ok(kept) => {
                assert!(kept);
                assert!(store.status(task).await.unwrap().is_some());
            }
            Err(error) => assert!(error.is_cancelled() && i % 2 == 0, "{error}"),
        }
    }
    is_sound(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_that_is_never_released_is_an_error_and_not_a_hang() {
    let place = Place::new();
    let store = place.with_alice().await;
    let mut stranger = place.stranger().await;
    sql(&mut stranger, "BEGIN IMMEDIATE").await.unwrap();
    let (task, create) = place.create("Never");
    let error = store
        .execute(by_operator(create.clone()))
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Busy(_)), "{error}");
    assert!(store.status(task).await.unwrap().is_none(), "reads go on");
    sql(&mut stranger, "COMMIT").await.unwrap();
    done(&store, create).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closing_finishes_what_was_handed_in_and_refuses_the_rest() {
    let place = Place::new();
    let store = place.with_alice().await;
    let creates: Vec<_> = (0..300).map(|_| place.create("In time").1).collect();
    let handed_in = join_all(
        creates
            .into_iter()
            .map(|create| store.execute(by_operator(create))),
    );
    let (outcomes, ()) = tokio::join!(handed_in, store.close());
    let kept = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert!(kept > 0);
    for outcome in outcomes {
        assert!(matches!(outcome, Ok(Ok(_)) | Err(StoreError::Closed)));
    }
    let (task, late) = place.create("Too late");
    let late = store.execute(by_operator(late)).await;
    assert!(matches!(late.unwrap_err(), StoreError::Closed));
    for error in [
        store.status(task).await.unwrap_err(),
        store.snapshot().await.unwrap_err(),
        store.ping().await.unwrap_err(),
        store
            .key(&"0123456789abcdef".parse().unwrap())
            .await
            .unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::Closed));
    }
    store.close().await;
    let sound = is_sound(&place.open().await).await;
    assert_eq!(sound.streams, 1 + kept as u64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_writers_on_one_file_never_make_two_owners() {
    let place = Place::new();
    let stores = [place.with_alice().await, place.open().await];
    for round in 0..20 {
        let (task, create) = place.create(&format!("Round {round}"));
        done(&stores[0], create).await;
        let accepts = stores
            .iter()
            .flat_map(|store| (0..4).map(|_| run(store, place.accept(task))));
        let outcomes = join_all(accepts).await;
        let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!(won, 1, "round {round}");
        for outcome in outcomes {
            let Err(refusal) = outcome else { continue };
            assert!(matches!(refusal, Refusal::AlreadyOwned { .. }));
        }
    }
    assert_eq!(is_sound(&stores[1]).await.deeds, 1 + 20 * 2);
}

#[tokio::test]
async fn texts_pass_through_the_statements_unchanged() {
    let place = Place::new();
    let store = place.with_alice().await;
    let odd = [
        r#"quotes " and ' and \ and \u0041 and [1,2] and {"a":null}"#,
        "controls \u{1}\u{8}\t\n\r\u{1f}\u{7f}\u{85}",
        "beyond \u{2028}\u{2029}\u{feff}\u{fffd}\u{ffff}\u{10ffff} 🦀 e\u{301}",
        "'); DROP TABLE deeds; --",
        "null",
        "12",
    ];
    for text in odd {
        let (task, create) = place.create(text);
        done(&store, create).await;
        let status = store.status(task).await.unwrap().unwrap();
        assert_eq!(status.task.title, Title::new(text).unwrap());
    }
    let listed = store.unaccepted(&Unaccepted::default()).await.unwrap();
    assert_eq!(listed.len(), odd.len());
    is_sound(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_acknowledged_into_a_file_that_was_removed_or_replaced() {
    let place = Place::new();
    let store = place.with_alice().await;
    let aside = place.folder.path().join("aside");
    std::fs::rename(place.path(), &aside).unwrap();
    let refused = store.execute(by_operator(add("bob"))).await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable(_))),
        "{refused:?}"
    );
    assert!(store.ping().await.is_err(), "health would lie");
    std::fs::copy(&aside, place.path()).unwrap();
    let refused = store.execute(by_operator(add("bob"))).await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable(_))),
        "{refused:?}"
    );
    std::fs::rename(&aside, place.path()).unwrap();
    done(&store, add("bob")).await;
}
