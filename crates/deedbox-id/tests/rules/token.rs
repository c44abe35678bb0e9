use std::collections::{BTreeSet, HashSet};

use deedbox_id::{
    Alias, Found, InteropAddress, PartialIdentifier, Registry, TokenIdentifier, U256, error::code,
};

use crate::{REGISTRY, check, read, refused};

const BASE: &str = "0x0001000002210514d8da6bf26964af9d7eed9e03e53415d37aa96045";

fn at_registry(name: &str) -> String {
    format!("{name}@{REGISTRY}")
}

fn token(name: &str) -> TokenIdentifier {
    read(&at_registry(name))
}

/// All examples of ERC-8127.
#[test]
fn every_example_of_8127_is_read_in_its_form() {
    for (text, alias) in [("webdev", "webdev"), ("2344", "2344")] {
        assert_eq!(
            read::<PartialIdentifier>(text),
            PartialIdentifier::Alias(read(alias))
        );
    }
    for (text, alias, id) in [
        ("punk.2344", "punk", 2344),
        ("agent.235234", "agent", 235_234),
        ("coder.35523423", "coder", 35_523_423),
        (
            "silver-bullion-bar.58348729",
            "silver-bullion-bar",
            58_348_729,
        ),
        ("support-agent.3453", "support-agent", 3453),
    ] {
        let expected = PartialIdentifier::AliasAndId {
            alias: read(alias),
            token_id: U256::from(id),
        };
        assert_eq!(read::<PartialIdentifier>(text), expected);
        assert_eq!(expected.to_string(), text);
    }
    for (name, alias, id) in [
        ("neo.145", Some("neo"), 145),
        (
            "silver-bullion-bar.58348729",
            Some("silver-bullion-bar"),
            58_348_729,
        ),
        ("35523423", None, 35_523_423),
        ("webdev.42", Some("webdev"), 42),
        ("42", None, 42),
    ] {
        let token = token(name);
        assert_eq!(token.alias().map(Alias::as_str), alias);
        assert_eq!(token.token_id(), U256::from(id));
        assert_eq!(token.registry().to_string(), REGISTRY);
        let text = at_registry(name);
        assert_eq!(
            read::<PartialIdentifier>(&text),
            PartialIdentifier::Full(token)
        );
    }
}

/// 8127-fmt-01.
#[test]
fn a_full_identifier_needs_token_id_and_registry() {
    refused::<TokenIdentifier>(&at_registry("webdev"), 0, code::TOKEN_ID_MISSING);
    refused::<TokenIdentifier>(&at_registry("4a"), 1, code::TOKEN_ID_MISSING);
    refused::<TokenIdentifier>(&at_registry(""), 0, code::TOKEN_ID_MISSING);
    refused::<TokenIdentifier>(&at_registry("webdev."), 7, code::MISSING_PART);
    for text in ["", "webdev", "punk.2344", "42"] {
        refused::<TokenIdentifier>(text, text.len(), code::REGISTRY_MISSING);
    }
    refused::<TokenIdentifier>("42@", 3, code::HEX_PREFIX);
    refused::<TokenIdentifier>("42@0x", 5, code::TRUNCATED);
    refused::<PartialIdentifier>(&at_registry("webdev"), 0, code::TOKEN_ID_MISSING);
    refused::<PartialIdentifier>("punk.", 5, code::MISSING_PART);
    refused::<PartialIdentifier>("", 0, code::MISSING_PART);
}

/// 8127-fmt-02, 8127-fmt-11.
#[test]
fn an_alias_of_other_characters_is_refused_at_the_first_of_them() {
    for (alias, at) in [
        ("my_agent", 2),
        ("a b", 1),
        ("né", 1),
        ("a/b", 1),
        ("a%20", 1),
        ("a:b", 1),
        ("\u{0}", 0),
        ("а", 0),
    ] {
        refused::<Alias>(alias, at, code::CHARACTER);
        refused::<TokenIdentifier>(&at_registry(&format!("{alias}.1")), at, code::CHARACTER);
    }
    refused::<TokenIdentifier>(&at_registry(".1"), 0, code::MISSING_PART);
}

