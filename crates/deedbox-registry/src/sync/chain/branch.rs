//! Where the chain is, and going back with it.

use std::collections::{BTreeMap, BTreeSet};

use deedbox_chain::events::Events;
use deedbox_core::BlockHash;
use deedbox_store::index::{ChainBrokeFinality, Checkpoint, RegistryId};

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
            self.look_back(&events, &doubtful).await?;
        }
        Ok(bounds)
    }

    /// Finds out how far registries go back, and takes them there.
    async fn look_back(
        &mut self,
        events: &Events<'_>,
        doubtful: &[RegistryId],
    ) -> Result<(), SyncError> {
        let cursors = doubtful.iter().filter_map(|one| self.held.get(one));
        let numbers: BTreeSet<u64> = cursors.flat_map(|held| heights(&held.cursor)).collect();
        let numbers: Vec<_> = numbers.into_iter().collect();
        let found = events.headers(&numbers).await?;
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
            match judge(&held.cursor, &now) {
                Verdict::Stands => held.kept_finality(watcher),
                Verdict::Behind => held.is_behind(&now, watcher),
                Verdict::GoBack(to) => self.go_back(*registry, to).await?,
                Verdict::BrokeFinality { kept, now } => {
                    let broke = ChainBrokeFinality {
                        registry: *registry,
                        kept,
                        now,
                    };
                    held.broke_finality(broke, watcher);
                }
            }
        }
        Ok(())
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
