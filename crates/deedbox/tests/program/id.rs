//! `deedbox id`: identifiers at the command line.

use crate::common::{Done, Home};

const REGISTRY: &str = "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";
const ACCOUNT: &str = "eip155:1:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

fn id(arguments: &[&str]) -> Done {
    Home::new().run(&[&["id"], arguments].concat())
}

/// The first line of standard output, of a command that succeeds.
fn first(arguments: &[&str]) -> String {
    id(arguments).expect(0).out.trim_end().to_owned()
}

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
      Its looks say --as token; another KIND reads it as something else.
    "#);
    let done = id(&["parse", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aa96045"]).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Not a valid EVM address
      0xd8dA6BF26964aF9D7eEd9e03E53415D37aa96045
                                          ^
      found 'a', expected 'A' by the EIP-55 checksum; the address may be mistyped: compare it with its
      source, and if it is right write 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
      Its looks say --as address; another KIND reads it as something else.
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
      Its looks say --as key; another KIND reads it as something else.
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
fn an_identifier_is_put_together_from_its_parts() {
    let registry = "0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1";
    let checksummed = "0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1";
    let on_base = [
        "format",
        "--chain",
        "8453",
        "--registry",
        checksummed,
        "--id",
        "42",
    ];
    let token = format!("42@0x0001000002210514{}", &registry[2..]);
    assert_eq!(first(&on_base), token);
    assert_eq!(
        first(&[&on_base[..], &["--alias", "WebDev"]].concat()),
        format!("webdev.{token}")
    );
    assert_eq!(
        first(&[&on_base[..], &["--as", "tool"]].concat()),
        format!("eip155:8453/erc8257:{registry}/42")
    );
    for (parts, text) in [
        (
            &["--registry", REGISTRY, "--id", "0"][..],
            &*format!("0@{REGISTRY}"),
        ),
        (&["--alias", "punk", "--id", "2344"], "punk.2344"),
        (&["--chain", "8453"], "eip155:8453"),
        (&["--chain", "1", "--as", "interop"], "0x00010000010100"),
        (
            &["--chain", "eip155:1", "--address", &ACCOUNT[9..]],
            REGISTRY,
        ),
        (
            &[
                "--chain",
                "1",
                "--address",
                &ACCOUNT[9..].to_lowercase(),
                "--as",
                "account",
            ],
            ACCOUNT,
        ),
        (
            &[
                "--chain",
                "1",
                "--namespace",
                "erc20",
                "--address",
                registry,
            ],
            &*format!("eip155:1/erc20:{checksummed}"),
        ),
        (&["--key-label", "service"], "service"),
        (&["--key-label", "service", "--param", "1"], "service/1"),
        (
            &["--key-label", "service", "--param", "1", "--form", "colon"],
            "service:1",
        ),
        (
            &["--key-label", "r", "--param", "chain", "--param", "1"],
            "r[chain][1]",
        ),
    ] {
        assert_eq!(first(&[&["format"], parts].concat()), text, "{parts:?}");
    }
}

#[test]
fn a_part_that_does_not_fit_is_bad_usage_and_shown_with_a_caret() {
    let done = id(&[
        "format",
        "--chain",
        "08453",
        "--registry",
        REGISTRY,
        "--id",
        "1",
    ])
    .expect(2);
    insta::assert_snapshot!(done.err, @r#"
    error: --chain cannot be used
      08453
      ^ found a leading zero, expected a number in its one spelling; write 8453
    "#);
    assert_eq!(done.out, "");
    for parts in [
        &["format"][..],
        &["format", "--chain", "0"],
        &["format", "--id", "1", "--chain", "1"],
        &["format", "--key-label", "a/b"],
        &[
            "format",
            "--key-label",
            "a",
            "--param",
            "1",
            "--param",
            "2",
            "--form",
            "slash",
        ],
        &["format", "--as", "tool", "--chain", "1", "--id", "1"],
        &["format", "--registry", "0x00010000010100", "--id", "1"],
    ] {
        let done = id(&[parts, &["--json"]].concat()).expect(2);
        assert_eq!(done.error()["code"], "bad_argument", "{parts:?}");
    }
}

#[test]
fn a_conversion_prints_the_other_form_and_says_what_it_loses() {
    for (text, to, result) in [
        (ACCOUNT, "erc7930", REGISTRY),
        (REGISTRY, "caip10", ACCOUNT),
        (REGISTRY, "caip2", "eip155:1"),
        (REGISTRY, "eip55", &ACCOUNT[9..]),
        ("0x0001000002210500", "caip2", "eip155:8453"),
        ("service:1", "slash", "service/1"),
        ("service/1", "bracket", "service[1]"),
        (
            "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
            "caip2",
            "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        ),
    ] {
        assert_eq!(
            first(&["convert", text, "--to", to]),
            result,
            "{text} to {to}"
        );
    }
    let token = format!("webdev.7@{REGISTRY}");
    let done = id(&["convert", &token, "--to", "caip19", "--standard", "erc721"]).expect(0);
    assert_eq!(done.out, format!("eip155:1/erc721:{}/7\n", &ACCOUNT[9..]));
    assert_eq!(done.err, "note: this loses the alias\n");
    let done = id(&["convert", REGISTRY, "--to", "eip1191", "--chain", "30"]).expect(0);
    assert_ne!(done.out.trim_end(), &ACCOUNT[9..]);
    assert_eq!(
        done.out.trim_end().to_lowercase(),
        ACCOUNT[9..].to_lowercase()
    );
}

#[test]
fn a_conversion_that_does_not_exist_says_why() {
    let tool = "eip155:1/erc8257:0xd8da6bf26964af9d7eed9e03e53415d37aa96045/7";
    let done = id(&["convert", tool, "--to", "erc8127"]).expect(1);
    insta::assert_snapshot!(done.err, @r#"
    error: this ERC-8257 tool reference cannot be written as erc8127
      tools are written in the CAIP-19 form only (ERC-8257 §1); ERC-8127 is for tokens and agents
    "#);
    for (text, to, code, reason) in [
        ("webdev", "erc7930", "no_conversion", "not_said"),
        (
            "solana:abcdefgh",
            "erc7930",
            "no_conversion",
            "unknown_chain",
        ),
        (ACCOUNT, "caip19", "no_conversion", "no_conversion"),
        (
            &format!("1@{REGISTRY}"),
            "caip19",
            "no_conversion",
            "not_said",
        ),
        ("eip155:1:0xzz", "erc7930", "bad_identifier", "character"),
        ("resource[a][b]", "slash", "no_conversion", "no_conversion"),
    ] {
        let done = id(&["convert", text, "--to", to, "--json"]).expect(1);
        assert_eq!(done.error()["code"], code, "{text} to {to}");
        assert_eq!(done.error()["reason"], reason, "{text} to {to}");
    }
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
