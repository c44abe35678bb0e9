//! A memory as callers see it.

use deedbox_chain::{UntrustedText, text::Flag};
use deedbox_core::{
    ActorId, AgentLabel, Attribution, Authority, Basis, InstanceHash, Memory, MemoryId, MemoryKind,
    MemoryStatus, MemoryText, SpaceId, Timestamp,
    attribution::{MemoryAgentBoundary, Relation, memory_agent_boundary, offered_instance_id_hash},
    deed::DeedHash,
    limits,
    memory::{MemoryAuthor, MemoryTags},
    text::{MemoryKey, MemoryPath, MemoryTag},
};
use deedbox_store::rank::Reasons;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::inputs::word;

/// How much of a content stands in a list, in characters.
const EXCERPT_CHARS: usize = 1_000;

/// Who wrote something, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemorySource {
    /// As whom; null when an operator's credential named nobody.
    pub actor_id: Option<ActorId>,
    /// `authenticated` when the actor's own key was used, `asserted` when an operator's credential named it.
    #[serde(deserialize_with = "word")]
    pub basis: Basis,
    /// What the agent called itself.
    pub agent_label: Option<String>,
    /// Which installation it said it was: `sha256:` and 64 hex digits.
    #[serde(default, deserialize_with = "offered")]
    #[schemars(with = "Option<String>")]
    pub instance_id_hash: Option<InstanceHash>,
    /// Which credential, by name. Told to operators, and in audits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

impl MemorySource {
    /// What is known of an author, with the name of the credential or without it.
    pub(crate) fn new(author: &MemoryAuthor, with_principal: bool) -> Self {
        let MemoryAuthor { actor, by } = author;
        let label = by.agent_label.as_ref().map(AgentLabel::as_str);
        Self {
            actor_id: actor.clone(),
            basis: by.basis,
            agent_label: label.map(str::to_owned),
            instance_id_hash: by.instance_hash,
            principal: with_principal.then(|| by.principal.to_string()),
        }
    }
}

/// A hash that was offered as made already; anything else is no label.
fn offered<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<InstanceHash>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.as_deref().and_then(offered_instance_id_hash))
}

/// Who changed a memory last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemoryChange {
    /// Who.
    pub source: MemorySource,
    /// How the caller stands to them, by labels, which never authorise.
    pub memory_agent_boundary: MemoryAgentBoundary,
}

/// A memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Memory")]
pub struct ShownMemory {
    /// The memory.
    pub id: MemoryId,
    /// Where it is.
    pub space: SpaceId,
    /// What kind of thing it is.
    pub kind: MemoryKind,
    /// Whether it can be recalled.
    pub status: MemoryStatus,
    /// Whether it is done. False of everything but a to-do.
    pub todo_done: bool,
    /// What is remembered; null when it is redacted.
    pub content: Option<String>,
    /// Whether there is more of the content. Of lists only: `recall` gives it whole.
    pub truncated: bool,
    /// Where it belongs.
    pub path: Option<MemoryPath>,
    /// Under which words it is filed.
    pub tags: Vec<MemoryTag>,
    /// What it is about, for whoever says it anew.
    pub semantic_key: Option<MemoryKey>,
    /// What cannot be seen in the content as far as it stands here: `zero_width`, `bidi`, and `control` for odd ends of lines.
    pub flags: Vec<Flag>,
    /// Whether the words are to be read as somebody else's. False only when the caller's own actor, with its own key, from this very
    /// installation wrote it first and last, and there was nothing between the two.
    pub untrusted: bool,
    /// Who remembered it.
    pub source: MemorySource,
    /// How the caller stands to them, by labels, which never authorise.
    pub memory_agent_boundary: MemoryAgentBoundary,
    /// Who did the last thing to it; null when nobody did anything since.
    pub changed_by: Option<MemoryChange>,
    /// When it was remembered.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// From when on it is not recalled any more.
    pub expires_at: Option<Timestamp>,
    /// How many deeds its history has.
    pub version: u64,
    /// The hash of the last of them.
    pub hash: DeedHash,
}

/// Why a memory answers a question.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Why {
    /// How well it does: greater is better. To be compared within one answer only.
    pub score: f64,
    /// Which words of the question are in its content, folded as they are looked up.
    pub words: Vec<String>,
    /// Which are in its path.
    pub in_path: Vec<String>,
    /// Which are in its tags.
    pub in_tags: Vec<String>,
    /// Which are in its semantic key.
    pub in_key: Vec<String>,
    /// By how much its age multiplies the score: 1 to 1.25.
    pub recency: f64,
    /// By how much its kind does: 0.8 to 1.1.
    pub kind: f64,
}

/// A memory that answers a question.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RecalledMemory {
    /// The memory.
    pub memory: ShownMemory,
    /// Why it is here.
    pub why: Why,
}

