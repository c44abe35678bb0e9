//! One piece of a chain, into what each registry said in it.

use std::collections::BTreeSet;

use alloy_primitives::Address;
use deedbox_chain::{
    Code, ReadError,
    events::{BlockHead, EventLog, Events, Found, Range},
};
use deedbox_core::ChainAddress;
use deedbox_store::index::{Fact, RegistryId, Standard};

use super::{
    decode::{self, Decoded, UPGRADES, decode},
    plan::Step,
    predicates::Predicates,
};

/// How many contracts are named in one request for logs at most: endpoints refuse long lists.
const MOST_ADDRESSES: usize = 500;

/// What is known of a registry before a piece is read.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) registry: RegistryId,
    pub(super) standard: Standard,
    pub(super) predicates: Predicates,
}

/// What one registry said in a piece.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) registry: RegistryId,
    pub(super) facts: Vec<Fact>,
    /// How many logs had the topic of an event, and not its form.
    pub(super) unreadable: u64,
    /// The predicates that are known after it.
    pub(super) predicates: Predicates,
}

/// Reads the first piece of a step, as wide as the endpoint bears, for registries of which this is `known`.
pub(super) async fn gather(
    events: &Events<'_>,
    step: &Step,
    known: Vec<Known>,
) -> Result<(Vec<Said>, BlockHead), ReadError> {
    let addresses = addresses(&known);
    let topics: BTreeSet<_> = known
        .iter()
        .flat_map(|known| decode::topics(known.standard))
        .collect();
    let found = events
        .logs(&Range {
            from: step.from,
            to: step.to,
            after: step.after,
            addresses: addresses.iter().copied().collect(),
            topics: topics.into_iter().collect(),
        })
        .await?;
    let Found { mut logs, upto, .. } = found;
    let mut said: Vec<_> = known
        .into_iter()
        .map(|known| listen(known, &logs))
        .collect();
    logs.retain(|log| {
        log.topics
            .first()
            .is_some_and(|topic| UPGRADES.contains(topic))
    });
    // Predicates that these very logs name, and those for which there was no room: what they emitted is not among the logs.
    let watched = said.iter().flat_map(|said| said.predicates.all());
    let missing: BTreeSet<Address> = watched
        .map(|predicate| Address::from(predicate.0))
        .filter(|predicate| !addresses.contains(predicate))
        .collect();
    let missing: Vec<_> = missing.into_iter().collect();
    for some in missing.chunks(MOST_ADDRESSES) {
        logs.extend(upgrades(events, step.from, &upto, some).await?);
    }
    for said in &mut said {
        add_upgrades(said, &logs);
    }
    Ok((said, upto))
}

/// The contracts whose logs are asked for together: the registries, and as many of their predicates as there is room for.
fn addresses(known: &[Known]) -> BTreeSet<Address> {
    let registries = known.iter().map(|known| known.registry.address);
    let predicates = known.iter().flat_map(|known| known.predicates.all());
    let mut addresses: BTreeSet<_> = registries.map(|address| Address::from(address.0)).collect();
    let most = MOST_ADDRESSES.max(addresses.len());
    for predicate in predicates {
        if addresses.len() >= most {
            break;
        }
        addresses.insert(Address::from(predicate.0));
    }
    addresses
}

/// What a registry itself said.
fn listen(known: Known, logs: &[EventLog]) -> Said {
    let mut said = Said {
        registry: known.registry,
        facts: Vec::new(),
        unreadable: 0,
        predicates: known.predicates,
    };
    let address = Address::from(known.registry.address.0);
    for log in logs.iter().filter(|log| log.address == address) {
        match decode(known.standard, log) {
            Decoded::Said(statement) => {
                let fact = decode::fact(log, statement);
                said.predicates.note(&fact);
                said.facts.push(fact);
            }
            Decoded::Unreadable => said.unreadable += 1,
            Decoded::Foreign => {}
        }
    }
    said
}

/// Adds the upgrades of its predicates that are news of a registry.
fn add_upgrades(said: &mut Said, upgrades: &[EventLog]) {
    let before = said.facts.len();
    for log in upgrades {
        let contract = ChainAddress(log.address.0.0);
        let is_news = contract != said.registry.address
            && said.predicates.watches(contract, decode::place(log));
        if !is_news {
            continue;
        }
        match decode(Standard::Erc8257, log) {
            Decoded::Said(statement) => said.facts.push(decode::fact(log, statement)),
            _ => said.unreadable += 1,
        }
    }
    if said.facts.len() > before {
        said.facts.sort_by_key(|fact| fact.origin.place);
    }
}

/// The upgrades of these contracts from a block through `upto`, all of them on the branch that ends there.
async fn upgrades(
    events: &Events<'_>,
    from: u64,
    upto: &BlockHead,
    contracts: &[Address],
) -> Result<Vec<EventLog>, ReadError> {
    let mut range = Range {
        from,
        to: upto.number,
        after: None,
        addresses: contracts.to_vec(),
        topics: UPGRADES.to_vec(),
    };
    let mut logs = Vec::new();
    loop {
        let found = events.logs(&range).await?;
        logs.extend(found.logs);
        if found.upto.number >= upto.number {
            let is_same = found.upto.hash == upto.hash;
            return is_same.then_some(logs).ok_or_else(|| {
                ReadError::new(
                    Code::Reorged,
                    format!("block {} was replaced while it was read", upto.number),
                )
            });
        }
        range.from = found.upto.number + 1;
        range.after = Some(found.upto.hash);
    }
}

#[cfg(test)]
mod tests;
