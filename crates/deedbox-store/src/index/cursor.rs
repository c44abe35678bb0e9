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
    /// Where batches ended that may be undone still: at or above `final_upto`, ascending. The last one is `upto`.
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
    /// Up to where it is read now; above `after`.
    pub upto: Checkpoint,
    /// Up to where the chain is final. The index keeps the highest that it was told.
    pub final_upto: Option<u64>,
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
