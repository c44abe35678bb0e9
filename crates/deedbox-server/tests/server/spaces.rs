//! Spaces over HTTP: who makes them, who is in them, and what a memory in one was before.

use serde_json::json;

use crate::{
    house::Reply,
    memory_desk::{Desk, labels},
};

#[tokio::test]
async fn an_operator_makes_a_space_and_its_owner_says_who_is_in_it() {
    let desk = Desk::open().await;
    let keys = &desk.house.keys;
    let new = json!({"space": "atlas/one", "name": "Atlas", "owner": "bob"});
    assert_eq!(
        desk.post(&keys.bob, "/api/spaces", new.clone())
            .await
            .status,
        403
    );
    let made = desk.post(&keys.operator, "/api/spaces", new.clone()).await;
    assert_eq!(
        (made.status, &made.json()["outcome"]),
        (201, &json!("created"))
    );
    let again = desk.post(&keys.operator, "/api/spaces", new).await;
    assert_eq!((again.status, again.code().as_str()), (409, "space_exists"));
    // An id with a slash stands in a path as any text does.
    let members = "/api/spaces/atlas%2Fone/members";
    let carol = json!({"actor_id": "carol"});
    let refused = desk.post(&keys.alice, members, carol.clone()).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (404, "space_not_found")
    );
    let added = desk.post(&keys.bob, members, carol.clone()).await;
    assert_eq!(
        (added.status, &added.json()["outcome"]),
        (201, &json!("member_added"))
    );
    let shown = desk.get(&keys.bob, "/api/spaces/atlas%2Fone").await.json();
    assert_eq!(shown["space"]["members"], json!(["bob", "carol"]));
    assert_eq!(shown["usage"]["memories"], 0);
    let removed = desk
        .post(&keys.bob, "/api/spaces/atlas%2Fone/members/remove", carol)
        .await;
    assert_eq!(removed.json()["outcome"], "member_removed");
    let names = |reply: Reply| {
        let list = reply.json()["spaces"].as_array().unwrap().clone();
        list.iter()
            .map(|one| one["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(desk.get(&keys.bob, "/api/spaces").await),
        ["personal:bob", "atlas/one", "team"]
    );
    assert_eq!(
        names(desk.get(&keys.operator, "/api/spaces").await),
        ["atlas/one", "team"]
    );
    let first = desk.get(&keys.operator, "/api/spaces?limit=1").await.json();
    assert_eq!(first["next_cursor"], "atlas/one");
    assert_eq!(
        names(
            desk.get(&keys.operator, "/api/spaces?cursor=atlas/one")
                .await
        ),
        ["team"]
    );
    let of_alice = desk.get(&keys.bob, "/api/spaces?actor_id=alice").await;
    assert_eq!(
        (of_alice.status, of_alice.code().as_str()),
        (403, "wrong_actor")
    );
    assert_eq!(
        desk.get(&keys.alice, "/api/spaces/atlas%2Fone")
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn a_memory_is_shown_with_its_history_to_whoever_may_see_it() {
    let desk = Desk::open().await;
    let (alice, bob) = (&desk.house.keys.alice, &desk.house.keys.bob);
    let note = json!({"content": "The dingo howls.", "space": "team"});
    let note = desk
        .as_agent(alice, labels("codex", "here"), "remember", note)
        .await
        .done();
    let path = format!("/api/memories/{}", note["id"].as_str().unwrap());
    let change = json!({"memory_id": note["id"], "content": "The dingo barks.", "tags": ["dog"]});
    desk.tell(alice, "update_memory", change).await.done();
    let shown = desk.get(bob, &path).await.json();
    let versions = shown["versions"].as_array().unwrap();
    let said: Vec<_> = versions
        .iter()
        .map(|one| (&one["outcome"], &one["text"]["content"]))
        .collect();
    assert_eq!(
        said,
        [
            (&json!("remembered"), &json!("The dingo howls.")),
            (&json!("revised"), &json!("The dingo barks.")),
        ]
    );
    assert_eq!(versions[1]["changed"], json!(["content", "tags"]));
    assert_eq!(versions[0]["source"]["agent_label"], "codex");
    assert_eq!(
        desk.get(&desk.key(Some("carol"), "memory:read").await, &path)
            .await
            .status,
        404
    );
    desk.tell(alice, "forget", json!({"memory_id": note["id"]}))
        .await
        .done();
    assert_eq!(
        desk.get(bob, &path).await.status,
        404,
        "who may not delete it does not see it forgotten"
    );
    assert_eq!(
        desk.get(alice, &path).await.json()["memory"]["status"],
        "forgotten"
    );
    let redact = json!({"memory_id": note["id"], "redact": true, "reason": "on request"});
    desk.tell(alice, "forget", redact).await.done();
    let shown = desk.get(alice, &path).await.json();
    assert!(!shown.to_string().contains("dingo"), "{shown}");
    assert_eq!(shown["versions"][3]["reason"], "on request");
}
