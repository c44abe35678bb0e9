//! Changes that are stopped, or get stuck, before they are done: what was done is said, and how to go on.

use std::{
    io::{BufReader, Read as _},
    process::{Child, Command, Stdio},
    sync::Arc,
};

use deedbox_neighbours::rpc::{FaultyEndpoint, Reply, Request, error};
use serde_json::{Value, json};

use crate::{
    accounts::{ACCOUNT, KEY},
    common::Done,
    publishing::Desk,
};

/// The settlement of something that was resumed and came to be.
fn settlement(done: Done) -> Value {
    let settlement = done.expect(0).json()["settlement"].clone();
    assert_eq!(settlement["outcome"], "included", "{settlement}");
    assert_eq!(settlement["read_back"], "matches", "{settlement}");
    settlement
}

/// The id in the error that a publication which is not settled ends with.
fn open(done: Done, code: &str) -> String {
    let error = done.expect(4).error();
    assert_eq!(error["code"], code, "{error}");
    error["publication_id"].as_str().unwrap().to_owned()
}

/// Reads on until so many transactions were sent.
fn await_sent(err: &mut impl std::io::BufRead, said: &mut String, count: usize) {
    while said.matches("✓ sent").count() < count {
        assert_ne!(err.read_line(said).unwrap(), 0, "{said}");
    }
}

fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", "INT", &pid]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn who_stops_the_second_of_two_changes_is_told_of_both() {
    let desk = Desk::new();
    let registry = desk.deploy(&["registry", "deploy", "open", "--registrar", "self"]);
    desk.anvil.mine_at_once(false).unwrap();
    let set = ["registry", "set", &registry, "name=Ours", "image=ipfs://b"];
    let mut child = desk
        .home
        .command(&[&set[..], &["--yes", "--json"]].concat())
        .env("DEEDBOX_PRIVATE_KEY", KEY)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    await_sent(&mut err, &mut said, 1);
    desk.anvil.mine(1).unwrap();
    await_sent(&mut err, &mut said, 2);
    interrupt(&child);
    err.read_to_string(&mut said).unwrap();
    let mut out = String::new();
    let mut from = child.stdout.take().unwrap();
    from.read_to_string(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4), "{said}");

    let stands: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(stands.as_array().unwrap().len(), 1, "{stands}");
    let first = stands[0]["publication_id"].as_str().unwrap();
    assert!(
        said.contains(&format!("1 of 2 done: publication {first}. ")),
        "{said}"
    );
    let error: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(error["code"], "interrupted");
    let second = error["publication_id"].as_str().unwrap();
    let text = error["error"].as_str().unwrap();
    assert!(text.contains("is sent, and may take effect"), "{text}");
    assert!(
        text.contains(&format!("deedbox publication resume {second}")),
        "{text}"
    );

    desk.anvil.mine(1).unwrap();
    settlement(desk.run(&["publication", "resume", second, "--json"], &[]));
    assert_eq!(desk.nonce(ACCOUNT), "0x3");
}

#[cfg(target_os = "linux")]
#[test]
fn who_stops_at_the_second_question_is_told_what_was_done() {
    use crate::accounts::{PASSWORD, on_a_terminal};

    let desk = Desk::with_keystore();
    let registry = desk.deploy(&["registry", "deploy", "open", "--registrar", "self"]);
    let set = format!("registry set {registry} name=Ours image=ipfs://b --keystore me");
    let control_c = "\u{3}";
    let answers = [
        ("[y/N]", "y"),
        ("Password of ", PASSWORD),
        ("[y/N]", control_c),
    ];
    let done = on_a_terminal(&desk.home, &set, &answers).expect(1);
    assert!(
        done.out.contains("1 of 2 done: publication "),
        "{}",
        done.out
    );
    assert!(done.out.contains("not confirmed"), "{}", done.out);
    assert_eq!(desk.nonce(ACCOUNT), "0x2");
}

