//! Lists come in pages, newest first, and cursors belong to their list.

use serde_json::{Value, json};

use crate::house::{DOORS, Door, House};

async fn page(house: &House, door: Door, arguments: Value) -> (Vec<String>, Option<String>) {
    let key = &house.keys.reader;
    let said = house
        .call(door, key, "list_unaccepted_tasks", &arguments, json!({}))
        .await;
    assert_eq!(said.status, 200, "{said:?}");
    let tasks = said.value["tasks"].as_array().unwrap().iter();
    let ids = tasks
        .map(|task| task["id"].as_str().unwrap().to_owned())
        .collect();
    (ids, said.value["nextCursor"].as_str().map(str::to_owned))
}

#[tokio::test]
async fn pages_join_to_the_whole_list_newest_first() {
    let house = House::open().await;
    let mut made = Vec::new();
    for _ in 0..7 {
        made.push(house.task("").await);
    }
    house.task("a").await;
    made.push(house.task("ah").await);
    made.reverse();
    for door in DOORS {
        for limit in [1, 2, 3, 4, 7, 8, 9, 1000] {
            let (mut all, mut arguments, mut pages) = (Vec::new(), json!({"limit": limit}), 0);
            loop {
                let (ids, next) = page(&house, door, arguments.clone()).await;
                assert!(ids.len() <= limit);
                all.extend(ids);
                pages += 1;
                match next {
                    Some(cursor) => arguments["cursor"] = cursor.into(),
                    None => break,
                }
            }
            // Tasks of one millisecond may stand in either order.
            let sorted = |mut ids: Vec<String>| {
                ids.sort();
                ids
            };
            assert_eq!(sorted(all), sorted(made.clone()), "{door:?} {limit}");
            assert_eq!(
                pages,
                made.len().div_ceil(limit),
                "{door:?} {limit}: no empty last page"
            );
        }
    }
    let (all, next) = page(&house, Door::Rest, json!({})).await;
    assert_eq!((all.len(), next), (8, None));
}

#[tokio::test]
async fn a_filter_shows_only_what_that_actor_created() {
    let house = House::open().await;
    let alices = house.task("").await;
    let create = json!({"title": "t", "description": "", "injectedBy": "bob"});
    let bobs = house
        .call(
            Door::Rest,
            &house.keys.bob,
            "create_task",
            &create,
            json!({}),
        )
        .await
        .id();
    for door in DOORS {
        assert_eq!(
            page(&house, door, json!({"actorId": "alice"})).await.0,
            std::slice::from_ref(&alices)
        );
        assert_eq!(
            page(&house, door, json!({"actorId": "bob"})).await.0,
            std::slice::from_ref(&bobs)
        );
        assert!(
            page(&house, door, json!({"actorId": "carol"}))
                .await
                .0
                .is_empty()
        );
    }
}

#[tokio::test]
async fn a_cursor_from_elsewhere_is_refused() {
    let house = House::open().await;
    for _ in 0..3 {
        house.task("").await;
    }
    let own = page(&house, Door::Rest, json!({"limit": 1}))
        .await
        .1
        .unwrap();
    let filtered = page(&house, Door::Rest, json!({"limit": 1, "actorId": "alice"}))
        .await
        .1
        .unwrap();
    let mut altered = own.clone();
    altered.replace_range(5..6, if &altered[5..6] == "A" { "B" } else { "A" });
    for door in DOORS {
        for (cursor, actor) in [
            (filtered.as_str(), None),
            (own.as_str(), Some("alice")),
            (filtered.as_str(), Some("bob")),
            (altered.as_str(), None),
            (&own[1..], None),
        ] {
            let mut arguments = json!({"limit": 1, "cursor": cursor});
            if let Some(actor) = actor {
                arguments["actorId"] = actor.into();
            }
            let said = house
                .call(
                    door,
                    &house.keys.reader,
                    "list_unaccepted_tasks",
                    &arguments,
                    json!({}),
                )
                .await;
            assert_eq!(
                (said.status, said.code()),
                (400, "invalid_input"),
                "{door:?} {arguments}"
            );
            assert!(said.error().starts_with("cursor: "), "{said:?}");
        }
    }
}

#[tokio::test]
async fn query_parameters_stand_once_and_are_known() {
    let house = House::open().await;
    for query in [
        "limit=1&limit=1",
        "limit=1&limit=2",
        "actorId=alice&actorId=bob",
        "cursor=a&cursor=a",
        "Limit=1",
        "actor_id=alice",
        "injectedBy=alice",
        "x",
        "limit=",
        "limit=+1",
        "limit=01",
        "limit=1.0",
        "limit=1e2",
        "limit=99999999999999999999",
        "actorId=",
        "actorId=%ff",
        "actorId=a%00",
        "%ff=1",
    ] {
        let reply = house
            .get(
                &format!("/api/tasks/unaccepted?{query}"),
                &house.keys.reader,
            )
            .await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (400, "invalid_input"),
            "{query}"
        );
    }
    for query in ["", "limit=1000", "limit=1&actorId=alice", "actorId=%61lice"] {
        let reply = house
            .get(
                &format!("/api/tasks/unaccepted?{query}"),
                &house.keys.reader,
            )
            .await;
        assert_eq!(reply.status, 200, "{query}: {}", reply.text());
    }
}

#[tokio::test]
async fn a_status_has_no_query_parameters() {
    let house = House::open().await;
    let task = house.task("a").await;
    for (query, field) in [("x=1", "x"), ("taskId=1", "taskId")] {
        let path = format!("/api/tasks/{task}/status?{query}");
        let reply = house.get(&path, &house.keys.reader).await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (400, "invalid_input"),
            "{query}"
        );
        assert!(reply.text().contains(field), "{}", reply.text());
    }
}
