//! Checks 2, 3 and 4 of ERC-8257 §7, on the standard's own free tool.

#![expect(clippy::unwrap_used, reason = "a test's helpers may fail the test")]

use deedbox_manifest::{
    Address, Hash, Registration, Verification, check, verify,
    verify::{Reason, Step},
};
use serde_json::{Value as Json, json};

const URI: &str = "https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json";
const CREATOR: &str = "0xabcdefabcdef1234567890abcdefabcdef123456";

fn tool() -> Json {
    let source = include_bytes!("vectors/spec-free.json");
    serde_json::from_slice(source).unwrap()
}

/// Verifies a manifest whose own hash is registered.
fn verified(source: &[u8], uri: &str, creator: &str) -> Verification {
    let manifest_hash = check(source).hash.unwrap_or(Hash([1; 32]));
    let creator: Address = creator.parse().unwrap();
    verify(
        source,
        &Registration {
            metadata_uri: uri,
            manifest_hash,
            creator,
        },
    )
}

fn changed(name: &str, value: impl Into<Json>) -> Verification {
    let mut tool = tool();
    tool[name] = value.into();
    verified(tool.to_string().as_bytes(), URI, CREATOR)
}

fn failed(verification: &Verification) -> Vec<Step> {
    verification
        .outcomes
        .iter()
        .filter(|outcome| !outcome.passed())
        .map(|outcome| outcome.step)
        .collect()
}

#[test]
fn the_standards_tool_verifies_against_its_registration() {
    let registration = Registration {
        metadata_uri: URI,
        manifest_hash: "0x9a0f34405d7907b4c0ceebd23f293d9a1aa31c38e81d5c197e415cb8c16fed5f"
            .parse()
            .unwrap(),
        creator: CREATOR.parse().unwrap(),
    };
    let verification = verify(include_bytes!("vectors/spec-free.json"), &registration);
    assert!(verification.is_verified(), "{:#?}", verification.outcomes);
    assert_eq!(verification.failed(), None);
}

#[test]
fn any_layout_of_the_same_manifest_verifies() {
    let pretty = serde_json::to_string_pretty(&tool()).unwrap();
    assert!(verified(pretty.as_bytes(), URI, CREATOR).is_verified());
}

#[test]
fn another_origin_fails_check_2() {
    for endpoint in [
        "https://other.example.com/x",
        "https://tools.example.com:8443/x",
        "https://example.com/x",
        "https://tools.example.com.evil.example/",
        "https://tools.example.com@evil.example/",
    ] {
        let verification = changed("endpoint", endpoint);
        assert_eq!(failed(&verification), [Step::Origin], "{endpoint}");
        let reasons = &verification.failed().unwrap().reasons;
        assert!(
            reasons
                .iter()
                .any(|reason| matches!(reason, Reason::OtherOrigin { .. }))
        );
    }
}

#[test]
fn only_scheme_host_and_port_of_the_endpoint_are_compared() {
    for endpoint in [
        "https://tools.example.com",
        "https://tools.example.com/a/b?c#d",
    ] {
        assert!(changed("endpoint", endpoint).is_verified(), "{endpoint}");
    }
}

#[test]
fn a_manifest_from_any_other_place_fails_check_2() {
    let source = tool().to_string();
    for uri in [
        "https://tools.example.com/manifest.json",
        "https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json?v=2",
        "https://tools.example.com/.well-known/ai-tool/nft_price.json",
        "https://tools.example.com/.WELL-KNOWN/ai-tool/nft-price-oracle.json",
        "http://tools.example.com/.well-known/ai-tool/nft-price-oracle.json",
        "ipfs://bafybeigdyrzt",
        "https://other.example.com/.well-known/ai-tool/nft-price-oracle.json",
    ] {
        assert_eq!(
            failed(&verified(source.as_bytes(), uri, CREATOR)),
            [Step::Origin],
            "{uri}"
        );
    }
}

