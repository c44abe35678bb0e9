//! From facts to entries.

use std::collections::BTreeMap;

use deedbox_core::ChainAddress;
use deedbox_id::U256;

use super::{
    AgentEntry, ENTRY_BYTES, Entry, Fact, Kept, RegistryId, Statement, Subject, ToolEntry, service,
};

/// The keys that an entry always has room for: those that ERC-8122 recommends.
const PLAIN: [&str; 7] = [
    "name",
    "ens_name",
    "image",
    "description",
    "service_type",
    "service",
    "agent_account",
];

/// How many other keys of services an entry keeps: both halves of as many as are listed.
const SERVICE_KEYS: usize = 2 * service::MOST;

/// The longest key that an entry keeps, in bytes.
const KEY_BYTES: usize = 200;

impl Entry {
    /// What is known of a subject after these facts, which all speak of it, in the chain's order, and come after those that
    /// `previous` was folded from. `None` for a subject that has no entry: one that is neither agent nor tool, an agent of which
    /// nothing but allowances was said, a tool whose registration was not seen.
    ///
    /// Folding the facts in several steps gives the same as in one.
    #[must_use]
    pub fn fold<'a>(
        previous: Option<Self>,
        registry: RegistryId,
        facts: impl IntoIterator<Item = &'a Fact>,
    ) -> Option<Self> {
        facts.into_iter().fold(previous, |entry, fact| {
            match (fact.statement.subject(), entry) {
                (Subject::Agent(id), Some(Self::Agent(mut agent))) if agent.id == id => {
                    agent.hear(fact);
                    Some(Self::Agent(agent))
                }
                (Subject::Agent(id), None) => {
                    AgentEntry::first(registry, id, fact).map(Self::Agent)
                }
                (Subject::Tool(id), Some(Self::Tool(mut tool))) if tool.id == id => {
                    tool.hear(fact);
                    Some(Self::Tool(tool))
                }
                (Subject::Tool(_), None) => ToolEntry::first(registry, fact).map(Self::Tool),
                (_, entry) => entry,
            }
        })
    }
}

impl AgentEntry {
    fn first(registry: RegistryId, id: U256, fact: &Fact) -> Option<Self> {
        let says = match &fact.statement {
            Statement::Transferred { amount, .. } => *amount == U256::ONE,
            Statement::Registered { .. } | Statement::MetadataSet { .. } => true,
            _ => false,
        };
        let mut agent = says.then(|| Self {
            registry,
            id,
            owner: None,
            owner_since: None,
            registered: None,
            updated: fact.origin,
            metadata: BTreeMap::new(),
            more_metadata: false,
        })?;
        agent.hear(fact);
        Some(agent)
    }

    fn hear(&mut self, fact: &Fact) {
        match &fact.statement {
            // What else it says, owner and metadata say, each by an event of its own.
            Statement::Registered { .. } => self.registered = Some(fact.origin),
            Statement::Transferred { to, amount, .. } if *amount == U256::ONE => {
                self.owner = (*to != ChainAddress([0; 20])).then_some(*to);
                self.owner_since = Some(fact.origin);
                self.updated = fact.origin;
            }
            Statement::MetadataSet { key, value, .. } => {
                self.set(key, value);
                self.updated = fact.origin;
            }
            _ => {}
        }
    }

    fn set(&mut self, key: &Kept, value: &Kept) {
        if key.cut().is_some() || key.bytes().len() > KEY_BYTES {
            return;
        }
        let plain = |key: &str| PLAIN.contains(&key);
        let Some(text) = key
            .text()
            .filter(|text| plain(text) || service::is_service_key(text.as_bytes()))
        else {
            return;
        };
        if value.is_empty() {
            self.metadata.remove(text);
            return;
        }
        if !plain(text) && !self.metadata.contains_key(text) {
            let others = self.metadata.keys().filter(|key| !plain(key)).count();
            if others >= SERVICE_KEYS {
                self.more_metadata = true;
                return;
            }
        }
        let value = value.clone().at_most(ENTRY_BYTES);
        self.metadata.insert(text.to_owned(), value);
    }
}

impl ToolEntry {
    fn first(registry: RegistryId, fact: &Fact) -> Option<Self> {
        let Statement::ToolRegistered {
            tool,
            creator,
            access_predicate,
            metadata_uri,
            manifest_hash,
        } = &fact.statement
        else {
            return None;
        };
        Some(Self {
            registry,
            id: *tool,
            creator: *creator,
            metadata_uri: metadata_uri.clone().at_most(ENTRY_BYTES),
            manifest_hash: *manifest_hash,
            access_predicate: *access_predicate,
            registered: fact.origin,
            updated: fact.origin,
            deregistered: None,
            check: None,
        })
    }

    fn hear(&mut self, fact: &Fact) {
        match &fact.statement {
            // Never said twice by a registry that keeps the standard; of another, the last word counts.
            Statement::ToolRegistered { .. } => {
                if let Some(again) = Self::first(self.registry, fact) {
                    *self = again;
                }
                return;
            }
            Statement::ToolMetadataUpdated {
                metadata_uri,
                manifest_hash,
                ..
            } => {
                self.metadata_uri = metadata_uri.clone().at_most(ENTRY_BYTES);
                self.manifest_hash = *manifest_hash;
            }
            Statement::AccessPredicateUpdated {
                access_predicate, ..
            } => self.access_predicate = *access_predicate,
            Statement::ToolDeregistered { .. } => self.deregistered = Some(fact.origin),
            _ => return,
        }
        self.updated = fact.origin;
    }
}
