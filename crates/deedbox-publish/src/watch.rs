//! What to do next while a publication is under way. Pure: a table over what was seen.

use deedbox_chain::send::{Receipt, Whereabouts};
use deedbox_core::EndpointId;

/// How often in a row nobody may know a transaction before it is sent again. A node may need a moment to tell of what it took.
const UNKNOWN: u32 = 2;
/// How often in a row the account's nonce must be seen to have passed by, with no endpoint knowing any attempt, before what took its place is
/// looked for: of two endpoints one may know the nonce earlier than the other the receipt.
const PASSED: u32 = 3;

/// What the chain says at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Where each attempt is, in the order of the attempts.
    pub attempts: Vec<Whereabouts>,
    /// How many transactions of the account are in the chain.
    pub account_nonce: u64,
    /// How many of them are in blocks that are deep enough; read, as the newest block, before everything else.
    pub settled_nonce: u64,
    /// The height of the newest block.
    pub head: u64,
}

/// What is remembered from one look to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    unknown: u32,
    passed: u32,
    /// How often it was sent again; the more often, the longer until the next time.
    resent: u32,
    /// Whether it was seen in a block the last time.
    included: Option<u64>,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Wait, and look again.
    Wait {
        /// Whether an endpoint has it in its pool.
        pending: bool,
        /// Whether its nonce is used, and nobody knows yet by which transaction.
        passed: bool,
    },
    /// It is in a block that is not deep enough yet.
    Deepen {
        /// What the block says.
        receipt: Box<Receipt>,
        /// How many blocks hold it, its own included.
        confirmations: u64,
    },
    /// Nobody has it: send the same bytes again.
    SendAgain,
    /// It is in a block that is deep enough: read back, and settle.
    Settle(Box<Receipt>),
    /// Its nonce is used, and nobody knows it: look for what used it.
    Passed,
    /// An endpoint tells a receipt of it, and these do not have it in the block that it names.
    Disputed(Vec<EndpointId>),
}

impl Memory {
    /// What proved that the nonce has passed has to be seen anew, and as often in a row.
    pub const fn look_anew(&mut self) {
        self.passed = 0;
    }
}

