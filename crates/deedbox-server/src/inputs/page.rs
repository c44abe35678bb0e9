//! How much of a list, and from where.

use std::{borrow::Cow, str::FromStr};

use deedbox_core::limits;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};

/// How much a page may hold: from 1 to `MOST`, and `DEFAULT` when nobody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Limit<const DEFAULT: u32, const MOST: u32>(u32);

/// How many tasks a page may hold.
pub type PageLimit = Limit<{ limits::PAGE_DEFAULT }, { limits::PAGE_MAX }>;

/// How many candidates, or statements of a history, a page may hold. Few, because models read them.
pub type HitLimit = Limit<10, 100>;

/// Why something is not a [`Limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number from 1 to {most}")]
pub struct NotAPageLimit {
    /// The most that there may be.
    pub most: u32,
}

impl<const DEFAULT: u32, const MOST: u32> Limit<DEFAULT, MOST> {
    const REFUSED: NotAPageLimit = NotAPageLimit { most: MOST };

    /// Takes a number as it is.
    ///
    /// # Errors
    /// [`NotAPageLimit`] when it is 0 or above `MOST`.
    pub fn new(limit: u32) -> Result<Self, NotAPageLimit> {
        (1..=MOST)
            .contains(&limit)
            .then_some(Self(limit))
            .ok_or(Self::REFUSED)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const DEFAULT: u32, const MOST: u32> Default for Limit<DEFAULT, MOST> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<const DEFAULT: u32, const MOST: u32> FromStr for Limit<DEFAULT, MOST> {
    type Err = NotAPageLimit;
    fn from_str(text: &str) -> Result<Self, NotAPageLimit> {
        // `u32::from_str` would also take a plus sign and leading zeros: two spellings of one number.
        let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        plain
            .then(|| text.parse().ok())
            .flatten()
            .ok_or(Self::REFUSED)
            .and_then(Self::new)
    }
}

impl<'de, const DEFAULT: u32, const MOST: u32> Deserialize<'de> for Limit<DEFAULT, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)
            .map_err(|_| de::Error::custom(Self::REFUSED))?;
        // To JSON Schema 5.0 is an integer, and some clients write whole numbers so.
        let whole = number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be whole and within the range of a page's limit"
            )]
            (float.fract() == 0.0 && (1.0..=f64::from(MOST)).contains(&float))
                .then_some(float as u64)
        });
        whole
            .and_then(|n| u32::try_from(n).ok())
            .ok_or(Self::REFUSED)
            .and_then(Self::new)
            .map_err(de::Error::custom)
    }
}

impl<const DEFAULT: u32, const MOST: u32> JsonSchema for Limit<DEFAULT, MOST> {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer",
            "minimum": 1,
            "maximum": MOST,
            "default": DEFAULT,
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
