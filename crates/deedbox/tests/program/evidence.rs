//! `deedbox evidence …`: what was read is shown harmless, exported whole, and read again.

use std::{fs, sync::Arc};

use deedbox_core::{
    Attribution, Command, EvidenceId, Principal, Reading, Timestamp, World, evidence::MAX_EXACT,
};
use deedbox_neighbours::rpc::{Chain, FaultyEndpoint, Reply};
use deedbox_sqlite::SqliteStore;
use deedbox_store::{Execute, Store as _};
use serde_json::{Value, json};

use crate::common::Home;

/// Its balance on the scripted chain is its last two bytes: 42.
const HOLDER: &str = "0x000000000000000000000000000000000000002a";
const CHAIN: Chain = Chain { id: 1337, head: 20 };
const BLOCK: u64 = 10;

#[derive(Debug)]
struct Still;

impl World for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_796_000_000_000).unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

fn reading(data: &Value) -> Value {
    json!({
        "tool": "get_native_balance",
        "arguments": {"chain_id": 1337, "holder": HOLDER, "block": "latest"},
        "data": data,
        "provenance": {
            "chain_id": 1337,
            "block_number": BLOCK,
            "block_hash": Chain::hash(BLOCK),
            "block_timestamp": "2023-11-14T22:15:20.000Z",
            "source": "rpc",
            "endpoint_id": "main",
        },
    })
}

/// A home whose database holds one reading.
fn recorded(data: &Value) -> (Home, String) {
    recorded_reading(reading(data))
}

fn recorded_reading(reading: Value) -> (Home, String) {
    let home = Home::new();
    home.run(&["actor", "add", "alice", "--kind", "human"])
        .expect(0);
    let id = EvidenceId(Still.uuid());
    let reading: Reading = serde_json::from_value(reading).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&home.database(), Arc::new(Still))
            .await
            .unwrap();
        let execute = Execute {
            command: Command::RecordReading {
                id,
                reading: Box::new(reading),
                task: None,
            },
            attribution: Attribution::of(Principal::local()),
            idempotency: None,
        };
        store.execute(execute).await.unwrap().unwrap();
        store.close().await;
    });
    home.run(&["ledger", "check"]).expect(0);
    (home, id.to_string())
}

fn balance() -> Value {
    json!({"raw_amount": "42", "decimals": 18})
}

