//! The lives of agents, tools, registries and predicates, against a real node.

use std::fs;

use deedbox_neighbours::{
    certificate::Certificate,
    https::{Answer, HttpsServer},
};
use serde_json::json;

use crate::{
    accounts::{ACCOUNT, file},
    publishing::{Desk, OTHER},
};

#[test]
fn an_agents_life_from_the_registry_to_the_next_owner() {
    let desk = Desk::new();
    let registry = desk.deploy(&[
        "registry",
        "deploy",
        "open",
        "--registrar",
        "self",
        "--set",
        "name=Ours",
    ]);
    let described = desk.home.json(&["registry", "describe", &registry]);
    assert_eq!(described["kind"], "agent_registry");
    assert_eq!(described["known_as"], "OpenAgentRegistry");
    let sentences = described["judgement"].to_string();
    assert!(sentences.contains("nobody can change it"), "{sentences}");

    let set = desk.sign(&[
        "registry",
        "set",
        &registry,
        "description=Agents of ours",
        "image=ipfs://bafy",
    ]);
    let set = set.expect(0).json();
    assert_eq!(set.as_array().unwrap().len(), 2);

    let value = desk.publish(&[
        "agent",
        "register",
        &registry,
        "name=イールド最適化",
        "service_type=mcp",
        "service=https://yield.example/mcp",
        &format!("agent_account={OTHER}"),
    ]);
    let agent = value["names"]["agents"][0].as_str().unwrap().to_owned();
    assert!(agent.starts_with("1@0x0001"), "{agent}");

    let batch = file(
        &desk.home,
        "agents.csv",
        &format!("owner,name\n{OTHER},A\n,B\n"),
    );
    let value = desk.publish(&["agent", "register-batch", &registry, &batch]);
    assert_eq!(value["names"]["agents"].as_array().unwrap().len(), 2);
    assert_eq!(
        value["settlement"]["created"]["agent_ids"],
        json!(["2", "3"])
    );

    desk.publish(&[
        "agent",
        "set",
        &agent,
        "service_type=a2a",
        "service=https://yield.example/a2a",
    ]);
    desk.publish(&["agent", "approve", "spender", &agent, OTHER]);
    desk.publish(&["agent", "approve", "spender", &agent, OTHER, "--revoke"]);
    desk.publish(&["agent", "approve", "operator", &registry, OTHER]);
    // The operator acts for the owner.
    let set = desk
        .as_other(&["agent", "set", &agent, "description=By the operator"])
        .expect(0);
    assert_eq!(set.json()["settlement"]["read_back"], "matches");
    desk.publish(&["agent", "approve", "operator", &registry, OTHER, "--revoke"]);
    let refused = desk
        .as_other(&["agent", "set", &agent, "description=No longer"])
        .expect(1);
    assert!(
        refused.err.contains("not_allowed") || refused.err.contains("would_revert"),
        "{}",
        refused.err
    );

    desk.publish(&["agent", "transfer", &agent, OTHER]);
    let refused = desk
        .sign(&["agent", "set", &agent, "name=Not mine"])
        .expect(1);
    assert_eq!(refused.out, "");

    assert_eq!(desk.home.json(&["ledger", "check"])["sound"], true);
    desk.is_discreet();
}

#[test]
fn the_registrars_role_is_handed_over_and_ended_for_ever() {
    let desk = Desk::new();
    let registry = desk.deploy(&["registry", "deploy", "open", "--registrar", "self"]);
    desk.publish(&["registry", "registrar", "nominate", &registry, OTHER]);
    desk.as_other(&["registry", "registrar", "accept", &registry])
        .expect(0);
    // For ever: --yes is not enough.
    let refused = desk
        .as_other(&["registry", "registrar", "renounce", &registry])
        .expect(2);
    assert!(refused.err.contains("--yes-for-ever"), "{}", refused.err);
    desk.as_other(&[
        "registry",
        "registrar",
        "renounce",
        &registry,
        "--yes-for-ever",
    ])
    .expect(0);
    let described = desk.home.json(&["registry", "describe", &registry]);
    assert_eq!(described["registrar"], format!("0x{}", "0".repeat(40)));
    desk.is_discreet();
}

#[test]
fn only_the_registrar_admits_agents_and_the_supply_is_kept() {
    let desk = Desk::with_keystore();
    let curated = desk.deploy(&["registry", "deploy", "curated", "--registrar", "self"]);
    let refused = desk
        .as_other(&["agent", "register", &curated, "name=Uninvited"])
        .expect(1);
    assert!(!refused.err.is_empty());
    assert_eq!(desk.nonce(OTHER), "0x0");
    let nobody = [
        "registry",
        "deploy",
        "curated",
        "--registrar",
        "nobody",
        "--chain-id",
        "31337",
    ];
    let refused = desk.sign(&nobody).expect(2);
    assert!(
        refused.err.contains("somebody has to admit"),
        "{}",
        refused.err
    );

    let fixed = desk.deploy(&[
        "registry",
        "deploy",
        "fixed-supply",
        "--registrar",
        "self",
        "--max-supply",
        "1",
    ]);
    desk.publish(&["agent", "register", &fixed, "name=The only one"]);
    let refused = desk
        .sign(&["agent", "register", &fixed, "name=One too many"])
        .expect(1);
    assert!(refused.err.contains("no more, ever"), "{}", refused.err);
    desk.is_discreet();
}

