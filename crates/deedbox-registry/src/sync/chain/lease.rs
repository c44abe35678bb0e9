//! Which registries of the chain are this syncer's: claiming them, prolonging that, and giving them back.

use std::collections::BTreeMap;

use deedbox_core::Timestamp;
use deedbox_store::index::{Cursor, Lease, RegistryId, Standard};

use super::{ChainSync, Held, finality::Finality};
use crate::sync::{News, SyncError, news::Pace, predicates::Predicates};

impl ChainSync<'_> {
    /// Gives back what it holds.
    pub(in crate::sync) async fn release(&mut self) -> Result<(), SyncError> {
        let held = std::mem::take(&mut self.held);
        let leases: Vec<_> = held.into_values().map(|held| held.lease).collect();
        self.claimed = None;
        Ok(self.syncer.index.release(&leases).await?)
    }

    /// Claims with the next step, also what is free since, whenever that was done last.
    pub(in crate::sync) fn claim_again(&mut self) {
        self.claimed = None;
    }

    /// Claims what is free, and prolongs what it holds, when a third of the time is over. Where somebody else holds something, that is asked for
    /// again after a tenth: it may be given back any time.
    pub(super) async fn hold(&mut self) -> Result<(), SyncError> {
        let (index, options) = (&self.syncer.index, &self.syncer.options);
        let now = self.syncer.world.now();
        let share = if self.elsewhere.is_empty() { 3 } else { 10 };
        let wait = i64::try_from(options.lease.as_millis() / share).unwrap_or(i64::MAX);
        if self.claimed.is_some_and(|at| now < at.plus_millis(wait)) {
            return Ok(());
        }
        let wanted = self.cursors().await?;
        let registries: Vec<_> = wanted.keys().copied().collect();
        let leases = index
            .claim(&registries, &options.holder, now, options.lease)
            .await?;
        self.claimed = Some(now);
        self.elsewhere = registries.into_iter().collect();
        // Nobody else writes what is held. Where something else stands all the same, somebody dropped it, and it was begun again; an index
        // that was made anew counts epochs from the beginning.
        let is_as_left = |held: &Held| wanted.get(&held.lease.registry) == Some(&held.cursor);
        let mut before = std::mem::take(&mut self.held);
        let mut new = Vec::new();
        for lease in leases {
            self.elsewhere.remove(&lease.registry);
            match before.remove(&lease.registry) {
                Some(held) if held.lease.epoch == lease.epoch && is_as_left(&held) => {
                    let held = Held { lease, ..held };
                    self.held.insert(held.lease.registry, held);
                }
                _ => new.push(lease),
            }
        }
        for registry in before.into_keys() {
            self.tell(News::Lost(registry));
        }
        self.take_over(new, now).await
    }

    /// Learns what is known of registries that it holds now. Nobody else changes it from here on.
    async fn take_over(&mut self, leases: Vec<Lease>, now: Timestamp) -> Result<(), SyncError> {
        if leases.is_empty() {
            return Ok(());
        }
        let mut cursors = self.cursors().await?;
        let mut broken = self.recall_broken().await?;
        for lease in leases {
            let registry = lease.registry;
            let Some(cursor) = cursors.remove(&registry) else {
                continue;
            };
            let held = Held {
                lease,
                predicates: self.predicates(&cursor).await?,
                pace: Pace::new(now, cursor.next()),
                settled: cursor.final_upto,
                is_alone: false,
                finality: Finality::recalled(broken.remove(&registry)),
                rest: None,
                cursor,
            };
            self.held.insert(registry, held);
            self.tell(News::Took(registry));
        }
        Ok(())
    }

    async fn cursors(&self) -> Result<BTreeMap<RegistryId, Cursor>, SyncError> {
        let cursors = self.syncer.index.cursors().await?.into_iter();
        let here = cursors.filter(|cursor| {
            cursor.registry.chain_id == self.chain_id && self.syncer.reads(cursor.registry)
        });
        Ok(here.map(|cursor| (cursor.registry, cursor)).collect())
    }

    pub(super) async fn predicates(&self, cursor: &Cursor) -> Result<Predicates, SyncError> {
        match cursor.standard {
            Standard::Erc8122 => Ok(Predicates::default()),
            Standard::Erc8257 => Ok(Predicates::load(&*self.syncer.index, cursor.registry).await?),
        }
    }
}
