//! Where a manifest may be registered (ERC-8257 §6): judged on the `metadataURI` alone, before anything is fetched.

use deedbox_manifest::{
    WellKnown,
    url::{HttpsUrl, is_label},
    well_known::{UriFault, UriFaultKind},
};
use proptest::prelude::*;

/// The rules that a `metadataURI` breaks.
fn broken(uri: &str) -> Vec<&'static str> {
    WellKnown::read(uri)
        .err()
        .unwrap_or_default()
        .iter()
        .map(UriFault::rule)
        .collect()
}

fn slug(slug: &str) -> String {
    format!("https://tools.example.com/.well-known/ai-tool/{slug}.json")
}

#[test]
fn the_standards_examples_are_well_known() {
    for (uri, origin, slug) in [
        (
            "https://weather-oracle.example.com/.well-known/ai-tool/weather.json",
            "https://weather-oracle.example.com",
            "weather",
        ),
        (
            "https://opensea.io/.well-known/ai-tool/search.json",
            "https://opensea.io",
            "search",
        ),
        (
            "https://x.example:8443/.well-known/ai-tool/a.json",
            "https://x.example:8443",
            "a",
        ),
    ] {
        let found = WellKnown::read(uri).unwrap();
        assert_eq!(
            (found.origin.to_string().as_str(), found.slug.as_str()),
            (origin, slug)
        );
        assert!(found.normalised);
        assert_eq!(found.to_string(), uri);
    }
}

#[test]
fn a_slug_is_lower_case_letters_digits_and_inner_hyphens() {
    for bad in ["-a", "a-", "A", "a_b", "a.b", "a\u{e9}b", "a b", "-"] {
        let found = broken(&slug(bad));
        assert!(found.contains(&"8257-6-02"), "{bad}: {found:?}");
    }
    for good in ["a", "0", "a-b", "a--b", "nft-price-oracle"] {
        assert!(broken(&slug(good)).is_empty(), "{good}");
    }
}

#[test]
fn a_slug_has_1_to_64_characters() {
    assert!(broken(&slug(&"a".repeat(64))).is_empty());
    assert_eq!(broken(&slug(&"a".repeat(65))), ["8257-6-03"]);
    assert_eq!(broken(&slug("")), ["8257-6-12"]);
}

#[test]
fn a_percent_encoded_slug_is_refused_and_never_decoded() {
    assert_eq!(broken(&slug("%61bc")), ["8257-6-14"]);
    assert_eq!(broken(&slug("a%2db")), ["8257-6-14"]);
}

#[test]
fn the_path_is_verbatim() {
    let origin = "https://tools.example.com";
    for path in [
        "/.well-known/ai-tool/x.json/",
        "/manifest.json",
        "/.well-known/ai-tool/x",
        "/.well-known/ai-tool/x.JSON",
        "/.well-known/AI-tool/x.json",
        "/.Well-Known/ai-tool/x.json",
        "//.well-known/ai-tool/x.json",
        "/a/.well-known/ai-tool/x.json",
        "/.well-known/ai-tool/a/x.json",
        "/.well-known/ai-tool//x.json",
        "/.well-known//ai-tool/x.json",
        "/%2ewell-known/ai-tool/x.json",
        "/.well-known/erc8257-manifest.json",
        "",
        "/",
    ] {
        assert_eq!(broken(&format!("{origin}{path}")), ["8257-6-12"], "{path}");
    }
}

#[test]
fn a_query_or_fragment_is_refused_even_when_empty() {
    for tail in ["?", "#", "?a=1", "#f", "?#"] {
        assert_eq!(
            broken(&format!("{}{tail}", slug("x"))),
            ["8257-6-13"],
            "{tail}"
        );
    }
}

#[test]
fn only_https_is_permitted() {
    for bad in [
        "http://tools.example.com/.well-known/ai-tool/x.json",
        "ipfs://bafy/.well-known/ai-tool/x.json",
        "data:application/json,{}",
        "tools.example.com/.well-known/ai-tool/x.json",
        "",
        "https:/tools.example.com/.well-known/ai-tool/x.json",
    ] {
        assert!(
            broken(bad).contains(&"8257-6-15"),
            "{bad}: {:?}",
            broken(bad)
        );
    }
}

#[test]
fn a_u_label_host_is_refused() {
    assert_eq!(
        broken("https://bücher.example/.well-known/ai-tool/x.json"),
        ["8257-6-11"]
    );
    assert!(broken("https://xn--bcher-kva.example/.well-known/ai-tool/x.json").is_empty());
}

