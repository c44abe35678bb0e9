use super::*;
use deedbox_manifest::pricing::{Choice, Pricing};

const RECIPIENT: &str = "eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01";
const ASSET: &str = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const MAX: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

fn entry() -> Json {
    json!({"amount": "20000", "asset": ASSET, "recipient": RECIPIENT, "protocol": "x402"})
}

fn with_entry(name: &str, value: impl Into<Json>) -> Report {
    let mut entry = entry();
    entry[name] = value.into();
    with("pricing", json!([entry]))
}

#[test]
fn pricing_is_not_empty() {
    refused(&with("pricing", json!([])), "8257-3-01", "/pricing");
    refused(&with("pricing", json!({})), "8257-3-01", "/pricing");
    accepted(&with("pricing", json!([entry()])));
}

#[test]
fn pricing_is_not_null() {
    refused(&with("pricing", Json::Null), "8257-3-02", "/pricing");
}

#[test]
fn an_entry_has_all_four_fields() {
    for name in ["amount", "asset", "recipient", "protocol"] {
        let mut entry = entry();
        entry.as_object_mut().unwrap().remove(name);
        refused(
            &with("pricing", json!([entry])),
            "8257-3-03",
            &format!("/pricing/0/{name}"),
        );
        refused(
            &with_entry(name, Json::Null),
            "8257-3-03",
            &format!("/pricing/0/{name}"),
        );
    }
    refused(&with("pricing", json!(["x402"])), "8257-3-03", "/pricing/0");
}

#[test]
fn amount_is_decimal_digits_without_leading_zeros() {
    for bad in ["01", "+1", "-1", "1.0", "", "1e3", " 1", "0x1", "１"] {
        refused(&with_entry("amount", bad), "8257-3-04", "/pricing/0/amount");
    }
    refused(&with_entry("amount", 1), "8257-3-03", "/pricing/0/amount");
    accepted(&with_entry("amount", "0"));
}

#[test]
fn amount_has_at_most_78_characters() {
    refused(
        &with_entry("amount", "1".repeat(79)),
        "8257-3-05",
        "/pricing/0/amount",
    );
    refused(
        &with_entry("amount", "1".repeat(200_000)),
        "8257-3-05",
        "/pricing/0/amount",
    );
}

#[test]
fn amount_is_at_most_2_to_the_256_minus_1() {
    accepted(&with_entry("amount", MAX));
    refused(
        &with_entry("amount", format!("{}6", &MAX[..77])),
        "8257-3-06",
        "/pricing/0/amount",
    );
    refused(
        &with_entry("amount", "9".repeat(78)),
        "8257-3-06",
        "/pricing/0/amount",
    );
}

#[test]
fn recipient_is_on_the_chain_of_the_asset() {
    refused(
        &with_entry("asset", "eip155:1/slip44:60"),
        "8257-3-07",
        "/pricing/0/recipient",
    );
}

#[test]
fn recipient_is_never_the_zero_address() {
    let bare = format!("eip155:8453:{}", "0".repeat(40));
    refused(
        &with_entry("recipient", bare),
        "8257-3-08",
        "/pricing/0/recipient",
    );
    let zero = format!("eip155:8453:0x{}", "0".repeat(40));
    refused(
        &with_entry("recipient", zero),
        "8257-3-08",
        "/pricing/0/recipient",
    );
}

/// Rules of other namespaces are theirs: what only they can judge is left alone (reading V-16).
#[test]
fn other_namespaces_are_not_judged_by_evm_rules() {
    let mut entry = entry();
    entry["asset"] = "cosmos:cosmoshub-3/slip44:118".into();
    entry["recipient"] = "cosmos:cosmoshub-3:cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0".into();
    let report = with("pricing", json!([entry]));
    accepted(&report);
    assert!(report.findings.is_empty());
}

#[test]
fn what_is_no_evm_address_on_an_evm_chain_is_warned_about() {
    warned(
        &with_entry("recipient", "eip155:8453:alice"),
        "8257-3-11",
        "/pricing/0/recipient",
    );
    warned(
        &with_entry("asset", "eip155:8453/erc20:usdc"),
        "8257-3-11",
        "/pricing/0/asset",
    );
}

#[test]
fn asset_is_a_caip_19_identifier() {
    for bad in [
        "8453:usdc",
        "",
        "eip155:8453",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "eip155:8453/erc20:",
        "eip155:8453/erc20:0x1/2/3",
    ] {
        let report = with_entry("asset", bad);
        assert!(
            find(&report, Severity::Refusal, "8257-3-17", "/pricing/0/asset").is_some(),
            "{bad}"
        );
    }
    let mut native = entry();
    native["asset"] = "eip155:1/slip44:60".into();
    native["recipient"] = RECIPIENT.replace("8453", "1").into();
    accepted(&with("pricing", json!([native])));
}

#[test]
fn recipient_is_a_caip_10_account() {
    for bad in [
        "0xabcdef0123456789abcdef0123456789abcdef01",
        "",
        "eip155:8453:",
        "eip155:8453:a b",
    ] {
        let report = with_entry("recipient", bad);
        assert!(
            find(
                &report,
                Severity::Refusal,
                "8257-3-18",
                "/pricing/0/recipient"
            )
            .is_some(),
            "{bad}"
        );
    }
}

#[test]
fn any_protocol_is_kept() {
    let report = with_entry("protocol", "some-new-thing");
    accepted(&report);
    assert_eq!(report.pricing.entries()[0].protocol, "some-new-thing");
}

#[test]
fn entries_keep_the_creators_order_and_the_first_supported_one_is_chosen() {
    let mut first = entry();
    first["protocol"] = "unheard-of".into();
    let mut second = entry();
    second["amount"] = "7".into();
    let report = with("pricing", json!([first, second, entry()]));
    let amounts: Vec<&str> = report
        .pricing
        .entries()
        .iter()
        .map(|price| price.amount.as_str())
        .collect();
    assert_eq!(amounts, ["20000", "7", "20000"]);
    let Choice::Pay(price) = report.pricing.choose(|protocol| protocol == "x402") else {
        panic!("{:?}", report.pricing);
    };
    assert_eq!(price.amount.as_str(), "7");
}

#[test]
fn no_supported_protocol_is_unknown_and_never_free() {
    let report = with("pricing", json!([entry()]));
    assert_eq!(report.pricing.choose(|_| false), Choice::Unknown);
}

#[test]
fn a_zero_amount_is_free_through_its_protocol() {
    let report = with_entry("amount", "0");
    assert!(
        matches!(report.pricing.choose(|_| true), Choice::Free(price) if price.protocol == "x402")
    );
    assert!(report.pricing.is_stated());
}

#[test]
fn absent_pricing_says_nothing_which_is_not_free() {
    let report = of(&baseline());
    assert_eq!(report.pricing, Pricing::Unstated);
    assert_eq!(report.pricing.choose(|_| true), Choice::Unstated);
}

/// A price that could not be read is not a price of nothing.
#[test]
fn unreadable_pricing_is_unknown() {
    for bad in [Json::Null, json!([]), json!([{"amount": "x"}])] {
        let report = with("pricing", bad);
        assert_eq!(report.pricing.choose(|_| true), Choice::Unknown);
    }
}
