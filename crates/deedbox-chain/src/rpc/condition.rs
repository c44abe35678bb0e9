//! What is known of an endpoint from what it did: whether it is on the right chain, whether it answers, and what it bears.

use std::time::Duration;

use tokio::time::Instant;

use super::{trouble::Trouble, widths::Widths};
use crate::chains::{Health, Reason};

/// How long an endpoint that failed is tried last, before one read tries it in its place again.
const COOL_DOWN: Duration = Duration::from_secs(10);
/// No endpoint is tried last for longer, whatever it asks for.
const LONGEST_COOL_DOWN: Duration = Duration::from_secs(300);
/// How long an endpoint of another chain is not asked at all.
const WRONG_CHAIN: Duration = Duration::from_secs(60);
/// How long it is believed that an endpoint takes no larger batches, and no wider ranges.
pub(super) const SMALLER: Duration = Duration::from_secs(600);
/// For how many more blocks it is believed that Multicall3, once found missing, is still not there. Being wrong costs a few
/// more calls.
const NO_MULTICALL: u64 = 100_000;

/// What is known of an endpoint.
#[derive(Debug)]
pub(crate) struct Condition {
    health: Health,
    /// Why it is failing; none when it is not.
    reason: Option<Reason>,
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
    /// Up to which height its blocks are final.
    final_height: Option<u64>,
    /// As configured.
    max_batch: usize,
    /// What it takes instead, until it is asked again.
    takes: Option<(usize, Instant)>,
    /// Up to which height Multicall3 is known, or believed, to be missing.
    no_multicall: Option<u64>,
    /// How wide the pieces are of who searches for the newest logs.
    pub(crate) newest_logs: Widths,
    /// How wide the pieces are of who follows what is said. Apart: how dense their logs are has nothing to do with the others'.
    pub(crate) oldest_logs: Widths,
}

impl Condition {
    pub(crate) fn new(max_batch: usize, newest_logs: Widths, oldest_logs: Widths) -> Self {
        Self {
            health: Health::Unknown,
            reason: None,
            wrong: None,
            verified: false,
            rounds: 0,
            failure: None,
            again: None,
            head: None,
            final_height: None,
            max_batch: max_batch.max(1),
            takes: None,
            no_multicall: None,
            newest_logs,
            oldest_logs,
        }
    }

    pub(crate) const fn health(&self) -> Health {
        self.health
    }

    /// Why it cannot be used; none when it can, or was not asked yet.
    pub(crate) const fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// The highest block that it was seen to have.
    pub(crate) const fn head(&self) -> Option<u64> {
        self.head
    }

    pub(crate) fn saw_block(&mut self, number: u64) {
        self.head = self.head.max(Some(number));
    }

    /// The highest block that it was seen to have for good.
    pub(crate) const fn final_height(&self) -> Option<u64> {
        self.final_height
    }

    pub(crate) fn saw_final_block(&mut self, number: u64) {
        self.final_height = self.final_height.max(Some(number));
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
                self.reason = Some(Reason::WrongChain);
                self.again = Some(now + WRONG_CHAIN);
            }
            Err(trouble) => self.failed(trouble, now),
        }
    }

    /// It answered.
    pub(crate) fn succeeded(&mut self) {
        if self.verified {
            self.health = Health::Healthy;
            self.reason = None;
            self.again = None;
        }
    }

    /// It did not answer usefully; which chain it is on has to be asked anew, because what answers next may be something else.
    pub(crate) fn failed(&mut self, trouble: &Trouble, now: Instant) {
        if let Some(reason) = trouble.reason() {
            self.health = Health::Failing;
            self.reason = Some(reason);
            self.verified = false;
            self.again = Some(now + pause(trouble));
        }
    }

    /// The connection broke; whoever answers next has to say which chain it is on.
    pub(crate) const fn lost_connection(&mut self) {
        self.verified = false;
    }

    /// How many calls one batch may hold; 1 when it takes none.
    pub(crate) fn max_batch(&self, now: Instant) -> usize {
        match self.takes {
            Some((takes, until)) if now < until => takes,
            _ => self.max_batch,
        }
    }

    /// A batch of `size` was refused. That may have been for another reason, so it is believed for a while only.
    pub(crate) fn batch_refused(&mut self, size: usize, at_most: Option<usize>, now: Instant) {
        let smaller = at_most.filter(|n| *n >= 1 && *n < size).unwrap_or(1);
        let takes = smaller.min(self.max_batch(now));
        self.takes = Some((takes, now + SMALLER));
    }

    pub(crate) fn lacks_multicall(&self, at: u64) -> bool {
        self.no_multicall.is_some_and(|to| at <= to)
    }

    pub(crate) fn no_multicall(&mut self, at: u64) {
        let to = at.saturating_add(NO_MULTICALL);
        self.no_multicall = self.no_multicall.max(Some(to));
    }
}

