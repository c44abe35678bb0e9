//! Input that is wrong in every way: refused clearly, nothing written, nothing leaked, and the server goes on.

use serde_json::{Value, json};

use crate::house::{DOORS, Door, House, NOBODYS_TASK, assert_no_leak};

/// Each tool with arguments that would be read, and what each of its fields may not be.
fn tools(task: &str) -> Vec<(&'static str, Value)> {
    vec![
        (
            "create_task",
            json!({"title": "t", "description": "d", "injectedBy": "alice", "authorityScope": "s"}),
        ),
        (
            "accept_task",
            json!({"taskId": task, "actorId": "alice", "contextNote": "n"}),
        ),
        (
            "report_completion",
            json!({"taskId": task, "actorId": "alice", "provenance": "observed", "claimText": "c", "sourceReference": "s"}),
        ),
        (
            "handoff_task",
            json!({"taskId": task, "fromActorId": "alice", "toActorId": "bob", "reason": "r"}),
        ),
        ("get_task_status", json!({"taskId": task})),
        (
            "list_unaccepted_tasks",
            json!({"actorId": "alice", "limit": 5, "cursor": "x"}),
        ),
    ]
}

fn wrong_values(field: &str) -> Vec<Value> {
    let mut wrong = vec![
        json!([]),
        json!(["observed"]),
        json!(1),
        json!(1.5),
        json!(true),
        json!({}),
        json!({"observed": null}),
        json!("nul\u{0}"),
    ];
    if field != "authorityScope" {
        wrong.push(Value::Null);
    }
    if field == "limit" {
        wrong = vec![
            json!([]),
            json!("many"),
            json!(0),
            json!(-1),
            json!(1.5),
            json!(1001),
            json!(9_007_199_254_740_993_u64),
            json!(1e300),
            json!(true),
            Value::Null,
            json!({}),
        ];
    }
    if matches!(
        field,
        "title"
            | "claimText"
            | "taskId"
            | "actorId"
            | "injectedBy"
            | "fromActorId"
            | "toActorId"
            | "provenance"
            | "cursor"
    ) {
        wrong.push(json!(""));
    }
    match field {
        "provenance" => wrong.extend([
            json!("Observed"),
            json!("OBSERVED"),
            json!(" observed"),
            json!("seen"),
        ]),
        "taskId" => wrong.extend([
            json!(NOBODYS_TASK.to_uppercase()),
            json!(format!("{{{NOBODYS_TASK}}}")),
            json!(format!("urn:uuid:{NOBODYS_TASK}")),
            json!(NOBODYS_TASK.replace('-', "")),
            json!("not-a-uuid"),
            json!("../../etc/passwd"),
        ]),
        "title" => wrong.push(json!("é".repeat(501))),
        "description" | "contextNote" | "claimText" | "reason" => {
            wrong.push(json!("x".repeat(65_537)));
        }
        "sourceReference" | "authorityScope" => wrong.push(json!("x".repeat(2_049))),
        "actorId" | "injectedBy" | "fromActorId" | "toActorId" => {
            wrong.extend([
                json!("a b"),
                json!("аlice"),
                json!("a".repeat(129)),
                json!("'; DROP TABLE deeds; --"),
            ]);
        }
        "cursor" => wrong.extend([json!("AAAA"), json!("é"), json!("x".repeat(10_000))]),
        _ => {}
    }
    wrong
}

