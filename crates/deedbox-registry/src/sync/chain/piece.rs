//! Reading a piece of the chain, while the one before it is written.

use deedbox_chain::{Code, ReadError};
use deedbox_core::{BlockHash, Timestamp};
use deedbox_store::index::{Checkpoint, Cursor};

use super::{ChainSync, Held, Rest};
use crate::sync::{
    News, SyncError,
    gather::{Known, Said, gather},
    plan::{Bounds, Step},
};

/// A piece of the chain that is read and not yet written.
///
/// It continues a block and is good for nothing else: who lost a registry meanwhile, or could not write what comes before, has no use for what it
/// says of that registry.
#[derive(Debug)]
pub(super) struct Piece {
    /// Its first block.
    from: u64,
    /// The hash of the block below, where that was read.
    after: Option<BlockHash>,
    /// What each registry said in it.
    pub(super) said: Vec<Said>,
    /// Its last block.
    pub(super) upto: Checkpoint,
    /// When that was made.
    pub(super) upto_at: Timestamp,
}

impl Piece {
    /// What a registry said in it, where that continues what is written of it.
    pub(super) fn of(&self, held: &Held) -> Option<&Said> {
        let mut said = self.said.iter().filter(|_| self.continues(&held.cursor));
        said.find(|said| said.registry == held.cursor.registry)
    }

    /// Whether it begins where this ends.
    pub(super) fn continues(&self, cursor: &Cursor) -> bool {
        self.from == cursor.next() && self.after == cursor.upto.map(|upto| upto.hash)
    }
}

/// What came of asking for a piece.
#[derive(Debug)]
pub(super) enum Taken {
    /// It is read.
    Piece(Piece),
    /// There is nothing to write: nobody who could be asked about is left, or more was said than can be read.
    Nothing,
    /// The chain changed meanwhile.
    Replaced,
}

impl ChainSync<'_> {
    /// Reads a piece, while what was read `before` it is written.
    pub(super) async fn take(
        &mut self,
        step: &Step,
        before: Option<Piece>,
        bounds: Bounds,
    ) -> Result<Taken, SyncError> {
        let known = self.known(step, before.as_ref());
        if known.is_empty() {
            self.append(before, bounds).await?;
            return Ok(Taken::Nothing);
        }
        let events = self.events()?;
        let (appended, read) =
            tokio::join!(self.append(before, bounds), gather(&events, step, known));
        appended?;
        match read {
            Ok((said, upto)) => Ok(Taken::Piece(Piece {
                from: step.from,
                after: step.after,
                said,
                upto: Checkpoint {
                    block: upto.number,
                    hash: upto.hash,
                },
                upto_at: upto.timestamp,
            })),
            Err(error) if error.code == Code::Reorged => Ok(Taken::Replaced),
            Err(error) if error.code == Code::RangeTooLarge => {
                self.set_aside(step, &error);
                Ok(Taken::Nothing)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What is known of a step's registries once what was read `ahead` is written.
    fn known(&self, step: &Step, ahead: Option<&Piece>) -> Vec<Known> {
        let held = step.registries.iter().filter_map(|one| self.held.get(one));
        let known = held.map(|held| {
            let ahead = ahead.and_then(|piece| piece.of(held));
            Known {
                registry: held.cursor.registry,
                standard: held.cursor.standard,
                predicates: ahead
                    .map_or(&held.predicates, |said| &said.predicates)
                    .clone(),
            }
        });
        known.collect()
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
}
