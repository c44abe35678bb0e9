//! `access`: hints about what a caller has to hold (ERC-8257 §4).

use super::{
    findings::{Findings, Place, Quoted},
    text::{self, HexLength, HexRules, wrong_kind},
    urls::{self, UrlRules},
};
use crate::{
    json::{Kind, Value},
    report::Severity,
    url::{HttpsUrl, MAX_BYTES},
};

const MOST_REQUIREMENTS: usize = 256;
const MOST_DATA_BYTES: usize = 4096;
const MOST_LABEL_BYTES: usize = 256;

/// Reports everything that is wrong with `access`.
pub(super) fn check(root: Value<'_>, findings: &mut Findings) {
    let Some(access) = text::optional_object(root, "access", "8257-4-01", findings) else {
        return;
    };
    if let Some((value, logic)) = text::required_string(access, "logic", "8257-4-02", findings)
        && !matches!(logic, "AND" | "OR")
    {
        let message = format_args!("logic is {}, not AND or OR", Quoted(logic));
        findings.refuse(
            "8257-4-02",
            &Place::At(value),
            message,
            "Write \"AND\" or \"OR\".",
        );
    }
    let fix = "List what a caller has to hold, or leave access out.";
    let Some(requirements) = access.get("requirements") else {
        let place = Place::Missing(access, "requirements");
        findings.refuse(
            "8257-4-01",
            &place,
            format_args!("access has no requirements"),
            fix,
        );
        return;
    };
    let Some(elements) = requirements.elements() else {
        wrong_kind(
            requirements,
            "requirements",
            "an array",
            "8257-4-01",
            findings,
        );
        return;
    };
    if requirements.is_empty() {
        let message = format_args!("requirements is empty");
        findings.refuse("8257-4-01", &Place::At(requirements), message, fix);
    }
    if requirements.len() > MOST_REQUIREMENTS {
        let message = format_args!(
            "requirements has {} entries, and at most {MOST_REQUIREMENTS} are allowed",
            requirements.len()
        );
        findings.refuse(
            "8257-parse-04",
            &Place::At(requirements),
            message,
            "Leave some out.",
        );
    }
    for requirement in elements.take(MOST_REQUIREMENTS) {
        check_requirement(requirement, findings);
    }
}

fn check_requirement(requirement: Value<'_>, findings: &mut Findings) {
    if requirement.kind() != Kind::Object {
        wrong_kind(
            requirement,
            "a requirement",
            "an object",
            "8257-4-01",
            findings,
        );
        return;
    }
    let kind = text::required_string(requirement, "kind", "8257-4-03", findings);
    if let Some(kind) = kind {
        const RULES: HexRules = HexRules {
            grammar: "8257-4-03",
            case: "8257-2c-13",
        };
        text::hex(kind, "kind", HexLength::Exactly(4), RULES, findings);
    }
    if let Some(data) = text::required_string(requirement, "data", "8257-4-04", findings) {
        const RULES: HexRules = HexRules {
            grammar: "8257-4-04",
            case: "8257-2c-13",
        };
        let bytes = text::hex(data, "data", HexLength::Any, RULES, findings);
        if bytes.is_some_and(|bytes| bytes > MOST_DATA_BYTES) {
            let message = format_args!(
                "data stands for {} bytes, and at most {MOST_DATA_BYTES} are allowed",
                bytes.unwrap_or_default()
            );
            findings.refuse("8257-parse-05", &Place::At(data.0), message, "Shorten it.");
        }
        if let Some((_, kind)) = kind {
            known_layout(kind, data, findings);
        }
    }
    check_label(requirement, findings);
    check_links(requirement, findings);
}

/// The standard has no column that says whether a label is required; nothing is misunderstood without one.
fn check_label(requirement: Value<'_>, findings: &mut Findings) {
    if requirement.get("label").is_none() {
        let message = format_args!("label is missing");
        let place = Place::Missing(requirement, "label");
        findings.warn(
            "8257-M-16",
            &place,
            message,
            "Say in a few words what to hold; it may be empty.",
        );
    } else if let Some(label) = text::optional_string(requirement, "label", "8257-4-05", findings) {
        text::bytes(label, "label", MOST_LABEL_BYTES, "8257-4-05", findings);
        text::hidden_characters(label, "label", findings);
    }
}

/// The three kinds that the standard defines, each with the one form of data that a predicate reads (§1).
fn known_layout(kind: &str, (value, data): (Value<'_>, &str), findings: &mut Findings) {
    // The digits of an ABI word that have to be zero, for an address and for a tier of 8 bits.
    const ADDRESS: usize = 24;
    const TIER: usize = 62;
    let (name, words): (_, &[usize]) = match kind {
        "0xbdf8c428" => ("an ERC-721 collection", &[ADDRESS]),
        "0xcb429230" => ("an ERC-1155 collection and token", &[ADDRESS, 0]),
        "0x44387cc2" => ("a subscription collection and tier", &[ADDRESS, TIER]),
        _ => return,
    };
    let digits = data.strip_prefix("0x").unwrap_or_default().as_bytes();
    let words_fit = digits.len() == 64 * words.len()
        && digits
            .chunks(64)
            .zip(words)
            .all(|(word, zeros)| word[..*zeros].iter().all(|d| *d == b'0'));
    if !words_fit {
        let message = format_args!("data does not decode as {name}, which is what kind says");
        findings.note(
            "8257-1p-09",
            &Place::At(value),
            message,
            "Encode it as the kind's layout in §1 says.",
        );
    }
}

fn check_links(requirement: Value<'_>, findings: &mut Findings) {
    const RULES: UrlRules = UrlRules {
        https: "8257-4-06",
        normalised: ("8257-M-24", Severity::Warning),
    };
    let Some(links) = text::optional_object(requirement, "links", "8257-4-11", findings) else {
        return;
    };
    for member in links.members().into_iter().flatten() {
        if member.name.len() > MAX_BYTES {
            let message = format_args!(
                "the name of a link has {} bytes, and at most {MAX_BYTES} are allowed",
                member.name.len()
            );
            let place = Place::Name(member.value, member.name_span);
            findings.refuse("8257-4-08", &place, message, "Use a short name.");
        }
        if let Some((value, link)) = text::string(member.value, "a link", "8257-4-11", findings) {
            text::bytes((value, link), "a link", MAX_BYTES, "8257-4-07", findings);
            // There may be thousands: no second opinion about each.
            let url = HttpsUrl::read_alone(link);
            urls::report(&url, value, "a link", RULES, findings);
        }
    }
}
