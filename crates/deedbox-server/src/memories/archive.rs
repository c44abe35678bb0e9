//! Taking memories out of a space and into one: what an export holds, and what of it an import takes. No I/O.
//!
//! An export has one entry for each deed. An import takes them one by one, in their order, each as a deed of whoever imports, with where it
//! was written first as [data](Origin) beside it. A deed that is there already, because it was imported before or because it was
//! never gone, is recognised by its hash, so the same export can be imported again, and goes on where it stopped. What somebody changed here
//! since is not overwritten, and what was forgotten, here or there, does not come back.

use std::collections::{BTreeSet, HashSet};

use deedbox_core::{
    AgentLabel, Body, Deed, Memory, MemoryId, MemoryKind, MemoryStatus, MemoryText, SpaceId,
    Timestamp,
    deed::DeedHash,
    hash::TextCommitment,
    json::MAX_EXACT,
    memory::{About, Changed, MemoryAct, MemoryChange, MemoryCommand, Origin, Salt, SealedText},
    text::{MemoryKey, Reason},
};
use deedbox_store::{MemoryHistory, StoreError};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Look, MemorySource, Told, VersionText, Wrote};
use crate::inputs::word;

/// One deed of a memory, as an export has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedVersion {
    /// The memory.
    pub memory_id: MemoryId,
    /// The place of the deed in its history, from 1.
    #[serde(deserialize_with = "version")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub version: u64,
    /// In which space it is.
    pub space: SpaceId,
    /// Whether the memory could be recalled when it was exported.
    #[serde(deserialize_with = "word")]
    pub status: MemoryStatus,
    /// What it is about, for whoever says it anew; null when it has no such key, or is redacted.
    pub semantic_key: Option<MemoryKey>,
    /// What was done.
    #[serde(deserialize_with = "word")]
    pub outcome: Wrote,
    /// What was another than before.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<Changed>")]
    pub changed: BTreeSet<Changed>,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub source: MemorySource,
    /// What kind of thing it was then; null of a deed that forgot or redacted it.
    #[serde(default, deserialize_with = "some_word")]
    pub kind: Option<MemoryKind>,
    /// Whether it was done then.
    pub todo_done: bool,
    /// From when on it was not to be recalled any more.
    pub expires_at: Option<Timestamp>,
    /// Why it was redacted, when somebody said so.
    pub reason: Option<Reason>,
    /// What binds the text to the deed; null when the deed has none of its own.
    pub commitment: Option<TextCommitment>,
    /// The text; null when the deed has none, or it is redacted.
    pub text: Option<VersionText>,
    /// The hash of the deed.
    pub hash: DeedHash,
}

/// A number that stands in the deed of whoever imports, and has to be the same to everybody who reads that.
fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let version = u64::deserialize(deserializer)?;
    if !(1..=MAX_EXACT).contains(&version) {
        return Err(de::Error::custom(format_args!(
            "{version} is no version: 1 to {MAX_EXACT}"
        )));
    }
    Ok(version)
}

fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeSet<Changed>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    let read = words.iter().map(|word| word.parse());
    read.collect::<Result<_, _>>().map_err(de::Error::custom)
}

fn some_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<MemoryKind>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    let read = word.map(|word| word.parse());
    read.transpose().map_err(de::Error::custom)
}

impl ExportedVersion {
    /// A deed of a memory for whoever looks at it, with the text that is kept beside it.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] when it is none of a memory.
    pub(crate) fn new(
        memory: &Memory,
        deed: Deed,
        text: Option<MemoryText>,
        look: Look<'_>,
    ) -> Result<Self, StoreError> {
        let about = match &deed.body {
            Body::MemoryRemembered { about, .. } | Body::MemoryRevised { about, .. } => {
                Some(*about)
            }
            _ => None,
        };
        let told = Told::of(deed)?;
        Ok(Self {
            memory_id: memory.state.id,
            version: told.version,
            space: memory.state.space.clone(),
            status: memory.state.status,
            semantic_key: memory.text.as_ref().and_then(|text| text.key.clone()),
            outcome: told.outcome,
            changed: told.changed,
            at: told.at,
            source: look.source(&told.author),
            kind: about.map(|about| about.kind),
            todo_done: about.is_some_and(|about| about.todo_done),
            expires_at: about.and_then(|about| about.expires_at),
            reason: told.reason,
            commitment: told.commitment,
            text: text.map(VersionText::from),
            hash: told.hash,
        })
    }

    /// The memory that takes it up in `space`: that of its key; or else, where it comes from the same space, itself; or else one that
    /// is always the same.
    #[must_use]
    pub fn into_memory(&self, space: &SpaceId) -> MemoryId {
        match &self.semantic_key {
            Some(key) => MemoryId::of_key(space, key),
            None if self.space == *space => self.memory_id,
            None => MemoryId::of_import(space, self.memory_id),
        }
    }

