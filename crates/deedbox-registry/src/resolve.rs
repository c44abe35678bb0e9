//! Which agent that is, who owns it, and what it offers: asked now, at one block (ERC-8122).
//!
//! Owner and services are two facts from two views, and neither is concluded from the other.

mod agent_id;
mod control;
mod metadata;
mod uri;

use std::collections::BTreeSet;

use alloy_primitives::Address;
use deedbox_chain::{
    Block, Chains, ReadError,
    look::{Call, Expects, Wanted},
};
use deedbox_core::ReadProvenance;
use deedbox_id::TokenIdentifier;
use schemars::JsonSchema;
use serde::Serialize;

use self::metadata::{Reader, Values};
pub use self::{
    agent_id::AgentId,
    control::{Answer, Control, Owner, OwnerFound, Spender},
    metadata::{AddressForm, AgentService, AgentServices, Metadatum, Value},
    uri::{Gateway, Ipfs, Uri, UriFault},
};
use crate::{
    Inspection,
    abi::OpenAgentRegistry as Agents,
    entry::{AGENT_KEYS, SERVICE, SERVICE_TYPE},
    inspect::{self, probe},
    view,
};

/// How many keys and how many accounts can be asked for in one request.
pub const MOST_ASKED: usize = 64;
/// The most bytes of a key that is asked for.
const MOST_KEY_BYTES: usize = 512;
/// Numbered pairs are looked for up to this number.
const MOST_NUMBERS: u32 = 64;
/// How many numbers are looked for at once after the first.
const AT_ONCE: u32 = 8;

const OWNER_OF: &str = "ownerOf(uint256)";
const METADATA: &str = "metadata(uint256,string)";
/// What the older draft called it.
const OLD_METADATA: &str = "getMetadata(uint256,string)";
const SPENDERS: &str = "isOperator(address,address), allowance(address,address,uint256)";

/// What is to be found out about an agent.
#[derive(Clone, Debug)]
pub struct ResolveAgent {
    /// Which.
    pub agent: AgentId,
    /// At which block.
    pub block: Block,
    /// Keys to read beside those of the standard: at most [`MOST_ASKED`], each of 1 to 512 bytes.
    pub keys: Vec<String>,
    /// Accounts that may be operators or have allowances, as an index knows them: at most [`MOST_ASKED`].
    pub known_spenders: Vec<Address>,
    /// Where IPFS is asked, if anywhere.
    pub ipfs_gateway: Option<Gateway>,
}

/// What is known of an agent at one block.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResolvedAgent {
    /// The chain, the block and the endpoint. Everything else was read at this block, too. It stands beside an answer, not in it.
    #[serde(skip)]
    pub provenance: ReadProvenance,
    /// Which agent.
    pub agent: Identity,
    /// What stands at the registry's address.
    pub registry: Inspection,
    /// Who owns the agent.
    pub owner: Owner,
    /// Who beside the owner may change what is written about it; null when it has no owner.
    pub control: Option<Control>,
    /// What the agent offers.
    pub services: AgentServices,
    /// What else stands in its metadata: the standard's keys and those of the request, in this order.
    pub metadata: Vec<Metadatum>,
    /// What to know before any of it is relied upon.
    pub warnings: Vec<AgentWarning>,
}

/// Which agent an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Identity {
    /// `id@registry` (ERC-8127), without an alias.
    pub identifier: String,
    /// The registry as a CAIP-10 account.
    pub registry: String,
    /// The agent's number in it, in decimal.
    pub agent_id: String,
    /// The alias of the request; null without one. It says nothing about the agent.
    pub asked_as: Option<String>,
}

/// What to know before an answer about an agent is relied upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentWarning {
    /// There is no code at the registry's address.
    NoRegistry,
    /// The registry is an account that delegates to a contract (EIP-7702): whoever has its key can change what it says.
    RegistryIsDelegated,
    /// The registry follows an older draft of ERC-8122. It is not broken; its metadata is read by the older name, `getMetadata`.
    OlderDraft,
    /// The contract does not say that it is a registry of agents. What it answered was read all the same.
    NotAnAgentRegistry,
    /// The registry claims even the interface that no contract may claim: what it claims says nothing.
    RegistryClaimsEverything,
    /// The registry is a proxy (ERC-1967): what it does can be replaced.
    RegistryIsProxy,
    /// A service lacks one of its halves.
    BrokenService,
    /// Some of what was asked for could not be read.
    SomethingUnreadable,
}

