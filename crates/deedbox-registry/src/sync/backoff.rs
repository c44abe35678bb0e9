//! Waiting after failures.

use std::time::Duration;

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
