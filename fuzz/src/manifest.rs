//! Manifests.

use std::ops::Range;

use deedbox_manifest::{Document, Hash, Limits, Report, Verdict, author, check, schema::Arguments};
use serde_json::Value;

/// Strict reading, and the canonical form of what was read.
///
/// What is read is read by `serde_json` too, and `serde_json_canonicalizer` writes the same bytes. The canonical form
/// is that of itself, and has the hash that the document has.
pub fn manifest_read(data: &[u8]) {
    let document = match Document::read(data, &Limits::MANIFEST) {
        Ok(document) => document,
        Err(error) => {
            assert!(error.at <= error.end && error.end <= data.len(), "{error}");
            return;
        }
    };
    let canonical = document.canonical();
    assert_eq!(document.digest().hash, Hash::of(&canonical));
    let again = Document::read(&canonical, &Limits::MANIFEST);
    let again = again.expect("what is written in canonical form is read");
    assert_eq!(again.canonical(), canonical);
    assert!(canonical.len() <= data.len() * 6);

    // `serde_json` refuses nesting that is deeper than ours, and no other text that we read.
    let other: Value = serde_json::from_slice(data).expect("another reader reads it too");
    let other = serde_json_canonicalizer::to_vec(&other).expect("values have a canonical form");
    assert_eq!(
        String::from_utf8_lossy(&canonical),
        String::from_utf8_lossy(&other)
    );
    // With ceilings so low that a fuzzer meets them.
    let mut low = Limits::MANIFEST;
    (low.bytes, low.depth, low.nodes) = (4096, 8, 256);
    drop(Document::read(data, &low));
}

/// Every rule: a report is always given, points into what was given, and agrees with itself.
pub fn manifest_check(data: &[u8]) {
    let report = check(data);
    points_into(&report, data);
    let refused = report.verdict == Verdict::Refused;
    assert!(report.hash.is_some() || refused);
    let Ok(document) = Document::read(data, &Limits::MANIFEST) else {
        assert!(refused && report.hash.is_none());
        return;
    };
    // Layout and the order of members say nothing, so the canonical form is judged the same.
    let canonical = document.canonical();
    assert_eq!(report.hash, Some(Hash::of(&canonical)));
    let again = check(&canonical);
    assert_eq!(again.hash, report.hash);
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
    if before.verdict != Verdict::Refused {
        assert_ne!(after.verdict, Verdict::Refused, "{:?}", after.findings);
    }
}

fn points_into(report: &Report, data: &[u8]) {
    for finding in &report.findings {
        let Range { start, end } = finding.span.clone();
        assert!(start <= end && end <= data.len(), "{finding:?}");
        assert!(!finding.message.is_empty() && !finding.fix.is_empty());
    }
}
