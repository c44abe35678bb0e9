//! How long to wait before trying again: exponential, with full jitter, so that those who failed together do not come back
//! together.

use std::time::Duration;

use super::trouble::Trouble;

const FIRST: Duration = Duration::from_millis(100);
/// No wait is longer, also when the endpoint asks for it: then the next endpoint is asked at once.
pub(crate) const LONGEST: Duration = Duration::from_secs(2);

/// The wait before attempt `attempt + 1` of `attempts`; none when it is not to be tried again here. `random` is uniform.
pub(crate) fn wait(
    trouble: &Trouble,
    attempt: u32,
    attempts: u32,
    random: u64,
) -> Option<Duration> {
    if !trouble.passes() || attempt >= attempts {
        return None;
    }
    let doubled = 1 << attempt.saturating_sub(1).min(16);
    let span = FIRST.saturating_mul(doubled).min(LONGEST);
    let jitter = fraction(span, random);
    match trouble {
        Trouble::RateLimited {
            retry_after: Some(asked),
        } if *asked > LONGEST => None,
        // Not before it was asked for, and not all at that moment.
        Trouble::RateLimited {
            retry_after: Some(asked),
        } => Some(*asked + jitter),
        _ => Some(jitter),
    }
}

/// `span` times `random` / 2^64.
fn fraction(span: Duration, random: u64) -> Duration {
    let nanos = (span.as_nanos() * u128::from(random)) >> 64;
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(trouble: &Trouble, attempt: u32, random: u64) -> Option<u128> {
        wait(trouble, attempt, 9, random).map(|d| d.as_millis())
    }

    #[test]
    fn waits_double_up_to_the_longest_and_are_spread_over_all_of_it() {
        let most: Vec<_> = (1..9)
            .map(|n| millis(&Trouble::Internal, n, u64::MAX))
            .collect();
        let expected = [99, 199, 399, 799, 1599, 1999, 1999, 1999];
        assert_eq!(most, expected.map(Some));
        assert_eq!(millis(&Trouble::Internal, 5, 0), Some(0));
        assert_eq!(millis(&Trouble::Internal, 3, 1 << 63), Some(200));
    }

    #[test]
    fn what_was_asked_for_is_waited_for_unless_it_is_too_long() {
        let limited = |seconds| Trouble::RateLimited {
            retry_after: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(millis(&limited(1), 1, 0), Some(1000));
        assert_eq!(millis(&limited(2), 1, 0), Some(2000));
        assert_eq!(millis(&limited(3), 1, 0), None);
    }

    #[test]
    fn nothing_is_tried_more_often_than_allowed_or_when_it_would_not_help() {
        assert_eq!(wait(&Trouble::Internal, 3, 3, 0), None);
        assert_eq!(wait(&Trouble::Internal, 1, 1, 0), None);
        for trouble in [
            Trouble::TimedOut,
            Trouble::Tls,
            Trouble::StateUnavailable,
            Trouble::Busy,
        ] {
            assert_eq!(millis(&trouble, 1, 0), None);
        }
    }
}
