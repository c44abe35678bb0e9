//! The server as seen by those who watch it and those who write clients for it.

use std::{fs, path::Path};

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};

use crate::{
    house::{House, NOBODYS_TASK},
    node::{EMPTY, HOLDER, Mood, TOKEN},
    readings::with_node,
};

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

/// Checks an answer against what the document says of its status.
pub(crate) fn keeps_to(document: &Value, path: &str, method: &str, status: u16, answer: &Value) {
    let mut declared = &document["paths"][path][method]["responses"][status.to_string()];
    if let Some(reference) = declared["$ref"].as_str() {
        declared = document.pointer(&reference[1..]).unwrap();
    }
    let mut schema = declared["content"]["application/json"]["schema"].clone();
    assert!(
        schema.is_object(),
        "{method} {path} {status} is not described"
    );
    schema["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors = validator.iter_errors(answer).map(|error| error.to_string());
    let problems: Vec<_> = errors.collect();
    assert!(
        problems.is_empty(),
        "{method} {path} {status}: {problems:?} {answer}"
    );
    assert!(
        !validator.is_valid(&json!([])),
        "{method} {path} {status} admits anything"
    );
}

#[tokio::test]
async fn what_is_said_of_chains_is_as_the_document_has_it() {
    let (house, node) = with_node(|_| ()).await;
    let document = deedbox_server::openapi_document();
    let key = &house.keys.alice;
    let balance =
        |holder: &str| format!("/api/chains/1/native-balance?holder={holder}&block=latest");
    let erc20 =
        |token: &str| format!("/api/chains/1/erc20-balance?holder={HOLDER}&token={token}&block=7");
    let metadata = format!("/api/chains/1/token-metadata?token={TOKEN}&block=7");
    let pool = format!("/api/chains/1/pool-reserves?pool={TOKEN}&block=7");
    let transfers =
        format!("/api/chains/1/transfers?address={HOLDER}&from_block=1&to_block=7&limit=5");
    let cases = [
        (Mood::Well, "native-balance", balance(HOLDER), key, 200),
        (Mood::Well, "native-balance", balance("x"), key, 400),
        (
            Mood::Well,
            "native-balance",
            balance(HOLDER),
            &house.keys.expired,
            401,
        ),
        (
            Mood::Well,
            "native-balance",
            balance(HOLDER),
            &house.keys.reader,
            403,
        ),
        (
            Mood::Well,
            "native-balance",
            balance(HOLDER).replace("latest", "101"),
            key,
            404,
        ),
        (Mood::Well, "erc20-balance", erc20(TOKEN), key, 200),
        (Mood::Well, "erc20-balance", erc20(EMPTY), key, 422),
        (Mood::Well, "token-metadata", metadata, key, 200),
        (Mood::Well, "pool-reserves", pool, key, 422),
        (Mood::Well, "transfers", transfers, key, 200),
        (Mood::Fails, "native-balance", balance(HOLDER), key, 502),
        (Mood::Busy, "native-balance", balance(HOLDER), key, 503),
    ];
    let mut evidence = Value::Null;
    for (mood, route, path, key, status) in cases {
        node.set(mood);
        let reply = house.get(&path, key).await;
        assert_eq!(reply.status, status, "{path}: {}", reply.text());
        let route = format!("/api/chains/{{chain_id}}/{route}");
        keeps_to(&document, &route, "get", status, &reply.json());
        if status == 200 {
            evidence = reply.json()["provenance"]["evidence_id"].clone();
        }
    }
    let listed = house.get("/api/chains", key).await;
    keeps_to(&document, "/api/chains", "get", 200, &listed.json());
    for (id, status) in [
        (evidence.as_str().unwrap(), 200),
        (NOBODYS_TASK, 404),
        ("x", 400),
    ] {
        let kept = house.get(&format!("/api/evidence/{id}"), key).await;
        assert_eq!(kept.status, status);
        keeps_to(&document, "/api/evidence/{id}", "get", status, &kept.json());
    }
    let claim =
        json!({"claim": "1 ETH", "tool": "get_native_balance", "chain_id": 1, "block": "1"});
    let conclusion = json!({"conclusion": "1 ETH", "evidence": [claim], "unknown": []});
    for (body, status) in [(conclusion, 200), (json!({}), 400)] {
        let path = "/api/conclusions/check";
        let checked = house.post(path, key, &[], body.to_string()).await;
        assert_eq!(checked.status, status);
        keeps_to(&document, path, "post", status, &checked.json());
    }
}

#[tokio::test]
async fn a_reading_where_none_is_offered_is_refused_as_the_document_has_it() {
    let house = House::with(|options| options.toolsets = "tasks".parse().unwrap()).await;
    let path = format!("/api/chains/1/native-balance?holder={HOLDER}&block=latest");
    let reply = house.get(&path, &house.keys.alice).await;
    assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"));
    let route = "/api/chains/{chain_id}/native-balance";
    let document = deedbox_server::openapi_document();
    keeps_to(&document, route, "get", 404, &reply.json());
}
