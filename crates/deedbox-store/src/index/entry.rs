//! An agent or a tool as searches show it: folded from facts, and never an answer by itself.

use std::collections::BTreeMap;

use deedbox_core::{ChainAddress, ManifestHash};
use deedbox_id::U256;
use serde::{Deserialize, Serialize};

use super::{
    Kept, ManifestCheck, ManifestSummary, Origin, RegistryId, Services, Subject, number, service,
};

/// How many bytes of one value an entry keeps; the whole is in the facts and on the chain.
pub const ENTRY_BYTES: usize = 2_048;

/// An agent of an ERC-8122 registry, as its events told it. A candidate: who owns it and where it is reached is read on chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEntry {
    /// The registry.
    pub registry: RegistryId,
    /// The agent's id.
    #[serde(with = "number")]
    pub id: U256,
    /// Whose it is; `None` when it was burned, or no transfer of it was seen.
    pub owner: Option<ChainAddress>,
    /// The last transfer.
    pub owner_since: Option<Origin>,
    /// Where `Registered` was said of it, last.
    pub registered: Option<Origin>,
    /// The last change of owner or metadata.
    pub updated: Origin,
    /// What stands under the keys that searches and lists use: those that ERC-8122 recommends, and those of services. Nothing
    /// that is empty; of long values the first [`ENTRY_BYTES`].
    pub metadata: BTreeMap<String, Kept>,
    /// Whether there were more keys of services than are kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more_metadata: bool,
}

impl AgentEntry {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> Option<&Kept> {
        self.metadata.get("name")
    }

    /// What it says that it can do.
    #[must_use]
    pub fn description(&self) -> Option<&Kept> {
        self.metadata.get("description")
    }

    /// Where an image of it is.
    #[must_use]
    pub fn image(&self) -> Option<&Kept> {
        self.metadata.get("image")
    }

    /// Its account for transactions.
    #[must_use]
    pub fn agent_account(&self) -> Option<ChainAddress> {
        service::agent_account(self.metadata.get("agent_account")?.bytes())
    }

    /// Its services, with the keys that each came from.
    #[must_use]
    pub fn services(&self) -> Services {
        let pairs = self.metadata.iter();
        service::services(pairs.map(|(key, value)| (key.as_bytes(), value.bytes())))
    }

    /// Whether it was burned.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.owner.is_none() && self.owner_since.is_some()
    }
}

/// A tool of an ERC-8257 registry, as its events told it, and what the last check of its manifest found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolEntry {
    /// The registry.
    pub registry: RegistryId,
    /// The tool's id.
    #[serde(with = "number")]
    pub id: U256,
    /// Who registered it.
    pub creator: ChainAddress,
    /// Where its manifest is.
    pub metadata_uri: Kept,
    /// The hash of its manifest.
    pub manifest_hash: ManifestHash,
    /// Who decides on access; none: the tool is open.
    pub access_predicate: Option<ChainAddress>,
    /// Where it was registered.
    pub registered: Origin,
    /// The last change.
    pub updated: Origin,
    /// Where it was deregistered.
    pub deregistered: Option<Origin>,
    /// The last check of its manifest, whether or not it [counts](ToolEntry::current_check). No part of what events told, so databases
    /// keep it beside the entry, and the entry's JSON does not have it.
    #[serde(skip)]
    pub check: Option<Box<ManifestCheck>>,
}

impl ToolEntry {
    /// The last check, when it was made of the manifest that is registered now.
    #[must_use]
    pub fn current_check(&self) -> Option<&ManifestCheck> {
        let check = self.check.as_deref()?;
        let same =
            check.metadata_uri == self.metadata_uri && check.manifest_hash == self.manifest_hash;
        same.then_some(check)
    }

    /// Whether the manifest that is registered now was found to be as registered. How long ago is another question.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.current_check()
            .is_some_and(|check| check.outcome.is_verified())
    }

    /// What the manifest says that is registered now, if it was verified.
    #[must_use]
    pub fn verified_manifest(&self) -> Option<&ManifestSummary> {
        let check = self.current_check()?;
        check
            .manifest
            .as_ref()
            .filter(|_| check.outcome.is_verified())
    }

    /// Whether it was deregistered.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.deregistered.is_some()
    }
}

/// An agent or a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// An agent.
    Agent(AgentEntry),
    /// A tool.
    Tool(ToolEntry),
}

impl Entry {
    /// The registry that it is in.
    #[must_use]
    pub fn registry(&self) -> RegistryId {
        match self {
            Self::Agent(agent) => agent.registry,
            Self::Tool(tool) => tool.registry,
        }
    }

    /// Which agent or tool of the registry.
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::Agent(agent) => Subject::Agent(agent.id),
            Self::Tool(tool) => Subject::Tool(tool.id),
        }
    }

    /// The last change.
    #[must_use]
    pub fn updated(&self) -> Origin {
        match self {
            Self::Agent(agent) => agent.updated,
            Self::Tool(tool) => tool.updated,
        }
    }

    /// Whether it was burned or deregistered.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        match self {
            Self::Agent(agent) => agent.is_gone(),
            Self::Tool(tool) => tool.is_gone(),
        }
    }
}
