//! Every change that a registry offers, as a value: into call data, and back out of it.
//!
//! What a transaction does is read from its call data and from nothing else: so what is shown, what is compared afterwards and what
//! was signed cannot be three things.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::SolCall;
use deedbox_id::StorageKey;

use crate::{
    abi::{
        AllowlistPredicate as Allowlist, IERC8122::MetadataEntry,
        MerkleAllowlistPredicate as Merkle, OpenAgentRegistry as Agents, ToolRegistry as Tools,
    },
    entry::{self, Entry},
};

/// An agent to be: its owner, and what is written about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAgent {
    /// Who will own it. Not the zero address.
    pub owner: Address,
    /// Its metadata.
    pub metadata: Vec<Entry>,
}

/// One call that changes a registry or a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// `register(owner, service_type, service, agent_account)` of ERC-8122. Empty values and the zero address are not stored.
    RegisterService {
        /// Who will own it.
        owner: Address,
        /// `mcp`, `a2a` …
        service_type: String,
        /// The URI of the service.
        service: String,
        /// The agent's account, or zero.
        agent_account: Address,
    },
    /// `register(owner, metadata)` of ERC-8122.
    Register(NewAgent),
    /// `registerBatch(owners, metadata)` of ERC-8122: all of them or none.
    RegisterBatch(Vec<NewAgent>),
    /// `setMetadata(agentId, key, value)` of ERC-8122.
    SetMetadata {
        /// The agent.
        agent_id: U256,
        /// What is written.
        entry: Entry,
    },
    /// `setMetadataBatch(agentId, entries)`, an extension of our registries: all of them in one step, so that no pair is broken in between.
    SetMetadataBatch {
        /// The agent.
        agent_id: U256,
        /// What is written.
        entries: Vec<Entry>,
    },
    /// `transfer(receiver, id, 1)` of ERC-6909.
    Transfer {
        /// The next owner.
        receiver: Address,
        /// The agent.
        agent_id: U256,
    },
    /// `transferFrom(sender, receiver, id, 1)` of ERC-6909, for an operator or an approved spender.
    TransferFrom {
        /// The owner until now.
        sender: Address,
        /// The next owner.
        receiver: Address,
        /// The agent.
        agent_id: U256,
    },
    /// `approve(spender, id, amount)` of ERC-6909: 0 revokes; `2^256-1` is not used up.
    Approve {
        /// Who may act for this agent.
        spender: Address,
        /// The agent.
        agent_id: U256,
        /// How many transfers.
        amount: U256,
    },
    /// `setOperator(operator, approved)` of ERC-6909: for all agents of the caller.
    SetOperator {
        /// Who may act.
        operator: Address,
        /// Whether they may.
        approved: bool,
    },
    /// `setContractMetadata(key, value)` of ERC-8122.
    SetContractMetadata(Entry),
    /// `nominateRegistrar(nominee)`, an extension of our registries; zero takes a nomination back.
    NominateRegistrar(Address),
    /// `acceptRegistrar()`, by the nominee.
    AcceptRegistrar,
    /// `renounceRegistrar()`: nobody will be registrar any more.
    RenounceRegistrar,
    /// `registerTool(metadataURI, manifestHash, accessPredicate)` of ERC-8257.
    RegisterTool {
        /// Where the manifest is.
        metadata_uri: String,
        /// keccak256 over its canonical bytes.
        manifest_hash: B256,
        /// Who decides on access; zero for everybody.
        access_predicate: Address,
    },
    /// `updateToolMetadata(toolId, newURI, newHash)` of ERC-8257.
    UpdateToolMetadata {
        /// The tool.
        tool_id: U256,
        /// Where the manifest is from now on.
        metadata_uri: String,
        /// keccak256 over its canonical bytes.
        manifest_hash: B256,
    },
    /// `setAccessPredicate(toolId, newPredicate)` of ERC-8257.
    SetAccessPredicate {
        /// The tool.
        tool_id: U256,
        /// Who decides from now on; zero for everybody.
        access_predicate: Address,
    },
    /// `deregisterTool(toolId)` of ERC-8257: for ever.
    DeregisterTool(U256),
    /// `setAllowed(toolId, accounts, allowed)` of an allowlist predicate.
    SetAllowed {
        /// The tool.
        tool_id: U256,
        /// Whose access changes.
        accounts: Vec<Address>,
        /// Whether they have it from now on.
        allowed: bool,
    },
    /// `setRoot(toolId, root)` of a Merkle allowlist predicate.
    SetRoot {
        /// The tool.
        tool_id: U256,
        /// The tree's root; zero for nobody.
        root: B256,
    },
}

