//! What a transaction changes, read from what is signed: in words for people, and as values for the record.

mod sentences;
mod values;

use alloy_primitives::{Address, Bytes, keccak256};
use deedbox_core::json;
use deedbox_registry::{Call, Deployment, Entry};
use serde_json::{Map, Value, json};

/// A change of one contract, or a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A call.
    Call {
        /// The contract.
        to: Address,
        /// The call.
        call: Call,
    },
    /// A new contract.
    Create(Deployment),
}

impl Change {
    /// Reads what is signed. None when it is nothing that this program makes.
    #[must_use]
    pub fn read(to: Option<Address>, data: &[u8]) -> Option<Self> {
        match to {
            Some(to) => Call::decode(data).ok().map(|call| Self::Call { to, call }),
            None => Deployment::decode(data).ok().map(Self::Create),
        }
    }

    /// The contract that is called; none where one is created.
    #[must_use]
    pub const fn to(&self) -> Option<Address> {
        match self {
            Self::Call { to, .. } => Some(*to),
            Self::Create(_) => None,
        }
    }

    /// What is signed.
    #[must_use]
    pub fn data(&self) -> Bytes {
        match self {
            Self::Call { call, .. } => call.encode(),
            Self::Create(deployment) => deployment.encode(),
        }
    }

    /// How many bytes of values it writes: each new 32 of them cost a slot of storage.
    #[must_use]
    pub fn value_bytes(&self) -> usize {
        let sum = |entries: &[Entry]| entries.iter().map(|entry| entry.value.len()).sum();
        match self {
            Self::Create(Deployment::Agents(registry)) => sum(&registry.metadata),
            Self::Create(_) => 0,
            Self::Call { call, .. } => match call {
                Call::Register(agent) => sum(&agent.metadata),
                Call::RegisterBatch(agents) => {
                    agents.iter().map(|agent| sum(&agent.metadata)).sum()
                }
                Call::SetMetadata { entry, .. } | Call::SetContractMetadata(entry) => {
                    entry.value.len()
                }
                Call::SetMetadataBatch { entries, .. } => sum(entries),
                Call::RegisterService {
                    service_type,
                    service,
                    ..
                } => service_type.len() + service.len(),
                Call::RegisterTool { metadata_uri, .. }
                | Call::UpdateToolMetadata { metadata_uri, .. } => metadata_uri.len(),
                _ => 0,
            },
        }
    }

    /// What changes, one sentence each, without full stops.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        match self {
            Self::Create(deployment) => sentences::created(deployment),
            Self::Call { to, call } => sentences::called(*to, call),
        }
    }

    /// The same as values: what is recorded. Values that would be too long for a record stand there by their length and keccak256.
    #[must_use]
    pub fn arguments(&self) -> Map<String, Value> {
        let all = values::of(self, Entry::to_json);
        if json::canonical_len(&all) <= deedbox_core::limits::PUBLICATION_ARGUMENTS_BYTES {
            return all;
        }
        let short = values::of(self, |entry| {
            let value = &entry.value;
            json!({"key": entry.key.as_str(), "bytes": value.len(), "keccak256": keccak256(value)})
        });
        if json::canonical_len(&short) <= deedbox_core::limits::PUBLICATION_ARGUMENTS_BYTES {
            return short;
        }
        let data = self.data();
        values::object(json!({"data_bytes": data.len(), "data_keccak256": keccak256(&data)}))
    }
}
