//! What can be said beside readings: which chains there are, what was recorded, and what may be concluded from it.

use std::sync::atomic::Ordering;

use serde_json::json;

use crate::{
    house::{DOORS, Door, House, NOBODYS_TASK},
    node::{HEAD, Node},
    readings::{ask, native, with_node},
    sick::{CITES_NOTHING, sick_house_with},
};

#[tokio::test]
async fn the_list_of_chains_names_endpoints_and_no_url() {
    let (house, _node) = with_node(|_| ()).await;
    let expected = json!({"chains": [{
        "chain_id": 1, "name": "Test", "native_symbol": "ETH", "native_decimals": 18,
        "endpoints": [{"endpoint_id": "main", "health": "healthy", "reason": null, "head": HEAD}],
    }]});
    let schema = &house.output_schemas().await["list_chains"];
    let validator = jsonschema::validator_for(schema).unwrap();
    for door in [Door::Legacy, Door::Stateless] {
        let listed = house
            .call(
                door,
                &house.keys.alice,
                "list_chains",
                &json!({}),
                json!({}),
            )
            .await;
        assert_eq!(listed.value, expected);
        assert!(validator.is_valid(&listed.value));
    }
    let listed = house.get("/api/chains", &house.keys.alice).await;
    assert_eq!((listed.status, listed.json()), (200, expected));
}

#[tokio::test]
async fn a_conclusion_is_compared_with_what_was_recorded() {
    let (house, _node) = with_node(|_| ()).await;
    let key = &house.keys.alice;
    let said = ask(
        &house,
        Door::Rest,
        key,
        "get_native_balance",
        &native("100"),
        None,
    )
    .await;
    let id = &said.envelope["provenance"]["evidence_id"];
    let claim = |text: &str, block: &str| json!({"claim": text, "tool": "get_native_balance", "chain_id": 1, "block": block});
    let mut named = claim("The account holds 1 ETH.", "latest");
    named["evidence_id"] = id.clone();
    let conclusion = json!({
        "conclusion": "The account holds 1 ETH.",
        "evidence": [claim("The account holds 1 ETH.", "100"), claim("The account holds 2 ETH.", "100"),
            claim("The account holds 1 ETH.", "99"), named],
        "unknown": ["Whose it is."],
    });
    let schema = &house.output_schemas().await["check_conclusion"];
    let validator = jsonschema::validator_for(schema).unwrap();
    let mut answers = Vec::new();
    for door in [Door::Legacy, Door::Stateless] {
        let checked = house
            .call(door, key, "check_conclusion", &conclusion, json!({}))
            .await;
        assert_eq!(checked.status, 200, "{checked:?}");
        assert!(validator.is_valid(&checked.value), "{checked:?}");
        answers.push(checked.value);
    }
    let reply = house
        .post("/api/conclusions/check", key, &[], conclusion.to_string())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    answers.push(reply.json());
    for answer in answers {
        let outcomes: Vec<_> = answer["claims"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| &c["outcome"])
            .collect();
        assert_eq!(
            outcomes,
            ["supported", "mismatched", "unsupported", "supported"],
            "{answer}"
        );
        assert_eq!(answer["claims"][0]["evidence_id"], *id);
        assert_eq!(answer["verdict"], "mismatched");
        assert_eq!(answer["unknown"], json!(["Whose it is."]));
    }
    for (bad, field) in [
        (
            json!({"conclusion": "c", "evidence": [], "unknown": []}),
            "evidence",
        ),
        (
            json!({"conclusion": "c", "evidence": [claim("c", "1")]}),
            "unknown",
        ),
        (
            json!({"conclusion": 5, "evidence": [claim("c", "1")], "unknown": []}),
            "conclusion",
        ),
        (json!([]), "object"),
    ] {
        let reply = house
            .post("/api/conclusions/check", key, &[], bad.to_string())
            .await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (400, "invalid_input"),
            "{bad}"
        );
        assert!(reply.text().contains(field), "{bad}: {}", reply.text());
    }
}

#[tokio::test]
async fn evidence_that_is_not_there_is_a_404() {
    let house = House::open().await;
    let key = &house.keys.alice;
    let none = house
        .get(&format!("/api/evidence/{NOBODYS_TASK}"), key)
        .await;
    assert_eq!(
        (none.status, none.code().as_str()),
        (404, "evidence_not_found")
    );
    let bad = house.get("/api/evidence/x", key).await;
    assert_eq!((bad.status, bad.code().as_str()), (400, "invalid_input"));
}

#[tokio::test]
async fn a_claim_that_is_written_is_answered_also_when_nobody_knows_who_saw_its_evidence() {
    let node = Node::start();
    let reader = node.reader();
    let (house, how) = sick_house_with(|options| options.reader = Some(reader)).await;
    let key = &house.keys.alice;
    let said = ask(
        &house,
        Door::Rest,
        key,
        "get_native_balance",
        &native("7"),
        None,
    )
    .await;
    let id = said.envelope["provenance"]["evidence_id"].as_str().unwrap();
    how.store(CITES_NOTHING, Ordering::SeqCst);
    for door in DOORS {
        let task = house.task("a").await;
        let claim = json!({
            "taskId": task, "actorId": "alice", "provenance": "observed",
            "claimText": "It holds 1 ETH.", "sourceReference": format!("evidence:{id}"),
        });
        let before = house.deeds().await;
        let claimed = house
            .call(door, key, "report_completion", &claim, json!({}))
            .await;
        assert!(claimed.status < 300, "{claimed:?}");
        assert_eq!(claimed.value["claimText"], "It holds 1 ETH.");
        assert_eq!(house.deeds().await, before + 1);
    }
}
