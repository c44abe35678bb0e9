//! What has to hold for every input whatever: the bodies of the fuzz targets, and of the short run of them on the
//! stable toolchain (`fuzz_smoke.rs`).

#![expect(clippy::expect_used, reason = "what does not hold has failed")]

use deedbox_manifest::{Document, Hash, Limits, NoteKind, ReadErrorKind, check};

/// Target `manifest_read`. `other` is another reader and canonicaliser; it may know fewer rules than ours, not more.
pub(crate) fn manifest_read(source: &[u8], other: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    let document = match Document::read(source, &Limits::MANIFEST) {
        Ok(document) => document,
        Err(error) => {
            assert!(
                error.at <= error.end && error.end <= source.len(),
                "{error:?}"
            );
            assert!(!error.to_string().is_empty() && !error.fix().is_empty());
            if let ReadErrorKind::Syntax(_) | ReadErrorKind::NotUtf8 = error.kind {
                assert_eq!(other(source), None, "only the other one reads it: {error}");
            }
            return;
        }
    };
    let canonical = document.canonical();
    let theirs = other(source).expect("what we read is JSON");
    assert_eq!(
        String::from_utf8_lossy(&canonical),
        String::from_utf8_lossy(&theirs)
    );

    let digest = document.digest();
    assert_eq!(digest.hash, Hash::of(&canonical));
    assert_eq!(digest.canonical_len, canonical.len());

    // Numbers may have grown.
    let mut limits = Limits::MANIFEST;
    limits.bytes = usize::MAX;
    let again = Document::read(&canonical, &limits).expect("canonical bytes are JSON");
    assert_eq!(again.canonical(), canonical);
    let lossy = |kind| matches!(kind, NoteKind::Inexact | NoteKind::Underflow);
    assert!(!again.notes().any(|note| lossy(note.kind)));
    for note in document.notes() {
        assert!(source.get(note.span).is_some());
    }
}

/// Target `manifest_check`.
pub(crate) fn manifest_check(source: &[u8]) {
    let report = check(source);
    let document = Document::read(source, &Limits::MANIFEST).ok();
    assert_eq!(
        report.hash,
        document.as_ref().map(|document| document.digest().hash)
    );
    for finding in &report.findings {
        assert!(source.get(finding.span.clone()).is_some(), "{finding:?}");
        assert!(
            !finding.message.is_empty() && !finding.fix.is_empty(),
            "{finding:?}"
        );
    }
    // Another layout is the same manifest. Warnings may go: a number that was not exact is, once it was read.
    if let Some(document) = document
        && !report.is_refused()
    {
        let again = check(&document.canonical());
        assert!(!again.is_refused(), "{:?}", again.findings);
        assert_eq!(again.hash, report.hash);
    }
}
