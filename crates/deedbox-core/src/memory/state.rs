//! What a memory's deeds add up to.

use super::{About, Committed, MemoryStatus};
use crate::{
    ActorId, Body, BrokenDeed, Deed, Head, MemoryId, SpaceId, SpaceUsage, Timestamp,
    deed::Authorship,
};

/// Who wrote a version of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryAuthor {
    /// As whom; nobody when an operator named none.
    pub actor: Option<ActorId>,
    /// By which credential, and with which labels.
    pub by: Authorship,
}

/// What is known of a memory beside its text: a projection of its deeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryState {
    /// The memory.
    pub id: MemoryId,
    /// Its last deed.
    pub head: Head,
    /// Where it is. Never changes.
    pub space: SpaceId,
    /// What is said of it.
    pub about: About,
    /// Whether it can be recalled.
    pub status: MemoryStatus,
    /// When it was remembered; after it was forgotten, when it was remembered again.
    pub created_at: Timestamp,
    /// When it was last remembered, revised, forgotten or redacted.
    pub updated_at: Timestamp,
    /// Who remembered it.
    pub first_author: MemoryAuthor,
    /// Who did its last deed.
    pub last_author: MemoryAuthor,
    /// The version of the deed beside which its text stands; none when the texts are gone.
    pub text: Option<u64>,
    /// Its texts that are kept, in bytes of canonical JSON.
    pub bytes: u64,
}

impl MemoryState {
    /// Whether it is over at `now`: it can be listed then, and is not recalled.
    #[must_use]
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.about.expires_at.is_some_and(|end| end <= now)
    }

    /// What it takes of its space.
    #[must_use]
    pub fn usage(&self) -> SpaceUsage {
        SpaceUsage {
            memories: u64::from(self.status == MemoryStatus::Live),
            bytes: self.bytes,
        }
    }

    /// The state after `deed`, which follows `before`.
    ///
    /// # Errors
    /// [`BrokenDeed::Misapplied`] when the kind of the deed does not fit the state at all.
    pub(crate) fn after(
        before: Option<Self>,
        id: MemoryId,
        deed: &Deed,
    ) -> Result<Self, BrokenDeed> {
        let author = |actor: &Option<ActorId>| MemoryAuthor {
            actor: actor.clone(),
            by: deed.by.clone(),
        };
        let mut state = match (before, &deed.body) {
            (
                before,
                Body::MemoryRemembered {
                    space_id,
                    actor_id,
                    about,
                    text,
                    ..
                },
            ) => Self {
                id,
                head: deed.head(),
                space: space_id.clone(),
                about: *about,
                status: MemoryStatus::Live,
                created_at: deed.at,
                updated_at: deed.at,
                first_author: author(actor_id),
                last_author: author(actor_id),
                text: Some(deed.version),
                bytes: before.map_or(0, |before| before.bytes) + text.bytes,
            },
            (Some(before), body) => before.changed(deed, body, author)?,
            (None, _) => return Err(BrokenDeed::Misapplied),
        };
        state.head = deed.head();
        state.updated_at = deed.at;
        Ok(state)
    }

    fn changed(
        mut self,
        deed: &Deed,
        body: &Body,
        author: impl Fn(&Option<ActorId>) -> MemoryAuthor,
    ) -> Result<Self, BrokenDeed> {
        match body {
            Body::MemoryRevised {
                actor_id,
                about,
                text,
                ..
            } => {
                self.last_author = author(actor_id);
                self.about = *about;
                if let Some(Committed { bytes, .. }) = text {
                    self.text = Some(deed.version);
                    self.bytes += bytes;
                }
            }
            Body::MemoryForgotten { actor_id } => {
                self.last_author = author(actor_id);
                self.status = MemoryStatus::Forgotten;
            }
            Body::MemoryRedacted { actor_id, .. } => {
                self.last_author = author(actor_id);
                self.status = MemoryStatus::Redacted;
                self.text = None;
                self.bytes = 0;
            }
            _ => return Err(BrokenDeed::Misapplied),
        }
        Ok(self)
    }
}
