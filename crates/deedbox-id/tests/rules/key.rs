use std::collections::HashMap;

use deedbox_id::{Error, Form, LooseKey, Oddity, StorageKey, error::code};

use crate::{check, read, refused};

fn parts(key: &StorageKey) -> (Form, &str, Vec<&str>) {
    (key.form(), key.label(), key.parameters().collect())
}

/// The valid keys of ERC-8119, those of its *Examples* and of its *Test Cases*.
#[test]
fn every_valid_key_of_8119_is_read() {
    use Form::{Bracket, Colon, Plain, Slash};

    for (text, form, label, parameters) in [
        ("name", Plain, "name", &[][..]),
        ("registration/1", Slash, "registration", &["1"]),
        ("registration:1", Colon, "registration", &["1"]),
        ("user/alice", Slash, "user", &["alice"]),
        ("user:alice", Colon, "user", &["alice"]),
        ("session/abc123", Slash, "session", &["abc123"]),
        (
            "website/http://website.com",
            Slash,
            "website",
            &["http://website.com"],
        ),
        ("name/María", Slash, "name", &["María"]),
        ("description/说明", Slash, "description", &["说明"]),
        ("title/タイトル", Slash, "title", &["タイトル"]),
        ("label/Étiquette", Slash, "label", &["Étiquette"]),
        (
            "key/value:with:colons",
            Slash,
            "key",
            &["value:with:colons"],
        ),
        ("key/one1 two2 three3", Slash, "key", &["one1 two2 three3"]),
        (
            "key/value/with/slashes",
            Slash,
            "key",
            &["value/with/slashes"],
        ),
        (
            "excerpt/Dan said \"hi: how are you?\"",
            Slash,
            "excerpt",
            &["Dan said \"hi: how are you?\""],
        ),
        (
            "quote/' space is the first character in the quote'",
            Slash,
            "quote",
            &["' space is the first character in the quote'"],
        ),
        ("user[alice]", Bracket, "user", &["alice"]),
        (
            "resource[chain][1][token][42]",
            Bracket,
            "resource",
            &["chain", "1", "token", "42"],
        ),
        ("title[说明][日本語]", Bracket, "title", &["说明", "日本語"]),
        ("%gain/50", Slash, "%gain", &["50"]),
        ("$price/100", Slash, "$price", &["100"]),
        ("#tag/featured", Slash, "#tag", &["featured"]),
    ] {
        let key: StorageKey = read(text);
        assert_eq!(parts(&key), (form, label, parameters.to_vec()), "{text:?}");
        assert_eq!(key.to_string(), text);
        assert!(LooseKey::from(key).oddities().is_empty());
    }
}

/// The invalid keys of ERC-8119; 8119-sec-03. `registration1` and `registration-1` are below.
#[test]
fn every_malformed_key_of_8119_is_refused() {
    refused::<StorageKey>("key/ value", 4, code::SEPARATOR_SPACE);
    refused::<StorageKey>("key label/value", 3, code::CHARACTER);
    refused::<StorageKey>("key[label", 3, code::BRACKET_OPEN);
    refused::<StorageKey>("key[]tail", 5, code::BRACKET_TAIL);
    refused::<StorageKey>("key/param[extra]", 9, code::MIXED_FORM);
}

/// 8119-plain-01 (reading X-06).
#[test]
fn a_key_without_a_separator_is_plain() {
    for text in ["name", "registration1", "registration-1", "a]b", "]"] {
        let key: StorageKey = read(text);
        assert_eq!(parts(&key), (Form::Plain, text, vec![]));
    }
}

/// 8119-lbl-01, 8119-lbl-02, 8119-sec-01.
#[test]
fn a_label_is_printable_ascii_without_space_and_separators() {
    for byte in 0_u8..=0x7f {
        let c = char::from(byte);
        let text = format!("a{c}b/1");
        match byte {
            0x00..=0x20 | 0x7f => {
                refused::<StorageKey>(&text, 1, code::CHARACTER);
                check(
                    &StorageKey::plain(&format!("a{c}")).unwrap_err(),
                    &text,
                    1,
                    code::CHARACTER,
                );
            }
            b'/' | b':' | b'[' => {
                let error = StorageKey::plain(&format!("a{c}b")).unwrap_err();
                check(&error, &text, 1, code::CHARACTER);
            }
            _ => assert_eq!(read::<StorageKey>(&text).label(), format!("a{c}b")),
        }
    }
    refused::<StorageKey>("é/x", 0, code::CHARACTER);
    refused::<StorageKey>("caf\u{e9}/x", 3, code::CHARACTER);
    check(
        &StorageKey::slash("a b", "1").unwrap_err(),
        "a b",
        1,
        code::CHARACTER,
    );
}

