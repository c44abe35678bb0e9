//! How far a registry is read, who is reading it, and what one reading brought.

use deedbox_core::{BlockHash, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Fact, RegistryId, Standard};

/// A block that is known by its hash: whether it is part of the chain still can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The block's height.
    pub block: u64,
    /// Its hash.
    pub hash: BlockHash,
}

/// How far a registry is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The registry.
    pub registry: RegistryId,
    /// Which events it is read for.
    pub standard: Standard,
    /// The first block that was asked for.
    pub from: u64,
    /// Everything up to and including this block is in the index; `None` before the first batch.
    pub upto: Option<Checkpoint>,
    /// Blocks up to and including this one are final: their facts are never undone. Never above `upto`.
    pub final_upto: Option<u64>,
    /// When the block `upto` was made, as the block says; `None` before the first batch, and after going back until the next one.
    #[serde(default)]
    pub upto_at: Option<Timestamp>,
    /// Where batches ended that may be undone still: at or above `final_upto`, ascending. The last one is `upto`. Of the newest all are there,
    /// of older ones the fewer the older they are, so that a chain that is long in becoming final does not gather them.
    pub checkpoints: Vec<Checkpoint>,
}

impl Cursor {
    /// Whether what was said in this block can no longer be undone.
    #[must_use]
    pub fn is_final(&self, block: u64) -> bool {
        self.final_upto.is_some_and(|upto| block <= upto)
    }

    /// The first block that is not read yet.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.upto
            .map_or(self.from, |upto| upto.block.saturating_add(1))
    }
}

/// The right to write a registry, for a while. One holder at a time has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Which registry.
    pub registry: RegistryId,
    /// Who holds it: a name that no other process has.
    pub holder: String,
    /// How often it changed hands. A write with an older epoch is refused.
    pub epoch: u64,
    /// Until when. Claimed again before that, it goes on; after that anybody may claim it.
    pub until: Timestamp,
}

/// What one reading of a registry brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The registry.
    pub registry: RegistryId,
    /// Up to where it was read before; has to be what its cursor says.
    pub after: Option<Checkpoint>,
    /// What was said in the blocks after that and up to `upto`, in the chain's order, no place twice.
    pub facts: Vec<Fact>,
    /// Up to where it is read now. The same as `after` when only `final_upto` is news.
    pub upto: Checkpoint,
    /// When the block `upto` was made, as the block says. Not looked at when only `final_upto` is news.
    pub upto_at: Option<Timestamp>,
    /// Up to where the chain is final. The index keeps the highest that it was told.
    pub final_upto: Option<u64>,
}

/// Why a batch is one that no chain could have given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadBatch {
    /// It ends before it begins, or at the block where it begins with another hash.
    #[error("the batch ends before it begins")]
    Backwards,
    /// A fact is of a block that the batch is not about.
    #[error("the batch has a fact of block {0}, which it is not about")]
    Outside(u64),
    /// Facts are not in the chain's order, or two have one place.
    #[error("the batch has facts out of order in block {0}")]
    Unordered(u64),
}

impl Batch {
    /// Whether a chain could have given it.
    ///
    /// # Errors
    /// [`BadBatch`] names what is in the way.
    pub fn check(&self) -> Result<(), BadBatch> {
        if let Some(after) = self.after {
            let same = after == self.upto && self.facts.is_empty();
            if after.block >= self.upto.block && !same {
                return Err(BadBatch::Backwards);
            }
        }
        let places = || self.facts.iter().map(|fact| fact.origin.place);
        let about = |block: u64| {
            block <= self.upto.block && self.after.is_none_or(|after| block > after.block)
        };
        if let Some(place) = places().find(|place| !about(place.block)) {
            return Err(BadBatch::Outside(place.block));
        }
        match places().zip(places().skip(1)).find(|(a, b)| a >= b) {
            Some((_, place)) => Err(BadBatch::Unordered(place.block)),
            None => Ok(()),
        }
    }
}

impl Cursor {
    /// A registry of which nothing is read yet.
    #[must_use]
    pub fn new(registry: RegistryId, standard: Standard, from: u64) -> Self {
        Self {
            registry,
            standard,
            from,
            upto: None,
            final_upto: None,
            upto_at: None,
            checkpoints: Vec::new(),
        }
    }

