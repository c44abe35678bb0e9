//! The random source of this machine, and its clock, which can be set forward: a day later everything is due again.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use deedbox_core::{Timestamp, World};

#[derive(Debug, Default)]
pub(crate) struct Later(AtomicI64);

impl Later {
    /// Sets the clock forward.
    pub(crate) fn forward(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

impl World for Later {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis = since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0));
        let millis = millis + self.0.load(Ordering::Relaxed);
        Timestamp::from_millis(millis).unwrap_or_else(|_| unreachable!("this century is a time"))
    }

    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            unreachable!("the system has no randomness: {error}");
        }
    }
}