/// 8119-lbl-03.
#[test]
fn a_right_bracket_and_other_punctuation_are_legal_in_a_label() {
    for (text, label) in [("a]b/1", "a]b"), ("%gain/50", "%gain"), ("a][x]", "a]")] {
        assert_eq!(read::<StorageKey>(text).label(), label);
    }
}

/// Reading X-07.
#[test]
fn an_empty_label_is_refused_and_an_empty_parameter_is_read_but_not_built() {
    for text in ["", "/x", ":x", "[x]"] {
        refused::<StorageKey>(text, 0, code::LABEL_EMPTY);
    }
    for text in ["key/", "key:", "key[]"] {
        assert_eq!(
            read::<StorageKey>(text).parameters().collect::<Vec<_>>(),
            [""]
        );
        assert_eq!(
            read::<LooseKey>(text).oddities(),
            [Oddity::EmptyParameter { at: 4 }]
        );
    }
    let two = LooseKey::from(read::<StorageKey>("key[a][][b][]"));
    let places = [7, 12].map(|at| Oddity::EmptyParameter { at });
    assert_eq!(two.oddities(), places);
    assert_eq!(read::<LooseKey>("key[a][][b][]").oddities(), places);
    for error in [
        StorageKey::slash("key", ""),
        StorageKey::colon("key", ""),
        StorageKey::quoted("key", ""),
        StorageKey::bracket("key", ["a", ""]),
    ] {
        check(&error.unwrap_err(), "built", 0, code::PARAMETER_EMPTY);
    }
}

/// 8119-form-01 (reading X-04).
#[test]
fn a_key_uses_one_form_only() {
    refused::<StorageKey>("key:param[extra]", 9, code::MIXED_FORM);
    refused::<StorageKey>("key/[a]", 4, code::MIXED_FORM);
    refused::<StorageKey>("key[a]/b", 6, code::MIXED_FORM);
    refused::<StorageKey>("key[a]:b", 6, code::MIXED_FORM);
    check(
        &StorageKey::slash("key", "p[x]").unwrap_err(),
        "p[x]",
        1,
        code::MIXED_FORM,
    );
    check(
        &StorageKey::quoted("key", " p[x]").unwrap_err(),
        " p[x]",
        2,
        code::MIXED_FORM,
    );
}

/// 8119-form-02, 8119-form-03.
#[test]
fn everything_after_the_first_separator_is_one_parameter() {
    for (text, label, parameter) in [
        ("website/http://w.com", "website", "http://w.com"),
        ("key/value:a", "key", "value:a"),
        ("a:b/c", "a", "b/c"),
        ("a//", "a", "/"),
        ("a::", "a", ":"),
        ("a/x]", "a", "x]"),
    ] {
        let key: StorageKey = read(text);
        assert_eq!(key.label(), label);
        assert_eq!(key.parameters().collect::<Vec<_>>(), [parameter]);
    }
}

/// 8119-form-04, 8119-sec-02.
#[test]
fn a_space_right_after_the_separator_is_refused() {
    for (text, at) in [("key/ v", 4), ("key: v", 4), ("k/ v", 2), ("k/ ", 2)] {
        refused::<StorageKey>(text, at, code::SEPARATOR_SPACE);
    }
    for build in [StorageKey::slash, StorageKey::colon] {
        check(
            &build("k", " v").unwrap_err(),
            " v",
            0,
            code::SEPARATOR_SPACE,
        );
    }
}

/// 8119-form-05.
#[test]
fn spaces_elsewhere_in_a_parameter_are_fine() {
    for text in ["key/hello world", "key/a ", "key[ a]", "key/\u{3000}a"] {
        read::<StorageKey>(text);
    }
}

/// 8119-form-06.
#[test]
fn data_that_starts_with_a_space_is_wrapped_in_quotes() {
    let key = StorageKey::quoted("quote", " x").unwrap();
    assert_eq!(key.as_str(), "quote/' x'");
    let error = StorageKey::slash("quote", " x").unwrap_err();
    assert!(error.message().contains("quote"), "{error}");
}

/// 8119-form-07.
#[test]
fn bytes_that_are_not_utf8_are_refused_at_the_first_of_them() {
    type Read = fn(&[u8]) -> Result<(), Error>;

    let read: [Read; 2] = [
        |bytes| StorageKey::from_bytes(bytes).map(|_| ()),
        |bytes| LooseKey::from_bytes(bytes).map(|_| ()),
    ];
    for read in read {
        for (bytes, at) in [(&b"key/\x80"[..], 4), (b"key/a\xc3", 5), (b"\xff", 0)] {
            check(&read(bytes).unwrap_err(), "bytes", at, code::NOT_UTF8);
        }
        assert!(read("name/María".as_bytes()).is_ok());
    }
}