/// Why call data is not one of these calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no call of a registry or predicate that is known here")]
pub struct NotACall;

impl NewAgent {
    /// The cheapest call that registers it: where its metadata is nothing but one service and an account, the overload for those.
    #[must_use]
    pub fn into_call(self) -> Call {
        let mut simple = (String::new(), String::new(), Address::ZERO);
        let mut seen = Vec::new();
        for entry in &self.metadata {
            let key = entry.key.as_str();
            let text = || std::str::from_utf8(&entry.value).ok().map(str::to_owned);
            let fits = match key {
                entry::SERVICE_TYPE => text().map(|text| simple.0 = text),
                entry::SERVICE => text().map(|text| simple.1 = text),
                // The overload stores no zero address.
                entry::AGENT_ACCOUNT => entry
                    .as_address()
                    .filter(|account| !account.is_zero())
                    .map(|account| simple.2 = account),
                _ => None,
            };
            if fits.is_none() || entry.value.is_empty() || seen.contains(&key) {
                return Call::Register(self);
            }
            seen.push(key);
        }
        let (service_type, service, agent_account) = simple;
        Call::RegisterService {
            owner: self.owner,
            service_type,
            service,
            agent_account,
        }
    }
}

fn out(entries: &[Entry]) -> Vec<MetadataEntry> {
    let entry = |entry: &Entry| MetadataEntry {
        key: entry.key.to_string(),
        value: entry.value.clone(),
    };
    entries.iter().map(entry).collect()
}

fn back(entries: Vec<MetadataEntry>) -> Result<Vec<Entry>, NotACall> {
    let entry = |MetadataEntry { key, value }| one(key, value);
    entries.into_iter().map(entry).collect()
}

fn one(key: String, value: Bytes) -> Result<Entry, NotACall> {
    let key = key.parse::<StorageKey>().map_err(|_| NotACall)?;
    Entry::new(key, value).map_err(|_| NotACall)
}

fn agent(owner: Address, metadata: Vec<MetadataEntry>) -> Result<NewAgent, NotACall> {
    let metadata = back(metadata)?;
    Ok(NewAgent { owner, metadata })
}

/// `data` as a call of `C`, if it is that and nothing besides: encoded again, it must be the same bytes.
fn read<C: SolCall>(data: &[u8]) -> Result<C, NotACall> {
    let call = C::abi_decode(data).map_err(|_| NotACall)?;
    if call.abi_encode() != data {
        return Err(NotACall);
    }
    Ok(call)
}

