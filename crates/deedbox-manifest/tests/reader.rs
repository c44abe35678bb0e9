//! What the reader refuses, where it says so, and what it notices.

use deedbox_manifest::{Document, Kind, Limits, NoteKind, ReadError, ReadErrorKind, Syntax, Value};

fn read(source: &str) -> Result<Document<'_>, ReadError> {
    Document::read(source.as_bytes(), &Limits::MANIFEST)
}

#[expect(
    clippy::panic,
    reason = "what should be refused and is read has failed"
)]
fn refused(source: &[u8]) -> ReadError {
    match Document::read(source, &Limits::MANIFEST) {
        Ok(_) => panic!("was read: {}", String::from_utf8_lossy(source)),
        Err(error) => error,
    }
}

#[test]
fn what_leaves_the_grammar_is_refused_at_its_place() {
    for (source, syntax, at, end) in [
        ("", Syntax::Ended, 0, 0),
        (" \n", Syntax::Ended, 2, 2),
        ("[", Syntax::Ended, 1, 1),
        ("[1", Syntax::Ended, 2, 2),
        ("[1,", Syntax::Ended, 3, 3),
        (r#"{"a":1"#, Syntax::Ended, 6, 6),
        (r#"{"a""#, Syntax::Ended, 4, 4),
        ("nul", Syntax::Value, 0, 1),
        ("True", Syntax::Value, 0, 1),
        ("NaN", Syntax::Value, 0, 1),
        ("+1", Syntax::Value, 0, 1),
        (".5", Syntax::Value, 0, 1),
        ("é", Syntax::Value, 0, 2),
        ("'a'", Syntax::Value, 0, 1),
        ("// no", Syntax::Value, 0, 1),
        ("\u{a0}1", Syntax::Value, 0, 2),
        ("\u{c}1", Syntax::Value, 0, 1),
        ("]", Syntax::Value, 0, 1),
        ("[,1]", Syntax::ValueOrEnd, 1, 2),
        ("[}", Syntax::ValueOrEnd, 1, 2),
        ("[1,,2]", Syntax::Value, 3, 4),
        ("[1 2]", Syntax::CommaOrEnd, 3, 4),
        ("[1}", Syntax::CommaOrEnd, 2, 3),
        ("[truex]", Syntax::CommaOrEnd, 5, 6),
        (r#"{"a":1]"#, Syntax::CommaOrEnd, 6, 7),
        ("[1, ]", Syntax::TrailingComma, 2, 3),
        (r#"{"a":1,}"#, Syntax::TrailingComma, 6, 7),
        ("{1:2}", Syntax::NameOrEnd, 1, 2),
        ("{a:2}", Syntax::NameOrEnd, 1, 2),
        ("{,}", Syntax::NameOrEnd, 1, 2),
        (r#"{"a":1,b:2}"#, Syntax::Name, 7, 8),
        (r#"{"a" 1}"#, Syntax::Colon, 5, 6),
        (r#"{"a":}"#, Syntax::Value, 5, 6),
        ("1 2", Syntax::AfterEnd, 2, 3),
        ("{}{}", Syntax::AfterEnd, 2, 4),
        ("[]]", Syntax::AfterEnd, 2, 3),
        ("1\0", Syntax::AfterEnd, 1, 2),
        ("01", Syntax::LeadingZero, 0, 2),
        ("-007", Syntax::LeadingZero, 1, 4),
        ("-", Syntax::Ended, 1, 1),
        ("-a", Syntax::Digit, 1, 2),
        ("[1.]", Syntax::Digit, 3, 4),
        ("[1.e5]", Syntax::Digit, 3, 4),
        ("[1e]", Syntax::Digit, 3, 4),
        ("[1e+]", Syntax::Digit, 4, 5),
        ("0x10", Syntax::AfterEnd, 1, 4),
        ("\"a\nb\"", Syntax::ControlCharacter, 2, 3),
        (
            "\"a longer text before\0\"",
            Syntax::ControlCharacter,
            21,
            22,
        ),
        ("\"abc", Syntax::Unclosed, 0, 1),
        (r#"["abc\"]"#, Syntax::Unclosed, 1, 2),
        (r#""\x41""#, Syntax::Escape, 1, 3),
        (r#""\é""#, Syntax::Escape, 1, 4),
        (r#""\"#, Syntax::Escape, 1, 2),
        (r#""\u12""#, Syntax::UnicodeEscape, 1, 3),
        (r#""\u12g4""#, Syntax::UnicodeEscape, 1, 3),
        (r#""\u+123""#, Syntax::UnicodeEscape, 1, 3),
        (r#""\U0041""#, Syntax::Escape, 1, 3),
    ] {
        let error = refused(source.as_bytes());
        assert_eq!(error.kind, ReadErrorKind::Syntax(syntax), "{source:?}");
        assert_eq!(error.span(), at..end, "{source:?}");
        assert!(!error.to_string().is_empty() && !error.fix().is_empty());
    }
}

#[test]
fn a_byte_order_mark_is_refused_and_never_stripped() {
    let error = refused(b"\xEF\xBB\xBF{}");
    assert_eq!(
        (error.kind.clone(), error.span()),
        (ReadErrorKind::ByteOrderMark, 0..3)
    );
    assert_eq!(error.rule(), "8257-2c-09");
    // Elsewhere the character is an ordinary one in a string, and no white space.
    assert!(read("\"\u{FEFF}\"").is_ok());
    assert_eq!(refused("{}\u{FEFF}".as_bytes()).at, 2);
}

#[test]
fn bytes_that_are_not_utf8_are_refused_at_the_first_of_them() {
    for (source, at, end) in [
        (&b"\"ab\xFFc\""[..], 3, 4),
        (b"\"\xC0\x80\"", 1, 2),
        (b"\"\xED\xA0\x80\"", 1, 2),
        (b"\"\xF4\x90\x80\x80\"", 1, 2),
        (b"\"\xE2\x82\"", 1, 3),
        (b"\"\xE2\x82", 1, 3),
        (b"\xFF\xFE{\0}\0", 0, 1),
    ] {
        let error = refused(source);
        assert_eq!(error.kind, ReadErrorKind::NotUtf8, "{source:x?}");
        assert_eq!(error.span(), at..end, "{source:x?}");
    }
}

#[test]
fn half_of_a_surrogate_pair_is_refused() {
    for (source, at) in [
        (r#""\uD800""#, 1),
        (r#""x\uDFFF""#, 2),
        (r#""\uD83D\n""#, 1),
        (r#""\uD83D\u0041""#, 1),
        (r#""\uD83D\uD83D\uDE00""#, 1),
        (r#""\uDE00\uD83D""#, 1),
        (r#"{"\uD800":1}"#, 2),
    ] {
        let error = refused(source.as_bytes());
        assert_eq!(error.kind, ReadErrorKind::LoneSurrogate, "{source}");
        assert_eq!(error.span(), at..at + 6, "{source}");
    }
    assert_eq!(
        read(r#""\ud83d\uDE00""#).unwrap().root().as_str(),
        Some("😀")
    );
}

#[test]
fn escapes_are_decoded() {
    let document =
        read(r#"["\"\\\/\b\f\n\r\t","\u0000\u00e9\u20AC\uFFFF","a\u0062c",""]"#).unwrap();
    let texts: Vec<_> = document
        .root()
        .elements()
        .unwrap()
        .map(|v| v.as_str().unwrap())
        .collect();
    assert_eq!(texts, ["\"\\/\u{8}\u{c}\n\r\t", "\0é€\u{FFFF}", "abc", ""]);
}

#[test]
fn a_name_that_is_there_twice_is_refused_at_any_depth_by_its_second_place() {
    for (source, first, span) in [
        (r#"{"a":1,"a":2}"#, 1, 7..10),
        (r#"{"a":1,"b":2,"\u0061":2}"#, 1, 13..21),
        (r#"[{"x":{"":[],"":1}}]"#, 7, 13..15),
        (r#"{"a":1,"b":1,"b":2,"a":2}"#, 7, 13..16),
        (r#"{"a":1,"a":2,"a":3}"#, 1, 7..10),
        (r#"{"a":{"b":1,"c":2},"a":3}"#, 1, 19..22),
        (
            r#"{"a long name, the same":1,"a long name, the same":2}"#,
            1,
            27..50,
        ),
    ] {
        let error = refused(source.as_bytes());
        assert!(
            matches!(error.kind, ReadErrorKind::DuplicateName { first: f, .. } if f == first),
            "{source}: {error:?}"
        );
        assert_eq!(error.span(), span, "{source}");
        assert_eq!(error.rule(), "8257-2c-17");
    }
    // Neither another object's, nor another spelling of what only looks alike.
    assert!(
        read("{\"a\":{\"a\":{\"a\":1}},\"A\":1,\"caf\u{e9}\":1,\"cafe\u{301}\":1,\"a\\u0000\":1}")
            .is_ok()
    );
}

#[test]
fn a_number_beyond_the_doubles_is_refused() {
    for source in [
        "1e400",
        "-1e309",
        "1.7976931348623159e308",
        &"9".repeat(400),
        "1e99999999999999999999",
    ] {
        let error = refused(source.as_bytes());
        assert_eq!(error.kind, ReadErrorKind::NumberTooLarge, "{source}");
        assert_eq!(error.span(), 0..source.len());
    }
    assert_eq!(
        read("1.7976931348623157e308").unwrap().root().as_f64(),
        Some(f64::MAX)
    );
    assert_eq!(read("0e400").unwrap().root().as_f64(), Some(0.0));
}

#[test]
fn the_size_ceiling_holds_to_the_byte() {
    let text = |len: usize| format!("\"{}\"", "a".repeat(len - 2));
    assert!(read(&text(1 << 20)).is_ok());
    let error = refused(text((1 << 20) + 1).as_bytes());
    let (limit, found) = (1 << 20, (1 << 20) + 1);
    assert_eq!(error.kind, ReadErrorKind::TooLarge { limit, found });
    assert_eq!(error.rule(), "8257-parse-01");
}

#[test]
fn the_depth_ceiling_holds_to_the_level() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(64)).is_ok());
    let error = refused(nested(65).as_bytes());
    assert_eq!(
        (error.kind, error.at),
        (ReadErrorKind::TooDeep { limit: 64 }, 64)
    );
    let error = refused("{\"a\":".repeat(200_000).as_bytes());
    assert_eq!(
        (error.kind, error.at),
        (ReadErrorKind::TooDeep { limit: 64 }, 64 * 5)
    );

    let mut limits = Limits::MANIFEST;
    limits.depth = usize::MAX;
    assert!(Document::read(nested(Limits::DEEPEST).as_bytes(), &limits).is_ok());
    let error = Document::read(nested(Limits::DEEPEST + 1).as_bytes(), &limits).unwrap_err();
    assert_eq!(
        error.kind,
        ReadErrorKind::TooDeep {
            limit: Limits::DEEPEST
        }
    );
}

#[test]
fn the_ceiling_on_values_holds_to_the_value() {
    let wide = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
    assert!(read(&wide(1 << 16)).is_ok());
    let error = refused(wide((1 << 16) + 1).as_bytes());
    assert_eq!(error.kind, ReadErrorKind::TooManyNodes { limit: 1 << 16 });
    assert_eq!(error.rule(), "8257-M-20");
    // Names are not counted, but there is one value for each.
    let members = |n: usize| {
        let members: Vec<_> = (0..n).map(|i| format!("\"{i}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    assert!(read(&members((1 << 16) - 1)).is_ok());
    assert!(read(&members(1 << 16)).is_err());
}

#[test]
fn what_is_noticed_does_not_refuse() {
    let source = "{\"cafe\u{301}\":1e-400,\"b\":[9007199254740993,\"e\u{301}\",\"\\u0065\\u0301\",\"é\",0.1]}";
    let document = read(source).unwrap();
    let notes: Vec<_> = document
        .notes()
        .map(|note| (note.kind, note.value.pointer(), &source[note.span]))
        .collect();
    assert_eq!(
        notes,
        [
            (
                NoteKind::NameNotNfc,
                "/cafe\u{301}".to_owned(),
                "\"cafe\u{301}\""
            ),
            (NoteKind::Underflow, "/cafe\u{301}".to_owned(), "1e-400"),
            (NoteKind::Inexact, "/b/0".to_owned(), "9007199254740993"),
            (NoteKind::StringNotNfc, "/b/1".to_owned(), "\"e\u{301}\""),
            (
                NoteKind::StringNotNfc,
                "/b/2".to_owned(),
                "\"\\u0065\\u0301\""
            ),
        ]
    );
}

#[test]
fn nfc_is_judged_by_the_whole_text_not_by_each_character() {
    for (text, is_nfc) in [
        ("plain", true),
        ("caf\u{e9}", true),
        ("cafe\u{301}", false),
        // Nothing precomposed exists, so the combining mark stays.
        ("x\u{301}", true),
        // Two marks in the wrong order.
        ("x\u{301}\u{323}", false),
        ("x\u{323}\u{301}", true),
        // Singletons, and what composition excludes.
        ("\u{212B}", false),
        ("\u{2126}", false),
        ("\u{958}", false),
        ("\u{FB33}", false),
        // Hangul: letters that make a syllable.
        ("\u{1100}\u{1161}", false),
        ("\u{AC00}", true),
        ("\u{AC00}\u{11A8}", false),
        ("😀 日本語 ﬁ", true),
        ("\u{1D15E}", false),
        // New in Unicode 16.0: a decomposition that older tables do not know.
        ("\u{105D2}\u{307}", false),
        ("\u{105C9}", true),
    ] {
        let source = format!("\"{text}\"");
        let document = read(&source).unwrap();
        assert_eq!(document.notes().len() == 0, is_nfc, "{text:?}");
    }
}

#[test]
fn every_value_knows_its_place() {
    let source = r#" { "a/b": [ 10, {"~": "x\ty"} ], "": {"é": [[], {}, true, null]} } "#;
    let document = read(source).unwrap();
    let root = document.root();
    let find = |pointer: &str| {
        let mut todo = vec![root];
        while let Some(value) = todo.pop() {
            if value.pointer() == pointer {
                return value;
            }
            todo.extend(value.elements().into_iter().flatten());
            todo.extend(
                value
                    .members()
                    .into_iter()
                    .flatten()
                    .map(|member| member.value),
            );
        }
        panic!("no value at {pointer}");
    };
    for (pointer, text) in [
        ("", source.trim()),
        ("/a~1b", r#"[ 10, {"~": "x\ty"} ]"#),
        ("/a~1b/0", "10"),
        ("/a~1b/1", r#"{"~": "x\ty"}"#),
        ("/a~1b/1/~0", r#""x\ty""#),
        ("/", r#"{"é": [[], {}, true, null]}"#),
        ("/é", ""),
        ("//é/0", "[]"),
        ("//é/1", "{}"),
        ("//é/2", "true"),
        ("//é/3", "null"),
    ] {
        if text.is_empty() {
            assert!(root.get("é").is_none());
            continue;
        }
        let value = find(pointer);
        assert_eq!(value.source_text(), text);
        assert_eq!(&source[value.span()], text);
        let serde: serde_json::Value = serde_json::from_str(source).unwrap();
        assert_eq!(serde.pointer(pointer), Some(&value.to_serde()), "{pointer}");
    }
    let array = root.get("a/b").unwrap();
    assert_eq!(array.name(), Some("a/b"));
    assert_eq!(array.len(), 2);
    assert_eq!(array.parent().map(Value::pointer).as_deref(), Some(""));
    let names: Vec<_> = root
        .members()
        .unwrap()
        .map(|m| &source[m.name_span])
        .collect();
    assert_eq!(names, [r#""a/b""#, r#""""#]);
    assert_eq!(
        array.elements().unwrap().next().unwrap().number_text(),
        Some("10")
    );
    assert_eq!(root.kind(), Kind::Object);
    assert!(array.get("a").is_none() && root.get("A/b").is_none());
}

#[test]
fn numbers_for_a_schema_are_those_that_are_hashed() {
    for (source, json) in [
        ("1.0", "1"),
        ("-0.0", "0"),
        ("1e2", "100"),
        ("0.5", "0.5"),
        ("9007199254740993", "9007199254740992"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("18446744073709549568", "18446744073709549568"),
        ("1e19", "10000000000000000000"),
        ("1e300", "1e+300"),
    ] {
        let got = read(source).unwrap().root().to_serde();
        assert_eq!(got.to_string(), json, "{source}");
    }
}
