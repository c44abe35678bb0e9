//! Commands that change a chain, against a real node: each goes the whole way, and nothing is signed that was not confirmed.

use std::{fs, path::Path};

use deedbox_neighbours::{
    anvil::Anvil,
    certificate::Certificate,
    https::{Answer, HttpsServer},
};
use serde_json::{Value, json};

use crate::{
    accounts::{ACCOUNT, KEY, PASSWORD, file, holds_key, with_account},
    common::{Done, Home},
};

/// The second well-known account and its key.
const OTHER: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const OTHER_KEY: &str = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

/// A node, and a home whose keystore `me` is the first account of it.
struct Desk {
    anvil: Anvil,
    home: Home,
    password: Option<String>,
    said: std::cell::RefCell<String>,
}

impl Desk {
    /// Signs with the first account's key in the environment.
    fn new() -> Self {
        Self::of(Home::new(), None)
    }

    /// Signs with the first account's key in a keystore. Each opening of it takes a second.
    fn with_keystore() -> Self {
        let (home, password) = with_account();
        Self::of(home, Some(password))
    }

    fn of(home: Home, password: Option<String>) -> Self {
        let anvil = Anvil::start().unwrap();
        let file = format!(
            "chains = [\"31337={}\"]\n[publish]\nwait = \"30s\"\n",
            anvil.url()
        );
        fs::write(home.path().join("deedbox.toml"), file).unwrap();
        Self {
            anvil,
            home,
            password,
            said: std::cell::RefCell::default(),
        }
    }

    /// With everything that is logged, so that a secret in a log is found.
    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Done {
        let logged = [arguments, &["--log-filter", "trace"]].concat();
        let done = self.home.run_with(&logged, variables, "");
        let mut said = self.said.borrow_mut();
        said.push_str(&done.out);
        said.push_str(&done.err);
        done
    }

    /// Signed by the first account, without a question.
    fn sign(&self, arguments: &[&str]) -> Done {
        let Some(password) = &self.password else {
            let how = ["--yes", "--json"];
            return self.run(&[arguments, &how].concat(), &[("DEEDBOX_PRIVATE_KEY", KEY)]);
        };
        let how = [
            "--keystore",
            "me",
            "--password-file",
            password,
            "--yes",
            "--json",
        ];
        self.run(&[arguments, &how].concat(), &[])
    }

    /// The same, of which something has to come.
    fn publish(&self, arguments: &[&str]) -> Value {
        let done = self.sign(arguments).expect(0);
        let value = done.json();
        let settled = &value["settlement"];
        assert_eq!(settled["outcome"], "included", "{value}");
        assert_eq!(settled["read_back"], "matches", "{value}");
        value
    }

    /// By the second account.
    fn as_other(&self, arguments: &[&str]) -> Done {
        let how = ["--yes", "--json"];
        self.run(
            &[arguments, &how].concat(),
            &[("DEEDBOX_PRIVATE_KEY", OTHER_KEY)],
        )
    }

    fn deploy(&self, arguments: &[&str]) -> String {
        let deploy = [arguments, &["--chain-id", "31337"]].concat();
        let value = self.publish(&deploy);
        value["names"]["contract"]["caip10"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    fn nonce(&self, account: &str) -> Value {
        let params = json!([account, "pending"]);
        self.anvil.rpc("eth_getTransactionCount", params).unwrap()
    }

    /// No secret is in anything that was printed or logged, nor in any file of the data folder.
    fn is_discreet(&self) {
        let said = self.said.borrow();
        assert!(!holds_key(&said) && !said.contains(PASSWORD));
        assert!(!said.to_lowercase().contains(&OTHER_KEY[2..]));
        let mut files = 0;
        each_file(&self.home.path().join(".local"), &mut |bytes| {
            files += 1;
            let text = String::from_utf8_lossy(bytes);
            assert!(!holds_key(&text) && !text.contains(PASSWORD));
            let raw: Vec<u8> = (2..66)
                .step_by(2)
                .map(|at| u8::from_str_radix(&KEY[at..at + 2], 16).unwrap())
                .collect();
            assert!(!bytes.windows(32).any(|window| window == raw));
        });
        assert!(files >= 1);
    }
}

fn each_file(folder: &Path, look: &mut impl FnMut(&[u8])) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_file(&path, look);
        } else {
            look(&fs::read(&path).unwrap());
        }
    }
}

