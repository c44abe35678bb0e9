//! Whether at the address of a registry still stands what was accepted.
//!
//! A look is kept in the index, and every replica compares it with what the ledger says was accepted: so a replica that did not look itself
//! tells of the same change, and an acceptance ends the alarm everywhere without another look.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use alloy_primitives::Address;
use deedbox_chain::{Block, Chains, ReadError};
use deedbox_core::{RegistryState, Timestamp, World};
use deedbox_store::{
    StoreError,
    index::{Earlier, Look, RegistryId},
};
use futures::future::try_join_all;
use tokio_util::sync::CancellationToken;

use super::{Ledger, News, Syncer};
use crate::{had_code, inspect};

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

/// Looks at a registry that is read from block `from` on, at the newest block, and at the one before `from` unless that was seen `before`.
///
/// # Errors
/// [`ReadError`]: then nothing is known.
async fn look(
    chains: &Chains,
    world: &dyn World,
    registry: RegistryId,
    from: u64,
    before: Option<&Look>,
) -> Result<Look, ReadError> {
    let address = Address::from(registry.address.0);
    let looked_at = world.now();
    let found = inspect(chains, registry.chain_id, Block::Latest, address).await?;
    let had_code = match (before.and_then(|look| look.had_code_before(from)), from) {
        (Some(had_code), _) => Some(had_code),
        (None, 0) => Some(false),
        // Of an endpoint that keeps no old state nothing is learnt, and nothing else hangs on it.
        (None, from) => had_code(chains, registry.chain_id, address, from - 1)
            .await
            .ok(),
    };
    Ok(Look {
        registry,
        looked_at,
        block_number: found.provenance.block_number,
        block_hash: found.provenance.block_hash,
        seen: found.sighting(),
        earlier: had_code.map(|had_code| Earlier { from, had_code }),
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
            if !self
                .0
                .get(registry)
                .is_some_and(|before| is_same(before, look))
            {
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

/// Whether both saw the same code: then it is no other alarm.
fn is_same(before: &Look, look: &Look) -> bool {
    match (&before.seen, &look.seen) {
        (Some(before), Some(seen)) => before.same_code(seen),
        (None, None) => true,
        _ => false,
    }
}

impl Syncer {
    /// Looks at the code of what is followed, now and then, until `stop`.
    pub(super) async fn follow_code(&self, stop: &CancellationToken) {
        let Some(ledger) = &self.ledger else {
            return;
        };
        let mut told = Told::default();
        let rounds = async {
            loop {
                // The first time, those that are new are in the index by then.
                self.wait(self.options.poll.min(ledger.look_every)).await;
                if let Err(error) = self.look_at_code(ledger, &mut told).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "what was seen at registries' addresses cannot be compared; trying again"
                    );
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = rounds => {}
        }
    }

    async fn look_at_code(&self, ledger: &Ledger, told: &mut Told) -> Result<(), StoreError> {
        let decided = ledger.store.registries().await?;
        self.look(&decided, ledger.look_every).await?;
        for news in told.news(alarms(&decided, self.index.looks().await?)) {
            self.watcher.tell(news);
        }
        Ok(())
    }

    /// Looks at the code of those of these registries that are followed, and that nobody looked at for so long. What was seen is in the
    /// index afterwards; the watcher is told which could not be looked at. Chains do not wait for each other.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn look(&self, decided: &[RegistryState], every: Duration) -> Result<(), StoreError> {
        let now = self.world.now();
        let looks = self.index.looks().await?;
        let due = due(decided, &looks, every, now);
        let due: BTreeSet<_> = due.into_iter().filter(|one| self.reads(*one)).collect();
        let mut chains: BTreeMap<u64, Vec<&RegistryState>> = BTreeMap::new();
        for state in decided.iter().filter(|state| due.contains(&state.id)) {
            chains.entry(state.id.chain_id).or_default().push(state);
        }
        let chains = chains.into_values();
        let chains = chains.map(|registries| self.look_at(registries, &looks));
        try_join_all(chains).await.map(drop)
    }

    /// Looks at registries of one chain, one after the other.
    async fn look_at(
        &self,
        registries: Vec<&RegistryState>,
        looks: &[Look],
    ) -> Result<(), StoreError> {
        for state in registries {
            let (registry, from) = (state.id, state.following.from_block);
            let before = looks.iter().find(|look| look.registry == registry);
            match look(&self.chains, &*self.world, registry, from, before).await {
                Ok(look) => {
                    self.index.record_look(&look).await?;
                }
                Err(error) => self.watcher.tell(News::NotLookedAt { registry, error }),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use deedbox_core::{BlockHash, ChainAddress, CodeHash, Sighting};

    use super::*;

    fn look(n: u8, seen: Option<u8>) -> Look {
        let block_hash = BlockHash([1; 32]);
        Look {
            registry: RegistryId {
                chain_id: 1,
                address: ChainAddress([n; 20]),
            },
            looked_at: Timestamp::from_millis(0).unwrap(),
            block_number: u64::from(n),
            block_hash,
            seen: seen.map(|code| Sighting {
                code_hash: CodeHash([code; 32]),
                implementation: None,
                beacon: None,
                claims: vec![],
                block_number: u64::from(n),
                block_hash,
            }),
            earlier: None,
        }
    }

    fn standing(looks: &[Look]) -> BTreeMap<RegistryId, Look> {
        let looks = looks.iter().cloned();
        looks.map(|look| (look.registry, look)).collect()
    }

    #[test]
    fn an_alarm_is_told_once_for_each_code_and_its_end_once() {
        let mut told = Told::default();
        let mut news = |looks: &[Look]| {
            let news = told.news(standing(looks));
            let news = news.into_iter().map(|news| match news {
                News::CodeChanged(look) => (look.registry.address.0[0], true),
                News::CodeAccepted(registry) => (registry.address.0[0], false),
                other => panic!("{other:?}"),
            });
            news.collect::<Vec<_>>()
        };
        assert_eq!(news(&[]), []);
        assert_eq!(
            news(&[look(1, Some(1)), look(2, None)]),
            [(1, true), (2, true)]
        );
        let later = Look {
            block_number: 99,
            ..look(1, Some(1))
        };
        assert_eq!(
            news(&[later, look(2, None)]),
            [],
            "the same code, seen again"
        );
        assert_eq!(news(&[look(1, Some(5)), look(2, None)]), [(1, true)]);
        assert_eq!(news(&[look(1, Some(5))]), [(2, false)]);
        assert_eq!(news(&[]), [(1, false)]);
    }
}
