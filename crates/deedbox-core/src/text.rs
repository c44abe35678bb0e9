//! Texts that strangers write: valid Unicode, no NUL, and within a limit that refuses and never cuts.

use std::fmt;

use schemars::json_schema;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization as _;

use crate::{json::json_text, limits};

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
    /// It may not be empty.
    #[error("must not be empty")]
    Empty,
    /// It holds U+0000, which no later reader can be trusted with.
    #[error("must not contain the NUL character (at byte {at})")]
    Nul {
        /// Byte offset of the first one.
        at: usize,
    },
    /// It is too long. `limit` and `found` are in `unit`.
    #[error("is too long: {found} {unit}, at most {limit} are accepted")]
    TooLong {
        /// The most that is accepted.
        limit: usize,
        /// What was offered.
        found: usize,
        /// `"characters"` (Unicode scalar values) or `"bytes"` (of UTF-8).
        unit: &'static str,
    },
    /// It holds a control character where none belongs.
    #[error("must not contain the control character U+{code:04X} (at byte {at})")]
    Control {
        /// Byte offset of the first one.
        at: usize,
        /// Its code point.
        code: u32,
    },
    /// It is no path.
    #[error(
        "must be names separated by single slashes, like projects/deedbox, and none of them . or .."
    )]
    Path,
}

/// How a text's length is measured, and the most that is accepted.
#[derive(Clone, Copy, Debug)]
enum Limit {
    Chars(usize),
    Bytes(usize),
}

fn check(text: &str, min: usize, limit: Limit) -> Result<(), BadText> {
    if text.len() < min {
        return Err(BadText::Empty);
    }
    let (limit, found, unit) = match limit {
        Limit::Chars(n) => (n, text.chars().count(), "characters"),
        Limit::Bytes(n) => (n, text.len(), "bytes"),
    };
    if found > limit {
        return Err(BadText::TooLong { limit, found, unit });
    }
    text.find('\0')
        .map_or(Ok(()), |at| Err(BadText::Nul { at }))
}

/// For what stands on one line.
fn one_line(text: &str) -> Result<(), BadText> {
    no_control(text, |_, _| false)
}

/// For what stands on several lines: their ends, as all systems write them, and tabs are no surprise.
fn lines(text: &str) -> Result<(), BadText> {
    no_control(text, |c, next| {
        matches!(c, '\n' | '\t') || (c == '\r' && next == Some('\n'))
    })
}

fn no_control(text: &str, but: impl Fn(char, Option<char>) -> bool) -> Result<(), BadText> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_control() && !but(c, chars.peek().map(|(_, next)| *next)) {
            let code = c.into();
            return Err(BadText::Control { at, code });
        }
    }
    Ok(())
}

fn path(text: &str) -> Result<(), BadText> {
    one_line(text)?;
    let fits = |name: &str| !matches!(name, "" | "." | "..");
    text.split('/').all(fits).then_some(()).ok_or(BadText::Path)
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident { min: $min:expr, limit: $limit:expr $(, also: $also:expr)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes `text` as it is.
            ///
            /// # Errors
            /// [`BadText`] when it is empty where it may not be, too long, holds NUL, or has not the form that is said above.
            pub fn new(text: impl Into<String>) -> Result<Self, BadText> {
                let text = text.into();
                check(&text, $min, $limit)?;
                $($also(&text)?;)?
                Ok(Self(text))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = BadText;
            fn from_str(text: &str) -> Result<Self, BadText> {
                Self::new(text)
            }
        }

        json_text!($name, {
            let mut schema = json_schema!({"type": "string"});
            if $min > 0 {
                schema.insert("minLength".to_owned(), $min.into());
            }
            // A limit in bytes is also one in characters, only a looser one.
            let (Limit::Chars(most) | Limit::Bytes(most)) = $limit;
            schema.insert("maxLength".to_owned(), most.into());
            schema
        });
    )*};
}

texts! {
    /// What a task is called: 1 to [`limits::TITLE_CHARS`] characters.
    Title { min: 1, limit: Limit::Chars(limits::TITLE_CHARS) }
    /// What a task is about; may be empty. At most [`limits::TEXT_BYTES`] bytes.
    Description { min: 0, limit: Limit::Bytes(limits::TEXT_BYTES) }
    /// Under whose authority a task was given; may be empty. At most [`limits::AUTHORITY_SCOPE_BYTES`] bytes.
    AuthorityScope { min: 0, limit: Limit::Bytes(limits::AUTHORITY_SCOPE_BYTES) }
    /// What the accepting actor wants known; may be empty. At most [`limits::TEXT_BYTES`] bytes.
    ContextNote { min: 0, limit: Limit::Bytes(limits::TEXT_BYTES) }
    /// What the completing actor claims: 1 to [`limits::TEXT_BYTES`] bytes.
    ClaimText { min: 1, limit: Limit::Bytes(limits::TEXT_BYTES) }
    /// Where the evidence for a claim is; may be empty. At most [`limits::REFERENCE_BYTES`] bytes.
    SourceReference { min: 0, limit: Limit::Bytes(limits::REFERENCE_BYTES) }
    /// Why a task is handed off; may be empty. At most [`limits::TEXT_BYTES`] bytes.
    Reason { min: 0, limit: Limit::Bytes(limits::TEXT_BYTES) }
    /// A conclusion: 1 to [`limits::TEXT_BYTES`] bytes.
    ConclusionText { min: 1, limit: Limit::Bytes(limits::TEXT_BYTES) }
    /// One claim of a conclusion, one thing that is unknown, or one finding about a publication: 1 to [`limits::STATEMENT_BYTES`] bytes.
    Statement { min: 1, limit: Limit::Bytes(limits::STATEMENT_BYTES) }
    /// How an actor or a key is shown to people: 1 to [`limits::NAME_CHARS`] characters.
    Name { min: 1, limit: Limit::Chars(limits::NAME_CHARS) }
    /// What is remembered: 1 to [`limits::MEMORY_BYTES`] bytes. Lines may end and have tabs; other control characters are refused. What
    /// turns the direction of writing is kept, and flagged where it is shown.
    MemoryContent { min: 1, limit: Limit::Bytes(limits::MEMORY_BYTES), also: lines }
    /// Where a memory belongs: names separated by slashes, none of them `.` or `..`; 1 to [`limits::MEMORY_PATH_BYTES`] bytes without
    /// control characters.
    MemoryPath { min: 1, limit: Limit::Bytes(limits::MEMORY_PATH_BYTES), also: path }
    /// A word under which a memory is filed: 1 to [`limits::MEMORY_TAG_CHARS`] characters without control characters.
    MemoryTag { min: 1, limit: Limit::Chars(limits::MEMORY_TAG_CHARS), also: one_line }
    /// What a memory is about, for whoever will say it anew: 1 to [`limits::MEMORY_KEY_CHARS`] characters without control characters.
    MemoryKey { min: 1, limit: Limit::Chars(limits::MEMORY_KEY_CHARS), also: one_line }
}