#[test]
fn a_dry_run_needs_no_key_signs_nothing_and_prints_what_a_multisig_sends() {
    let desk = Desk::new();
    let deploy = [
        "registry",
        "deploy",
        "tools",
        "--chain-id",
        "31337",
        "--from",
        OTHER,
        "--dry-run",
    ];
    let value = desk
        .run(&[&deploy[..], &["--json"]].concat(), &[])
        .expect(0)
        .json();
    let transaction = &value["transaction"];
    assert_eq!(value["dry_run"], true);
    assert_eq!(transaction["from"], OTHER);
    assert_eq!(transaction["to"], Value::Null);
    assert_eq!(transaction["value"], "0");
    let data = transaction["data"].as_str().unwrap();
    assert!(data.starts_with("0x60"), "{}", &data[..20]);
    assert_eq!(value["preview"]["chain_id"], 31337);
    // What is printed is what the chain takes.
    let sent = desk.anvil.create(data).unwrap();
    assert_eq!(sent["status"], "0x1");
    let before = desk.nonce(OTHER);
    let text = desk.run(&deploy, &[]).expect(0);
    assert!(
        text.out.contains("Nothing was signed") && text.out.contains(data),
        "{}",
        text.out
    );
    assert_eq!(desk.nonce(OTHER), before);
    let list = desk.home.json(&["publication", "list"]);
    assert_eq!(list["publications"], json!([]));
}

#[test]
fn without_a_terminal_and_without_yes_nothing_is_signed() {
    let desk = Desk::with_keystore();
    let deploy = [
        "registry",
        "deploy",
        "tools",
        "--chain-id",
        "31337",
        "--keystore",
        "me",
    ];
    let how = ["--password-file", desk.password.as_ref().unwrap(), "--json"];
    let done = desk.run(&[&deploy[..], &how].concat(), &[]).expect(2);
    let error = done.err.lines().last().unwrap();
    let error: Value = serde_json::from_str(error).unwrap();
    assert_eq!(error["code"], "unattended", "{}", done.err);
    assert!(error["error"].as_str().unwrap().contains("--yes"));
    assert_eq!(desk.nonce(ACCOUNT), "0x0");
}

#[test]
fn nobody_named_who_signs_is_told_of_every_way() {
    let desk = Desk::new();
    let done = desk
        .run(
            &[
                "registry",
                "deploy",
                "tools",
                "--chain-id",
                "31337",
                "--yes",
            ],
            &[],
        )
        .expect(2);
    for way in [
        "--keystore",
        "DEEDBOX_PRIVATE_KEY",
        "--prompt-key",
        "--dry-run",
    ] {
        assert!(done.err.contains(way), "{}", done.err);
    }
    let mismatch = [
        "registry",
        "deploy",
        "tools",
        "--chain-id",
        "31337",
        "--from",
        OTHER,
    ];
    let done = desk.sign(&mismatch).expect(2);
    assert!(done.err.contains("the key that would sign"), "{}", done.err);
}