/// What follows from what was seen, for a publication with this nonce that wants so many confirmations. Also tells, as a height, the block that it
/// had been seen in and is not in any more.
pub fn next(
    memory: &mut Memory,
    seen: &Seen,
    nonce: u64,
    confirmations: u64,
) -> (Move, Option<u64>) {
    let before = memory.included.take();
    let included = seen.attempts.iter().find_map(|attempt| match attempt {
        Whereabouts::Included(receipt) => Some(receipt),
        Whereabouts::Unknown { .. } | Whereabouts::Pending | Whereabouts::Disputed(_) => None,
    });
    if let Some(receipt) = included {
        *memory = Memory {
            included: Some(receipt.block_number),
            resent: memory.resent,
            ..Memory::default()
        };
        let depth = seen.head.saturating_sub(receipt.block_number) + 1;
        let gone = before.filter(|height| *height != receipt.block_number);
        let next = if depth >= confirmations.max(1) {
            Move::Settle(receipt.clone())
        } else {
            Move::Deepen {
                receipt: receipt.clone(),
                confirmations: depth,
            }
        };
        return (next, gone);
    }
    let disputed = seen.attempts.iter().find_map(|attempt| match attempt {
        Whereabouts::Disputed(deniers) => Some(deniers.clone()),
        Whereabouts::Unknown { .. } | Whereabouts::Pending | Whereabouts::Included(_) => None,
    });
    if let Some(deniers) = disputed {
        memory.look_anew();
        return (Move::Disputed(deniers), before);
    }
    let passed = seen.account_nonce > nonce;
    let nowhere = |attempt: &Whereabouts| *attempt == Whereabouts::Unknown { everywhere: true };
    // Whoever does not answer, or still has it in a pool, may be the one who tells of its inclusion next.
    memory.passed = if seen.settled_nonce > nonce && seen.attempts.iter().all(nowhere) {
        memory.passed + 1
    } else {
        0
    };
    let pending = seen.attempts.contains(&Whereabouts::Pending);
    memory.unknown = if pending || passed {
        0
    } else {
        memory.unknown + 1
    };
    let patience = UNKNOWN.saturating_mul(1 << memory.resent.min(5));
    let next = if memory.passed >= PASSED {
        Move::Passed
    } else if memory.unknown >= patience {
        memory.unknown = 0;
        memory.resent += 1;
        Move::SendAgain
    } else {
        Move::Wait { pending, passed }
    };
    (next, before)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;
    use deedbox_core::BlockHash;

    use super::*;

    fn receipt(block_number: u64) -> Whereabouts {
        Whereabouts::Included(Box::new(Receipt {
            transaction: B256::ZERO,
            block_number,
            block_hash: BlockHash([1; 32]),
            succeeded: true,
            denied_by: Vec::new(),
            gas_used: 1,
            effective_gas_price: 1,
            contract: None,
            logs: Vec::new(),
        }))
    }

    /// Nobody knows it, and everybody was asked.
    const NOWHERE: Whereabouts = Whereabouts::Unknown { everywhere: true };

    /// What is seen where the newest block is deep enough.
    fn seen(attempts: Vec<Whereabouts>, account_nonce: u64, head: u64) -> Seen {
        Seen {
            attempts,
            account_nonce,
            settled_nonce: account_nonce,
            head,
        }
    }

    /// The moves that follow from these looks, at nonce 5 and for two confirmations.
    fn moves(looks: Vec<Seen>) -> Vec<(Move, Option<u64>)> {
        let mut memory = Memory::default();
        looks
            .iter()
            .map(|seen| next(&mut memory, seen, 5, 2))
            .collect()
    }

    #[test]
    fn a_block_has_to_be_deep_enough_before_anything_is_settled() {
        let moves = moves(vec![
            seen(vec![receipt(10)], 6, 10),
            seen(vec![receipt(10)], 6, 11),
        ]);
        assert!(matches!(
            moves[0].0,
            Move::Deepen {
                confirmations: 1,
                ..
            }
        ));
        assert!(matches!(moves[1].0, Move::Settle(_)));
    }

    #[test]
    fn what_nobody_knows_is_sent_again_ever_more_rarely() {
        let nothing = || seen(vec![NOWHERE], 5, 10);
        let moves = moves((0..14).map(|_| nothing()).collect());
        let sent: Vec<_> = (0..14)
            .filter(|at| moves[*at].0 == Move::SendAgain)
            .collect();
        assert_eq!(sent, [1, 5, 13]);
    }

    #[test]
    fn what_waits_in_a_pool_is_not_sent_again() {
        let pending = || seen(vec![NOWHERE, Whereabouts::Pending], 5, 10);
        let moves = moves((0..9).map(|_| pending()).collect());
        assert!(
            moves
                .iter()
                .all(|(next, _)| matches!(next, Move::Wait { pending: true, .. }))
        );
    }

    #[test]
    fn what_took_its_place_is_looked_for_only_when_the_nonce_stays_passed_and_no_attempt_shows_up()
    {
        let passed = || seen(vec![NOWHERE], 6, 10);
        let there = moves(vec![passed(), passed(), seen(vec![receipt(10)], 6, 11)]);
        assert!(matches!(there[2].0, Move::Settle(_)), "a late receipt");
        let back = moves(vec![
            passed(),
            passed(),
            seen(vec![NOWHERE], 5, 10),
            passed(),
            passed(),
            passed(),
        ]);
        let replaced: Vec<_> = (0..6).filter(|at| back[*at].0 == Move::Passed).collect();
        assert_eq!(replaced, [5], "counted anew after the nonce was free again");
    }

    /// However often it is looked at, none of these looks proves that another transaction has the nonce.
    #[test]
    fn a_passed_nonce_alone_replaces_nothing() {
        let silent = Whereabouts::Unknown { everywhere: false };
        let shallow = Seen {
            settled_nonce: 5,
            ..seen(vec![NOWHERE], 6, 10)
        };
        for (what, look) in [
            ("pending", seen(vec![Whereabouts::Pending], 6, 10)),
            (
                "an earlier attempt is pending",
                seen(vec![Whereabouts::Pending, NOWHERE], 6, 10),
            ),
            ("one endpoint silent", seen(vec![silent.clone()], 6, 10)),
            (
                "silent about one attempt",
                seen(vec![NOWHERE, silent], 6, 10),
            ),
            ("not deep enough", shallow),
        ] {
            let moves = moves(vec![look; 50]);
            let waits = |(next, _): &_| matches!(next, Move::Wait { passed: true, .. });
            assert!(moves.iter().all(waits), "{what}: {moves:?}");
        }
    }

    #[test]
    fn an_inclusion_that_another_endpoint_denies_settles_nothing() {
        let by = vec!["spare".parse().unwrap()];
        let disputed = seen(vec![NOWHERE, Whereabouts::Disputed(by.clone())], 6, 10);
        let moves = moves(vec![disputed; 50]);
        assert!(
            moves
                .iter()
                .all(|(next, _)| *next == Move::Disputed(by.clone()))
        );
    }

    #[test]
    fn looks_that_prove_it_count_only_in_a_row() {
        let passed = || seen(vec![NOWHERE], 6, 10);
        let silent = || seen(vec![Whereabouts::Unknown { everywhere: false }], 6, 10);
        let looks = vec![passed(), passed(), silent(), passed(), passed(), passed()];
        let moves = moves(looks);
        let replaced: Vec<_> = (0..6).filter(|at| moves[*at].0 == Move::Passed).collect();
        assert_eq!(replaced, [5]);
    }

    #[test]
    fn what_was_in_a_block_and_is_not_any_more_is_told_once() {
        let moves = moves(vec![
            seen(vec![receipt(10)], 6, 10),
            seen(vec![Whereabouts::Pending], 5, 10),
            seen(vec![Whereabouts::Pending], 5, 10),
            seen(vec![receipt(11)], 6, 11),
            seen(vec![receipt(12)], 6, 12),
        ]);
        let gone: Vec<_> = moves.into_iter().map(|(_, gone)| gone).collect();
        assert_eq!(gone, [None, Some(10), None, None, Some(11)]);
    }
}