/// 8127-fmt-03.
#[test]
fn an_alias_has_no_hyphen_at_an_end() {
    for (alias, at) in [("-a", 0), ("a-", 1), ("-", 0), ("--", 0), ("ab-", 2)] {
        refused::<Alias>(alias, at, code::ALIAS_HYPHEN);
        refused::<TokenIdentifier>(&at_registry(&format!("{alias}.1")), at, code::ALIAS_HYPHEN);
    }
    assert_eq!(read::<Alias>("a--b").as_str(), "a--b");
}

/// Reading X-10.
#[test]
fn an_alias_has_at_most_63_characters() {
    assert_eq!(read::<Alias>(&"a".repeat(63)).as_str().len(), 63);
    refused::<Alias>(&"a".repeat(64), 63, code::TOO_LONG);
}

/// 8127-fmt-05 (reading X-08).
#[test]
fn an_alias_is_read_in_any_case_and_kept_in_lower() {
    assert_eq!(read::<Alias>("WebDev"), read::<Alias>("webdev"));
    assert_eq!(read::<Alias>("WEB-9").to_string(), "web-9");
}

/// 8127-fmt-06, reading X-11.
#[test]
fn a_token_id_is_a_decimal_number_in_one_spelling() {
    for (id, at, code) in [
        ("0x1", 0, code::HEX_NUMBER),
        ("-1", 0, code::CHARACTER),
        ("+1", 0, code::CHARACTER),
        ("1e3", 1, code::CHARACTER),
        ("1_000", 1, code::CHARACTER),
        ("١", 0, code::CHARACTER),
        (" 1", 0, code::CHARACTER),
        ("007", 0, code::LEADING_ZERO),
        ("00", 0, code::LEADING_ZERO),
    ] {
        let error = deedbox_id::decimal::parse(id).unwrap_err();
        check(&error, id, at, code);
        refused::<TokenIdentifier>(&at_registry(&format!("a.{id}")), 2 + at, code);
    }
    check(
        &deedbox_id::decimal::parse("1.5").unwrap_err(),
        "1.5",
        1,
        code::CHARACTER,
    );
    refused::<TokenIdentifier>(&at_registry("a.1.5"), 3, code::SECOND_DOT);
    refused::<TokenIdentifier>(&at_registry("007"), 0, code::LEADING_ZERO);
    refused::<TokenIdentifier>(&at_registry("-1"), 0, code::CHARACTER);
    refused::<TokenIdentifier>(&at_registry("0x1"), 0, code::HEX_NUMBER);
    assert_eq!(token("0").token_id(), U256::ZERO);
}

#[test]
fn a_token_id_reaches_to_2_to_the_256_minus_1() {
    let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    assert_eq!(token(most).token_id(), U256::MAX);
    assert_eq!(token(most).to_string(), at_registry(most));
    let over = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
    let error = deedbox_id::decimal::parse(over).unwrap_err();
    assert_eq!(error.code(), code::NUMBER_TOO_LARGE);
    let longer = "1".repeat(79);
    check(
        &deedbox_id::decimal::parse(&longer).unwrap_err(),
        &longer,
        78,
        code::NUMBER_TOO_LARGE,
    );
    for text in [
        "9999999999999999999",
        "10000000000000000000",
        "99999999999999999999999999999999999999",
    ] {
        assert_eq!(deedbox_id::decimal::parse(text).unwrap().to_string(), text);
    }
}