/// A manifest that names the first account as its creator.
pub(crate) fn manifest(port: u16, version: &str) -> String {
    json!({
        "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
        "name": "weather", "description": "Says what the weather will be.",
        "endpoint": format!("https://localhost:{port}/weather"), "version": version,
        "inputs": {"type": "object"}, "outputs": {"type": "object"},
        "creatorAddress": ACCOUNT,
    })
    .to_string()
}

#[test]
fn a_tools_life_with_its_manifest_fetched_back() {
    let desk = Desk::new();
    let tools = desk.deploy(&["registry", "deploy", "tools"]);
    let deny = desk.deploy(&["predicate", "deploy", "always-deny"]);
    let server = HttpsServer::start(&Certificate::valid().unwrap(), |_| Answer::ok("")).unwrap();
    let port = server.port();
    let served = manifest(port, "1.0.0");
    let body = served.clone();
    server.script(move |_| Answer::ok(&body));
    let ca = file(&desk.home, "ca.pem", server.ca_pem().unwrap());
    let settings = desk.home.path().join("deedbox.toml");
    let mut text = fs::read_to_string(&settings).unwrap();
    text.push_str(&format!(
        "[fetch]\nallow = [\"127.0.0.0/8\", \"::1/128\"]\nca_file = \"{ca}\"\n"
    ));
    fs::write(&settings, text).unwrap();

    let uri = server.url("localhost", "/.well-known/ai-tool/weather.json");
    let local = file(&desk.home, "weather.json", &served);
    let value = desk.publish(&["tool", "publish", &tools, &local, "--metadata-uri", &uri]);
    let tool = value["names"]["tool"].as_str().unwrap().to_owned();
    assert!(tool.ends_with("/1"), "{tool}");

    // Another creator pays for nothing.
    let refused = desk
        .as_other(&["tool", "publish", &tools, &local, "--metadata-uri", &uri])
        .expect(1);
    assert!(refused.err.contains("manifest_refused"), "{}", refused.err);
    assert_eq!(desk.nonce(OTHER), "0x0");

    // What is served is not the file any more.
    let newer = file(&desk.home, "newer.json", &manifest(port, "1.1.0"));
    // Where it is served stands in the registry.
    let update = ["tool", "update", &tool, &newer];
    let refused = desk.sign(&update).expect(1);
    assert!(refused.err.contains("manifest_refused"), "{}", refused.err);
    let body = manifest(port, "1.1.0");
    server.script(move |_| Answer::ok(&body));
    desk.publish(&update);

    let lost = tool.replace("/1", "/99");
    let refused = desk.sign(&["tool", "update", &lost, &newer]).expect(1);
    assert!(refused.err.contains("--metadata-uri"), "{}", refused.err);

    // Only what denies everybody pauses.
    let refused = desk.sign(&["tool", "pause", &tool]).expect(2);
    assert!(
        refused.err.contains("always-deny --chain-id 31337"),
        "{}",
        refused.err
    );
    let list = desk.deploy(&["predicate", "deploy", "allowlist", "--registry", &tools]);
    let pause = ["tool", "pause", &tool, "--predicate"];
    for other in [list.as_str(), OTHER] {
        let refused = desk.sign(&[&pause[..], &[other]].concat()).expect(1);
        assert!(
            refused.err.contains("is no AlwaysDenyPredicate"),
            "{}",
            refused.err
        );
    }
    desk.publish(&[&pause[..], &[&deny]].concat());
    desk.publish(&["tool", "set-predicate", &tool, "open"]);
    let refused = desk.sign(&["tool", "deregister", &tool]).expect(2);
    assert!(refused.err.contains("--yes-for-ever"), "{}", refused.err);
    desk.publish(&["tool", "deregister", &tool, "--yes-for-ever"]);
    let refused = desk
        .sign(&["tool", "pause", &tool, "--predicate", &deny])
        .expect(1);
    assert!(
        refused.err.contains("deregistered") || refused.err.contains("ToolIsDeregistered"),
        "{}",
        refused.err
    );
    desk.is_discreet();
}

#[test]
fn a_list_of_accounts_is_kept_by_the_tools_creator() {
    let desk = Desk::new();
    let tools = desk.deploy(&["registry", "deploy", "tools"]);
    let registry = tools.rsplit(':').next().unwrap().to_owned();
    let list = desk.deploy(&["predicate", "deploy", "allowlist", "--registry", &registry]);
    let refused = desk
        .sign(&["predicate", "allow", &list, OTHER, "--tool-id", "1"])
        .expect(1);
    assert!(!refused.err.is_empty());
    let all = desk.deploy(&[
        "predicate",
        "deploy",
        "composite",
        "--caller",
        &registry,
        "--logic",
        "all",
        "--term",
        list.rsplit(':').next().unwrap(),
    ]);
    let described = desk
        .run(&["registry", "describe", &all, "--json"], &[])
        .expect(1)
        .json();
    assert_eq!(described["kind"], "access_predicate");
}