/// Finds out about an agent. Everything is read at one block, in at most as many round trips as there are eights of services, and five.
///
/// # Errors
/// [`ReadError`]: then nothing is known. That there is no such agent, or no registry, is an answer and no error.
pub async fn resolve_agent(
    chains: &Chains,
    request: &ResolveAgent,
) -> Result<ResolvedAgent, ReadError> {
    request.check()?;
    let agent = &request.agent;
    let place = agent.place()?;
    let registry = inspect::inspect(chains, agent.chain_id, request.block, agent.registry).await?;
    let provenance = registry.provenance.clone();
    let asking = Asking {
        chains,
        request,
        block: Block::Hash(provenance.block_hash),
        older: registry.kind == inspect::Kind::OlderDraftAgentRegistry,
    };
    let seen = match registry.kind {
        inspect::Kind::NoCode | inspect::Kind::DelegatedAccount => Seen::nothing(),
        _ => asking.all().await?,
    };
    let control = match seen.owner.address() {
        Some(owner) => Some(asking.control(owner).await?),
        None => None,
    };
    let reader = Reader {
        agent_id: agent.agent_id,
        gateway: request.ipfs_gateway.as_ref(),
        source: if asking.older { OLD_METADATA } else { METADATA },
    };
    let metadata = asking.others().into_iter().filter_map(|key| {
        let value = seen.values.get(&key)?;
        Some(reader.read(&key, value))
    });
    let metadata: Vec<_> = metadata.collect();
    let services = reader.services(&seen.values, seen.numbers_read, seen.may_go_on);
    Ok(ResolvedAgent {
        warnings: warnings(&registry, &services, &metadata),
        agent: Identity {
            identifier: TokenIdentifier::new(agent.agent_id, place).to_string(),
            registry: format!(
                "eip155:{}:{}",
                agent.chain_id,
                view::account(agent.registry)
            ),
            agent_id: agent.agent_id.to_string(),
            asked_as: agent.alias.as_ref().map(ToString::to_string),
        },
        provenance,
        registry,
        owner: Owner {
            source: OWNER_OF.to_owned(),
            found: seen.owner,
        },
        control,
        services,
        metadata,
    })
}

impl ResolveAgent {
    /// Checks what can be known before anybody is asked.
    ///
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument): too many keys or spenders, or a key that is none.
    pub fn check(&self) -> Result<(), ReadError> {
        let too_many = |what| ReadError::invalid(what, format_args!("may be {MOST_ASKED} at most"));
        if self.keys.len() > MOST_ASKED {
            return Err(too_many("keys"));
        }
        if self.known_spenders.len() > MOST_ASKED {
            return Err(too_many("spenders"));
        }
        let bad = |key: &String| key.is_empty() || key.len() > MOST_KEY_BYTES;
        if self.keys.iter().any(bad) {
            let form = format_args!("must have 1 to {MOST_KEY_BYTES} bytes each");
            return Err(ReadError::invalid("keys", form));
        }
        Ok(())
    }
}

/// What was seen of an agent.
struct Seen {
    owner: OwnerFound,
    values: Values,
    numbers_read: u32,
    may_go_on: bool,
}

impl Seen {
    fn nothing() -> Self {
        Self {
            owner: OwnerFound::NotAsked,
            values: Values::new(),
            numbers_read: 0,
            may_go_on: false,
        }
    }
}

/// Asking about an agent at the block that was settled.
struct Asking<'a> {
    chains: &'a Chains,
    request: &'a ResolveAgent,
    block: Block,
    older: bool,
}

