//! Following registries: what they said becomes [facts](deedbox_store::index::Fact) of an index, block by block.
//!
//! * [`decode`](mod@decode): logs into statements; pure.
//! * [`plan`]: what is asked next, and how far to go back when a chain took back blocks; pure.
//! * [`Syncer`]: asks, and writes what is said into an [`Index`].
//! * [`align`]: what is followed is what is read.
//! * [`code`]: whether what stands at a registry's address is what was accepted.
//!
//! **Nothing is read twice, and nothing is left out.** Each piece continues the block that the last one ended with, by its hash, and is
//! written in one transaction with how far it goes. What makes the same chain give the same rows, in whatever pieces it is read, is that a
//! row follows from the logs alone.
//!
//! **One piece ahead.** A piece is read while the one before it is written, so an endpoint and a database wait for each other as little as can
//! be. What is read ahead says which block it continues, and is written only on top of that: when what comes before could not be written, or
//! somebody else has the registry, it is dropped.
//!
//! **Blocks are taken back.** Every piece ends at a block that is remembered by its hash until it is final. When the newest of them is not
//! part of the chain any more, everything above the newest one that is gets undone, in one transaction, and is read anew. What was final is
//! never undone: a chain that takes it back all the same is reported, and left alone. That stands in the index until it has the block again, or
//! the registry is [read anew](anew). A chain that ends below what was read proves nothing by that, because endpoints lag. It is judged by the last
//! block that it has and in which something was said; where there is none, that nobody knows is what is told.
//!
//! **One reader a registry.** A syncer holds each registry for a while and prolongs that while it works; another one takes over when it
//! does not. Who lost a registry finds out when it writes, and writes nothing.

mod anew;
mod backoff;
mod chain;
pub mod code;
mod decode;
mod followed;
mod gather;
mod news;
pub mod plan;
mod predicates;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use deedbox_chain::Chains;
use deedbox_core::World;
use deedbox_store::{
    Store, StoreError,
    index::{Index, RegistryId},
};
use futures::{StreamExt as _, stream::FuturesUnordered};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::chain::{ChainSync, Round};
pub use self::{
    anew::anew,
    backoff::Backoff,
    decode::{BEACON_UPGRADED, Decoded, UPGRADED, decode, topics},
    followed::{Change, align, changes},
    news::{News, Progress, SyncError, Unwatched, Watch},
    predicates::{MOST_PREDICATES, Predicates},
};

/// How a [`Syncer`] works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who holds the registries: a name that no other process has.
    pub holder: String,
    /// How long a registry is held without a sign of life.
    pub lease: Duration,
    /// How long after the last look at a chain's head the next one is, give or take a tenth.
    pub poll: Duration,
    /// How many blocks one request for logs is about at most. What an endpoint bears is found out anyway.
    pub width: u64,
    /// How long a chain, or a registry, is left alone after it failed.
    pub backoff: Backoff,
    /// How many failures in a row end [`Syncer::catch_up`].
    pub attempts: u32,
}

impl Options {
    /// What fits most: a lease of 30 seconds, and a look every 12 seconds. The holder is a name that nobody else gets.
    #[must_use]
    pub fn new(world: &dyn World) -> Self {
        Self {
            holder: world.uuid().to_string(),
            lease: Duration::from_secs(30),
            poll: Duration::from_secs(12),
            width: u64::MAX,
            backoff: Backoff {
                first: Duration::from_secs(1),
                most: Duration::from_secs(60),
            },
            attempts: 5,
        }
    }
}

/// Reads the registries of an index on their chains, and keeps reading.
#[derive(Clone, Debug)]
pub struct Syncer {
    chains: Arc<Chains>,
    index: Arc<dyn Index>,
    world: Arc<dyn World>,
    options: Options,
    watcher: Arc<dyn Watch>,
    ledger: Option<Ledger>,
    only: Option<BTreeSet<RegistryId>>,
}

/// Where it stands what is followed, and how often the code of that is looked at.
#[derive(Clone, Debug)]
struct Ledger {
    store: Arc<dyn Store>,
    look_every: Duration,
}

/// How far [`Syncer::catch_up`] came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaughtUp {
    /// Registries that another syncer holds.
    pub elsewhere: Vec<RegistryId>,
    /// Registries that cannot be read for now: the watcher was told why.
    pub failed: Vec<RegistryId>,
}

impl Syncer {
    /// Reads registries of `index` on `chains`, and tells `watcher`.
    #[must_use]
    pub fn new(
        chains: Arc<Chains>,
        index: Arc<dyn Index>,
        world: Arc<dyn World>,
        options: Options,
        watcher: Arc<dyn Watch>,
    ) -> Self {
        Self {
            chains,
            index,
            world,
            options,
            watcher,
            ledger: None,
            only: None,
        }
    }

