//! Every refusal of the protocol, with its status, code and text, through every door.

use std::sync::Arc;

use deedbox_core::{Attribution, Principal, limits};
use deedbox_server::{Extras, Operation, Operations, Tool};
use serde_json::{Value, json};

use crate::house::{DOORS, Door, House, NOBODYS_TASK, assert_no_leak};

struct Case {
    tool: &'static str,
    arguments: Value,
    key: String,
    status: u16,
    code: &'static str,
    says: String,
}

async fn cases(house: &House) -> Vec<Case> {
    let keys = house.keys.clone();
    let pending = house.task("").await;
    let owned = house.task("a").await;
    let claimed = house.task("ac").await;
    let handed = house.task("ah").await;
    let reserved = reserved_for_bob(house).await;
    let full = full_task(house).await;
    let case = |tool, arguments: Value, key: &String, status, code, says: &str| Case {
        tool,
        arguments,
        key: key.clone(),
        status,
        code,
        says: says.to_owned(),
    };
    let claim = |task: &str, actor: &str, provenance: &str| json!({"taskId": task, "actorId": actor, "provenance": provenance, "claimText": "done"});
    let accept = |task: &str, actor: &str| json!({"taskId": task, "actorId": actor});
    let hand = |task: &str, from: &str, to: &str| json!({"taskId": task, "fromActorId": from, "toActorId": to});
    let create = |actor: &str| json!({"title": "t", "description": "", "injectedBy": actor});
    let op = &keys.operator;
    vec![
        // Unknown task
        case(
            "accept_task",
            accept(NOBODYS_TASK, "alice"),
            op,
            404,
            "task_not_found",
            NOBODYS_TASK,
        ),
        case(
            "report_completion",
            claim(NOBODYS_TASK, "alice", "observed"),
            op,
            404,
            "task_not_found",
            NOBODYS_TASK,
        ),
        case(
            "handoff_task",
            hand(NOBODYS_TASK, "alice", "bob"),
            op,
            404,
            "task_not_found",
            NOBODYS_TASK,
        ),
        case(
            "get_task_status",
            json!({"taskId": NOBODYS_TASK}),
            op,
            404,
            "task_not_found",
            NOBODYS_TASK,
        ),
        // Unknown actor
        case(
            "create_task",
            create("ghost"),
            op,
            404,
            "actor_not_found",
            "ghost",
        ),
        case(
            "accept_task",
            accept(&pending, "ghost"),
            op,
            404,
            "actor_not_found",
            "ghost",
        ),
        case(
            "report_completion",
            claim(&owned, "ghost", "observed"),
            op,
            404,
            "actor_not_found",
            "ghost",
        ),
        case(
            "handoff_task",
            hand(&owned, "ghost", "bob"),
            op,
            404,
            "actor_not_found",
            "ghost",
        ),
        case(
            "handoff_task",
            hand(&owned, "alice", "ghost"),
            op,
            404,
            "actor_not_found",
            "ghost",
        ),
        case(
            "list_unaccepted_tasks",
            json!({"actorId": "ghost"}),
            op,
            404,
            "actor_not_found",
            "ghost",
        ),
        // Ownership
        case(
            "accept_task",
            accept(&owned, "alice"),
            op,
            409,
            "already_owned",
            "alice",
        ),
        case(
            "accept_task",
            accept(&owned, "bob"),
            &keys.bob,
            409,
            "already_owned",
            "alice",
        ),
        case(
            "accept_task",
            accept(&claimed, "bob"),
            &keys.bob,
            409,
            "already_owned",
            "alice",
        ),
        case(
            "accept_task",
            accept(&reserved, "carol"),
            op,
            403,
            "not_recipient",
            "bob",
        ),
        case(
            "report_completion",
            claim(&pending, "alice", "observed"),
            op,
            409,
            "no_current_owner",
            "no current owner",
        ),
        case(
            "report_completion",
            claim(&handed, "alice", "observed"),
            op,
            409,
            "no_current_owner",
            "no current owner",
        ),
        case(
            "report_completion",
            claim(&owned, "bob", "observed"),
            &keys.bob,
            403,
            "not_owner",
            "alice does",
        ),
        case(
            "handoff_task",
            hand(&pending, "alice", "bob"),
            op,
            403,
            "not_owner",
            "nobody does",
        ),
        case(
            "handoff_task",
            hand(&handed, "alice", "bob"),
            op,
            403,
            "not_owner",
            "nobody does",
        ),
        case(
            "handoff_task",
            hand(&owned, "bob", "alice"),
            &keys.bob,
            403,
            "not_owner",
            "alice does",
        ),
        // Evidence
        case(
            "report_completion",
            claim(&claimed, "alice", "reviewed"),
            op,
            409,
            "evidence_required",
            "sourceReference",
        ),
        case(
            "report_completion",
            claim(&claimed, "alice", "observed"),
            op,
            409,
            "evidence_required",
            "sourceReference",
        ),
        case(
            "report_completion",
            json!({"taskId": owned, "actorId": "alice", "provenance": "observed", "claimText": "c",
                   "sourceReference": format!("evidence:{NOBODYS_TASK}")}),
            op,
            404,
            "evidence_not_found",
            NOBODYS_TASK,
        ),
        // Keys
        case(
            "create_task",
            create("bob"),
            &keys.alice,
            403,
            "wrong_actor",
            "acts only as alice",
        ),
        case(
            "accept_task",
            accept(&pending, "bob"),
            &keys.alice,
            403,
            "wrong_actor",
            "acts only as alice",
        ),
        case(
            "report_completion",
            claim(&owned, "alice", "observed"),
            &keys.bob,
            403,
            "wrong_actor",
            "acts only as bob",
        ),
        case(
            "handoff_task",
            hand(&owned, "alice", "bob"),
            &keys.bob,
            403,
            "wrong_actor",
            "acts only as bob",
        ),
        case(
            "create_task",
            create("alice"),
            &keys.reader,
            403,
            "missing_scope",
            "tasks:write",
        ),
        case(
            "accept_task",
            accept(&pending, "alice"),
            &keys.reader,
            403,
            "missing_scope",
            "tasks:write",
        ),
        case(
            "get_task_status",
            json!({"taskId": owned}),
            &keys.writer,
            403,
            "missing_scope",
            "tasks:read",
        ),
        case(
            "list_unaccepted_tasks",
            json!({}),
            &keys.writer,
            403,
            "missing_scope",
            "tasks:read",
        ),
        // A credential that may not act learns nothing about what exists.
        case(
            "accept_task",
            accept(NOBODYS_TASK, "bob"),
            &keys.alice,
            403,
            "wrong_actor",
            "acts only as alice",
        ),
        // Limits
        case(
            "report_completion",
            claim(&full, "alice", "reported"),
            op,
            409,
            "history_full",
            "full history",
        ),
    ]
}

