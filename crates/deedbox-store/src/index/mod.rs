//! The index: what registries said, kept for finding.
//!
//! **The index is a table of [facts](Fact).** A fact is what one event of a registry said, and where on its chain. Facts are only
//! appended, and taken away from the end when a chain takes back its blocks: that is all of undo. The history of a
//! [subject](Subject) is its facts; its present is the last fact of each [name](FactName).
//!
//! **An [entry](Entry) is folded from facts** by one [pure function](Entry::fold) that every backend runs inside its transaction.
//! It is what searches show: a candidate, never an answer. Who owns an agent is asked on its chain.
//!
//! **The index is a cache.** Dropped and read again, it has the same rows; only row numbers and what checks of manifests found are its
//! own. What somebody decided is a deed, and not here.
//!
//! **A search is a conjunction of words.** A [pure function](Entry::document) makes an entry a set of words, filters included;
//! another [one](SearchRun::query) makes a search such words, and databases do nothing but intersect them, newest row first. What
//! comes of it is checked, ranked and cut into pages [here](SearchRun), the same for every backend, by a [card](Card) of each entry;
//! whole entries are read when they are shown.

mod card;
mod check;
mod cursor;
mod document;
mod entry;
mod fact;
mod fold;
mod kept;
mod look;
mod number;
mod run;
mod search;
mod service;
mod subject;
mod survey;
pub(crate) mod text;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, time::Duration};

use async_trait::async_trait;
use deedbox_core::{ChainAddress, ManifestHash, Timestamp};
use deedbox_id::U256;
use serde::{Deserialize, Serialize};

pub use self::{
    card::Card,
    check::{
        CHECK_LEAST, CHECK_MOST, CHECK_RETRY, CheckOutcome, ManifestCheck, ManifestSummary, Price,
        ServedManifest,
    },
    cursor::{BadBatch, Batch, Checkpoint, Cursor, Lease, Superseded},
    entry::{AgentEntry, ENTRY_BYTES, Entry, ToolEntry},
    fact::{Fact, Origin, Place, Statement},
    kept::{Cut, FACT_BYTES, Kept},
    look::{Look, Size},
    run::{Only, Query, SearchRun, WINDOW},
    search::{Access, Found, OfAgents, OfTools, Search, WindowPlace},
    service::{Half, Service, Services, Spelling, agent_account, services},
    subject::{FactName, Subject},
    survey::{ChainBrokeFinality, LOOK_IS_OLD, Survey},
};
/// What of a registry is decided, and not read: it is at home with the rules.
pub use deedbox_core::registry::{NotARegistry, RegistryId, Standard, Trust};

use crate::StoreError;

/// Which edition of the pure functions an index was made with: folding, the words of documents, and cards. An index of another edition is
/// made anew. To be raised with every change of what they give.
pub const EDITION: u32 = 5;