    /// The same, which while it [follows](Self::follow) reads what is followed by this ledger, and looks at the code of each of them when
    /// no replica did for so long.
    #[must_use]
    pub fn of_ledger(mut self, store: Arc<dyn Store>, look_every: Duration) -> Self {
        self.ledger = Some(Ledger { store, look_every });
        self
    }

    /// The same for these registries only.
    #[must_use]
    pub fn only(mut self, registries: BTreeSet<RegistryId>) -> Self {
        self.only = Some(registries);
        self
    }

    /// Whether this is one of those that are read.
    fn reads(&self, registry: RegistryId) -> bool {
        let only = self.only.as_ref();
        only.is_none_or(|only| only.contains(&registry))
    }

    /// Reads everything that the registries of one chain said until now, and gives them back.
    ///
    /// # Errors
    /// [`SyncError`], after [`Options::attempts`] failures in a row. What was read is in the index.
    pub async fn catch_up(&self, chain_id: u64) -> Result<CaughtUp, SyncError> {
        let never = CancellationToken::new();
        self.catch_up_until(chain_id, &never).await
    }

    /// The same, or as far as it comes until `stop`.
    ///
    /// # Errors
    /// As [`catch_up`](Self::catch_up).
    pub async fn catch_up_until(
        &self,
        chain_id: u64,
        stop: &CancellationToken,
    ) -> Result<CaughtUp, SyncError> {
        let mut chain = ChainSync::new(self, chain_id);
        let outcome = tokio::select! {
            biased;
            // A write that is dropped on the way is rolled back.
            () = stop.cancelled() => Ok(()),
            outcome = self.until_head(&mut chain) => outcome,
        };
        let caught_up = CaughtUp {
            elsewhere: chain.elsewhere(),
            failed: chain.resting(),
        };
        let released = chain.release().await;
        outcome?;
        released?;
        Ok(caught_up)
    }

    async fn until_head(&self, chain: &mut ChainSync<'_>) -> Result<(), SyncError> {
        let (mut failures, mut unsettled) = (0, 0);
        loop {
            match chain.round().await {
                Ok(Round::AtHead) => return Ok(()),
                Ok(Round::More) => (failures, unsettled) = (0, 0),
                Ok(Round::Unsettled) if unsettled < self.options.attempts => {
                    unsettled += 1;
                    self.pause_after(unsettled).await;
                }
                // Its registries are as far as whoever was asked is.
                Ok(Round::Unsettled) => return Ok(()),
                Err(error) if failures + 1 >= self.options.attempts => return Err(error),
                Err(error) if is_lasting(&error) => return Err(error),
                Err(_) => {
                    tokio::time::sleep(self.options.backoff.after(failures)).await;
                    failures += 1;
                }
            }
        }
    }

    /// The first time a chain changed, it is looked at again at once.
    async fn pause_after(&self, unsettled: u32) {
        if unsettled > 1 {
            tokio::time::sleep(self.options.backoff.after(unsettled - 2)).await;
        }
    }

    /// Follows all registries of the index, also those that come later, until `stop`; then gives them back. One chain that fails does not
    /// stop the others: the watcher is told, and it is tried again.
    pub async fn follow(&self, stop: &CancellationToken) {
        tokio::join!(self.follow_chains(stop), self.follow_code(stop));
    }

