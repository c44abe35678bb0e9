//! Where findings are collected: with their places, counted, and never without end.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    ops::Range,
};

use crate::{
    json::{Document, Value},
    report::{Finding, Omitted, Report, Severity, Verdict},
};

/// Pointers may be as long as the names in them, so their bytes are counted too.
const POINTER_BYTES: usize = 1 << 18;

/// A place in the document.
#[derive(Clone)]
pub(crate) enum Place<'d> {
    /// A value.
    At(Value<'d>),
    /// A piece of a string: bytes of its decoded text.
    Within(Value<'d>, Range<usize>),
    /// The name of a member, whose value this is.
    Name(Value<'d>, Range<usize>),
    /// Where a member with this name should be.
    Missing(Value<'d>, &'static str),
}

impl Place<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::At(value) | Self::Within(value, _) | Self::Name(value, _) => value.pointer(),
            Self::Missing(object, name) => format!("{}/{name}", object.pointer()),
        }
    }

    fn span(&self) -> Range<usize> {
        match self {
            Self::At(value) => value.span(),
            Self::Name(_, span) => span.clone(),
            Self::Missing(object, _) => {
                let end = object.span().end;
                end.saturating_sub(1)..end.saturating_sub(1)
            }
            Self::Within(value, range) => within(*value, range),
        }
    }
}

/// Bytes of a string's text as bytes of the source: exact unless the string has escapes, in which case
/// the whole string is meant.
fn within(value: Value<'_>, range: &Range<usize>) -> Range<usize> {
    let span = value.span();
    match value.as_str() {
        Some(text) if text.len() + 2 == span.len() && range.end <= text.len() => {
            span.start + 1 + range.start..span.start + 1 + range.end
        }
        _ => span,
    }
}

#[derive(Default)]
struct Count {
    listed: usize,
    omitted: usize,
    severity: Option<Severity>,
}

/// The findings so far.
pub(crate) struct Findings {
    listed: Vec<Finding>,
    /// By rule. There are a few dozen at most, and the same one comes many times in a row.
    counts: Vec<(&'static str, Count)>,
    recent: usize,
    worst: Option<Severity>,
    pointer_bytes: usize,
}

impl Findings {
    pub(crate) fn new() -> Self {
        Self {
            listed: Vec::new(),
            counts: Vec::new(),
            recent: 0,
            worst: None,
            pointer_bytes: 0,
        }
    }

    pub(crate) fn refuse(
        &mut self,
        rule: &'static str,
        place: &Place<'_>,
        message: fmt::Arguments<'_>,
        fix: impl Into<Cow<'static, str>>,
    ) {
        self.add(Severity::Refusal, rule, place, message, fix.into());
    }

    pub(crate) fn warn(
        &mut self,
        rule: &'static str,
        place: &Place<'_>,
        message: fmt::Arguments<'_>,
        fix: impl Into<Cow<'static, str>>,
    ) {
        self.add(Severity::Warning, rule, place, message, fix.into());
    }

    pub(crate) fn note(
        &mut self,
        rule: &'static str,
        place: &Place<'_>,
        message: fmt::Arguments<'_>,
        fix: impl Into<Cow<'static, str>>,
    ) {
        self.add(Severity::Note, rule, place, message, fix.into());
    }

    /// Lists a finding, or counts it when there are enough of its kind. The message is not even put
    /// together then.
    pub(crate) fn add(
        &mut self,
        severity: Severity,
        rule: &'static str,
        place: &Place<'_>,
        message: fmt::Arguments<'_>,
        fix: Cow<'static, str>,
    ) {
        self.worst = self.worst.max(Some(severity));
        let pointer_bytes = self.pointer_bytes;
        let count = self.count(rule);
        count.severity = count.severity.max(Some(severity));
        if count.listed >= Report::MOST_OF_A_RULE || pointer_bytes > POINTER_BYTES {
            count.omitted += 1;
            return;
        }
        count.listed += 1;
        let pointer = place.pointer();
        self.pointer_bytes += pointer.len();
        self.listed.push(Finding {
            rule,
            section: section_of(rule),
            severity,
            pointer,
            span: place.span(),
            message: fmt::format(message),
            fix,
        });
    }

