//! How much of a list, and from where.

use std::{borrow::Cow, str::FromStr};

use deedbox_core::limits;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};

/// How many tasks a page may hold: 1 to [`limits::PAGE_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PageLimit(u32);

/// Why something is not a [`PageLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number from 1 to {}", limits::PAGE_MAX)]
pub struct NotAPageLimit;

impl PageLimit {
    /// Takes a number as it is.
    ///
    /// # Errors
    /// [`NotAPageLimit`] when it is 0 or above [`limits::PAGE_MAX`].
    pub fn new(limit: u32) -> Result<Self, NotAPageLimit> {
        (1..=limits::PAGE_MAX)
            .contains(&limit)
            .then_some(Self(limit))
            .ok_or(NotAPageLimit)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl Default for PageLimit {
    fn default() -> Self {
        Self(limits::PAGE_DEFAULT)
    }
}

impl FromStr for PageLimit {
    type Err = NotAPageLimit;
    fn from_str(text: &str) -> Result<Self, NotAPageLimit> {
        // `u32::from_str` would also take a plus sign and leading zeros: two spellings of one number.
        let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        plain
            .then(|| text.parse().ok())
            .flatten()
            .ok_or(NotAPageLimit)
            .and_then(Self::new)
    }
}

impl<'de> Deserialize<'de> for PageLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)
            .map_err(|_| de::Error::custom(NotAPageLimit))?;
        // To JSON Schema 5.0 is an integer, and some clients write whole numbers so.
        let whole = number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be whole and within the range of a page's limit"
            )]
            (float.fract() == 0.0 && (1.0..=f64::from(limits::PAGE_MAX)).contains(&float))
                .then_some(float as u64)
        });
        whole
            .and_then(|n| u32::try_from(n).ok())
            .ok_or(NotAPageLimit)
            .and_then(Self::new)
            .map_err(de::Error::custom)
    }
}

impl JsonSchema for PageLimit {
    fn schema_name() -> Cow<'static, str> {
        "PageLimit".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer",
            "minimum": 1,
            "maximum": limits::PAGE_MAX,
            "default": limits::PAGE_DEFAULT,
        })
    }
}

/// A cursor as a caller hands it back. Whether it is one of ours is found out where its filter is known;
/// see [`crate::cursor`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CursorText(pub String);

impl JsonSchema for CursorText {
    fn schema_name() -> Cow<'static, str> {
        "CursorText".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$"})
    }
}