    /// Where it was written first. A label that cannot be read is no label.
    fn origin(&self) -> Origin {
        let label = self.source.agent_label.as_deref();
        Origin {
            space_id: self.space.clone(),
            memory_id: self.memory_id,
            version: self.version,
            at: self.at,
            actor_id: self.source.actor_id.clone(),
            basis: self.source.basis,
            agent_label: label.and_then(|label| AgentLabel::new(label).ok()),
            instance_hash: self.source.instance_id_hash,
            hash: self.hash,
        }
    }
}

/// What an import makes of one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Imported {
    /// A new memory.
    Remembered,
    /// A new version of a memory.
    Revised,
    /// Nothing: it is there.
    ThereAlready,
    /// Nothing: the memory was forgotten or redacted where it comes from.
    NotLive,
    /// Nothing: it was forgotten or redacted here.
    GoneHere,
    /// Nothing: it was changed here since, or something else stands under the same key.
    ChangedHere,
    /// Nothing: it has expired.
    Expired,
    /// Nothing: its memory is not there, and this entry alone does not make it.
    Incomplete,
    /// Nothing: the rules refuse it, for the code that stands beside it.
    Refused,
}

/// What is there of the memory that entries go into.
#[derive(Clone, Debug, Default)]
pub(crate) struct Target {
    /// Its deeds, and those that were imported.
    seen: HashSet<DeedHash>,
    status: Option<MemoryStatus>,
    /// From which memory its last deed came; itself when nobody imported that.
    last: Option<MemoryId>,
}

impl Target {
    /// What is there before.
    pub(crate) fn new(id: MemoryId, history: Option<&MemoryHistory>) -> Self {
        let Some(history) = history else {
            return Self::default();
        };
        let mut target = Self {
            status: Some(history.memory.state.status),
            ..Self::default()
        };
        for (deed, _) in &history.deeds {
            target.seen.insert(deed.hash);
            let origin = match &deed.body {
                Body::MemoryRemembered { origin, .. } | Body::MemoryRevised { origin, .. } => {
                    origin.as_deref()
                }
                _ => None,
            };
            target.seen.extend(origin.map(|origin| origin.hash));
            target.last = Some(origin.map_or(id, |origin| origin.memory_id));
        }
        target
    }

    /// What becomes of an entry.
    pub(crate) fn judge(&self, entry: &ExportedVersion, now: Timestamp) -> Imported {
        if self.seen.contains(&entry.hash) {
            return Imported::ThereAlready;
        }
        if entry.status != MemoryStatus::Live {
            return Imported::NotLive;
        }
        if entry.expires_at.is_some_and(|end| end <= now) {
            return Imported::Expired;
        }
        match self.status {
            None if entry.text.is_some() && entry.kind.is_some() => Imported::Remembered,
            None => Imported::Incomplete,
            Some(MemoryStatus::Forgotten | MemoryStatus::Redacted) => Imported::GoneHere,
            Some(MemoryStatus::Live) if self.last != Some(entry.memory_id) => Imported::ChangedHere,
            Some(MemoryStatus::Live) => Imported::Revised,
        }
    }

    /// What is there after an entry was taken.
    pub(crate) fn take(&mut self, entry: &ExportedVersion) {
        self.seen.insert(entry.hash);
        self.status = Some(MemoryStatus::Live);
        self.last = Some(entry.memory_id);
    }
}

/// The command that takes an entry; none for one that is not taken.
pub(crate) fn command(
    entry: &ExportedVersion,
    space: &SpaceId,
    imported: Imported,
    salt: Salt,
) -> Option<MemoryCommand> {
    let id = entry.into_memory(space);
    let command = match imported {
        Imported::Remembered => {
            let text = SealedText::new(entry.text.clone()?.into(), salt);
            let about = About {
                kind: entry.kind?,
                todo_done: entry.todo_done,
                expires_at: entry.expires_at,
            };
            MemoryCommand::remember(id, None, space.clone(), about, text, false)
        }
        Imported::Revised => {
            let text = entry.text.as_ref();
            let change = MemoryChange {
                content: text.map(|text| text.content.clone()),
                todo_done: Some(entry.todo_done),
                kind: entry.kind,
                expires_at: Some(entry.expires_at),
                tags: text.map(|text| text.tags.clone()),
                path: text.map(|text| text.path.clone()),
            };
            MemoryCommand {
                id,
                actor: None,
                act: MemoryAct::Revise {
                    change: Box::new(change),
                    salt,
                },
                origin: None,
            }
        }
        Imported::ThereAlready
        | Imported::NotLive
        | Imported::GoneHere
        | Imported::ChangedHere
        | Imported::Expired
        | Imported::Incomplete
        | Imported::Refused => return None,
    };
    Some(command.imported(entry.origin()))
}