impl SourceReference {
    /// The form in which two references are compared: in Unicode normal form C, without what nobody can see, and
    /// without surrounding white space. A space or an invisible character more is not new evidence. Empty when
    /// the reference is blank.
    #[must_use]
    pub fn comparable(&self) -> String {
        let visible: String = self.0.nfc().filter(|c| !is_invisible(*c)).collect();
        visible.trim().to_owned()
    }
}

/// Whether a character leaves no mark: controls but white space, the code points with the Unicode property
/// `Default_Ignorable_Code_Point`, and the blank pattern of Braille.
fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
                | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_counted_in_characters_and_a_claim_in_bytes() {
        assert!(Title::new("é".repeat(500)).is_ok());
        assert_eq!(
            Title::new("é".repeat(501)),
            Err(BadText::TooLong {
                limit: 500,
                found: 501,
                unit: "characters"
            })
        );
        assert!(ClaimText::new("é".repeat(32 * 1024)).is_ok());
        assert_eq!(
            ClaimText::new(format!("{}x", "é".repeat(32 * 1024))),
            Err(BadText::TooLong {
                limit: 65_536,
                found: 65_537,
                unit: "bytes"
            })
        );
    }

    #[test]
    fn nul_is_refused_where_it_stands() {
        assert_eq!(Title::new("a\0b"), Err(BadText::Nul { at: 1 }));
        assert_eq!(Description::new("\0"), Err(BadText::Nul { at: 0 }));
    }

    #[test]
    fn what_nobody_sees_makes_no_reference_new() {
        let form = |text: &str| SourceReference::new(text).unwrap().comparable();
        for blank in [
            "",
            " \t\n",
            "\u{200b}",
            "\u{2060} \u{feff}",
            "\u{2800}",
            "\u{ad}",
            "\u{e0001}",
        ] {
            assert_eq!(form(blank), "", "{blank:?}");
        }
        assert_eq!(form("run 1\u{200b}"), form("run 1"));
        assert_eq!(form("r\u{2063}un 1 "), form("run 1"));
        assert_eq!(form("caf\u{e9}"), form("cafe\u{301}"));
        assert_ne!(form("run 1"), form("run1"));
    }

    #[test]
    fn memories_have_lines_and_no_other_controls() {
        assert!(MemoryContent::new("a\n\tb\r\n\u{202e}c").is_ok());
        for (bad, at, code) in [("a\rb", 1, 13), ("\u{1b}[31m", 0, 27), ("é\u{85}", 2, 133)] {
            let control = BadText::Control { at, code };
            assert_eq!(MemoryContent::new(bad), Err(control), "{bad:?}");
        }
        assert_eq!(MemoryContent::new("a\0"), Err(BadText::Nul { at: 1 }));
        assert!(MemoryContent::new("x".repeat(262_144)).is_ok());
        assert!(MemoryContent::new("x".repeat(262_145)).is_err());
        assert!(MemoryTag::new("é".repeat(64)).is_ok());
        assert!(MemoryTag::new("é".repeat(65)).is_err());
        assert!(MemoryTag::new("two\nlines").is_err());
        assert!(MemoryKey::new("k".repeat(257)).is_err());
    }

    #[test]
    fn a_path_has_one_spelling() {
        for good in ["a", "projects/deedbox", "議事録/2026 年", ".hidden/..."] {
            assert!(MemoryPath::new(good).is_ok(), "{good:?}");
        }
        for bad in ["/a", "a/", "a//b", "..", "a/../b", "./a", "a/."] {
            assert_eq!(MemoryPath::new(bad), Err(BadText::Path), "{bad:?}");
        }
        assert_eq!(MemoryPath::new(""), Err(BadText::Empty));
        let tab = BadText::Control { at: 1, code: 9 };
        assert_eq!(MemoryPath::new("a\tb"), Err(tab));
        assert!(MemoryPath::new("x".repeat(1_024)).is_ok());
        assert!(MemoryPath::new("x".repeat(1_025)).is_err());
    }

    #[test]
    fn only_titles_claims_and_names_must_say_something() {
        assert_eq!(Title::new(""), Err(BadText::Empty));
        assert_eq!(ClaimText::new(""), Err(BadText::Empty));
        assert!(Description::new("").is_ok());
        assert!(SourceReference::new("").is_ok());
    }
}
