//! Manifests.

use std::borrow::Cow;

use deedbox_manifest::{
    Document, Hash, Limits, NoteKind, ReadErrorKind, Report, author, check, schema::Arguments,
};
use serde_json::Value;

/// Strict reading, and the canonical form of what was read.
///
/// What is read is read by `serde_json` too, and `serde_json_canonicalizer` writes the same bytes; what has no JSON
/// grammar is read by neither. The canonical form is that of itself, and has the hash that the document has.
pub fn manifest_read(data: &[u8]) {
    // With ceilings so low that a fuzzer meets them.
    let mut limits = Limits::MANIFEST;
    (limits.bytes, limits.depth, limits.nodes) = (4096, 8, 256);
    drop(Document::read(data, &limits));

    let document = match Document::read(data, &Limits::MANIFEST) {
        Ok(document) => document,
        Err(error) => {
            assert!(error.at <= error.end && error.end <= data.len(), "{error}");
            assert!(!error.to_string().is_empty() && !error.fix().is_empty());
            if let ReadErrorKind::Syntax(_) | ReadErrorKind::NotUtf8 = error.kind {
                let other = serde_json::from_slice::<Value>(data);
                assert!(other.is_err(), "only another reader reads it: {error}");
            }
            return;
        }
    };
    let canonical = document.canonical();
    let digest = document.digest();
    assert_eq!(digest.hash, Hash::of(&canonical));
    assert_eq!(digest.canonical_len, canonical.len());
    assert_eq!(text(&canonical), text(&by_others(data)));
    for note in document.notes() {
        assert!(data.get(note.span).is_some());
    }

    // Numbers may have grown.
    limits = Limits::MANIFEST;
    limits.bytes = usize::MAX;
    let again = Document::read(&canonical, &limits).expect("a canonical form is read");
    assert_eq!(text(&again.canonical()), text(&canonical));
    let lossy = |kind| matches!(kind, NoteKind::Inexact | NoteKind::Underflow);
    assert!(!again.notes().any(|note| lossy(note.kind)));
}

fn by_others(data: &[u8]) -> Vec<u8> {
    let value: Value = serde_json::from_slice(data).expect("another reader reads it too");
    serde_json_canonicalizer::to_vec(&value).expect("values have a canonical form")
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Every rule: a report is always given, points into what was given, and agrees with itself.
pub fn manifest_check(data: &[u8]) {
    let report = check(data);
    points_into(&report, data);
    let Ok(document) = Document::read(data, &Limits::MANIFEST) else {
        assert!(report.is_refused() && report.hash.is_none());
        return;
    };
    // Layout and the order of members say nothing. Warnings may go: a number that was not exact is, once it was read.
    let canonical = document.canonical();
    assert_eq!(report.hash, Some(Hash::of(&canonical)));
    let again = check(&canonical);
    assert_eq!(again.hash, report.hash);
    assert!(again.is_refused() == report.is_refused() || canonical.len() > data.len());
    for name in ["inputs", "outputs"] {
        if let Some(schema) = document.root().get(name)
            && let Ok(arguments) = Arguments::new(schema)
        {
            // Any answer will do; it has to come.
            drop(arguments.check(&Value::Null));
            drop(arguments.check(&serde_json::json!({"a": 1, "b": ["aaaaaaaaaaaaaaaa!"]})));
        }
    }
}

/// An author's repairs: they can be read, change nothing the second time, and make nothing worse.
pub fn manifest_normalise(data: &[u8]) {
    let Ok(normal) = author::normalise(data) else {
        return;
    };
    let text = normal.text.as_bytes();
    let again = author::normalise(text).expect("what was repaired is read");
    assert_eq!(again.text, normal.text);
    assert!(again.edits.is_empty(), "{:?}", again.edits);
    let (before, after) = (check(data), check(text));
    assert!(
        before.is_refused() || !after.is_refused(),
        "{:?}",
        after.findings
    );
}

fn points_into(report: &Report, data: &[u8]) {
    for finding in &report.findings {
        assert!(data.get(finding.span.clone()).is_some(), "{finding:?}");
        assert!(!finding.message.is_empty() && !finding.fix.is_empty());
    }
}
