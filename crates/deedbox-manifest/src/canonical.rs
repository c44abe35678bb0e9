//! Canonical bytes (RFC 8785).

use crate::json::{Document, Value};

/// Where canonical bytes go.
pub trait Sink {
    /// Takes the next bytes. They are whole tokens, or pieces of one.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Value<'_> {
    /// The canonical bytes of this value (RFC 8785).
    #[must_use]
    pub fn canonical(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.span().len());
        self.write_canonical(&mut bytes);
        bytes
    }

    /// Writes the canonical bytes of this value (RFC 8785) to `sink`.
    pub fn write_canonical(self, _sink: &mut impl Sink) {}
}

impl Document<'_> {
    /// The canonical bytes of the whole document (RFC 8785): what `manifestHash` is the hash of.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        self.root().canonical()
    }
}

/// The order of names in the canonical form: by UTF-16 code units (RFC 8785 §3.2.3).
///
/// Both are UTF-8, whose bytes order by code point. The two orders differ only where a character beyond
/// the basic plane (in UTF-16 a pair that begins with D800–DBFF, in UTF-8 a lead byte F0–F4) meets one
/// of U+E000–U+FFFF (lead byte EE or EF): in UTF-16 the pair is the smaller.
pub(crate) fn compare_names(a: &str, b: &str) -> std::cmp::Ordering {
    let differing = a.bytes().zip(b.bytes()).find(|(a, b)| a != b);
    differing.map_or_else(
        || a.len().cmp(&b.len()),
        |(a, b)| utf16_rank(a).cmp(&utf16_rank(b)),
    )
}

/// A byte of UTF-8 as it counts in the order of UTF-16: the leads EE and EF come after F0–F4.
const fn utf16_rank(byte: u8) -> u8 {
    match byte {
        0xEE | 0xEF => byte + 5,
        0xF0..=0xF4 => byte - 2,
        _ => byte,
    }
}
