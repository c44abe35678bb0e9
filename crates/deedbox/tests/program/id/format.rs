//! `deedbox id format`: an identifier from its parts.

use super::{ACCOUNT, REGISTRY, first, id};

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
