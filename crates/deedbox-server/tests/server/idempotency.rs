//! A repeat under the same key returns the first result and writes nothing.

use std::time::Duration;

use serde_json::json;

use crate::house::{DOORS, Door, House};

#[tokio::test]
async fn a_repeat_returns_the_first_result_through_any_door_and_writes_nothing() {
    let house = House::open().await;
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    for (first, key) in DOORS.into_iter().zip(["k1", "k2", "k3"]) {
        let meta = json!({"deedbox/idempotencyKey": key});
        let ask = |door| {
            house.call(
                door,
                &house.keys.alice,
                "create_task",
                &create,
                meta.clone(),
            )
        };
        let made = ask(first).await;
        let before = house.deeds().await;
        for door in DOORS {
            assert_eq!(ask(door).await.value, made.value, "{first:?} then {door:?}");
        }
        assert_eq!(house.deeds().await, before);
    }
}

#[tokio::test]
async fn a_repeat_has_the_same_status_and_says_that_it_is_one() {
    let house = House::open().await;
    let body = json!({"title": "t", "description": "", "injectedBy": "alice"}).to_string();
    let ask = || {
        house.post(
            "/api/tasks",
            &house.keys.alice,
            &[("idempotency-key", "k")],
            body.clone(),
        )
    };
    let (first, second) = (ask().await, ask().await);
    assert_eq!(
        (first.status, first.header("idempotency-replayed")),
        (201, None)
    );
    assert_eq!(
        (second.status, second.header("idempotency-replayed")),
        (201, Some("true"))
    );
    assert_eq!(first.body, second.body);
}

#[tokio::test]
async fn the_same_key_with_other_arguments_is_a_conflict() {
    let house = House::open().await;
    let create = |title: &str| json!({"title": title, "description": "", "injectedBy": "alice"});
    let meta = json!({"deedbox/idempotencyKey": "k"});
    let alice = &house.keys.alice;
    house
        .call(Door::Rest, alice, "create_task", &create("t"), meta.clone())
        .await
        .id();
    let before = house.deeds().await;
    let recipient = json!({"deedbox/idempotencyKey": "k", "deedbox/recipientOnly": true});
    for door in DOORS {
        for (arguments, meta) in [(create("u"), &meta), (create("t"), &recipient)] {
            let said = house
                .call(door, alice, "create_task", &arguments, meta.clone())
                .await;
            assert_eq!(
                (said.status, said.code()),
                (409, "idempotency_conflict"),
                "{door:?}"
            );
        }
    }
    assert_eq!(house.deeds().await, before);
    // Spelled in another way, but the same.
    let spelled =
        json!({"injectedBy": "alice", "authorityScope": null, "description": "", "title": "t"});
    house
        .call(Door::Legacy, alice, "create_task", &spelled, meta.clone())
        .await
        .id();
    assert_eq!(house.deeds().await, before);
    // Another credential's key of the same name is another key.
    let said = house
        .call(
            Door::Rest,
            &house.keys.operator,
            "create_task",
            &create("u"),
            meta.clone(),
        )
        .await;
    assert_eq!(said.status, 201);
}

#[tokio::test]
async fn a_refused_call_may_be_tried_again_under_its_key() {
    let house = House::open().await;
    let task = house.task("a").await;
    let accept = json!({"taskId": task, "actorId": "bob"});
    let meta = json!({"deedbox/idempotencyKey": "k"});
    let ask = || {
        house.call(
            Door::Rest,
            &house.keys.bob,
            "accept_task",
            &accept,
            meta.clone(),
        )
    };
    assert_eq!(ask().await.status, 409);
    let hand = json!({"taskId": task, "fromActorId": "alice", "toActorId": "bob"});
    house
        .call(
            Door::Rest,
            &house.keys.alice,
            "handoff_task",
            &hand,
            json!({}),
        )
        .await
        .id();
    assert_eq!(ask().await.status, 201);
}

#[tokio::test]
async fn a_key_is_forgotten_after_a_day() {
    let house = House::open().await;
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    let meta = json!({"deedbox/idempotencyKey": "k"});
    let ask = || {
        house.call(
            Door::Rest,
            &house.keys.alice,
            "create_task",
            &create,
            meta.clone(),
        )
    };
    let first = ask().await.id();
    house.clock.advance(Duration::from_secs(23 * 3600));
    assert_eq!(ask().await.id(), first);
    house.clock.advance(Duration::from_secs(2 * 3600));
    assert_ne!(ask().await.id(), first);
}
