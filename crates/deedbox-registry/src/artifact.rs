//! What was compiled: the code that creates a contract, and the code that then stands on the chain.

use std::sync::LazyLock;

use alloy_primitives::Bytes;
use serde::Deserialize;

/// A compiled contract.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// What its source calls it, like `OpenAgentRegistry`.
    pub name: String,
    /// What is sent to create it, without the constructor's arguments.
    pub bytecode: Bytes,
    /// What stands on the chain then, with zeros where immutable values go.
    pub deployed_bytecode: Bytes,
    /// Where those are.
    #[serde(default)]
    immutable_references: Vec<Place>,
    pub(crate) abi: Vec<Item>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Place {
    start: usize,
    length: usize,
}

/// One item of an ABI, as far as errors need it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Item {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) inputs: Vec<Input>,
}

/// A parameter.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Input {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
}

macro_rules! artifacts {
    ($($name:literal)*) => {
        const SOURCES: &[&str] = &[
            $(include_str!(concat!("../artifacts/", $name, ".json"))),*
        ];
    };
}

artifacts! {
    "OpenAgentRegistry"
    "CuratedAgentRegistry"
    "FixedSupplyAgentRegistry"
    "ToolRegistry"
    "AlwaysDenyPredicate"
    "AllowlistPredicate"
    "MerkleAllowlistPredicate"
    "Erc721HolderPredicate"
    "Erc1155HolderPredicate"
    "Erc20BalancePredicate"
    "SubscriptionPredicate"
    "AgentOwnerPredicate"
    "AnyAgentOwnerPredicate"
    "AccessProofPredicate"
    "CompositePredicate"
}

static ARTIFACTS: LazyLock<Vec<Artifact>> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "the files are compiled in, and a test reads each of them"
    )]
    let read = |source: &&str| serde_json::from_str(source).expect("an artifact is JSON");
    SOURCES.iter().map(read).collect()
});

impl Artifact {
    /// Every contract that this program can deploy.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &ARTIFACTS
    }

    /// The contract of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|artifact| artifact.name == name)
    }

    /// The contract whose code this is, whatever values were fixed when it was created.
    #[must_use]
    pub fn of_code(code: &[u8]) -> Option<&'static Self> {
        Self::all().iter().find(|artifact| artifact.is_code(code))
    }

    /// Whether `code`, read from a chain, is this contract's: the same bytes, save for immutable values.
    #[must_use]
    pub fn is_code(&self, code: &[u8]) -> bool {
        if code.len() != self.deployed_bytecode.len() {
            return false;
        }
        let mut rest = code.to_vec();
        for place in &self.immutable_references {
            if let Some(value) = rest.get_mut(place.start..place.start + place.length) {
                value.fill(0);
            }
        }
        rest == *self.deployed_bytecode
    }
}
