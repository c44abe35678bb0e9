//! One chain's registries, step by step.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use deedbox_chain::{Code, ReadError, events::Events};
use deedbox_core::{BlockHash, Timestamp};
use deedbox_store::index::{Batch, Checkpoint, Cursor, Lease, RegistryId, Standard, Superseded};

use super::{
    News, SyncError, Syncer,
    gather::{Known, Said, gather},
    news::{ChainBrokeFinality, Pace},
    plan::{Bounds, Standing, Step, Verdict, heights, judge, plan, settled},
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
    broke: Option<ChainBrokeFinality>,
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
        self.broke.is_none() && self.rest.is_none_or(|rest| rest.until <= now)
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
        let resting = resting.filter(|(_, held)| held.broke.is_some() || held.rest.is_some());
        resting.map(|(registry, _)| *registry).collect()
    }

    /// Looks where the chain is, undoes what it took back, and reads a few pieces more.
    pub(super) async fn round(&mut self) -> Result<Round, SyncError> {
        self.hold().await?;
        if self.held.is_empty() {
            return Ok(Round::AtHead);
        }
        let bounds = self.survey().await?;
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

    /// Gives back what it holds.
    pub(super) async fn release(&mut self) -> Result<(), SyncError> {
        let held = std::mem::take(&mut self.held);
        let leases: Vec<_> = held.into_values().map(|held| held.lease).collect();
        self.claimed = None;
        Ok(self.syncer.index.release(&leases).await?)
    }

    /// Claims what is free, and prolongs what it holds, when a third of the time is over.
    async fn hold(&mut self) -> Result<(), SyncError> {
        let (index, options) = (&self.syncer.index, &self.syncer.options);
        let now = self.syncer.world.now();
        let third = i64::try_from(options.lease.as_millis() / 3).unwrap_or(i64::MAX);
        if self.claimed.is_some_and(|at| now < at.plus_millis(third)) {
            return Ok(());
        }
        let wanted = self.cursors().await?;
        let registries: Vec<_> = wanted.keys().copied().collect();
        let leases = index
            .claim(&registries, &options.holder, now, options.lease)
            .await?;
        self.claimed = Some(now);
        self.elsewhere = registries.into_iter().collect();
        let mut before = std::mem::take(&mut self.held);
        let mut new = Vec::new();
        for lease in leases {
            self.elsewhere.remove(&lease.registry);
            match before.remove(&lease.registry) {
                Some(held) if held.lease.epoch == lease.epoch => {
                    let held = Held { lease, ..held };
                    self.held.insert(held.lease.registry, held);
                }
                _ => new.push(lease),
            }
        }
        for registry in before.into_keys() {
            self.tell(News::Lost(registry));
        }
        self.take_over(new, now).await
    }

    /// Learns what is known of registries that it holds now. Nobody else changes it from here on.
    async fn take_over(&mut self, leases: Vec<Lease>, now: Timestamp) -> Result<(), SyncError> {
        if leases.is_empty() {
            return Ok(());
        }
        let mut cursors = self.cursors().await?;
        for lease in leases {
            let registry = lease.registry;
            let Some(cursor) = cursors.remove(&registry) else {
                continue;
            };
            let held = Held {
                lease,
                predicates: self.predicates(&cursor).await?,
                pace: Pace::new(now, cursor.next()),
                settled: cursor.final_upto,
                is_alone: false,
                broke: None,
                rest: None,
                cursor,
            };
            self.held.insert(registry, held);
            self.tell(News::Took(registry));
        }
        Ok(())
    }

    async fn cursors(&self) -> Result<BTreeMap<RegistryId, Cursor>, SyncError> {
        let cursors = self.syncer.index.cursors().await?.into_iter();
        let here = cursors.filter(|cursor| {
            cursor.registry.chain_id == self.chain_id && self.syncer.reads(cursor.registry)
        });
        Ok(here.map(|cursor| (cursor.registry, cursor)).collect())
    }

    async fn predicates(&self, cursor: &Cursor) -> Result<Predicates, SyncError> {
        match cursor.standard {
            Standard::Erc8122 => Ok(Predicates::default()),
            Standard::Erc8257 => Ok(Predicates::load(&*self.syncer.index, cursor.registry).await?),
        }
    }

    /// Where the chain is. What it took back is undone before this returns.
    async fn survey(&mut self) -> Result<Bounds, SyncError> {
        let events = self.events()?;
        let tops: BTreeSet<u64> = self
            .held
            .values()
            .filter_map(|held| Some(held.cursor.upto?.block))
            .collect();
        let tops: Vec<_> = tops.into_iter().collect();
        let (heads, found) = events.survey(&tops).await?;
        let bounds = Bounds {
            latest: heads.latest.number,
            finalized: heads.finalized.map(|head| head.number),
        };
        let now: BTreeMap<u64, BlockHash> = found
            .into_iter()
            .flatten()
            .map(|head| (head.number, head.hash))
            .collect();
        let mut doubtful = Vec::new();
        for (registry, held) in &mut self.held {
            let top = held.cursor.upto;
            if top.is_none_or(|top| now.get(&top.block) == Some(&top.hash)) {
                held.settled = settled(&held.cursor, bounds.finalized);
                held.broke = None;
            } else {
                doubtful.push(*registry);
            }
        }
        if !doubtful.is_empty() {
            self.look_back(&events, &doubtful).await?;
        }
        Ok(bounds)
    }

    /// Finds out how far registries go back, and takes them there.
    async fn look_back(
        &mut self,
        events: &Events<'_>,
        doubtful: &[RegistryId],
    ) -> Result<(), SyncError> {
        let cursors = doubtful.iter().filter_map(|one| self.held.get(one));
        let numbers: BTreeSet<u64> = cursors.flat_map(|held| heights(&held.cursor)).collect();
        let numbers: Vec<_> = numbers.into_iter().collect();
        let found = events.headers(&numbers).await?;
        let now: BTreeMap<u64, BlockHash> = found
            .into_iter()
            .flatten()
            .map(|head| (head.number, head.hash))
            .collect();
        for registry in doubtful {
            let Some(held) = self.held.get_mut(registry) else {
                continue;
            };
            match judge(&held.cursor, &now) {
                Verdict::Stands | Verdict::Behind => held.broke = None,
                Verdict::GoBack(to) => self.go_back(*registry, to).await?,
                Verdict::BrokeFinality { kept, now } => {
                    let broke = ChainBrokeFinality {
                        registry: *registry,
                        kept,
                        now,
                    };
                    if held.broke.replace(broke) != Some(broke) {
                        self.tell(News::BrokeFinality(broke));
                    }
                }
            }
        }
        Ok(())
    }

    async fn go_back(
        &mut self,
        registry: RegistryId,
        to: Option<Checkpoint>,
    ) -> Result<(), SyncError> {
        let Some(mut held) = self.held.remove(&registry) else {
            return Ok(());
        };
        let from = held.cursor.next().saturating_sub(1);
        let now = self.syncer.world.now();
        match self.syncer.index.rewind(&held.lease, to, now).await? {
            Ok(cursor) => {
                held.predicates = self.predicates(&cursor).await?;
                held.pace = Pace::new(now, cursor.next());
                held.settled = cursor.final_upto;
                held.broke = None;
                held.cursor = cursor;
                self.held.insert(registry, held);
                let to = to.map(|to| to.block);
                self.tell(News::WentBack { registry, from, to });
            }
            Err(superseded) => self.lose(superseded),
        }
        Ok(())
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

    /// Reads a piece, and appends it. False when the chain changed meanwhile.
    async fn take(&mut self, step: &Step, bounds: Bounds) -> Result<bool, SyncError> {
        let held = step.registries.iter().filter_map(|one| self.held.get(one));
        let known = held.map(|held| Known {
            registry: held.cursor.registry,
            standard: held.cursor.standard,
            predicates: held.predicates.clone(),
        });
        let known: Vec<_> = known.collect();
        if known.is_empty() {
            return Ok(true);
        }
        match gather(&self.events()?, step, known).await {
            Ok((said, upto)) => {
                let upto = Checkpoint {
                    block: upto.number,
                    hash: upto.hash,
                };
                self.append(said, upto, bounds).await?;
                Ok(true)
            }
            Err(error) if error.code == Code::Reorged => Ok(false),
            Err(error) if error.code == Code::RangeTooLarge => {
                self.set_aside(step, &error);
                Ok(true)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// There is a block of which more is said than can be read. Who says it is found by asking for each alone; the others go on.
    fn set_aside(&mut self, step: &Step, error: &ReadError) {
        let now = self.syncer.world.now();
        let is_only = step.registries.len() == 1;
        for registry in &step.registries {
            let Some(held) = self.held.get_mut(registry) else {
                continue;
            };
            held.is_alone = true;
            if is_only {
                let times = held.rest.map_or(0, |rest| rest.times);
                let retry_in = self.syncer.options.backoff.after(times);
                let millis = i64::try_from(retry_in.as_millis()).unwrap_or(i64::MAX);
                held.rest = Some(Rest {
                    until: now.plus_millis(millis),
                    times: times.saturating_add(1),
                });
                self.tell(News::RegistryFailed {
                    registry: *registry,
                    error: error.clone(),
                    retry_in,
                });
            }
        }
    }

    async fn append(
        &mut self,
        said: Vec<Said>,
        upto: Checkpoint,
        bounds: Bounds,
    ) -> Result<(), SyncError> {
        let mut batches = Vec::with_capacity(said.len());
        let mut learnt = Vec::with_capacity(said.len());
        for said in said {
            let Some(held) = self.held.get(&said.registry) else {
                continue;
            };
            learnt.push((
                said.registry,
                said.predicates,
                said.facts.len(),
                said.unreadable,
            ));
            batches.push(Batch {
                registry: said.registry,
                after: held.cursor.upto,
                facts: said.facts,
                upto,
                final_upto: held.settled,
            });
        }
        if !self.apply(batches).await? {
            return Ok(());
        }
        let now = self.syncer.world.now();
        for (registry, predicates, facts, unreadable) in learnt {
            let Some(held) = self.held.get_mut(&registry) else {
                continue;
            };
            held.predicates = predicates;
            held.is_alone = false;
            held.rest = None;
            held.pace.add(facts, unreadable);
            let unwatched = held.predicates.unwatched;
            let progress = held
                .pace
                .progress(&held.cursor, bounds.latest, unwatched, now);
            self.tell(News::Progress(progress));
        }
        Ok(())
    }

    /// Writes down what has become final since the last batches, where nothing else is to be written.
    async fn settle(&mut self) -> Result<(), SyncError> {
        let news = self
            .held
            .values()
            .filter(|held| held.broke.is_none() && held.settled > held.cursor.final_upto);
        let batches = news.filter_map(|held| {
            Some(Batch {
                registry: held.cursor.registry,
                after: held.cursor.upto,
                facts: Vec::new(),
                upto: held.cursor.upto?,
                final_upto: held.settled,
            })
        });
        let batches: Vec<_> = batches.collect();
        self.apply(batches).await.map(drop)
    }

    /// Whether these batches are in the index now.
    async fn apply(&mut self, batches: Vec<Batch>) -> Result<bool, SyncError> {
        if batches.is_empty() {
            return Ok(true);
        }
        let leases = batches
            .iter()
            .filter_map(|batch| self.held.get(&batch.registry))
            .map(|held| held.lease.clone());
        let leases: Vec<_> = leases.collect();
        let now = self.syncer.world.now();
        match self.syncer.index.apply(&leases, batches, now).await? {
            Ok(cursors) => {
                for cursor in cursors {
                    if let Some(held) = self.held.get_mut(&cursor.registry) {
                        held.cursor = cursor;
                    }
                }
                Ok(true)
            }
            Err(superseded) => {
                self.lose(superseded);
                Ok(false)
            }
        }
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

/// How long is waited after failures in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// After the first.
    pub first: Duration,
    /// At most. Each wait is twice the one before.
    pub most: Duration,
}

impl Backoff {
    /// How long after so many failures before this one.
    #[must_use]
    pub fn after(self, failures: u32) -> Duration {
        let factor = 1_u32.checked_shl(failures).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(self.most)
    }
}
