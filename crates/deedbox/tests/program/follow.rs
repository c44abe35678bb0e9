//! Following registries and pinning tools, against a real node: what is looked at, what is refused, and when there is an alarm.

use serde_json::json;

use crate::{
    common::Home,
    publishing::{Desk, OTHER},
};

/// ERC-1967: where a proxy keeps the address of its implementation.
const IMPLEMENTATION: &str = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

fn open_registry(desk: &Desk) -> String {
    desk.deploy(&["registry", "deploy", "open", "--registrar", "self"])
}

fn address(registry: &str) -> &str {
    registry.rsplit(':').next().unwrap()
}

#[test]
fn a_registry_is_followed_from_the_block_that_made_it_trusted_and_let_go() {
    let desk = Desk::new();
    desk.anvil.mine(20).unwrap();
    let registry = open_registry(&desk);
    let born = desk.anvil.height().unwrap();
    desk.anvil.mine(20).unwrap();

    // Nobody is there to ask, and nothing is recorded.
    let unasked = desk.run(&["registry", "add", &registry], &[]).expect(2);
    assert!(
        unasked.err.contains("an agent registry (ERC-8122)"),
        "{}",
        unasked.err
    );
    assert!(
        unasked.err.contains("nobody can change it"),
        "{}",
        unasked.err
    );
    assert!(unasked.err.contains("--yes"), "{}", unasked.err);
    let none = desk.home.json(&["registry", "list", "--all"]);
    assert_eq!(none, json!({"registries": []}));

    let add = ["registry", "add", &registry, "--label", "Ours", "--yes"];
    let added = desk.home.json(&add);
    assert_eq!(added["registry"], registry);
    assert_eq!(added["from_block"], born);
    assert_eq!(
        (&added["standard"], &added["trust"]),
        (&json!("erc8122"), &json!("known"))
    );
    let again = desk.run(&add, &[]).expect(1);
    assert!(again.err.contains("is followed already"), "{}", again.err);

    desk.home.json(&["registry", "trust", &registry, "trusted"]);
    let same = desk.run(&["registry", "trust", &registry, "trusted", "--json"], &[]);
    assert!(same.expect(1).err.contains("\"unchanged\""));
    let list = desk.run(&["registry", "list"], &[]).expect(0).out;
    let row = list.lines().find(|row| row.contains(&registry)).unwrap();
    assert!(row.contains("trusted") && row.contains("Ours"), "{list}");

    desk.home.json(&["registry", "remove", &registry]);
    let list = desk.home.json(&["registry", "list"]);
    assert_eq!(list["registries"], json!([]));
    let list = desk.home.json(&["registry", "list", "--all"]);
    assert_eq!(list["registries"][0]["followed"], false);
    desk.run(&["registry", "remove", &registry], &[]).expect(1);
    assert_eq!(desk.home.json(&["ledger", "check"])["sound"], true);
}

#[test]
fn whoever_begins_in_the_middle_of_a_registrys_life_is_warned() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    let born = desk.anvil.height().unwrap();
    desk.anvil.mine(5).unwrap();
    let add = |from: u64| {
        let from = from.to_string();
        let add = ["registry", "add", &registry, "--from-block", &from];
        let shown = desk.run(&add, &[]).expect(2).err;
        let added = desk.home.json(&[&add[..], &["--yes"]].concat());
        desk.home.json(&["registry", "remove", &registry]);
        (shown, added["warnings"].clone())
    };
    for from in [0, 1, born] {
        let (shown, warnings) = add(from);
        assert_eq!(warnings, json!([]), "from {from}");
        assert!(!shown.contains("Warning"), "{shown}");
    }
    for from in [born + 1, born + 3] {
        let (shown, warnings) = add(from);
        assert_eq!(warnings[0]["code"], "begins_in_the_middle", "from {from}");
        assert!(
            shown.contains("Warning: the contract stood there"),
            "{shown}"
        );
    }
}

#[test]
fn code_that_changed_is_an_alarm_until_somebody_accepts_it() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    let add = ["registry", "add", &registry, "--from-block", "1", "--yes"];
    assert_eq!(desk.home.json(&add)["from_block"], 1);
    let same = desk.home.json(&["registry", "show", &registry]);
    assert_eq!(same["changes"], json!([]));

    // What stood there leads somewhere else now.
    let word = format!("0x{}{}", "0".repeat(24), &OTHER[2..]);
    let params = json!([address(&registry), IMPLEMENTATION, word]);
    desk.anvil.rpc("anvil_setStorageAt", params).unwrap();
    desk.anvil.mine(1).unwrap();
    let alarm = desk.run(&["registry", "show", &registry], &[]).expect(1);
    assert!(
        alarm.out.contains("Its implementation is 0x7099"),
        "{}",
        alarm.out
    );
    assert!(
        alarm.out.contains("It is a proxy (ERC-1967)"),
        "{}",
        alarm.out
    );
    let accept = format!("registry accept-code {registry}");
    assert!(alarm.out.contains(&accept), "{}", alarm.out);
    let unasked = desk.run(&["registry", "accept-code", &registry], &[]);
    unasked.expect(2);
    desk.run(&["registry", "show", &registry], &[]).expect(1);

    let accepted = desk
        .home
        .json(&["registry", "accept-code", &registry, "--yes"]);
    assert_eq!(accepted["seen"]["implementation"], OTHER);
    desk.run(&["registry", "show", &registry], &[]).expect(0);
    let nothing = desk.run(&["registry", "accept-code", &registry, "--yes"], &[]);
    assert!(nothing.expect(1).err.contains("Nothing would change"));

    // And a contract that is gone.
    let params = json!([address(&registry), "0x"]);
    desk.anvil.rpc("anvil_setCode", params).unwrap();
    desk.anvil.mine(1).unwrap();
    let alarm = desk.run(&["registry", "show", &registry], &[]).expect(1);
    assert!(
        alarm.out.contains("There is no code any more"),
        "{}",
        alarm.out
    );
    let refused = desk.run(&["registry", "accept-code", &registry, "--yes"], &[]);
    assert!(refused.expect(1).err.contains("there is no code"));
    assert_eq!(desk.home.json(&["ledger", "check"])["sound"], true);
}

