//! The clock and the random source of this machine.

use std::time::{SystemTime, UNIX_EPOCH};

use deedbox_core::{Timestamp, World};

#[derive(Debug)]
pub(crate) struct Here;

impl World for Here {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis = since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0));
        Timestamp::from_millis(millis).unwrap_or_else(|_| unreachable!("this century is a time"))
    }

    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            unreachable!("the system has no randomness: {error}");
        }
    }
}
