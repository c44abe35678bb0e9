//! What whoever watches a syncer is told.

use std::{fmt, time::Duration};

use deedbox_chain::ReadError;
use deedbox_core::Timestamp;
use deedbox_store::{
    StoreError,
    index::{ChainBrokeFinality, Cursor, Look, RegistryId, ShortChain},
};

/// Why a chain's registries were not read.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The chain could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The index could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How far one registry is, after a piece of it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The registry.
    pub registry: RegistryId,
    /// The first block that was read by this syncer.
    pub from: u64,
    /// The last block that is read.
    pub upto: u64,
    /// The chain's newest block.
    pub head: u64,
    /// How many facts this syncer appended.
    pub facts: u64,
    /// How many logs had the topic of an event, and not its form: they are left out.
    pub unreadable: u64,
    /// How often a tool named a predicate that is not watched, because there are too many of them.
    pub unwatched: u64,
    /// Facts a second, since it began.
    pub facts_per_second: f64,
    /// How long the rest takes, when it goes on as it went; none before there is anything to judge by.
    pub remaining: Option<Duration>,
}

/// What happens while registries are read.
#[derive(Debug)]
pub enum News {
    /// A piece was read.
    Progress(Progress),
    /// This syncer has a registry now, that nobody had or that its holder let go.
    Took(RegistryId),
    /// Another syncer has the registry, or it is not in the index any more.
    Lost(RegistryId),
    /// A chain took back blocks, and what was said in them was undone.
    WentBack {
        /// The registry.
        registry: RegistryId,
        /// Up to which block it had been read.
        from: u64,
        /// Up to which it is read now; none: it is read anew.
        to: Option<u64>,
    },
    /// A registry is left alone until its chain has the final block again that it was read up to.
    BrokeFinality(ChainBrokeFinality),
    /// The chain of a registry has the final block again that it had gone back on. It is read on.
    KeptFinality(RegistryId),
    /// The chain of a registry ends below what was final of it. Nothing is undone. Told again when it is found out that the endpoint is only behind,
    /// or that this is not known any more.
    EndsBelowFinal {
        /// The registry.
        registry: RegistryId,
        /// The chain.
        chain: ShortChain,
    },
    /// The chain of a registry does not end below what was final any more.
    LongAgain(RegistryId),
    /// Something else stands at a registry's address than was accepted.
    CodeChanged(Look),
    /// What stands at a registry's address is what is accepted, again or by now; or nobody follows it any more.
    CodeAccepted(RegistryId),
    /// What stands at a registry's address could not be found out. It is tried again.
    NotLookedAt {
        /// The registry.
        registry: RegistryId,
        /// Why.
        error: ReadError,
    },
    /// One registry cannot be read for now; the others go on.
    RegistryFailed {
        /// The registry.
        registry: RegistryId,
        /// Why.
        error: ReadError,
        /// When it is tried again.
        retry_in: Duration,
    },
    /// Registries of a chain are followed that no endpoint is configured for. They are not read.
    NotConfigured {
        /// The chain.
        chain_id: u64,
        /// What there is to say about it.
        error: ReadError,
    },
    /// No registry of a chain could be read.
    ChainFailed {
        /// The chain.
        chain_id: u64,
        /// Why.
        error: SyncError,
        /// When it is tried again.
        retry_in: Duration,
    },
}

/// Somebody who is told what happens. Called between two steps, so it must not wait for anything.
pub trait Watch: Send + Sync + fmt::Debug {
    /// Takes a piece of news.
    fn tell(&self, news: News);
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn tell(&self, _: News) {}
}

/// How fast one registry is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    since: Timestamp,
    from: u64,
    facts: u64,
    unreadable: u64,
}

impl Pace {
    pub(super) fn new(since: Timestamp, from: u64) -> Self {
        Self {
            since,
            from,
            facts: 0,
            unreadable: 0,
        }
    }

    pub(super) fn add(&mut self, facts: usize, unreadable: u64) {
        self.facts = self
            .facts
            .saturating_add(u64::try_from(facts).unwrap_or(u64::MAX));
        self.unreadable = self.unreadable.saturating_add(unreadable);
    }

    /// Where it is, `cursor` being read.
    pub(super) fn progress(
        &self,
        cursor: &Cursor,
        head: u64,
        unwatched: u64,
        now: Timestamp,
    ) -> Progress {
        let upto = cursor.next().saturating_sub(1);
        let millis = now.as_millis().saturating_sub(self.since.as_millis());
        let elapsed = Duration::from_millis(u64::try_from(millis).unwrap_or(0));
        let seconds = elapsed.as_secs_f64();
        let done = cursor.next().saturating_sub(self.from);
        let left = head.saturating_sub(upto);
        Progress {
            registry: cursor.registry,
            from: self.from,
            upto,
            head,
            facts: self.facts,
            unreadable: self.unreadable,
            unwatched,
            facts_per_second: if seconds > 0.0 {
                real(self.facts) / seconds
            } else {
                0.0
            },
            remaining: (done > 0 && seconds > 0.0)
                .then(|| Duration::try_from_secs_f64(seconds * real(left) / real(done)).ok())
                .flatten(),
        }
    }
}

/// Exact up to 2^53, which is more than anybody counts here.
#[expect(clippy::cast_precision_loss, reason = "a rate need not be exact")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use deedbox_core::{BlockHash, ChainAddress};
    use deedbox_store::index::{Checkpoint, Standard};

    use super::*;

    #[test]
    fn what_is_left_takes_as_long_as_what_was_done() {
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let registry = RegistryId {
            chain_id: 1,
            address: ChainAddress([1; 20]),
        };
        let mut cursor = Cursor::new(registry, Standard::Erc8122, 100);
        let mut pace = Pace::new(at(1_000), cursor.next());
        let before = pace.progress(&cursor, 400, 0, at(3_000));
        assert_eq!((before.upto, before.remaining), (99, None));
        cursor.upto = Some(Checkpoint {
            block: 199,
            hash: BlockHash([1; 32]),
        });
        pace.add(50, 2);
        // 100 blocks in 2 seconds; 200 more to go.
        let now = pace.progress(&cursor, 399, 7, at(3_000));
        assert_eq!((now.from, now.upto, now.head), (100, 199, 399));
        assert_eq!((now.facts, now.unreadable, now.unwatched), (50, 2, 7));
        assert!((now.facts_per_second - 25.0).abs() < 1e-9);
        assert_eq!(now.remaining, Some(Duration::from_secs(4)));
    }
}