#[tokio::test]
async fn a_wrong_value_in_any_field_is_refused_by_name() {
    let house = House::open().await;
    let task = house.task("").await;
    let before = house.deeds().await;
    let mut tried = 0;
    for (tool, good) in tools(&task) {
        for field in good.as_object().unwrap().keys() {
            for wrong in wrong_values(field) {
                let mut arguments = good.clone();
                if field != "cursor" {
                    arguments.as_object_mut().unwrap().remove("cursor");
                }
                arguments[field] = wrong.clone();
                for door in DOORS {
                    // In a URL everything is text: what would be read there is not wrong.
                    let in_url = door == Door::Rest
                        && (field == "taskId" || tool == "list_unaccepted_tasks");
                    if in_url && !wrong.is_string() {
                        continue;
                    }
                    // A path without an id is another path.
                    if in_url && field == "taskId" && wrong == "" {
                        continue;
                    }
                    let said = house
                        .call(door, &house.keys.operator, tool, &arguments, json!({}))
                        .await;
                    let shown: String = wrong.to_string().chars().take(80).collect();
                    let about = format!("{door:?} {tool} {field} {shown}: {said:?}");
                    assert_eq!(
                        (said.status, said.code()),
                        (400, "invalid_input"),
                        "{about}"
                    );
                    assert!(said.error().starts_with(&format!("{field}: ")), "{about}");
                    assert!(said.error().len() < 2_000, "{about}");
                    if !shown.contains("DROP") {
                        assert_no_leak(said.error());
                    }
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 500, "{tried}");
    assert_eq!(house.deeds().await, before, "nothing is written");
    house.goes_on().await;
}

#[tokio::test]
async fn a_missing_or_unknown_field_is_refused() {
    let house = House::open().await;
    let task = house.task("").await;
    let before = house.deeds().await;
    for (tool, good) in tools(&task) {
        for field in good.as_object().unwrap().keys() {
            let optional = [
                "authorityScope",
                "contextNote",
                "sourceReference",
                "reason",
                "limit",
                "cursor",
            ];
            if optional.contains(&field.as_str()) || tool == "list_unaccepted_tasks" {
                continue;
            }
            let mut arguments = good.clone();
            arguments.as_object_mut().unwrap().remove(field);
            for door in [Door::Legacy, Door::Stateless] {
                let said = house
                    .call(door, &house.keys.operator, tool, &arguments, json!({}))
                    .await;
                assert_eq!(said.status, 400, "{tool} without {field}: {said:?}");
                assert!(said.error().contains(field), "{said:?}");
            }
        }
        for unknown in ["task_id", "__proto__", "recipientOnly", "status", ""] {
            let mut arguments = good.clone();
            arguments.as_object_mut().unwrap().remove("cursor");
            arguments[unknown] = json!("x");
            for door in DOORS {
                if door == Door::Rest && tool == "get_task_status" {
                    continue; // it has no body and no query
                }
                let said = house
                    .call(door, &house.keys.operator, tool, &arguments, json!({}))
                    .await;
                assert_eq!(
                    (said.status, said.code()),
                    (400, "invalid_input"),
                    "{door:?} {tool} {unknown}: {said:?}"
                );
            }
        }
    }
    assert_eq!(house.deeds().await, before, "nothing is written");
}

/// Bodies that are refused whole, with the HTTP status that they get.
fn bad_bodies() -> Vec<(&'static str, Vec<u8>, u16)> {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    let with = |text: &str| {
        format!("{{\"title\": \"t\", \"description\": {text}, \"injectedBy\": \"alice\"}}")
            .into_bytes()
    };
    let big = |mib: usize| with(&format!("\"{}\"", "x".repeat(mib * 1024 * 1024)));
    let mut invalid = with("\"\u{fffd}\"");
    let at = invalid.iter().position(|b| *b == 0xef).unwrap();
    invalid.splice(at..at + 3, [0xff]);
    vec![
        ("empty", vec![], 400),
        ("no JSON", b"title=t".to_vec(), 400),
        ("cut off", b"{\"title\": \"t\"".to_vec(), 400),
        ("two values", b"{}{}".to_vec(), 400),
        ("64 levels and one more", deep(65).into_bytes(), 400),
        ("100,000 levels", deep(100_000).into_bytes(), 400),
        ("deep in a field", with(&deep(64)), 400),
        ("invalid UTF-8", invalid, 400),
        ("lone high surrogate", with("\"\\ud800\""), 400),
        ("lone low surrogate", with("\"a\\udc00b\""), 400),
        (
            "lone surrogate where nobody looks",
            with("\"\", \"x\": \"\\ud800\""),
            400,
        ),
        ("doubled name", with("\"\", \"title\": \"u\""), 400),
        ("a number that is none", with("1e999"), 400),
        ("1 MiB", big(1), 413),
        ("10 MiB", big(10), 413),
    ]
}

#[tokio::test]
async fn a_bad_body_is_refused_whole() {
    let house = House::open().await;
    let before = house.deeds().await;
    for (name, body, status) in bad_bodies() {
        let code = if status == 413 {
            "body_too_large"
        } else {
            "invalid_input"
        };
        let reply = house
            .post("/api/tasks", &house.keys.operator, &[], body.clone())
            .await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (status, code),
            "{name}: {}",
            reply.text()
        );
        assert_no_leak(&reply.text());
        // The same as the arguments of a tool.
        let mut message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_task","arguments":"#.to_vec();
        message.extend(&body);
        message.extend(b"}}");
        let reply = house.post("/mcp", &house.keys.operator, &[], message).await;
        assert_eq!(reply.status, status, "{name}: {}", reply.text());
        if status == 400 {
            assert_eq!(
                reply.json()["error"]["code"],
                -32700,
                "{name}: {}",
                reply.text()
            );
        }
        assert_no_leak(&reply.text());
    }
    assert_eq!(house.deeds().await, before, "nothing is written");
    house.goes_on().await;
}

#[tokio::test]
async fn an_escaped_nul_reaches_no_record() {
    let house = House::open().await;
    let before = house.deeds().await;
    let body = r#"{"title": "a\u0000b", "description": "", "injectedBy": "alice"}"#;
    let reply = house
        .post("/api/tasks", &house.keys.operator, &[], body)
        .await;
    assert_eq!(reply.status, 400);
    assert!(reply.text().contains("NUL"), "{}", reply.text());
    assert_eq!(house.deeds().await, before);
}

#[tokio::test]
async fn a_body_must_be_declared_as_json() {
    let house = House::open().await;
    let body = r#"{"title": "t", "description": "", "injectedBy": "alice"}"#;
    for (kind, status) in [
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/jsonx", 415),
        ("application/json; charset=utf-8", 201),
        ("APPLICATION/JSON", 201),
    ] {
        let request = house
            .request(http::Method::POST, "/api/tasks")
            .header("x-api-key", &house.keys.alice)
            .header("content-type", kind);
        let reply = house.send(request.body(body.into()).unwrap()).await;
        assert_eq!(reply.status, status, "{kind}");
    }
    for body in ["[]", "null", "\"x\"", "[{\"title\": \"t\"}]"] {
        let reply = house.post("/api/tasks", &house.keys.alice, &[], body).await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (400, "invalid_input"),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_tasks_id_stands_in_the_path_only() {
    let house = House::open().await;
    let task = house.task("").await;
    let body = json!({"taskId": task, "actorId": "alice"}).to_string();
    let path = format!("/api/tasks/{task}/accept");
    let reply = house.post(&path, &house.keys.alice, &[], body).await;
    assert_eq!(reply.status, 400);
    assert!(reply.text().contains("path"), "{}", reply.text());
    for id in ["%ff", "%00", "x", &task.to_uppercase()] {
        let reply = house
            .get(&format!("/api/tasks/{id}/status"), &house.keys.alice)
            .await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (400, "invalid_input"),
            "{id}"
        );
    }
}

#[tokio::test]
async fn what_rides_beside_the_arguments_is_checked_too() {
    let house = House::open().await;
    let before = house.deeds().await;
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    for meta in [
        json!({"deedbox/recipientOnly": "true"}),
        json!({"deedbox/recipientOnly": null}),
        json!({"deedbox/idempotencyKey": 1}),
        json!({"deedbox/idempotencyKey": ""}),
        json!({"deedbox/idempotencyKey": "a b"}),
        json!({"deedbox/idempotencyKey": "x".repeat(256)}),
        json!({"deedbox/recipient_only": true}),
        json!({"deedbox/idempotencykey": "k"}),
    ] {
        for door in [Door::Legacy, Door::Stateless] {
            let said = house
                .call(
                    door,
                    &house.keys.alice,
                    "create_task",
                    &create,
                    meta.clone(),
                )
                .await;
            assert_eq!(
                (said.status, said.code()),
                (400, "invalid_input"),
                "{meta} {said:?}"
            );
            assert!(said.error().starts_with("_meta.deedbox/"), "{said:?}");
        }
    }
    for headers in [
        &[("idempotency-key", "")][..],
        &[("idempotency-key", "a b")],
        &[("idempotency-key", "a"), ("idempotency-key", "a")],
        &[("deedbox-recipient-only", "yes")],
        &[("deedbox-recipient-only", "True")],
    ] {
        let reply = house
            .post("/api/tasks", &house.keys.alice, headers, create.to_string())
            .await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (400, "invalid_input"),
            "{headers:?}"
        );
    }
    assert_eq!(house.deeds().await, before, "nothing is written");
}
