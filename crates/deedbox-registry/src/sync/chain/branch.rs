//! Where the chain is, and going back with it.

use std::collections::{BTreeMap, BTreeSet};

use deedbox_chain::events::Events;
use deedbox_core::BlockHash;
use deedbox_store::index::{ChainBrokeFinality, Checkpoint, RegistryId, ShortChain};

use super::ChainSync;
use crate::sync::{
    News, SyncError,
    news::Pace,
    plan::{Bounds, Verdict, heights, judge, settled},
};

impl ChainSync<'_> {
    /// Where the chain is. What it took back is undone before this returns.
    pub(super) async fn survey(&mut self) -> Result<Bounds, SyncError> {
        let events = self.events()?;
        let tops: BTreeSet<u64> = self
            .held
            .values()
            .filter_map(|held| Some(held.cursor.upto?.block))
            .collect();
        let tops: Vec<_> = tops.into_iter().collect();
        let (heads, found) = events.survey(&tops).await?;
        let bounds = Bounds {
            latest: heads.latest.number,
            finalized: heads.finalized.map(|head| head.number),
        };
        let now: BTreeMap<u64, BlockHash> = found
            .into_iter()
            .flatten()
            .map(|head| (head.number, head.hash))
            .collect();
        let mut doubtful = Vec::new();
        let watcher = &*self.syncer.watcher;
        for (registry, held) in &mut self.held {
            let top = held.cursor.upto;
            if top.is_none_or(|top| now.get(&top.block) == Some(&top.hash)) {
                held.settled = settled(&held.cursor, bounds.finalized);
                held.kept_finality(watcher);
            } else {
                doubtful.push(*registry);
            }
        }
        if !doubtful.is_empty() {
            self.look_back(&events, &doubtful, bounds.latest).await?;
        }
        Ok(bounds)
    }

    /// Finds out how far registries go back, and takes them there. The chain's newest block is at height `head`.
    async fn look_back(
        &mut self,
        events: &Events<'_>,
        doubtful: &[RegistryId],
        head: u64,
    ) -> Result<(), SyncError> {
        let said = self.last_said(doubtful, head).await?;
        let doubted = doubtful.iter().filter_map(|one| self.held.get(one));
        let numbers: BTreeSet<u64> = doubted
            .flat_map(|held| {
                let said = said.get(&held.cursor.registry).copied();
                heights(&held.cursor, said).chain(held.broken_at())
            })
            .collect();
        let numbers: Vec<_> = numbers.into_iter().collect();
        let (heads, found) = events.survey(&numbers).await?;
        let now: BTreeMap<u64, BlockHash> = found
            .into_iter()
            .flatten()
            .map(|head| (head.number, head.hash))
            .collect();
        let watcher = &*self.syncer.watcher;
        for registry in doubtful {
            let Some(held) = self.held.get_mut(registry) else {
                continue;
            };
            match judge(&held.cursor, said.get(registry).copied(), &now) {
                Verdict::Stands => held.kept_finality(watcher),
                Verdict::Behind(recognised) => {
                    let chain = ShortChain {
                        head: heads.latest.number,
                        read_upto: held.cursor.next().saturating_sub(1),
                        final_upto: held.cursor.final_upto,
                        recognised,
                    };
                    held.is_behind(chain, &now, watcher);
                }
                Verdict::GoBack(to) => self.go_back(*registry, to).await?,
                Verdict::BrokeFinality { kept, now: instead } => {
                    let broke = ChainBrokeFinality {
                        registry: *registry,
                        kept,
                        now: instead,
                    };
                    held.broke_finality(broke, &now, watcher);
                }
            }
        }
        Ok(())
    }

    /// The last blocks up to `head` in which these registries said something, of those that are read beyond it: by them a chain is known that ends
    /// below every block at which reading may go on.
    async fn last_said(
        &self,
        registries: &[RegistryId],
        head: u64,
    ) -> Result<BTreeMap<RegistryId, Checkpoint>, SyncError> {
        let mut last = BTreeMap::new();
        for registry in registries {
            let held = self.held.get(registry);
            let upto = held.and_then(|held| held.cursor.upto);
            if upto.is_some_and(|upto| upto.block > head)
                && let Some(said) = self.syncer.index.last_said(*registry, head).await?
            {
                last.insert(*registry, said);
            }
        }
        Ok(last)
    }

    async fn go_back(
        &mut self,
        registry: RegistryId,
        to: Option<Checkpoint>,
    ) -> Result<(), SyncError> {
        let Some(mut held) = self.held.remove(&registry) else {
            return Ok(());
        };
        let from = held.cursor.next().saturating_sub(1);
        let now = self.syncer.world.now();
        match self.syncer.index.rewind(&held.lease, to, now).await? {
            Ok(cursor) => {
                held.predicates = self.predicates(&cursor).await?;
                held.pace = Pace::new(now, cursor.next());
                held.settled = cursor.final_upto;
                held.kept_finality(&*self.syncer.watcher);
                held.cursor = cursor;
                self.held.insert(registry, held);
                let to = to.map(|to| to.block);
                self.tell(News::WentBack { registry, from, to });
            }
            Err(superseded) => self.lose(superseded),
        }
        Ok(())
    }
}
