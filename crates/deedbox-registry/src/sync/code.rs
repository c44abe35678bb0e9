//! Whether at the address of a registry still stands what was accepted.
//!
//! A look is kept in the index, and every replica compares it with what the ledger says was accepted: so a replica that did not look itself
//! tells of the same change, and an acceptance ends the alarm everywhere without another look.

use std::{collections::BTreeMap, time::Duration};

use alloy_primitives::Address;
use deedbox_chain::{Block, Chains, ReadError};
use deedbox_core::{RegistryState, Timestamp, World};
use deedbox_store::{
    StoreError,
    index::{Index, Look, RegistryId},
};

use super::News;
use crate::inspect;

/// The registries that are followed and at which nobody looked for so long.
#[must_use]
pub fn due(
    decided: &[RegistryState],
    looks: &[Look],
    every: Duration,
    now: Timestamp,
) -> Vec<RegistryId> {
    let every = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
    let is_due = |state: &&RegistryState| {
        let last = looks.iter().find(|look| look.registry == state.id);
        // A look that says nothing of what was accepted since is made anew.
        let last = last.filter(|look| look.differs_from(&state.following.seen).is_some());
        last.is_none_or(|look| look.looked_at.plus_millis(every) <= now)
    };
    let followed = decided.iter().filter(|state| state.followed);
    followed.filter(is_due).map(|state| state.id).collect()
}

/// The looks that saw something else than was accepted, by registry.
#[must_use]
pub fn alarms(decided: &[RegistryState], looks: Vec<Look>) -> BTreeMap<RegistryId, Look> {
    let accepted: BTreeMap<_, _> = decided
        .iter()
        .filter(|state| state.followed)
        .map(|state| (state.id, &state.following.seen))
        .collect();
    let differing = looks.into_iter().filter(|look| {
        let accepted = accepted.get(&look.registry);
        accepted.is_some_and(|accepted| look.differs_from(accepted) == Some(true))
    });
    differing.map(|look| (look.registry, look)).collect()
}

/// Looks at a registry, at the newest block.
///
/// # Errors
/// [`ReadError`]: then nothing is known.
pub async fn look(
    chains: &Chains,
    world: &dyn World,
    registry: RegistryId,
) -> Result<Look, ReadError> {
    let address = Address::from(registry.address.0);
    let looked_at = world.now();
    let found = inspect(chains, registry.chain_id, Block::Latest, address).await?;
    Ok(Look {
        registry,
        looked_at,
        block_number: found.provenance.block_number,
        block_hash: found.provenance.block_hash,
        seen: found.sighting(),
    })
}

/// What was told already.
#[derive(Debug, Default)]
pub(super) struct Told(BTreeMap<RegistryId, Look>);

impl Told {
    /// What is news, now that these alarms stand.
    pub(super) fn news(&mut self, alarms: BTreeMap<RegistryId, Look>) -> Vec<News> {
        let mut news = Vec::new();
        for (registry, look) in &alarms {
            let before = self.0.get(registry).map(|look| &look.seen);
            if before != Some(&look.seen) && !is_same_code(before, look) {
                news.push(News::CodeChanged(look.clone()));
            }
        }
        let over = self
            .0
            .keys()
            .filter(|registry| !alarms.contains_key(registry));
        news.extend(over.map(|registry| News::CodeAccepted(*registry)));
        self.0 = alarms;
        news
    }
}

/// Another look at the same code is no other alarm.
fn is_same_code(before: Option<&Option<deedbox_core::Sighting>>, look: &Look) -> bool {
    match (before, &look.seen) {
        (Some(Some(before)), Some(seen)) => before.same_code(seen),
        (Some(None), None) => true,
        _ => false,
    }
}

/// What the looks of an index say, compared with what was decided.
///
/// # Errors
/// [`StoreError`].
pub async fn standing(
    index: &dyn Index,
    decided: &[RegistryState],
) -> Result<BTreeMap<RegistryId, Look>, StoreError> {
    Ok(alarms(decided, index.looks().await?))
}
