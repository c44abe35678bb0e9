//! Registering agents, and what is written about them and their registry.

use alloy_primitives::{Address, Bytes};
use alloy_sol_types::SolCall;
use deedbox_id::StorageKey;

use super::{Call, Decoded, Encoded, NewAgent, NotACall, read};
use crate::{
    abi::{IERC8122::MetadataEntry, OpenAgentRegistry as Agents},
    entry::Entry,
};

pub(super) fn encode(call: &Call) -> Encoded {
    Some(match call.clone() {
        Call::RegisterService {
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
        Call::Register(agent) => Agents::register_1Call {
            owner: agent.owner,
            entries: out(&agent.metadata),
        }
        .abi_encode(),
        Call::RegisterBatch(agents) => Agents::registerBatchCall {
            owners: agents.iter().map(|agent| agent.owner).collect(),
            entries: agents.iter().map(|agent| out(&agent.metadata)).collect(),
        }
        .abi_encode(),
        Call::SetMetadata { agent_id, entry } => Agents::setMetadataCall {
            agentId: agent_id,
            key: entry.key.to_string(),
            value: entry.value,
        }
        .abi_encode(),
        Call::SetMetadataBatch { agent_id, entries } => Agents::setMetadataBatchCall {
            agentId: agent_id,
            entries: out(&entries),
        }
        .abi_encode(),
        Call::SetContractMetadata(entry) => Agents::setContractMetadataCall {
            key: entry.key.to_string(),
            value: entry.value,
        }
        .abi_encode(),
        _ => return None,
    })
}

pub(super) fn decode(data: &[u8]) -> Decoded {
    if let Some(call) = read::<Agents::register_0Call>(data)? {
        return Ok(Some(Call::RegisterService {
            owner: call.owner,
            service_type: call.service_type,
            service: call.service,
            agent_account: call.agent_account,
        }));
    }
    if let Some(call) = read::<Agents::register_1Call>(data)? {
        return Ok(Some(Call::Register(agent(call.owner, call.entries)?)));
    }
    if let Some(call) = read::<Agents::registerBatchCall>(data)? {
        if call.owners.len() != call.entries.len() {
            return Err(NotACall);
        }
        let agents = call.owners.into_iter().zip(call.entries);
        let agents = agents.map(|(owner, entries)| agent(owner, entries));
        return Ok(Some(Call::RegisterBatch(agents.collect::<Result<_, _>>()?)));
    }
    if let Some(call) = read::<Agents::setMetadataCall>(data)? {
        return Ok(Some(Call::SetMetadata {
            agent_id: call.agentId,
            entry: entry(call.key, call.value)?,
        }));
    }
    if let Some(call) = read::<Agents::setMetadataBatchCall>(data)? {
        return Ok(Some(Call::SetMetadataBatch {
            agent_id: call.agentId,
            entries: back(call.entries)?,
        }));
    }
    if let Some(call) = read::<Agents::setContractMetadataCall>(data)? {
        let entry = entry(call.key, call.value)?;
        return Ok(Some(Call::SetContractMetadata(entry)));
    }
    Ok(None)
}

fn out(entries: &[Entry]) -> Vec<MetadataEntry> {
    let entry = |entry: &Entry| MetadataEntry {
        key: entry.key.to_string(),
        value: entry.value.clone(),
    };
    entries.iter().map(entry).collect()
}

fn back(entries: Vec<MetadataEntry>) -> Result<Vec<Entry>, NotACall> {
    let entry = |MetadataEntry { key, value }| self::entry(key, value);
    entries.into_iter().map(entry).collect()
}

fn entry(key: String, value: Bytes) -> Result<Entry, NotACall> {
    let key = key.parse::<StorageKey>().map_err(|_| NotACall)?;
    Entry::new(key, value).map_err(|_| NotACall)
}

fn agent(owner: Address, metadata: Vec<MetadataEntry>) -> Result<NewAgent, NotACall> {
    let metadata = back(metadata)?;
    Ok(NewAgent { owner, metadata })
}
