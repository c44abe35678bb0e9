//! Every change that a registry offers, as a value: into call data, and back out of it.
//!
//! What a transaction does is read from its call data and from nothing else: so what is shown, what is compared afterwards and what
//! was signed cannot be three things.

mod ownership;
mod registration;
mod tools;

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::SolCall;

use crate::entry::{self, Entry};

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

/// What a group of calls makes of a call: its data, or nothing when it belongs to another group.
type Encoded = Option<Vec<u8>>;
/// What a group of calls makes of data: the call, or nothing when its selector belongs to another group.
type Decoded = Result<Option<Call>, NotACall>;

impl Call {
    /// The call data.
    #[must_use]
    pub fn encode(&self) -> Bytes {
        let data = registration::encode(self)
            .or_else(|| ownership::encode(self))
            .or_else(|| tools::encode(self));
        // Every call belongs to a group; a test has each encoded and read back.
        data.unwrap_or_default().into()
    }

    /// Reads call data. Every call that [`Call::encode`] makes comes back as it was.
    ///
    /// # Errors
    /// [`NotACall`] for any other data, also for the same call in an encoding that Solidity would not make, for transfers of another
    /// amount than 1, and for keys that ERC-8119 forbids.
    pub fn decode(data: &[u8]) -> Result<Self, NotACall> {
        for group in [registration::decode, ownership::decode, tools::decode] {
            if let Some(call) = group(data)? {
                return Ok(call);
            }
        }
        Err(NotACall)
    }
}

/// `data` as a call of `C`: nothing when it has another selector, an error when it is that call and not in the one encoding that
/// Solidity makes.
fn read<C: SolCall>(data: &[u8]) -> Result<Option<C>, NotACall> {
    if !data.starts_with(&C::SELECTOR) {
        return Ok(None);
    }
    let call = C::abi_decode(data).map_err(|_| NotACall)?;
    if call.abi_encode() == data {
        Ok(Some(call))
    } else {
        Err(NotACall)
    }
}

#[cfg(test)]
mod tests;
