//! The real clock and the system's random source.

use deedbox_core::{Timestamp, World};
use time::OffsetDateTime;

/// The clock of this machine, and the random source of its operating system.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemWorld;

impl World for SystemWorld {
    fn now(&self) -> Timestamp {
        // A clock outside the years 0 to 9999 is broken; the epoch makes that plain in every deed.
        Timestamp::from_datetime(OffsetDateTime::now_utc())
            .unwrap_or_else(|_| Timestamp::from_millis(0).unwrap_or_else(|_| unreachable!()))
    }

    #[expect(
        clippy::panic,
        reason = "without randomness no id or key may be made; there is nothing safe to go on with"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            panic!("the operating system gives no randomness: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_fills_differ_and_the_clock_is_not_the_epoch() {
        let (mut one, mut two) = ([0; 32], [0; 32]);
        SystemWorld.fill(&mut one);
        SystemWorld.fill(&mut two);
        assert_ne!(one, two);
        assert!(SystemWorld.now().as_millis() > 1_700_000_000_000);
    }
}
