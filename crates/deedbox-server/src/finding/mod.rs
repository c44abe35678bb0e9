//! What the index answers: candidates, how far registries are read, and what was said before.
//!
//! **A candidate is no answer.** It was folded from events up to a block that each page names; who owns an agent and whether a tool is
//! what it says are asked on their chain, and every candidate says which tool does that. No evidence is recorded of a search: nothing
//! was read from a chain, and nothing may be concluded from it but whom to ask.
//!
//! **What is left out is said.** Unverified tools, blocked registries and what is gone are found on request only, and then
//! marked; where nothing is followed or read yet, the answer says how to begin.
//!
//! Everything here is pure: [`operations`](crate::operations) asks the index and the ledger.

mod candidates;
mod changes;
mod cursor;
mod hint;
mod history;
mod hits;
mod known;
mod search;
mod warnings;

use schemars::JsonSchema;
use serde::Serialize;

use self::hint::HintCode;
pub use self::{
    candidates::{Candidate, MOST as MOST_CANDIDATES},
    changes::How,
    hint::Hint,
    history::{ManifestChange, ManifestSaid, Record, RegistryHistory, Told},
    hits::{
        AgentHit, OwnerSaid, PinStands, Pinned, PriceHit, ServiceHit, ToolHit, Unverified, When,
    },
    known::{
        Alarm, ChainIsShort, FinalityBroken, Indexed, KnownSpenders, ListedRegistry, ReadUpTo,
        RegistryList,
    },
};
pub(crate) use self::{
    candidates::{Wanted, named},
    history::{Asked as AskedHistory, Documents, Found as FoundHistory, hashes},
    known::Known,
    search::Scoped,
    warnings::approvals_before,
};

/// One page of agents that fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundAgents {
    /// Candidates, best first.
    pub agents: Vec<AgentHit>,
    /// Where they came from.
    pub provenance: FromIndex,
    /// What to give as `cursor` for the next page; null when there is nothing more.
    pub next_cursor: Option<String>,
    /// What to know about this page, like why it is empty.
    pub hints: Vec<Hint>,
}

/// One page of tools that fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundTools {
    /// Candidates, best first.
    pub tools: Vec<ToolHit>,
    /// Where they came from.
    pub provenance: FromIndex,
    /// What to give as `cursor` for the next page; null when there is nothing more.
    pub next_cursor: Option<String>,
    /// What to know about this page, like why it is empty.
    pub hints: Vec<Hint>,
}

/// Where an answer came from that no chain was read for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FromIndex {
    /// The local index of what registries said.
    pub source: Index,
    /// The registries of what stands in the answer, each with how far it is read. Where nothing was found, those in which it was looked for, at most
    /// 16, the most trusted first: up to there nothing like that was said.
    pub registries: Vec<ReadUpTo>,
    /// In how many more registries nothing was found.
    pub more_registries: u64,
}

/// The one word for [`FromIndex`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Index {
    /// The local index.
    Index,
}

/// The one word for what a search finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Found in the index, and not asked on its chain.
    Candidate,
}