impl Call {
    /// The call data.
    #[must_use]
    pub fn encode(&self) -> Bytes {
        let one = U256::from(1);
        match self.clone() {
            Self::RegisterService {
                owner,
                service_type,
                service,
                agent_account,
            } => Agents::register_0Call {
                owner,
                service_type,
                service,
                agent_account,
            }
            .abi_encode(),
            Self::Register(agent) => Agents::register_1Call {
                owner: agent.owner,
                entries: out(&agent.metadata),
            }
            .abi_encode(),
            Self::RegisterBatch(agents) => Agents::registerBatchCall {
                owners: agents.iter().map(|agent| agent.owner).collect(),
                entries: agents.iter().map(|agent| out(&agent.metadata)).collect(),
            }
            .abi_encode(),
            Self::SetMetadata { agent_id, entry } => Agents::setMetadataCall {
                agentId: agent_id,
                key: entry.key.to_string(),
                value: entry.value,
            }
            .abi_encode(),
            Self::SetMetadataBatch { agent_id, entries } => Agents::setMetadataBatchCall {
                agentId: agent_id,
                entries: out(&entries),
            }
            .abi_encode(),
            Self::Transfer { receiver, agent_id } => Agents::transferCall {
                receiver,
                id: agent_id,
                amount: one,
            }
            .abi_encode(),
            Self::TransferFrom {
                sender,
                receiver,
                agent_id,
            } => Agents::transferFromCall {
                sender,
                receiver,
                id: agent_id,
                amount: one,
            }
            .abi_encode(),
            Self::Approve {
                spender,
                agent_id,
                amount,
            } => Agents::approveCall {
                spender,
                id: agent_id,
                amount,
            }
            .abi_encode(),
            Self::SetOperator { operator, approved } => Agents::setOperatorCall {
                spender: operator,
                approved,
            }
            .abi_encode(),
            Self::SetContractMetadata(entry) => Agents::setContractMetadataCall {
                key: entry.key.to_string(),
                value: entry.value,
            }
            .abi_encode(),
            Self::NominateRegistrar(nominee) => {
                Agents::nominateRegistrarCall { nominee }.abi_encode()
            }
            Self::AcceptRegistrar => Agents::acceptRegistrarCall {}.abi_encode(),
            Self::RenounceRegistrar => Agents::renounceRegistrarCall {}.abi_encode(),
            Self::RegisterTool {
                metadata_uri,
                manifest_hash,
                access_predicate,
            } => Tools::registerToolCall {
                metadataURI: metadata_uri,
                manifestHash: manifest_hash,
                accessPredicate: access_predicate,
            }
            .abi_encode(),
            Self::UpdateToolMetadata {
                tool_id,
                metadata_uri,
                manifest_hash,
            } => Tools::updateToolMetadataCall {
                toolId: tool_id,
                newURI: metadata_uri,
                newHash: manifest_hash,
            }
            .abi_encode(),
            Self::SetAccessPredicate {
                tool_id,
                access_predicate,
            } => Tools::setAccessPredicateCall {
                toolId: tool_id,
                newPredicate: access_predicate,
            }
            .abi_encode(),
            Self::DeregisterTool(tool_id) => {
                Tools::deregisterToolCall { toolId: tool_id }.abi_encode()
            }
            Self::SetAllowed {
                tool_id,
                accounts,
                allowed,
            } => Allowlist::setAllowedCall {
                toolId: tool_id,
                accounts,
                allowed,
            }
            .abi_encode(),
            Self::SetRoot { tool_id, root } => Merkle::setRootCall {
                toolId: tool_id,
                root,
            }
            .abi_encode(),
        }
        .into()
    }

