//! What is searched for, and what comes of it.

use std::collections::BTreeMap;

use deedbox_core::{ChainAddress, Timestamp};
use deedbox_id::U256;
use serde::{Deserialize, Serialize};

use super::{RegistryId, Trust};

/// What is searched for. Everything that is given has to fit; nothing given means everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search<F> {
    /// Words that all have to be there: in the name, the description, the tags or the types of services.
    pub text: String,
    /// Only in these registries; empty: in all.
    pub registries: Vec<RegistryId>,
    /// Only on this chain.
    pub chain_id: Option<u64>,
    /// Only what this account owns, or created.
    pub owner: Option<ChainAddress>,
    /// Only what changed at this time or later, by the time of the block.
    pub updated_since: Option<Timestamp>,
    /// Also what was burned or deregistered.
    pub gone: bool,
    /// What is thought of registries. Trusted ones come first, blocked ones only on request.
    pub trust: BTreeMap<RegistryId, Trust>,
    /// Also what is in blocked registries.
    pub blocked: bool,
    /// What only agents or only tools have.
    pub only: F,
    /// Where to go on.
    pub after: Option<WindowPlace>,
    /// How many at most; 1 to [`PAGE_MAX`](deedbox_core::limits::PAGE_MAX).
    pub limit: u32,
}

/// What only agents are searched by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfAgents {
    /// The type of one of its services, like `mcp`; case does not matter.
    pub service_type: Option<String>,
}

/// What only tools are searched by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfTools {
    /// Also tools whose manifest was not verified. They have no name that could be believed.
    pub unverified: bool,
    /// The effective tier, by the standard's name.
    pub tier: Option<String>,
    /// Whether a predicate decides on access.
    pub access: Option<Access>,
    /// Only tools with a price in this asset (CAIP-19, in any case).
    pub asset: Option<String>,
    /// Only tools of which one such price is no more than this, in the asset's smallest unit. Counts with `asset` only.
    pub at_most: Option<U256>,
}

/// Who may use a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It has no predicate.
    Open,
    /// A predicate decides.
    Gated,
}

impl<F: Default> Default for Search<F> {
    fn default() -> Self {
        Self {
            text: String::new(),
            registries: Vec::new(),
            chain_id: None,
            owner: None,
            updated_since: None,
            gone: false,
            trust: BTreeMap::new(),
            blocked: false,
            only: F::default(),
            after: None,
            limit: deedbox_core::limits::PAGE_DEFAULT,
        }
    }
}

/// How far a search was shown: everything above a window of candidates, and of the window itself some.
///
/// Ranks change while somebody turns pages; row numbers do not. So a place names rows, and not how many were shown: what fits all the while
/// is shown once, whatever becomes of its rank or of the rows around it. What begins to fit in a row above the place, and what is new,
/// is found by the next search. Row numbers are the index's own, and hold as long as its [numbering](super::Index::numbering) does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowPlace {
    /// The window's first row, the newest.
    pub newest: i64,
    /// Which rows from that one down were shown, ascending.
    pub shown: Vec<i64>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<E> {
    /// Candidates, best first.
    pub entries: Vec<E>,
    /// How many candidates were looked at and ranked for this page.
    pub ranked: u32,
    /// Where to go on; `None` when there is nothing more.
    pub next: Option<WindowPlace>,
}