#[test]
fn what_is_no_registry_is_refused_and_said_what_it_is() {
    let desk = Desk::new();
    let predicate = desk.deploy(&["predicate", "deploy", "always-deny"]);
    let nobody = format!("eip155:31337:{OTHER}");
    let delegated = format!("eip155:31337:0x{}", "d1".repeat(20));
    let code = format!("0xef0100{}", &OTHER[2..]);
    let params = json!([address(&delegated), code]);
    desk.anvil.rpc("anvil_setCode", params).unwrap();
    desk.anvil.mine(1).unwrap();
    for (contract, says) in [
        (&predicate, "an access predicate"),
        (&nobody, "there is no code"),
        (&delegated, "EIP-7702"),
    ] {
        let refused = desk.run(&["registry", "add", contract, "--yes", "--json"], &[]);
        let error = refused.expect(1).err;
        assert!(
            error.contains("\"not_a_registry\"") && error.contains(says),
            "{error}"
        );
    }
    let none = desk.home.json(&["registry", "list", "--all"]);
    assert_eq!(none, json!({"registries": []}));
    desk.run(&["registry", "show", &predicate], &[]).expect(1);
}

#[test]
fn a_tool_is_pinned_in_a_registry_that_is_followed_and_stays_so() {
    let desk = Desk::new();
    let registry = desk.deploy(&["registry", "deploy", "tools"]);
    let tool = format!("7@{registry}");
    let hash = format!("0x{}", "ab".repeat(32));
    let pin = ["tool", "pin", &tool, "--hash", &hash];
    let refused = desk.run(&pin, &[]).expect(1);
    assert!(refused.err.contains("is not followed"), "{}", refused.err);
    desk.home.json(&["registry", "add", &registry, "--yes"]);
    assert_eq!(desk.home.json(&pin)["manifest_hash"], hash);
    // Nothing is registered under this number, so there is nothing to take the hash from.
    let unknown = desk.run(&["tool", "pin", &format!("8@{registry}"), "--json"], &[]);
    assert!(unknown.expect(1).err.contains("\"tool_not_found\""));
    desk.home.json(&["registry", "remove", &registry]);
    let pins = desk.home.json(&["tool", "pins"]);
    let kept = json!([{
        "registry": registry,
        "followed": false,
        "tool_id": "7",
        "manifest_hash": hash,
        "stands": null,
        "registered": null,
        "since_block": null,
    }]);
    assert_eq!(pins["pins"], kept);
    desk.home.json(&["tool", "unpin", &tool]);
    let gone = desk.run(&["tool", "unpin", &tool], &[]).expect(1);
    assert!(gone.err.contains("is not pinned"), "{}", gone.err);
    assert_eq!(desk.home.json(&["tool", "pins"]), json!({"pins": []}));
    assert_eq!(desk.home.json(&["ledger", "check"])["sound"], true);
}

#[test]
fn a_label_that_moves_what_stands_around_it_is_refused() {
    let home = Home::new();
    let registry = format!("eip155:31337:{OTHER}");
    for label in [
        "Ours\u{202e}sruo",
        "Ours\u{1b}[2J",
        "Ours\nTheirs",
        "\u{2028}",
        "a\u{2066}b",
    ] {
        let add = ["registry", "add", &registry, "--yes", "--label", label];
        let refused = home.run(&add).expect(2);
        assert!(
            refused.err.contains("--label: must not hold"),
            "{}",
            refused.err
        );
    }
    assert!(!home.database().exists());
    // What is only written in another direction, or of several code points, is nobody's trick.
    for label in ["مرحبا", "👩‍💻", "イールド"] {
        let add = ["registry", "add", &registry, "--yes", "--label", label];
        let refused = home.run(&add);
        assert!(!refused.err.contains("--label"), "{}", refused.err);
    }
}

#[test]
fn presets_need_no_database_and_name_their_chains() {
    let home = Home::new();
    let presets = home.json(&["registry", "presets"]);
    let tools = &presets["presets"][0];
    assert_eq!(tools["name"], "public-tools");
    assert_eq!(tools["chains"], json!([1, 8453, 360, 2741, 143, 4663]));
    assert_eq!(tools["predicates"].as_array().unwrap().len(), 5);
    let chain = home.run(&["registry", "trust", "public-tools", "blocked"]);
    assert!(chain.expect(2).err.contains("--chain-id"));
}