/// Compared after normalisation, so that these are the same address; what is written on chain should be the last.
#[test]
fn scheme_host_and_default_port_are_normalised() {
    for uri in [
        "HTTPS://tools.example.com/.well-known/ai-tool/x.json",
        "https://Tools.Example.COM/.well-known/ai-tool/x.json",
        "https://tools.example.com:443/.well-known/ai-tool/x.json",
    ] {
        let found = WellKnown::read(uri).unwrap();
        assert!(!found.normalised, "{uri}");
        assert_eq!(found.to_string(), slug("x"));
    }
}

#[test]
fn another_port_is_kept() {
    let found =
        WellKnown::read("https://tools.example.com:8443/.well-known/ai-tool/x.json").unwrap();
    assert_eq!(found.origin.port(), 8443);
}

/// There is one right spelling, so that whatever software rewrites silently is refused (reading M-13).
#[test]
fn oddities_that_parsers_rewrite_are_refused() {
    for odd in [
        "https://u@tools.example.com/.well-known/ai-tool/x.json",
        "https://tools.example.com./.well-known/ai-tool/x.json",
        "https://tools.example.com:/.well-known/ai-tool/x.json",
        "https://tools.example.com:0443/.well-known/ai-tool/x.json",
        "https://tools.example.com:08443/.well-known/ai-tool/x.json",
        "https://[0:0::1]/.well-known/ai-tool/x.json",
        "https://2130706433/.well-known/ai-tool/x.json",
        "https://tools.example.com\\/.well-known/ai-tool/x.json",
        "https://tools.\texample.com/.well-known/ai-tool/x.json",
        "https://tools.example.com/a/../.well-known/ai-tool/x.json",
    ] {
        assert!(WellKnown::read(odd).is_err(), "{odd}");
    }
    // The syntax is right; that nobody may go there is a rule about fetching.
    assert!(broken("https://127.0.0.1/.well-known/ai-tool/x.json").is_empty());
    assert!(broken("https://[::1]/.well-known/ai-tool/x.json").is_empty());
}

#[test]
fn at_most_2048_bytes() {
    let uri = format!(
        "https://{}.example/.well-known/ai-tool/x.json",
        "a".repeat(2100)
    );
    let faults = WellKnown::read(&uri).unwrap_err();
    assert!(
        matches!(faults[0].kind, UriFaultKind::TooLong(2143)),
        "{faults:?}"
    );
}

#[test]
fn every_fault_is_told_and_points_into_the_text() {
    let uri = "https://ü@h.example/x?y";
    let faults = WellKnown::read(uri).unwrap_err();
    assert!(faults.len() >= 3, "{faults:?}");
    for fault in faults {
        assert!(uri.get(fault.at.clone()).is_some(), "{fault:?}");
        assert!(!fault.to_string().is_empty() && !fault.fix().is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged_without_panic_and_places_are_within_it(text in "(?s)(https://)?.{0,40}") {
        for fault in HttpsUrl::read(&text).faults() {
            prop_assert!(text.get(fault.at.clone()).is_some(), "{fault:?} in {text:?}");
        }
        for fault in WellKnown::read(&text).err().unwrap_or_default() {
            prop_assert!(text.get(fault.at.clone()).is_some(), "{fault:?} in {text:?}");
        }
    }

    #[test]
    fn normalising_twice_is_normalising_once(text in "(?i:https)://[a-zA-Z0-9.-]{1,20}(:443|:8443)?/[a-zA-Z%?#]{0,10}") {
        if let Some(once) = HttpsUrl::read(&text).normalised() {
            let again = HttpsUrl::read(&once);
            prop_assert_eq!(again.normalised(), Some(once.clone()));
            prop_assert_eq!(again.origin(), HttpsUrl::read(&text).origin());
        }
    }

    /// Whatever is accepted as an address is what a WHATWG parser makes of it, to the last byte.
    #[test]
    fn an_accepted_address_means_the_same_to_a_usual_parser(
        host in "[a-z0-9.\\[\\]:@%\\\\xX-]{1,24}",
        name in "[a-z0-9%./-]{1,12}",
    ) {
        let uri = format!("https://{host}/.well-known/ai-tool/{name}.json");
        if WellKnown::read(&uri).is_ok_and(|found| found.normalised && !found.origin.host().starts_with('[')) {
            let usual = url::Url::parse(&uri).unwrap();
            prop_assert_eq!(usual.as_str(), uri.as_str());
        }
    }

    #[test]
    fn a_label_is_what_its_expression_says(text in "[a-zA-Z0-9_.-]{0,6}") {
        let expression = "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$";
        let matched = jsonschema::validator_for(&serde_json::json!({"pattern": expression})).unwrap();
        prop_assert_eq!(is_label(&text), matched.is_valid(&serde_json::json!(text)));
    }
}
