use super::*;
use deedbox_manifest::Document;

#[test]
fn a_string_that_is_not_nfc_is_refused_wherever_it_is() {
    let nfd = "cafe\u{301}";
    refused(&with("name", nfd), "8257-2c-06", "/name");
    refused(
        &with("com.example.x", json!({"a": ["b", nfd]})),
        "8257-2c-06",
        "/com.example.x/a/1",
    );
    refused(
        &with("inputs", json!({"title": nfd})),
        "8257-2c-06",
        "/inputs/title",
    );
    accepted(&with("name", "café"));
}

/// An escape in the source is the same string.
#[test]
fn an_escaped_string_that_is_not_nfc_is_refused() {
    let source = baseline().to_string().replace("\"t\"", r#""cafe\u0301""#);
    refused(&check(source.as_bytes()), "8257-2c-06", "/name");
}

/// The standard speaks of values. A name is warned about (reading M-04).
#[test]
fn a_name_that_is_not_nfc_is_warned_about() {
    warned(
        &with("com.example.cafe\u{301}", 1),
        "8257-M-04",
        "/com.example.cafe\u{301}",
    );
    // A name with a character that NFC never keeps, as in RFC 8785's own example of sorting.
    noted(
        &with("com.example.\u{fb33}", 1),
        "8257-M-04",
        "/com.example.\u{fb33}",
    );
}

#[test]
fn nfc_is_that_of_unicode_16_or_later() {
    assert!(unicode_normalization::UNICODE_VERSION >= (16, 0, 0));
    // New in Unicode 16: U+105D2 U+0307 compose to U+105C9 (Todhri).
    refused(&with("name", "\u{105d2}\u{307}"), "8257-2c-06", "/name");
    accepted(&with("name", "\u{105c9}"));
}

#[test]
fn a_byte_order_mark_is_refused_and_never_stripped() {
    let mut source = vec![0xef, 0xbb, 0xbf];
    source.extend(baseline().to_string().bytes());
    let report = check(&source);
    refused(&report, "8257-2c-09", "");
    assert_eq!(report.hash, None);
}

#[test]
fn text_that_is_not_utf_8_is_refused() {
    let mut latin1 = baseline()
        .to_string()
        .replace("\"t\"", "\"tX\"")
        .into_bytes();
    let at = latin1.iter().position(|&byte| byte == b'X').unwrap();
    latin1[at] = 0xe9;
    refused(&check(&latin1), "8257-2c-08", "");
    let utf16: Vec<u8> = baseline()
        .to_string()
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(check(&utf16).is_refused());
}

#[test]
fn capital_hex_in_creator_address_is_refused() {
    let report = with(
        "creatorAddress",
        "0xABCDEFabcdef1234567890abcdefabcdef123456",
    );
    refused(&report, "8257-2c-11", "/creatorAddress");
    refused(
        &with(
            "creatorAddress",
            "0Xabcdefabcdef1234567890abcdefabcdef123456",
        ),
        "8257-2c-11",
        "/creatorAddress",
    );
}

#[test]
fn capital_hex_in_asset_or_recipient_is_refused() {
    let price = |asset: &str, recipient: &str| {
        with(
            "pricing",
            json!([{"amount": "1", "asset": asset, "recipient": recipient, "protocol": "x402"}]),
        )
    };
    let asset = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
    let recipient = "eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01";
    accepted(&price(asset, recipient));
    refused(
        &price(&asset.replace("fcd6", "fCD6"), recipient),
        "8257-2c-12",
        "/pricing/0/asset",
    );
    refused(
        &price(asset, &recipient.replace("0xab", "0xAb")),
        "8257-2c-12",
        "/pricing/0/recipient",
    );
    // Only what 0x introduces: base58 tells cases apart (reading M-25).
    let mint = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
    accepted(&price(
        mint,
        "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
    ));
}

#[test]
fn capital_hex_in_kind_or_data_is_refused() {
    let access = |kind: &str, data: &str| {
        with(
            "access",
            json!({"logic": "AND", "requirements": [{"kind": kind, "data": data, "label": ""}]}),
        )
    };
    accepted(&access("0xabcd1234", "0xab"));
    refused(
        &access("0xABCD1234", "0xab"),
        "8257-2c-13",
        "/access/requirements/0/kind",
    );
    refused(
        &access("0xabcd1234", "0xAB"),
        "8257-2c-13",
        "/access/requirements/0/data",
    );
}

#[test]
fn capital_hex_in_enclave_hash_or_build_hash_is_refused() {
    let claims = |enclave: &str, build: &str| {
        with(
            "verifiability",
            json!({
                "tier": "verifiable", "execution": "tee",
                "attestation": {"type": "nitro", "endpoint": "https://t.example/a", "enclaveHash": enclave},
                "reproducibleBuild": {"sourceCodeURI": "https://git.example/x", "buildHash": build},
            }),
        )
    };
    accepted(&claims("0xab", "0xcd"));
    refused(
        &claims("0xAB", "0xcd"),
        "8257-2c-14",
        "/verifiability/attestation/enclaveHash",
    );
    refused(
        &claims("0xab", "0xCD"),
        "8257-2c-14",
        "/verifiability/reproducibleBuild/buildHash",
    );
}

/// Nothing is repaired on the way to the hash: it is over what was served.
#[test]
fn a_refused_manifest_is_hashed_as_it_is() {
    for source in [
        baseline().to_string().replace("0xabcdef", "0xABCDEF"),
        baseline().to_string().replace("\"t\"", "\"cafe\u{301}\""),
    ] {
        let report = check(source.as_bytes());
        assert!(report.is_refused());
        let canonical =
            serde_json_canonicalizer::to_vec(&serde_json::from_str::<Json>(&source).unwrap())
                .unwrap();
        assert_eq!(report.hash, Some(deedbox_manifest::Hash::of(&canonical)));
    }
}

#[test]
fn a_name_that_is_there_twice_is_refused_at_any_depth() {
    let source = baseline().to_string();
    for twice in [
        source.replace("\"name\":\"t\"", r#""name":"t","name":"t""#),
        source.replace("\"inputs\":{}", r#""inputs":{"a":{"b":1,"\u0062":2}}"#),
    ] {
        let report = check(twice.as_bytes());
        refused(&report, "8257-2c-17", "");
    }
}

#[test]
fn half_a_surrogate_pair_is_refused() {
    for half in [r"\ud800", r"\udc00", r"\ud800\u0041"] {
        let source = baseline()
            .to_string()
            .replace("\"t\"", &format!("\"{half}\""));
        refused(&check(source.as_bytes()), "8257-2c-17", "");
    }
}

#[test]
fn numbers_are_hashed_as_ieee_doubles() {
    let hash = |number: &str| {
        let source =
            baseline()
                .to_string()
                .replacen('{', &format!("{{\"com.example.n\":{number},"), 1);
        check(source.as_bytes()).hash.unwrap()
    };
    assert_eq!(hash("1.0"), hash("1"));
    assert_eq!(hash("1e0"), hash("1"));
    assert_eq!(hash("-0"), hash("0"));
    assert_ne!(hash("1"), hash("2"));
}

#[test]
fn a_number_beyond_every_double_is_refused() {
    let source = baseline()
        .to_string()
        .replacen('{', "{\"com.example.n\":1e400,", 1);
    refused(&check(source.as_bytes()), "8257-2c-18", "");
}

#[test]
fn a_number_that_is_hashed_as_another_is_warned_about() {
    let report = |number: &str| {
        let source =
            baseline()
                .to_string()
                .replacen('{', &format!("{{\"com.example.n\":{number},"), 1);
        check(source.as_bytes())
    };
    warned(&report("9007199254740993"), "8257-M-06", "/com.example.n");
    warned(&report("1e-400"), "8257-2c-18", "/com.example.n");
    accepted(&report("9007199254740992"));
}

#[test]
fn layout_changes_neither_hash_nor_verdict() {
    let pretty = serde_json::to_string_pretty(&baseline()).unwrap();
    let report = check(pretty.as_bytes());
    accepted(&report);
    assert_eq!(report.hash, of(&baseline()).hash);
}

/// The canonical form is the one of another, maintained implementation of RFC 8785.
#[test]
fn canonical_bytes_are_those_of_a_maintained_library() {
    for file in std::fs::read_dir("tests/vectors/real-manifests").unwrap() {
        let path = file.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let source = std::fs::read(&path).unwrap();
            let ours = Document::read(&source, &Default::default())
                .unwrap()
                .canonical();
            let theirs =
                serde_json_canonicalizer::to_vec(&serde_json::from_slice::<Json>(&source).unwrap())
                    .unwrap();
            assert_eq!(ours, theirs, "{}", path.display());
        }
    }
}