#[test]
fn a_metadata_uri_is_compared_after_normalisation() {
    let source = tool().to_string();
    let uri = URI.replace("https://tools.example.com", "HTTPS://Tools.Example.com:443");
    assert!(verified(source.as_bytes(), &uri, CREATOR).is_verified());
}

#[test]
fn an_endpoint_that_is_not_normalised_fails_check_2() {
    let verification = changed("endpoint", "https://Tools.example.com/x");
    assert_eq!(failed(&verification), [Step::Origin]);
}

#[test]
fn a_u_label_endpoint_fails_check_2() {
    let verification = changed("endpoint", "https://bücher.example/x");
    assert_eq!(verification.failed().unwrap().step, Step::Origin);
}

#[test]
fn a_string_in_nfd_fails_check_3_even_when_its_hash_is_registered() {
    let verification = changed("name", "cafe\u{301}-oracle");
    assert_eq!(failed(&verification), [Step::Bytes]);
    let reasons = &verification.failed().unwrap().reasons;
    assert!(matches!(&reasons[..], [Reason::Manifest(finding)] if finding.rule == "8257-2c-06"));
}

#[test]
fn capital_hex_fails_check_3_even_when_its_hash_is_registered() {
    let pricing = json!([{
        "amount": "1", "asset": "eip155:1/erc20:0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "recipient": "eip155:1:0xabcdef0123456789abcdef0123456789abcdef01", "protocol": "x402",
    }]);
    assert_eq!(failed(&changed("pricing", pricing)), [Step::Bytes]);
    let verification = changed(
        "creatorAddress",
        "0xABCDEFabcdef1234567890abcdefabcdef123456",
    );
    assert_eq!(verification.failed().unwrap().step, Step::Bytes);
}

#[test]
fn a_byte_order_mark_fails_check_3() {
    let mut source = vec![0xef, 0xbb, 0xbf];
    source.extend(tool().to_string().bytes());
    let verification = verified(&source, URI, CREATOR);
    let bytes = verification.failed().unwrap();
    assert_eq!(bytes.step.number(), Some(3));
    assert!(
        matches!(&bytes.reasons[..], [Reason::Manifest(finding)] if finding.rule == "8257-2c-09")
    );
    assert!(!verification.is_verified());
}

#[test]
fn another_hash_fails_check_3() {
    let source = tool().to_string();
    let registration = Registration {
        metadata_uri: URI,
        manifest_hash: Hash([7; 32]),
        creator: CREATOR.parse().unwrap(),
    };
    let verification = verify(source.as_bytes(), &registration);
    assert_eq!(failed(&verification), [Step::Bytes]);
    assert!(matches!(
        verification.failed().unwrap().reasons[..],
        [Reason::OtherHash { .. }]
    ));
}

/// Only a mismatch of hashes may be a race with an update; anything else is final.
#[test]
fn the_registry_may_be_read_again_only_for_a_hash() {
    let source = tool().to_string();
    let other = |creator: &str| {
        let registration = Registration {
            metadata_uri: URI,
            manifest_hash: Hash([7; 32]),
            creator: creator.parse().unwrap(),
        };
        verify(source.as_bytes(), &registration)
    };
    assert!(other(CREATOR).may_read_again());
    assert!(!other("0x0000000000000000000000000000000000000001").may_read_again());
    assert!(!changed("name", "cafe\u{301}").may_read_again());
}

#[test]
fn any_changed_member_changes_the_hash() {
    let original = check(tool().to_string().as_bytes()).hash;
    let mut tool = tool();
    tool["com.example.extra"] = json!(1);
    assert_ne!(check(tool.to_string().as_bytes()).hash, original);
}

#[test]
fn another_creator_fails_check_4() {
    let source = tool().to_string();
    let verification = verified(
        source.as_bytes(),
        URI,
        "0x0000000000000000000000000000000000000001",
    );
    assert_eq!(failed(&verification), [Step::Creator]);
    let reasons = &verification.failed().unwrap().reasons;
    assert!(matches!(reasons[..], [Reason::OtherCreator { .. }]));
    assert!(reasons[0].to_string().contains(CREATOR));
}

