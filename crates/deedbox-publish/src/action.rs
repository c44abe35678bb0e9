//! What somebody wants to change.

use alloy_primitives::{Address, B256, U256};
use deedbox_registry::{Deployment, Entry, NewAgent};

/// A change to one registry or predicate: one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Creates a registry or a predicate.
    Deploy(Deployment),
    /// Writes one entry of a registry's own metadata (ERC-8049). Registrar only.
    SetRegistryMetadata {
        /// The registry.
        registry: Address,
        /// What is written.
        entry: Entry,
    },
    /// Offers the registrar's role to somebody, who has to accept it; zero takes the offer back. Registrar only.
    NominateRegistrar {
        /// The registry.
        registry: Address,
        /// Who is offered it.
        nominee: Address,
    },
    /// Accepts the registrar's role. Nominee only.
    AcceptRegistrar {
        /// The registry.
        registry: Address,
    },
    /// Gives the registrar's role up, for ever. Registrar only.
    RenounceRegistrar {
        /// The registry.
        registry: Address,
    },
    /// Registers one agent (ERC-8122).
    RegisterAgent {
        /// The registry.
        registry: Address,
        /// The agent.
        agent: NewAgent,
    },
    /// Registers several agents at once, all or none (ERC-8122).
    RegisterAgents {
        /// The registry.
        registry: Address,
        /// The agents, in the order of their ids to come.
        agents: Vec<NewAgent>,
    },
    /// Writes metadata of an agent (ERC-8048). Several entries need a registry that takes them in one step, which ours do.
    SetAgentMetadata {
        /// The registry.
        registry: Address,
        /// The agent.
        agent_id: U256,
        /// What is written. At least one entry.
        metadata: Vec<Entry>,
    },
    /// Hands an agent over (ERC-6909). By its owner, an operator, or an approved spender.
    TransferAgent {
        /// The registry.
        registry: Address,
        /// The agent.
        agent_id: U256,
        /// Its next owner.
        receiver: Address,
    },
    /// Says how many times somebody may transfer one agent, and whether they may write its metadata (ERC-6909 allowance).
    ApproveSpender {
        /// The registry.
        registry: Address,
        /// The agent.
        agent_id: U256,
        /// Who.
        spender: Address,
        /// How many transfers: 0 revokes, `2^256-1` is never used up.
        amount: U256,
    },
    /// Says whether somebody may act for all agents of the signer (ERC-6909 operator).
    SetOperator {
        /// The registry.
        registry: Address,
        /// Who.
        operator: Address,
        /// Whether they may.
        approved: bool,
    },
    /// Registers a tool (ERC-8257). The signer becomes its creator, for ever.
    PublishTool {
        /// The registry.
        registry: Address,
        /// Its manifest.
        manifest: ManifestSource,
        /// Who decides on access; zero for everybody.
        access_predicate: Address,
    },
    /// Registers where a tool's manifest is now, and its hash (ERC-8257). Creator only.
    UpdateTool {
        /// The registry.
        registry: Address,
        /// The tool.
        tool_id: U256,
        /// Its manifest.
        manifest: ManifestSource,
    },
    /// Replaces who decides on access (ERC-8257). Creator only. A predicate that always denies pauses the tool.
    SetAccessPredicate {
        /// The registry.
        registry: Address,
        /// The tool.
        tool_id: U256,
        /// Who decides from now on; zero for everybody.
        access_predicate: Address,
    },
    /// Removes a tool for ever (ERC-8257). Creator only.
    DeregisterTool {
        /// The registry.
        registry: Address,
        /// The tool.
        tool_id: U256,
    },
    /// Changes who is on a tool's list. Creator of the tool only.
    SetAllowed {
        /// The allowlist predicate.
        predicate: Address,
        /// The tool.
        tool_id: U256,
        /// Whose access changes.
        accounts: Vec<Address>,
        /// Whether they have it from now on.
        allowed: bool,
    },
    /// Sets the root of a tool's Merkle tree. Creator of the tool only.
    SetRoot {
        /// The Merkle allowlist predicate.
        predicate: Address,
        /// The tool.
        tool_id: U256,
        /// The root; zero for nobody.
        root: B256,
    },
}

/// Where a manifest comes from. What is registered is always the hash of what its URL serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestSource {
    /// Where it is served: `https://…/.well-known/ai-tool/<slug>.json`.
    pub metadata_uri: String,
    /// The author's own copy. Where it is given, what is served must have the same canonical hash.
    pub local: Option<Vec<u8>>,
}

impl Action {
    /// What records call it, like `agent_register`.
    #[must_use]
    pub const fn operation(&self) -> &'static str {
        match self {
            Self::Deploy(Deployment::Predicate(_)) => "predicate_deploy",
            Self::Deploy(Deployment::Agents(_) | Deployment::Tools) => "registry_deploy",
            Self::SetRegistryMetadata { .. } => "registry_set",
            Self::NominateRegistrar { .. } => "registrar_nominate",
            Self::AcceptRegistrar { .. } => "registrar_accept",
            Self::RenounceRegistrar { .. } => "registrar_renounce",
            Self::RegisterAgent { .. } => "agent_register",
            Self::RegisterAgents { .. } => "agent_register_batch",
            Self::SetAgentMetadata { .. } => "agent_set",
            Self::TransferAgent { .. } => "agent_transfer",
            Self::ApproveSpender { .. } => "agent_approve",
            Self::SetOperator { .. } => "operator_set",
            Self::PublishTool { .. } => "tool_publish",
            Self::UpdateTool { .. } => "tool_update",
            Self::SetAccessPredicate { .. } => "tool_set_predicate",
            Self::DeregisterTool { .. } => "tool_deregister",
            Self::SetAllowed { .. } => "predicate_set_allowed",
            Self::SetRoot { .. } => "predicate_set_root",
        }
    }

    /// The contract that is called; none where one is created.
    #[must_use]
    pub const fn to(&self) -> Option<Address> {
        match self {
            Self::Deploy(_) => None,
            Self::SetRegistryMetadata { registry, .. }
            | Self::NominateRegistrar { registry, .. }
            | Self::AcceptRegistrar { registry }
            | Self::RenounceRegistrar { registry }
            | Self::RegisterAgent { registry, .. }
            | Self::RegisterAgents { registry, .. }
            | Self::SetAgentMetadata { registry, .. }
            | Self::TransferAgent { registry, .. }
            | Self::ApproveSpender { registry, .. }
            | Self::SetOperator { registry, .. }
            | Self::PublishTool { registry, .. }
            | Self::UpdateTool { registry, .. }
            | Self::SetAccessPredicate { registry, .. }
            | Self::DeregisterTool { registry, .. } => Some(*registry),
            Self::SetAllowed { predicate, .. } | Self::SetRoot { predicate, .. } => {
                Some(*predicate)
            }
        }
    }
}
