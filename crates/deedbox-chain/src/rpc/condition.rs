//! What is known of an endpoint from what it did: whether it is on the right chain, whether it answers, and what it bears.

use std::time::Duration;

use tokio::time::Instant;

use super::trouble::Trouble;
use crate::chains::Health;

/// How long an endpoint that failed is tried last, before one read tries it in its place again.
const COOL_DOWN: Duration = Duration::from_secs(10);
/// How long an endpoint of another chain is not asked at all.
const WRONG_CHAIN: Duration = Duration::from_secs(60);
/// For how many blocks it is believed that Multicall3 is still not there. Being wrong costs a few more requests.
const NO_MULTICALL: u64 = 100_000;

/// What is known of an endpoint.
#[derive(Debug)]
pub(crate) struct Condition {
    health: Health,
    /// Which chain it answered for, when that was another one.
    wrong: Option<u64>,
    /// Whether its chain was verified since it last failed.
    verified: bool,
    /// How many verifications have ended, and how the last one did when it failed.
    rounds: u64,
    failure: Option<Trouble>,
    /// When it is tried again.
    again: Option<Instant>,
    head: Option<u64>,
    max_batch: usize,
    /// The heights at which Multicall3 is known, or believed, to be missing.
    no_multicall: Option<(u64, u64)>,
    /// The width of the last search for logs, and the least that was refused.
    log_blocks: LogBlocks,
}

/// How wide a search for logs may be, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogBlocks {
    /// What to begin with.
    pub(crate) start: u64,
    /// What was refused for being too wide: not tried again.
    pub(crate) refused: Option<u64>,
}

impl Condition {
    pub(crate) fn new(max_batch: usize, log_blocks: LogBlocks) -> Self {
        Self {
            health: Health::Unknown,
            wrong: None,
            verified: false,
            rounds: 0,
            failure: None,
            again: None,
            head: None,
            max_batch: max_batch.max(1),
            no_multicall: None,
            log_blocks,
        }
    }

    pub(crate) const fn health(&self) -> Health {
        self.health
    }

    /// The highest block that it was seen to have.
    pub(crate) const fn head(&self) -> Option<u64> {
        self.head
    }

    pub(crate) fn saw_block(&mut self, number: u64) {
        self.head = self.head.max(Some(number));
    }

    /// Whether it is its turn in the order of preference. An endpoint that failed gets one read as a trial after it
    /// has cooled down; meanwhile the others keep trying it last.
    pub(crate) fn takes_its_turn(&mut self, now: Instant) -> bool {
        match self.health {
            Health::Unknown | Health::Healthy => true,
            Health::Failing | Health::WrongChain => {
                let due = self.again.is_none_or(|again| now >= again);
                if due && self.health == Health::Failing {
                    self.again = Some(now + COOL_DOWN);
                }
                due
            }
        }
    }

    /// Whether it may be asked for data: its chain is the right one. Otherwise what to do.
    pub(crate) fn chain(&self, now: Instant) -> Chain {
        match self.wrong {
            Some(answered) if self.again.is_some_and(|again| now < again) => {
                Chain::Wrong(Trouble::WrongChain { answered })
            }
            _ if self.verified => Chain::Right,
            _ => Chain::Verify {
                rounds: self.rounds,
            },
        }
    }

    /// What a verification came to that ended after `rounds` of them; none when none has.
    pub(crate) fn since(&self, rounds: u64) -> Option<Result<(), Trouble>> {
        if self.verified {
            return Some(Ok(()));
        }
        let failure = self.failure.clone().filter(|_| self.rounds > rounds);
        failure.map(Err)
    }

    /// A verification ended.
    pub(crate) fn verification(&mut self, outcome: &Result<(), Trouble>, now: Instant) {
        self.rounds += 1;
        self.failure = outcome.clone().err();
        self.wrong = None;
        match outcome {
            Ok(()) => {
                self.verified = true;
                self.succeeded();
            }
            Err(Trouble::WrongChain { answered }) => {
                self.wrong = Some(*answered);
                self.verified = false;
                self.health = Health::WrongChain;
                self.again = Some(now + WRONG_CHAIN);
            }
            Err(trouble) => self.failed(trouble, now),
        }
    }

    /// It answered.
    pub(crate) fn succeeded(&mut self) {
        if self.verified {
            self.health = Health::Healthy;
            self.again = None;
        }
    }

    /// It did not answer usefully; which chain it is on has to be asked anew, because what answers next may be something else.
    pub(crate) fn failed(&mut self, trouble: &Trouble, now: Instant) {
        if trouble.is_failing() {
            self.health = Health::Failing;
            self.verified = false;
            self.again = Some(now + COOL_DOWN);
        }
    }

    pub(crate) const fn max_batch(&self) -> usize {
        self.max_batch
    }

    /// A batch of `size` was refused.
    pub(crate) fn batch_refused(&mut self, size: usize, at_most: Option<usize>) {
        let smaller = at_most.filter(|n| *n >= 1 && *n < size).unwrap_or(1);
        self.max_batch = self.max_batch.min(smaller);
    }

    pub(crate) fn lacks_multicall(&self, at: u64) -> bool {
        self.no_multicall
            .is_some_and(|(from, to)| (from..=to).contains(&at))
    }

    pub(crate) fn no_multicall(&mut self, at: u64) {
        let (from, to) = self.no_multicall.unwrap_or((0, at));
        self.no_multicall = Some((from, to.max(at.saturating_add(NO_MULTICALL))));
    }

    pub(crate) const fn log_blocks(&self) -> LogBlocks {
        self.log_blocks
    }

    pub(crate) fn set_log_blocks(&mut self, log_blocks: LogBlocks) {
        self.log_blocks = log_blocks;
    }
}

/// Whether an endpoint is on the right chain.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// It is.
    Right,
    /// It is not, and it is too early to ask again.
    Wrong(Trouble),
    /// It has to be asked; so many verifications have ended before.
    Verify { rounds: u64 },
}
