//! Arguments of readings: each stands there once, in its one spelling, or no chain is asked.

use serde_json::{Value, json};

use crate::{
    house::{Door, NOBODYS_TASK},
    node::HOLDER,
    readings::{ask, native, with_node},
};

#[tokio::test]
async fn malformed_arguments_never_reach_a_chain_and_name_their_field() {
    let (house, node) = with_node(|_| ()).await;
    let change = |name: &str, value: Value| {
        let mut arguments = native("latest");
        arguments[name] = value;
        arguments
    };
    let without = |name: &str| {
        let mut arguments = native("latest");
        arguments.as_object_mut().unwrap().remove(name);
        arguments
    };
    let short = &HOLDER[..41];
    for (arguments, field) in [
        (change("chain_id", json!("1")), "chain_id"),
        (change("chain_id", json!(1.0)), "chain_id"),
        (change("chain_id", json!(-1)), "chain_id"),
        (change("chain_id", json!(0)), "chain_id"),
        (change("chain_id", json!(null)), "chain_id"),
        (change("chain_id", json!([1])), "chain_id"),
        (change("chain_id", json!(true)), "chain_id"),
        (change("holder", json!(null)), "holder"),
        (change("holder", json!([HOLDER])), "holder"),
        (change("holder", json!(short)), "holder"),
        (change("holder", json!(&HOLDER[2..])), "holder"),
        (change("holder", json!(format!("{HOLDER} "))), "holder"),
        (change("holder", json!("vitalik.eth")), "holder"),
        (change("block", json!(100)), "block"),
        (change("block", json!("pending")), "block"),
        (change("block", json!("earliest")), "block"),
        (change("block", json!("Latest")), "block"),
        (change("block", json!("0x64")), "block"),
        (change("block", json!("0100")), "block"),
        (change("block", json!("+1")), "block"),
        (change("block", json!("9007199254740992")), "block"),
        (change("block", json!({"latest": null})), "block"),
        (change("block", json!(null)), "block"),
        (change("hodler", json!(HOLDER)), "hodler"),
        (without("chain_id"), "chain_id"),
        (without("holder"), "holder"),
        (without("block"), "block"),
    ] {
        for door in [Door::Legacy, Door::Stateless] {
            let key = &house.keys.alice;
            let said = ask(&house, door, key, "get_native_balance", &arguments, None).await;
            assert_eq!(said.code(), "invalid_argument", "{arguments} {said:?}");
            assert!(said.message().contains(field), "{arguments} {said:?}");
            assert_eq!(said.envelope["error"]["retryable"], false);
        }
    }
    assert_eq!(node.asked(), 0);
}

#[tokio::test]
async fn arguments_that_are_no_object_are_refused_in_the_envelope_too() {
    let (house, node) = with_node(|_| ()).await;
    for wrong in [json!([1]), json!("x"), json!(1), json!(true)] {
        let params = json!({"name": "get_native_balance", "arguments": wrong});
        let key = &house.keys.alice;
        let reply = house.stateless(key, "tools/call", params).await.json();
        let result = &reply["result"];
        assert_eq!(result["isError"], true, "{reply}");
        let envelope = &result["structuredContent"];
        assert_eq!(envelope["error"]["code"], "invalid_argument", "{reply}");
        assert!(envelope["data"].is_null() && envelope["provenance"].is_null());
    }
    assert_eq!(node.asked(), 0);
}

#[tokio::test]
async fn a_query_names_every_argument_once_and_in_one_spelling() {
    let (house, node) = with_node(|_| ()).await;
    let good = format!("holder={HOLDER}&block=latest");
    for (chain, query, field) in [
        ("1", String::new(), "holder"),
        ("1", format!("holder={HOLDER}"), "block"),
        ("1", format!("{good}&block=latest"), "block"),
        ("1", format!("{good}&chain_id=1"), "chain_id"),
        ("1", format!("{good}&x=1"), "x"),
        ("1", format!("holder={HOLDER}&block="), "block"),
        ("01", good.clone(), "chain_id"),
        ("+1", good.clone(), "chain_id"),
        ("1.0", good.clone(), "chain_id"),
        ("0x1", good.clone(), "chain_id"),
        ("-1", good.clone(), "chain_id"),
        ("%31%ff", good.clone(), "chain_id"),
        ("99999999999999999999999", good.clone(), "chain_id"),
        ("1", format!("{good}&a=%ff"), "a"),
    ] {
        let path = format!("/api/chains/{chain}/native-balance?{query}");
        let reply = house.get(&path, &house.keys.alice).await;
        let said = reply.json();
        assert_eq!(reply.status, 400, "{path}: {said}");
        assert_eq!(said["error"]["code"], "invalid_argument", "{path}: {said}");
        let message = said["error"]["message"].as_str().unwrap();
        assert!(message.contains(field), "{path}: {message}");
    }
    for (limit, status) in [
        ("5", 200),
        ("500", 200),
        ("501", 400),
        ("0", 400),
        ("05", 400),
        ("5.0", 400),
    ] {
        let query = format!("address={HOLDER}&from_block=90&to_block=100&limit={limit}");
        let path = format!("/api/chains/1/transfers?{query}");
        let reply = house.get(&path, &house.keys.alice).await;
        assert_eq!(reply.status, status, "{limit}: {}", reply.text());
    }
    let asked = node.asked();
    let listed = house.get("/api/chains?x=1", &house.keys.alice).await;
    assert_eq!(
        (listed.status, listed.code().as_str()),
        (400, "invalid_input")
    );
    assert_eq!(node.asked(), asked);
}

#[tokio::test]
async fn an_option_that_is_misspelt_is_refused_and_not_ignored() {
    let (house, node) = with_node(|_| ()).await;
    let reading = format!("/api/chains/1/native-balance?holder={HOLDER}&block=latest");
    let evidence = format!("/api/evidence/{NOBODYS_TASK}");
    let status = format!("/api/tasks/{NOBODYS_TASK}/status");
    for path in [
        reading.as_str(),
        "/api/chains",
        evidence.as_str(),
        status.as_str(),
        "/api/tasks/unaccepted",
    ] {
        let request = house
            .request(http::Method::GET, path)
            .header("authorization", format!("Bearer {}", house.keys.alice))
            .header("deedbox-taskid", NOBODYS_TASK);
        let reply = house.send(request.body(bytes::Bytes::new()).unwrap()).await;
        assert_eq!(reply.status, 400, "{path}: {}", reply.text());
        let text = reply.text();
        assert!(
            text.contains("deedbox-taskid") && text.contains("Deedbox-Task"),
            "{text}"
        );
    }
    let misspelt = [("deedbox-recipients-only", "true")];
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    for (path, body) in [
        ("/api/tasks", create),
        ("/api/conclusions/check", json!({})),
    ] {
        let before = house.deeds().await;
        let key = &house.keys.alice;
        let reply = house.post(path, key, &misspelt, body.to_string()).await;
        assert_eq!(reply.status, 400, "{path}: {}", reply.text());
        assert!(reply.text().contains("deedbox-recipients-only"), "{path}");
        assert_eq!(house.deeds().await, before);
    }
    assert_eq!(node.asked(), 0);
}
