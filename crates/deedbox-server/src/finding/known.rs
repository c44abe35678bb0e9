//! What is known of registries: what somebody decided of them, and how far they are read.

use std::collections::BTreeMap;

use deedbox_core::{
    BlockHash, ManifestHash, RegistryId, RegistryState, Standard, Timestamp, ToolId, Trust,
};
use deedbox_store::index::{Cursor, Look};
use schemars::JsonSchema;
use serde::Serialize;

use super::{FromIndex, Hint, Index};
use crate::operations::{RegistryStanding, TrustLevel};

/// The code of the hint that nothing is followed.
pub(super) const NOTHING_FOLLOWED: &str = "nothing_followed";
/// The code of the hint that a registry holds agents where tools were asked for, or the other way round.
pub(super) const OTHER_STANDARD: &str = "other_standard";

/// How far a registry is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadUpTo {
    /// The registry (CAIP-10).
    #[schemars(with = "String")]
    pub registry: RegistryId,
    /// What it holds: agents (`erc8122`) or tools (`erc8257`).
    pub standard: Standard,
    /// What the operator calls it; null when it has no label.
    pub label: Option<String>,
    /// How far it is trusted here.
    pub trust: TrustLevel,
    /// Whether something else stood at its address than the operator accepted, when somebody looked last; null when nobody did.
    pub code_changed: Option<bool>,
    /// Everything up to and including this block is read; null before the first was.
    pub read_upto_block: Option<u64>,
    /// That block's hash.
    pub read_upto_hash: Option<BlockHash>,
    /// When it was read up to there (RFC 3339 in UTC), by the clock of whoever read.
    pub read_at: Option<Timestamp>,
    /// How many seconds ago that was.
    pub age_seconds: Option<u64>,
    /// Blocks up to and including this one are final; null when none is known to be.
    pub final_block: Option<u64>,
}

/// A registry in the list of those that are followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedRegistry {
    /// How far it is read.
    #[serde(flatten)]
    pub read: ReadUpTo,
    /// The first block that is read.
    pub from_block: u64,
    /// How many agents or tools it has in the index, those that are gone included.
    pub entries: u64,
    /// How many of its tools are pinned to a manifest.
    pub pins: u64,
    /// What somebody should look at; empty when nothing.
    pub alarms: Vec<Alarm>,
}

/// Accounts that were asked about without being named, because the index knows that the owner allowed them something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownSpenders {
    /// Known from events up to and including this block.
    pub as_of_block: u64,
    /// Which: each stands among `data.control.spenders`, with what the chain says of it.
    pub asked: Vec<String>,
    /// How many more there are, which were not asked about; name them in `spenders`.
    pub left_out: u64,
}

/// What somebody should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Alarm {
    /// Something else stands at the registry's address than the operator accepted: `deedbox registry show` says what.
    CodeChanged,
    /// A pinned tool is not registered any more.
    PinnedToolGone {
        /// Which tool, in decimal.
        #[schemars(with = "String")]
        tool_id: ToolId,
        /// In which block it was deregistered.
        block_number: u64,
    },
    /// A pinned tool has another manifest than it is pinned to.
    PinDiffers {
        /// Which tool, in decimal.
        #[schemars(with = "String")]
        tool_id: ToolId,
        /// The manifest that it is pinned to.
        pinned: ManifestHash,
        /// The one that is registered now.
        registered: ManifestHash,
        /// In which block it was changed.
        block_number: u64,
    },
}

/// The registries that are followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryList {
    /// By their ids as texts.
    pub registries: Vec<ListedRegistry>,
    /// What to know about the list, like how to begin.
    pub hints: Vec<Hint>,
}

/// Everything that is known of registries at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// What somebody decided, by registry; of those that a policy lets be told only.
    pub(crate) states: BTreeMap<RegistryId, RegistryState>,
    /// How far those of them are read that are followed.
    pub(crate) cursors: BTreeMap<RegistryId, Cursor>,
    /// What stood at their addresses when somebody looked last.
    pub(crate) looks: Vec<Look>,
    /// Whether the index has some that are not told of: a policy hides them, or nobody follows them any more.
    pub(crate) some_left_out: bool,
    /// Whether a policy hides some.
    pub(crate) some_hidden: bool,
    /// The moment.
    pub(crate) now: Timestamp,
}

