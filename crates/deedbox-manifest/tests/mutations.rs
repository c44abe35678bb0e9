//! Manifests that are broken at random: a check never panics, its places are places, and its verdict follows from its
//! findings.

#![expect(clippy::unwrap_used, reason = "a test's helpers may fail the test")]

use std::path::Path;

use deedbox_manifest::{Address, Hash, Registration, Report, Severity, Verdict, check, verify};
use proptest::prelude::*;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/real-manifests");

/// Everything that has to hold for any report on any bytes.
fn is_sound(source: &[u8], report: &Report) -> Result<(), TestCaseError> {
    let worst = report.findings.iter().map(|finding| finding.severity).max();
    let verdict = match worst {
        Some(Severity::Refusal) => Verdict::Refused,
        Some(Severity::Warning) => Verdict::ValidWithWarnings,
        Some(Severity::Note) | None => Verdict::Valid,
    };
    prop_assert_eq!(report.verdict, verdict);
    for finding in &report.findings {
        let piece = source.get(finding.span.clone());
        prop_assert!(piece.is_some(), "{:?}", finding);
        if report.hash.is_some() {
            prop_assert!(std::str::from_utf8(piece.unwrap()).is_ok(), "{:?}", finding);
        }
        prop_assert!(finding.rule.starts_with("8257-") && !finding.fix.is_empty());
        prop_assert!(
            finding.message.chars().all(|c| !c.is_control()),
            "{:?}",
            finding
        );
    }
    for value in &report.pre_filled {
        prop_assert!(source.get(value.span.clone()).is_some());
    }
    let claims = report.claims.map(|claims| claims.effective());
    prop_assert!(claims.is_none_or(|tier| tier <= report.declared_tier().unwrap_or(tier)));
    Ok(())
}

/// Pieces that break something somewhere.
const PIECES: &[&str] = &[
    "",
    "null",
    "[]",
    "{}",
    "\"\"",
    "0",
    "-1",
    "1e400",
    "\"e\u{301}\"",
    "\"\\u0000\"",
    "\"https://ü.example\"",
    "\"0xAB\"",
    "\"http://x\"",
    "\"javascript:alert(1)\"",
    "true",
    "[null]",
    "{\"a\":{\"$ref\":\"#/a\"}}",
    "{\"allOf\":[{\"$ref\":\"#\"}]}",
    "{\"pattern\":\"(?=a)\"}",
    "\"name\"",
    "\"pricing\"",
    "\"access\"",
    "\"verifiability\"",
    "\"inputs\"",
    "\"maxAge\"",
    ",",
    ":",
    "{",
    "}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_broken_manifest_gets_a_sound_report(
        number in 1..=38_usize,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize, prop::sample::select(PIECES)), 1..4),
    ) {
        let mut source = std::fs::read(Path::new(FOLDER).join(format!("{number:03}.json"))).unwrap();
        for (at, length, piece) in cuts {
            let at = at.index(source.len());
            let end = (at + length).min(source.len());
            source.splice(at..end, piece.bytes());
        }
        is_sound(&source, &check(&source))?;
    }

    /// Whole values replaced: the result is JSON nearly always, so that the rules are reached and not only the reader.
    #[test]
    fn a_manifest_with_values_swapped_gets_a_sound_report(
        number in 1..=38_usize,
        picks in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(PIECES)), 1..4),
    ) {
        let text = std::fs::read_to_string(Path::new(FOLDER).join(format!("{number:03}.json"))).unwrap();
        let mut manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        for (pick, piece) in picks {
            let Ok(piece) = serde_json::from_str::<serde_json::Value>(piece) else { continue };
            let mut pointers = Vec::new();
            list(&manifest, String::new(), &mut pointers);
            let pointer = &pointers[pick.index(pointers.len())];
            *manifest.pointer_mut(pointer).unwrap() = piece;
        }
        let source = manifest.to_string();
        let report = check(source.as_bytes());
        is_sound(source.as_bytes(), &report)?;
        let verification = verify(source.as_bytes(), &Registration {
            metadata_uri: "https://tools.example.com/.well-known/ai-tool/x.json",
            manifest_hash: report.hash.unwrap_or(Hash([0; 32])),
            creator: report.creator.unwrap_or(Address([1; 20])),
        });
        prop_assert!(!verification.is_verified() || report.verdict != Verdict::Refused);
        prop_assert_eq!(verification.failed().is_none(), verification.is_verified());
    }
}

fn list(value: &serde_json::Value, pointer: String, all: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                list(item, format!("{pointer}/{index}"), all);
            }
        }
        serde_json::Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                list(member, format!("{pointer}/{name}"), all);
            }
        }
        _ => {}
    }
    all.push(pointer);
}