/// Somewhere facts are kept and entries are found.
///
/// Every method fails with [`StoreError`] when the database could not be asked, and with [`StoreError::Unreadable`] when a row
/// is not what this program writes.
#[async_trait]
pub trait Index: Send + Sync + std::fmt::Debug {
    /// Takes a registry into the index, to be read from block `from` on. Returns its cursor; one that is there already stays as it is.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn begin(
        &self,
        registry: RegistryId,
        standard: Standard,
        from: u64,
    ) -> Result<Cursor, StoreError>;

    /// How far each registry is read, by registry.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn cursors(&self) -> Result<Vec<Cursor>, StoreError>;

    /// Takes or prolongs leases until `now` and `ttl`: of those of these registries that are free, ours, or whose time is over. Another
    /// holder raises the epoch. Registries that are not in the index are passed over.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn claim(
        &self,
        registries: &[RegistryId],
        holder: &str,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Vec<Lease>, StoreError>;

    /// Gives leases back. Those that somebody else holds by now stay theirs.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn release(&self, leases: &[Lease]) -> Result<(), StoreError>;

    /// Appends what was read, all of it in one transaction: every batch needs its lease, current at `now`, and its `after` must be
    /// where its cursor is; otherwise nothing is written. At most one batch for each registry. Returns the new cursors, in the batches' order.
    ///
    /// # Errors
    /// [`StoreError::Rejected`] for a batch that no chain could have given: facts out of order, or outside the blocks that
    /// it is about.
    async fn apply(
        &self,
        leases: &[Lease],
        batches: Vec<Batch>,
        now: Timestamp,
    ) -> Result<Result<Vec<Cursor>, Superseded>, StoreError>;

    /// Takes away every fact above `to` (`None`: every fact), and folds what is left of their subjects anew. Never below what is final,
    /// and never forward.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn rewind(
        &self,
        lease: &Lease,
        to: Option<Checkpoint>,
        now: Timestamp,
    ) -> Result<Result<Cursor, Superseded>, StoreError>;

    /// Drops everything of one registry. Whoever holds a lease on it finds it superseded.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn forget(&self, registry: RegistryId) -> Result<(), StoreError>;

    /// One agent.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn agent(&self, registry: RegistryId, id: U256)
    -> Result<Option<AgentEntry>, StoreError>;

    /// One tool, with the last check of its manifest.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn tool(&self, registry: RegistryId, id: U256) -> Result<Option<ToolEntry>, StoreError>;

    /// What was said of a subject, newest first: of this name or of all, and before this place.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn history(&self, query: &History) -> Result<Vec<Fact>, StoreError>;

    /// Where tools of a registry named contracts as their predicates, in the chain's order, after this place.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn predicates(
        &self,
        registry: RegistryId,
        after: Option<Place>,
        limit: u32,
    ) -> Result<Vec<(Place, ChainAddress)>, StoreError>;

    /// What was said last of each account that an owner may have allowed something: that it is their operator in everything, and how
    /// much of this agent it may transfer. Those that say no are among them. Newest first; of at most `limit` operators, and of the
    /// `limit` newest statements about allowances.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn permissions(
        &self,
        registry: RegistryId,
        owner: ChainAddress,
        agent: U256,
        limit: u32,
    ) -> Result<Vec<Fact>, StoreError>;

    /// How many agents or tools each registry has, those that are gone included, by registry. Counted when asked: for looks at a
    /// list, not for every search.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn counts(&self) -> Result<BTreeMap<RegistryId, u64>, StoreError>;

    /// Keeps what a check of a tool's manifest found, in place of the last one, and the document that was served. Returns whether there
    /// is such a tool.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn record_check(
        &self,
        registry: RegistryId,
        tool: U256,
        check: ManifestCheck,
        served: Option<ServedManifest>,
    ) -> Result<bool, StoreError>;

    /// A manifest that was served once, by its hash.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn manifest(&self, hash: ManifestHash) -> Result<Option<Vec<u8>>, StoreError>;

    /// Tools of one registry that are registered and whose manifest was not checked for the URI and hash that they have now, or whose
    /// last check was [due](ManifestCheck::due) to be made anew before `now`: never checked first, then what is due longest.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn unchecked(
        &self,
        registry: RegistryId,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<ToolEntry>, StoreError>;

    /// Keeps the last look at a registry's code, in place of the one before. Returns whether there is such a registry. It goes when the
    /// registry is forgotten.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn record_look(&self, look: &Look) -> Result<bool, StoreError>;

    /// The last look at each registry that was looked at, by registry.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn looks(&self) -> Result<Vec<Look>, StoreError>;

    /// Keeps what was seen of the registries' chains, in place of what was seen before: of those whose lease, current at `now`, is among
    /// these. Others are passed over, because whoever holds them by now has looked itself. One statement, however many there are. What was seen
    /// goes when its registry is forgotten.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn record_surveys(
        &self,
        leases: &[Lease],
        surveys: &[Survey],
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// What was seen last of the chain of each registry of which that was looked for, by registry.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn surveys(&self) -> Result<Vec<Survey>, StoreError>;

    /// How much there is of a registry; nothing of one that is not in the index. Counted when it is asked, so not for every answer.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn size(&self, registry: RegistryId) -> Result<Size, StoreError>;

    /// Agents that fit.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn search_agents(
        &self,
        search: &Search<OfAgents>,
    ) -> Result<Found<AgentEntry>, StoreError>;

    /// Tools that fit.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn search_tools(&self, search: &Search<OfTools>) -> Result<Found<ToolEntry>, StoreError>;

    /// Everything of one registry in order, after this place: facts by place, then entries by subject, without checks and row numbers. Two
    /// indexes that read the same chain dump the same.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn dump(
        &self,
        registry: RegistryId,
        after: Option<RowPlace>,
        limit: u32,
    ) -> Result<Vec<Row>, StoreError>;

    /// Finishes what was begun and closes every connection. Later calls fail.
    async fn close(&self);
}

/// Which facts of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The registry.
    pub registry: RegistryId,
    /// Of whom.
    pub subject: Subject,
    /// Only of this name.
    pub name: Option<FactName>,
    /// Only what was said before this place.
    pub before: Option<Place>,
    /// How many at most.
    pub limit: u32,
}

/// The block in which a tool got the manifest that it has now.
///
/// # Errors
/// [`StoreError`].
pub async fn manifest_since(index: &dyn Index, tool: &ToolEntry) -> Result<u64, StoreError> {
    let last = History {
        registry: tool.registry,
        subject: Subject::Tool(tool.id),
        name: Some(FactName::manifest()),
        before: None,
        limit: 1,
    };
    let last = index.history(&last).await?;
    // Of what was not changed yet, the registration set it.
    let since = last.first().map_or(tool.registered, |fact| fact.origin);
    Ok(since.place.block.max(tool.registered.place.block))
}

/// One row of a [dump](Index::dump).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// A fact.
    Fact(Fact),
    /// An entry.
    Entry(Entry),
}

/// A row's place in the order of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowPlace {
    /// A fact's.
    Fact(Place),
    /// An entry's.
    Entry(Subject),
}

impl Row {
    /// Its place in the order.
    #[must_use]
    pub fn place(&self) -> RowPlace {
        match self {
            Self::Fact(fact) => RowPlace::Fact(fact.origin.place),
            Self::Entry(entry) => RowPlace::Entry(entry.subject()),
        }
    }
}
