//! What one event of a registry said, and where on its chain.

use std::collections::BTreeSet;

use deedbox_core::{BlockHash, ChainAddress, ManifestHash, Timestamp, TransactionHash};
use deedbox_id::U256;
use serde::{Deserialize, Serialize};

use super::{Kept, number};

/// A place in a chain: the order in which things were said there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The block's height.
    pub block: u64,
    /// The log's index in the block.
    pub log_index: u64,
}

/// Where something was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// The place.
    pub place: Place,
    /// The block's hash.
    pub block_hash: BlockHash,
    /// The block's own time.
    pub block_timestamp: Timestamp,
    /// The transaction that said it.
    pub transaction: TransactionHash,
}

/// What an event said. Fields are the event's, in the standard's own terms; numbers are decimal texts in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "said", rename_all = "snake_case")]
pub enum Statement {
    /// `Registered` of ERC-8122: an agent is new. A hint; what counts are the owner and the metadata.
    Registered {
        /// The agent's id.
        #[serde(with = "number")]
        agent: U256,
        /// Its first owner.
        owner: ChainAddress,
        /// What kind of service it offers; may be empty.
        service_type: Kept,
        /// Where; may be empty.
        service: Kept,
        /// Its account; none where the event has the zero address.
        agent_account: Option<ChainAddress>,
    },
    /// `Transfer` of ERC-6909. From the zero address: made; to it: burned.
    Transferred {
        /// The agent's id.
        #[serde(with = "number")]
        agent: U256,
        /// Whose it was.
        from: ChainAddress,
        /// Whose it is.
        to: ChainAddress,
        /// Who asked for it.
        caller: ChainAddress,
        /// How many; 1 for an agent.
        #[serde(with = "number")]
        amount: U256,
    },
    /// `MetadataSet` of ERC-8048. An empty value removes what was there (reading X-27).
    MetadataSet {
        /// The agent's id.
        #[serde(with = "number")]
        agent: U256,
        /// The key, as it is stored.
        key: Kept,
        /// The value.
        value: Kept,
    },
    /// `Approval` of ERC-6909: how many of an agent a spender may transfer. One is enough to write its metadata.
    Approved {
        /// Who allows it.
        owner: ChainAddress,
        /// Who may.
        spender: ChainAddress,
        /// The agent's id.
        #[serde(with = "number")]
        agent: U256,
        /// How many.
        #[serde(with = "number")]
        amount: U256,
    },
    /// `OperatorSet` of ERC-6909: whether somebody may act for an owner in everything.
    OperatorSet {
        /// For whom.
        owner: ChainAddress,
        /// Who.
        spender: ChainAddress,
        /// Whether they may.
        approved: bool,
    },
    /// `ContractMetadataUpdated` of ERC-8049: what a registry says about itself. An empty value removes.
    ContractMetadataSet {
        /// The key, as it is stored.
        key: Kept,
        /// The value.
        value: Kept,
    },
    /// `ToolRegistered` of ERC-8257.
    ToolRegistered {
        /// The tool's id.
        #[serde(with = "number")]
        tool: U256,
        /// Who registered it, and alone may change it.
        creator: ChainAddress,
        /// Who decides on access; none where the event has the zero address: the tool is open.
        access_predicate: Option<ChainAddress>,
        /// Where its manifest is.
        metadata_uri: Kept,
        /// The hash of its manifest.
        manifest_hash: ManifestHash,
    },
    /// `ToolMetadataUpdated` of ERC-8257.
    ToolMetadataUpdated {
        /// The tool's id.
        #[serde(with = "number")]
        tool: U256,
        /// Where its manifest is now.
        metadata_uri: Kept,
        /// The hash of its manifest now.
        manifest_hash: ManifestHash,
    },
    /// `AccessPredicateUpdated` of ERC-8257.
    AccessPredicateUpdated {
        /// The tool's id.
        #[serde(with = "number")]
        tool: U256,
        /// Who decides on access now; none: the tool is open.
        access_predicate: Option<ChainAddress>,
    },
    /// `ToolDeregistered` of ERC-8257: gone for ever.
    ToolDeregistered {
        /// The tool's id.
        #[serde(with = "number")]
        tool: U256,
    },
    /// `Upgraded` of ERC-1967: a proxy has other code. Of the registry itself, or of a predicate that one of its tools uses.
    Upgraded {
        /// The proxy.
        contract: ChainAddress,
        /// Its code now.
        implementation: ChainAddress,
    },
    /// `BeaconUpgraded` of ERC-1967: a proxy asks another beacon for its code. What the beacon itself leads to is said by the beacon, and not read.
    BeaconUpgraded {
        /// The proxy.
        contract: ChainAddress,
        /// Its beacon now.
        beacon: ChainAddress,
    },
}

/// One event, kept. Facts are only appended, and taken away from the end when a chain takes back its blocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fact {
    /// Where it was said.
    pub origin: Origin,
    /// What was said.
    pub statement: Statement,
}

impl Fact {
    /// Of each subject and name the last of these facts, newest first.
    #[must_use]
    pub fn last_of_each_name(mut facts: Vec<Self>) -> Vec<Self> {
        facts.sort_unstable_by_key(|fact| std::cmp::Reverse(fact.origin.place));
        let mut seen = BTreeSet::new();
        facts.retain(|fact| seen.insert((fact.statement.subject(), fact.statement.name())));
        facts
    }
}
