//! Reading a piece of the chain, and appending what was said in it.

use deedbox_chain::{Code, ReadError, look::BlockHead};
use deedbox_store::index::{Batch, Checkpoint};

use super::{ChainSync, Rest};
use crate::sync::{
    News, SyncError,
    gather::{Known, Said, gather},
    plan::{Bounds, Step},
};

impl ChainSync<'_> {
    /// Reads a piece, and appends it. False when the chain changed meanwhile.
    pub(super) async fn take(&mut self, step: &Step, bounds: Bounds) -> Result<bool, SyncError> {
        let held = step.registries.iter().filter_map(|one| self.held.get(one));
        let known = held.map(|held| Known {
            registry: held.cursor.registry,
            standard: held.cursor.standard,
            predicates: held.predicates.clone(),
        });
        let known: Vec<_> = known.collect();
        if known.is_empty() {
            return Ok(true);
        }
        match gather(&self.events()?, step, known).await {
            Ok((said, upto)) => {
                self.append(said, upto, bounds).await?;
                Ok(true)
            }
            Err(error) if error.code == Code::Reorged => Ok(false),
            Err(error) if error.code == Code::RangeTooLarge => {
                self.set_aside(step, &error);
                Ok(true)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// There is a block of which more is said than can be read. Who says it is found by asking for each alone; the others go on.
    fn set_aside(&mut self, step: &Step, error: &ReadError) {
        let now = self.syncer.world.now();
        let is_only = step.registries.len() == 1;
        for registry in &step.registries {
            let Some(held) = self.held.get_mut(registry) else {
                continue;
            };
            held.is_alone = true;
            if is_only {
                let times = held.rest.map_or(0, |rest| rest.times);
                let retry_in = self.syncer.options.backoff.after(times);
                let millis = i64::try_from(retry_in.as_millis()).unwrap_or(i64::MAX);
                held.rest = Some(Rest {
                    until: now.plus_millis(millis),
                    times: times.saturating_add(1),
                });
                self.tell(News::RegistryFailed {
                    registry: *registry,
                    error: error.clone(),
                    retry_in,
                });
            }
        }
    }

    async fn append(
        &mut self,
        said: Vec<Said>,
        upto: BlockHead,
        bounds: Bounds,
    ) -> Result<(), SyncError> {
        let (block, hash) = (upto.number, upto.hash);
        let mut batches = Vec::with_capacity(said.len());
        let mut learnt = Vec::with_capacity(said.len());
        for said in said {
            let Some(held) = self.held.get(&said.registry) else {
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
                upto: Checkpoint { block, hash },
                upto_at: Some(upto.timestamp),
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
