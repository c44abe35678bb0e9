//! What a deed of a memory says, whoever reads it.

use std::collections::BTreeSet;

use deedbox_core::{
    Body, Deed, MemoryId, Stream, Timestamp,
    deed::DeedHash,
    hash::TextCommitment,
    memory::{About, Changed, MemoryAuthor, Origin},
    text::Reason,
};
use deedbox_store::StoreError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl Wrote {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Remembered => "remembered",
            Self::Revised => "revised",
            Self::Merged => "merged",
            Self::Forgotten => "forgotten",
            Self::Redacted => "redacted",
        }
    }
}

/// A deed of a memory, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) memory: MemoryId,
    pub(crate) version: u64,
    pub(crate) outcome: Wrote,
    pub(crate) changed: BTreeSet<Changed>,
    pub(crate) at: Timestamp,
    pub(crate) author: MemoryAuthor,
    pub(crate) about: Option<About>,
    pub(crate) reason: Option<Reason>,
    /// Of a deed that has a text of its own.
    pub(crate) commitment: Option<TextCommitment>,
    pub(crate) origin: Option<Box<Origin>>,
    pub(crate) hash: DeedHash,
}

impl Told {
    /// # Errors
    /// [`StoreError::Unreadable`] when the deed is none of a memory.
    pub(crate) fn of(deed: Deed) -> Result<Self, StoreError> {
        let (
            Stream::Memory(memory),
            Body::MemoryRemembered { actor_id, .. }
            | Body::MemoryRevised { actor_id, .. }
            | Body::MemoryForgotten { actor_id }
            | Body::MemoryRedacted { actor_id, .. },
        ) = (&deed.stream, &deed.body)
        else {
            let cause = "it is none of a memory";
            return Err(StoreError::unreadable("deed", deed.stream, cause));
        };
        let mut told = Self {
            memory: *memory,
            version: deed.version,
            outcome: Wrote::Forgotten,
            changed: BTreeSet::new(),
            at: deed.at,
            author: MemoryAuthor {
                actor: actor_id.clone(),
                by: deed.by,
            },
            about: None,
            reason: None,
            commitment: None,
            origin: None,
            hash: deed.hash,
        };
        told.add(deed.body);
        Ok(told)
    }

    fn add(&mut self, body: Body) {
        match body {
            Body::MemoryRemembered {
                about,
                text,
                origin,
                ..
            } => {
                self.outcome = Wrote::Remembered;
                self.about = Some(about);
                self.commitment = Some(text.commitment);
                self.origin = origin;
            }
            Body::MemoryRevised {
                about,
                text,
                changed,
                merged,
                origin,
                ..
            } => {
                self.outcome = if merged {
                    Wrote::Merged
                } else {
                    Wrote::Revised
                };
                self.about = Some(about);
                self.changed = changed;
                self.commitment = text.map(|text| text.commitment);
                self.origin = origin;
            }
            Body::MemoryRedacted { reason, .. } => {
                self.outcome = Wrote::Redacted;
                self.reason = reason;
            }
            _ => {}
        }
    }
}
