//! What the registry said, for as long as it may be relied upon. Who asks while the same is being asked waits for that answer.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use alloy_primitives::{Address, B256, Bytes, keccak256};
use deedbox_core::Timestamp;
use deedbox_registry::access::{Access, proof};

use crate::Refusal;

/// What is asked: whether this account has access with this evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    account: Address,
    data: B256,
}

impl Question {
    pub(crate) fn new(account: Address, data: &Bytes) -> Self {
        Self {
            account,
            data: keccak256(data),
        }
    }
}

/// A grant, as it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) access: Access,
    pub(crate) block_number: u64,
    /// When it was asked for: what it says is at least as new.
    pub(crate) asked_at: Timestamp,
}

/// An answer, and the moment from which on it is not relied upon.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) answer: Result<Grant, Refusal>,
    pub(crate) until: Timestamp,
}

/// When evidence stops to be any: none where nobody but the predicate can know that, and then no answer to it may be kept.
pub(crate) fn ends(data: &Bytes) -> Option<Timestamp> {
    const NEVER: i64 = i64::MAX;
    let millis = if data.is_empty() {
        NEVER
    } else {
        let (deadline, _) = proof::read(data)?;
        i64::try_from(deadline).map_or(NEVER, |seconds| seconds.saturating_mul(1000))
    };
    // Kept inside what can be written.
    Timestamp::from_millis(0)
        .ok()
        .map(|epoch| epoch.plus_millis(millis))
}

/// One question's answer. Whoever asks holds the lock meanwhile.
#[derive(Debug, Default)]
struct Slot {
    known: tokio::sync::Mutex<Option<Known>>,
    /// `until` of what is known, for whoever looks for room; zero while nothing is.
    until: AtomicI64,
}

/// Answers by question; so many at most.
#[derive(Debug)]
pub(crate) struct Answers {
    most: usize,
    slots: Mutex<HashMap<Question, Arc<Slot>>>,
}

impl Answers {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            slots: Mutex::default(),
        }
    }

    /// The answer that still counts, or else what `ask` gives, which is polled by one at a time.
    pub(crate) async fn get(
        &self,
        question: Question,
        now: impl Fn() -> Timestamp,
        ask: impl Future<Output = Known>,
    ) -> Result<Grant, Refusal> {
        let slot = self.slot(question, now()).ok_or(Refusal::GateFull)?;
        let mut known = slot.known.lock().await;
        // By now: this may have waited.
        if let Some(known) = known.as_ref().filter(|known| known.until > now()) {
            return known.answer.clone();
        }
        let found = ask.await;
        slot.until.store(found.until.as_millis(), Ordering::Release);
        known.insert(found).answer.clone()
    }

    /// The place of a question's answer. Where there is no room, what no longer counts goes first, then what counts for the shortest time;
    /// what somebody waits for stays.
    fn slot(&self, question: Question, now: Timestamp) -> Option<Arc<Slot>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(&question) {
            return Some(Arc::clone(slot));
        }
        if slots.len() >= self.most {
            let is_free = |slot: &Arc<Slot>| Arc::strong_count(slot) == 1;
            let until = |slot: &Arc<Slot>| slot.until.load(Ordering::Acquire);
            slots.retain(|_, slot| !is_free(slot) || until(slot) > now.as_millis());
            if slots.len() >= self.most {
                let free = slots.iter().filter(|(_, slot)| is_free(slot));
                let first = free.min_by_key(|(_, slot)| until(slot))?;
                let first = *first.0;
                slots.remove(&first);
            }
        }
        Some(Arc::clone(slots.entry(question).or_default()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use futures::{executor::block_on, future::join_all};

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).unwrap()
    }

    fn question(number: u8) -> Question {
        Question::new(Address::repeat_byte(number), &Bytes::new())
    }

    fn denied(until: i64) -> Known {
        Known {
            answer: Err(Refusal::AccessDenied),
            until: at(until),
        }
    }

    #[test]
    fn an_answer_counts_until_its_moment_and_is_asked_for_once_by_many() {
        let answers = Answers::new(10);
        let asked = AtomicUsize::new(0);
        let ask = |now| {
            answers.get(question(1), move || at(now), async {
                asked.fetch_add(1, Ordering::Relaxed);
                // Lets the others come, too.
                tokio::task::yield_now().await;
                denied(2000)
            })
        };
        let all = block_on(join_all((0..20).map(|_| ask(1000))));
        assert!(all.iter().all(|one| *one == Err(Refusal::AccessDenied)));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert!(block_on(ask(1999)).is_err());
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert!(block_on(ask(2000)).is_err());
        assert_eq!(asked.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn whoever_goes_away_while_asking_leaves_the_question_to_the_next() {
        let answers = Answers::new(10);
        let never = answers.get(question(1), || at(0), std::future::pending());
        let gone = block_on(async { futures::poll!(std::pin::pin!(never)) });
        assert!(gone.is_pending());
        let next = answers.get(question(1), || at(0), async { denied(1) });
        assert_eq!(block_on(next), Err(Refusal::AccessDenied));
    }

    #[test]
    fn no_more_answers_are_kept_than_there_is_room_for() {
        let answers = Answers::new(3);
        for number in 0..50 {
            let known = async { denied(1000 + i64::from(number)) };
            block_on(answers.get(question(number), || at(0), known)).unwrap_err();
            assert!(answers.slots.lock().unwrap().len() <= 3);
        }
        let kept = answers.slots.lock().unwrap();
        assert!(kept.contains_key(&question(49)));
        drop(kept);
        // All are waited for: nobody's place is taken.
        let held: Vec<_> = (100..103)
            .filter_map(|one| answers.slot(question(one), at(9999)))
            .collect();
        assert_eq!(held.len(), 3);
        assert!(answers.slot(question(200), at(9999)).is_none());
    }

    #[test]
    fn what_only_the_predicate_understands_is_not_kept() {
        assert!(ends(&Bytes::new()) > Some(at(4_000_000_000_000)));
        let proof = deedbox_registry::AccessProof {
            chain_id: 1,
            predicate: Address::ZERO,
            tool_id: alloy_primitives::U256::ZERO,
            account: Address::ZERO,
            deadline: 77,
        };
        assert_eq!(ends(&proof.data(&[1; 65])), Some(at(77_000)));
        assert_eq!(ends(&Bytes::from_static(&[1; 64])), None);
    }
}