/// How long an endpoint is tried last: longer when it asks for that.
fn pause(trouble: &Trouble) -> Duration {
    match trouble {
        Trouble::RateLimited {
            retry_after: Some(asked),
        } => (*asked).clamp(COOL_DOWN, LONGEST_COOL_DOWN),
        _ => COOL_DOWN,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn condition() -> Condition {
        let widths = || Widths::new(1, None);
        let mut condition = Condition::new(20, widths(), widths());
        condition.verification(&Ok(()), Instant::now());
        condition
    }

    #[tokio::test(start_paused = true)]
    async fn what_failed_gets_one_trial_after_it_cooled_down() {
        let mut condition = condition();
        assert!(condition.takes_its_turn(Instant::now()));
        condition.failed(&Trouble::Unreachable, Instant::now());
        assert_eq!(condition.health(), Health::Failing);
        assert_eq!(condition.reason(), Some(Reason::CannotBeReached));
        assert!(!condition.takes_its_turn(Instant::now()));
        tokio::time::advance(COOL_DOWN).await;
        assert!(condition.takes_its_turn(Instant::now()), "the trial");
        assert!(!condition.takes_its_turn(Instant::now()), "and only one");
        condition.verification(&Ok(()), Instant::now());
        assert!(condition.takes_its_turn(Instant::now()));
        assert_eq!(condition.health(), Health::Healthy);
        assert_eq!(condition.reason(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_endpoint_that_asks_for_more_time_gets_it_up_to_a_limit() {
        for (asked, given) in [(1, 10), (60, 60), (86_400, 300)] {
            let mut condition = condition();
            let retry_after = Some(Duration::from_secs(asked));
            condition.failed(&Trouble::RateLimited { retry_after }, Instant::now());
            tokio::time::advance(Duration::from_secs(given - 1)).await;
            assert!(!condition.takes_its_turn(Instant::now()));
            tokio::time::advance(Duration::from_secs(1)).await;
            assert!(condition.takes_its_turn(Instant::now()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_the_endpoints_fault_leaves_it_healthy() {
        let mut condition = condition();
        for trouble in [
            Trouble::StateUnavailable,
            Trouble::BlockUnknown,
            Trouble::Reverted(Default::default()),
            Trouble::Busy,
            Trouble::TooManyBlocks { suggested: None },
            Trouble::BatchRefused { at_most: None },
            Trouble::ResponseTooLarge,
        ] {
            condition.failed(&trouble, Instant::now());
            assert_eq!(condition.health(), Health::Healthy, "{trouble:?}");
            assert_eq!(condition.chain(Instant::now()), Chain::Right, "{trouble:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_endpoint_of_another_chain_is_asked_again_later() {
        let mut condition = condition();
        let wrong = Trouble::WrongChain { answered: 5 };
        condition.verification(&Err(wrong.clone()), Instant::now());
        assert_eq!(condition.chain(Instant::now()), Chain::Wrong(wrong));
        assert!(!condition.takes_its_turn(Instant::now()));
        tokio::time::advance(WRONG_CHAIN).await;
        assert_eq!(condition.chain(Instant::now()), Chain::Verify { rounds: 2 });
        condition.verification(&Ok(()), Instant::now());
        assert_eq!(condition.chain(Instant::now()), Chain::Right);
    }

    #[tokio::test(start_paused = true)]
    async fn batches_get_smaller_only_and_for_a_while() {
        for (size, at_most, expected) in [
            (20, Some(30), 1),
            (20, Some(20), 1),
            (20, None, 1),
            (20, Some(0), 1),
            (20, Some(3), 3),
        ] {
            let mut condition = condition();
            let now = Instant::now();
            condition.batch_refused(size, at_most, now);
            assert_eq!(condition.max_batch(now), expected, "{size} {at_most:?}");
            condition.batch_refused(20, Some(10), now);
            assert_eq!(
                condition.max_batch(now),
                expected,
                "a late refusal of an older batch"
            );
            assert_eq!(condition.max_batch(now + SMALLER), 20);
        }
    }

    #[test]
    fn multicall_is_believed_to_be_missing_up_to_some_height() {
        let mut condition = condition();
        assert!(!condition.lacks_multicall(500));
        condition.no_multicall(500);
        assert!(condition.lacks_multicall(0) && condition.lacks_multicall(500 + NO_MULTICALL));
        assert!(!condition.lacks_multicall(501 + NO_MULTICALL));
        condition.no_multicall(100);
        assert!(condition.lacks_multicall(500 + NO_MULTICALL));
    }
}