/// 8119-br-01 (reading X-05).
#[test]
fn brackets_hold_one_or_more_parameters_in_order() {
    for (text, parameters) in [
        ("resource[chain][1]", &["chain", "1"][..]),
        ("endpoint[http://x]", &["http://x"]),
        ("k[a:b][c/d]", &["a:b", "c/d"]),
        ("k[a[b]", &["a[b"]),
        ("k[a][[b]", &["a", "[b"]),
        ("k[ ]", &[" "]),
    ] {
        let key: StorageKey = read(text);
        assert_eq!(key.form(), Form::Bracket);
        assert_eq!(key.parameters().collect::<Vec<_>>(), parameters);
        assert_eq!(
            StorageKey::bracket(key.label(), parameters.iter().copied()).unwrap(),
            key
        );
    }
    let none = StorageKey::bracket("k", []).unwrap_err();
    check(&none, "none", 0, code::MISSING_PART);
}

/// 8119-br-02.
#[test]
fn a_bracketed_parameter_with_a_right_bracket_is_not_built() {
    let error = StorageKey::bracket("k", ["x", "a]b"]).unwrap_err();
    check(&error, "a]b", 1, code::BRACKET_INSIDE);
}

/// 8119-br-03.
#[test]
fn nothing_follows_the_last_bracket() {
    refused::<StorageKey>("key[]tail", 5, code::BRACKET_TAIL);
    refused::<StorageKey>("key[a]]", 6, code::BRACKET_TAIL);
    refused::<StorageKey>("key[a] [b]", 6, code::BRACKET_TAIL);
    refused::<StorageKey>("key[a]é", 6, code::BRACKET_TAIL);
}

/// 8119-br-04.
#[test]
fn every_bracket_is_closed() {
    refused::<StorageKey>("key[label", 3, code::BRACKET_OPEN);
    refused::<StorageKey>("key[a][b", 6, code::BRACKET_OPEN);
    refused::<StorageKey>("key[", 3, code::BRACKET_OPEN);
}

/// Reading X-03.
#[test]
fn spellings_that_differ_in_the_separator_are_distinct_and_comparable() {
    let keys = ["a/1", "a:1", "a[1]"].map(read::<StorageKey>);
    for (index, one) in keys.iter().enumerate() {
        for (other_index, other) in keys.iter().enumerate() {
            assert_eq!(one == other, index == other_index);
            assert!(one.same_label_and_parameters(other));
        }
        for different in ["a", "a/2", "A/1", "a[1][1]", "a/"] {
            assert!(
                !one.same_label_and_parameters(&read(different)),
                "{one} {different}"
            );
        }
    }
    let stored: HashMap<StorageKey, u8> = keys.into_iter().zip(0..).collect();
    assert_eq!(stored.get("a:1"), Some(&1));
    assert_eq!(stored.len(), 3);
}

/// Readings.
#[test]
fn loose_reading_tells_what_is_odd_and_keeps_the_text() {
    for (text, label, parameter, oddities) in [
        (
            "service: 1",
            "service",
            "1",
            vec![Oddity::SpaceAfterSeparator { at: 8 }],
        ),
        (
            "name:  Maria ",
            "name",
            "Maria ",
            vec![Oddity::SpaceAfterSeparator { at: 5 }],
        ),
        (
            "key/param[extra]",
            "key",
            "param[extra]",
            vec![Oddity::MixedForm { at: 9 }],
        ),
        (
            "key/ p[e]",
            "key",
            "p[e]",
            vec![
                Oddity::SpaceAfterSeparator { at: 4 },
                Oddity::MixedForm { at: 6 },
            ],
        ),
        (
            "key/ ",
            "key",
            "",
            vec![
                Oddity::SpaceAfterSeparator { at: 4 },
                Oddity::EmptyParameter { at: 5 },
            ],
        ),
        ("service/1", "service", "1", vec![]),
    ] {
        let key: LooseKey = read(text);
        assert_eq!((key.as_str(), key.label()), (text, label));
        assert_eq!(key.parameters().collect::<Vec<_>>(), [parameter]);
        assert_eq!(key.oddities(), oddities, "{text:?}");
        assert_eq!(key.strict().is_ok(), oddities.is_empty(), "{text:?}");
    }
    assert!(read::<LooseKey>("service: 1").same_label_and_parameters(&read("service/1")));
    for text in [
        "key label/v",
        "key[label",
        "key[]tail",
        "key[a]/b",
        "/x",
        "",
    ] {
        let strict = text.parse::<StorageKey>().unwrap_err();
        refused::<LooseKey>(text, strict.at(), strict.code());
    }
}
