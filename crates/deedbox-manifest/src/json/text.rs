//! Strings and names.

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use super::{
    NoteKind, ReadError, ReadErrorKind, Syntax,
    document::{Node, Payload},
    reader::{Reader, narrow},
};

// ERC-8257 §2: "NFC per Unicode 16.0 or later".
const _: () = assert!(
    unicode_normalization::UNICODE_VERSION.0 >= 16,
    "the tables of unicode-normalization are older than Unicode 16.0"
);

impl Reader<'_> {
    /// Reads the string or name whose opening quote is at `start`, here. If it is not in Normalization Form C,
    /// `not_nfc` is noted.
    pub(super) fn string(&mut self, start: usize, not_nfc: NoteKind) -> Result<Payload, ReadError> {
        self.at += 1;
        let is_ascii = self.plain();
        if self.peek() == Some(b'"') {
            let text = &self.source[start + 1..self.at];
            if !is_ascii && !is_nfc(text) {
                self.note(not_nfc);
            }
            self.at += 1;
            return Ok(Payload::Text);
        }
        self.string_with_escapes(start, not_nfc)
    }

    /// Goes on with a string in which something else than its end has come.
    #[cold]
    fn string_with_escapes(
        &mut self,
        start: usize,
        not_nfc: NoteKind,
    ) -> Result<Payload, ReadError> {
        let begin = self.decoded.len();
        let mut copied = start + 1;
        let mut is_canonical = true;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.decoded.push_str(&self.source[copied..self.at]);
                    let escape = self.at;
                    let c = self.escape()?;
                    self.decoded.push(c);
                    copied = self.at;
                    is_canonical &= is_canonical_escape(c, &self.bytes[escape..copied]);
                    self.plain();
                }
                Some(_) => return Err(self.unexpected(Syntax::ControlCharacter)),
                None => {
                    let kind = ReadErrorKind::Syntax(Syntax::Unclosed);
                    self.at = start;
                    return Err(self.error(1, kind));
                }
            }
        }
        self.decoded.push_str(&self.source[copied..self.at]);
        if !is_nfc(&self.decoded[begin..]) {
            self.note(not_nfc);
        }
        self.at += 1;
        if !is_canonical {
            self.flaw = self.at;
        }
        Ok(Payload::Decoded {
            at: narrow(begin),
            len: narrow(self.decoded.len() - begin),
            is_canonical,
        })
    }

    /// Goes to the next quote, backslash, control character, or the end. True if all before it is ASCII.
    fn plain(&mut self) -> bool {
        const ONES: u64 = u64::from_ne_bytes([1; 8]);
        const HIGH: u64 = ONES << 7;
        // The highest bit of each byte that is below `n`; behind the first such byte possibly of others too.
        let below = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word & HIGH;
        let mut seen = 0;
        while let Some(bytes) = self.bytes[self.at..].first_chunk::<8>() {
            let word = u64::from_le_bytes(*bytes);
            let found = below(word, 0x20)
                | below(word ^ (ONES * u64::from(b'"')), 1)
                | below(word ^ (ONES * u64::from(b'\\')), 1);
            if found != 0 {
                let bit = found.trailing_zeros();
                // Only what stands before the place counts.
                seen |= word & ((1_u64 << (bit & !7)) - 1);
                self.at += bit as usize / 8;
                return seen & HIGH == 0;
            }
            seen |= word;
            self.at += 8;
        }
        while let Some(byte) = self.peek() {
            if matches!(byte, ..0x20 | b'"' | b'\\') {
                break;
            }
            seen |= u64::from(byte);
            self.at += 1;
        }
        seen & HIGH == 0
    }

    /// Reads the escape that begins here.
    fn escape(&mut self) -> Result<char, ReadError> {
        let c = match self.bytes.get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => {
                let next = self
                    .source
                    .get(self.at + 1..)
                    .and_then(|s| s.chars().next());
                let len = 1 + next.map_or(0, char::len_utf8);
                return Err(self.error(len, ReadErrorKind::Syntax(Syntax::Escape)));
            }
        };
        self.at += 2;
        Ok(c)
    }

    fn unicode_escape(&mut self) -> Result<char, ReadError> {
        let unit = self.code_unit(self.at)?;
        if let Some(c) = char::from_u32(unit) {
            self.at += 6;
            return Ok(c);
        }
        let low = if unit < 0xDC00 && self.bytes[self.at + 6..].starts_with(b"\\u") {
            self.code_unit(self.at + 6)?
        } else {
            0
        };
        let is_pair = (0xDC00..0xE000).contains(&low);
        let pair = 0x1_0000 + ((unit & 0x3FF) << 10 | low & 0x3FF);
        match char::from_u32(pair) {
            Some(c) if is_pair => {
                self.at += 12;
                Ok(c)
            }
            _ => Err(self.error(6, ReadErrorKind::LoneSurrogate)),
        }
    }

    /// The four hexadecimal digits of the `\u` at `at`.
    fn code_unit(&self, at: usize) -> Result<u32, ReadError> {
        let digits = self.bytes.get(at + 2..at + 6).unwrap_or_default();
        let unit = digits.iter().try_fold(0, |unit, &digit| {
            Some(unit << 4 | char::from(digit).to_digit(16)?)
        });
        unit.filter(|_| digits.len() == 4).ok_or(ReadError {
            at,
            end: at + 2,
            kind: ReadErrorKind::Syntax(Syntax::UnicodeEscape),
        })
    }
}