impl Known {
    pub(crate) fn trust_in(&self, registry: RegistryId) -> TrustLevel {
        TrustLevel::of(self.states.get(&registry))
    }

    /// The trust of those that are followed.
    pub(super) fn trust(&self) -> BTreeMap<RegistryId, Trust> {
        let followed = self.states.iter().filter(|(_, state)| state.followed);
        followed
            .map(|(id, state)| (*id, state.following.trust))
            .collect()
    }

    pub(crate) fn cursor(&self, registry: RegistryId) -> Option<&Cursor> {
        self.cursors.get(&registry)
    }

    /// What a registry holds, as far as somebody decided on it or reads it.
    pub(super) fn standard(&self, registry: RegistryId) -> Option<Standard> {
        let decided = self.states.get(&registry);
        let decided = decided.map(|state| state.following.standard);
        decided.or_else(|| Some(self.cursor(registry)?.standard))
    }

    pub(crate) fn pin(&self, registry: RegistryId, tool: ToolId) -> Option<ManifestHash> {
        self.states.get(&registry)?.pins.get(&tool).copied()
    }

    /// Those that are followed.
    pub(crate) fn followed(&self) -> impl Iterator<Item = &RegistryState> {
        self.states.values().filter(|state| state.followed)
    }

    /// How far a registry is read; `None` for one that nobody decided on and nobody reads.
    pub(crate) fn read(&self, registry: RegistryId) -> Option<ReadUpTo> {
        let (state, cursor) = (self.states.get(&registry), self.cursor(registry));
        let standard = self.standard(registry)?;
        let looks = self.looks.iter().filter(|look| look.registry == registry);
        let RegistryStanding {
            trust,
            label,
            code_changed,
            ..
        } = RegistryStanding::of(registry, state, looks);
        let upto = cursor.and_then(|cursor| cursor.upto);
        let read_at = cursor.and_then(|cursor| cursor.read_at);
        let age = |at: Timestamp| self.now.as_millis().saturating_sub(at.as_millis()) / 1_000;
        Some(ReadUpTo {
            registry,
            standard,
            label,
            trust,
            code_changed,
            read_upto_block: upto.map(|upto| upto.block),
            read_upto_hash: upto.map(|upto| upto.hash),
            read_at,
            // Clocks of two machines may differ; nothing is younger than now.
            age_seconds: read_at.map(|at| u64::try_from(age(at)).unwrap_or(0)),
            final_block: cursor.and_then(|cursor| cursor.final_upto),
        })
    }

    pub(super) fn provenance(&self, registries: impl IntoIterator<Item = RegistryId>) -> FromIndex {
        let mut named: Vec<_> = registries.into_iter().collect();
        named.sort_unstable();
        named.dedup();
        let read = named.into_iter().filter_map(|registry| self.read(registry));
        FromIndex {
            source: Index::Index,
            registries: read.collect(),
        }
    }

    /// Why there may be less than one expects, about registries of this standard or of both.
    pub(crate) fn hints(&self, standard: Option<Standard>) -> Vec<Hint> {
        let of_standard = |one: Standard| standard.is_none_or(|wanted| wanted == one);
        let mut followed = self
            .followed()
            .filter(|state| of_standard(state.following.standard))
            .peekable();
        let mut hints = Vec::new();
        if followed.peek().is_none() && self.some_hidden {
            // Whether one is followed is what the policy hides.
        } else if followed.peek().is_none() {
            let message = "no such registry is followed here, so there is nothing to search; an operator begins with: deedbox registry add REGISTRY (deedbox registry presets lists public ones)";
            hints.push(Hint::new(NOTHING_FOLLOWED, message));
        } else {
            let unread = followed.filter(|state| {
                let cursor = self.cursor(state.id);
                cursor.is_none_or(|cursor| cursor.upto.is_none())
            });
            let unread = unread.count();
            if unread > 0 {
                let message = format!(
                    "of {unread} followed registries nothing is read yet; deedbox serve reads in the background, and an operator can wait for it with: deedbox registry sync"
                );
                hints.push(Hint::new("not_read_yet", message));
            }
        }
        if self.some_hidden {
            let message = "some registries are left out, because the policy here does not allow their chain or address";
            hints.push(Hint::new("policy_hides_registries", message));
        }
        hints
    }
}
