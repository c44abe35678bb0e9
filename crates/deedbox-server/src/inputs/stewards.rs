//! What those who look after a space ask for. None of it is a tool for models.

use deedbox_core::{ActorId, AgentLabel, MemoryId, SpaceId, text::Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::{CursorText, PageLimit, is_false, present};
use crate::memories::ExportedVersion;

/// How many entries one call imports.
pub const MOST_IMPORTED: usize = 1_000;

/// The arguments of `export_space`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportSpace {
    /// Id of the space.
    pub space: SpaceId,
    /// How many memories at most: 1 to 1,000; 100 when absent. Fewer come where they are large.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "PageLimit")]
    pub limit: Option<PageLimit>,
    /// The `next_cursor` of the page before: the memory after which to go on; from the beginning when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryId")]
    pub cursor: Option<MemoryId>,
}

/// The arguments of `import_memories`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportMemories {
    /// Id of the space that takes them.
    pub space: SpaceId,
    /// Entries as `export_space` gives them, in their order; at most 1,000.
    #[serde(deserialize_with = "versions")]
    #[schemars(length(max = 1000))]
    pub versions: Vec<ExportedVersion>,
    /// Whether to say only what would come; false when absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dry_run: bool,
}

/// The arguments of `delete_rows`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteRows {
    /// Id of the space.
    pub space: SpaceId,
    /// Memories of which this actor wrote words.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "ActorId")]
    pub actor_id: Option<ActorId>,
    /// Memories of which an agent with this label wrote words. Either this or `actor_id`.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "String", length(min = 1, max = 256))]
    pub agent_label: Option<AgentLabel>,
    /// Whether the words of all their versions are deleted for good; otherwise they are forgotten. False when absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub redact: bool,
    /// Why, at most 65,536 bytes of UTF-8. It stays for ever. Only with redact.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Reason")]
    pub reason: Option<Reason>,
    /// Whether to say only what would go; false when absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dry_run: bool,
    /// The `next_cursor` of the call before: the memory after which to go on; from the beginning when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryId")]
    pub cursor: Option<MemoryId>,
}

/// What an audit is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Audited {
    /// Who was shown what, the latest first.
    #[default]
    Reads,
    /// Who changed what: memory by memory, each from its beginning.
    Changes,
}

/// The arguments of `audit_space`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditSpace {
    /// Id of the space.
    pub space: SpaceId,
    /// `reads` or `changes`; reads when absent.
    #[serde(
        default,
        deserialize_with = "audited",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Audited")]
    pub of: Option<Audited>,
    /// Only of this memory; of all when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "MemoryId")]
    pub memory_id: Option<MemoryId>,
    /// How many readings, or memories that were changed, at most: 1 to 1,000; 100 when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "PageLimit")]
    pub limit: Option<PageLimit>,
    /// The `next_cursor` of the page before, with the same other arguments; the first page when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "CursorText")]
    pub cursor: Option<CursorText>,
}

/// The arguments of `review_space`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewSpace {
    /// Id of the space.
    pub space: SpaceId,
}

fn versions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ExportedVersion>, D::Error> {
    let list = Vec::deserialize(deserializer)?;
    if list.len() > MOST_IMPORTED {
        let reason = format!("are {}, at most {MOST_IMPORTED} are accepted", list.len());
        return Err(de::Error::custom(reason));
    }
    Ok(list)
}

fn audited<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Audited>, D::Error> {
    super::word(deserializer).map(Some)
}
