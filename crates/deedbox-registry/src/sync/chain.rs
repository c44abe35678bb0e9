//! One chain's registries, step by step.

mod append;
mod branch;
mod finality;
mod lease;
mod piece;

use std::collections::{BTreeMap, BTreeSet};

use deedbox_chain::events::Events;
use deedbox_core::Timestamp;
use deedbox_store::index::{Checkpoint, Cursor, Lease, RegistryId, Superseded};

use self::finality::Finality;
use super::{
    News, SyncError, Syncer,
    news::Pace,
    plan::{Standing, plan},
    predicates::Predicates,
};
use piece::{Piece, Taken};

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
    /// The block that it is read up to, counting what was read `ahead` of what is written.
    fn upto(&self, ahead: Option<&Piece>) -> Option<Checkpoint> {
        match ahead.filter(|piece| piece.of(self).is_some()) {
            Some(piece) => Some(piece.upto),
            None => self.cursor.upto,
        }
    }

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

    /// Looks where the chain is, undoes what it took back, and reads a few pieces more, each while the one before it is written. When it
    /// ends, nothing is read that is not written.
    pub(super) async fn round(&mut self) -> Result<Round, SyncError> {
        self.hold().await?;
        if self.held.is_empty() {
            return Ok(Round::AtHead);
        }
        let bounds = self.survey().await?;
        self.keep_survey(bounds).await?;
        let (mut ahead, mut has_read) = (None, false);
        for _ in 0..STEPS {
            let standings = self.standings(ahead.as_ref());
            let steps = plan(&standings, bounds, self.syncer.options.width);
            if steps.is_empty() && ahead.is_none() {
                self.settle().await?;
                // What was read since the chain was looked at is final only when it still stands at another look.
                let may_settle = has_read && self.may_settle(bounds);
                return Ok(if may_settle {
                    Round::More
                } else {
                    Round::AtHead
                });
            }
            has_read = true;
            if steps.is_empty() {
                self.append(ahead.take(), bounds).await?;
            }
            for step in steps {
                ahead = match self.take(&step, ahead.take(), bounds).await? {
                    Taken::Piece(piece) => Some(piece),
                    Taken::Nothing => None,
                    Taken::Replaced => return Ok(Round::Unsettled),
                };
                self.hold().await?;
            }
        }
        self.append(ahead, bounds).await?;
        Ok(Round::More)
    }

    /// What wants to be read once what was read `ahead` is written.
    fn standings(&self, ahead: Option<&Piece>) -> Vec<Standing> {
        let now = self.syncer.world.now();
        let ready = self.held.values().filter(|held| held.is_ready(now));
        let standings = ready.map(|held| {
            let upto = held.upto(ahead);
            Standing {
                registry: held.cursor.registry,
                next: upto.map_or(held.cursor.from, |upto| upto.block.saturating_add(1)),
                after: upto.map(|upto| upto.hash),
                is_alone: held.is_alone && upto == held.cursor.upto,
            }
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
