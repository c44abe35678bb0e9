//! Who says that they are whom: labels of agents and installations, on the command line and over stdio.

use serde_json::{Value, json};

use crate::common::{Home, redacted};

const RAW: &str = "raw-label-of-an-installation-7f3a";
/// SHA-256 of it, by sha256sum.
const HASH: &str = "sha256:316fa7656e72b11f237d561091397299d5bb08aa174b4dbdbb74dedef7ed5fae";

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Every byte that lies below the home.
fn files(folder: &std::path::Path) -> Vec<u8> {
    let entries = std::fs::read_dir(folder).unwrap();
    let all = entries.map(|entry| entry.unwrap().path());
    all.flat_map(|path| {
        if path.is_dir() {
            files(&path)
        } else {
            std::fs::read(path).unwrap()
        }
    })
    .collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

#[test]
fn an_installation_gets_a_label_that_is_shown_once_and_on_demand() {
    let home = Home::new();
    let made = home.json(&["instance", "new", "--agent", "codex"]);
    let (label, hash, path) = (
        text(&made["environment"]["DEEDBOX_AGENT_INSTANCE_ID"]),
        text(&made["instance_id_hash"]),
        text(&made["path"]),
    );
    assert_eq!(made["headers"]["x-deedbox-agent-instance-id"], label);
    assert_eq!(made["environment"]["DEEDBOX_AGENT_ID"], "codex");
    let below = home.path().join(".local/state/deedbox/instances");
    assert!(std::path::Path::new(&path).starts_with(below), "{path}");
    assert_eq!(std::fs::read_to_string(&path).unwrap().trim(), label);
    for arguments in [
        &["instance", "show", "--agent", "codex"][..],
        &["instance", "show", "--agent", "codex", "--json"],
        &["instance", "show", "--as-agent", "codex"],
    ] {
        let shown = home.run(arguments).expect(0).out;
        assert!(shown.contains(&hash) && shown.contains(&path), "{shown}");
        assert!(!shown.contains(&label), "{shown}");
    }
    let revealed = home
        .run(&["instance", "show", "--agent", "codex", "--reveal"])
        .expect(0)
        .out;
    let revealed = redacted(&revealed, &home)
        .replace(&label, "LABEL")
        .replace(&hash, "HASH")
        .replace(path.rsplit('/').next().unwrap(), "FILE");
    insta::assert_snapshot!(revealed, @r#"
    The label of this user's installation of codex.
    HASH
    HOME/.local/state/deedbox/instances/FILE

    For a client over stdio, in its environment:
      DEEDBOX_AGENT_ID=codex
      DEEDBOX_AGENT_INSTANCE_ID=LABEL

    For a client over HTTP, as headers:
      x-deedbox-agent-id: codex
      x-deedbox-agent-instance-id: LABEL

    Do not commit these lines: who knows the label can say that they are this installation.
    It permits nothing. This program uses it by itself with --as-agent codex.
    "#);
    // One per agent; what is there stays.
    let other = home.json(&["instance", "new", "--agent", "claude"]);
    assert_ne!(other["instance_id_hash"], made["instance_id_hash"]);
    let again = home
        .run(&["instance", "new", "--agent", "codex", "--json"])
        .expect(2);
    assert_eq!(again.error()["code"], "file_exists");
    assert!(!again.err.contains(&label), "{}", again.err);
    assert_eq!(std::fs::read_to_string(&path).unwrap().trim(), label);
    // Who has none is told how to get one.
    let none = home
        .run(&["instance", "show", "--agent", "gemini"])
        .expect(2)
        .err;
    assert!(
        none.contains("deedbox instance new --agent gemini"),
        "{none}"
    );
    let nobody = home.run(&["instance", "new", "--json"]).expect(2);
    assert_eq!(nobody.error()["code"], "bad_argument");
}

#[test]
fn what_is_done_here_says_which_agent_did_it_and_how_one_stands_to_that() {
    let home = Home::new();
    let hash = text(&home.json(&["instance", "new", "--agent", "codex"])["instance_id_hash"]);
    home.run(&["actor", "add", "alice", "--kind", "human"])
        .expect(0);
    let create = [
        "task",
        "create",
        "t",
        "--as",
        "alice",
        "--as-agent",
        "codex",
    ];
    let made = home.json(&create);
    let by = &made["attribution"];
    assert_eq!(by["agentLabel"], "codex");
    assert_eq!(by["instanceHash"], hash);
    assert_eq!(by["memory_agent_boundary"]["relation"], "self");
    let id = text(&made["id"]);
    home.run_with(
        &["task", "accept", &id, "--as", "alice"],
        &[("XMEMO_AGENT_ID", "claude")],
        "",
    )
    .expect(0);
    let shown = home
        .run(&["task", "status", &id, "--as-agent", "codex"])
        .expect(0)
        .out;
    assert!(
        shown.contains("(asserted by local, as codex: self)"),
        "{shown}"
    );
    assert!(
        shown.contains("(asserted by local, as claude: other_agent)"),
        "{shown}"
    );
    let elsewhere = [
        ("DEEDBOX_AGENT_ID", "codex"),
        ("XMEMO_AGENT_INSTANCE_ID", RAW),
    ];
    let status = home
        .run_with(&["task", "status", &id, "--json"], &elsewhere, "")
        .expect(0)
        .json();
    let relation = |row: &Value| text(&row["attribution"]["memory_agent_boundary"]["relation"]);
    assert_eq!(relation(&status["task"]), "same_agent_other_instance");
    assert_eq!(relation(&status["acceptances"][0]), "other_agent");
    let nobody = home.json(&["task", "status", &id]);
    assert_eq!(relation(&nobody["task"]), "unverified");
    // The next command reaches for the same labels.
    let told = home
        .run(&[
            "task",
            "create",
            "u",
            "--as",
            "alice",
            "--as-agent",
            "codex",
        ])
        .expect(0)
        .out;
    assert!(told.contains("--as ACTOR --as-agent codex"), "{told}");
    home.run(&["ledger", "check"]).expect(0);
}

#[test]
fn whoami_tells_what_the_ledger_will_say_without_any_database() {
    let home = Home::new();
    let labels = [
        ("XMEMO_AGENT_ID", "codex"),
        ("XMEMO_AGENT_INSTANCE_ID", RAW),
    ];
    let seen = home
        .run_with(&["whoami", "--json"], &labels, "")
        .expect(0)
        .json();
    assert_eq!(seen["principal"], "local");
    assert_eq!(seen["acts_as"], "operator");
    assert_eq!(seen["agent_label"], "codex");
    assert_eq!(seen["instance_id_hash"], HASH);
    assert_eq!(seen["current_agent_trust"], "client_asserted");
    assert_eq!(seen["labels_authorise"], false);
    let said = home.run_with(&["whoami"], &labels, "").expect(0).out;
    assert!(
        said.contains(HASH) && said.contains("codex") && !said.contains(RAW),
        "{said}"
    );
    let shown = home
        .run_with(&["config", "show"], &labels, "")
        .expect(0)
        .out;
    assert!(shown.contains(HASH) && !shown.contains(RAW), "{shown}");
    assert!(!home.database().exists());
    for (name, value) in [
        ("XMEMO_AGENT_ID", "x".repeat(257)),
        ("DEEDBOX_AGENT_INSTANCE_ID", RAW.repeat(9)),
    ] {
        let done = home.run_with(&["whoami"], &[(name, &value)], "").expect(2);
        assert!(
            done.err.contains(name) && done.err.contains("256 characters"),
            "{}",
            done.err
        );
        assert!(!done.err.contains(RAW), "{}", done.err);
    }
}

#[test]
fn a_client_over_stdio_labels_what_it_does_and_its_installations_label_goes_nowhere() {
    let home = Home::new();
    home.run(&["actor", "add", "codex", "--kind", "agent"])
        .expect(0);
    let key = home.json(&["key", "new", "--actor", "codex", "--agent-label", "codex"]);
    assert_eq!(key["agentLabel"], "codex");
    let call = |id: u32, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }});
    let input: String = [
        begin,
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(
            2,
            "create_task",
            json!({"title": "t", "description": "", "injectedBy": "codex"}),
        ),
        call(3, "get_identity", json!({})),
    ]
    .iter()
    .map(|message| format!("{message}\n"))
    .collect();
    let variables = [
        ("DEEDBOX_KEY", key["key"].as_str().unwrap()),
        ("XMEMO_AGENT_ID", "codex"),
        ("XMEMO_AGENT_INSTANCE_ID", RAW),
    ];
    let done = home
        .run_with(&["mcp", "--log-filter", "trace"], &variables, &input)
        .expect(0);
    let answers = done
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answers: Vec<Value> = answers.collect();
    let answer = |id: u32| {
        let found = answers.iter().find(|answer| answer["id"] == id).unwrap();
        &found["result"]["structuredContent"]
    };
    let by = &answer(2)["attribution"];
    assert_eq!(
        (&by["agentLabel"], &by["instanceHash"]),
        (&json!("codex"), &json!(HASH))
    );
    assert_eq!(
        by["memory_agent_boundary"]["current_agent_trust"],
        "credential_bound"
    );
    assert_eq!(answer(3)["instance_id_hash"], HASH);
    assert_eq!(answer(3)["key_agent_label"], "codex");
    assert!(
        !done.out.contains(RAW) && !done.err.contains(RAW),
        "{}",
        done.err
    );
    // What the server's own libraries say of messages is never more than that they came, whatever the filter.
    assert!(done.err.contains(r#""level":"INFO""#), "nothing was logged");
    let stored = files(home.path());
    assert!(!holds(&stored, RAW) && holds(&stored, "codex"));
}
