//! Which proofs were used: each lets one request in.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Mutex, PoisonError},
};

use alloy_primitives::B256;
use async_trait::async_trait;
use deedbox_core::Timestamp;

/// A proof that is about to let a request in. Times are in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taking {
    /// Its EIP-712 digest: what there can be only one of, whatever its signature looks like.
    pub digest: B256,
    /// When it was signed, as its signer says.
    pub issued_at: u64,
    /// The last second in which it counts: so long it must be remembered.
    pub deadline: u64,
    /// What time it is.
    pub now: u64,
}

/// What became of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It was not used before, and is now.
    First,
    /// It was used before.
    Before,
    /// It was signed before what is remembered begins, so nobody knows.
    TooOld,
    /// There is no room to remember it. Nothing that still counts is forgotten for it.
    Full,
}

/// The used proofs could not be asked. It holds no cause: what was wrong belongs in the log of whoever knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it cannot be found out whether the proof was used before")]
pub struct Unavailable;

/// Where used proofs are remembered. Replicas that answer for one audience share one, for example a table with the digest as its key.
#[async_trait]
pub trait UsedProofs: Send + Sync + fmt::Debug {
    /// Takes a proof. Of any number of calls with one digest, at any number of replicas and at the same time, one gets
    /// [`Taken::First`], until the deadline has passed.
    ///
    /// # Errors
    /// [`Unavailable`]: then nobody is let in.
    async fn take(&self, taking: Taking) -> Result<Taken, Unavailable>;
}

/// Used proofs in the memory of this process, for a tool that is served by one.
///
/// What was used before this process began it cannot know, so it takes no proof that was signed before. (By a clock that runs ahead of this one by some
/// seconds, a proof that was used right before a restart can be used once more right after it; the gate takes five seconds of that at most.)
#[derive(Debug)]
pub struct InMemory {
    began: u64,
    most: usize,
    /// By deadline, so that what no longer counts is forgotten from the front.
    used: Mutex<BTreeSet<(u64, B256)>>,
}

impl InMemory {
    /// Remembers up to `most` proofs that still count, about a hundred bytes each, and takes those that are signed from now on.
    #[must_use]
    pub const fn new(now: Timestamp, most: usize) -> Self {
        Self {
            began: seconds(now),
            most,
            used: Mutex::new(BTreeSet::new()),
        }
    }
}

#[async_trait]
impl UsedProofs for InMemory {
    async fn take(&self, taking: Taking) -> Result<Taken, Unavailable> {
        if taking.issued_at < self.began {
            return Ok(Taken::TooOld);
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.split_off(&(taking.now, B256::ZERO));
        let this = (taking.deadline, taking.digest);
        if used.contains(&this) {
            return Ok(Taken::Before);
        }
        if used.len() >= self.most {
            return Ok(Taken::Full);
        }
        used.insert(this);
        Ok(Taken::First)
    }
}

/// Whole seconds since 1970; zero before.
pub(crate) const fn seconds(at: Timestamp) -> u64 {
    let millis = at.as_millis();
    if millis < 0 {
        0
    } else {
        millis.unsigned_abs() / 1000
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;

    fn proof(number: u8, deadline: u64, now: u64) -> Taking {
        Taking {
            digest: B256::repeat_byte(number),
            issued_at: 100,
            deadline,
            now,
        }
    }

    #[test]
    fn a_proof_is_taken_once_and_remembered_through_its_last_second() {
        let used = InMemory::new(Timestamp::from_millis(100_999).unwrap(), 10);
        let take = |taking| block_on(used.take(taking)).unwrap();
        assert_eq!(take(proof(1, 200, 100)), Taken::First);
        assert_eq!(take(proof(1, 200, 100)), Taken::Before);
        assert_eq!(take(proof(2, 200, 100)), Taken::First);
        assert_eq!(take(proof(1, 200, 200)), Taken::Before);
    }

    #[test]
    fn no_proof_that_still_counts_is_forgotten_for_want_of_room() {
        let used = InMemory::new(Timestamp::from_millis(0).unwrap(), 2);
        let take = |taking| block_on(used.take(taking)).unwrap();
        assert_eq!(take(proof(1, 200, 100)), Taken::First);
        assert_eq!(take(proof(2, 300, 100)), Taken::First);
        assert_eq!(take(proof(3, 300, 200)), Taken::Full);
        assert_eq!(take(proof(1, 200, 200)), Taken::Before);
        assert_eq!(take(proof(3, 300, 201)), Taken::First);
        assert_eq!(used.used.lock().unwrap().len(), 2);
    }

    #[test]
    fn what_was_signed_before_the_memory_begins_is_not_taken() {
        let used = InMemory::new(Timestamp::from_millis(101_000).unwrap(), 2);
        assert_eq!(block_on(used.take(proof(1, 200, 102))), Ok(Taken::TooOld));
    }
}