#[test]
fn evidence_is_listed_and_shown() {
    let (home, id) = recorded(&balance());
    let list = home.json(&["evidence", "list"]);
    assert_eq!(list["evidence"][0]["evidence_id"], json!(id));
    assert_eq!(list["evidence"][0]["block_number"], json!(BLOCK));
    assert_eq!(list["next"], Value::Null);
    let one = home.json(&["evidence", "list", "--limit", "1"]);
    assert_eq!(
        one["next"],
        Value::Null,
        "a full page, and nothing behind it"
    );
    let nobodys = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";
    for arguments in [["list", "--task", nobodys], ["export", "--task", nobodys]] {
        let arguments = [&["evidence"], &arguments[..], &["--json"]].concat();
        assert_eq!(
            home.run(&arguments).expect(1).error()["code"],
            "task_not_found"
        );
    }
    let shown = home.json(&["evidence", "show", &id]);
    assert_eq!(
        (&shown["evidence_id"], &shown["whole"], &shown["fault"]),
        (&json!(id), &json!(true), &Value::Null)
    );
    let rest = home.json(&["evidence", "list", "--after", &id]);
    assert_eq!(rest["evidence"], json!([]));
    let shown = home.run(&["evidence", "show", &id]).expect(0).out;
    for part in [
        &id,
        "get_native_balance on chain 1337 at block 10",
        "\"raw_amount\": \"42\"",
        "the same",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let unknown = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";
    let missing = home.run(&["evidence", "show", unknown, "--json"]).expect(1);
    assert_eq!(missing.error()["code"], "evidence_not_found");
    home.run(&["evidence", "show", "nonsense"]).expect(2);
    home.run(&["evidence", "list", "--limit", "0"]).expect(2);
}

#[test]
fn what_a_stranger_wrote_moves_no_cursor() {
    let text = "US\u{202e}D\u{1b}[2J\nforged line";
    let (home, id) =
        recorded(&json!({"name": {"text": text, "raw_hex": "0x00"}, "most": MAX_EXACT}));
    for arguments in [["evidence", "show", &id], ["evidence", "export", &id]] {
        let out = home.run(&arguments).expect(0).out;
        assert!(!out.contains(['\u{202e}', '\u{1b}']), "{out}");
        assert!(!out.contains("\nforged"), "{out}");
    }
    let exported = home.run(&["evidence", "export", &id]).expect(0).json();
    assert_eq!(exported["evidence"][0]["data"]["name"]["text"], json!(text));
}

#[test]
fn an_export_is_verified_without_a_database_and_a_changed_one_is_not() {
    let (home, id) = recorded(&balance());
    let export = ["evidence", "export", &id, "--output", "evidence.json"];
    home.run(&export).expect(0);
    home.run(&export).expect(2);
    home.run(&[&export[..], &["--force"]].concat()).expect(0);
    let file = home.path().join("evidence.json");
    let elsewhere = Home::new();
    let path = file.to_str().unwrap();
    assert_eq!(
        elsewhere.json(&["evidence", "verify", path])["whole"],
        json!(true)
    );
    let text = fs::read_to_string(&file).unwrap();
    for (from, to) in [("\"42\"", "\"43\""), ("\"local\"", "\"key:mallory\"")] {
        assert!(text.contains(from));
        fs::write(&file, text.replace(from, to)).unwrap();
        let done = elsewhere
            .run(&["evidence", "verify", path, "--json"])
            .expect(1);
        assert_eq!(done.json()["evidence"][0]["whole"], json!(false), "{from}");
    }
    // What no hash covers, or what readers may read differently, is no export.
    for (from, to) in [
        ("{\"format\"", "{\"checkedBy\":\"x\",\"format\""),
        ("{\"format\"", "{\"evidence\":[],\"format\""),
        ("\"witness\"", "\"verified\":true,\"witness\""),
        ("\"raw_amount\":", "\"raw_amount\":\"1\",\"raw_amount\":"),
        ("\"witness\"", "\"data\":{},\"witness\""),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        elsewhere.run(&["evidence", "verify", path]).expect(2);
    }
    fs::write(
        &file,
        r#"{"format": "deedbox.evidence.v1", "evidence": []}"#,
    )
    .unwrap();
    let none = elsewhere.json(&["evidence", "verify", path]);
    assert_eq!(
        (&none["whole"], &none["evidence"]),
        (&json!(true), &json!([]))
    );
    fs::write(&file, "{}").unwrap();
    elsewhere.run(&["evidence", "verify", path]).expect(2);
}

#[test]
fn the_same_is_read_again_at_the_same_block_and_compared() {
    let (home, id) = recorded(&balance());
    let endpoint = FaultyEndpoint::http(|request| CHAIN.reply(request)).unwrap();
    let chain = format!("1337={}", endpoint.url());
    let recheck = |code: i32| {
        let arguments = ["evidence", "recheck", &id, "--chain", &chain, "--json"];
        home.run(&arguments).expect(code).json()
    };
    let same = recheck(0);
    assert_eq!(
        (&same["outcome"], &same["differences"]),
        (&json!("same"), &json!([]))
    );
    let hash = Chain::hash(BLOCK);
    let at_block = |call: &deedbox_neighbours::rpc::Call| call.params.to_string().contains(&hash);
    assert!(
        endpoint
            .asked()
            .iter()
            .flat_map(|request| &request.calls)
            .any(at_block),
        "the head is at 20, and was not what was read"
    );
    endpoint.script(|request| {
        Reply::each(request, |call| match call.method.as_str() {
            "eth_getBalance" => Ok(json!("0x2b")),
            _ => CHAIN.answer(call),
        })
    });
    let difference = json!([{"at": "data.raw_amount", "recorded": "42", "now": "43"}]);
    assert_eq!(recheck(1)["differences"], difference);
    endpoint.script(|request| Chain { id: 1337, head: 5 }.reply(request));
    let gone = recheck(1);
    assert_eq!(gone["outcome"], "gone", "{gone}");
    endpoint.script(|request| Chain { id: 8, head: 20 }.reply(request));
    assert_eq!(recheck(3)["outcome"], "unread");
    let nowhere = home.run(&["evidence", "recheck", &id, "--json"]).expect(3);
    assert_eq!(nowhere.json()["error"]["code"], "chain_not_configured");
}

#[test]
fn a_recheck_asks_the_policy_before_any_endpoint() {
    let (home, id) = recorded(&balance());
    let endpoint = FaultyEndpoint::http(|request| CHAIN.reply(request)).unwrap();
    let chain = format!("1337={}", endpoint.url());
    let arguments = ["evidence", "recheck", &id, "--chain", &chain, "--json"];
    let policy = |text: &str| fs::write(home.path().join("deedbox.toml"), text).unwrap();
    policy(&format!(
        "[policy]\naddresses = {{ deny = [\"{HOLDER}\"] }}\n"
    ));
    let refused = home.run(&arguments).expect(1);
    assert_eq!(refused.error()["code"], "policy_refused");
    assert_eq!(endpoint.requests(), 0);
    // Nothing is recorded for a task, so none has to be named.
    policy("[policy]\ntask_required = true\n");
    assert_eq!(home.run(&arguments).expect(0).json()["outcome"], "same");
}

#[test]
fn a_chain_that_denies_what_was_recorded_contradicts_it() {
    let token = "0x2222222222222222222222222222222222222222";
    let mut of_token = reading(&json!({"raw_amount": "42", "decimals": 18}));
    of_token["tool"] = "get_erc20_balance".into();
    of_token["arguments"]["token"] = token.into();
    let (home, id) = recorded_reading(of_token);
    // At the same block, there is no code.
    let endpoint = FaultyEndpoint::http(|request| {
        Reply::each(request, |call| match call.method.as_str() {
            "eth_getCode" | "eth_call" => Ok(json!("0x")),
            _ => CHAIN.answer(call),
        })
    })
    .unwrap();
    let chain = format!("1337={}", endpoint.url());
    let done = home.run(&["evidence", "recheck", &id, "--chain", &chain, "--json"]);
    let report = done.expect(1).json();
    assert_eq!(report["outcome"], "differs", "{report}");
    assert_eq!(report["error"]["code"], "not_a_contract", "{report}");
}

#[test]
fn differences_that_are_not_told_are_counted() {
    let mut data = balance();
    for number in 0..25 {
        data[format!("more_{number:02}")] = number.into();
    }
    let (home, id) = recorded(&data);
    let endpoint = FaultyEndpoint::http(|request| CHAIN.reply(request)).unwrap();
    let chain = format!("1337={}", endpoint.url());
    let recheck = ["evidence", "recheck", &id, "--chain", &chain];
    let report = home.run(&[&recheck[..], &["--json"]].concat()).expect(1);
    let report = report.json();
    assert_eq!(report["differences"].as_array().unwrap().len(), 20);
    assert_eq!(report["more_differences"], 5);
    let done = home.run(&recheck).expect(1);
    assert!(done.out.contains("and 5 more"), "{}", done.out);
}