/// What `recall` answers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Recalled {
    /// Best first.
    pub memories: Vec<RecalledMemory>,
    /// How many fitted the question, and did not fit the token budget.
    pub over_budget: u64,
    /// In which spaces was looked.
    pub spaces: Vec<SpaceId>,
}

/// One page of memories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemoryPage {
    /// The one remembered last first, each with the beginning of its content.
    pub memories: Vec<ShownMemory>,
    /// What to give as `cursor` for the next page; null when this is the last.
    pub next_cursor: Option<String>,
    /// In which spaces was looked.
    pub spaces: Vec<SpaceId>,
}

impl From<Reasons> for Why {
    fn from(reasons: Reasons) -> Self {
        let Reasons {
            score,
            words,
            in_path,
            in_tags,
            in_key,
            recency,
            kind,
        } = reasons;
        Self {
            score,
            words,
            in_path,
            in_tags,
            in_key,
            recency,
            kind,
        }
    }
}

/// Somebody who is shown memories.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a>(pub(crate) &'a Attribution);

impl Look<'_> {
    /// A memory with its whole content.
    pub(crate) fn whole(self, memory: Memory) -> ShownMemory {
        self.shown(memory, usize::MAX)
    }

    /// A memory with the beginning of its content.
    pub(crate) fn beginning(self, memory: Memory) -> ShownMemory {
        self.shown(memory, EXCERPT_CHARS)
    }

    /// Who wrote something, for this caller.
    pub(crate) fn source(self, author: &MemoryAuthor) -> MemorySource {
        MemorySource::new(author, self.0.must_be_operator().is_ok())
    }

    /// How this caller stands to whoever wrote something.
    pub(crate) fn boundary(self, author: &MemoryAuthor) -> MemoryAgentBoundary {
        memory_agent_boundary(&author.by, self.0)
    }

    /// Whether it was this caller. A label that anybody can send is not enough for that: the key says whose it is.
    fn wrote(self, author: &MemoryAuthor) -> bool {
        let own = match &self.0.principal.authority {
            Authority::Actor(own) => author.actor.as_ref() == Some(own),
            Authority::Operator => false,
        };
        own && author.by.basis == Basis::Authenticated
            && self.boundary(author).relation == Relation::Itself
    }

    fn shown(self, memory: Memory, characters: usize) -> ShownMemory {
        let Memory { state, text } = memory;
        let (first, last) = (&state.first_author, &state.last_author);
        // A deed after the one that it was remembered with: within one millisecond only its author tells them apart.
        let is_changed = state.updated_at != state.created_at || first != last;
        // Whoever stood between the first deed and the last is not known here, and may have written the words.
        let nobody_between = state.head.version <= 2;
        let text = text.map(|text| Words::new(text, characters));
        let Words {
            content,
            truncated,
            flags,
            path,
            tags,
            key,
        } = text.unwrap_or_default();
        ShownMemory {
            id: state.id,
            kind: state.about.kind,
            status: state.status,
            todo_done: state.about.todo_done,
            content,
            truncated,
            path,
            tags: tags.iter().cloned().collect(),
            semantic_key: key,
            flags,
            untrusted: !(nobody_between && self.wrote(first) && self.wrote(last)),
            source: self.source(first),
            memory_agent_boundary: self.boundary(first),
            changed_by: is_changed.then(|| MemoryChange {
                source: self.source(last),
                memory_agent_boundary: self.boundary(last),
            }),
            created_at: state.created_at,
            updated_at: state.updated_at,
            expires_at: state.about.expires_at,
            version: state.head.version,
            hash: state.head.hash,
            space: state.space,
        }
    }
}

/// What a memory says, as far as it is shown.
#[derive(Default)]
struct Words {
    content: Option<String>,
    truncated: bool,
    flags: Vec<Flag>,
    path: Option<MemoryPath>,
    tags: MemoryTags,
    key: Option<MemoryKey>,
}

impl Words {
    fn new(text: MemoryText, characters: usize) -> Self {
        let content = text.content.as_str();
        let most = characters.min(limits::MEMORY_BYTES);
        let mut read = UntrustedText::read_long(content.as_bytes(), most);
        // Notes have lines, and may be in several languages; names are judged by that, and these are no names.
        read.flags.retain(|flag| match flag {
            Flag::Bidi | Flag::ZeroWidth => true,
            Flag::Control => read.text.contains(['\u{2028}', '\u{2029}']),
            Flag::Bytes32 | Flag::InvalidUtf8 | Flag::MixedScript | Flag::Confusable => false,
        });
        Self {
            content: Some(read.text),
            truncated: read.truncated,
            flags: read.flags,
            path: text.path,
            tags: text.tags,
            key: text.key,
        }
    }
}
