//! What memory's tools take.

use std::collections::BTreeSet;

use deedbox_core::{
    ActorId, AgentLabel, InstanceHash, MemoryId, MemoryKind, SpaceId, Timestamp, limits,
    memory::MemoryTags,
    text::{MemoryContent, MemoryKey, MemoryPath, MemoryTag, Reason},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::{CursorText, HitLimit, Limit, is_false, present};

/// How many spaces one question or list can be held to.
pub const MOST_SPACES: usize = 32;
/// A question to `recall`, in characters.
pub const QUERY_CHARS: usize = 1_000;

/// How many memories `recall` answers with. Few, because models read them.
pub type RecallLimit = Limit<10, 50>;

/// How many tokens the contents of an answer to `recall` may have together.
pub type TokenBudget = Limit<2_000, 200_000>;

/// The arguments of `get_identity`: none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetIdentity {}

/// The arguments of `remember`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// What is remembered: 1 to 262,144 bytes of UTF-8; of control characters only line ends and tabs.
    pub content: MemoryContent,
    /// What kind of thing it is: `fact`, `preference`, `decision`, `todo` or `note`; `note` when absent.
    #[serde(
        default,
        deserialize_with = "some_word",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryKind")]
    pub kind: Option<MemoryKind>,
    /// Where: the id of a space. With an actor's key, its personal space when absent; an operator's key has to name one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "SpaceId")]
    pub space: Option<SpaceId>,
    /// Where it belongs, like `projects/deedbox`: names separated by slashes, at most 1,024 bytes; nowhere when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryPath")]
    pub path: Option<MemoryPath>,
    /// Words to file it under, at most 32 of at most 64 characters; none when absent.
    #[serde(
        default,
        deserialize_with = "tags",
        skip_serializing_if = "are_no_tags"
    )]
    #[schemars(with = "Vec<MemoryTag>", length(max = 32))]
    pub tags: MemoryTags,
    /// What it is about, at most 256 characters: under the same key in the same space, this revises what is there. A name, and no
    /// place for a secret: it cannot be redacted.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryKey")]
    pub semantic_key: Option<MemoryKey>,
    /// From when on it is not recalled any more: RFC 3339, in the future; never when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Timestamp")]
    pub expires_at: Option<Timestamp>,
    /// Whether a living memory of the same space, kind and content takes this up instead of there being two; false when absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub merge_duplicates: bool,
    /// As whom. With an actor's key that actor, also when absent; with an operator's key nobody when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "ActorId")]
    pub actor_id: Option<ActorId>,
}

/// The arguments of `recall`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallMemories {
    /// A question, or words, in any language: 1 to 1,000 characters. One word that fits is enough.
    #[serde(deserialize_with = "query")]
    #[schemars(length(min = 1, max = 1000))]
    pub query: String,
    /// Only in these spaces, at most 32; in all that the key may read when absent. An operator's key has to name some.
    #[serde(
        default,
        deserialize_with = "spaces",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(length(max = 32))]
    pub spaces: Vec<SpaceId>,
    /// Only of these kinds; of any when absent.
    #[serde(
        default,
        deserialize_with = "kinds",
        skip_serializing_if = "BTreeSet::is_empty"
    )]
    #[schemars(with = "Vec<MemoryKind>", length(max = 5))]
    pub kinds: BTreeSet<MemoryKind>,
    /// Only at this path, or below it; anywhere when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryPath")]
    pub path: Option<MemoryPath>,
    /// Only with all of these tags; with any or none when absent.
    #[serde(
        default,
        deserialize_with = "tags",
        skip_serializing_if = "are_no_tags"
    )]
    #[schemars(with = "Vec<MemoryTag>", length(max = 32))]
    pub tags: MemoryTags,
    /// How many at most: 1 to 50; 10 when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "RecallLimit")]
    pub limit: Option<RecallLimit>,
    /// How many tokens their contents may have together, estimated: 1 to 200,000; 2,000 when absent. One that does not fit is left out whole.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "TokenBudget")]
    pub token_budget: Option<TokenBudget>,
    /// Also what has expired; false when absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub include_expired: bool,
}

