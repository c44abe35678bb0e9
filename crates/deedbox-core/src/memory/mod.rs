//! Memories: what agents and people note down for each other, and for themselves later.
//!
//! **The words are not in the deeds.** A deed is for ever, and what somebody wrote may have to go. So a deed of a memory carries a
//! [commitment](Committed) to its text, and the text stands beside it with its salt. Redaction deletes the texts of all versions; the deeds
//! and their chain stay as they are, and say that something was said, by whom and when. As long as a text is there, the ledger check
//! finds out when it is not the one that was written.
//!
//! **A key makes a memory one that is said anew.** Its id follows from its space and its key, so remembering under a key that exists
//! is a revision, with the history kept.
//!
//! **Labels decide nothing here.** What somebody may do follows from the credential and the space: [`rights`] reads nothing else.

mod origin;
pub mod rights;
mod state;
mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    origin::Origin,
    state::{MemoryAuthor, MemoryState},
    text::{Committed, MemoryTags, MemoryText, Salt, SealedText, TooManyTags},
};
use crate::{
    ActorId, MemoryId, Scope, SpaceId, Timestamp,
    text::{MemoryContent, MemoryPath, Reason},
    words::words,
};

/// What kind of thing is remembered.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum MemoryKind {
    /// How something is.
    Fact,
    /// How somebody wants something.
    Preference,
    /// What was decided, and why.
    Decision,
    /// What is to be done. The only kind that can be done.
    Todo,
    /// Anything else.
    Note,
}

words! {
    MemoryKind, NotAMemoryKind, "must be fact, preference, decision, todo or note" {
        Fact = "fact",
        Preference = "preference",
        Decision = "decision",
        Todo = "todo",
        Note = "note",
    }
}

/// Whether a memory can be recalled. One that has expired is live all the same; see [`MemoryState::has_expired`].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum MemoryStatus {
    /// It can.
    Live,
    /// It cannot. Its texts are kept, and its history shows them to whoever may delete them.
    Forgotten,
    /// It cannot, and its texts are gone.
    Redacted,
}

words! {
    MemoryStatus, NotAMemoryStatus, "must be live, forgotten or redacted" {
        Live = "live",
        Forgotten = "forgotten",
        Redacted = "redacted",
    }
}

/// What is said of a memory beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct About {
    /// What kind of thing it is.
    pub kind: MemoryKind,
    /// Whether it is done. False of everything but a to-do.
    pub todo_done: bool,
    /// From when on it is not recalled any more.
    pub expires_at: Option<Timestamp>,
}

/// What a revision changed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Changed {
    /// The note itself.
    Content,
    /// Whether it is done.
    TodoDone,
    /// What kind of thing it is.
    Kind,
    /// When it expires.
    ExpiresAt,
    /// Its tags.
    Tags,
    /// Its path.
    Path,
}

words! {
    Changed, NotAChange, "must be content, todo_done, kind, expires_at, tags or path" {
        Content = "content",
        TodoDone = "todo_done",
        Kind = "kind",
        ExpiresAt = "expires_at",
        Tags = "tags",
        Path = "path",
    }
}

/// A memory with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// What its deeds add up to.
    pub state: MemoryState,
    /// Its text now; none when it is redacted.
    pub text: Option<MemoryText>,
}

/// What is asked of one memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryCommand {
    /// The memory.
    pub id: MemoryId,
    /// Who asks. A key that is bound to an actor asks as that one, named or not; an operator names somebody, or nobody.
    pub actor: Option<ActorId>,
    /// What is asked.
    pub act: MemoryAct,
    /// Where what is remembered or revised was written first, when it is imported.
    pub origin: Option<Box<Origin>>,
}

/// What can be asked of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryAct {
    /// `remember`.
    Remember {
        /// Where.
        space: SpaceId,
        /// What is said of it.
        about: About,
        /// What is remembered.
        text: Box<SealedText>,
        /// Whether a living memory of the same space, kind and content takes it up instead of there being two. Of no effect with a key,
        /// which says already which memory it is.
        merge: bool,
    },
    /// `update_memory`.
    Revise {
        /// What is to be another.
        change: Box<MemoryChange>,
        /// For the text, when it changes.
        salt: Salt,
    },
    /// `forget`.
    Forget,
    /// `forget`, and the texts too.
    Redact {
        /// Why. Stays for ever.
        reason: Option<Reason>,
    },
}

/// What a revision sets; the rest stays. The key of a memory never changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryChange {
    /// Another note.
    pub content: Option<MemoryContent>,
    /// Done, or not any more.
    pub todo_done: Option<bool>,
    /// Another kind.
    pub kind: Option<MemoryKind>,
    /// Another end, or none.
    pub expires_at: Option<Option<Timestamp>>,
    /// Other tags.
    pub tags: Option<MemoryTags>,
    /// Another path, or none.
    pub path: Option<Option<MemoryPath>>,
}

impl MemoryCommand {
    /// To remember a text: in the memory of its key, when it has one, or else in a new one, which `fresh` names.
    #[must_use]
    pub fn remember(
        fresh: MemoryId,
        actor: Option<ActorId>,
        space: SpaceId,
        about: About,
        text: SealedText,
        merge: bool,
    ) -> Self {
        let key = text.text.key.as_ref();
        Self {
            id: key.map_or(fresh, |key| MemoryId::of_key(&space, key)),
            actor,
            act: MemoryAct::Remember {
                space,
                about,
                text: Box::new(text),
                merge,
            },
            origin: None,
        }
    }

    /// The same, as it is imported from there.
    #[must_use]
    pub fn imported(self, origin: Origin) -> Self {
        Self {
            origin: Some(Box::new(origin)),
            ..self
        }
    }

    /// The scope that a key needs for this, for the memory's space.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        match self.act {
            MemoryAct::Remember { .. } | MemoryAct::Revise { .. } => Scope::MemoryWrite,
            MemoryAct::Forget | MemoryAct::Redact { .. } => Scope::MemoryDelete,
        }
    }
}
