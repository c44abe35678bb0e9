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

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident { min: $min:expr, limit: $limit:expr })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes `text` as it is.
            ///
            /// # Errors
            /// [`BadText`] when it is empty where it may not be, too long, or holds NUL.
            pub fn new(text: impl Into<String>) -> Result<Self, BadText> {
                let text = text.into();
                check(&text, $min, $limit)?;
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
    fn only_titles_claims_and_names_must_say_something() {
        assert_eq!(Title::new(""), Err(BadText::Empty));
        assert_eq!(ClaimText::new(""), Err(BadText::Empty));
        assert!(Description::new("").is_ok());
        assert!(SourceReference::new("").is_ok());
    }
}
