//! Whether a chain keeps what it promised, and keeping that in the index beside when it was looked at: everybody who answers from the index says
//! both, also where nobody follows any more.

use std::collections::BTreeMap;

use deedbox_core::BlockHash;
use deedbox_store::index::{ChainBrokeFinality, RegistryId, ShortChain, Survey};

use super::{ChainSync, Held};
use crate::sync::{News, SyncError, Watch, plan::Bounds};

/// How a registry's chain stands to what is final of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Finality {
    /// The block that was final and that it does not have any more.
    broke: Option<ChainBrokeFinality>,
    /// That it ended below what is read, when it was looked at last.
    short: Option<ShortChain>,
    /// What the watcher was told last. Not what another process found: that is found again before it is told.
    told: Option<Alarm>,
    /// Whether another process found the block to be gone, and nobody told of its return yet.
    is_recalled: bool,
}

/// What a watcher is told once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alarm {
    Broke(ChainBrokeFinality),
    /// Below what is final the chain ends, and what it has is what was read, or nobody knows.
    EndsBelowFinal {
        is_recognised: bool,
    },
}

impl Finality {
    /// As the index knows it.
    pub(super) fn recalled(broke: Option<ChainBrokeFinality>) -> Self {
        Self {
            broke,
            is_recalled: broke.is_some(),
            ..Self::default()
        }
    }

    pub(super) const fn is_broken(self) -> bool {
        self.broke.is_some()
    }

    fn alarm(self) -> Option<Alarm> {
        let short = self.short.filter(ShortChain::is_below_final);
        let short = short.map(|short| Alarm::EndsBelowFinal {
            is_recognised: short.recognised.is_some(),
        });
        self.broke.map(Alarm::Broke).or(short)
    }

    /// Tells what is news.
    fn tell(&mut self, registry: RegistryId, watcher: &dyn Watch) {
        let alarm = self.alarm();
        let was_broken =
            matches!(self.told, Some(Alarm::Broke(_))) || std::mem::take(&mut self.is_recalled);
        if self.broke.is_none() && was_broken {
            watcher.tell(News::KeptFinality(registry));
        }
        if alarm != self.told {
            match (alarm, self.short) {
                (Some(Alarm::Broke(broke)), _) => watcher.tell(News::BrokeFinality(broke)),
                (Some(Alarm::EndsBelowFinal { .. }), Some(chain)) => {
                    watcher.tell(News::EndsBelowFinal { registry, chain });
                }
                _ if was_broken => {}
                _ => watcher.tell(News::LongAgain(registry)),
            }
        }
        self.told = alarm;
    }
}

impl Held {
    /// The chain has what is final of it.
    pub(super) fn kept_finality(&mut self, watcher: &dyn Watch) {
        (self.finality.broke, self.finality.short) = (None, None);
        self.finality.tell(self.cursor.registry, watcher);
    }

    /// The chain has not as many blocks now, as far as it is known: `now` holds the hashes at the heights that it has. That mends nothing
    /// unless the block is among them that it went back on.
    pub(super) fn is_behind(
        &mut self,
        chain: ShortChain,
        now: &BTreeMap<u64, BlockHash>,
        watcher: &dyn Watch,
    ) {
        let is_gone =
            |broke: &ChainBrokeFinality| now.get(&broke.kept.block) != Some(&broke.kept.hash);
        self.finality.broke = self.finality.broke.filter(is_gone);
        self.finality.short = Some(chain);
        self.finality.tell(self.cursor.registry, watcher);
    }

    /// It has not. Where it was known before, that stands as long as the chain does not reach there.
    pub(super) fn broke_finality(
        &mut self,
        broke: ChainBrokeFinality,
        now: &BTreeMap<u64, BlockHash>,
        watcher: &dyn Watch,
    ) {
        let before = self.finality.broke;
        let before = before.filter(|before| !now.contains_key(&before.kept.block));
        self.finality.broke = before.or(Some(broke));
        self.finality.short = None;
        self.finality.tell(self.cursor.registry, watcher);
    }

    /// The height of the block that the chain went back on.
    pub(super) fn broken_at(&self) -> Option<u64> {
        self.finality.broke.map(|broke| broke.kept.block)
    }
}

impl ChainSync<'_> {
    /// Keeps what was just seen of the chain, for all registries that are held in one statement.
    pub(super) async fn keep_survey(&self, bounds: Bounds) -> Result<(), SyncError> {
        let options = &self.syncer.options;
        let now = self.syncer.world.now();
        let seen = self.held.iter().map(|(registry, held)| Survey {
            registry: *registry,
            looked_at: now,
            poll_millis: u64::try_from(options.poll.as_millis()).unwrap_or(u64::MAX),
            head: bounds.latest,
            broke: held.finality.broke,
            short: held.finality.short,
        });
        let surveys: Vec<_> = seen.collect();
        let leases: Vec<_> = self.held.values().map(|held| held.lease.clone()).collect();
        let index = &self.syncer.index;
        Ok(index.record_surveys(&leases, &surveys, now).await?)
    }

    /// Of which registries the index knows that their chain broke finality.
    pub(super) async fn recall_broken(
        &self,
    ) -> Result<BTreeMap<RegistryId, ChainBrokeFinality>, SyncError> {
        let surveys = self.syncer.index.surveys().await?.into_iter();
        let broken = surveys.filter_map(|survey| Some((survey.registry, survey.broke?)));
        Ok(broken.collect())
    }
}
