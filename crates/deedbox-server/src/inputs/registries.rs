//! What the readings of registries take. Which agent, tool or account a text means is found out by [`readings`](crate::readings).

use deedbox_chain::{Block, request::AddressText};
use deedbox_core::BlockHash;
use deedbox_registry::verify::Purpose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{is_false, present, word};

/// The arguments of `resolve_agent`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveAgent {
    /// Which agent (ERC-8127): `[alias.]id@registry`, like `12@eip155:1:0x…` or `12@0x0001…` (ERC-7930). The alias takes no part in it.
    pub agent: String,
    /// At which block: a decimal height, a block hash, `latest`, `safe` or `finalized`.
    pub block: Block,
    /// Keys of metadata to read beside those of the standards; none when absent. At most 64, each of 1 to 512 bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 512)))]
    pub keys: Vec<String>,
    /// Accounts that may have been approved to act for the owner, to be asked about; none when absent. At most 64, each 0x and 40 hex
    /// digits; mixed case must be a correct checksum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub spenders: Vec<AddressText>,
    /// A gateway to say `ipfs://` addresses at, like `https://gateway.example`; none when absent. Nothing is fetched from it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "String")]
    pub ipfs_gateway: Option<String>,
}

/// The arguments of `verify_tool`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyTool {
    /// Which tool: `eip155:<chain>/erc8257:<registry>/<id>`.
    pub tool: String,
    /// At which block its registration is read: a decimal height, a block hash, `latest`, `safe` or `finalized`.
    pub block: Block,
    /// What for: `interactive` (to show the tool), `invocation` (to invoke it) or `payment` (to pay or to sign, this once).
    #[serde(deserialize_with = "word")]
    pub purpose: Purpose,
    /// For how many seconds it would be relied upon; 300 when absent. Never more than the purpose and the manifest allow.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "u32")]
    pub window_seconds: Option<u32>,
}

/// The arguments of `check_tool_access`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckToolAccess {
    /// Which tool: `eip155:<chain>/erc8257:<registry>/<id>`.
    pub tool: String,
    /// Whose access: 0x and 40 hex digits; mixed case must be a correct checksum.
    pub account: AddressText,
    /// At which block: a decimal height, a block hash, `latest`, `safe` or `finalized`.
    pub block: Block,
    /// What the predicate takes as evidence, in hex with 0x, at most 64 KiB; 0x, which is nothing, when absent. It is sent to the chain's
    /// endpoint and recorded, so no secret belongs in it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "String", regex(pattern = "^0x([0-9a-fA-F]{2})*$"))]
    pub data: Option<String>,
    /// Whether `data` may be sent although it looks like a key or a password; false when absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub data_is_public: bool,
}

/// The arguments of `compare_tools`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareTools {
    /// Which tools, two to ten, each once: `eip155:<chain>/erc8257:<registry>/<id>`.
    #[schemars(length(min = 2, max = 10))]
    pub tools: Vec<String>,
    /// At which block of each chain: `latest`, `safe` or `finalized`; of one chain also a decimal height or a block hash.
    pub block: Block,
    /// At exactly these blocks instead, for these chains; none when absent. An answer that is recorded names those that were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 11))]
    pub blocks: Vec<ChainBlock>,
    /// Whose access is asked for: 0x and 40 hex digits; mixed case must be a correct checksum. Nobody's when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "AddressText")]
    pub account: Option<AddressText>,
    /// In which asset prices are ordered (CAIP-19), like `eip155:8453/erc20:0x…`; when absent, the one that all of them are in, if they
    /// are.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "String")]
    pub asset: Option<String>,
    /// The payment protocols that can be paid by, at most 16, as manifests name them, like `x402`. Nothing is said about support when
    /// absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(
        with = "Vec<String>",
        length(max = 16),
        inner(length(min = 1, max = 64))
    )]
    pub protocols: Option<Vec<String>>,
}

/// A block of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainBlock {
    /// The chain's id (EIP-155).
    pub chain_id: u64,
    /// The block's hash.
    pub block_hash: BlockHash,
}
