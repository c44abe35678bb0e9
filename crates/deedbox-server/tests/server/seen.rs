//! The server as seen by those who watch it and those who write clients for it.

use std::{fs, path::Path};

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};

use crate::house::House;

#[tokio::test]
async fn every_answer_carries_its_requests_id() {
    let house = House::open().await;
    let own = house
        .request(Method::GET, "/nothing")
        .header("x-request-id", "mine-1.2_3");
    let reply = house.send(own.body(Bytes::new()).unwrap()).await;
    assert_eq!(reply.header("x-request-id"), Some("mine-1.2_3"));
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..3 {
        let bad = house
            .request(Method::GET, "/nothing")
            .header("x-request-id", "not harmless \"");
        let reply = house.send(bad.body(Bytes::new()).unwrap()).await;
        let id = reply.header("x-request-id").unwrap().to_owned();
        assert_eq!(id.len(), 36, "{id}");
        assert!(seen.insert(id));
    }
}

/// Renew with `UPDATE_GOLDEN=1 cargo nextest run -p deedbox-server`, and look at what changed.
#[test]
#[expect(clippy::disallowed_methods, reason = "in tests, this is the top floor")]
fn the_openapi_document_is_the_committed_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let mut now = serde_json::to_string_pretty(&deedbox_server::openapi_document()).unwrap();
    now.push('\n');
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &now).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(
        committed == now,
        "docs/openapi.json differs; see the comment at this test"
    );
}

#[tokio::test]
async fn the_openapi_document_is_served_and_describes_what_is_answered() {
    let house = House::open().await;
    let served = house.get("/openapi.json", &house.keys.reader).await.json();
    assert_eq!(served, deedbox_server::openapi_document());
    let task = house.task("ach").await;
    for (path, example) in [
        (
            "/api/tasks/{taskId}/status",
            format!("/api/tasks/{task}/status"),
        ),
        ("/api/tasks/unaccepted", "/api/tasks/unaccepted".to_owned()),
        ("/api/healthz", "/api/healthz".to_owned()),
        (
            "/.well-known/mcp/server-card.json",
            "/.well-known/mcp/server-card.json".to_owned(),
        ),
    ] {
        let answer = house.get(&example, &house.keys.reader).await.json();
        let declared = &served["paths"][path]["get"]["responses"]["200"];
        let mut schema = declared["content"]["application/json"]["schema"].clone();
        // References lead into the document, so it comes along.
        schema["components"] = served["components"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let problems: Vec<String> = validator
            .iter_errors(&answer)
            .map(|e| e.to_string())
            .collect();
        assert!(problems.is_empty(), "{path}: {problems:?}");
        assert!(
            !validator.is_valid(&json!([])),
            "{path}: the schema admits anything"
        );
    }
}

#[tokio::test]
async fn each_status_that_is_answered_is_in_the_document() {
    let house = House::open().await;
    let document = deedbox_server::openapi_document();
    let declared = |path: &str, method: &str, status: u16| {
        let responses: &Value = &document["paths"][path][method]["responses"];
        assert!(
            responses.get(status.to_string()).is_some(),
            "{method} {path} {status}"
        );
    };
    let task = house.task("a").await;
    let path = format!("/api/tasks/{task}/accept");
    for (key, body, status) in [
        (&house.keys.alice, json!({"actorId": 5}), 400),
        (&house.keys.expired, json!({"actorId": "alice"}), 401),
        (&house.keys.alice, json!({"actorId": "bob"}), 403),
        (&house.keys.operator, json!({"actorId": "ghost"}), 404),
        (&house.keys.alice, json!({"actorId": "alice"}), 409),
    ] {
        let reply = house.post(&path, key, &[], body.to_string()).await;
        assert_eq!(reply.status, status);
        declared("/api/tasks/{taskId}/accept", "post", status);
    }
}
