//! `deedbox id parse`: what a text is, and where it is wrong.

use super::{ACCOUNT, REGISTRY, first, id, of_rootstock};
use crate::common::Home;

#[test]
fn a_token_is_taken_apart_and_written_in_its_other_forms() {
    let done = id(&["parse", &format!("WebDev.42@{REGISTRY}")]).expect(0);
    insta::assert_snapshot!(done.out, @r#"
    ERC-8127 token identifier, full form
      alias       webdev
      token id    42
      registry    0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045
      chain       eip155:1
      address     0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
      canonical   webdev.42@0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045  (not how it was written)
      as erc7930  0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045  (loses the token: this names its registry)
      as caip10   eip155:1:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045  (loses the token: this names its registry)
    "#);
}

#[test]
fn a_wrong_text_is_shown_with_a_caret_under_the_wrong_byte() {
    let done = id(&["parse", &format!("webdev.042@{REGISTRY}")]).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Not a valid ERC-8127 token identifier
      webdev.042@0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045
             ^ found a leading zero, expected a number in its one spelling; write 42
      Read as an ERC-8127 token identifier because of the @; --as KIND reads it as another.
    "#);
    let done = id(&["parse", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aa96045"]).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Not a valid EVM address
      0xd8dA6BF26964aF9D7eEd9e03E53415D37aa96045
                                          ^
      found 'a', expected 'A' by the EIP-55 checksum; the address may be mistyped: compare it with its
      source, and if it is right write 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
      Read as an EVM address because of the 0x; --as KIND reads it as another.
    "#);
    assert_eq!(done.err, "");
}

#[test]
fn programs_are_told_the_kind_the_parts_and_the_place_of_what_is_wrong() {
    let home = Home::new();
    let value = home.json(&["id", "parse", "resource[chain][1]"]);
    assert_eq!(value["kind"], "key");
    assert_eq!(value["canonical"], "resource[chain][1]");
    assert_eq!(
        value["parts"]["parameters"],
        serde_json::json!(["chain", "1"])
    );
    let done = home
        .run(&["id", "parse", "é/", "--as", "account", "--json"])
        .expect(1);
    let value = done.json();
    assert_eq!(value["valid"], false);
    assert_eq!(value["error"]["reason"], "character");
    assert_eq!(
        (
            value["error"]["at"].as_u64(),
            value["error"]["column"].as_u64()
        ),
        (Some(0), Some(1))
    );
}

#[test]
fn a_key_that_the_standard_forbids_is_refused_and_its_meaning_told() {
    let done = id(&["parse", "service: 1"]).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Not a valid ERC-8119 key
      service: 1
              ^
      found a space right after the separator, expected the parameter; drop the space, or quote data
      that starts with one: key/' data'
      note: keys like this one are on chains; its writer seems to mean the label "service" with "1"
      Read as an ERC-8119 key because of its characters; --as KIND reads it as another.
    "#);
}

#[test]
fn the_same_text_may_be_read_as_another_kind() {
    let done = id(&["parse", "service:1"]).expect(0);
    assert!(done.out.starts_with("ERC-8119 key"), "{}", done.out);
    assert!(done.out.contains("--as chain"), "{}", done.out);
    let done = id(&["parse", "service:1", "--as", "chain"]).expect(0);
    assert!(done.out.starts_with("CAIP-2 chain"), "{}", done.out);
}

#[test]
fn lines_of_standard_input_are_read_one_by_one_and_one_that_is_wrong_ends_with_1() {
    let home = Home::new();
    let parse = ["id", "parse", "-", "--json"];
    let done = home
        .run_with(&parse, &[], "webdev\r\n\neip155:1\npunk.01\n")
        .expect(1);
    let answers = done.json();
    let valid: Vec<_> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["valid"].as_bool().unwrap())
        .collect();
    assert_eq!(valid, [true, true, false]);
    assert_eq!(answers[0]["text"], "webdev");
    home.run_with(&parse, &[], "").expect(0);
    let done = home
        .run_with(&parse, &[], &("x".repeat(100_000) + "\nwebdev"))
        .expect(1);
    let answers = done.json();
    assert_eq!(answers[0]["error"]["reason"], "too_long");
    assert_eq!(answers[1]["valid"], true);
    assert!(done.out.len() < 200_000);
}

#[test]
fn a_hostile_text_is_shown_by_number_with_the_caret_in_place() {
    let done = id(&["parse", "a\u{1b}[2J\u{202e}/\u{9b}", "--as", "key"]).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Not a valid ERC-8119 key
      a⟨U+001B⟩[2J⟨U+202E⟩/⟨U+009B⟩
       ^ found '\u{1b}' in the label, expected printable ASCII without space, "/", ":" and "["
    "#);
    let done = id(&["parse", &("x".repeat(5000) + "\u{1b}"), "--as", "token"]).expect(1);
    assert!(done.out.len() < 1000, "{}", done.out);
    let home = Home::new();
    let done = home
        .run_with(&["id", "parse", "-"], &[], "k/\u{1b}31m\u{2066}\n")
        .expect(0);
    assert!(!done.out.contains(['\u{1b}', '\u{2066}']), "{}", done.out);
}

#[test]
fn another_chains_checksum_is_not_taken_for_a_typing_error() {
    let text = of_rootstock();
    for arguments in [
        &["parse", &format!("eip155:1:{text}")][..],
        &["parse", &text, "--chain", "31"],
    ] {
        let done = id(arguments).expect(1);
        let said = "found the EIP-1191 checksum of chain 30";
        assert!(done.out.contains(said), "{}", done.out);
        assert!(!done.out.contains("mistyped"), "{}", done.out);
    }
    let done = id(&["parse", ACCOUNT, "--chain", "8453"]).expect(1);
    let said = "found an identifier on eip155:1, expected one on eip155:8453";
    assert!(done.out.contains(said), "{}", done.out);
    id(&["parse", "service/1", "--chain", "8453"]).expect(1);
}

#[test]
fn an_account_has_one_canonical_spelling_and_a_checksummed_one() {
    let done = id(&["parse", ACCOUNT]).expect(0);
    insta::assert_snapshot!(done.out, @r#"
    CAIP-10 account, account id
      chain        eip155:1
      address      0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
      canonical    eip155:1:0xd8da6bf26964af9d7eed9e03e53415d37aa96045  (not how it was written)
      as erc7930   0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045
      checksummed  eip155:1:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
    "#);
    let value = Home::new().json(&["id", "parse", &ACCOUNT.to_lowercase()]);
    assert_eq!(value["canonical"], ACCOUNT.to_lowercase());
    assert_eq!(value["isCanonical"], true);
    assert_eq!(
        first(&["convert", &ACCOUNT.to_lowercase(), "--to", "caip10"]),
        ACCOUNT
    );
    let asset = format!("eip155:1/erc721:{}/7", &ACCOUNT[9..]);
    let value = Home::new().json(&["id", "parse", &asset]);
    assert_eq!(value["canonical"], asset.to_lowercase());
    assert_eq!(value["also"][0]["text"], REGISTRY);
    assert_eq!(
        first(&["convert", &asset.to_lowercase(), "--to", "caip19"]),
        asset
    );
}

#[test]
fn a_contract_after_the_at_is_told_to_lack_its_chain() {
    let contract = ACCOUNT[9..].to_lowercase();
    let done = id(&["parse", &format!("42@{contract}")]).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Not a valid ERC-8127 token identifier
      42@0xd8da6bf26964af9d7eed9e03e53415d37aa96045
         ^
      found a plain EVM address, expected an ERC-7930 one: a registry also names its chain; put it in
      for CHAIN here
        deedbox id format --chain CHAIN --registry 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 --id 42
      Read as an ERC-8127 token identifier because of the @; --as KIND reads it as another.
    "#);
    let done = id(&["parse", &format!("webdev.42@{contract}")]).expect(1);
    assert!(
        done.out.contains("--id 42 --alias webdev\n"),
        "{}",
        done.out
    );
    let value = id(&["parse", &format!("42@{contract}"), "--json"])
        .expect(1)
        .json();
    let run = format!("deedbox id format --chain CHAIN --registry {contract} --id 42");
    assert_eq!(value["error"]["run"], run);
    assert_eq!(value["error"]["at"], 3);
    // What is wrong in front of the @ comes first.
    let done = id(&["parse", &format!("042@{contract}")]).expect(1);
    assert!(done.out.contains("a leading zero"), "{}", done.out);
    assert_eq!(
        first(&[
            "format",
            "--chain",
            "1",
            "--registry",
            &contract,
            "--id",
            "42"
        ]),
        format!("42@{REGISTRY}")
    );
}

#[test]
fn what_is_said_beside_a_text_contradicts_nothing_and_decides_something() {
    let address = &ACCOUNT[9..];
    let token = format!("1@{REGISTRY}");
    let asset = format!("eip155:1/erc721:{address}/7");
    for (flag, arguments) in [
        (
            "--chain",
            &["convert", ACCOUNT, "--to", "erc7930", "--chain", "8453"][..],
        ),
        (
            "--chain",
            &["convert", &token, "--to", "caip2", "--chain", "8453"],
        ),
        (
            "--chain",
            &["convert", address, "--to", "eip55", "--chain", "1"],
        ),
        (
            "--chain",
            &["convert", "service/1", "--to", "caip2", "--chain", "1"],
        ),
        (
            "--standard",
            &["convert", &token, "--to", "caip10", "--standard", "erc721"],
        ),
        (
            "--standard",
            &["convert", &asset, "--to", "caip19", "--standard", "erc1155"],
        ),
    ] {
        let done = id(arguments).expect(2);
        assert!(
            done.err.starts_with(&format!("error: {flag}: ")),
            "{}",
            done.err
        );
        assert_eq!(done.out, "");
    }
    // The same chain again is no contradiction, and an address of any chain is put on one.
    let again = ["convert", ACCOUNT, "--to", "erc7930", "--chain", "1"];
    assert_eq!(first(&again), REGISTRY);
    let anywhere = first(&["format", "--as", "interop", "--address", address]);
    assert_eq!(
        first(&["convert", &anywhere, "--to", "erc7930", "--chain", "1"]),
        REGISTRY
    );
    assert_eq!(
        first(&["convert", &asset, "--to", "caip19", "--standard", "erc721"]),
        asset
    );
}

#[test]
fn white_space_around_a_text_and_no_text_at_all_are_named() {
    let done = id(&["parse", &format!("{REGISTRY} ")]).expect(1);
    assert!(
        done.out.contains("found white space after the text"),
        "{}",
        done.out
    );
    let done = id(&["parse", " eip155:1"]).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Not a valid CAIP-2 chain
       eip155:1
      ^ found white space in front of the text, expected none; leave it out
      Read as a CAIP-2 chain because of how it begins; --as KIND reads it as another.
    "#);
    let done = id(&["parse", ""]).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Not an identifier
      found nothing, expected an identifier; the text is empty
    "#);
    let done = id(&["parse", "  "]).expect(1);
    assert!(
        done.out
            .starts_with("Not an identifier\n  found white space alone"),
        "{}",
        done.out
    );
    let done = id(&["convert", "", "--to", "caip2", "--json"]).expect(1);
    assert_eq!(done.error()["reason"], "empty");
    let done = id(&["convert", "-", "--to", "caip2"]).expect(2);
    assert!(done.err.contains("reads no lines"), "{}", done.err);
    // In a key's parameter it is data.
    id(&["parse", "note/a "]).expect(0);
}
