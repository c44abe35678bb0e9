//! What an index that was read from a chain adds to answers: accounts that may act for an owner, whether a pinned manifest is still the registered
//! one, and what was said before.

use deedbox_neighbours::https::Answer;
use serde_json::{Value, json};

use crate::{
    accounts::ACCOUNT,
    asking::Shop,
    publishing::{Desk, OTHER},
    registries::manifest,
};

const THIRD: &str = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";

/// Which accounts were asked about without being named, and what the chain says of each.
fn known_spenders(answer: &Value) -> (Vec<&str>, Vec<(&str, bool)>) {
    let asked = answer["provenance"]["known_spenders"]["asked"].as_array();
    let asked = asked.into_iter().flatten();
    let spenders = answer["data"]["control"]["spenders"].as_array();
    let spenders = spenders.into_iter().flatten();
    let may = |one: &'_ Value| one["may_act"].as_bool().unwrap();
    (
        asked.map(|one| one.as_str().unwrap()).collect(),
        spenders
            .map(|one| (one["address"].as_str().unwrap(), may(one)))
            .collect(),
    )
}

#[test]
fn who_was_allowed_something_is_asked_about_as_far_as_the_chain_is_read() {
    let desk = Desk::new();
    let registry = desk.deploy(&["registry", "deploy", "open", "--registrar", "self"]);
    let value = desk.publish(&["agent", "register", &registry, "name=Weather"]);
    let agent = value["names"]["agents"][0].as_str().unwrap().to_owned();
    let resolve = ["agent", "resolve", &agent];
    desk.publish(&["agent", "approve", "spender", &agent, OTHER]);
    desk.publish(&["agent", "approve", "operator", &registry, THIRD]);
    let unread = desk.home.json(&resolve);
    assert_eq!(unread["provenance"]["known_spenders"], Value::Null);

    desk.home.json(&["registry", "add", &registry, "--yes"]);
    desk.home.json(&["registry", "sync"]);
    let height = desk.anvil.height().unwrap();
    let read = desk.home.json(&resolve);
    let (asked, may) = known_spenders(&read);
    assert_eq!(asked, [THIRD, OTHER]);
    assert_eq!(may, [(THIRD, true), (OTHER, true)]);
    assert_eq!(read["provenance"]["known_spenders"]["as_of_block"], height);
    let shown = desk.home.run(&resolve).expect(0).out;
    assert!(shown.contains("2 accounts were asked about"), "{shown}");

    // The index is behind: the chain is asked all the same, and says no.
    desk.publish(&["agent", "approve", "spender", &agent, OTHER, "--revoke"]);
    let behind = desk.home.json(&resolve);
    assert_eq!(known_spenders(&behind).1, [(THIRD, true), (OTHER, false)]);
    desk.home.json(&["registry", "sync"]);
    let again = desk.home.json(&resolve);
    assert_eq!(known_spenders(&again).1, [(THIRD, true)]);
    // What the owner before allowed is not what the next one allows.
    desk.publish(&["agent", "transfer", &agent, OTHER]);
    desk.home.json(&["registry", "sync"]);
    let moved = desk.home.json(&resolve);
    assert_eq!(known_spenders(&moved).1, []);

    let history = desk.home.json(&["agent", "history", &agent]);
    let records = history["records"].as_array().unwrap();
    let said: Vec<_> = records
        .iter()
        .map(|one| one["what"].as_str().unwrap())
        .collect();
    // Newest first. That somebody is an operator is said of no agent.
    let expected = [
        "owner",
        "allowance",
        "allowance",
        "metadata",
        "agent_registered",
        "owner",
    ];
    assert_eq!(said[..3], expected[..3], "{said:?}");
    assert_eq!(records[0]["from"], json!(ACCOUNT.to_lowercase()));
    assert_eq!(records[0]["to"], OTHER);
    assert_eq!(
        (&records[1]["amount"], &records[2]["amount"]),
        (&json!("0"), &json!("1"))
    );
    assert!(said.contains(&"metadata"), "{said:?}");
}

#[test]
fn another_manifest_than_the_pinned_one_is_told_by_every_answer_about_the_tool() {
    let shop = Shop::open();
    let (home, tool) = (&shop.desk.home, shop.tool.as_str());
    home.json(&["registry", "add", &shop.tools, "--yes"]);
    home.json(&["tool", "pin", tool]);
    home.json(&["registry", "sync"]);
    let verify = ["tool", "verify", tool];
    let same = home.json(&verify);
    let pinned = same["provenance"]["pin"].clone();
    assert_eq!(pinned["stands"], "same");
    assert_eq!(
        pinned["manifest_hash"],
        same["data"]["registration"]["manifest_hash"]
    );

    let newer = manifest(shop.server.port(), "2.0.0");
    shop.server.script(move |_| Answer::ok(&newer));
    shop.desk.publish(&["tool", "update", tool]);
    let block = shop.desk.anvil.height().unwrap();
    let differs = home.json(&verify);
    assert_eq!(differs["data"]["verified"], true);
    assert_eq!(differs["provenance"]["pin"]["stands"], "differs");
    assert_eq!(
        differs["provenance"]["pin"]["manifest_hash"],
        pinned["manifest_hash"]
    );
    let shown = home.run(&verify).expect(0).out;
    assert!(shown.contains("ANOTHER MANIFEST"), "{shown}");

    home.json(&["registry", "sync"]);
    // The index knows it now, and who verifies is heard: both manifests are kept.
    home.json(&verify);
    let pins = home.json(&["tool", "pins"]);
    assert_eq!(pins["pins"][0]["stands"], "changed");
    assert_eq!(pins["pins"][0]["since_block"], block);
    let found = home.json(&["tool", "find", "weather"]);
    assert_eq!(found["tools"][0]["pin"], "differs");
    let history = home.json(&["tool", "history", tool]);
    let records = history["records"].as_array().unwrap();
    assert_eq!(records.len(), 2, "{history:#}");
    assert_eq!(records[0]["what"], "manifest");
    let changes = records[0]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0]["field"]["text"], "version");
    let versions = [&changes[0]["before"]["text"], &changes[0]["after"]["text"]];
    assert_eq!(versions, ["\"1.0.0\"", "\"2.0.0\""]);
    assert_eq!(home.json(&["ledger", "check"])["sound"], true);
}
