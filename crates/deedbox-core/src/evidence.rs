//! Readings: what a chain said, at which block, through which endpoint; and evidence: readings that are recorded.

mod block;
mod record;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::{
    block::{Block, BlockHash, FixedBlock, NotABlock, NotABlockHash},
    record::{Altered, CitedEvidence, Evidence, EvidenceState, ReadingKey, Witness},
};
pub use crate::json::MAX_EXACT;
use crate::{
    Scope, Timestamp,
    hash::ReadingDigest,
    json::{self, Inexact},
    names::names,
};

names! {
    /// The tool that took a reading, like `get_erc20_balance`.
    ToolName, NotAToolName, "^[a-z][a-z0-9_]{0,63}$", |c| c.is_ascii_lowercase(), "_"
    /// What an operator calls one endpoint of a chain. Never its URL.
    EndpointId, NotAnEndpointId, "^[a-z0-9][a-z0-9._-]{0,63}$", |c| c.is_ascii_lowercase() || c.is_ascii_digit(), "._-"
}

/// Tools whose readings are of registries.
const OF_REGISTRIES: [&str; 4] = [
    "resolve_agent",
    "verify_tool",
    "check_tool_access",
    "compare_tools",
];

impl ToolName {
    /// What a key needs to have it read, and to see what it read.
    #[must_use]
    pub fn scope(&self) -> Scope {
        if OF_REGISTRIES.contains(&self.as_str()) {
            Scope::RegistriesRead
        } else {
            Scope::ChainRead
        }
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

impl Reading {
    /// Whether it can be recorded. Its size is another matter: see [`READING_BYTES`](crate::limits::READING_BYTES).
    ///
    /// # Errors
    /// [`Inexact`] names the first thing that is in the way.
    pub fn check(&self) -> Result<(), Inexact> {
        json::exact([self.provenance.chain_id, self.provenance.block_number])?;
        json::check(&self.arguments)?;
        json::check(&self.data)
    }

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
}