impl Node {
    /// The string or name that a node is.
    pub(super) fn string<'t>(&self, source: &'t str, decoded: &'t str) -> Option<&'t str> {
        match self.payload {
            Payload::Text => source.get(self.start as usize + 1..self.end as usize - 1),
            Payload::Decoded { at, len, .. } => decoded.get(at as usize..(at + len) as usize),
            _ => None,
        }
    }
}

/// Whether RFC 8785 §3.2.2.2 writes this character with this escape.
fn is_canonical_escape(c: char, escape: &[u8]) -> bool {
    match c {
        '"' | '\\' | '\u{8}' | '\t' | '\n' | '\u{C}' | '\r' => escape.len() == 2,
        '\0'..'\u{20}' => !escape.iter().any(u8::is_ascii_uppercase),
        _ => false,
    }
}

/// Whether a text is in Unicode Normalization Form C.
pub(crate) fn is_nfc(text: &str) -> bool {
    if !text.bytes().any(may_denormalise) {
        return true;
    }
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => true,
        IsNormalized::No => false,
        IsNormalized::Maybe => text.chars().eq(text.chars().nfc()),
    }
}

/// Whether a byte of UTF-8 may belong to a character that is not always allowed in Normalization Form C. False for
/// those below U+0300 (ASCII, Latin; bytes up to CB) and for U+4000–U+9FFF (ideographs; leads E4–E9) and
/// U+B000–U+CFFF (Hangul syllables; leads EB and EC), which are all starters that never change. A shortcut for
/// common texts; a test compares it with the tables for every character.
const fn may_denormalise(byte: u8) -> bool {
    !matches!(byte, ..0xCC | 0xE4..=0xE9 | 0xEB | 0xEC)
}

#[cfg(test)]
mod tests {
    use unicode_normalization::char::canonical_combining_class;

    use super::*;

    #[test]
    fn the_shortcut_to_nfc_knows_no_character_that_the_tables_doubt() {
        let mut short = 0;
        for c in '\0'..=char::MAX {
            if !c.encode_utf8(&mut [0; 4]).bytes().any(may_denormalise) {
                assert_eq!(is_nfc_quick([c].into_iter()), IsNormalized::Yes, "{c:?}");
                assert_eq!(canonical_combining_class(c), 0, "{c:?}");
                short += 1;
            }
        }
        assert_eq!(short, 0x300 + 0x6000 + 0x2000);
    }
}
