//! One error for every type: where the input is wrong, a code for programs, and a text for people.
//!
//! A reader of an identifier wants to know three things: which byte, what should have stood there, and what to
//! do about it. Programs that tell errors apart compare [`Error::code`] with the constants in [`code`]; there is
//! no enum, because a new reason to refuse must not break those who match on the old ones.

use std::{borrow::Cow, fmt};

/// Why an input was refused, and at which byte of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    at: usize,
    code: &'static str,
    message: Cow<'static, str>,
}

impl Error {
    pub(crate) fn new(
        at: usize,
        code: &'static str,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            at,
            code,
            message: message.into(),
        }
    }

    /// The same error, for an input in which the offending part starts `by` bytes later.
    pub(crate) fn shifted(mut self, by: usize) -> Self {
        self.at += by;
        self
    }

    /// Offset in bytes of what is wrong, from the start of the input; the input's length when something is
    /// missing at its end. Where a value is built from several arguments it counts within the one that
    /// [`Error::message`] names.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// One of the constants in [`code`]. Stable.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// What was found, what was expected and what to do, without the place. Not stable.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.at, self.message)
    }
}

impl std::error::Error for Error {}

/// The character at a byte offset, as it is shown in a message.
pub(crate) fn found(text: &str, at: usize) -> String {
    match text.get(at..).and_then(|rest| rest.chars().next()) {
        Some(c) => format!("{c:?}"),
        None => "the end".to_owned(),
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// What [`Error::code`] may answer.
        pub mod code {
            $($(#[$doc])* pub const $name: &str = $text;)*
            /// All of them.
            pub const ALL: &[&str] = &[$($name),*];
        }
    };
}

codes! {
    /// A character that may not stand here.
    CHARACTER = "character";
    /// A part that must be there is not.
    MISSING_PART = "missing_part";
    /// A part has fewer characters than its standard asks for.
    TOO_SHORT = "too_short";
    /// A part has more characters than its standard allows.
    TOO_LONG = "too_long";
    /// A hex text does not start with `0x`.
    HEX_PREFIX = "hex_prefix";
    /// An upper-case hex digit where the standard wants lower case.
    HEX_CASE = "hex_case";
    /// An odd number of hex digits.
    HEX_ODD = "hex_odd";
    /// A hex number where a decimal one is written.
    HEX_NUMBER = "hex_number";
    /// A number, or an eip155 chain reference, starts with a zero.
    LEADING_ZERO = "leading_zero";
    /// A number is over 2^256-1.
    NUMBER_TOO_LARGE = "number_too_large";
    /// Chain 0, which is no chain.
    ZERO_CHAIN = "zero_chain";
    /// An address has the wrong length for its kind of chain.
    ADDRESS_LENGTH = "address_length";
    /// A chain reference has the wrong length for its kind of chain.
    REFERENCE_LENGTH = "reference_length";
    /// A mixed-case address whose EIP-55 or EIP-1191 checksum does not hold.
    CHECKSUM = "checksum";
    /// ERC-7930 bytes end early.
    TRUNCATED = "truncated";
    /// Bytes follow a complete ERC-7930 address.
    TRAILING_BYTES = "trailing_bytes";
    /// An ERC-7930 version that this crate does not know, with parsing rules like version 1.
    VERSION_UNSUPPORTED = "version_unsupported";
    /// An ERC-7930 version that says of itself that version 1 rules cannot read it.
    VERSION_INCOMPATIBLE = "version_incompatible";
    /// An ERC-7930 address with neither chain nor address.
    NOTHING_NAMED = "nothing_named";
    /// An address without a chain where both are needed.
    CHAIN_MISSING = "chain_missing";
    /// A chain without an address where both are needed.
    ADDRESS_MISSING = "address_missing";
    /// An alias starts or ends with a hyphen.
    ALIAS_HYPHEN = "alias_hyphen";
    /// A second `.` before the `@`.
    SECOND_DOT = "second_dot";
    /// A second `@`.
    SECOND_AT = "second_at";
    /// A token identifier without the `@registry`.
    REGISTRY_MISSING = "registry_missing";
    /// A token identifier without the token id.
    TOKEN_ID_MISSING = "token_id_missing";
    /// A storage key without a label.
    LABEL_EMPTY = "label_empty";
    /// A space right after the separator of a storage key.
    SEPARATOR_SPACE = "separator_space";
    /// Slash or colon form mixed with bracket form.
    MIXED_FORM = "mixed_form";
    /// A bracket that is never closed.
    BRACKET_OPEN = "bracket_open";
    /// Text after the last bracket.
    BRACKET_TAIL = "bracket_tail";
    /// A `]` inside a bracketed parameter.
    BRACKET_INSIDE = "bracket_inside";
    /// A parameter without characters, where a key is built.
    PARAMETER_EMPTY = "parameter_empty";
    /// Bytes that are not UTF-8.
    NOT_UTF8 = "not_utf8";
    /// A namespace for which the asked-for form or conversion is not defined.
    WRONG_NAMESPACE = "wrong_namespace";
    /// A shortened chain reference that no table completes; more knowledge would help.
    UNKNOWN_CHAIN = "unknown_chain";
    /// The target form cannot hold this value; nothing would help.
    NOT_REPRESENTABLE = "not_representable";
}
