//! Which predicates a registry's tools use, and since when: their upgrades are facts of the registry, too (ERC-8257, *Security
//! Considerations*: consumers watch predicates for `Upgraded`; a proxy that asks a beacon says `BeaconUpgraded` instead). What a beacon itself leads to is not
//! watched: which beacon a predicate has asked since before it was named stands in no event that is read.

use std::collections::BTreeMap;

use deedbox_core::ChainAddress;
use deedbox_store::{
    StoreError,
    index::{Fact, Index, Place, RegistryId, Statement},
};

/// How many predicates of one registry are watched: the first that its tools named. A stranger may register any number of tools.
pub const MOST_PREDICATES: usize = 1_000;

/// How many namings are read at once.
const PAGE: u32 = 2_000;

/// The predicates of one registry, by the place where each was named first.
///
/// Once named, a predicate is watched for good, also when no tool uses it any more: then what is watched follows from what the chain says, in
/// whatever pieces it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Predicates {
    since: BTreeMap<ChainAddress, Place>,
    /// How many were named that are not watched because there are too many; each time that one is named counts.
    pub unwatched: u64,
}

impl Predicates {
    /// Takes note of the predicate that a fact names, if it names one. Facts come in the chain's order. Returns it where it is new.
    pub fn note(&mut self, fact: &Fact) -> Option<ChainAddress> {
        let predicate = match &fact.statement {
            Statement::ToolRegistered {
                access_predicate, ..
            }
            | Statement::AccessPredicateUpdated {
                access_predicate, ..
            } => (*access_predicate)?,
            _ => return None,
        };
        self.name(predicate, fact.origin.place)
    }

    fn name(&mut self, predicate: ChainAddress, place: Place) -> Option<ChainAddress> {
        if self.since.contains_key(&predicate) {
            return None;
        }
        if self.since.len() >= MOST_PREDICATES {
            self.unwatched += 1;
            return None;
        }
        self.since.insert(predicate, place);
        Some(predicate)
    }

    /// Whether an upgrade of this contract at this place is news of the registry.
    #[must_use]
    pub fn watches(&self, contract: ChainAddress, place: Place) -> bool {
        self.since
            .get(&contract)
            .is_some_and(|since| *since < place)
    }

    /// Those that are watched.
    pub fn all(&self) -> impl Iterator<Item = ChainAddress> {
        self.since.keys().copied()
    }

    /// How many are watched.
    #[must_use]
    pub fn len(&self) -> usize {
        self.since.len()
    }

    /// Whether none is watched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.since.is_empty()
    }

    /// What an index knows of a registry: it is read once, when the registry is taken over.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn load(index: &dyn Index, registry: RegistryId) -> Result<Self, StoreError> {
        let mut known = Self::default();
        let mut after = None;
        loop {
            let named = index.predicates(registry, after, PAGE).await?;
            let Some((last, _)) = named.last() else {
                return Ok(known);
            };
            after = Some(*last);
            for (place, predicate) in named {
                known.name(predicate, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use deedbox_core::{BlockHash, Timestamp, TransactionHash};
    use deedbox_id::U256;
    use deedbox_store::index::Origin;

    use super::*;

    fn named(block: u64, predicate: u16) -> Fact {
        let mut address = [7; 20];
        address[..2].copy_from_slice(&predicate.to_be_bytes());
        Fact {
            origin: Origin {
                place: Place {
                    block,
                    log_index: 0,
                },
                block_hash: BlockHash([1; 32]),
                block_timestamp: Timestamp::from_millis(0).unwrap(),
                transaction: TransactionHash([2; 32]),
            },
            statement: Statement::AccessPredicateUpdated {
                tool: U256::ONE,
                access_predicate: (predicate > 0).then_some(ChainAddress(address)),
            },
        }
    }

    #[test]
    fn a_predicate_counts_from_the_place_where_it_is_named_first() {
        let mut known = Predicates::default();
        assert_eq!(known.note(&named(5, 0)), None, "an open tool names none");
        let predicate = known.note(&named(5, 1)).unwrap();
        assert_eq!(known.note(&named(6, 1)), None, "not new");
        let at = |block, log_index| Place { block, log_index };
        assert!(!known.watches(predicate, at(4, 9)));
        assert!(!known.watches(predicate, at(5, 0)));
        assert!(known.watches(predicate, at(5, 1)));
        assert!(!known.watches(ChainAddress([9; 20]), at(5, 1)));
    }

    #[test]
    fn the_first_thousand_are_watched_and_the_others_counted() {
        let mut known = Predicates::default();
        for number in 1..=1_003 {
            known.note(&named(u64::from(number), number));
        }
        assert_eq!((known.len(), known.unwatched), (1_000, 3));
        assert_eq!(known.note(&named(2_000, 1)), None);
        assert_eq!(known.unwatched, 3, "one that is watched is not another");
    }
}