#[test]
fn what_offers_too_little_is_stuck_until_it_offers_more() {
    let desk = Desk::new();
    desk.anvil.mine_at_once(false).unwrap();
    let deploy = ["registry", "deploy", "tools", "--chain-id", "31337"];
    let done = desk.sign(&[&deploy[..], &["--wait", "1s"]].concat());
    assert!(done.err.contains("--raise-fee"), "{}", done.err);
    let id = open(done, "not_yet");

    // From now on a block takes nothing that offers so little: 10 gwei, and then an eighth less.
    let dear = json!(["0x2540be400"]);
    let next = "anvil_setNextBlockBaseFeePerGas";
    desk.anvil.rpc(next, dear).unwrap();
    desk.anvil.mine(1).unwrap();
    let resume = ["publication", "resume", &id, "--json", "--wait", "1s"];
    let done = desk.run(&resume, &[]);
    assert!(done.err.contains("lower than the base fee"), "{}", done.err);
    let advised = format!("deedbox publication resume {id}");
    assert!(done.err.contains(&advised), "{}", done.err);
    assert_eq!(open(done, "not_taken"), id);

    // Who raises has to sign, and so to be named; nobody else's key will do.
    let raise = [&resume[..], &["--raise-fee"]].concat();
    let done = desk.run(&raise, &[]).expect(2);
    assert_eq!(done.error()["code"], "no_signer");
    let raise = &["publication", "resume", &id, "--raise-fee", "--wait", "1s"];
    let done = desk.as_other(raise).expect(1);
    assert_eq!(done.error()["code"], "wrong_signature");

    assert_eq!(open(desk.sign(raise), "not_yet"), id);
    let shown = desk.home.json(&["publication", "show", &id]);
    let attempts = shown["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2, "{shown}");

    desk.anvil.mine(1).unwrap();
    let settled = settlement(desk.run(&resume, &[]));
    assert_eq!(settled["transaction_hash"], attempts[1]);
    assert_eq!(desk.nonce(ACCOUNT), "0x1");
}

#[test]
fn who_is_refused_as_underpriced_twice_goes_on_when_somebody_takes_it() {
    let desk = Desk::new();
    let node = Arc::new(deedbox_neighbours::anvil::Anvil::start().unwrap());
    let behind = Arc::clone(&node);
    // A node that keeps nothing that offers so little.
    let endpoint = FaultyEndpoint::http(move |request: &Request| {
        Reply::each(request, |call| match call.method.as_str() {
            "eth_sendRawTransaction" => Err(error(-32000, "transaction underpriced")),
            method => behind.ask(method, call.params.clone()).unwrap(),
        })
    })
    .unwrap();
    let strict = format!("31337={}", endpoint.url());
    let strict = ["--chain", &strict];
    let deploy = ["registry", "deploy", "tools", "--chain-id", "31337"];
    let done = desk.sign(&[&deploy[..], &strict].concat());
    assert!(done.err.contains("--raise-fee"), "{}", done.err);
    let id = open(done, "not_taken");
    let resume = ["publication", "resume", &id];
    let done = desk.sign(&[&resume[..], &strict, &["--raise-fee"]].concat());
    assert_eq!(open(done, "not_taken"), id);

    let shown = desk.home.json(&["publication", "show", &id]);
    assert_eq!(shown["status"], "open");
    let attempts = shown["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2, "{shown}");
    let count = json!([ACCOUNT, "pending"]);
    assert_eq!(node.rpc("eth_getTransactionCount", count).unwrap(), "0x0");

    // A node that takes it gets the newest of them.
    let lenient = format!("31337={}", node.url());
    let done = desk.run(
        &[&resume[..], &["--json", "--chain", &lenient]].concat(),
        &[],
    );
    assert_eq!(settlement(done)["transaction_hash"], attempts[1]);
}

#[test]
fn of_two_who_raise_a_fee_at_once_the_later_is_told_that_the_other_was_recorded() {
    let desk = Desk::new();
    let node = Arc::new(deedbox_neighbours::anvil::Anvil::start().unwrap());
    node.mine_at_once(false).unwrap();
    let direct = format!("31337={}", node.url());
    let direct = ["--chain", &direct, "--wait", "1s"];
    let deploy = ["registry", "deploy", "tools", "--chain-id", "31337"];
    let id = open(desk.sign(&[&deploy[..], &direct].concat()), "not_yet");
    let raise = ["publication", "resume", &id, "--raise-fee"];

    // While the later one asks for prices, the other signs, records and sends.
    let mut other = desk
        .home
        .command(&[&raise[..], &["--yes"], &direct].concat());
    other.env("DEEDBOX_PRIVATE_KEY", KEY);
    let other = std::sync::Mutex::new(Some(other));
    let endpoint = FaultyEndpoint::http(move |request: &Request| {
        Reply::each(request, |call| {
            if ["eth_feeHistory", "eth_gasPrice"].contains(&call.method.as_str())
                && let Some(mut other) = other.lock().unwrap().take()
            {
                assert_eq!(other.output().unwrap().status.code(), Some(4));
            }
            node.ask(&call.method, call.params.clone()).unwrap()
        })
    })
    .unwrap();
    let between = format!("31337={}", endpoint.url());
    let done = desk.sign(&[&raise[..], &["--chain", &between]].concat());
    assert!(done.err.contains("was recorded meanwhile"), "{}", done.err);
    assert!(!done.err.contains("wei are too few"), "{}", done.err);
    let resume = format!("deedbox publication resume {id}");
    assert!(done.err.contains(&resume), "{}", done.err);
    assert_eq!(open(done, "another_attempt"), id);
    let shown = desk.home.json(&["publication", "show", &id]);
    assert_eq!(shown["attempts"].as_array().unwrap().len(), 2, "{shown}");
}
