//! `deedbox mcp`: a client over standard input and output.

use crate::common::Home;
use serde_json::{Value, json};

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }})
}

#[test]
fn without_a_key_it_says_what_to_do() {
    let home = Home::new();
    let done = home.run(&["mcp"]).expect(2);
    insta::assert_snapshot!(done.err, @r#"
    error: DEEDBOX_KEY is not set, so nobody knows as whom this client acts
      Make a key with `deedbox key new --actor ID` and put it into the client's configuration as DEEDBOX_KEY.
    "#);
    assert_eq!(done.out, "");
}

#[test]
fn a_key_that_is_refused_is_said_without_repeating_it() {
    let home = Home::new();
    let made = home.json(&["key", "new", "--operator"]);
    let key = made["key"].as_str().unwrap();
    home.run(&["key", "revoke", made["id"].as_str().unwrap()])
        .expect(0);
    for bad in [key, "dbx_nonsense"] {
        let done = home
            .run_with(&["mcp"], &[("DEEDBOX_KEY", bad)], "")
            .expect(2);
        assert!(
            done.err.contains("the key in DEEDBOX_KEY is not valid"),
            "{}",
            done.err
        );
        // What only HTTP has is of no use here.
        assert!(!done.err.contains("Bearer"), "{}", done.err);
        assert!(
            !done.err.contains(bad) && done.out.is_empty(),
            "{}",
            done.err
        );
    }
}

#[test]
fn a_client_acts_as_the_actor_of_its_key_and_only_the_protocol_is_on_standard_output() {
    let home = Home::new();
    home.run(&["actor", "add", "codex", "--kind", "agent"])
        .expect(0);
    let key = home.json(&["key", "new", "--actor", "codex"])["key"]
        .as_str()
        .unwrap()
        .to_owned();
    let call = |id: u32, by: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "create_task",
            "arguments": {"title": "Over stdio", "description": "", "injectedBy": by},
        }})
    };
    let input: String = [
        initialize(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(2, "codex"),
        call(3, "alice"),
    ]
    .iter()
    .map(|message| format!("{message}\n"))
    .collect();
    let done = home
        .run_with(&["mcp"], &[("DEEDBOX_KEY", &key)], &input)
        .expect(0);
    let answers: Vec<Value> = done
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let answer = |id: u32| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(answer(1)["result"]["serverInfo"]["name"], "deedbox");
    let made = &answer(2)["result"]["structuredContent"];
    assert_eq!(made["injectedBy"], "codex");
    assert_eq!(
        answer(3)["result"]["structuredContent"]["code"],
        "wrong_actor"
    );
    let tasks = home.json(&["task", "unaccepted"]);
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(tasks["tasks"][0]["id"], made["id"]);
    assert!(!done.err.contains(&key[21..]));
}

#[test]
fn who_offers_no_tools_of_chains_needs_none_of_their_secrets() {
    let home = Home::new();
    let key = home.json(&["key", "new", "--operator"])["key"]
        .as_str()
        .unwrap()
        .to_owned();
    let file = "[[chains.1.endpoints]]\nurl_env = \"ONLY_ELSEWHERE\"\n";
    std::fs::write(home.path().join("deedbox.toml"), file).unwrap();
    let input = format!("{}\n", initialize());
    let mcp = |arguments: &[&str]| {
        let variables = [("DEEDBOX_KEY", key.as_str())];
        home.run_with(&[&["mcp"], arguments].concat(), &variables, &input)
    };
    let done = mcp(&[]).expect(2);
    assert!(done.err.contains("ONLY_ELSEWHERE"), "{}", done.err);
    drop(mcp(&["--toolsets", "tasks"]).expect(0));
    drop(home.serve(&["--toolsets", "tasks"], &[]));
}
