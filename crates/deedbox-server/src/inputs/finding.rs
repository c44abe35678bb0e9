//! What is asked of the index: which agents and tools fit, which registries are followed, what was said before.

use deedbox_core::Timestamp;
use deedbox_store::index::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::{CursorText, HitLimit, is_false, present, word};

/// How many registries a search can be held to.
pub const MOST_REGISTRIES: usize = 16;

/// A search's arguments: those of its own, and those that both have. serde's `flatten` would take unknown names without a word.
macro_rules! search {
    ($(#[$doc:meta])* $name:ident { $($own:tt)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Words that all have to be there, in any language; without it, whatever is there. At most 400 characters.
            #[serde(default, deserialize_with = "at_most::<400, _>", skip_serializing_if = "Option::is_none")]
            #[schemars(with = "String", length(max = 400))]
            pub text: Option<String>,
            $($own)*
            /// Only in these registries: each `eip155:1:0x…` (CAIP-10) or `0x0001…` (ERC-7930); all when absent. At most 16.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            #[schemars(length(max = 16))]
            pub registries: Vec<String>,
            /// Only on the chain with this id (EIP-155); on all when absent.
            #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
            #[schemars(with = "u64")]
            pub chain_id: Option<u64>,
            /// Only what changed at this time or later, by the time of the block: RFC 3339; whenever it changed when absent.
            #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Timestamp")]
            pub updated_since: Option<Timestamp>,
            /// Also what is gone: burned, or deregistered; false when absent.
            #[serde(default, skip_serializing_if = "is_false")]
            pub gone: bool,
            /// Also what is in blocked registries; false when absent.
            #[serde(default, skip_serializing_if = "is_false")]
            pub blocked: bool,
            /// How many at most; 10 when absent.
            #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
            #[schemars(with = "HitLimit")]
            pub limit: Option<HitLimit>,
            /// The `next_cursor` of the page before, with the same other arguments; the first page when absent.
            #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
            #[schemars(with = "String", regex(pattern = "^[A-Za-z0-9_-]{1,2048}$"))]
            pub cursor: Option<CursorText>,
        }
    };
}

search! {
    /// The arguments of `find_agents`.
    FindAgents {
        /// Only agents of this owner: 0x and 40 hex digits, mixed case with a correct checksum; of all when absent.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        pub owner: Option<String>,
        /// Only agents with a service of this type, like `mcp` or `a2a`, in any case; any when absent.
        #[serde(default, deserialize_with = "at_most::<200, _>", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String", length(max = 200))]
        pub service_type: Option<String>,
    }
}

search! {
    /// The arguments of `find_tools`.
    FindTools {
        /// Only tools of this creator: 0x and 40 hex digits, mixed case with a correct checksum; of all when absent.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        pub creator: Option<String>,
        /// Also tools whose manifest was not verified; false when absent.
        #[serde(default, skip_serializing_if = "is_false")]
        pub unverified: bool,
        /// Only tools of this effective tier, by the standard's name; of any when absent.
        #[serde(default, deserialize_with = "at_most::<64, _>", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String", length(max = 64))]
        pub tier: Option<String>,
        /// Only tools that are `open` to everybody, or `gated` by a predicate; both when absent.
        #[serde(default, deserialize_with = "some_word", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "AccessWord")]
        pub access: Option<Access>,
        /// Only tools with a price in this asset (CAIP-19, as manifests have it); in any or none when absent.
        #[serde(default, deserialize_with = "at_most::<200, _>", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String", length(max = 200))]
        pub asset: Option<String>,
        /// Only tools with a price of at most this in `asset`'s smallest unit, in decimal digits; any price when absent.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String", regex(pattern = "^(0|[1-9][0-9]{0,77})$"))]
        pub at_most: Option<String>,
    }
}

/// The words of [`Access`], for schemas.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum AccessWord {
    Open,
    Gated,
}

/// The arguments of `list_registries`: none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRegistries {}

/// The arguments of `get_registry_history`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetRegistryHistory {
    /// Of whom: an agent, `12@eip155:1:0x…` or `12@0x0001…`, or a tool, `eip155:<chain>/erc8257:<registry>/<id>`.
    pub subject: String,
    /// Only what was said under this key of an agent's metadata; all of it when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "String", length(min = 1, max = 512))]
    pub key: Option<String>,
    /// How many at most; 10 when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "HitLimit")]
    pub limit: Option<HitLimit>,
    /// The `next_cursor` of the page before, with the same other arguments; the newest when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "CursorText")]
    pub cursor: Option<CursorText>,
}

/// Reads a text of at most so many characters: no more is searched for.
fn at_most<'de, const CHARS: usize, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.chars().nth(CHARS).is_some() {
        let reason = format!("is longer than {CHARS} characters");
        return Err(de::Error::custom(reason));
    }
    Ok(Some(text))
}

fn some_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Access>, D::Error> {
    word(deserializer).map(Some)
}
