//! Why a text could not be read.

use std::{fmt, ops::Range};

/// The first thing that keeps a text from being read. Reading stops there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Byte offset in the source at which it begins.
    pub at: usize,
    /// Byte offset behind it. Equal to `at` where something is missing.
    pub end: usize,
    /// What it is.
    pub kind: ReadErrorKind,
}

/// What keeps a text from being read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// More bytes than [`Limits::bytes`](super::Limits::bytes).
    TooLarge {
        /// The most that is read.
        limit: usize,
        /// How many there are.
        found: usize,
    },
    /// The source begins with the bytes EF BB BF.
    ByteOrderMark,
    /// The bytes here are not UTF-8.
    NotUtf8,
    /// Arrays and objects stand in each other deeper than [`Limits::depth`](super::Limits::depth).
    TooDeep {
        /// The deepest that is read.
        limit: usize,
    },
    /// More values than [`Limits::nodes`](super::Limits::nodes).
    TooManyNodes {
        /// The most that is read.
        limit: usize,
    },
    /// An object has this name a second time.
    DuplicateName {
        /// The name, decoded, at most 64 characters of it.
        name: String,
        /// Byte offset of the first one.
        first: usize,
    },
    /// A `\u` escape is half of a surrogate pair.
    LoneSurrogate,
    /// The number is beyond every finite IEEE 754 double.
    NumberTooLarge,
    /// Not JSON (RFC 8259).
    Syntax(Syntax),
}

/// Where a text leaves the grammar of RFC 8259.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Syntax {
    /// The text ends before the value does.
    Ended,
    /// A value should begin here.
    Value,
    /// A value, or the end of the array, should be here.
    ValueOrEnd,
    /// A name in double quotes should be here.
    Name,
    /// A name in double quotes, or the end of the object, should be here.
    NameOrEnd,
    /// A colon should be here.
    Colon,
    /// A comma, or the end of the array or object, should be here.
    CommaOrEnd,
    /// A comma with nothing after it.
    TrailingComma,
    /// Something follows the document's one value.
    AfterEnd,
    /// A number begins with a needless zero.
    LeadingZero,
    /// A number lacks a digit here.
    Digit,
    /// A control character stands in a string unescaped.
    ControlCharacter,
    /// A string has no closing quote.
    Unclosed,
    /// Not one of the escapes that JSON has.
    Escape,
    /// `\u` is not followed by four hexadecimal digits.
    UnicodeEscape,
}

impl ReadError {
    /// The place in the source, in bytes.
    #[must_use]
    pub const fn span(&self) -> Range<usize> {
        self.at..self.end
    }

    /// The rule that is broken, as the conformance table names it.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self.kind {
            ReadErrorKind::TooLarge { .. } => "8257-parse-01",
            ReadErrorKind::ByteOrderMark => "8257-2c-09",
            ReadErrorKind::NotUtf8 => "8257-2c-08",
            ReadErrorKind::TooDeep { .. } | ReadErrorKind::TooManyNodes { .. } => "8257-M-20",
            ReadErrorKind::DuplicateName { .. } | ReadErrorKind::LoneSurrogate => "8257-2c-17",
            ReadErrorKind::NumberTooLarge => "8257-2c-18",
            ReadErrorKind::Syntax(_) => "8257-2c-02",
        }
    }

    /// The section of the standard that has the rule.
    #[must_use]
    pub const fn section(&self) -> &'static str {
        match self.kind {
            ReadErrorKind::TooLarge { .. }
            | ReadErrorKind::TooDeep { .. }
            | ReadErrorKind::TooManyNodes { .. } => "Manifest Parser Hardening",
            _ => "§2",
        }
    }

    /// What to do about it: one sentence.
    #[must_use]
    pub const fn fix(&self) -> &'static str {
        match &self.kind {
            ReadErrorKind::TooLarge { .. } => "Make the manifest smaller.",
            ReadErrorKind::ByteOrderMark => {
                "Save the file as UTF-8 without a byte-order mark, and serve it so."
            }
            ReadErrorKind::NotUtf8 => "Save the file as UTF-8.",
            ReadErrorKind::TooDeep { .. } => "Nest fewer arrays and objects in each other.",
            ReadErrorKind::TooManyNodes { .. } => "Leave out values.",
            ReadErrorKind::DuplicateName { .. } => "Keep one of the two members.",
            ReadErrorKind::LoneSurrogate => {
                "Write the character itself, or both halves of its surrogate pair."
            }
            ReadErrorKind::NumberTooLarge => "Write the number as a string.",
            ReadErrorKind::Syntax(syntax) => syntax.fix(),
        }
    }
}

impl Syntax {
    const fn fix(self) -> &'static str {
        match self {
            Self::Ended | Self::Unclosed => "Complete the text; it may have been cut short.",
            Self::Value | Self::ValueOrEnd => {
                "Write an object, an array, a string in double quotes, a number, true, false or null."
            }
            Self::Name | Self::NameOrEnd => "Write the member's name in double quotes.",
            Self::Colon => "Put a colon between the name and its value.",
            Self::CommaOrEnd => "Put a comma between two entries, or close the bracket.",
            Self::TrailingComma => "Remove the comma.",
            Self::AfterEnd => "Remove what follows the closing bracket.",
            Self::LeadingZero => "Remove the zeros at the front.",
            Self::Digit => "Write digits here; JSON has no other form of number.",
            Self::ControlCharacter => "Escape it: \\n, \\t, or \\u and four hexadecimal digits.",
            Self::Escape => "Use \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u.",
            Self::UnicodeEscape => "Write four hexadecimal digits after \\u.",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Ended => "the text ends before the JSON value does",
            Self::Value => "a JSON value should begin here",
            Self::ValueOrEnd => "a JSON value or ] should be here",
            Self::Name => "a name in double quotes should be here",
            Self::NameOrEnd => "a name in double quotes or } should be here",
            Self::Colon => "a colon should be here",
            Self::CommaOrEnd => "a comma or the closing bracket should be here",
            Self::TrailingComma => "JSON has no comma before a closing bracket",
            Self::AfterEnd => "there is text after the JSON value",
            Self::LeadingZero => "a JSON number has no zeros at the front",
            Self::Digit => "a number lacks a digit here",
            Self::ControlCharacter => "a control character stands in a string as it is",
            Self::Unclosed => "the string has no closing quote",
            Self::Escape => "JSON has no such escape",
            Self::UnicodeEscape => "\\u is not followed by four hexadecimal digits",
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ReadErrorKind::TooLarge { limit, found } => {
                write!(f, "{found} bytes, and at most {limit} are read")
            }
            ReadErrorKind::ByteOrderMark => {
                f.write_str("the text begins with a byte-order mark (EF BB BF)")
            }
            ReadErrorKind::NotUtf8 => write!(f, "byte {} is not UTF-8", self.at),
            ReadErrorKind::TooDeep { limit } => {
                write!(f, "more than {limit} arrays and objects in each other")
            }
            ReadErrorKind::TooManyNodes { limit } => write!(f, "more than {limit} JSON values"),
            ReadErrorKind::DuplicateName { name, first } => {
                write!(
                    f,
                    "the name {name:?} is here a second time (first at byte {first})"
                )
            }
            ReadErrorKind::LoneSurrogate => f.write_str("half of a surrogate pair is no character"),
            ReadErrorKind::NumberTooLarge => {
                f.write_str("the number is larger than every IEEE 754 double")
            }
            ReadErrorKind::Syntax(syntax) => f.write_str(syntax.text()),
        }
    }
}

impl std::error::Error for ReadError {}
