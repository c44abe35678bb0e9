//! What stood at a registry's address when this program looked last, of its own accord.

use deedbox_core::{BlockHash, Sighting, Timestamp};
use serde::{Deserialize, Serialize};

use super::RegistryId;

/// A look at a registry's code, at the head of its chain. What was *accepted* is a deed and not here: whether the two differ is the alarm, and
/// every replica computes it from both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// The registry.
    pub registry: RegistryId,
    /// When.
    pub looked_at: Timestamp,
    /// At which block.
    pub block_number: u64,
    /// That block's hash.
    pub block_hash: BlockHash,
    /// What was seen; none where there was no code.
    pub seen: Option<Sighting>,
    /// What was seen in the block before the first one that is read; none where that could not be looked at.
    #[serde(default)]
    pub earlier: Option<Earlier>,
}

/// What stood at a registry's address before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The first block that is read.
    pub from: u64,
    /// Whether there was code in the block before it. Then the contract said things that are not read.
    pub had_code: bool,
}

impl Look {
    /// Whether something else stood there than was accepted; none when the look is older than what was accepted, and says nothing of it.
    #[must_use]
    pub fn differs_from(&self, accepted: &Sighting) -> Option<bool> {
        let is_later = self.block_number >= accepted.block_number;
        is_later.then(|| {
            let seen = self.seen.as_ref();
            seen.is_none_or(|seen| !seen.same_code(accepted))
        })
    }

    /// Whether the contract stood there before block `from`, the first one that is read; none when nobody knows.
    #[must_use]
    pub fn had_code_before(&self, from: u64) -> Option<bool> {
        let earlier = self.earlier.filter(|earlier| earlier.from == from);
        earlier.map(|earlier| earlier.had_code)
    }
}

/// How much of a registry is in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// How many facts.
    pub facts: u64,
    /// How many agents or tools, also those that are gone.
    pub entries: u64,
}

#[cfg(test)]
mod tests {
    use deedbox_core::{ChainAddress, CodeHash};

    use super::*;

    #[test]
    fn a_look_tells_of_a_change_unless_it_is_older_than_what_was_accepted() {
        let accepted = Sighting {
            code_hash: CodeHash([1; 32]),
            implementation: None,
            beacon: None,
            claims: vec![],
            block_number: 10,
            block_hash: BlockHash([3; 32]),
        };
        let look = |block_number, seen| Look {
            registry: RegistryId {
                chain_id: 1,
                address: ChainAddress([7; 20]),
            },
            looked_at: Timestamp::from_millis(0).unwrap(),
            block_number,
            block_hash: BlockHash([4; 32]),
            seen,
            earlier: None,
        };
        let same = Some(accepted.clone());
        let other = Some(Sighting {
            implementation: Some(ChainAddress([5; 20])),
            ..accepted.clone()
        });
        for (block, seen, differs) in [
            (11, same.clone(), Some(false)),
            (10, same, Some(false)),
            (10, other.clone(), Some(true)),
            (9, other, None),
            (11, None, Some(true)),
            (9, None, None),
        ] {
            assert_eq!(
                look(block, seen).differs_from(&accepted),
                differs,
                "{block}"
            );
        }
    }
}
