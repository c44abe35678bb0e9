//! What is told of a registry whose chain is not as it was, or does not answer: by every command, and by whoever holds it.

use std::{net::TcpListener, time::Instant};

use serde_json::{Value, json};

use crate::{
    common::PATIENCE,
    publishing::Desk,
    sync::{OFTEN, agent, follow, only, open_registry},
};

/// A registry with one agent, read up to the head of a chain of which something is final.
fn read_to_finality(desk: &Desk) -> (String, u64) {
    let registry = open_registry(desk);
    agent(desk, &registry, "Ours");
    follow(desk, &registry);
    // A node of this kind says that a block is final when there are 64 above it.
    desk.anvil.mine(100).unwrap();
    let summary = desk.home.json(&["registry", "sync"]);
    let last = only(&summary)["final"].as_u64().unwrap();
    assert!(last > 20, "{summary}");
    (registry, last)
}

/// A chain that nobody answers for: nobody listens at a port that a listener just gave back.
fn silent() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    format!("31337=http://127.0.0.1:{port}")
}

fn hints(value: &Value) -> Vec<&str> {
    let hints = value["hints"].as_array().into_iter().flatten();
    hints.filter_map(|hint| hint["code"].as_str()).collect()
}

#[test]
fn a_chain_that_was_begun_anew_and_is_shorter_than_what_was_final_is_an_alarm() {
    let desk = Desk::new();
    let (registry, _) = read_to_finality(&desk);
    desk.anvil.rpc("anvil_reset", json!([])).unwrap();
    desk.anvil.mine(20).unwrap();
    let synced = desk.home.run(&["registry", "sync", "--json"]).expect(1);
    assert_eq!(only(&synced.json())["state"], "chain_broke_finality");
    let found = desk.home.json(&["agent", "find", "ours"]);
    assert!(hints(&found).contains(&"chain_broke_finality"), "{found}");
    let list = desk.run(&["registry", "list"], &[]).expect(0).out;
    assert!(list.contains("went back on what was final"), "{list}");
    let anew = ["registry", "sync", "--anew", &registry, "--json"];
    let anew = desk.home.run(&anew).json();
    assert!(only(&anew)["facts_dropped"].as_u64().unwrap() > 0, "{anew}");
    assert_eq!(only(&anew)["state"], "at_head", "{anew}");
}

#[test]
fn a_chain_that_ends_below_what_was_final_is_told_by_everybody_until_it_is_long_again() {
    let desk = Desk::new();
    let (registry, _) = read_to_finality(&desk);
    let kept = desk.anvil.rpc("anvil_dumpState", json!([])).unwrap();
    let mut server = desk.home.serve(&OFTEN, &[]);
    server.await_log("this server reads the registry");
    desk.anvil.rpc("anvil_reset", json!([])).unwrap();
    server.await_log("the chain ends below what was final, and none of its blocks is known");
    let gauge =
        |value: u8| format!("deedbox_registry_finality_broken{{registry=\"{registry}\"}} {value}");
    let (_, told) = server.request("GET /metrics", server.key(), "");
    assert!(told.contains(&gauge(1)), "{told}");

    let synced = desk.home.run(&["registry", "sync", "--json"]).expect(1);
    let one = only(&synced.json()).clone();
    assert_eq!(one["state"], "chain_ends_below_final");
    assert_eq!(one["chain_is_short"]["recognised_block"], Value::Null);
    let synced = desk.run(&["registry", "sync"], &[]).expect(1).out;
    assert!(!synced.contains("Nothing is missing"), "{synced}");
    assert!(synced.contains("below what was final"), "{synced}");
    let shown = desk
        .run(&["registry", "show", &registry], &[])
        .expect(1)
        .out;
    assert!(shown.contains("below what was final"), "{shown}");
    let list = desk.run(&["registry", "list"], &[]).expect(0).out;
    assert!(list.contains("below what was final"), "{list}");
    let list = desk.home.json(&["registry", "list"]);
    let short = &only(&list)["chain_is_short"];
    assert_eq!(short["is_below_final"], true, "{list}");
    let found = desk.home.json(&["agent", "find", "ours"]);
    assert_eq!(only(&found["provenance"])["chain_is_short"], *short);
    assert!(hints(&found).contains(&"chain_ends_below_final"), "{found}");

    // The endpoint has the blocks again.
    desk.anvil.rpc("anvil_loadState", json!([kept])).unwrap();
    server.await_log("the chain is as long again");
    let (_, told) = server.request("GET /metrics", server.key(), "");
    assert!(told.contains(&gauge(0)), "{told}");
    let list = desk.home.json(&["registry", "list"]);
    assert_eq!(only(&list)["chain_is_short"], Value::Null, "{list}");
    server.signal("TERM");
    assert!(server.end().success(), "{}", server.log);
}

