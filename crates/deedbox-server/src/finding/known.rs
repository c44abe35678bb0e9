//! What is known of registries: what somebody decided of them, and how far they are read.

use std::collections::BTreeMap;

use deedbox_core::{
    BlockHash, ManifestHash, RegistryId, RegistryState, Standard, Timestamp, ToolId, Trust,
};
use deedbox_store::index::{ChainBrokeFinality, Cursor, Look, ShortChain, Survey};
use schemars::JsonSchema;
use serde::Serialize;

use super::{FromIndex, Hint, Index};
use crate::operations::{NotCompared, RegistryStanding, TrustLevel};

/// How many of the registries in which nothing was found are told.
const MOST_SEARCHED: usize = 16;

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
    /// Whether something else stood at its address than the operator accepted, when somebody looked last; null when that was not compared.
    pub code_changed: Option<bool>,
    /// Why it was not compared; null when it was, and of a registry that nobody follows.
    pub code_not_compared: Option<NotCompared>,
    /// The first block that is read. Of what was said before it nothing is known here.
    pub from_block: u64,
    /// Whether the contract stood there before that block already: then what it said before is missing here. Null when that is not known.
    pub begins_in_the_middle: Option<bool>,
    /// Everything up to and including this block is read; null before the first was.
    pub read_upto_block: Option<u64>,
    /// That block's hash.
    pub read_upto_hash: Option<BlockHash>,
    /// When that block was made (RFC 3339 in UTC), by the block's own time; null when that is not known.
    pub read_upto_at: Option<Timestamp>,
    /// Blocks up to and including this one are final; null when none is known to be.
    pub final_block: Option<u64>,
    /// When its chain was looked at last (RFC 3339 in UTC), by the clock of whoever looked: what was said until then is known, up to
    /// `read_upto_block`. Null when nobody did.
    pub looked_at: Option<Timestamp>,
    /// How many seconds ago that was.
    pub age_seconds: Option<u64>,
    /// Whether that is so long ago that something has to be the matter: nobody reads, or no endpoint answers. Also when nobody ever looked.
    pub look_is_old: bool,
    /// The chain's newest block when it was looked at last.
    pub head_block: Option<u64>,
    /// The block that was final and is not part of the chain any more: then nothing newer is read, and somebody has to look before it is relied
    /// upon. Null while the chain keeps what it promised.
    pub chain_broke_finality: Option<FinalityBroken>,
    /// That its chain ended below what is read, when it was looked at last; null while it is as long.
    pub chain_is_short: Option<ChainIsShort>,
}

/// A chain that ended below what is read of a registry. That alone is no alarm, because endpoints lag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChainIsShort {
    /// The height of its newest block.
    pub head_block: u64,
    /// How many of the blocks that are read it does not have.
    pub missing_blocks: u64,
    /// Whether it ended below what was final.
    pub is_below_final: bool,
    /// The height of the newest block that it has and that is known by its hash: as far as can be known, the endpoint is behind, and nothing was
    /// taken back up to there. Null when none is: then it may be another chain.
    pub recognised_block: Option<u64>,
}

impl ChainIsShort {
    /// Whether somebody has to look: it ended below what was final, and nobody knows whether it is the same chain.
    #[must_use]
    pub const fn is_alarm(&self) -> bool {
        self.is_below_final && self.recognised_block.is_none()
    }
}

impl From<ShortChain> for ChainIsShort {
    fn from(short: ShortChain) -> Self {
        Self {
            head_block: short.head,
            missing_blocks: short.missing(),
            is_below_final: short.is_below_final(),
            recognised_block: short.recognised.map(|kept| kept.block),
        }
    }
}

/// A block that was final, and is not part of its chain any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FinalityBroken {
    /// Its height.
    pub block_number: u64,
    /// Its hash, as it was read.
    pub block_hash: BlockHash,
    /// The hash of the block that the chain has there now.
    pub now_hash: BlockHash,
}

impl From<ChainBrokeFinality> for FinalityBroken {
    fn from(broke: ChainBrokeFinality) -> Self {
        Self {
            block_number: broke.kept.block,
            block_hash: broke.kept.hash,
            now_hash: broke.now,
        }
    }
}

/// What an index knows of one registry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Indexed<'a> {
    /// How far it is read.
    pub cursor: Option<&'a Cursor>,
    /// What stood at its address when somebody looked last.
    pub look: Option<&'a Look>,
    /// What was seen of its chain when somebody looked last.
    pub survey: Option<&'a Survey>,
}

