//! Appending what was said in a piece of the chain.

use std::sync::Arc;

use deedbox_core::Timestamp;
use deedbox_store::{
    StoreError,
    index::{Batch, Cursor, Lease, Superseded},
};
use tokio_util::task::AbortOnDropHandle;

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
        match self.write(leases, batches, now).await? {
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
    /// Writes in a task of its own, so that facts are folded by one core while another reads what the next piece of the chain says. The task
    /// ends with this future, and a write that ends on the way is rolled back.
    async fn write(
        &self,
        leases: Vec<Lease>,
        batches: Vec<Batch>,
        now: Timestamp,
    ) -> Result<Result<Vec<Cursor>, Superseded>, StoreError> {
        let index = Arc::clone(&self.syncer.index);
        let written = tokio::spawn(async move { index.apply(&leases, batches, now).await });
        match AbortOnDropHandle::new(written).await {
            Ok(written) => written,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The program is about to end.
                Err(_) => Err(StoreError::Closed),
            },
        }
    }
}
