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
            &*ACCOUNT.to_lowercase(),
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
            &*format!("eip155:1/erc20:{registry}"),
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
    let done = id(&["convert", &ACCOUNT[9..], "--to", "eip1191", "--chain", "30"]).expect(0);
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

/// As Rootstock (chain 30) writes the address of [`ACCOUNT`].
fn of_rootstock() -> String {
    first(&["convert", &ACCOUNT[9..], "--to", "eip1191", "--chain", "30"])
}

#[test]
fn what_convert_writes_with_a_chains_checksum_parse_reads() {
    let text = of_rootstock();
    assert_eq!(text, "0xd8da6bF26964Af9D7eed9E03e53415D37AA96045");
    for arguments in [&["parse", &text][..], &["parse", &text, "--chain", "30"]] {
        let done = id(arguments).expect(0);
        let said = "EVM address, with the EIP-1191 checksum of chain 30";
        assert!(done.out.starts_with(said), "{}", done.out);
    }
    let lower = text.to_lowercase();
    for (text, canonical) in [
        (format!("eip155:30:{text}"), format!("eip155:30:{lower}")),
        (
            format!("eip155:30/erc721:{text}/7"),
            format!("eip155:30/erc721:{lower}/7"),
        ),
    ] {
        let value = Home::new().json(&["id", "parse", &text]);
        assert_eq!(value["canonical"], canonical);
        assert_eq!(value["isCanonical"], false);
    }
    assert_eq!(
        first(&["convert", &format!("eip155:30:{text}"), "--to", "lower"]),
        format!("eip155:30:{lower}")
    );
    let tool = format!("eip155:30/erc8257:{lower}/1");
    assert_eq!(
        Home::new().json(&["id", "parse", &tool.replace(&lower, &text)])["canonical"],
        tool
    );
    // CAIP-10 is written with the checksum that every reader knows.
    let account = ["convert", &lower, "--to", "caip10", "--chain", "30"];
    let written = first(&account);
    assert_eq!(written, format!("eip155:30:{}", &ACCOUNT[9..]));
    let again = format!("eip155:30:{text}");
    assert_eq!(first(&["convert", &again, "--to", "caip10"]), written);
    // The first two of those that EIP-1191 itself gives.
    for (chain, text) in [
        (30, "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"),
        (31, "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd"),
    ] {
        let done = id(&["parse", text]).expect(0);
        let said = format!("the EIP-1191 checksum of chain {chain}");
        assert!(done.out.contains(&said), "{}", done.out);
    }
    // Any chain's, when it is said.
    let of_base = first(&["convert", &lower, "--to", "eip1191", "--chain", "8453"]);
    id(&["parse", &of_base]).expect(1);
    id(&["parse", &of_base, "--chain", "8453"]).expect(0);
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
fn a_registry_that_names_its_chain_may_be_given_with_the_same_chain_only() {
    for chain in ["1", "eip155:1"] {
        let parts = [
            "format",
            "--chain",
            chain,
            "--registry",
            REGISTRY,
            "--id",
            "1",
        ];
        assert_eq!(first(&parts), format!("1@{REGISTRY}"));
    }
    let done = id(&[
        "format",
        "--chain",
        "8453",
        "--registry",
        REGISTRY,
        "--id",
        "1",
    ])
    .expect(2);
    insta::assert_snapshot!(done.err, @r#"
    error: --chain: the registry names its chain already, eip155:1; leave it out
    "#);
}

#[test]
fn a_part_that_the_kind_has_no_place_for_is_bad_usage() {
    let address = &ACCOUNT[9..];
    for (flag, parts) in [
        (
            "--alias",
            &[
                "--as",
                "tool",
                "--chain",
                "1",
                "--registry",
                address,
                "--id",
                "1",
                "--alias",
                "a",
            ][..],
        ),
        (
            "--namespace",
            &[
                "--as",
                "token",
                "--registry",
                REGISTRY,
                "--id",
                "1",
                "--namespace",
                "erc721",
            ],
        ),
        (
            "--address",
            &["--as", "chain", "--chain", "1", "--address", address],
        ),
        (
            "--chain",
            &["--as", "address", "--chain", "1", "--address", address],
        ),
        (
            "--address",
            &["--chain", "1", "--address", address, "--id", "1"],
        ),
        ("--key-label", &["--as", "chain", "--key-label", "a"]),
        ("--id", &["--as", "interop", "--chain", "1", "--id", "1"]),
        (
            "--alias",
            &[
                "--as",
                "account",
                "--chain",
                "1",
                "--address",
                address,
                "--alias",
                "a",
            ],
        ),
    ] {
        let done = id(&[&["format"], parts].concat()).expect(2);
        assert!(
            done.err.starts_with(&format!("error: {flag}: a")),
            "{}",
            done.err
        );
        assert_eq!(done.out, "");
    }
    let done = id(&["format", "--as", "token", "--id", "1", "--chain", "1"]).expect(2);
    assert!(
        done.err.contains("an ERC-8127 token identifier needs it"),
        "{}",
        done.err
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

/// The commands in a text that begin with `deedbox id`, on lines of their own or between backticks. Those with a pipe or
/// with a name for what is to be filled in are for reading.
fn examples(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let pieces = text.lines().flat_map(|line| line.split('`'));
    let commands = pieces.filter_map(|piece| {
        let piece = piece.trim().trim_start_matches("$ ");
        let piece = piece.split(" #").next()?.trim_end();
        piece.strip_prefix("deedbox id ")
    });
    let is_literal = |one: &&str| {
        let is_name = |word: &str| word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase());
        !one.contains(['|', '…']) && !one.split([' ', '[', ']']).any(is_name)
    };
    commands.filter(is_literal).map(str::to_owned).collect()
}

#[test]
fn every_example_works_as_it_is_written() {
    let home = Home::new();
    let mut count = 0;
    let mut texts = vec![
        include_str!("../../../../docs/identifiers.md").to_owned(),
        include_str!("../../../../docs/cli.md").to_owned(),
    ];
    for command in [
        &["id"][..],
        &["id", "parse"],
        &["id", "format"],
        &["id", "convert"],
    ] {
        texts.push(home.run(&[command, &["--help"]].concat()).expect(0).out);
    }
    for example in texts.iter().flat_map(|text| examples(text)) {
        let arguments: Vec<&str> = example.split_whitespace().collect();
        let done = home.run(&[&["id"], &arguments[..]].concat());
        assert_eq!(done.code, 0, "deedbox id {example}\n{}", done.err);
        count += 1;
    }
    assert!(count >= 25, "{count}");
}
