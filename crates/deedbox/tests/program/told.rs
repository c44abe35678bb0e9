//! What people are told around publishing: one clear error, which names what to change, and the names of what there is.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use deedbox_neighbours::{
    certificate::Certificate,
    rpc::{FaultyEndpoint, Reply, Request},
};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    accounts::{ACCOUNT, KEY, file, holds_key, with_account},
    common::{Home, redacted},
    publishing::{Desk, OTHER},
};

const SIGNS: [(&str, &str); 1] = [("DEEDBOX_PRIVATE_KEY", KEY)];

/// What a deployment on chain 1 says for people when this is its only endpoint. No log line is asked for.
fn on_an_endpoint(url: &str) -> String {
    let home = Home::new();
    let chain = format!("1={url}");
    let deploy = ["registry", "deploy", "tools", "--chain-id", "1", "--yes"];
    let done = home.run_with(&[&deploy[..], &["--chain", &chain]].concat(), &SIGNS, "");
    let done = done.expect(3);
    assert_eq!(done.out, "");
    redacted(&done.err, &home)
}

#[test]
fn an_endpoint_of_another_chain_is_one_error_that_names_the_setting() {
    let anvil = deedbox_neighbours::anvil::Anvil::start().unwrap();
    assert_snapshot!(on_an_endpoint(&anvil.url()), @"
    error: endpoint flag-e1 answers for chain 31337; the operator's configuration names the wrong endpoint
      Correct the URL, or the id that it stands under: --chain ID=URL, DEEDBOX_CHAINS, or [chains.ID] in deedbox.toml; `deedbox config show` says which of them counts.
    ");
}

#[test]
fn an_endpoint_that_is_not_there_is_one_error_that_names_the_setting() {
    assert_snapshot!(on_an_endpoint("http://127.0.0.1:9"), @"
    error: endpoint flag-e1 cannot be reached
      Check that it is up, and its URL: --chain ID=URL, DEEDBOX_CHAINS, or [[chains.ID.endpoints]] in deedbox.toml, where a certificate of your own is trusted with ca_file.
    ");
}

#[test]
fn an_endpoint_that_nobody_trusts_is_one_error_that_names_the_setting() {
    let silent = |_: &Request| Reply::close();
    let endpoint = FaultyEndpoint::https(Certificate::valid().unwrap(), silent).unwrap();
    assert_snapshot!(on_an_endpoint(&endpoint.url()), @"
    error: endpoint flag-e1 has no certificate that is trusted
      Check that it is up, and its URL: --chain ID=URL, DEEDBOX_CHAINS, or [[chains.ID.endpoints]] in deedbox.toml, where a certificate of your own is trusted with ca_file.
    ");
}

#[test]
fn who_cannot_pay_is_told_how_much_is_missing_and_on_a_development_chain_how_to_get_it() {
    let desk = Desk::new();
    desk.anvil
        .rpc("anvil_setBalance", json!([OTHER, "0x38d7ea4c68000"]))
        .unwrap();
    let deploy = ["registry", "deploy", "tools", "--chain-id", "31337"];
    let done = desk.as_other(&deploy).expect(1);
    let error = done.error();
    assert_eq!(error["code"], "cannot_pay");
    let text = error["error"].as_str().unwrap();
    assert!(
        text.contains("has 0.001 ETH (1000000000000000 wei) on chain 31337"),
        "{text}"
    );
    let amount = |before: &str| -> u128 {
        let rest = text.split_once(before).unwrap().1;
        let wei = rest.split_once('(').unwrap().1;
        wei.split_once(" wei)").unwrap().0.parse().unwrap()
    };
    let (needed, missing) = (amount("this may cost "), amount("Send it "));
    assert_eq!(needed - missing, 1_000_000_000_000_000);
    // Less than half would do at no price.
    assert!(needed > 2_000_000_000_000_000 && !text.contains("--max-fee"));

    // What the advice says works.
    let call = text.split_once("-d '").unwrap().1.split_once('\'').unwrap();
    let call: Value = serde_json::from_str(call.0).unwrap();
    let method = call["method"].as_str().unwrap();
    desk.anvil.rpc(method, call["params"].clone()).unwrap();
    desk.as_other(&deploy).expect(0);

    // With more than half, a lower price may do.
    let most = format!("{:#x}", needed * 3 / 4);
    desk.anvil
        .rpc("anvil_setBalance", json!([OTHER, most]))
        .unwrap();
    let error = desk.as_other(&deploy).expect(1).error();
    assert!(error["error"].as_str().unwrap().contains("--max-fee"));
}

#[test]
fn the_agents_of_a_batch_are_numbered_and_one_is_told_as_one() {
    let desk = Desk::new();
    let registry = desk.deploy(&["registry", "deploy", "open", "--registrar", "self"]);
    let changes = |csv: &str| {
        let batch = file(&desk.home, "agents.csv", csv);
        let register = ["agent", "register-batch", &registry, &batch];
        let dry = ["--from", ACCOUNT, "--dry-run"];
        let done = desk.home.run(&[&register[..], &dry].concat()).expect(0);
        let start = done.out.find("What will change").unwrap();
        let end = done.out.find("  chain ").unwrap();
        let lines = done.out[start..end].lines();
        let lines = lines.filter(|line| !line.starts_with("  !") && !line.starts_with("    "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let named = "service_type,service,name\n";
    assert_snapshot!(changes(&format!("owner,name\n{OTHER},A\n,B\n")), @r#"
    What will change
      • 2 new agents, all of them or none
      • 1 of 2: a new agent is registered for 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
      • 1 of 2: name = "A"
      • 2 of 2: a new agent is registered for 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
      • 2 of 2: name = "B"
    "#);
    assert_snapshot!(changes(&format!("{named}mcp,https://a.example,A\n")), @r#"
    What will change
      • a new agent is registered for 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
      • service_type = "mcp"
      • service = "https://a.example"
      • name = "A"
    "#);
}

#[test]
fn a_predicate_on_an_address_without_code_is_refused_by_that_address() {
    let desk = Desk::new();
    let deploy = |kind: &[&str]| {
        let common = ["--chain-id", "31337", "--from", ACCOUNT, "--dry-run"];
        let all = [&["predicate", "deploy"], kind, &common, &["--json"]].concat();
        desk.home.run(&all)
    };
    for kind in [
        &["allowlist", "--registry", OTHER][..],
        &["merkle-allowlist", "--registry", OTHER],
        &["erc721", "--collection", OTHER],
        &["erc1155", "--collection", OTHER, "--token-id", "1"],
        &["erc20", "--token", OTHER, "--min-balance", "1"],
        &["subscription", "--collection", OTHER],
        &["agent-owner", "--registry", OTHER, "--agent-id", "1"],
        &["any-agent-owner", "--registry", OTHER],
        &["composite", "--logic", "all", "--term", OTHER],
    ] {
        let done = deploy(kind).expect(1);
        let error = done.error();
        assert_eq!(error["code"], "wrong_contract", "{kind:?}: {error}");
        let said = "there is no code at 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 on chain 31337";
        assert!(
            error["error"].as_str().unwrap().starts_with(said),
            "{error}"
        );
        // Nothing was tried before.
        assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    }
    // Who may ask need not be there yet.
    deploy(&["access-proof", "--caller", OTHER]).expect(0);
}

#[test]
fn a_registry_is_asked_for_the_keys_that_are_named_and_says_which_are_not_set() {
    let desk = Desk::new();
    let registry = desk.deploy(&[
        "registry",
        "deploy",
        "open",
        "--registrar",
        "self",
        "--set",
        "name=Ours",
        "--set",
        "terms=Be kind",
    ]);
    let describe = ["registry", "describe", &registry];
    let rows = |more: &[&str]| {
        let done = desk.home.run(&[&describe[..], more].concat()).expect(0);
        let rows = done
            .out
            .lines()
            .skip_while(|row| !row.starts_with("metadata"));
        let rows = rows.take_while(|row| !row.starts_with("chain"));
        rows.map(|row| format!("{row}\n")).collect::<String>()
    };
    assert_snapshot!(rows(&[]), @r#"
    metadata   name: "Ours"
    not set    description, image, symbol, banner_image, featured_image, external_link; --key asks for others
    "#);
    // A key of the standard that is named once more is asked for once.
    assert_snapshot!(rows(&["--key", "terms", "--key", "name", "--key", "contact"]), @r#"
    metadata   name: "Ours"
               terms: "Be kind"
    not set    description, image, symbol, banner_image, featured_image, external_link, contact; --key asks for others
    "#);
    let value = desk
        .home
        .json(&[&describe[..], &["--key", "terms"]].concat());
    assert_eq!(value["metadata"][1][0], "terms");
    assert_eq!(value["metadata"][1][1]["text"], "Be kind");
    assert_eq!(value["metadata_keys"].as_array().unwrap().len(), 8);
    for (wrong, said) in [
        ("", "--key: key \"\""),
        (KEY, "an argument holds 64 hexadecimal digits"),
    ] {
        let done = desk.home.run(&[&describe[..], &["--key", wrong]].concat());
        let done = done.expect(2);
        assert!(done.err.contains(said), "{}", done.err);
        assert!(!holds_key(&done.err));
    }
}

/// A deployment that is to be signed with a keystore.
fn deploys(keystore: &str) -> Vec<&str> {
    let deploy = ["registry", "deploy", "tools", "--chain-id", "1", "--yes"];
    let with = ["--chain", "1=http://127.0.0.1:9", "--keystore", keystore];
    [&deploy[..], &with].concat()
}

#[test]
fn a_name_that_no_keystore_has_is_told_with_those_that_there_are() {
    let (home, password) = with_account();
    let done = home.run(&deploys("you")).expect(2);
    assert_snapshot!(done.err, @"
    error: --keystore: there is no keystore called you; there are: me. A file is named with its folder, like ./you
    ");
    let import = ["account", "import", "other", "--password-file", &password];
    home.run_with(&import, &SIGNS, "").expect(0);
    let done = home.run(&deploys("you")).expect(2);
    assert!(done.err.contains("there are: me, other. "), "{}", done.err);
    let done = Home::new().run(&deploys("you")).expect(2);
    assert!(done.err.contains("there is none yet"), "{}", done.err);
}

#[test]
fn a_keystore_that_takes_long_to_open_says_so_first() {
    // It would take a minute, and is not waited for.
    let slow = json!({
        "version": 3,
        "crypto": {
            "cipher": "aes-128-ctr",
            "cipherparams": {"iv": "6087dab2f9fdbbfaddc31a909735c1e6"},
            "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
            "kdf": "pbkdf2",
            "kdfparams": {
                "c": 10_000_000, "dklen": 32, "prf": "hmac-sha256",
                "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
            },
            "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
        },
    });
    let home = Home::new();
    let keystore = file(&home, "slow.json", &slow.to_string());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&keystore, mode).unwrap();
    }
    let mut child = home
        .command(&deploys("./slow.json"))
        .env("DEEDBOX_KEYSTORE_PASSWORD", "any password")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    err.read_line(&mut said).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_snapshot!(said, @"… opening the keystore ./slow.json, which asks for more work than most: it takes a while");
}

#[test]
fn a_password_that_nobody_can_give_is_told_before_anything_is_asked() {
    let (home, _) = with_account();
    // Nobody answers there, which would be told if anybody had been asked.
    let done = home.run(&[&deploys("me")[..], &["--json"]].concat());
    assert_eq!(done.expect(2).error()["code"], "unattended");
    let missing = ["--password-file", "not-there.txt", "--json"];
    let done = home.run(&[&deploys("me")[..], &missing].concat()).expect(2);
    assert_eq!(done.error()["code"], "cannot_read");
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    let prompt = [&deploys("me")[..8], &["--prompt-key", "--json"]].concat();
    let done = home.run(&prompt).expect(2);
    assert_eq!(done.error()["code"], "unattended");
}