    /// Goes on to where a batch ends.
    ///
    /// # Errors
    /// [`Superseded::Cursor`] when the batch does not begin where this ends.
    pub fn advance(&mut self, batch: &Batch) -> Result<(), Superseded> {
        if batch.registry != self.registry || batch.after != self.upto {
            return Err(Superseded::Cursor(self.registry));
        }
        let is_final = batch.final_upto.map(|block| block.min(batch.upto.block));
        self.final_upto = self.final_upto.max(is_final);
        if self.upto != Some(batch.upto) {
            self.upto = Some(batch.upto);
            self.upto_at = batch.upto_at;
            self.checkpoints.push(batch.upto);
        }
        let floor = self.final_upto.unwrap_or(0);
        self.checkpoints.retain(|at| at.block >= floor);
        thin(&mut self.checkpoints);
        Ok(())
    }

    /// Goes back to a block, or to the beginning.
    ///
    /// # Errors
    /// [`Superseded::BelowFinal`], and [`Superseded::Cursor`] for a block that is not read yet.
    pub fn go_back(&mut self, to: Option<Checkpoint>) -> Result<(), Superseded> {
        let block = to.map(|to| to.block);
        if self.final_upto > block {
            return Err(Superseded::BelowFinal(self.registry));
        }
        if block > self.upto.map(|upto| upto.block) {
            return Err(Superseded::Cursor(self.registry));
        }
        // Before the first block that was asked for there is nothing to be read up to.
        let before = self.upto;
        self.upto = to.filter(|to| to.block >= self.from);
        self.upto_at = self.upto_at.filter(|_| self.upto == before);
        self.checkpoints.retain(|at| Some(at.block) < block);
        self.checkpoints.extend(self.upto);
        Ok(())
    }
}

/// How many of the newest checkpoints are all kept.
const NEWEST: usize = 64;
/// Of those below them, how many are kept of blocks that are between so many blocks and twice as many below the newest, at most.
const OF_EACH_DOUBLING: u64 = 8;

/// Leaves out checkpoints that have others near, for how old they are: going back goes a fifth further than it has to, at most about.
///
/// Heights are divided into cells of a power of two that grows with age, and of each cell the lowest stays. Cells of one size lie
/// within those of the next, so what stays now is what would have stayed had nothing been left out before.
fn thin(checkpoints: &mut Vec<Checkpoint>) {
    let (Some(newest), Some(old)) = (checkpoints.last(), checkpoints.len().checked_sub(NEWEST))
    else {
        return;
    };
    let newest = newest.block;
    let (mut index, mut last) = (0, None);
    checkpoints.retain(|at| {
        let age = newest.saturating_sub(at.block) / OF_EACH_DOUBLING;
        let size = age.checked_ilog2().unwrap_or(0);
        let cell = at.block >> size;
        let stays = index >= old || last.is_none_or(|last: u64| last >> size != cell);
        index += 1;
        if stays {
            last = Some(at.block);
        }
        stays
    });
}

impl Lease {
    /// The lease that `holder` gets at `now`, until `until`, when this one is what is known of the registry; `None` when it is
    /// somebody else's still. An empty holder has given it back.
    #[must_use]
    pub fn claimed(&self, holder: &str, now: Timestamp, until: Timestamp) -> Option<Self> {
        let ours = self.holder == holder;
        let free = self.holder.is_empty() || self.until <= now;
        (ours || free).then(|| Self {
            registry: self.registry,
            holder: holder.to_owned(),
            epoch: self.epoch + u64::from(!ours),
            until,
        })
    }

    /// Whether it lets its holder write at `now`, when `known` is what the index knows.
    #[must_use]
    pub fn is_current(&self, known: &Self, now: Timestamp) -> bool {
        self.registry == known.registry
            && self.holder == known.holder
            && self.epoch == known.epoch
            && known.until > now
    }
}

/// Why nothing was written: somebody else has been at it, or the question came too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Superseded {
    /// The lease has run out, or somebody else holds the registry.
    #[error("{0} is not held any more")]
    Lease(RegistryId),
    /// The registry is read up to another block than the batch was made for; or it is not in the index.
    #[error("{0} is read up to another block than this")]
    Cursor(RegistryId),
    /// What was to be undone is final.
    #[error("{0} is final beyond the block to go back to")]
    BelowFinal(RegistryId),
}
