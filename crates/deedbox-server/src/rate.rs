//! How often one credential may ask.

use std::{num::NonZeroU32, time::Duration};

use deedbox_core::PrincipalId;
use governor::{DefaultKeyedRateLimiter, Quota, clock::Clock as _};

/// A rate that is sustained, and how much may come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Requests per second, over time.
    pub per_second: NonZeroU32,
    /// Requests at once after a pause.
    pub burst: NonZeroU32,
}

/// Counts requests, for each credential apart.
#[derive(Debug)]
pub struct Limiter {
    // Only credentials that were admitted are counted, so the map has at most one entry for each key that exists.
    counts: Option<DefaultKeyedRateLimiter<PrincipalId>>,
}

/// One request too many; the next is admitted after this long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    /// How long to wait.
    pub wait: Duration,
}

impl Limiter {
    /// A limiter; without a rate it admits everything.
    #[must_use]
    pub fn new(rate: Option<Rate>) -> Self {
        let quota = |rate: Rate| Quota::per_second(rate.per_second).allow_burst(rate.burst);
        Self {
            counts: rate.map(|rate| DefaultKeyedRateLimiter::keyed(quota(rate))),
        }
    }

    /// Counts one request of `principal`.
    ///
    /// # Errors
    /// [`TooMany`] when it is over its rate.
    pub fn admit(&self, principal: &PrincipalId) -> Result<(), TooMany> {
        let Some(counts) = &self.counts else {
            return Ok(());
        };
        counts.check_key(principal).map_err(|not_until| TooMany {
            wait: not_until.wait_time_from(counts.clock().now()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_credential_has_its_own_budget() {
        let one = NonZeroU32::MIN;
        let limiter = Limiter::new(Some(Rate {
            per_second: one,
            burst: one,
        }));
        assert_eq!(limiter.admit(&PrincipalId::LOCAL), Ok(()));
        let refused = limiter.admit(&PrincipalId::LOCAL).unwrap_err();
        assert!(refused.wait > Duration::ZERO && refused.wait <= Duration::from_secs(1));
        assert_eq!(limiter.admit(&PrincipalId::ACCESS_TOKEN), Ok(()));
    }

    #[test]
    fn without_a_rate_everything_is_admitted() {
        let limiter = Limiter::new(None);
        assert!((0..1000).all(|_| limiter.admit(&PrincipalId::LOCAL).is_ok()));
    }
}
