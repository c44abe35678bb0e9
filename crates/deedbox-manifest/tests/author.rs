//! Repairs for authors: what they change, what they leave, and that nothing else moves.

use deedbox_manifest::{
    Document, Limits, Verdict,
    author::{Normalised, normalise},
    check,
};
use proptest::prelude::*;

fn manifest(extra: &str) -> String {
    format!(
        r#"{{
	"type" : "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
	"name":"t", "description":"d", {extra}
	"endpoint":"https://ex.com/x",
	"inputs":{{}} ,"outputs":{{}},
	"creatorAddress":"0xabcdefabcdef1234567890abcdefabcdef123456"
}}
"#
    )
}

fn applied(source: &str, normalised: &Normalised) -> String {
    let mut text = source.to_owned();
    for edit in normalised.edits.iter().rev() {
        assert_eq!(&source[edit.span.clone()], edit.before);
        assert!(!edit.reasons.is_empty());
        text.replace_range(edit.span.clone(), &edit.after);
    }
    text
}

#[test]
fn a_manifest_in_normal_form_comes_back_as_it_was() {
    let source = manifest(r#""x-a\u0062c": ["\u00e9", 1.0, "\/"],"#);
    let normalised = normalise(source.as_bytes()).unwrap();
    assert_eq!(normalised.text, source);
    assert_eq!(normalised.edits, []);
    assert_eq!(normalised.left, []);
    assert_eq!(normalised.hash_before, normalised.hash_after);
}

#[test]
fn what_authors_usually_get_wrong_is_repaired_and_told() {
    let source = manifest(
        "\"image\" : \"HTTPS://Ex.com:443/A\",\n\
         \t\"cafe\u{301}\":\"e\u{301}\", \"ascii\":\"\\u0065\\u0301 \\ud83d\\ude00 \\\"\",\n\
         \t\"pricing\":[{\"amount\":\"1\",\"asset\":\"eip155:1/erc20:0xABCDEFabcdef1234567890abcdefabcdef123456\",\
         \"recipient\":\"eip155:1:0xABCDEFabcdef1234567890abcdefabcdef123456\",\"protocol\":\"x402\"}],\n\
         \t\"access\":{\"logic\":\"AND\",\"requirements\":[{\"kind\":\"0xABCD1234\",\"data\":\"0xFF\",\"label\":\"l\",\
         \"links\":{\"buy\":\"https://Ex.com/Buy\"}}]},",
    )
    .replace("0xabcdef", "0xABCdef")
    .replace("https://ex.com/x", "https://b\u{fc}cher.example/x");
    assert_eq!(check(source.as_bytes()).verdict, Verdict::Refused);

    let normalised = normalise(source.as_bytes()).unwrap();
    let told: Vec<_> = normalised
        .edits
        .iter()
        .map(|edit| {
            let rules: Vec<_> = edit.reasons.iter().map(|reason| reason.rule).collect();
            (edit.pointer.as_str(), edit.after.as_str(), rules.join(" "))
        })
        .collect();
    let hex = "8257-2c-10".to_owned();
    assert_eq!(
        told,
        [
            (
                "/image",
                "\"https://ex.com/A\"",
                "8257-6-08 8257-6-09".to_owned()
            ),
            ("/cafe\u{301}", "\"caf\u{e9}\"", "8257-M-04".to_owned()),
            ("/cafe\u{301}", "\"\u{e9}\"", "8257-2c-05".to_owned()),
            (
                "/ascii",
                "\"\\u00e9 \\ud83d\\ude00 \\\"\"",
                "8257-2c-05".to_owned()
            ),
            (
                "/pricing/0/asset",
                "\"eip155:1/erc20:0xabcdefabcdef1234567890abcdefabcdef123456\"",
                hex.clone()
            ),
            (
                "/pricing/0/recipient",
                "\"eip155:1:0xabcdefabcdef1234567890abcdefabcdef123456\"",
                hex.clone()
            ),
            ("/access/requirements/0/kind", "\"0xabcd1234\"", hex.clone()),
            ("/access/requirements/0/data", "\"0xff\"", hex.clone()),
            (
                "/access/requirements/0/links/buy",
                "\"https://ex.com/Buy\"",
                "8257-6-08".to_owned()
            ),
            (
                "/endpoint",
                "\"https://xn--bcher-kva.example/x\"",
                "8257-6-10".to_owned()
            ),
            (
                "/creatorAddress",
                "\"0xabcdefabcdef1234567890abcdefabcdef123456\"",
                hex
            ),
        ]
    );
    assert_eq!(normalised.text, applied(&source, &normalised));
    assert_ne!(normalised.hash_before, normalised.hash_after);
    let report = check(normalised.text.as_bytes());
    assert!(!report.is_refused(), "{:?}", report.findings);
    assert_eq!(report.hash, Some(normalised.hash_after));
}

#[test]
fn a_byte_order_mark_is_taken_away_and_places_count_from_it() {
    let source = format!("\u{FEFF}{}", manifest("\"image\":\"HTTPS://ex.com/a\","));
    let normalised = normalise(source.as_bytes()).unwrap();
    assert_eq!(normalised.text, manifest("\"image\":\"https://ex.com/a\","));
    assert_eq!(normalised.text, applied(&source, &normalised));
    assert_eq!(normalised.edits[0].span, 0..3);
    assert_eq!(normalise("\u{FEFF}[1,]".as_bytes()).unwrap_err().at, 5);
}

#[test]
fn names_that_would_become_one_are_left_to_the_author() {
    let source = "{\"e\u{301}\":1,\"\u{e9}\":2,\"o\u{301}\":{\"e\u{301}\":3}}";
    let normalised = normalise(source.as_bytes()).unwrap();
    assert_eq!(
        normalised.text,
        "{\"e\u{301}\":1,\"\u{e9}\":2,\"\u{f3}\":{\"\u{e9}\":3}}"
    );
    assert_eq!(normalised.left.len(), 1);
    assert_eq!(normalised.left[0].pointer, "/e\u{301}");
    assert_eq!(&source[normalised.left[0].span.clone()], "\"e\u{301}\"");
}

#[test]
fn fields_of_the_same_name_elsewhere_are_left_alone() {
    let source = manifest(
        r#""com.example.x": {"creatorAddress":"0xAB","endpoint":"HTTPS://EX.com","pricing":[{"asset":"0xAB"}]},"#,
    );
    assert_eq!(normalise(source.as_bytes()).unwrap().edits, []);
}

#[test]
fn a_value_of_another_kind_is_left_alone() {
    for source in [
        "1",
        "[]",
        r#"{"creatorAddress":{"0xAB":1},"pricing":{"asset":"0xAB"},"endpoint":null,"access":[]}"#,
    ] {
        assert_eq!(normalise(source.as_bytes()).unwrap().edits, [], "{source}");
    }
}

proptest! {
    /// Texts of characters that compose, in strings and names, plain and escaped.
    #[test]
    fn repairs_leave_nothing_to_repair_and_touch_nothing_else(
        texts in prop::collection::vec("[ae\u{301}\u{323}\u{fc}\u{212b}\u{1100}\u{1161}\\\\\"]{0,6}", 1..12),
        escape: bool,
    ) {
        let quote = |text: &String| {
            let quoted = serde_json::to_string(text).expect("a string");
            if !escape { return quoted }
            quoted.chars().map(|c| if c.is_ascii() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) }).collect()
        };
        let members: Vec<_> = texts.iter().enumerate().map(|(i, t)| {
            let name = quote(&format!("{i}{t}"));
            format!(" {name} :[{} ,{{}}]", quote(t))
        }).collect();
        let source = format!("{{{}}}", members.join(",\n"));
        let normalised = normalise(source.as_bytes()).expect("JSON");
        prop_assert_eq!(&normalised.text, &applied(&source, &normalised));
        prop_assert_eq!(normalised.text.is_ascii(), source.is_ascii());
        let document = Document::read(normalised.text.as_bytes(), &Limits::MANIFEST).expect("JSON");
        prop_assert_eq!(document.notes().len(), 0);
        let again = normalise(normalised.text.as_bytes()).expect("JSON");
        prop_assert_eq!(again.edits.len(), 0);
        prop_assert_eq!(again.text, normalised.text);
    }
}
