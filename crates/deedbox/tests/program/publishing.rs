//! Commands that change a chain, against a real node: each goes the whole way, and nothing is signed that was not confirmed.

use std::{fs, path::Path};

use deedbox_neighbours::anvil::Anvil;
use serde_json::{Value, json};

use crate::{
    accounts::{ACCOUNT, KEY, PASSWORD, file, holds_key, with_account},
    common::{Done, Home},
};

/// The second well-known account and its key.
pub(crate) const OTHER: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const OTHER_KEY: &str = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

/// A node, and a home whose keystore `me` is the first account of it.
pub(crate) struct Desk {
    pub(crate) anvil: Anvil,
    pub(crate) home: Home,
    password: Option<String>,
    said: std::cell::RefCell<String>,
}

impl Desk {
    /// Signs with the first account's key in the environment.
    pub(crate) fn new() -> Self {
        Self::of(Home::new(), None)
    }

    /// Signs with the first account's key in a keystore. Each opening of it takes a second.
    pub(crate) fn with_keystore() -> Self {
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
    pub(crate) fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Done {
        let logged = [arguments, &["--log-filter", "trace"]].concat();
        let done = self.home.run_with(&logged, variables, "");
        let mut said = self.said.borrow_mut();
        said.push_str(&done.out);
        said.push_str(&done.err);
        done
    }

    /// Signed by the first account, without a question.
    pub(crate) fn sign(&self, arguments: &[&str]) -> Done {
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
    pub(crate) fn publish(&self, arguments: &[&str]) -> Value {
        let done = self.sign(arguments).expect(0);
        let value = done.json();
        let settled = &value["settlement"];
        assert_eq!(settled["outcome"], "included", "{value}");
        assert_eq!(settled["read_back"], "matches", "{value}");
        value
    }

    /// By the second account.
    pub(crate) fn as_other(&self, arguments: &[&str]) -> Done {
        let how = ["--yes", "--json"];
        self.run(
            &[arguments, &how].concat(),
            &[("DEEDBOX_PRIVATE_KEY", OTHER_KEY)],
        )
    }

    pub(crate) fn deploy(&self, arguments: &[&str]) -> String {
        let deploy = [arguments, &["--chain-id", "31337"]].concat();
        let value = self.publish(&deploy);
        value["names"]["contract"]["caip10"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub(crate) fn nonce(&self, account: &str) -> Value {
        let params = json!([account, "pending"]);
        self.anvil.rpc("eth_getTransactionCount", params).unwrap()
    }

    /// No secret is in anything that was printed or logged, nor in any file of the data folder.
    pub(crate) fn is_discreet(&self) {
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
    // What whoever signs with another wallet has to know is shown as to everybody else.
    assert!(text.out.contains("What will change"), "{}", text.out);
    assert!(text.out.contains("costs"), "{}", text.out);
    // And that a wallet of several owners may not be able to do this.
    assert!(text.out.contains("cannot create contracts"), "{}", text.out);
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
        .expect(2);
    assert!(done.err.contains("the password is wrong"), "{}", done.err);
    // It is told before anything is asked of a chain, or shown.
    assert!(!done.err.contains("simulated"), "{}", done.err);
    assert!(!done.err.contains("not the password"));
    assert_eq!(desk.nonce(ACCOUNT), "0x0");
    let list = desk.home.json(&["publication", "list"]);
    assert_eq!(list["publications"], json!([]));
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
    for signs in [
        &["--keystore", "me"][..],
        &["--prompt-key"],
        &["--from", ACCOUNT],
    ] {
        let refused = desk
            .run(&[&["publication", "resume", &id][..], signs].concat(), &[])
            .expect(2);
        let said = format!("{}: nothing is signed", signs[0]);
        assert!(refused.err.contains(&said), "{}", refused.err);
    }
    let unknown = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";
    desk.run(&["publication", "resume", unknown], &[]).expect(1);
}

#[cfg(unix)]
#[test]
fn who_stops_the_waiting_is_told_how_to_go_on() {
    use std::{
        io::{BufRead as _, BufReader, Read as _},
        process::{Command, Stdio},
    };

    let desk = Desk::new();
    desk.anvil.rpc("evm_setAutomine", json!([false])).unwrap();
    let deploy = ["registry", "deploy", "tools", "--chain-id", "31337"];
    let mut child = desk
        .home
        .command(&[&deploy[..], &["--yes", "--json"]].concat())
        .env("DEEDBOX_PRIVATE_KEY", KEY)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("✓ sent") {
        assert_ne!(err.read_line(&mut said).unwrap(), 0, "{said}");
    }
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", "INT", &pid]).status();
    assert!(sent.unwrap().success());
    err.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4), "{said}");
    let error: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(error["code"], "interrupted", "{said}");

    desk.anvil.mine(1).unwrap();
    let id = error["publication_id"].as_str().unwrap();
    let resumed = desk.run(&["publication", "resume", id, "--json"], &[]);
    assert_eq!(
        resumed.expect(0).json()["settlement"]["read_back"],
        "matches"
    );
    let open = desk.run(&["publication", "list", "--open"], &[]).expect(0);
    assert!(open.out.contains("Nothing is open"), "{}", open.out);
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

#[test]
fn what_was_done_before_a_failure_is_printed_all_the_same() {
    let desk = Desk::new();
    let registry = desk.deploy(&["registry", "deploy", "open", "--registrar", "self"]);
    // 10 kB cost some 7 million gas; at a wei for each, and this limit, only the first is cheap enough.
    let long = file(&desk.home, "long.txt", &"x".repeat(10_000));
    let done = desk
        .sign(&[
            "registry",
            "set",
            &registry,
            "name=Ours",
            &format!("description=@{long}"),
            "image=ipfs://bafy",
            "--max-fee",
            "0.002",
        ])
        .expect(1);
    assert!(
        done.err.contains("1 of 3 done: publication "),
        "{}",
        done.err
    );
    assert_eq!(done.error()["code"], "fee_above_limit");
    let stands = done.json();
    assert_eq!(stands.as_array().unwrap().len(), 1, "{stands}");
    assert_eq!(stands[0]["settlement"]["read_back"], "matches");
    assert_eq!(desk.nonce(ACCOUNT), "0x2");
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

    // The password is asked for after the yes, and not before; who mistypes it may type it again.
    let answers = [
        ("[y/N]", "y"),
        ("Password of ", "not the password"),
        ("The password is wrong", ""),
        ("Password of ", PASSWORD),
    ];
    let done = on_a_terminal(&desk.home, deploy, &answers).expect(0);
    assert!(!done.out.contains("not the password"), "{}", done.out);
    assert!(!done.out.contains(PASSWORD), "{}", done.out);
    assert!(
        done.out.contains("read back from the chain"),
        "{}",
        done.out
    );
    assert_eq!(desk.nonce(ACCOUNT), "0x1");
}

#[test]
fn what_looks_like_a_key_in_a_file_is_warned_of_and_a_new_agent_removes_nothing() {
    let desk = Desk::new();
    let registry = desk.deploy(&["registry", "deploy", "open", "--registrar", "self"]);
    let dry = ["--from", ACCOUNT, "--dry-run"];
    // A digest of somebody: nobody can tell it from a key.
    let digest = "9f".repeat(32);
    let text = format!("sealed as 0x{digest}, see there");
    let value = crate::accounts::file(&desk.home, "about.txt", &text);
    let batch = json!([{"name": "A"}, {"name": "B", "description": text}]).to_string();
    let batch = crate::accounts::file(&desk.home, "agents.json", &batch);
    let value = format!("description=@{value}");
    for command in [
        &["agent", "register", &registry, "name=A", &value][..],
        &["agent", "register-batch", &registry, &batch],
        &["registry", "set", &registry, &value],
    ] {
        let done = desk.run(&[command, &dry].concat(), &[]).expect(0);
        let shown = format!("{}{}", done.out, done.err);
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            shown.contains("! ") && shown.contains("digits, as a private key has them"),
            "{shown}"
        );
    }
    let register = ["agent", "register", &registry, "name=A", "image="];
    let done = desk.run(&[&register[..], &dry].concat(), &[]).expect(2);
    assert!(done.err.contains("image has no value"), "{}", done.err);
}
