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
    index::{Look, RegistryId},
};

use tokio_util::sync::CancellationToken;

use super::{Ledger, News, Syncer};
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
    /// index afterwards; the watcher is told which could not be looked at.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn look(&self, decided: &[RegistryState], every: Duration) -> Result<(), StoreError> {
        let now = self.world.now();
        let mut due = due(decided, &self.index.looks().await?, every, now);
        due.retain(|registry| self.reads(*registry));
        for registry in due {
            match look(&self.chains, &*self.world, registry).await {
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