    fn count(&mut self, rule: &'static str) -> &mut Count {
        if self
            .counts
            .get(self.recent)
            .is_none_or(|(name, _)| *name != rule)
        {
            let found = self.counts.iter().position(|(name, _)| *name == rule);
            self.recent = found.unwrap_or_else(|| {
                self.counts.push((rule, Count::default()));
                self.counts.len() - 1
            });
        }
        &mut self.counts[self.recent].1
    }

    /// The verdict, the findings in the order of the source, and what was only counted.
    pub(crate) fn finish(mut self) -> (Verdict, Vec<Finding>, Vec<Omitted>) {
        // A sort that keeps the order of equals: findings about one place stay as the rules found them.
        self.listed
            .sort_by_key(|finding| (finding.span.start, finding.span.end));
        let mut omitted: Vec<Omitted> = self
            .counts
            .into_iter()
            .filter(|(_, count)| count.omitted > 0)
            .map(|(rule, count)| Omitted {
                rule,
                severity: count.severity.unwrap_or(Severity::Note),
                count: count.omitted,
            })
            .collect();
        omitted.sort_by_key(|omitted| omitted.rule);
        let verdict = match self.worst {
            Some(Severity::Refusal) => Verdict::Refused,
            Some(Severity::Warning) => Verdict::ValidWithWarnings,
            Some(Severity::Note) | None => Verdict::Valid,
        };
        (verdict, self.listed, omitted)
    }
}

/// A piece of the manifest in a message: a few words of it, and nothing that a terminal would obey.
pub(crate) struct Quoted<'t>(pub(crate) &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 48;
        f.write_char('"')?;
        for c in self.0.chars().take(MOST) {
            write!(f, "{}", c.escape_debug())?;
        }
        f.write_str(if self.0.chars().nth(MOST).is_some() {
            "…\""
        } else {
            "\""
        })
    }
}

/// The section of ERC-8257 that a rule comes from.
pub(crate) fn section_of(rule: &str) -> &'static str {
    let rule = rule.strip_prefix("8257-").unwrap_or(rule);
    match rule {
        "M-10" | "M-11" | "M-12" | "M-13" | "M-15" => return "§6",
        "M-16" | "M-24" => return "§4",
        "M-18" => return "Manifest Freshness",
        "M-20" | "M-21" => return "Manifest Parser Hardening",
        "M-25" => return "§3",
        "V-07" => return "§5",
        _ => {}
    }
    match rule.split('-').next().unwrap_or_default() {
        "1" | "1p" => "§1",
        "2" | "2c" | "2x" | "M" => "§2",
        "3" => "§3",
        "4" => "§4",
        "5" => "§5",
        "6" => "§6",
        "7" => "§7",
        "parse" => "Manifest Parser Hardening",
        "inj" => "Schema default and const Injection",
        "ref" => "Remote $ref in Embedded Schemas",
        "rend" => "Rendering Manifest Content",
        "fresh" => "Manifest Freshness",
        _ => "ERC-8257",
    }
}

/// The document's notes, as findings (ERC-8257 §2, *Canonical Manifest Bytes*).
pub(crate) fn from_notes(document: &Document<'_>, findings: &mut Findings) {
    use crate::json::NoteKind;
    for note in document.notes() {
        let place = match note.kind {
            NoteKind::NameNotNfc => Place::Name(note.value, note.span),
            _ => Place::At(note.value),
        };
        match note.kind {
            NoteKind::StringNotNfc => findings.refuse(
                "8257-2c-06",
                &place,
                format_args!("a string is not in Unicode Normalization Form C"),
                "Write it in NFC (composed characters); that changes the hash, so register it again.",
            ),
            NoteKind::NameNotNfc => super::names::not_nfc(note.value, &place, findings),
            NoteKind::Underflow => findings.warn(
                "8257-2c-18",
                &place,
                format_args!("the number is too small for an IEEE 754 double and is hashed as 0"),
                "Write 0, or keep the number as a string.",
            ),
            NoteKind::Inexact => findings.warn(
                "8257-M-06",
                &place,
                format_args!("the number is not what is hashed: as an IEEE 754 double it is another one"),
                "Write a number that a double holds, or a string where one may stand.",
            ),
        }
    }
}
