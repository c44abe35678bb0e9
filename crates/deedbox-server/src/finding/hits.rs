//! From entries of the index to candidates: short, because models read many of them.

use deedbox_chain::UntrustedExcerpt;
use deedbox_core::{ChainAddress, ManifestHash, RegistryId, Timestamp, ToolId};
use deedbox_id::{Address, EvmChain, ToolReference};
use deedbox_registry::AgentId;
use deedbox_store::index::{
    AgentEntry, CheckOutcome, Cursor, Half, Kept, Origin, Price, Service, ToolEntry,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Known, Status};
use crate::operations::{Tool, TrustLevel};

/// The most characters of a name.
const NAME: usize = 80;
/// The most characters of a description.
const DESCRIPTION: usize = 200;
/// The most characters of a URI.
const URI: usize = 160;
/// The most characters of a label: a service's type, an asset.
const LABEL: usize = 60;
/// How many services, prices and reasons of one candidate are told.
const FEW: usize = 5;

/// When something was said on a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct When {
    /// The block's height.
    pub block_number: u64,
    /// The block's own time (RFC 3339 in UTC).
    pub at: Timestamp,
    /// Whether that block is final; otherwise the chain may still take it back.
    pub is_final: bool,
}

impl When {
    pub(super) fn of(origin: &Origin, cursor: Option<&Cursor>) -> Self {
        let block = origin.place.block;
        Self {
            block_number: block,
            at: origin.block_timestamp,
            is_final: cursor.is_some_and(|cursor| cursor.is_final(block)),
        }
    }
}

/// An agent that fits. Owner and services are two facts, from two kinds of events: neither follows from the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentHit {
    /// It is a candidate.
    pub status: Status,
    /// The tool to ask before anything depends on it.
    pub ask_next: &'static str,
    /// Which agent: `id@registry` (ERC-8127).
    pub identifier: String,
    /// Its registry (CAIP-10).
    #[schemars(with = "String")]
    pub registry: RegistryId,
    /// What is thought of the registry.
    pub trust: TrustLevel,
    /// What it calls itself; null when it does not.
    pub name: Option<UntrustedExcerpt>,
    /// What it says that it does, at most 200 characters; null when it does not.
    pub description: Option<UntrustedExcerpt>,
    /// Whose it is, by its last transfer; null when it was burned, or no transfer was seen.
    pub owner: Option<OwnerSaid>,
    /// Its services, at most 5.
    pub services: Vec<ServiceHit>,
    /// How many services it has beside.
    pub more_services: u64,
    /// Its last change of owner or metadata.
    pub updated: When,
    /// Whether it was burned.
    pub gone: bool,
    /// The block up to which its registry is read.
    pub as_of_block: Option<u64>,
}

/// An owner, as the last transfer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OwnerSaid {
    /// The account.
    pub address: ChainAddress,
    /// Since when.
    pub since: Option<When>,
}

/// A service, as an agent's metadata says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServiceHit {
    /// Which protocol, like `mcp`; null when that half is missing.
    pub service_type: Option<UntrustedExcerpt>,
    /// Where, with `{id}` not replaced; null when that half is missing.
    pub service: Option<UntrustedExcerpt>,
}

/// A tool that fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolHit {
    /// It is a candidate.
    pub status: Status,
    /// The tool to ask before anything depends on it.
    pub ask_next: &'static str,
    /// Which tool: `eip155:<chain>/erc8257:<registry>/<id>`.
    pub identifier: String,
    /// Its registry (CAIP-10).
    #[schemars(with = "String")]
    pub registry: RegistryId,
    /// What is thought of the registry.
    pub trust: TrustLevel,
    /// Whether all four checks passed, when they were made last, of the manifest that is registered now.
    pub verified: bool,
    /// When they were made; null when they never were, or of another manifest.
    pub verified_at: Option<Timestamp>,
    /// Why it is not verified; null when it is.
    pub unverified: Option<Unverified>,
    /// What the verified manifest calls it; null without one.
    pub name: Option<UntrustedExcerpt>,
    /// What the verified manifest says that it does, at most 200 characters; null without one.
    pub description: Option<UntrustedExcerpt>,
    /// Who registered it, and alone may change it.
    pub creator: ChainAddress,
    /// Where its manifest is registered.
    pub metadata_uri: UntrustedExcerpt,
    /// The hash of the manifest that is registered.
    pub manifest_hash: ManifestHash,
    /// Whether that is the manifest that an operator pinned the tool to; null when it is not pinned.
    pub pin: Option<PinStands>,
    /// The effective tier of the verified manifest, by the standard's name; null when unknown.
    pub tier: Option<String>,
    /// Prices of the verified manifest, at most 5. None is "unknown", not "free".
    pub prices: Vec<PriceHit>,
    /// Who decides on access; null: everybody may use it.
    pub access_predicate: Option<ChainAddress>,
    /// When it was registered.
    pub registered: When,
    /// Its last change.
    pub updated: When,
    /// Whether it was deregistered.
    pub gone: bool,
    /// The block up to which its registry is read.
    pub as_of_block: Option<u64>,
}

/// Why a tool is not verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unverified {
    /// The manifest that is registered now was not checked yet.
    NotChecked,
    /// A check did not pass.
    Failed,
    /// The manifest could not be fetched.
    Unreachable,
}

/// How a registered manifest stands to the one that an operator pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PinStands {
    /// It is the pinned one.
    Same,
    /// It is another one.
    Differs,
}

