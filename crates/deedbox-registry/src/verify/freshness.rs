//! How long a verification counts (ERC-8257 §7, *Handling Verification Failure*; *Manifest Freshness*).

use deedbox_manifest::freshness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a verification is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To show the tool to somebody, or to an agent: five minutes.
    Interactive,
    /// To invoke it, once or some times: five minutes unless the consumer has another window, and never over 24 hours.
    Invocation,
    /// To pay or to sign: for this one use, and not for another.
    Payment,
}

/// What is recommended where latency matters, in seconds.
pub const RECOMMENDED: u64 = 5 * 60;
/// The most for whoever may invoke a tool, in seconds.
pub const MOST: u64 = 24 * 60 * 60;

/// How long a verification counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// In seconds from when it was begun.
    pub seconds: u64,
    /// Whether the manifest's `maxAge` made it shorter than it would have been.
    pub shortened: bool,
}

impl Purpose {
    /// The window to use: the consumer's `own` in seconds, or what is recommended; never more than the purpose allows, and never more
    /// than the manifest's `maxAge` (reading M-18).
    #[must_use]
    pub fn window(self, own: Option<u64>, max_age: Option<u64>) -> Window {
        let most = match self {
            Self::Interactive => RECOMMENDED,
            Self::Invocation => MOST,
            Self::Payment => 0,
        };
        let own = own.unwrap_or(RECOMMENDED).min(most);
        let seconds = freshness::window(own, max_age);
        Window {
            seconds,
            shortened: seconds < own,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_window_is_that_of_the_purpose_and_a_creator_can_only_shorten_it() {
        use Purpose::{Interactive, Invocation, Payment};
        for (purpose, own, max_age, seconds) in [
            (Interactive, None, None, 300),
            (Interactive, Some(60), None, 60),
            (Interactive, Some(301), None, 300),
            (Interactive, None, Some(60), 60),
            (Interactive, None, Some(900), 300),
            (Invocation, None, None, 300),
            (Invocation, Some(86_400), None, 86_400),
            (Invocation, Some(86_401), None, 86_400),
            (Invocation, Some(3600), Some(0), 0),
            (Payment, Some(3600), None, 0),
        ] {
            let window = purpose.window(own, max_age);
            assert_eq!(window.seconds, seconds, "{purpose:?} {own:?} {max_age:?}");
            assert_eq!(window.shortened, max_age.is_some_and(|age| age == seconds));
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_longer_than_a_day_or_than_max_age(own: Option<u64>, max_age: Option<u64>) {
            for purpose in [Purpose::Interactive, Purpose::Invocation, Purpose::Payment] {
                let window = purpose.window(own, max_age);
                prop_assert!(window.seconds <= MOST);
                prop_assert!(max_age.is_none_or(|age| window.seconds <= age));
            }
        }
    }
}
