//! What a receipt says that happened.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolEvent;
use deedbox_chain::send::Log;

use crate::abi::{OpenAgentRegistry as Agents, ToolRegistry as Tools};

/// Ids of the agents that `registry` registered in these logs (`Registered` of ERC-8122), in order, each with its owner.
///
/// Only topics are read: the texts of the event may hold bytes that are no UTF-8, and say nothing that `metadata` does not say better.
#[must_use]
pub fn registered_agents(registry: Address, logs: &[Log]) -> Vec<(U256, Address)> {
    let registered = logs.iter().filter_map(|log| {
        let [_, id, owner] = topics(registry, log, Agents::Registered::SIGNATURE_HASH)?;
        Some((U256::from_be_bytes(id.0), Address::from_word(owner)))
    });
    registered.collect()
}

/// The id of the tool that `registry` registered for `creator` in these logs (`ToolRegistered` of ERC-8257); none unless it is exactly one.
#[must_use]
pub fn registered_tool(registry: Address, creator: Address, logs: &[Log]) -> Option<U256> {
    let mut ids = logs.iter().filter_map(|log| {
        let [_, id, by, _] = topics(registry, log, Tools::ToolRegistered::SIGNATURE_HASH)?;
        (Address::from_word(by) == creator).then(|| U256::from_be_bytes(id.0))
    });
    ids.next().filter(|_| ids.next().is_none())
}

/// Whether `registry` says in these logs that the tool is gone for ever (`ToolDeregistered` of ERC-8257).
#[must_use]
pub fn is_deregistered(registry: Address, tool_id: U256, logs: &[Log]) -> bool {
    logs.iter().any(|log| {
        topics(registry, log, Tools::ToolDeregistered::SIGNATURE_HASH)
            .is_some_and(|[_, id]| U256::from_be_bytes(id.0) == tool_id)
    })
}

/// The topics of a log of this event by this contract.
fn topics<const N: usize>(contract: Address, log: &Log, event: B256) -> Option<[B256; N]> {
    let is_it = log.address == contract && log.topics.first() == Some(&event);
    is_it.then_some(())?;
    log.topics.as_slice().try_into().ok()
}