/// The arguments of `list_memories`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMemories {
    /// Only in these spaces, at most 32; in all that the key may read when absent. An operator's key has to name some.
    #[serde(
        default,
        deserialize_with = "spaces",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(length(max = 32))]
    pub spaces: Vec<SpaceId>,
    /// Only of this kind: `fact`, `preference`, `decision`, `todo` or `note`; of any when absent.
    #[serde(
        default,
        deserialize_with = "some_word",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryKind")]
    pub kind: Option<MemoryKind>,
    /// Only at this path, or below it; anywhere when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryPath")]
    pub path: Option<MemoryPath>,
    /// Only with this tag; with any or none when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryTag")]
    pub tag: Option<MemoryTag>,
    /// Only with this semantic key; with any or none when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryKey")]
    pub semantic_key: Option<MemoryKey>,
    /// Only what this actor remembered; whoever did when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "ActorId")]
    pub actor_id: Option<ActorId>,
    /// Only what an agent with this label wrote first or last; whoever did when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "String", length(min = 1, max = 256))]
    pub agent_label: Option<AgentLabel>,
    /// Only what this installation wrote first or last: `sha256:` and 64 hex digits in lower case; whichever did when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "InstanceHash")]
    pub instance_id_hash: Option<InstanceHash>,
    /// Also what has expired; false when absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub include_expired: bool,
    /// How many at most: 1 to 100; 10 when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "HitLimit")]
    pub limit: Option<HitLimit>,
    /// The `next_cursor` of the page before, with the same other arguments; the first page when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "CursorText")]
    pub cursor: Option<CursorText>,
}

/// The arguments of `update_memory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateMemory {
    /// Id of the memory, a UUID in lower case.
    pub memory_id: MemoryId,
    /// What is remembered instead: 1 to 262,144 bytes of UTF-8; as it is when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryContent")]
    pub content: Option<MemoryContent>,
    /// Whether a to-do is done; as it is when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "bool")]
    pub todo_done: Option<bool>,
    /// What kind of thing it is: `fact`, `preference`, `decision`, `todo` or `note`; as it is when absent.
    #[serde(
        default,
        deserialize_with = "some_word",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryKind")]
    pub kind: Option<MemoryKind>,
    /// From when on it is not recalled any more: RFC 3339, in the future; null for never, as it is when absent.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<Timestamp>")]
    pub expires_at: Option<Option<Timestamp>>,
    /// All its tags from now on, at most 32; as they are when absent.
    #[serde(
        default,
        deserialize_with = "some_tags",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Vec<MemoryTag>", length(max = 32))]
    pub tags: Option<MemoryTags>,
    /// Where it belongs; null for nowhere, as it is when absent.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<MemoryPath>")]
    pub path: Option<Option<MemoryPath>>,
    /// As whom. With an actor's key that actor, also when absent; with an operator's key nobody when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "ActorId")]
    pub actor_id: Option<ActorId>,
}

/// The arguments of `forget`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Forget {
    /// Id of the memory, a UUID in lower case.
    pub memory_id: MemoryId,
    /// Whether the words of all its versions are deleted for good, too; false when absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub redact: bool,
    /// Why it is redacted, at most 65,536 bytes of UTF-8. It stays for ever, so it must not repeat what goes. Only with redact.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Reason")]
    pub reason: Option<Reason>,
    /// As whom. With an actor's key that actor, also when absent; with an operator's key nobody when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "ActorId")]
    pub actor_id: Option<ActorId>,
}

fn are_no_tags(tags: &MemoryTags) -> bool {
    tags.iter().next().is_none()
}

fn some_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<MemoryKind>, D::Error> {
    deedbox_core::json::from_text(deserializer).map(Some)
}

/// Reads a field that may be absent, and of which null says something else.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// A list of at most so many.
fn at_most<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
    most: usize,
) -> Result<Vec<T>, D::Error> {
    let list = Vec::deserialize(deserializer)?;
    if list.len() > most {
        let reason = format!("are {}, at most {most} are accepted", list.len());
        return Err(de::Error::custom(reason));
    }
    Ok(list)
}

fn tags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MemoryTags, D::Error> {
    let tags = at_most::<MemoryTag, _>(deserializer, limits::MEMORY_TAGS)?;
    MemoryTags::new(tags).map_err(de::Error::custom)
}

fn some_tags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<MemoryTags>, D::Error> {
    tags(deserializer).map(Some)
}

fn spaces<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SpaceId>, D::Error> {
    at_most(deserializer, MOST_SPACES)
}

fn kinds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeSet<MemoryKind>, D::Error> {
    let words = at_most::<String, _>(deserializer, MemoryKind::ALL.len())?;
    let read = words.iter().map(|word| word.parse());
    read.collect::<Result<_, _>>().map_err(de::Error::custom)
}

fn query<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.chars().count() {
        0 => Err(de::Error::custom("must not be empty")),
        n if n > QUERY_CHARS => Err(de::Error::custom(format_args!(
            "is too long: {n} characters, at most {QUERY_CHARS} are accepted"
        ))),
        _ => Ok(text),
    }
}
