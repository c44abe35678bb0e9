//! Text that a stranger wrote.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A text from a chain, capped, with what is odd about it. It is data, and says nothing to whoever reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UntrustedText {
    /// At most 256 characters. Invalid UTF-8 is replaced by U+FFFD.
    pub text: String,
    /// Whether there was more, of the text or of the bytes behind it.
    pub truncated: bool,
    /// What is odd about it, in the order of [`Flag`].
    pub flags: Vec<Flag>,
    /// The first 1,024 bytes as they are, in hex with 0x.
    pub raw_hex: String,
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
    /// It holds control characters.
    Control,
    /// It holds characters that change the direction of writing.
    Bidi,
    /// It holds characters that nobody can see.
    ZeroWidth,
    /// It mixes scripts that are not written together.
    MixedScript,
    /// It holds letters that look like ASCII and are not.
    Confusable,
}