#[test]
fn a_wrong_password_signs_nothing_and_is_not_repeated() {
    let desk = Desk::with_keystore();
    let wrong = file(&desk.home, "wrong.txt", "not the password");
    let deploy = [
        "registry",
        "deploy",
        "tools",
        "--chain-id",
        "31337",
        "--yes",
        "--keystore",
        "me",
    ];
    let done = desk
        .run(&[&deploy[..], &["--password-file", &wrong]].concat(), &[])
        .expect(1);
    assert!(done.err.contains("the password is wrong"), "{}", done.err);
    assert!(!done.err.contains("not the password"));
    assert_eq!(desk.nonce(ACCOUNT), "0x0");
    let list = desk.home.json(&["publication", "list"]);
    assert_eq!(list["publications"], json!([]));
}

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

    assert_eq!(desk.home.json(&["ledger", "check"])["sound"], true);
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
fn manifest(port: u16, version: &str) -> String {
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
    let deny = deny.rsplit(':').next().unwrap().to_owned();
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
    let update = ["tool", "update", &tool, &newer, "--metadata-uri", &uri];
    let refused = desk.sign(&update).expect(1);
    assert!(refused.err.contains("manifest_refused"), "{}", refused.err);
    let body = manifest(port, "1.1.0");
    server.script(move |_| Answer::ok(&body));
    desk.publish(&update);

    desk.publish(&["tool", "pause", &tool, "--predicate", &deny]);
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

#[test]
fn what_waits_too_long_stays_open_and_is_resumed_without_a_key() {
    let desk = Desk::new();
    desk.anvil.rpc("evm_setAutomine", json!([false])).unwrap();
    let deploy = [
        "registry",
        "deploy",
        "tools",
        "--chain-id",
        "31337",
        "--wait",
        "2s",
    ];
    let done = desk.sign(&deploy).expect(4);
    let error: Value = serde_json::from_str(done.err.lines().last().unwrap()).unwrap();
    assert_eq!(error["code"], "not_yet", "{}", done.err);
    let id = error["publication_id"].as_str().unwrap().to_owned();

    // Never a second one for the same account.
    let again = desk.sign(&deploy).expect(1);
    assert!(
        again.err.contains("publication_open") && again.err.contains(&id),
        "{}",
        again.err
    );
    assert_eq!(desk.nonce(ACCOUNT), "0x1");

    desk.anvil.mine(1).unwrap();
    let resumed = desk
        .run(&["publication", "resume", &id, "--json"], &[])
        .expect(0)
        .json();
    assert_eq!(resumed["settlement"]["read_back"], "matches");
    assert_eq!(desk.nonce(ACCOUNT), "0x1");
    let refused = desk
        .run(&["publication", "resume", &id, "--keystore", "me"], &[])
        .expect(2);
    assert!(refused.err.contains("nothing is signed"), "{}", refused.err);
    let unknown = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";
    desk.run(&["publication", "resume", unknown], &[]).expect(1);
}

#[test]
fn a_fee_above_the_limit_is_not_signed() {
    let desk = Desk::new();
    let deploy = [
        "registry",
        "deploy",
        "tools",
        "--chain-id",
        "31337",
        "--max-fee",
    ];
    let done = desk
        .sign(&[&deploy[..], &["0.000000001"]].concat())
        .expect(1);
    assert!(done.err.contains("fee_above_limit"), "{}", done.err);
    let done = desk.sign(&[&deploy[..], &["1e18"]].concat()).expect(2);
    assert!(done.err.contains("in decimal"), "{}", done.err);
    assert_eq!(desk.nonce(ACCOUNT), "0x0");
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_sees_the_preview_and_a_no_signs_nothing() {
    use crate::accounts::on_a_terminal;

    let desk = Desk::with_keystore();
    let deploy = "registry deploy tools --chain-id 31337 --keystore me";
    let done = on_a_terminal(&desk.home, deploy, &[("[y/N]", "n")]).expect(1);
    assert!(
        done.out.contains("What will change") && done.out.contains("31337"),
        "{}",
        done.out
    );
    assert!(done.out.contains("not confirmed"), "{}", done.out);
    assert_eq!(desk.nonce(ACCOUNT), "0x0");

    // The password is asked for after the yes, and not before.
    let answers = [("[y/N]", "y"), ("Password of ", PASSWORD)];
    let done = on_a_terminal(&desk.home, deploy, &answers).expect(0);
    assert!(!done.out.contains(PASSWORD), "{}", done.out);
    assert!(
        done.out.contains("read back from the chain"),
        "{}",
        done.out
    );
    assert_eq!(desk.nonce(ACCOUNT), "0x1");
}
