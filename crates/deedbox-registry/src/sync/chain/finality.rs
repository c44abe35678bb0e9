//! Whether a chain keeps what it promised, and keeping that in the index beside when it was looked at: everybody who answers from the index says
//! both, also where nobody follows any more.

use std::collections::BTreeMap;

use deedbox_core::BlockHash;
use deedbox_store::index::{ChainBrokeFinality, RegistryId, Survey};

use super::{ChainSync, Held};
use crate::sync::{News, SyncError, Watch, plan::Bounds};

/// What is known of a registry's final block that the chain does not have any more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Finality {
    broke: Option<ChainBrokeFinality>,
    /// Whether the watcher was told. Not of what another process found: it is found again before it is told.
    is_told: bool,
}

impl Finality {
    /// As the index knows it.
    pub(super) fn recalled(broke: Option<ChainBrokeFinality>) -> Self {
        let is_told = false;
        Self { broke, is_told }
    }

    pub(super) const fn is_broken(self) -> bool {
        self.broke.is_some()
    }
}

impl Held {
    /// The chain has what is final of it.
    pub(super) fn kept_finality(&mut self, watcher: &dyn Watch) {
        if std::mem::take(&mut self.finality).is_broken() {
            watcher.tell(News::KeptFinality(self.cursor.registry));
        }
    }

    /// The chain has not as many blocks now, as far as it is known: `now` holds the hashes at the heights that it has. That mends nothing
    /// unless the block is among them that it went back on.
    pub(super) fn is_behind(&mut self, now: &BTreeMap<u64, BlockHash>, watcher: &dyn Watch) {
        let broke = self.finality.broke;
        if broke.is_none_or(|broke| now.get(&broke.kept.block) == Some(&broke.kept.hash)) {
            self.kept_finality(watcher);
        }
    }

    /// It has not.
    pub(super) fn broke_finality(&mut self, broke: ChainBrokeFinality, watcher: &dyn Watch) {
        let before = self.finality;
        self.finality = Finality {
            broke: Some(broke),
            is_told: true,
        };
        if before.broke != Some(broke) || !before.is_told {
            watcher.tell(News::BrokeFinality(broke));
        }
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
