//! What is followed is what is read: the ledger says which registries somebody follows, and the index reads those and no others.

use std::collections::BTreeMap;

use deedbox_core::RegistryState;
use deedbox_store::{
    Store, StoreError,
    index::{Cursor, Index, RegistryId, Standard},
};

/// What has to be done to an index so that it reads what is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A registry is read from this block on.
    Begin {
        /// Which.
        registry: RegistryId,
        /// For which events.
        standard: Standard,
        /// The first block.
        from: u64,
    },
    /// Everything of a registry is dropped: nobody follows it, or it is followed from another block or as something else than it was read.
    Forget(RegistryId),
}

/// What is to be changed, in order. A registry that is read as it is followed is left alone.
#[must_use]
pub fn changes(cursors: &[Cursor], decided: &[RegistryState]) -> Vec<Change> {
    let mut followed: BTreeMap<RegistryId, &RegistryState> = decided
        .iter()
        .filter(|state| state.followed)
        .map(|state| (state.id, state))
        .collect();
    let mut changes = Vec::new();
    for cursor in cursors {
        let wanted = followed.get(&cursor.registry).map(|state| &state.following);
        let same = wanted.is_some_and(|wanted| {
            (wanted.standard, wanted.from_block) == (cursor.standard, cursor.from)
        });
        if same {
            followed.remove(&cursor.registry);
        } else {
            changes.push(Change::Forget(cursor.registry));
        }
    }
    changes.extend(followed.into_values().map(|state| Change::Begin {
        registry: state.id,
        standard: state.following.standard,
        from: state.following.from_block,
    }));
    changes
}

/// Brings an index in line with what is followed, and returns what was decided on every registry. May be done at any time and by
/// several at once: what one does another finds done.
///
/// The index is asked before the ledger. So a registry that is in the index and not followed was let go, and is not one that somebody followed in
/// between; and one that is begun although it was let go in between is dropped the next time. Whoever reads a registry that is dropped
/// has its lease superseded.
///
/// # Errors
/// [`StoreError`] of either.
pub async fn align(
    index: &dyn Index,
    ledger: &dyn Store,
) -> Result<Vec<RegistryState>, StoreError> {
    let cursors = index.cursors().await?;
    let decided = ledger.registries().await?;
    for change in changes(&cursors, &decided) {
        match change {
            Change::Forget(registry) => {
                tracing::info!(%registry, "nobody follows it as it was read: it is dropped from the index");
                index.forget(registry).await?;
            }
            Change::Begin {
                registry,
                standard,
                from,
            } => {
                index.begin(registry, standard, from).await?;
            }
        }
    }
    Ok(decided)
}

#[cfg(test)]
mod tests {
    use deedbox_core::{
        BlockHash, ChainAddress, CodeHash, Following, Head, Sighting, Timestamp, Trust,
        hash::DeedHash,
    };

    use super::*;

    fn registry(n: u8) -> RegistryId {
        RegistryId {
            chain_id: 1,
            address: ChainAddress([n; 20]),
        }
    }

    fn state(n: u8, from_block: u64, followed: bool) -> RegistryState {
        let at = Timestamp::from_millis(0).unwrap();
        RegistryState {
            id: registry(n),
            head: Head {
                version: 1,
                hash: DeedHash([0; 32]),
                at,
            },
            followed,
            following: Following {
                standard: Standard::Erc8257,
                label: None,
                trust: Trust::Known,
                from_block,
                seen: Sighting {
                    code_hash: CodeHash([1; 32]),
                    implementation: None,
                    beacon: None,
                    claims: vec![],
                    block_number: 1,
                    block_hash: BlockHash([1; 32]),
                },
            },
            followed_at: at,
            pins: BTreeMap::new(),
        }
    }

    fn cursor(n: u8, from: u64) -> Cursor {
        Cursor::new(registry(n), Standard::Erc8257, from)
    }

    fn begin(n: u8, from: u64) -> Change {
        Change::Begin {
            registry: registry(n),
            standard: Standard::Erc8257,
            from,
        }
    }

    #[test]
    fn what_is_followed_begins_and_what_is_not_is_forgotten() {
        let decided = [state(1, 5, true), state(2, 5, false), state(3, 5, true)];
        let read = [cursor(1, 5), cursor(2, 5), cursor(9, 1)];
        let expected = [
            Change::Forget(registry(2)),
            Change::Forget(registry(9)),
            begin(3, 5),
        ];
        assert_eq!(changes(&read, &decided), expected);
        assert_eq!(changes(&[cursor(1, 5), cursor(3, 5)], &decided), []);
    }

    #[test]
    fn one_that_is_followed_from_another_block_or_as_something_else_is_read_anew() {
        let decided = [state(1, 7, true)];
        let anew = [Change::Forget(registry(1)), begin(1, 7)];
        assert_eq!(changes(&[cursor(1, 5)], &decided), anew);
        let as_agents = Cursor::new(registry(1), Standard::Erc8122, 7);
        assert_eq!(changes(&[as_agents], &decided), anew);
    }
}
