//! What the URL fields of a manifest may hold (ERC-8257 §2, §4, §5 under the normalisation of §6).

use super::findings::{Findings, Place, Quoted};
use crate::{
    json::Value,
    report::Severity,
    url::{FaultKind, Gravity, HttpsUrl, MAX_BYTES, Origin},
};

/// How a field treats the faults of its URL.
#[derive(Clone, Copy)]
pub(super) struct UrlRules {
    /// Rule for what is not an HTTPS URL: refused.
    pub(super) https: &'static str,
    /// Rule for what is not normalised, and how much that weighs.
    pub(super) normalised: (&'static str, Severity),
}

/// Reports every fault of a field that has to be an HTTPS URL, and says what its origin is.
pub(super) fn https(
    (value, text): (Value<'_>, &str),
    name: &str,
    rules: UrlRules,
    findings: &mut Findings,
) -> Option<Origin> {
    let url = HttpsUrl::read(text);
    report(&url, value, name, rules, findings);
    url.origin()
}

pub(super) fn report(
    url: &HttpsUrl<'_>,
    value: Value<'_>,
    name: &str,
    rules: UrlRules,
    findings: &mut Findings,
) {
    for fault in url.faults() {
        let place = Place::Within(value, fault.at.clone());
        let (rule, severity) = match (fault.kind, fault.kind.gravity()) {
            // Parsers convert silently, so this has a rule of its own (G3).
            (FaultKind::UnicodeHost, _) => ("8257-6-11", Severity::Refusal),
            (_, Gravity::Broken) => (rules.https, Severity::Refusal),
            (_, Gravity::NotNormalised) => rules.normalised,
            (_, Gravity::Odd) => ("8257-M-13", Severity::Warning),
        };
        let message = format_args!("{name} {}", fault.kind);
        findings.add(severity, rule, &place, message, fault.kind.fix().into());
    }
}

/// The rules for `image` and `featuredImage`: bounded, and of a scheme that can be shown safely. `rule` is the
/// one for the length.
pub(super) fn image(
    found: (Value<'_>, &str),
    name: &str,
    rule: &'static str,
    findings: &mut Findings,
) {
    let (value, text) = found;
    let url = HttpsUrl::read(text);
    // An image that cannot be read as an HTTPS URL has no normal form; it counts as it is.
    let length = url
        .normalised()
        .map_or(text.len(), |normalised| normalised.len());
    if length > MAX_BYTES {
        let message =
            format_args!("{name} has {length} bytes, and at most {MAX_BYTES} are allowed");
        findings.refuse(rule, &Place::At(value), message, "Use a shorter URL.");
    }
    let is_https = url
        .faults()
        .iter()
        .all(|fault| fault.kind != FaultKind::NotHttps);
    if !is_https {
        image_scheme(found, name, findings);
        return;
    }
    for fault in url.faults() {
        let place = Place::Within(value, fault.at.clone());
        let (rule, severity) = match (fault.kind, fault.kind.gravity()) {
            (FaultKind::UnicodeHost, _) => ("8257-6-11", Severity::Refusal),
            (_, Gravity::NotNormalised) => ("8257-6-17", Severity::Warning),
            // The standard bounds an image and leaves the rest to whoever shows it (reading M-15).
            (_, Gravity::Broken) => ("8257-M-15", Severity::Warning),
            (_, Gravity::Odd) => ("8257-M-13", Severity::Warning),
        };
        let message = format_args!("{name} {}", fault.kind);
        findings.add(severity, rule, &place, message, fault.kind.fix().into());
    }
}

fn image_scheme((value, text): (Value<'_>, &str), name: &str, findings: &mut Findings) {
    // What a browser would make of it: it skips white space and control characters around and within.
    let bare: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .take(32)
        .flat_map(char::to_lowercase)
        .collect();
    let place = Place::At(value);
    let fix = "Serve the image over https.";
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| bare.starts_with(prefix));
    if starts(&["javascript:", "vbscript:", "file:", "data:text/html"]) {
        let message = format_args!(
            "{name} has a scheme that runs code or reads local files; nobody may show it"
        );
        findings.warn("8257-rend-07", &place, message, fix);
    } else if starts(&["http:", "blob:"]) {
        let message = format_args!("{name} has a scheme that should not be shown");
        findings.warn("8257-rend-08", &place, message, fix);
    } else if starts(&["ipfs:", "data:image/"]) {
        let message =
            format_args!("{name} is shown only by software that takes extra care with its scheme");
        findings.note("8257-M-15", &place, message, fix);
    } else {
        let message = format_args!(
            "{name} is {}, which is not a URL that can be shown",
            Quoted(text)
        );
        findings.warn("8257-M-15", &place, message, fix);
    }
}