/// Nodes and libraries hand out checksummed text.
#[test]
fn a_checksummed_creator_from_the_chain_is_compared_by_its_bytes() {
    let source = tool().to_string();
    assert!(
        verified(
            source.as_bytes(),
            URI,
            "0xabcdefABCDEF1234567890ABCDEFabcdef123456"
        )
        .is_verified()
    );
}

#[test]
fn the_zero_address_is_a_failure_and_not_anybody() {
    let mut tool = tool();
    let zero = format!("0x{}", "0".repeat(40));
    tool["creatorAddress"] = zero.as_str().into();
    for creator in [zero.as_str(), CREATOR] {
        let verification = verified(tool.to_string().as_bytes(), URI, creator);
        assert_eq!(failed(&verification), [Step::Creator], "{creator}");
    }
}

/// Names and other claims in extensions prove nothing.
#[test]
fn an_extension_never_stands_in_for_the_creator() {
    let mut tool = tool();
    tool["com.example.creator"] =
        json!({"ens": "alice.eth", "address": "0x0000000000000000000000000000000000000001"});
    let source = tool.to_string();
    let verification = verified(
        source.as_bytes(),
        URI,
        "0x0000000000000000000000000000000000000001",
    );
    assert_eq!(failed(&verification), [Step::Creator]);
}

#[test]
fn of_two_faults_the_earlier_check_is_reported() {
    let mut tool = tool();
    tool["name"] = "cafe\u{301}".into();
    let other = "0x0000000000000000000000000000000000000001";
    let verification = verified(tool.to_string().as_bytes(), URI, other);
    assert_eq!(failed(&verification), [Step::Bytes, Step::Creator]);
    assert_eq!(verification.failed().unwrap().step.number(), Some(3));
    tool["endpoint"] = "https://other.example/".into();
    let verification = verified(tool.to_string().as_bytes(), URI, other);
    assert_eq!(verification.failed().unwrap().step.number(), Some(2));
}

/// The four checks say nothing about fields; a manifest that must be rejected is not verified all the same (M-08).
#[test]
fn a_manifest_that_must_be_rejected_is_not_verified() {
    let verification = changed("tags", json!(["a", "a"]));
    assert_eq!(failed(&verification), [Step::Rules]);
    assert_eq!(verification.failed().unwrap().step.number(), None);
}

#[test]
fn inconsistent_claims_and_warnings_do_not_unverify() {
    let verification = changed(
        "verifiability",
        json!({"tier": "verifiable", "execution": "standard"}),
    );
    assert!(verification.is_verified(), "{:#?}", verification.outcomes);
}

#[test]
fn faults_that_are_only_counted_still_fail_their_check() {
    let verification = changed("com.example.list", vec!["e\u{301}"; 100]);
    let reasons = &verification.failed().unwrap().reasons;
    assert!(
        reasons
            .iter()
            .any(|reason| matches!(reason, Reason::MoreOf("8257-2c-06")))
    );
}

#[test]
fn what_cannot_be_read_is_never_verified() {
    let deep = "[".repeat(100);
    for source in ["", "{", "<html>", r#"{"a":1,"a":2}"#, deep.as_str()] {
        let verification = verified(source.as_bytes(), URI, CREATOR);
        assert_eq!(failed(&verification), Step::ALL, "{source}");
        assert_eq!(verification.failed().unwrap().step, Step::Bytes, "{source}");
        assert!(!verification.may_read_again());
    }
    // The address is judged all the same, and first.
    let verification = verified(b"{", "https://tools.example.com/manifest.json", CREATOR);
    assert_eq!(verification.failed().unwrap().step, Step::Origin);
}

#[test]
fn what_is_no_manifest_is_never_verified() {
    for source in ["null", "[]", "{}"] {
        let verification = verified(source.as_bytes(), URI, CREATOR);
        assert!(!verification.is_verified() && !verification.may_read_again());
        assert_eq!(verification.failed().unwrap().step, Step::Origin);
    }
}
