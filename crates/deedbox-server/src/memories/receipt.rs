//! What whoever wrote a memory is told: what became of it, from the deed that was kept. No words, because a key that may write need not
//! be one that may read.

use std::collections::BTreeSet;

use deedbox_core::{Deed, MemoryId, SpaceId, Timestamp, deed::DeedHash, memory::Changed};
use deedbox_store::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Look, MemorySource, Told, Wrote};

/// What became of a memory that was written to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemoryReceipt {
    /// The memory. With a semantic key or merged, perhaps one that was there before.
    pub id: MemoryId,
    /// What became of it.
    pub outcome: Wrote,
    /// What is another than before; nothing when it was all the same.
    pub changed: BTreeSet<Changed>,
    /// In which space, of `remember`; null of others.
    pub space: Option<SpaceId>,
    /// When.
    pub at: Timestamp,
    /// As whom it was done.
    pub source: MemorySource,
    /// How many deeds its history has.
    pub version: u64,
    /// The hash of the deed that records this.
    pub hash: DeedHash,
}

impl MemoryReceipt {
    /// What a deed of a memory says, to whoever `look`s. `space` is where it was to be remembered.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] when the deed is none of a memory.
    pub(crate) fn new(
        deed: Deed,
        space: Option<SpaceId>,
        look: Look<'_>,
    ) -> Result<Self, StoreError> {
        let told = Told::of(deed)?;
        Ok(Self {
            id: told.memory,
            outcome: told.outcome,
            changed: told.changed,
            space,
            at: told.at,
            source: look.source(&told.author),
            version: told.version,
            hash: told.hash,
        })
    }
}
