//! The whole check of a manifest.

use crate::{
    json::{Document, Limits, ReadError},
    pricing::Pricing,
    report::{Finding, Report, Severity, Verdict},
    rules::{Findings, check_document},
};

/// Checks what was served as a manifest against every rule of ERC-8257 §2–§6, and computes its hash.
///
/// `source` are the bytes as they came: no byte-order mark removed, no text re-encoded. The answer has every finding
/// and never fails; what cannot be read is refused with one finding, because nothing more can be said about it.
///
/// A valid manifest proves nothing about who serves it: that takes [`verify`](crate::verify()).
#[must_use]
pub fn check(source: &[u8]) -> Report {
    match Document::read(source, &Limits::MANIFEST) {
        Ok(document) => check_read(&document),
        Err(error) => unreadable(&error),
    }
}

/// The same for a document that was read already.
#[must_use]
pub fn check_read(document: &Document<'_>) -> Report {
    let mut findings = Findings::new();
    let facts = check_document(document, &mut findings);
    let digest = document.digest();
    let (verdict, findings, omitted) = findings.finish();
    Report {
        verdict,
        hash: Some(digest.hash),
        canonical_len: digest.canonical_len,
        findings,
        omitted,
        creator: facts.creator,
        origin: facts.origin,
        pricing: facts.pricing.unwrap_or(Pricing::Unstated),
        claims: facts.claims,
        pre_filled: facts.pre_filled,
        max_age: facts.max_age,
    }
}

fn unreadable(error: &ReadError) -> Report {
    Report {
        verdict: Verdict::Refused,
        hash: None,
        canonical_len: 0,
        findings: vec![Finding {
            rule: error.rule(),
            section: error.section(),
            severity: Severity::Refusal,
            pointer: String::new(),
            span: error.span(),
            message: error.to_string(),
            fix: error.fix().into(),
        }],
        omitted: Vec::new(),
        creator: None,
        origin: None,
        pricing: Pricing::Unstated,
        claims: None,
        pre_filled: Vec::new(),
        max_age: None,
    }
}

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