async fn reserved_for_bob(house: &House) -> String {
    let (key, meta) = (&house.keys.operator, json!({"deedbox/recipientOnly": true}));
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    let id = house
        .call(Door::Legacy, key, "create_task", &create, meta)
        .await
        .id();
    for (tool, arguments) in [
        ("accept_task", json!({"taskId": id, "actorId": "alice"})),
        (
            "handoff_task",
            json!({"taskId": id, "fromActorId": "alice", "toActorId": "bob"}),
        ),
    ] {
        house
            .call(Door::Rest, key, tool, &arguments, json!({}))
            .await
            .id();
    }
    id
}

/// A task whose claims fill its history.
async fn full_task(house: &House) -> String {
    let id = house.task("a").await;
    let world: Arc<dyn deedbox_core::World> = house.clock.clone();
    let operations = Operations::new(Arc::clone(&house.store), world);
    let by = Attribution::of(Principal::local());
    let mut length = limits::TEXT_BYTES;
    let most = 2 * limits::TASK_BYTES / limits::TEXT_BYTES as u64;
    for _ in 0..most {
        let claim = json!({
            "taskId": id, "actorId": "alice", "provenance": "reported", "claimText": "x".repeat(length),
        });
        let Value::Object(claim) = claim else {
            unreachable!()
        };
        let operation = Operation::read(Tool::ReportCompletion, claim).unwrap();
        let done = operations
            .perform(&by, operation, &Extras::default())
            .await
            .is_ok();
        match (done, length) {
            (true, _) => {}
            (false, 1) => return id,
            (false, _) => length /= 2,
        }
    }
    panic!("claims of ever smaller length did not fill the history");
}