    /// Reads call data. Every call that [`Call::encode`] makes comes back as it was.
    ///
    /// # Errors
    /// [`NotACall`] for any other data, also for the same call in an encoding that Solidity would not make, for transfers of another
    /// amount than 1, and for keys that ERC-8119 forbids.
    pub fn decode(data: &[u8]) -> Result<Self, NotACall> {
        let selector: [u8; 4] = data
            .get(..4)
            .and_then(|selector| selector.try_into().ok())
            .ok_or(NotACall)?;
        let one_only = |amount: U256| (amount == U256::from(1)).then_some(()).ok_or(NotACall);
        Ok(match selector {
            Agents::register_0Call::SELECTOR => {
                let call: Agents::register_0Call = read(data)?;
                Self::RegisterService {
                    owner: call.owner,
                    service_type: call.service_type,
                    service: call.service,
                    agent_account: call.agent_account,
                }
            }
            Agents::register_1Call::SELECTOR => {
                let call: Agents::register_1Call = read(data)?;
                Self::Register(agent(call.owner, call.entries)?)
            }
            Agents::registerBatchCall::SELECTOR => {
                let call: Agents::registerBatchCall = read(data)?;
                if call.owners.len() != call.entries.len() {
                    return Err(NotACall);
                }
                let agents = call.owners.into_iter().zip(call.entries);
                let agents = agents.map(|(owner, entries)| agent(owner, entries));
                Self::RegisterBatch(agents.collect::<Result<_, _>>()?)
            }
            Agents::setMetadataCall::SELECTOR => {
                let call: Agents::setMetadataCall = read(data)?;
                Self::SetMetadata {
                    agent_id: call.agentId,
                    entry: self::one(call.key, call.value)?,
                }
            }
            Agents::setMetadataBatchCall::SELECTOR => {
                let call: Agents::setMetadataBatchCall = read(data)?;
                Self::SetMetadataBatch {
                    agent_id: call.agentId,
                    entries: back(call.entries)?,
                }
            }
            Agents::transferCall::SELECTOR => {
                let call: Agents::transferCall = read(data)?;
                one_only(call.amount)?;
                Self::Transfer {
                    receiver: call.receiver,
                    agent_id: call.id,
                }
            }
            Agents::transferFromCall::SELECTOR => {
                let call: Agents::transferFromCall = read(data)?;
                one_only(call.amount)?;
                Self::TransferFrom {
                    sender: call.sender,
                    receiver: call.receiver,
                    agent_id: call.id,
                }
            }
            Agents::approveCall::SELECTOR => {
                let call: Agents::approveCall = read(data)?;
                Self::Approve {
                    spender: call.spender,
                    agent_id: call.id,
                    amount: call.amount,
                }
            }
            Agents::setOperatorCall::SELECTOR => {
                let call: Agents::setOperatorCall = read(data)?;
                Self::SetOperator {
                    operator: call.spender,
                    approved: call.approved,
                }
            }
            Agents::setContractMetadataCall::SELECTOR => {
                let call: Agents::setContractMetadataCall = read(data)?;
                Self::SetContractMetadata(self::one(call.key, call.value)?)
            }
            Agents::nominateRegistrarCall::SELECTOR => {
                let call: Agents::nominateRegistrarCall = read(data)?;
                Self::NominateRegistrar(call.nominee)
            }
            Agents::acceptRegistrarCall::SELECTOR => {
                read::<Agents::acceptRegistrarCall>(data)?;
                Self::AcceptRegistrar
            }
            Agents::renounceRegistrarCall::SELECTOR => {
                read::<Agents::renounceRegistrarCall>(data)?;
                Self::RenounceRegistrar
            }
            Tools::registerToolCall::SELECTOR => {
                let call: Tools::registerToolCall = read(data)?;
                Self::RegisterTool {
                    metadata_uri: call.metadataURI,
                    manifest_hash: call.manifestHash,
                    access_predicate: call.accessPredicate,
                }
            }
            Tools::updateToolMetadataCall::SELECTOR => {
                let call: Tools::updateToolMetadataCall = read(data)?;
                Self::UpdateToolMetadata {
                    tool_id: call.toolId,
                    metadata_uri: call.newURI,
                    manifest_hash: call.newHash,
                }
            }
            Tools::setAccessPredicateCall::SELECTOR => {
                let call: Tools::setAccessPredicateCall = read(data)?;
                Self::SetAccessPredicate {
                    tool_id: call.toolId,
                    access_predicate: call.newPredicate,
                }
            }
            Tools::deregisterToolCall::SELECTOR => {
                let call: Tools::deregisterToolCall = read(data)?;
                Self::DeregisterTool(call.toolId)
            }
            Allowlist::setAllowedCall::SELECTOR => {
                let call: Allowlist::setAllowedCall = read(data)?;
                Self::SetAllowed {
                    tool_id: call.toolId,
                    accounts: call.accounts,
                    allowed: call.allowed,
                }
            }
            Merkle::setRootCall::SELECTOR => {
                let call: Merkle::setRootCall = read(data)?;
                Self::SetRoot {
                    tool_id: call.toolId,
                    root: call.root,
                }
            }
            _ => return Err(NotACall),
        })
    }
}
