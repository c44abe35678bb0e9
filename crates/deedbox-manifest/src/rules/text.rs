//! Rules about the kind of a value, and about texts.

use super::findings::{Findings, Place, Quoted};
use crate::json::{Kind, Value};

/// The string at `object.name`; reports when it is missing or of another kind, under `rule`.
pub(super) fn required_string<'d>(
    object: Value<'d>,
    name: &'static str,
    rule: &'static str,
    findings: &mut Findings,
) -> Option<(Value<'d>, &'d str)> {
    let Some(value) = object.get(name) else {
        let message = format_args!("{name} is missing");
        findings.refuse(
            rule,
            &Place::Missing(object, name),
            message,
            format!("Add {name}, a string."),
        );
        return None;
    };
    string(value, name, rule, findings)
}

/// The string at `object.name`, if there is something; reports when that is of another kind.
pub(super) fn optional_string<'d>(
    object: Value<'d>,
    name: &'static str,
    rule: &'static str,
    findings: &mut Findings,
) -> Option<(Value<'d>, &'d str)> {
    string(object.get(name)?, name, rule, findings)
}

/// The string that `value` is; reports when it is of another kind.
pub(super) fn string<'d>(
    value: Value<'d>,
    name: &str,
    rule: &'static str,
    findings: &mut Findings,
) -> Option<(Value<'d>, &'d str)> {
    let text = value.as_str();
    if text.is_none() {
        wrong_kind(value, name, "a string", rule, findings);
    }
    text.map(|text| (value, text))
}

pub(super) fn wrong_kind(
    value: Value<'_>,
    name: &str,
    wanted: &str,
    rule: &'static str,
    findings: &mut Findings,
) {
    let message = format_args!("{name} is {}, not {wanted}", value.kind());
    findings.refuse(rule, &Place::At(value), message, format!("Write {wanted}."));
}

/// The value at `object.name`, if there is something; reports when it is not an object.
pub(super) fn optional_object<'d>(
    object: Value<'d>,
    name: &'static str,
    rule: &'static str,
    findings: &mut Findings,
) -> Option<Value<'d>> {
    let value = object.get(name)?;
    if value.kind() != Kind::Object {
        wrong_kind(value, name, "an object", rule, findings);
        return None;
    }
    Some(value)
}

/// Reports a text that has not between 1 and `most` code points. Not bytes, not UTF-16 units: 128 emoji are
/// a name of 128 characters.
pub(super) fn code_points(
    (value, text): (Value<'_>, &str),
    name: &str,
    most: usize,
    rule: &'static str,
    findings: &mut Findings,
) {
    let found = text.chars().count();
    if found == 0 {
        let message = format_args!("{name} is empty");
        findings.refuse(
            rule,
            &Place::At(value),
            message,
            format!("Write 1 to {most} characters."),
        );
    } else if found > most {
        let message = format_args!("{name} has {found} characters, and at most {most} are allowed");
        findings.refuse(
            rule,
            &Place::At(value),
            message,
            format!("Shorten it to {most} characters."),
        );
    }
}

/// Reports each control character (general category Cc) that `allowed` does not name.
pub(super) fn control_characters(
    (value, text): (Value<'_>, &str),
    name: &str,
    allowed: &[char],
    rule: &'static str,
    findings: &mut Findings,
) {
    for (at, c) in text.char_indices() {
        if c.is_control() && !allowed.contains(&c) {
            let message = format_args!("{name} has the control character U+{:04X}", u32::from(c));
            let place = Place::Within(value, at..at + c.len_utf8());
            findings.refuse(rule, &place, message, "Remove the control character.");
        }
    }
}

/// The rules for both descriptions: 1 to 500 code points, and of the control characters only those that
/// Markdown needs (ERC-8257 §2 and §5). `rules` are that for the length and that for the characters.
pub(super) fn description(
    found: (Value<'_>, &str),
    name: &str,
    rules: [&'static str; 2],
    findings: &mut Findings,
) {
    code_points(found, name, 500, rules[0], findings);
    control_characters(found, name, &['\n', '\r', '\t'], rules[1], findings);
    hidden_characters(found, name, findings);
}

/// Warns about characters that are not seen, or turn the reading direction around: a text with them reads as other
/// than it is. Joiners and variation selectors, which scripts and emoji need, are not among them.
pub(super) fn hidden_characters(
    (value, text): (Value<'_>, &str),
    name: &str,
    findings: &mut Findings,
) {
    let hides = |c: char| {
        matches!(
            c,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
        )
    };
    let mut found = text.char_indices().filter(|&(_, c)| hides(c));
    let Some((at, c)) = found.next() else { return };
    let message = format_args!(
        "{name} has the character U+{:04X}, which is not seen or turns the reading direction around",
        u32::from(c)
    );
    let place = Place::Within(value, at..at + c.len_utf8());
    findings.warn("8257-rend-01", &place, message, "Remove it.");
}

/// Reports a text that has more than `most` bytes of UTF-8.
pub(super) fn bytes(
    (value, text): (Value<'_>, &str),
    name: &str,
    most: usize,
    rule: &'static str,
    findings: &mut Findings,
) {
    if text.len() > most {
        let message = format_args!(
            "{name} has {} bytes, and at most {most} are allowed",
            text.len()
        );
        findings.refuse(
            rule,
            &Place::At(value),
            message,
            format!("Shorten it to {most} bytes of UTF-8."),
        );
    }
}

/// How many bytes a hexadecimal field has to stand for.
#[derive(Clone, Copy)]
pub(super) enum HexLength {
    Exactly(usize),
    Any,
    AtLeastOne,
}

/// The rules that a hexadecimal field breaks.
#[derive(Clone, Copy)]
pub(super) struct HexRules {
    /// The grammar: `0x` and the right number of digits.
    pub(super) grammar: &'static str,
    /// Lower case (ERC-8257 §2).
    pub(super) case: &'static str,
}

/// Reports a field that is not `0x` and lower-case hex of the right length, and says how many bytes it
/// stands for if it is hex at all. Capitals are a fault of their own: the repair is another one.
pub(super) fn hex(
    (value, text): (Value<'_>, &str),
    name: &str,
    length: HexLength,
    rules: HexRules,
    findings: &mut Findings,
) -> Option<usize> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let fits = |digits: &&str| match length {
        HexLength::Exactly(bytes) => digits.len() == 2 * bytes,
        HexLength::Any => digits.len().is_multiple_of(2),
        HexLength::AtLeastOne => !digits.is_empty() && digits.len().is_multiple_of(2),
    };
    if digits.filter(fits).is_none() {
        let wanted = match length {
            HexLength::Exactly(bytes) => format!("exactly {} hexadecimal digits", 2 * bytes),
            HexLength::Any => "an even number of hexadecimal digits".to_owned(),
            HexLength::AtLeastOne => {
                "an even number of hexadecimal digits, two at least".to_owned()
            }
        };
        let message = format_args!("{name} is {}, not 0x and {wanted}", Quoted(text));
        findings.refuse(
            rules.grammar,
            &Place::At(value),
            message,
            format!("Write 0x and {wanted}, in lower case."),
        );
    }
    let digits = digits?;
    if let Some(at) = text.bytes().position(|byte| byte.is_ascii_uppercase()) {
        let message = format_args!("{name} has capital letters in its hexadecimal digits");
        let place = Place::Within(value, at..text.len());
        findings.refuse(
            rules.case,
            &place,
            message,
            "Write it in lower case; that changes the hash, so register it again.",
        );
    }
    Some(digits.len() / 2)
}
