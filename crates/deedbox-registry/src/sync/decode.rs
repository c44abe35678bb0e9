//! Logs as a registry's contract emits them, into statements of the index. No I/O.
//!
//! Whatever a stranger's contract emits is either one statement or nothing: a string need not be UTF-8, and data that does not have the form of
//! its event (an older draft's, a forgery, or more of it than is kept) is left out, and never a stop.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolEvent as _, sol};
use deedbox_chain::events::EventLog;
use deedbox_core::{ChainAddress, ManifestHash, TransactionHash};
use deedbox_store::index::{Fact, Kept, Origin, Place, Standard, Statement};

use crate::{
    abi::{OpenAgentRegistry as Agents, ToolRegistry as Tools},
    words,
};

sol! {
    /// What a proxy emits when it has other code (ERC-1967).
    event Upgraded(address indexed implementation);
    /// What a proxy emits when it asks another beacon for its code (ERC-1967).
    event BeaconUpgraded(address indexed beacon);
}

/// The first topic of `Upgraded(address)` of ERC-1967.
pub const UPGRADED: B256 = Upgraded::SIGNATURE_HASH;
/// The first topic of `BeaconUpgraded(address)` of ERC-1967.
pub const BEACON_UPGRADED: B256 = BeaconUpgraded::SIGNATURE_HASH;
/// The first topics of what proxies say: of a registry itself, and of predicates.
pub(super) const UPGRADES: [B256; 2] = [UPGRADED, BEACON_UPGRADED];

/// The first topics of the events that agent registries (ERC-8122) are read for: its own, and those of ERC-6909, ERC-8048 and ERC-8049.
const AGENT_TOPICS: [B256; 6] = [
    Agents::Registered::SIGNATURE_HASH,
    Agents::Transfer::SIGNATURE_HASH,
    Agents::Approval::SIGNATURE_HASH,
    Agents::OperatorSet::SIGNATURE_HASH,
    Agents::MetadataSet::SIGNATURE_HASH,
    Agents::ContractMetadataUpdated::SIGNATURE_HASH,
];

/// The first topics of the events that tool registries (ERC-8257) are read for.
const TOOL_TOPICS: [B256; 4] = [
    Tools::ToolRegistered::SIGNATURE_HASH,
    Tools::ToolMetadataUpdated::SIGNATURE_HASH,
    Tools::AccessPredicateUpdated::SIGNATURE_HASH,
    Tools::ToolDeregistered::SIGNATURE_HASH,
];

/// The first topics of everything that registries of a standard are read for, `Upgraded` and `BeaconUpgraded` of the registry itself
/// included.
#[must_use]
pub fn topics(standard: Standard) -> Vec<B256> {
    let own: &[B256] = match standard {
        Standard::Erc8122 => &AGENT_TOPICS,
        Standard::Erc8257 => &TOOL_TOPICS,
    };
    own.iter().copied().chain(UPGRADES).collect()
}

/// What a log says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one at a time, and nearly all are statements: a box would be made for each event"
)]
pub enum Decoded {
    /// This.
    Said(Statement),
    /// It has the topic of an event of the standard, and not its form.
    Unreadable,
    /// It is of no event that registries of the standard are read for.
    Foreign,
}

/// What a log of a registry of this standard says.
#[must_use]
pub fn decode(standard: Standard, log: &EventLog) -> Decoded {
    let Some((event, rest)) = log.topics.split_first() else {
        return Decoded::Foreign;
    };
    let event = *event;
    let is_known = match standard {
        Standard::Erc8122 => AGENT_TOPICS.contains(&event),
        Standard::Erc8257 => TOOL_TOPICS.contains(&event),
    };
    if !is_known && !UPGRADES.contains(&event) {
        return Decoded::Foreign;
    }
    // What is missing at the end may have been anything.
    let is_whole = usize::try_from(log.data_length).is_ok_and(|length| length == log.data.len());
    let statement = is_whole.then(|| statement(event, rest, log)).flatten();
    statement.map_or(Decoded::Unreadable, Decoded::Said)
}

/// The fact that a log is, when it says this.
pub(super) fn fact(log: &EventLog, statement: Statement) -> Fact {
    Fact {
        origin: Origin {
            place: place(log),
            block_hash: log.block_hash,
            block_timestamp: log.block_timestamp,
            transaction: TransactionHash(log.transaction_hash.0),
        },
        statement,
    }
}

pub(super) fn place(log: &EventLog) -> Place {
    Place {
        block: log.block_number,
        log_index: log.log_index,
    }
}

