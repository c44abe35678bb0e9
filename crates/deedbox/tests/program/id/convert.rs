//! `deedbox id convert`: one identifier in another form.

use super::{ACCOUNT, REGISTRY, first, id, of_rootstock};
use crate::common::Home;

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
