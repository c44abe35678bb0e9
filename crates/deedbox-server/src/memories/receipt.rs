//! What whoever wrote a memory is told: what became of it, from the deed that was kept. No words, because a key that may write need not
//! be one that may read.

use std::collections::BTreeSet;

use deedbox_core::{
    ActorId, Body, Deed, MemoryId, SpaceId, Stream, Timestamp,
    deed::DeedHash,
    memory::{Changed, MemoryAuthor},
};
use deedbox_store::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Look, MemorySource};

/// What became of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Wrote {
    /// There is a new one, or one that was forgotten is remembered again.
    Remembered,
    /// One that was there is another now.
    Revised,
    /// One with the same content took it up.
    Merged,
    /// It is not recalled any more; its words are kept.
    Forgotten,
    /// It is not recalled any more, and its words are gone.
    Redacted,
}

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
        let Stream::Memory(id) = deed.stream else {
            let cause = "it is none of a memory";
            return Err(StoreError::unreadable("deed", deed.stream, cause));
        };
        let (actor, outcome, changed) = done(deed.body).ok_or_else(|| {
            StoreError::unreadable("deed", format_args!("memory:{id}"), "its kind is another")
        })?;
        Ok(Self {
            id,
            outcome,
            changed,
            space,
            at: deed.at,
            source: look.source(&MemoryAuthor { actor, by: deed.by }),
            version: deed.version,
            hash: deed.hash,
        })
    }
}

/// Who did what, and what is another since.
fn done(body: Body) -> Option<(Option<ActorId>, Wrote, BTreeSet<Changed>)> {
    Some(match body {
        Body::MemoryRemembered { actor_id, .. } => (actor_id, Wrote::Remembered, BTreeSet::new()),
        Body::MemoryRevised {
            actor_id,
            changed,
            merged,
            ..
        } => {
            let outcome = if merged {
                Wrote::Merged
            } else {
                Wrote::Revised
            };
            (actor_id, outcome, changed)
        }
        Body::MemoryForgotten { actor_id } => (actor_id, Wrote::Forgotten, BTreeSet::new()),
        Body::MemoryRedacted { actor_id, .. } => (actor_id, Wrote::Redacted, BTreeSet::new()),
        _ => return None,
    })
}
