//! Readings: what a chain said, at which block, through which endpoint; and evidence: readings that are recorded.

mod block;
mod record;

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};

pub use self::{
    block::{Block, BlockHash, FixedBlock, NotABlock, NotABlockHash},
    record::{Altered, CitedEvidence, Evidence, EvidenceState, ReadingKey, Witness},
};
use crate::{Timestamp, hash::ReadingDigest, limits};

/// The greatest number that every reader of JSON holds exactly (RFC 8259 §6): chain ids and block heights that
/// are greater are refused, because a digest over them would not be theirs.
pub const MAX_EXACT: u64 = (1 << 53) - 1;

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $error:ident, $pattern:literal, $first:expr, $rest:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(Cow<'static, str>);

        #[doc = concat!("Why a text is not a [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        #[error("must match {}", $pattern)]
        pub struct $error;

        impl $name {
            /// A name that the program knows to be well-formed.
            #[must_use]
            pub const fn known(name: &'static str) -> Self {
                Self(Cow::Borrowed(name))
            }

            /// The name as text.
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

        impl FromStr for $name {
            type Err = $error;
            fn from_str(text: &str) -> Result<Self, $error> {
                let first: fn(char) -> bool = $first;
                let fits = text.len() <= 64
                    && text.starts_with(first)
                    && text.chars().all(|c| {
                        c.is_ascii_lowercase() || c.is_ascii_digit() || $rest.contains(c)
                    });
                fits.then(|| Self(Cow::Owned(text.to_owned()))).ok_or($error)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "pattern": $pattern})
            }
        }
    )*};
}

names! {
    /// The tool that took a reading, like `get_erc20_balance`.
    ToolName, NotAToolName, "^[a-z][a-z0-9_]{0,63}$", |c| c.is_ascii_lowercase(), "_"
    /// What an operator calls one endpoint of a chain. Never its URL.
    EndpointId, NotAnEndpointId, "^[a-z0-9][a-z0-9._-]{0,63}$", |c| c.is_ascii_lowercase() || c.is_ascii_digit(), "._-"
}

/// How a reading was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Source {
    /// By JSON-RPC, from a node that was trusted to answer truly.
    Rpc,
}

/// Where a reading came from: the chain, the one block at which everything in it was read, and the endpoint that
/// answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadProvenance {
    /// The chain's id (EIP-155), as the endpoint itself reported it.
    pub chain_id: u64,
    /// The block's height.
    pub block_number: u64,
    /// The block's hash.
    pub block_hash: BlockHash,
    /// The block's own time, RFC 3339 in UTC.
    pub block_timestamp: Timestamp,
    /// How it was read.
    pub source: Source,
    /// Which of the chain's endpoints answered.
    pub endpoint_id: EndpointId,
}

/// One successful reading of a chain.
///
/// `arguments` and `data` are JSON in the spelling of the tool's answer. They hold no fractions and no integers over
/// [`MAX_EXACT`]: amounts are decimal strings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// Which tool.
    pub tool: ToolName,
    /// What it was asked, addresses with their checksums.
    pub arguments: Map<String, Value>,
    /// What it answered.
    pub data: Map<String, Value>,
    /// Where the answer came from.
    pub provenance: ReadProvenance,
}

/// Why a reading cannot be recorded. Each would make its digest depend on who computes it, or not fit a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadReading {
    /// A number with a fraction or an exponent, below zero by more than [`MAX_EXACT`], or above it.
    #[error(
        "it holds a number that is not whole, or not exact in every reader of JSON; amounts are decimal texts"
    )]
    Number,
    /// A text or a name with U+0000.
    #[error("it holds the NUL character")]
    Nul,
    /// Nested deeper than [`limits::JSON_DEPTH`].
    #[error("it is nested too deeply")]
    Depth,
}

impl Reading {
    /// Whether it can be recorded. Its size is another matter: see [`limits::READING_BYTES`].
    ///
    /// # Errors
    /// [`BadReading`] names the first thing that is in the way.
    pub fn check(&self) -> Result<(), BadReading> {
        let numbers = [self.provenance.chain_id, self.provenance.block_number];
        if numbers.into_iter().any(|n| n > MAX_EXACT) {
            return Err(BadReading::Number);
        }
        check_map(&self.arguments, 1)?;
        check_map(&self.data, 1)
    }

    /// SHA-256 over the RFC 8785 canonical form of `{"arguments", "data", "provenance", "tool"}`: what anybody can
    /// compute again from an exported reading.
    #[must_use]
    pub fn digest(&self) -> ReadingDigest {
        // Infallible: texts, whole numbers and lists under text keys.
        ReadingDigest::of(&serde_json_canonicalizer::to_vec(self).unwrap_or_default())
    }
}

fn check_map(map: &Map<String, Value>, depth: usize) -> Result<(), BadReading> {
    map.iter().try_for_each(|(name, value)| {
        if name.contains('\0') {
            return Err(BadReading::Nul);
        }
        check_value(value, depth + 1)
    })
}

fn check_value(value: &Value, depth: usize) -> Result<(), BadReading> {
    if depth > limits::JSON_DEPTH {
        return Err(BadReading::Depth);
    }
    match value {
        Value::Null | Value::Bool(_) => Ok(()),
        Value::Number(number) => {
            let size = number
                .as_u64()
                .or_else(|| number.as_i64().map(i64::unsigned_abs));
            match size {
                Some(size) if size <= MAX_EXACT => Ok(()),
                _ => Err(BadReading::Number),
            }
        }
        Value::String(text) if text.contains('\0') => Err(BadReading::Nul),
        Value::String(_) => Ok(()),
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| check_value(item, depth + 1)),
        Value::Object(map) => check_map(map, depth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_form() {
        for good in ["get_erc20_balance", "a", "a1_"] {
            assert_eq!(good.parse::<ToolName>().unwrap().as_str(), good);
        }
        for bad in ["", "1a", "_a", "A", "a-b", "a b", &"a".repeat(65)] {
            assert_eq!(bad.parse::<ToolName>(), Err(NotAToolName), "{bad:?}");
        }
        for good in ["main", "1", "a.b-c_d"] {
            assert_eq!(good.parse::<EndpointId>().unwrap().as_str(), good);
        }
        for bad in ["", ".a", "https://key@host", "a/b"] {
            assert_eq!(bad.parse::<EndpointId>(), Err(NotAnEndpointId), "{bad:?}");
        }
    }
}