    async fn follow_chains(&self, stop: &CancellationToken) {
        let mut running = BTreeSet::new();
        let mut chains = FuturesUnordered::new();
        let known = watch::Sender::new(BTreeSet::new());
        loop {
            match meanwhile(self.registries(), &mut chains).await {
                Ok(wanted) => {
                    for chain_id in wanted.iter().map(|registry| registry.chain_id) {
                        if !running.insert(chain_id) {
                            continue;
                        }
                        match self.chains.events(chain_id) {
                            Ok(_) => {
                                chains.push(self.follow_chain(chain_id, known.subscribe(), stop));
                            }
                            // Settings do not change while the program runs: told once.
                            Err(error) => {
                                self.watcher.tell(News::NotConfigured { chain_id, error });
                            }
                        }
                    }
                    known.send_if_modified(|before| {
                        *before != wanted && {
                            *before = wanted;
                            true
                        }
                    });
                }
                Err(error) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "it cannot be found out which registries are followed; asking again"
                ),
            }
            let wait = self.wait(self.options.poll);
            tokio::select! {
                () = stop.cancelled() => break,
                () = wait => {}
                // A chain's future ends when it is stopped, and not before.
                Some(()) = chains.next() => {}
            }
        }
        while chains.next().await.is_some() {}
    }

    /// The registries that are to be read. The index is in line with the ledger afterwards.
    async fn registries(&self) -> Result<BTreeSet<RegistryId>, StoreError> {
        if let Some(ledger) = &self.ledger {
            align(&*self.index, &*ledger.store).await?;
        }
        let cursors = self.index.cursors().await?.into_iter();
        let registries = cursors.map(|cursor| cursor.registry);
        Ok(registries.filter(|one| self.reads(*one)).collect())
    }

    /// Follows one chain. It does not wait when other registries are to be read than were `known`.
    async fn follow_chain(
        &self,
        chain_id: u64,
        mut known: watch::Receiver<BTreeSet<RegistryId>>,
        stop: &CancellationToken,
    ) {
        let mut chain = ChainSync::new(self, chain_id);
        let (mut failures, mut unsettled) = (0, 0);
        loop {
            let round = tokio::select! {
                biased;
                // A write that is dropped on the way is rolled back.
                () = stop.cancelled() => break,
                round = chain.round() => round,
            };
            let wait = match round {
                Ok(Round::More) => Duration::ZERO,
                Ok(Round::AtHead) => self.options.poll,
                Ok(Round::Unsettled) if unsettled == 0 => Duration::ZERO,
                Ok(Round::Unsettled) => self.options.backoff.after(unsettled - 1),
                Err(error) => {
                    let retry_in = self.options.backoff.after(failures);
                    self.watcher.tell(News::ChainFailed {
                        chain_id,
                        error,
                        retry_in,
                    });
                    failures = failures.saturating_add(1);
                    unsettled = 0;
                    tokio::select! {
                        () = stop.cancelled() => break,
                        () = self.wait(retry_in) => continue,
                    }
                }
            };
            failures = 0;
            unsettled = match round {
                Ok(Round::Unsettled) => unsettled.saturating_add(1),
                _ => 0,
            };
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.wait(wait) => {}
                Ok(()) = known.changed() => chain.claim_again(),
            }
        }
        if let Err(error) = chain.release().await {
            tracing::warn!(
                chain.id = chain_id,
                error = &error as &dyn std::error::Error,
                "the registries could not be given back; others have to wait until the lease is over"
            );
        }
    }

    /// Waits so long, give or take a tenth: replicas that were started together do not ask together.
    async fn wait(&self, duration: Duration) {
        let mut random = [0; 2];
        self.world.fill(&mut random);
        let share = u32::from(u16::from_be_bytes(random)) % 201; // 0 to 200 thousandths
        let jittered = duration.mul_f64(f64::from(900 + share) / 1_000.0);
        if !jittered.is_zero() {
            tokio::time::sleep(jittered).await;
        }
    }
}

/// What a question is answered while chains are read on. One of them may be in the middle of a write that the question waits for: if it stood
/// still meanwhile, both would wait for ever.
async fn meanwhile<T>(
    question: impl Future<Output = T>,
    chains: &mut FuturesUnordered<impl Future<Output = ()>>,
) -> T {
    let mut question = std::pin::pin!(question);
    loop {
        tokio::select! {
            answer = &mut question => return answer,
            // A chain's future ends when it is stopped, and not before.
            Some(()) = chains.next() => {}
        }
    }
}

/// Whether trying again helps nobody.
fn is_lasting(error: &SyncError) -> bool {
    matches!(error, SyncError::Read(error) if !error.code.retryable())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_question_that_waits_for_what_a_chain_writes_is_answered() {
        let writer = tokio::sync::Mutex::new(());
        let mut chains = FuturesUnordered::new();
        chains.push(async {
            let writing = writer.lock().await;
            tokio::task::yield_now().await;
            drop(writing);
            std::future::pending::<()>().await;
        });
        // It has begun to write.
        tokio::select! {
            biased;
            _ = chains.next() => {}
            () = std::future::ready(()) => {}
        }
        assert!(writer.try_lock().is_err());
        meanwhile(async { drop(writer.lock().await) }, &mut chains).await;
    }

    /// Programs read in tasks that move between threads: checked when this is compiled.
    const _: fn(&Syncer, &CancellationToken) = {
        fn may_move(_: impl Send) {}
        fn from_syncer(syncer: &Syncer, stop: &CancellationToken) {
            may_move(syncer.catch_up(1));
            may_move(syncer.follow(stop));
        }
        from_syncer
    };
}