#[test]
fn an_endpoint_that_is_behind_is_called_that() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    agent(&desk, &registry, "Ours");
    follow(&desk, &registry);
    let before = desk.anvil.rpc("evm_snapshot", json!([])).unwrap();
    let height = desk.anvil.height().unwrap();
    desk.anvil.mine(100).unwrap();
    desk.home.json(&["registry", "sync"]);
    desk.anvil.rpc("evm_revert", json!([before])).unwrap();
    let synced = desk.run(&["registry", "sync"], &[]).expect(3).out;
    assert!(
        synced.contains("the endpoint is behind: 100 blocks below"),
        "{synced}"
    );
    let list = desk.home.json(&["registry", "list"]);
    let short = &only(&list)["chain_is_short"];
    assert_eq!(
        (&short["head_block"], &short["is_below_final"]),
        (&json!(height), &json!(true)),
        "{list}"
    );
    assert!(short["recognised_block"].is_u64(), "{list}");
    let found = desk.home.json(&["agent", "find", "ours"]);
    assert_eq!(hints(&found), ["endpoint_is_behind"], "{found}");
    let shown = desk
        .run(&["registry", "show", &registry], &[])
        .expect(0)
        .out;
    assert!(shown.contains("the endpoint is behind"), "{shown}");
}

#[test]
fn of_a_registry_whose_chain_does_not_answer_what_is_known_is_told() {
    let desk = Desk::new();
    let (registry, _) = read_to_finality(&desk);
    let chain = silent();
    let show = ["registry", "show", &registry, "--chain", &chain];
    let shown = desk.home.run(&show).expect(3).out;
    for said in [
        "accepted",
        "blocks ",
        "could not be read",
        "its code was what was accepted",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let json = [&show[..], &["--json"]].concat();
    let value = desk.home.run(&json).expect(3).json();
    assert_eq!(
        (&value["now"], &value["changes"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(value["error"]["code"], "endpoint_unavailable", "{value}");
    assert_eq!(value["code_changed"], false);
    assert_eq!(value["read_upto_block"], desk.anvil.height().unwrap());
    let whole = desk.home.json(&["registry", "show", &registry]);
    assert_eq!(whole["error"], Value::Null, "{whole}");
}

#[test]
fn who_cannot_ask_the_chain_of_what_another_process_holds_says_that() {
    let desk = Desk::new();
    let (registry, _) = read_to_finality(&desk);
    let mut server = desk.home.serve(&OFTEN, &[]);
    server.await_log("this server reads the registry");
    let chain = silent();
    let synced = desk
        .home
        .run(&["registry", "sync", &registry, "--chain", &chain])
        .expect(3);
    assert!(
        synced.out.contains("does not answer here"),
        "{}",
        synced.out
    );
    assert!(
        !synced.out.contains("not read all of it yet"),
        "{}",
        synced.out
    );
    server.signal("TERM");
    assert!(server.end().success(), "{}", server.log);
}

#[test]
fn what_is_followed_from_another_block_is_told_as_it_was_read_until_it_is_read_anew() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    agent(&desk, &registry, "Ours");
    desk.anvil.mine(5).unwrap();
    let late = desk.anvil.height().unwrap();
    desk.anvil.mine(5).unwrap();
    let add = |from: u64| {
        let from = from.to_string();
        desk.home
            .json(&["registry", "add", &registry, "--from-block", &from, "--yes"]);
    };
    add(late);
    desk.home.json(&["registry", "sync"]);
    let found = desk.home.json(&["agent", "find", "ours"]);
    let middle = ["nothing_fits", "begins_in_the_middle"];
    assert_eq!(hints(&found), middle, "{found}");
    let resolve = ["agent", "resolve", &format!("1@{registry}")];
    let resolved = desk.home.json(&resolve);
    assert_eq!(
        resolved["provenance"]["hints"][0]["code"],
        "begins_in_the_middle"
    );

    desk.home.json(&["registry", "remove", &registry]);
    add(1);
    let found = desk.home.json(&["agent", "find", "ours"]);
    assert_eq!(only(&found["provenance"])["from_block"], late, "{found}");
    let resolved = desk.home.json(&resolve);
    assert_eq!(only(&resolved["provenance"])["from_block"], late);
    let list = desk.home.json(&["registry", "list"]);
    let one = only(&list);
    assert_eq!(
        (&one["from_block"], &one["read_from_block"]),
        (&json!(1), &json!(late)),
        "{list}"
    );
    desk.home.json(&["registry", "sync"]);
    let found = desk.home.json(&["agent", "find", "ours"]);
    assert_eq!(only(&found["provenance"])["from_block"], 1, "{found}");
    assert_eq!(hints(&found), [""; 0], "{found}");
    let resolved = desk.home.json(&resolve);
    assert_eq!(resolved["provenance"]["hints"], Value::Null);
}

#[test]
fn a_registry_that_is_followed_later_is_read_and_looked_at_within_a_look() {
    let desk = Desk::new();
    let (first, later) = (open_registry(&desk), open_registry(&desk));
    follow(&desk, &first);
    let mut server = desk.home.serve(&OFTEN, &[]);
    server.await_log("the registry is read up to the head of its chain");
    let started = Instant::now();
    follow(&desk, &later);
    loop {
        let list = desk.home.json(&["registry", "list"]);
        let all = list["registries"].as_array().unwrap();
        let is_seen = |one: &Value| one["looked_at"].is_string() && one["code_changed"] == false;
        if all.iter().all(is_seen) {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{list}");
    }
    server.signal("TERM");
    assert!(server.end().success(), "{}", server.log);
}
