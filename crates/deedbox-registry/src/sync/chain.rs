//! One chain's registries, step by step.

mod append;
mod branch;
mod finality;
mod lease;

use std::collections::{BTreeMap, BTreeSet};

use deedbox_chain::events::Events;
use deedbox_core::Timestamp;
use deedbox_store::index::{Cursor, Lease, RegistryId, Superseded};

use self::finality::Finality;
use super::{
    News, SyncError, Syncer,
    news::Pace,
    plan::{Standing, plan},
    predicates::Predicates,
};

/// How many steps are made between two looks at the chain's head. Blocks become final in the index only after such a look.
const STEPS: usize = 8;

/// What came of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// There is more to read.
    More,
    /// Everything that can be read is read.
    AtHead,
    /// The chain changed while it was read, or whoever was asked last is on another branch than whoever was asked before.
    Unsettled,
}

/// A registry that this syncer holds.
#[derive(Debug)]
struct Held {
    lease: Lease,
    cursor: Cursor,
    predicates: Predicates,
    pace: Pace,
    /// Up to where the chain was last known to be final.
    settled: Option<u64>,
    /// Whether it was too much together with others.
    is_alone: bool,
    finality: Finality,
    rest: Option<Rest>,
}

/// A pause of one registry.
#[derive(Clone, Copy, Debug)]
struct Rest {
    until: Timestamp,
    times: u32,
}

impl Held {
    /// Whether it can be read now.
    fn is_ready(&self, now: Timestamp) -> bool {
        !self.finality.is_broken() && self.rest.is_none_or(|rest| rest.until <= now)
    }
}

/// One chain, as one syncer follows it.
#[derive(Debug)]
pub(super) struct ChainSync<'a> {
    syncer: &'a Syncer,
    chain_id: u64,
    held: BTreeMap<RegistryId, Held>,
    /// Registries of this chain that somebody else holds.
    elsewhere: BTreeSet<RegistryId>,
    claimed: Option<Timestamp>,
}

impl<'a> ChainSync<'a> {
    pub(super) fn new(syncer: &'a Syncer, chain_id: u64) -> Self {
        Self {
            syncer,
            chain_id,
            held: BTreeMap::new(),
            elsewhere: BTreeSet::new(),
            claimed: None,
        }
    }

    /// Registries of this chain that somebody else holds.
    pub(super) fn elsewhere(&self) -> Vec<RegistryId> {
        self.elsewhere.iter().copied().collect()
    }

    /// The registries that cannot be read for now.
    pub(super) fn resting(&self) -> Vec<RegistryId> {
        let resting = self.held.iter();
        let resting = resting.filter(|(_, held)| held.finality.is_broken() || held.rest.is_some());
        resting.map(|(registry, _)| *registry).collect()
    }

    /// Looks where the chain is, undoes what it took back, and reads a few pieces more.
    pub(super) async fn round(&mut self) -> Result<Round, SyncError> {
        self.hold().await?;
        if self.held.is_empty() {
            return Ok(Round::AtHead);
        }
        let bounds = self.survey().await?;
        self.keep_survey(bounds).await?;
        for _ in 0..STEPS {
            let steps = plan(&self.standings(), bounds, self.syncer.options.width);
            if steps.is_empty() {
                self.settle().await?;
                return Ok(Round::AtHead);
            }
            for step in steps {
                if !self.take(&step, bounds).await? {
                    return Ok(Round::Unsettled);
                }
                self.hold().await?;
            }
        }
        Ok(Round::More)
    }

    fn standings(&self) -> Vec<Standing> {
        let now = self.syncer.world.now();
        let ready = self.held.values().filter(|held| held.is_ready(now));
        let standings = ready.map(|held| Standing {
            registry: held.cursor.registry,
            next: held.cursor.next(),
            after: held.cursor.upto.map(|upto| upto.hash),
            is_alone: held.is_alone,
        });
        standings.collect()
    }

    /// Somebody else was at a registry: whatever is known of it here is out of date.
    fn lose(&mut self, superseded: Superseded) {
        let (Superseded::Lease(registry)
        | Superseded::Cursor(registry)
        | Superseded::BelowFinal(registry)) = superseded;
        self.held.remove(&registry);
        self.claimed = None;
        self.tell(News::Lost(registry));
    }

    fn events(&self) -> Result<Events<'a>, SyncError> {
        Ok(self.syncer.chains.events(self.chain_id)?)
    }

    fn tell(&self, news: News) {
        self.syncer.watcher.tell(news);
    }
}