impl ReadUpTo {
    /// How far a registry is read; `None` for one that nobody decided on and nobody reads.
    #[must_use]
    pub fn of(
        registry: RegistryId,
        state: Option<&RegistryState>,
        indexed: Indexed<'_>,
        now: Timestamp,
    ) -> Option<Self> {
        let Indexed { look, survey, .. } = indexed;
        let followed = state.map(|state| &state.following);
        // Of one that is followed as something else by now, nothing is read.
        let is_of_it = |cursor: &&Cursor| {
            followed.is_none_or(|following| following.standard == cursor.standard)
        };
        let cursor = indexed.cursor.filter(is_of_it);
        let standard = followed.map(|following| following.standard);
        let standard = standard.or_else(|| Some(cursor?.standard))?;
        let RegistryStanding {
            trust,
            label,
            code_changed,
            code_not_compared,
            from_block,
            ..
        } = RegistryStanding::of(registry, state, cursor, look);
        let upto = cursor.and_then(|cursor| cursor.upto);
        let from_block = from_block.or_else(|| Some(cursor?.from));
        let from_block = from_block.or_else(|| Some(followed?.from_block))?;
        Some(Self {
            registry,
            standard,
            label,
            trust,
            code_changed,
            code_not_compared,
            from_block,
            begins_in_the_middle: look.and_then(|look| look.had_code_before(from_block)),
            read_upto_block: upto.map(|upto| upto.block),
            read_upto_hash: upto.map(|upto| upto.hash),
            read_upto_at: cursor.and_then(|cursor| cursor.upto_at),
            final_block: cursor.and_then(|cursor| cursor.final_upto),
            looked_at: survey.map(|survey| survey.looked_at),
            age_seconds: survey.map(|survey| survey.age(now).as_secs()),
            look_is_old: survey.is_none_or(|survey| survey.is_old(now)),
            head_block: survey.map(|survey| survey.head),
            chain_broke_finality: survey.and_then(|survey| survey.broke.map(Into::into)),
            chain_is_short: survey.and_then(|survey| survey.short.map(Into::into)),
        })
    }
}

/// A registry in the list of those that are followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedRegistry {
    /// How far it is read.
    #[serde(flatten)]
    pub read: ReadUpTo,
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
    /// Known from events from this block on.
    pub from_block: u64,
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
    /// A block that was final is not part of the registry's chain any more. What was read is told as it was, and nothing newer is read.
    ChainBrokeFinality(FinalityBroken),
    /// The registry's chain ends below what was final, and none of its blocks is known. What was read is told as it was.
    ChainEndsBelowFinal(ChainIsShort),
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
    /// What was seen of their chains when somebody looked last.
    pub(crate) surveys: Vec<Survey>,
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

    /// Whether a registry is followed, so that something of it can be known.
    pub(crate) fn follows(&self, registry: RegistryId) -> bool {
        let state = self.states.get(&registry);
        state.is_some_and(|state| state.followed)
    }

    /// Those that are followed.
    pub(crate) fn followed(&self) -> impl Iterator<Item = &RegistryState> {
        self.states.values().filter(|state| state.followed)
    }

    /// How far a registry is read; `None` for one that nobody decided on and nobody reads.
    pub(crate) fn read(&self, registry: RegistryId) -> Option<ReadUpTo> {
        let mut surveys = self.surveys.iter();
        let indexed = Indexed {
            cursor: self.cursor(registry),
            look: self.looks.iter().find(|look| look.registry == registry),
            survey: surveys.find(|survey| survey.registry == registry),
        };
        ReadUpTo::of(registry, self.states.get(&registry), indexed, self.now)
    }

    /// Where a page came from: the registries of what is `shown` in it, or where that is nothing, those that were `searched`, the
    /// most trusted first.
    pub(super) fn provenance(
        &self,
        shown: impl IntoIterator<Item = RegistryId>,
        searched: &[RegistryId],
    ) -> FromIndex {
        // Of what is not followed nothing is read, and there is no "up to".
        let mut named: Vec<_> = shown.into_iter().filter(|id| self.follows(*id)).collect();
        named.sort_unstable();
        named.dedup();
        let mut more = 0;
        if named.is_empty() {
            named.extend(searched);
            named.sort_unstable_by_key(|registry| (self.trust_in(*registry), *registry));
            more = named.len().saturating_sub(MOST_SEARCHED);
            named.truncate(MOST_SEARCHED);
        }
        let read = named.into_iter().filter_map(|registry| self.read(registry));
        FromIndex {
            source: Index::Index,
            registries: read.collect(),
            more_registries: more as u64,
        }
    }
}
