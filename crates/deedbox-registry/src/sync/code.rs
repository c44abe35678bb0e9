//! Whether a contract's code is still what it was: what no event needs to tell (a proxy may change without `Upgraded`, and code at an
//! address may be replaced where a chain allows that).

use std::time::Duration;

use alloy_primitives::{Address, B256};
use deedbox_chain::{Block, Chains, ReadError};
use deedbox_core::Timestamp;
use deedbox_store::index::RegistryId;

use crate::inspect;

/// What stood at a registry's address, when somebody looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeSeen {
    /// When, by this program's clock.
    pub at: Timestamp,
    /// At which block.
    pub block: u64,
    /// keccak256 over the code; none where there is no code.
    pub code_hash: Option<B256>,
    /// Where its ERC-1967 slot leads, when it is a proxy.
    pub implementation: Option<Address>,
}

/// Data of a `code_changed` alarm: somebody else's code decides now what the registry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeChanged {
    /// What stood there.
    pub before: CodeSeen,
    /// What stands there.
    pub now: CodeSeen,
}

impl CodeSeen {
    /// Looks at the newest block.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn look(
        chains: &Chains,
        registry: RegistryId,
        now: Timestamp,
    ) -> Result<Self, ReadError> {
        let address = Address::from(registry.address.0);
        let found = inspect(chains, registry.chain_id, Block::Latest, address).await?;
        Ok(Self {
            at: now,
            block: found.provenance.block_number,
            code_hash: found.code_hash,
            implementation: found.proxy.and_then(|proxy| proxy.implementation),
        })
    }

    /// Whether it is time to look again, when that is to be done `every` so often.
    #[must_use]
    pub fn is_due(&self, now: Timestamp, every: Duration) -> bool {
        let every = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
        self.at.plus_millis(every) <= now
    }

    /// What changed until `now`, if anything did.
    #[must_use]
    pub fn changed(&self, now: &Self) -> Option<CodeChanged> {
        let of = |seen: &Self| (seen.code_hash, seen.implementation);
        (of(self) != of(now)).then_some(CodeChanged {
            before: *self,
            now: *now,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_code_and_another_implementation_are_changes_and_a_later_look_is_none() {
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let seen = CodeSeen {
            at: at(0),
            block: 1,
            code_hash: Some(B256::repeat_byte(1)),
            implementation: None,
        };
        let later = CodeSeen {
            at: at(60_000),
            block: 9,
            ..seen
        };
        assert_eq!(seen.changed(&later), None);
        for now in [
            CodeSeen {
                code_hash: None,
                ..later
            },
            CodeSeen {
                implementation: Some(Address::repeat_byte(2)),
                ..later
            },
        ] {
            let changed = CodeChanged { before: seen, now };
            assert_eq!(seen.changed(&now), Some(changed));
        }
        assert!(!seen.is_due(at(59_999), Duration::from_secs(60)));
        assert!(seen.is_due(at(60_000), Duration::from_secs(60)));
    }
}
