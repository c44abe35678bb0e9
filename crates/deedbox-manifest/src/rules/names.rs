//! Names of members that are not in NFC (reading M-04: the standard speaks of string *values*).

use unicode_normalization::UnicodeNormalization as _;

use super::findings::{Findings, Place, Quoted};
use crate::json::Value;

/// A name that NFC would compose, reorder or replace is one of two spellings that look alike: a warning.
/// A name that NFC only takes apart (U+FB33, which RFC 8785 itself sorts by in its example) has characters
/// that NFC never keeps; there is no other spelling that somebody would type, and it is worth a note.
pub(super) fn not_nfc(value: Value<'_>, place: &Place<'_>, findings: &mut Findings) {
    let name = value.name().unwrap_or_default();
    let fix = "Write the name in Unicode Normalization Form C.";
    if name.nfc().count() > name.chars().count() {
        let message = format_args!(
            "the name {} has characters that Unicode's NFC takes apart",
            Quoted(name)
        );
        findings.note("8257-M-04", place, message, fix);
    } else {
        let message = format_args!(
            "the name {} is not in NFC: another name looks the same",
            Quoted(name)
        );
        findings.warn("8257-M-04", place, message, fix);
    }
}
