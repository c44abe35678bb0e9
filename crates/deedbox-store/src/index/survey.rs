//! How well a registry is followed: what was seen of its chain when somebody looked last.

use std::time::Duration;

use deedbox_core::{BlockHash, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Checkpoint, RegistryId};

/// How old the last look at a chain may be before whoever is told something that was read from it is warned. Longer than another process
/// needs to go on where one died.
pub const LOOK_IS_OLD: Duration = Duration::from_secs(60);
/// How many looks are missed before that, where they are made seldom.
const MISSED: u64 = 5;

/// What whoever reads a registry saw of its chain when it looked last. Only a look that succeeded is one: of an endpoint that does not answer
/// nothing is kept, so that it cannot be taken for a chain on which nothing happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survey {
    /// The registry.
    pub registry: RegistryId,
    /// When, by the clock of whoever looked.
    pub looked_at: Timestamp,
    /// How long after a look the next one is made, in milliseconds.
    pub poll_millis: u64,
    /// The height of the chain's newest block then.
    pub head: u64,
    /// The block that was final and is not part of the chain any more; none while the chain keeps what it promised.
    pub broke: Option<ChainBrokeFinality>,
    /// That the chain ended below what is read of the registry; none while it is at least as long.
    #[serde(default)]
    pub short: Option<ShortChain>,
}

/// How the chain that was seen stands to what was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainStanding {
    /// It goes on from what was read.
    GoesOn,
    /// Whoever was asked has not as many blocks as were read, and is behind, as far as that can be known: what it has is what was read.
    Behind(ShortChain),
    /// It ends below what was final, and none of the blocks that it has is known: it may be behind, or another chain.
    EndsBelowFinal(ShortChain),
    /// It has another block where one was final.
    BrokeFinality(ChainBrokeFinality),
}

impl Survey {
    /// How the chain stands to what was read. Whatever tells of a chain tells this.
    #[must_use]
    pub fn standing(&self) -> ChainStanding {
        match (self.broke, self.short) {
            (Some(broke), _) => ChainStanding::BrokeFinality(broke),
            (None, Some(short)) if short.is_below_final() && short.recognised.is_none() => {
                ChainStanding::EndsBelowFinal(short)
            }
            (None, Some(short)) => ChainStanding::Behind(short),
            (None, None) => ChainStanding::GoesOn,
        }
    }

    /// How long ago it was. The clocks of two machines may differ; nothing is younger than now.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> Duration {
        let millis = now.as_millis().saturating_sub(self.looked_at.as_millis());
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }

    /// Whether it is so old that something has to be the matter: longer ago than [`LOOK_IS_OLD`], and several looks were missed.
    #[must_use]
    pub fn is_old(&self, now: Timestamp) -> bool {
        let missed = Duration::from_millis(self.poll_millis.saturating_mul(MISSED));
        self.age(now) > LOOK_IS_OLD.max(missed)
    }
}

/// A chain that ended below what is read of a registry, when somebody looked. That alone proves nothing: an endpoint may lag. What proves
/// something is a block that both have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortChain {
    /// The height of its newest block.
    pub head: u64,
    /// Up to which block the registry is read.
    pub read_upto: u64,
    /// Up to which block what was read is final; none where nothing is.
    pub final_upto: Option<u64>,
    /// The newest block of what was read that it has, as it was read; none where it has no block that is known by its hash.
    pub recognised: Option<Checkpoint>,
}

impl ShortChain {
    /// How many of the blocks that were read it does not have.
    #[must_use]
    pub const fn missing(&self) -> u64 {
        self.read_upto.saturating_sub(self.head)
    }

    /// Whether it ends below what was final.
    #[must_use]
    pub fn is_below_final(&self) -> bool {
        self.final_upto.is_some_and(|upto| self.head < upto)
    }
}

/// A block that was final is not part of its chain any more. Nothing was undone; somebody has to look: the chain's operators went back on
/// what they had promised, or the endpoint is not on the chain that it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error(
    "{registry}: block {} was final as {}, and the chain has {now} there now; the registry is left as it was read",
    kept.block, kept.hash
)]
pub struct ChainBrokeFinality {
    /// The registry that was read up to there.
    pub registry: RegistryId,
    /// The block as it was read.
    pub kept: Checkpoint,
    /// What the chain has at its height.
    pub now: BlockHash,
}

#[cfg(test)]
mod tests {
    use deedbox_core::ChainAddress;

    use super::*;

    #[test]
    fn a_look_is_old_after_a_minute_and_five_looks_that_were_missed() {
        let at = |second: i64| Timestamp::from_millis(1_000_000 + second * 1_000).unwrap();
        for (poll_millis, age, is_old) in [
            (12_000, 0, false),
            (12_000, 60, false),
            (12_000, 61, true),
            (100, 60, false),
            (100, 61, true),
            (300_000, 61, false),
            (300_000, 1_500, false),
            (300_000, 1_501, true),
            (u64::MAX, 10_000_000, false),
            // By the clock of another machine, it was made in the future.
            (12_000, -500, false),
        ] {
            let survey = Survey {
                registry: RegistryId {
                    chain_id: 1,
                    address: ChainAddress([7; 20]),
                },
                looked_at: at(0),
                poll_millis,
                head: 1,
                broke: None,
                short: None,
            };
            assert_eq!(
                survey.is_old(at(age)),
                is_old,
                "{age} s of {poll_millis} ms"
            );
            let age = Duration::from_secs(u64::try_from(age).unwrap_or(0));
            assert_eq!(survey.age(at(i64::try_from(age.as_secs()).unwrap())), age);
        }
    }

    #[test]
    fn a_short_chain_is_behind_when_it_is_known_and_of_one_that_is_not_nobody_knows() {
        let registry = RegistryId {
            chain_id: 1,
            address: ChainAddress([7; 20]),
        };
        let kept = Checkpoint {
            block: 5,
            hash: BlockHash([5; 32]),
        };
        let short = |head, recognised| ShortChain {
            head,
            read_upto: 100,
            final_upto: Some(40),
            recognised,
        };
        let broke = ChainBrokeFinality {
            registry,
            kept,
            now: BlockHash([6; 32]),
        };
        let standing = |broke, short| {
            let survey = Survey {
                registry,
                looked_at: Timestamp::from_millis(0).unwrap(),
                poll_millis: 1,
                head: 1,
                broke,
                short,
            };
            survey.standing()
        };
        let (known, unknown, above) = (short(10, Some(kept)), short(10, None), short(40, None));
        assert_eq!(standing(None, None), ChainStanding::GoesOn);
        assert_eq!(standing(None, Some(known)), ChainStanding::Behind(known));
        assert_eq!(
            standing(None, Some(unknown)),
            ChainStanding::EndsBelowFinal(unknown)
        );
        assert_eq!(standing(None, Some(above)), ChainStanding::Behind(above));
        assert_eq!(
            standing(Some(broke), Some(unknown)),
            ChainStanding::BrokeFinality(broke)
        );
        assert_eq!((known.missing(), above.missing()), (90, 60));
    }

    /// Written by an earlier program.
    #[test]
    fn a_survey_without_a_word_about_length_is_one_of_a_chain_that_goes_on() {
        let text = r#"{"registry":"eip155:1:0x0707070707070707070707070707070707070707","looked_at":"2026-01-01T00:00:00.000Z","poll_millis":1,"head":7,"broke":null}"#;
        let survey: Survey = serde_json::from_str(text).unwrap();
        assert_eq!(survey.standing(), ChainStanding::GoesOn);
    }
}
