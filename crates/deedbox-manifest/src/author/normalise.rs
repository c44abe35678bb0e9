//! Repairs by replacing pieces of the text, so that the author's layout, the order of members and the spelling of
//! everything else stay.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use unicode_normalization::UnicodeNormalization as _;

use super::fields;
use crate::{
    canonical,
    hash::Hash,
    json::{Document, Limits, NoteKind, ReadError, Value},
};

/// What [`normalise`] made of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalised {
    /// The new text. Outside of the edits every byte is as it was.
    pub text: String,
    /// What was changed, in the order of the source. Empty: nothing had to be.
    pub edits: Vec<Edit>,
    /// What is not in its normal form and could not be changed.
    pub left: Vec<Left>,
    /// The hash of the text that came in. If it is registered, the new one has to be registered instead.
    pub hash_before: Hash,
    /// The hash of the new text.
    pub hash_after: Hash,
}

/// A piece of the text that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The value, as a JSON pointer (RFC 6901); where a name was changed, the value that it names.
    pub pointer: String,
    /// What was replaced, in bytes of the text that came in.
    pub span: Range<usize>,
    /// What stood there.
    pub before: String,
    /// What stands there now.
    pub after: String,
    /// Why: at least one reason.
    pub reasons: Vec<Reason>,
}

/// Why a text is not left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The rule, as the conformance table names it.
    pub rule: &'static str,
    /// What was done for it, or why nothing was, as a clause.
    pub text: &'static str,
}

/// Something that only the author can decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The value, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The place, in bytes of the text that came in.
    pub span: Range<usize>,
    /// Why it was left.
    pub reason: Reason,
}

const BOM: &str = "\u{FEFF}";
const NO_BOM: Reason = Reason {
    rule: "8257-2c-08",
    text: "removed the byte-order mark",
};
const NFC: Reason = Reason {
    rule: "8257-2c-05",
    text: "composed (NFC)",
};
const NAME_NFC: Reason = Reason {
    rule: "8257-M-04",
    text: "composed the name (NFC)",
};
const NAME_TAKEN: Reason = Reason {
    rule: "8257-M-04",
    text: "in Normalization Form C this name would be there twice",
};

/// Brings a manifest into the form that ERC-8257 asks of its author: every string, and every name, in Unicode Normalization
/// Form C (§2); hexadecimal digits in lower case in the fields that §2 lists; HTTPS URLs normalised by rules G1–G3
/// (§6), hosts as A-labels; no byte-order mark.
///
/// Only those pieces of the text change. Whatever else is wrong with the manifest is still wrong with it: what
/// comes out should be [checked](crate::check()). Where it already is in normal form, the text comes back as it was.
///
/// # Errors
///
/// The text cannot be read (a byte-order mark at its beginning is forgiven). Places count from its first byte. Or its
/// normal form is larger than [`Limits::MANIFEST`] allows, which few characters' are.
pub fn normalise(source: &[u8]) -> Result<Normalised, ReadError> {
    let body = source.strip_prefix(BOM.as_bytes()).unwrap_or(source);
    let shift = source.len() - body.len();
    let document = Document::read(body, &Limits::MANIFEST).map_err(|mut error| {
        error.at += shift;
        error.end += shift;
        error
    })?;
    let mut repairs = Repairs::default();
    repairs.nfc(&document);
    for (value, form) in fields::with_a_form(document.root()) {
        let repair = repairs.of(value, value.span());
        if let Some((text, reasons)) = form.apply(&repair.text) {
            repair.text = text;
            repair.reasons.extend(reasons);
        }
    }
    repairs.finish(&document, shift)
}

/// A string or name that may have to be replaced.
struct Repair<'d> {
    value: Value<'d>,
    end: usize,
    text: String,
    reasons: Vec<Reason>,
}

/// By where they begin in the source.
#[derive(Default)]
struct Repairs<'d> {
    all: BTreeMap<usize, Repair<'d>>,
    left: Vec<Left>,
}

impl<'d> Repairs<'d> {
    fn of(&mut self, value: Value<'d>, span: Range<usize>) -> &mut Repair<'d> {
        self.all.entry(span.start).or_insert_with(|| Repair {
            value,
            end: span.end,
            text: value.as_str().unwrap_or_default().to_owned(),
            reasons: Vec::new(),
        })
    }

    fn nfc(&mut self, document: &'d Document<'d>) {
        let mut taken = HashMap::new();
        for note in document.notes() {
            let (text, reason) = match note.kind {
                NoteKind::StringNotNfc => (note.value.as_str(), NFC),
                NoteKind::NameNotNfc => (note.value.name(), NAME_NFC),
                _ => continue,
            };
            let text: String = text.unwrap_or_default().nfc().collect();
            if note.kind == NoteKind::NameNotNfc
                && let Some(object) = note.value.parent()
                && taken
                    .entry(object.span().start)
                    .or_insert_with(|| normal_names(object))[&text]
                    > 1
            {
                self.left.push(Left {
                    pointer: note.value.pointer(),
                    span: note.span,
                    reason: NAME_TAKEN,
                });
                continue;
            }
            let repair = self.of(note.value, note.span);
            repair.text = text;
            repair.reasons.push(reason);
        }
    }

    /// `shift` is how many bytes of the source stand before the document.
    fn finish(mut self, document: &Document<'_>, shift: usize) -> Result<Normalised, ReadError> {
        let source = document.text();
        let mut text = String::with_capacity(source.len());
        let mut edits = Vec::new();
        if shift > 0 {
            edits.push(Edit {
                pointer: String::new(),
                span: 0..shift,
                before: BOM.to_owned(),
                after: String::new(),
                reasons: vec![NO_BOM],
            });
        }
        let mut copied = 0;
        for (start, repair) in self.all {
            if repair.reasons.is_empty() {
                continue;
            }
            let before = &source[start..repair.end];
            let after = spell(&repair.text, before.is_ascii());
            text.push_str(&source[copied..start]);
            text.push_str(&after);
            copied = repair.end;
            edits.push(Edit {
                pointer: repair.value.pointer(),
                span: start + shift..repair.end + shift,
                before: before.to_owned(),
                after,
                reasons: repair.reasons,
            });
        }
        text.push_str(&source[copied..]);
        for left in &mut self.left {
            left.span.start += shift;
            left.span.end += shift;
        }
        let hash_after = Document::read(text.as_bytes(), &Limits::MANIFEST)?
            .digest()
            .hash;
        Ok(Normalised {
            text,
            edits,
            left: self.left,
            hash_before: document.digest().hash,
            hash_after,
        })
    }
}

/// How many names of an object have each normal form.
fn normal_names(object: Value<'_>) -> HashMap<String, usize> {
    let mut names = HashMap::new();
    for member in object.members().into_iter().flatten() {
        *names.entry(member.name.nfc().collect()).or_default() += 1;
    }
    names
}

/// The text as a string in JSON; without a character outside ASCII if it stood there so.
fn spell(text: &str, in_ascii: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    canonical::write_string(text, &mut bytes);
    let spelled = String::from_utf8(bytes).unwrap_or_default();
    if !in_ascii || spelled.is_ascii() {
        return spelled;
    }
    let mut escaped = String::with_capacity(2 * spelled.len());
    for c in spelled.chars() {
        if c.is_ascii() {
            escaped.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    escaped
}
