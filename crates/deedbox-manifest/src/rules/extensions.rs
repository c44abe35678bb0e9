//! Top-level names that the standard does not define (ERC-8257 §2, *Unknown Fields and Extensions*).

use super::findings::{Findings, Place, Quoted};
use crate::json::Value;

/// Every top-level name that means something, `maxAge` included, which "Manifest Freshness" describes outside the
/// schema (reading M-18).
const SPECIFIED: [&str; 15] = [
    "access",
    "creatorAddress",
    "description",
    "endpoint",
    "featuredImage",
    "image",
    "inputs",
    "maxAge",
    "name",
    "outputs",
    "pricing",
    "tags",
    "type",
    "verifiability",
    "version",
];

/// Reports names that an author should choose otherwise, and says what `maxAge` is, if it can be used.
///
/// A consumer ignores what it does not know, so that a name alone never refuses a manifest; that an author
/// must namespace it is a note (reading M-19).
pub(super) fn check(root: Value<'_>, findings: &mut Findings) -> Option<u64> {
    for member in root.members().into_iter().flatten() {
        if SPECIFIED.contains(&member.name) {
            continue;
        }
        let name = member.name;
        let place = Place::Name(member.value, member.name_span);
        if let Some(meant) = looks_like(name) {
            let message = format_args!("{} is not {meant}, and means nothing", Quoted(name));
            let fix =
                format!("Write {meant} if that is meant, or give it a name in your own namespace.");
            findings.warn("8257-2x-02", &place, message, fix);
        } else if name.starts_with("x-") || name.starts_with("X-") {
            let message = format_args!("{} has the old x- prefix", Quoted(name));
            findings.note(
                "8257-2x-04",
                &place,
                message,
                "Prefer a reversed domain name, like com.example.hint.",
            );
        } else if !is_namespaced(name) {
            let message = format_args!("{} is an extension without a namespace", Quoted(name));
            findings.note(
                "8257-2x-03",
                &place,
                message,
                "Put a reversed domain name before it, like com.example.hint.",
            );
        }
    }
    max_age(root, findings)
}

/// The specified name that a person would take `name` for: the same letters but for case and what is between them.
fn looks_like(name: &str) -> Option<&'static str> {
    if name.len() > 32 || !name.is_ascii() {
        return None;
    }
    let mut letters = [0; 32];
    let mut len = 0;
    for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
        letters[len] = byte;
        len += 1;
    }
    let same = |known: &&str| known.as_bytes().eq_ignore_ascii_case(&letters[..len]);
    SPECIFIED.into_iter().find(same)
}

/// Whether a name is at least two labels joined by dots: a reversed domain name and what it is for.
fn is_namespaced(name: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    name.contains('.') && name.split('.').all(label)
}

fn max_age(root: Value<'_>, findings: &mut Findings) -> Option<u64> {
    let value = root.get("maxAge")?;
    let seconds = whole_seconds(value);
    if seconds.is_none() {
        findings.warn(
            "8257-M-18",
            &Place::At(value),
            format_args!("maxAge is not a whole number of seconds, and is ignored"),
            "Write a whole number, 0 or more, or leave it out.",
        );
    }
    seconds
}

/// A number of seconds: whole, not negative, and small enough to be exact.
pub(super) fn whole_seconds(value: Value<'_>) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative and below 2^53"
    )]
    (number.fract() == 0.0 && (0.0..EXACT).contains(&number)).then_some(number as u64)
}
