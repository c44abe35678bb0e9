use super::*;
use deedbox_manifest::freshness::window;

#[test]
fn an_unknown_field_is_ignored_and_hashed() {
    let report = with("io.opensea.paymentHint", json!({"a": 1}));
    accepted(&report);
    assert!(report.findings.is_empty());
    assert_ne!(report.hash, of(&baseline()).hash);
}

#[test]
fn unknown_fields_further_down_are_ignored_too() {
    let mut manifest = baseline();
    manifest["pricing"] = json!([{
        "amount": "0", "asset": "eip155:1/slip44:60", "protocol": "x402", "note": "hello",
        "recipient": "eip155:1:0xabcdef0123456789abcdef0123456789abcdef01",
    }]);
    manifest["verifiability"] =
        json!({"tier": "self-attested", "execution": "standard", "sourceUrl": "x"});
    accepted(&of(&manifest));
}

/// What another field says changes nothing about a specified one.
#[test]
fn an_extension_cannot_override_a_specified_field() {
    let plain = of(&baseline());
    let mut manifest = baseline();
    manifest["com.example.endpoint"] = "https://evil.example/".into();
    manifest["com.example.creatorAddress"] = "0x0000000000000000000000000000000000000001".into();
    manifest["com.example.pricing"] = json!([]);
    let report = of(&manifest);
    accepted(&report);
    assert_eq!(
        (&report.creator, &report.origin, &report.pricing),
        (&plain.creator, &plain.origin, &plain.pricing)
    );
}

#[test]
fn a_name_that_looks_like_a_specified_one_is_warned_about() {
    for name in [
        "Endpoint",
        "creator_address",
        "creatoraddress",
        "featured-image",
        " pricing",
    ] {
        warned(&with(name, 1), "8257-2x-02", &format!("/{name}"));
    }
}

#[test]
fn a_bare_extension_name_is_noted() {
    noted(&with("category", "security"), "8257-2x-03", "/category");
    noted(&with("$schema", "x"), "8257-2x-03", "/$schema");
}

#[test]
fn an_x_prefix_is_tolerated_and_noted() {
    noted(
        &with("x-opensea-paymentHint", 1),
        "8257-2x-04",
        "/x-opensea-paymentHint",
    );
}

#[test]
fn a_reversed_domain_name_is_what_an_extension_should_have() {
    let report = with("io.chain-dreams.tool", 1);
    accepted(&report);
    assert!(report.findings.is_empty());
}

#[test]
fn max_age_is_read_and_hashed_and_bounds_the_window() {
    let report = with("maxAge", 60);
    accepted(&report);
    assert!(report.findings.is_empty());
    assert_eq!(report.max_age, Some(60));
    assert_ne!(report.hash, of(&baseline()).hash);
    assert_eq!(window(300, report.max_age), 60);
    assert_eq!(window(300, Some(900)), 300);
    assert_eq!(window(300, None), 300);
    assert_eq!(window(300, Some(0)), 0);
}

#[test]
fn an_unusable_max_age_is_ignored_with_a_warning() {
    for bad in [json!("60"), json!(-1), json!(1.5), Json::Null, json!(1e300)] {
        let report = with("maxAge", bad);
        warned(&report, "8257-M-18", "/maxAge");
        assert_eq!(report.max_age, None);
    }
}