/// 8127-fmt-08 (reading X-12).
#[test]
fn a_registry_is_lower_case_hex_with_chain_and_contract() {
    let upper = REGISTRY.replace('d', "D");
    refused::<TokenIdentifier>(&format!("42@{upper}"), 3 + 16, code::HEX_CASE);
    refused::<TokenIdentifier>(
        "1@0x000100000014d8da6bf26964af9d7eed9e03e53415d37aa96045",
        2 + 10,
        code::CHAIN_MISSING,
    );
    refused::<TokenIdentifier>("1@0x00010000010100", 2 + 14, code::ADDRESS_MISSING);
    refused::<Registry>(
        "0x000100022045296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef000",
        76,
        code::ADDRESS_MISSING,
    );
    let alone: InteropAddress = read("0x00010000010100");
    check(
        &Registry::try_from(alone).unwrap_err(),
        "chain",
        6,
        code::ADDRESS_MISSING,
    );
    refused::<TokenIdentifier>(&format!("1@{}", &REGISTRY[2..]), 3, code::HEX_PREFIX);
    refused::<TokenIdentifier>(&format!("1@{REGISTRY}00"), 58, code::TRAILING_BYTES);
    // A registry need not be on an EVM chain.
    let other = "7@0x0001abcd02ffff01aa";
    assert_eq!(read::<TokenIdentifier>(other).to_string(), other);
}

/// 8127-fmt-09.
#[test]
fn a_second_dot_or_at_sign_is_refused_at_its_place() {
    refused::<TokenIdentifier>(&at_registry("a.b.1"), 3, code::SECOND_DOT);
    refused::<TokenIdentifier>(&at_registry("a.1.b"), 3, code::SECOND_DOT);
    refused::<TokenIdentifier>(&at_registry("a..1"), 2, code::SECOND_DOT);
    refused::<PartialIdentifier>("a.b.1", 3, code::SECOND_DOT);
    refused::<TokenIdentifier>(&format!("1@{REGISTRY}@{REGISTRY}"), 2 + 56, code::SECOND_AT);
    refused::<TokenIdentifier>(&format!("1@@{REGISTRY}"), 2, code::SECOND_AT);
    refused::<TokenIdentifier>(&format!("1@{REGISTRY}.1"), 2 + 56, code::CHARACTER);
}

/// 8127-fmt-12, 8127-sec-01.
#[test]
fn identity_is_token_id_and_registry_and_never_the_alias() {
    let (one, other) = (token("neo.1"), token("neo.2"));
    assert_ne!(one, other);
    assert_eq!(HashSet::from([one.clone(), other.clone()]).len(), 2);
    let same = [token("1"), one.clone(), token("trinity.1")];
    assert_eq!(same.iter().collect::<HashSet<_>>().len(), 1);
    assert_eq!(same.iter().collect::<BTreeSet<_>>().len(), 1);
    assert!(one < other);
    assert_ne!(one, read::<TokenIdentifier>(&format!("neo.1@{BASE}")));
}

/// 8127-can-01, 8127-fmt-04, 8127-sec-02.
#[test]
fn the_canonical_form_is_lower_case_with_the_alias_when_known() {
    let token = token("WebDev.42");
    assert_eq!(token.to_string(), at_registry("webdev.42"));
    assert_eq!(
        token.clone().with_alias(None).to_string(),
        at_registry("42")
    );
    let named =
        TokenIdentifier::new(U256::from(2344), read(REGISTRY)).with_alias(read::<Alias>("Punk"));
    assert_eq!(named.to_string(), at_registry("punk.2344"));
}

/// 8127-res-01, 8127-can-02.
#[test]
fn a_partial_form_is_looked_up_in_a_list_and_ambiguity_is_told() {
    let list = [
        token("neo.1"),
        token("neo.2"),
        token("punk.2344"),
        token("neo.1"),
        token("7"),
    ];
    let find = |text: &str| read::<PartialIdentifier>(text).find(&list);
    assert_eq!(find("punk"), Found::One(&list[2]));
    assert_eq!(find("Punk.2344"), Found::One(&list[2]));
    assert_eq!(find("neo"), Found::Ambiguous(vec![&list[0], &list[1]]));
    assert_eq!(find("neo.2"), Found::One(&list[1]));
    assert_eq!(find("neo.3"), Found::None);
    assert_eq!(find("7"), Found::None, "digits alone are an alias");
    assert_eq!(find(&at_registry("other.7")), Found::One(&list[4]));
    assert_eq!(find(&format!("7@{BASE}")), Found::None);
}