impl Asking<'_> {
    async fn all(&self) -> Result<Seen, ReadError> {
        let agent = &self.request.agent;
        let owner_of = Agents::ownerOfCall {
            agentId: agent.agent_id,
        };
        let mut keys = self.others();
        keys.extend([SERVICE_TYPE, SERVICE].map(str::to_owned));
        let endpoints = ["mcp", "a2a", "web", "x402", "ag-ui"];
        keys.extend(endpoints.map(|kind| format!("endpoint[{kind}]")));
        keys.extend(numbered(1));
        let first = vec![probe(agent.registry, &owner_of, Expects::Anything)];
        let (owner, mut values) = self.read(first, keys).await?;
        let mut numbers_read = 1;
        let mut may_go_on = there(&values, 1);
        while may_go_on && numbers_read < MOST_NUMBERS {
            let next = numbers_read + 1;
            numbers_read = (numbers_read + AT_ONCE).min(MOST_NUMBERS);
            let keys = (next..=numbers_read).flat_map(numbered).collect();
            let (_, more) = self.read(Vec::new(), keys).await?;
            values.extend(more);
            may_go_on = (next..=numbers_read).all(|number| there(&values, number));
        }
        Ok(Seen {
            owner: OwnerFound::of(owner.first()),
            values,
            numbers_read,
            may_go_on,
        })
    }

    /// Keys that are no service's: the standard's, what the older draft called a service, and those of the request.
    fn others(&self) -> Vec<String> {
        let standard = AGENT_KEYS
            .into_iter()
            .filter(|key| !metadata::is_service_key(key));
        let older = ["endpoint_type", "endpoint"]
            .into_iter()
            .filter(|_| self.older);
        let keys = standard.chain(older).map(str::to_owned);
        let mut seen = BTreeSet::new();
        keys.chain(self.request.keys.iter().cloned())
            .filter(|key| seen.insert(key.clone()))
            .collect()
    }

    async fn read(
        &self,
        probes: Vec<Call>,
        keys: Vec<String>,
    ) -> Result<(Vec<deedbox_chain::look::Said>, Values), ReadError> {
        let agent = &self.request.agent;
        let call = |key: &String| {
            let call = Agents::metadataCall {
                agentId: agent.agent_id,
                key: key.clone(),
            };
            let mut call = probe(agent.registry, &call, Expects::Anything);
            if self.older {
                // The same arguments and the same answer, by another name.
                call.data = [&crate::interface::OLD_ERC8048[..], &call.data[4..]]
                    .concat()
                    .into();
            }
            call
        };
        let wanted = Wanted {
            calls: keys.iter().map(call).collect(),
            probes,
            ..Wanted::default()
        };
        let got = self
            .chains
            .look(agent.chain_id, self.block, wanted)
            .await?
            .got;
        let values = got.calls.iter().map(|said| view::bytes(Some(said)));
        Ok((got.probes, keys.into_iter().zip(values).collect()))
    }

    async fn control(&self, owner: deedbox_core::ChainAddress) -> Result<Control, ReadError> {
        let agent = &self.request.agent;
        let mut seen = BTreeSet::new();
        let spenders = self.request.known_spenders.iter().copied();
        let spenders: Vec<_> = spenders.filter(|spender| seen.insert(*spender)).collect();
        let calls = spenders.iter().flat_map(|spender| {
            control::questions(agent.registry, agent.agent_id, owner, *spender)
        });
        let wanted = Wanted {
            calls: calls.collect(),
            ..Wanted::default()
        };
        let said = if spenders.is_empty() {
            Vec::new()
        } else {
            self.chains
                .look(agent.chain_id, self.block, wanted)
                .await?
                .got
                .calls
        };
        let pairs = spenders.iter().zip(said.chunks(2));
        Ok(Control {
            source: SPENDERS.to_owned(),
            spenders: pairs
                .map(|(spender, said)| control::spender(*spender, said))
                .collect(),
        })
    }
}

/// Every key under which a half of the pair with this number may stand: the four spellings of each.
fn numbered(number: u32) -> impl Iterator<Item = String> {
    [SERVICE_TYPE, SERVICE].into_iter().flat_map(move |label| {
        [
            format!("{label}/{number}"),
            format!("{label}:{number}"),
            format!("{label}: {number}"),
            format!("{label}[{number}]"),
        ]
    })
}

/// Whether something stands under a key of the pair with this number. What cannot be read is not there.
fn there(values: &Values, number: u32) -> bool {
    numbered(number).any(|key| matches!(values.get(&key), Some(Ok(value)) if !value.is_empty()))
}

fn warnings(
    registry: &Inspection,
    services: &AgentServices,
    metadata: &[Metadatum],
) -> Vec<AgentWarning> {
    use inspect::Kind;
    let kind = match registry.kind {
        Kind::AgentRegistry => None,
        Kind::NoCode => Some(AgentWarning::NoRegistry),
        Kind::DelegatedAccount => Some(AgentWarning::RegistryIsDelegated),
        Kind::OlderDraftAgentRegistry => Some(AgentWarning::OlderDraft),
        Kind::ToolRegistry
        | Kind::AccessPredicate
        | Kind::OlderDraftAccessPredicate
        | Kind::Other => Some(AgentWarning::NotAnAgentRegistry),
    };
    let is_unreadable = |datum: &Metadatum| matches!(datum.value, Value::Unreadable { .. });
    let unreadable = !services.unreadable.is_empty() || metadata.iter().any(is_unreadable);
    let broken = services
        .listed
        .iter()
        .any(|service| service.missing_key.is_some());
    let others = [
        (
            registry.claims_everything,
            AgentWarning::RegistryClaimsEverything,
        ),
        (registry.proxy.is_some(), AgentWarning::RegistryIsProxy),
        (broken, AgentWarning::BrokenService),
        (unreadable, AgentWarning::SomethingUnreadable),
    ];
    let others = others
        .into_iter()
        .filter_map(|(is_so, warning)| is_so.then_some(warning));
    kind.into_iter().chain(others).collect()
}
