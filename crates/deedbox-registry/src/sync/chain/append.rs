//! Appending what was said in a piece of the chain.

use deedbox_store::index::Batch;

use super::{ChainSync, Piece};
use crate::sync::{
    News, SyncError,
    plan::{Bounds, settled},
};

impl ChainSync<'_> {
    /// Appends what was said in a piece, of the registries of which it continues what is written.
    pub(super) async fn append(
        &mut self,
        piece: Option<Piece>,
        bounds: Bounds,
    ) -> Result<(), SyncError> {
        let Some(mut piece) = piece else {
            return Ok(());
        };
        let said = std::mem::take(&mut piece.said);
        let mut batches = Vec::with_capacity(said.len());
        let mut learnt = Vec::with_capacity(said.len());
        for said in said {
            let held = self.held.get(&said.registry);
            let Some(held) = held.filter(|held| piece.continues(&held.cursor)) else {
                continue;
            };
            learnt.push((
                said.registry,
                said.predicates,
                said.facts.len(),
                said.unreadable,
            ));
            batches.push(Batch {
                registry: said.registry,
                after: held.cursor.upto,
                facts: said.facts,
                upto: piece.upto,
                upto_at: Some(piece.upto_at),
                final_upto: held.settled,
            });
        }
        if !self.apply(batches).await? {
            return Ok(());
        }
        let now = self.syncer.world.now();
        for (registry, predicates, facts, unreadable) in learnt {
            let Some(held) = self.held.get_mut(&registry) else {
                continue;
            };
            held.predicates = predicates;
            held.is_alone = false;
            held.rest = None;
            held.pace.add(facts, unreadable);
            let unwatched = held.predicates.unwatched;
            let progress = held
                .pace
                .progress(&held.cursor, bounds.latest, unwatched, now);
            self.tell(News::Progress(progress));
        }
        Ok(())
    }

    /// Writes down what has become final since the last batches, where nothing else is to be written.
    pub(super) async fn settle(&mut self) -> Result<(), SyncError> {
        let news = self
            .held
            .values()
            .filter(|held| !held.finality.is_broken() && held.settled > held.cursor.final_upto);
        let batches = news.filter_map(|held| {
            Some(Batch {
                registry: held.cursor.registry,
                after: held.cursor.upto,
                facts: Vec::new(),
                upto: held.cursor.upto?,
                upto_at: held.cursor.upto_at,
                final_upto: held.settled,
            })
        });
        let batches: Vec<_> = batches.collect();
        self.apply(batches).await.map(drop)
    }

    /// Whether more of what is written could be final than is called so.
    pub(super) fn may_settle(&self, bounds: Bounds) -> bool {
        let mut held = self.held.values().filter(|held| !held.finality.is_broken());
        held.any(|held| settled(&held.cursor, bounds.finalized) > held.cursor.final_upto)
    }

    /// Whether these batches are in the index now.
    async fn apply(&mut self, batches: Vec<Batch>) -> Result<bool, SyncError> {
        if batches.is_empty() {
            return Ok(true);
        }
        let leases = batches
            .iter()
            .filter_map(|batch| self.held.get(&batch.registry))
            .map(|held| held.lease.clone());
        let leases: Vec<_> = leases.collect();
        let now = self.syncer.world.now();
        match self.syncer.index.apply(&leases, batches, now).await? {
            Ok(cursors) => {
                for cursor in cursors {
                    if let Some(held) = self.held.get_mut(&cursor.registry) {
                        held.cursor = cursor;
                    }
                }
                Ok(true)
            }
            Err(superseded) => {
                self.lose(superseded);
                Ok(false)
            }
        }
    }
}
