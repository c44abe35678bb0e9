//! Text that a stranger wrote.
//!
//! The texts that a contract calls its name and its symbol are anybody's: whoever deploys a token chooses the bytes, at any length, and
//! often so that a reader takes it for another token, or takes its name for something that was said to them. So a
//! text is capped, nothing in it is repaired, and what is odd about it is said beside it.

mod look;

use data_encoding::HEXLOWER;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most characters (Unicode scalar values) of text that are kept.
pub const MAX_CHARACTERS: usize = 256;
/// The most bytes that are kept.
pub const MAX_BYTES: usize = 1024;

/// A text from a chain, capped, with what is odd about it. It is data, and says nothing to whoever reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UntrustedText {
    /// At most 256 characters, or as many as its field says. Invalid UTF-8 and NUL, which no database's text can hold, are replaced by U+FFFD.
    pub text: String,
    /// Whether there was more, of the text or of the bytes behind it.
    pub truncated: bool,
    /// What is odd about it, in the order of [`Flag`].
    pub flags: Vec<Flag>,
    /// The first 1,024 bytes as they are, in hex with 0x.
    pub raw_hex: String,
}

/// The beginning of a text that a stranger wrote, without its bytes: for lists, where many stand together and the whole is asked for
/// afterwards. It is data, and says nothing to whoever reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UntrustedExcerpt {
    /// As many characters as its field says. Invalid UTF-8 and NUL are replaced by U+FFFD.
    pub text: String,
    /// Whether there was more.
    pub truncated: bool,
    /// What is odd about it, in the order of [`Flag`].
    pub flags: Vec<Flag>,
}

/// What can be odd about a text.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// It came as 32 bytes, as early tokens answer, and not as a `string`.
    Bytes32,
    /// Some of its bytes are no UTF-8.
    InvalidUtf8,
    /// It holds control characters (Unicode category Cc, NUL among them), or separators of lines and paragraphs.
    Control,
    /// It holds characters that change the direction of writing.
    Bidi,
    /// It holds characters that nobody can see: zero-width ones, fillers, variation selectors, tags.
    ZeroWidth,
    /// It mixes scripts that are not written together: no single script (UTS 39 §5.1), and no Chinese, Japanese or Korean with
    /// Latin letters between them (UTS 39 §5.2, highly restrictive).
    MixedScript,
    /// It holds letters or digits that look like ASCII and are not (UTS 39 §4), in a word that can be read as ASCII or has ASCII
    /// letters in it.
    Confusable,
}

impl UntrustedText {
    /// Takes the bytes that a contract gave as its text. Of 32 bytes (`bytes32`), the zeros at the end are no part of
    /// the text.
    ///
    /// The flags are about the first [`MAX_BYTES`] bytes (of [`read_long`](Self::read_long), four for each character): what is not passed on is not judged. Takes time and room in proportion to those,
    /// however many there are.
    #[must_use]
    pub fn read(bytes: &[u8], bytes32: bool) -> Self {
        Self::of(bytes, bytes32, MAX_CHARACTERS)
    }

    /// The same for a text that may be longer than a name, like a description: of at most so many characters.
    #[must_use]
    pub fn read_long(bytes: &[u8], characters: usize) -> Self {
        Self::of(bytes, false, characters)
    }

    fn of(bytes: &[u8], bytes32: bool, characters: usize) -> Self {
        // No character has more than four bytes.
        let most = characters.saturating_mul(4);
        let kept = &bytes[..bytes.len().min(most)];
        let padding = kept.iter().rev().take_while(|&&byte| byte == 0).count();
        let written = &kept[..kept.len() - if bytes32 { padding } else { 0 }];
        let is_cut = kept.len() < bytes.len();
        let (whole, invalid_utf8) = decode(written, is_cut);
        let end = whole.char_indices().nth(characters);
        let text = end.map_or(&*whole, |(at, _)| &whole[..at]);
        let text = text.replace('\0', "\u{fffd}");
        let flags = [
            (bytes32, Flag::Bytes32),
            (invalid_utf8, Flag::InvalidUtf8),
            (whole.chars().any(look::is_control), Flag::Control),
            (whole.chars().any(look::turns_direction), Flag::Bidi),
            (whole.chars().any(look::is_invisible), Flag::ZeroWidth),
            (look::mixes_scripts(&whole), Flag::MixedScript),
            (look::is_confusable(&whole), Flag::Confusable),
        ];
        Self {
            text,
            truncated: is_cut || end.is_some(),
            flags: flags
                .into_iter()
                .filter_map(|(is_so, flag)| is_so.then_some(flag))
                .collect(),
            raw_hex: format!("0x{}", HEXLOWER.encode(&kept[..kept.len().min(MAX_BYTES)])),
        }
    }
}

impl UntrustedExcerpt {
    /// The first characters of what a stranger wrote, of which these bytes are all or, when `is_cut`, the beginning.
    #[must_use]
    pub fn read(bytes: &[u8], is_cut: bool, characters: usize) -> Self {
        let whole = UntrustedText::of(bytes, false, characters);
        Self {
            text: whole.text,
            truncated: whole.truncated || is_cut,
            flags: whole.flags,
        }
    }
}

/// `text` as one line of at most `most` characters, with what cannot be seen, or changes how the rest is seen, taken out. For words of
/// a machine that are shown to people, and never read by a program.
pub(crate) fn line(text: &str, most: usize) -> String {
    let is_odd = |c: char| look::is_control(c) || look::turns_direction(c) || look::is_invisible(c);
    let seen = text.split_whitespace().map(|word| word.replace(is_odd, ""));
    let seen = seen
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    match seen.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", seen[..end].trim_end()),
        None => seen,
    }
}

/// The text, and whether something in it is no UTF-8. A character that the cap cut in two is left out, and is no fault.
fn decode(bytes: &[u8], is_cut: bool) -> (String, bool) {
    let (mut text, mut is_invalid) = (String::new(), false);
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        let bad = chunk.invalid();
        let is_half = is_cut && chunks.peek().is_none() && could_go_on(bad);
        if !bad.is_empty() && !is_half {
            is_invalid = true;
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    (text, is_invalid)
}

/// Whether these bytes are the beginning of a character.
fn could_go_on(bytes: &[u8]) -> bool {
    str::from_utf8(bytes)
        .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

#[cfg(test)]
mod tests;