fn statement(event: B256, rest: &[B256], log: &EventLog) -> Option<Statement> {
    if event == UPGRADED {
        let [implementation] = rest else { return None };
        return Some(Statement::Upgraded {
            contract: account(log.address),
            implementation: account(in_topic(*implementation)?),
        });
    }
    if event == BEACON_UPGRADED {
        let [beacon] = rest else { return None };
        return Some(Statement::BeaconUpgraded {
            contract: account(log.address),
            beacon: account(in_topic(*beacon)?),
        });
    }
    match TOOL_TOPICS.contains(&event) {
        true => of_tools(event, rest, &log.data),
        false => of_agents(event, rest, &log.data),
    }
}

fn of_agents(event: B256, rest: &[B256], data: &[u8]) -> Option<Statement> {
    Some(match (event, rest) {
        (Agents::Registered::SIGNATURE_HASH, [agent, owner]) => Statement::Registered {
            agent: number(*agent),
            owner: account(in_topic(*owner)?),
            service_type: bytes(data, 0)?,
            service: bytes(data, 1)?,
            agent_account: unless_zero(words::address(data, 2)?),
        },
        (Agents::Transfer::SIGNATURE_HASH, [from, to, agent]) => Statement::Transferred {
            agent: number(*agent),
            from: account(in_topic(*from)?),
            to: account(in_topic(*to)?),
            caller: account(words::address(data, 0)?),
            amount: U256::from_be_bytes(*words::word(data, 1)?),
        },
        (Agents::Approval::SIGNATURE_HASH, [owner, spender, agent]) => Statement::Approved {
            owner: account(in_topic(*owner)?),
            spender: account(in_topic(*spender)?),
            agent: number(*agent),
            amount: U256::from_be_bytes(*words::word(data, 0)?),
        },
        (Agents::OperatorSet::SIGNATURE_HASH, [owner, spender]) => Statement::OperatorSet {
            owner: account(in_topic(*owner)?),
            spender: account(in_topic(*spender)?),
            approved: words::flag(data, 0)?,
        },
        // The second topic is the key's hash; the key itself is what counts.
        (Agents::MetadataSet::SIGNATURE_HASH, [agent, _]) => Statement::MetadataSet {
            agent: number(*agent),
            key: bytes(data, 0)?,
            value: bytes(data, 1)?,
        },
        (Agents::ContractMetadataUpdated::SIGNATURE_HASH, [_]) => Statement::ContractMetadataSet {
            key: bytes(data, 0)?,
            value: bytes(data, 1)?,
        },
        _ => return None,
    })
}

fn of_tools(event: B256, rest: &[B256], data: &[u8]) -> Option<Statement> {
    Some(match (event, rest) {
        (Tools::ToolRegistered::SIGNATURE_HASH, [tool, creator, predicate]) => {
            Statement::ToolRegistered {
                tool: number(*tool),
                creator: account(in_topic(*creator)?),
                access_predicate: unless_zero(in_topic(*predicate)?),
                metadata_uri: bytes(data, 0)?,
                manifest_hash: ManifestHash(*words::word(data, 1)?),
            }
        }
        (Tools::ToolMetadataUpdated::SIGNATURE_HASH, [tool]) => Statement::ToolMetadataUpdated {
            tool: number(*tool),
            metadata_uri: bytes(data, 0)?,
            manifest_hash: ManifestHash(*words::word(data, 1)?),
        },
        (Tools::AccessPredicateUpdated::SIGNATURE_HASH, [tool, predicate]) => {
            Statement::AccessPredicateUpdated {
                tool: number(*tool),
                access_predicate: unless_zero(in_topic(*predicate)?),
            }
        }
        (Tools::ToolDeregistered::SIGNATURE_HASH, [tool]) => Statement::ToolDeregistered {
            tool: number(*tool),
        },
        _ => return None,
    })
}

fn number(topic: B256) -> U256 {
    U256::from_be_bytes(topic.0)
}

/// The address in a topic, which has to have nothing before it.
fn in_topic(topic: B256) -> Option<Address> {
    words::address(topic.as_slice(), 0)
}

fn account(address: Address) -> ChainAddress {
    crate::view::account(address)
}

fn unless_zero(address: Address) -> Option<ChainAddress> {
    (!address.is_zero()).then(|| account(address))
}

fn bytes(data: &[u8], index: usize) -> Option<Kept> {
    words::bytes(data, index).map(Kept::new)
}

#[cfg(test)]
mod tests;
