//! Readings: what a chain said, at which block, through which endpoint.

use std::{borrow::Cow, fmt, str::FromStr};

use data_encoding::HEXLOWER;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use crate::{Timestamp, hash::ReadingDigest};

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

/// A block's hash: 0x and 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockHash(pub [u8; 32]);

/// Why a text is not a block's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 0x followed by 64 hexadecimal digits")]
pub struct NotABlockHash;

impl fmt::Display for BlockHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for BlockHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlockHash({self})")
    }
}

impl FromStr for BlockHash {
    type Err = NotABlockHash;
    /// Digits of either case: a hash carries no checksum.
    fn from_str(text: &str) -> Result<Self, NotABlockHash> {
        let digits = text.strip_prefix("0x").ok_or(NotABlockHash)?;
        let bytes = data_encoding::HEXLOWER_PERMISSIVE
            .decode(digits.as_bytes())
            .map_err(|_| NotABlockHash)?;
        bytes.try_into().map(Self).map_err(|_| NotABlockHash)
    }
}

impl Serialize for BlockHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BlockHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl JsonSchema for BlockHash {
    fn schema_name() -> Cow<'static, str> {
        "BlockHash".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^0x[0-9a-f]{64}$"})
    }
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

impl Reading {
    /// SHA-256 over the RFC 8785 canonical form of `{"arguments", "data", "provenance", "tool"}`: what anybody can
    /// compute again from an exported reading.
    #[must_use]
    pub fn digest(&self) -> ReadingDigest {
        // Infallible: texts, whole numbers and lists under text keys.
        ReadingDigest::of(&serde_json_canonicalizer::to_vec(self).unwrap_or_default())
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

    #[test]
    fn a_block_hash_has_32_bytes() {
        let text = format!("0x{}", "Ab".repeat(32));
        let hash: BlockHash = text.parse().unwrap();
        assert_eq!(hash.to_string(), text.to_lowercase());
        for bad in ["", "0x", &text[..65], &text[2..], &format!("{text}00")] {
            assert_eq!(bad.parse::<BlockHash>(), Err(NotABlockHash), "{bad:?}");
        }
    }
}