#[tokio::test]
async fn every_refusal_has_its_status_code_and_text_through_every_door() {
    let house = House::open().await;
    let schemas = house.output_schemas().await;
    let cases = cases(&house).await;
    let before = house.deeds().await;
    for case in &cases {
        let schema = jsonschema::validator_for(&schemas[case.tool]).unwrap();
        for door in DOORS {
            let said = house
                .call(door, &case.key, case.tool, &case.arguments, json!({}))
                .await;
            let about = format!("{door:?} {} {}: {said:?}", case.tool, case.arguments);
            assert_eq!(
                (said.status, said.code()),
                (case.status, case.code),
                "{about}"
            );
            assert!(said.error().contains(&case.says), "{about}");
            assert_no_leak(said.error());
            if door != Door::Rest {
                assert!(schema.is_valid(&said.value), "{about}");
                assert_eq!(said.value.as_object().unwrap().len(), 3, "{about}");
            }
        }
    }
    assert_eq!(house.deeds().await, before, "a refused call writes nothing");
    house.goes_on().await;
}

#[tokio::test]
async fn a_tasks_whole_life_reads_the_same_through_every_door() {
    let house = House::open().await;
    let schemas = house.output_schemas().await;
    for door in DOORS {
        let ask = |tool: &'static str, arguments: Value| {
            let (house, schemas) = (&house, &schemas);
            async move {
                let key = &house.keys.operator;
                let said = house.call(door, key, tool, &arguments, json!({})).await;
                assert!(said.status < 300, "{door:?} {tool} {said:?}");
                let validator = jsonschema::validator_for(&schemas[tool]).unwrap();
                assert!(validator.is_valid(&said.value), "{tool} {}", said.value);
                said.value
            }
        };
        let task = ask(
            "create_task",
            json!({"title": "Check the rollback plan", "description": "",
            "injectedBy": "alice", "authorityScope": "release"}),
        )
        .await;
        assert_eq!(task["status"], "pending_acceptance");
        assert_eq!(task["authorityScope"], "release");
        assert_eq!(task["currentOwnerActorId"], Value::Null);
        assert_eq!(task["attribution"]["actor"], "asserted");
        let id = task["id"].clone();
        let acceptance = ask(
            "accept_task",
            json!({"taskId": id, "actorId": "alice", "contextNote": "mine"}),
        )
        .await;
        let completion = ask("report_completion", json!({"taskId": id, "actorId": "alice",
            "provenance": "reviewed", "claimText": "it holds", "sourceReference": "https://ci.example/1"})).await;
        let handoff = ask("handoff_task", json!({"taskId": id, "fromActorId": "alice", "toActorId": "bob", "reason": "your turn"})).await;
        let snapshot = handoff["contextSnapshot"].as_object().unwrap();
        assert_eq!(
            snapshot.keys().collect::<Vec<_>>(),
            [
                "capturedAt",
                "latestAcceptance",
                "latestCompletion",
                "status"
            ]
        );
        assert_eq!(snapshot["status"], "completed");
        assert_eq!(snapshot["latestCompletion"]["id"], completion["id"]);
        let status = ask("get_task_status", json!({"taskId": id})).await;
        assert_eq!(
            status.as_object().unwrap().keys().collect::<Vec<_>>(),
            [
                "acceptances",
                "completions",
                "handoffs",
                "latestAcceptance",
                "latestCompletion",
                "task"
            ]
        );
        assert_eq!(status["task"]["status"], "transitioned");
        assert_eq!(status["acceptances"], json!([acceptance]));
        assert_eq!(status["latestCompletion"], completion);
        assert_eq!(status["handoffs"], json!([handoff]));
        let page = ask(
            "list_unaccepted_tasks",
            json!({"actorId": "alice", "limit": 1}),
        )
        .await;
        assert_eq!(page["tasks"][0], status["task"]);
    }
}

#[tokio::test]
async fn an_actors_own_key_makes_the_deed_authenticated() {
    let house = House::open().await;
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    let said = house
        .call(
            Door::Stateless,
            &house.keys.alice,
            "create_task",
            &create,
            json!({}),
        )
        .await;
    assert_eq!(said.value["attribution"]["actor"], "authenticated");
    let principal = said.value["attribution"]["principal"].as_str().unwrap();
    assert!(
        house
            .keys
            .alice
            .contains(principal.strip_prefix("key:").unwrap())
    );
}
