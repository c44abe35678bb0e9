//! A memory with its history.

use std::collections::BTreeSet;

use deedbox_core::{
    Deed, MemoryId, MemoryText, SpaceId, Timestamp,
    attribution::MemoryAgentBoundary,
    deed::DeedHash,
    hash::TextCommitment,
    memory::{Changed, MemoryTags, Origin},
    text::{MemoryContent, MemoryKey, MemoryPath, MemoryTag, Reason},
};
use deedbox_store::{MemoryHistory, StoreError};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Look, MemorySource, ShownMemory, Told, Wrote};

/// How many bytes of earlier texts are shown together.
const TEXT_BYTES: usize = 1024 * 1024;

/// What was remembered at one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VersionText {
    /// The note itself.
    pub content: MemoryContent,
    /// Where it belonged.
    pub path: Option<MemoryPath>,
    /// Under which words it was filed.
    #[serde(deserialize_with = "tags")]
    #[schemars(with = "Vec<MemoryTag>", length(max = 32))]
    pub tags: MemoryTags,
    /// What it was about.
    pub semantic_key: Option<MemoryKey>,
}

/// Not more than a memory may have: what is kept is believed, and what is imported is not.
fn tags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MemoryTags, D::Error> {
    let tags = Vec::<MemoryTag>::deserialize(deserializer)?;
    MemoryTags::new(tags).map_err(de::Error::custom)
}

impl From<MemoryText> for VersionText {
    fn from(text: MemoryText) -> Self {
        Self {
            content: text.content,
            path: text.path,
            tags: text.tags,
            semantic_key: text.key,
        }
    }
}

impl From<VersionText> for MemoryText {
    fn from(text: VersionText) -> Self {
        Self {
            content: text.content,
            path: text.path,
            tags: text.tags,
            key: text.semantic_key,
        }
    }
}

/// Where an imported version was written first, as the export says. Nobody here vouches for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedFrom {
    /// In which space it was.
    pub space: SpaceId,
    /// Which memory.
    pub memory_id: MemoryId,
    /// Which version of it.
    pub version: u64,
    /// When that was written.
    pub at: Timestamp,
    /// By whom.
    pub source: MemorySource,
    /// The hash of its deed.
    pub hash: DeedHash,
}

impl From<Origin> for ImportedFrom {
    fn from(origin: Origin) -> Self {
        Self {
            space: origin.space_id,
            memory_id: origin.memory_id,
            version: origin.version,
            at: origin.at,
            source: MemorySource {
                actor_id: origin.actor_id,
                basis: origin.basis,
                agent_label: origin.agent_label.map(|label| label.as_str().to_owned()),
                instance_id_hash: origin.instance_hash,
                principal: None,
            },
            hash: origin.hash,
        }
    }
}

/// One deed of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemoryVersion {
    /// Its place in the history, from 1.
    pub version: u64,
    /// What was done.
    pub outcome: Wrote,
    /// What was another than before.
    pub changed: BTreeSet<Changed>,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub source: MemorySource,
    /// How the caller stands to them, by labels, which never authorise.
    pub memory_agent_boundary: MemoryAgentBoundary,
    /// Where it was written first, when it was imported.
    pub imported_from: Option<ImportedFrom>,
    /// Why it was redacted, when somebody said so.
    pub reason: Option<Reason>,
    /// What binds the text of this version to its deed; null when the deed has none of its own.
    pub commitment: Option<TextCommitment>,
    /// The text of this version; null when the deed has none, or it is redacted, or older ones than these are left out of a long history.
    pub text: Option<VersionText>,
    /// The hash of the deed.
    pub hash: DeedHash,
}

/// A memory, and how it came to be what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MemoryHistory")]
pub struct ShownHistory {
    /// The memory now.
    pub memory: ShownMemory,
    /// Its deeds, the first one first.
    pub versions: Vec<MemoryVersion>,
}

impl Look<'_> {
    /// A memory with its history.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] when a deed is none of a memory.
    pub(crate) fn history(self, history: MemoryHistory) -> Result<ShownHistory, StoreError> {
        let mut left = TEXT_BYTES;
        let mut versions = Vec::with_capacity(history.deeds.len());
        for (deed, text) in history.deeds.into_iter().rev() {
            // The newest first, until there is too much of it.
            let fits = |text: &MemoryText| match left.checked_sub(text.content.as_str().len()) {
                Some(rest) => {
                    left = rest;
                    true
                }
                None => {
                    left = 0;
                    false
                }
            };
            let text = text.filter(fits);
            versions.push(self.version(deed, text)?);
        }
        versions.reverse();
        Ok(ShownHistory {
            memory: self.whole(history.memory),
            versions,
        })
    }

    fn version(self, deed: Deed, text: Option<MemoryText>) -> Result<MemoryVersion, StoreError> {
        let told = Told::of(deed)?;
        Ok(MemoryVersion {
            version: told.version,
            outcome: told.outcome,
            changed: told.changed,
            at: told.at,
            source: self.source(&told.author),
            memory_agent_boundary: self.boundary(&told.author),
            imported_from: told.origin.map(|origin| ImportedFrom::from(*origin)),
            reason: told.reason,
            commitment: told.commitment,
            text: text.map(VersionText::from),
            hash: told.hash,
        })
    }
}