impl PinStands {
    pub(crate) fn of(pinned: ManifestHash, registered: ManifestHash) -> Self {
        match pinned == registered {
            true => Self::Same,
            false => Self::Differs,
        }
    }
}

/// The manifest that an operator pinned a tool to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pinned {
    /// Its hash.
    pub manifest_hash: ManifestHash,
    /// How the one that is registered stands to it; null when none is.
    pub stands: Option<PinStands>,
}

/// A price, as a manifest has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PriceHit {
    /// The asset (CAIP-19).
    pub asset: UntrustedExcerpt,
    /// How much, in the asset's smallest unit, in decimal digits. Zero is declared free.
    pub amount: String,
    /// The protocol of payment.
    pub protocol: UntrustedExcerpt,
}

pub(super) fn excerpt(kept: &Kept, characters: usize) -> UntrustedExcerpt {
    UntrustedExcerpt::read(kept.bytes(), kept.cut().is_some(), characters)
}

fn of_text(text: &str, characters: usize) -> UntrustedExcerpt {
    UntrustedExcerpt::read(text.as_bytes(), false, characters)
}

/// The identifier of an agent (ERC-8127).
pub(super) fn agent_identifier(registry: RegistryId, id: deedbox_id::U256) -> String {
    let agent = AgentId::new(registry.chain_id, registry.address.0.into(), id);
    // A registry is on a chain, and only chain 0 has no such form.
    let token = agent.token().map(|token| token.to_string());
    token.unwrap_or_else(|_| format!("{id}@{registry}"))
}

/// The reference of a tool (ERC-8257 §1).
pub(super) fn tool_identifier(registry: RegistryId, id: deedbox_id::U256) -> String {
    let chain = EvmChain::try_from(registry.chain_id).ok();
    let reference = chain
        .and_then(|chain| ToolReference::new(chain, Address(registry.address.0), id).ok())
        .map(|reference| reference.to_string());
    reference.unwrap_or_else(|| format!("{id}@{registry}"))
}

impl AgentHit {
    pub(super) fn new(agent: &AgentEntry, known: &Known) -> Self {
        let cursor = known.cursor(agent.registry);
        let services = agent.services();
        let half = |half: &Option<Half>, most| half.as_ref().map(|half| excerpt(&half.value, most));
        let service = |service: &Service| ServiceHit {
            service_type: half(&service.service_type, LABEL),
            service: half(&service.service, URI),
        };
        let of_key = |kept: Option<&Kept>, most| kept.map(|kept| excerpt(kept, most));
        let more = services.listed.len().saturating_sub(FEW) + services.omitted;
        Self {
            status: Status::Candidate,
            ask_next: Tool::ResolveAgent.name(),
            identifier: agent_identifier(agent.registry, agent.id),
            registry: agent.registry,
            trust: known.trust_in(agent.registry),
            name: of_key(agent.name(), NAME),
            description: of_key(agent.description(), DESCRIPTION),
            owner: agent.owner.map(|address| OwnerSaid {
                address,
                since: agent.owner_since.map(|at| When::of(&at, cursor)),
            }),
            services: services.listed.iter().take(FEW).map(service).collect(),
            more_services: more as u64,
            updated: When::of(&agent.updated, cursor),
            gone: agent.is_gone(),
            as_of_block: cursor.and_then(|cursor| Some(cursor.upto?.block)),
        }
    }
}

impl ToolHit {
    pub(super) fn new(tool: &ToolEntry, known: &Known) -> Self {
        let cursor = known.cursor(tool.registry);
        let check = tool.current_check();
        let manifest = tool.verified_manifest();
        let unverified = match check.map(|check| &check.outcome) {
            Some(CheckOutcome::Verified) => None,
            Some(CheckOutcome::Failed { .. }) => Some(Unverified::Failed),
            Some(CheckOutcome::Unreachable { .. }) => Some(Unverified::Unreachable),
            None => Some(Unverified::NotChecked),
        };
        let price = |price: &Price| PriceHit {
            asset: of_text(&price.asset, URI),
            amount: price.amount.to_string(),
            protocol: of_text(&price.protocol, LABEL),
        };
        let prices = manifest.into_iter().flat_map(|manifest| &manifest.prices);
        let pin = known.pin(tool.registry, ToolId(tool.id));
        Self {
            status: Status::Candidate,
            ask_next: Tool::VerifyTool.name(),
            identifier: tool_identifier(tool.registry, tool.id),
            registry: tool.registry,
            trust: known.trust_in(tool.registry),
            verified: unverified.is_none(),
            verified_at: check.map(|check| check.checked_at),
            unverified,
            name: manifest.map(|manifest| of_text(&manifest.name, NAME)),
            description: manifest.map(|manifest| of_text(&manifest.description, DESCRIPTION)),
            creator: tool.creator,
            metadata_uri: excerpt(&tool.metadata_uri, URI),
            manifest_hash: tool.manifest_hash,
            pin: pin.map(|pinned| PinStands::of(pinned, tool.manifest_hash)),
            tier: manifest.and_then(|manifest| manifest.tier.clone()),
            prices: prices.take(FEW).map(price).collect(),
            access_predicate: tool.access_predicate,
            registered: When::of(&tool.registered, cursor),
            updated: When::of(&tool.updated, cursor),
            gone: tool.is_gone(),
            as_of_block: cursor.and_then(|cursor| Some(cursor.upto?.block)),
        }
    }
}
