use alloy_primitives::{Bytes, FixedBytes, keccak256};
use alloy_sol_types::SolValue as _;
use proptest::prelude::*;

use super::*;

type Entry = (FixedBytes<4>, Bytes, String);

fn said(entries: Vec<Entry>, logic: u8) -> Said {
    Said::Returned((entries, U256::from(logic)).abi_encode_params().into())
}

fn entry(kind: [u8; 4], data: impl Into<Bytes>) -> Entry {
    (kind.into(), data.into(), "label".to_owned())
}

fn code(said: &Said) -> Unusable {
    match Requirements::read(Some(said)) {
        Requirements::Unusable { why } => why,
        read @ Requirements::Read { .. } => panic!("{read:?}"),
    }
}

/// What an interface with this one function has for its id.
fn kind(function: &str) -> [u8; 4] {
    let hash = keccak256(function);
    [hash[0], hash[1], hash[2], hash[3]]
}

fn meant(function: &str, data: Vec<u8>) -> Meaning {
    meaning(kind(function), &data)
}

#[test]
fn every_kind_is_read_in_its_layout() {
    let address = Address::repeat_byte(7);
    let there = account(address);
    let number = U256::from(9);
    assert_eq!(
        meant("erc721Holding()", address.abi_encode()),
        Meaning::Erc721Holding { collection: there }
    );
    assert_eq!(
        meant("erc1155Holding()", (address, number).abi_encode()),
        Meaning::Erc1155Holding {
            collection: there,
            token_id: "9".to_owned()
        }
    );
    assert_eq!(
        meant("subscription()", (address, number).abi_encode()),
        Meaning::Subscription {
            collection: there,
            min_tier: 9
        }
    );
    assert_eq!(
        meant("erc20Balance()", (address, U256::MAX).abi_encode()),
        Meaning::Erc20Balance {
            token: there,
            min_balance: U256::MAX.to_string()
        }
    );
    for (any, agent_id) in [(false, Some("9".to_owned())), (true, None)] {
        assert_eq!(
            meant(
                "erc8122AgentOwnership()",
                (address, any, number).abi_encode()
            ),
            Meaning::AgentOwnership {
                registry: there,
                agent_id
            }
        );
    }
    assert_eq!(
        meant("allowlistMembership()", address.abi_encode()),
        Meaning::AllowlistMembership { predicate: there }
    );
    assert_eq!(
        meant("merkleMembership()", vec![3; 32]),
        Meaning::MerkleMembership {
            root: hex::encode_prefixed([3; 32])
        }
    );
    assert_eq!(
        meant("signedAccessProof()", address.abi_encode()),
        Meaning::SignedAccessProof {
            verifying_contract: there
        }
    );
    let term = meant("compositeTerm()", (address, true).abi_encode());
    assert!(
        matches!(term, Meaning::CompositeTerm { negated: true, .. }),
        "{term:?}"
    );
    assert_eq!(meant("neverGranted()", Vec::new()), Meaning::NeverGranted);
    assert_eq!(meant("erc7496Trait()", vec![1]), Meaning::Trait);
    assert_eq!(meaning([0; 4], &[]), Meaning::UnreadableTerm);
    assert_eq!(meaning([1, 2, 3, 4], &[5]), Meaning::Unknown);
}

#[test]
fn data_in_another_layout_is_said_to_be_misencoded() {
    let address = Address::repeat_byte(7);
    for (function, data) in [
        ("erc721Holding()", vec![0xff; 32]),
        ("erc721Holding()", (address, U256::ZERO).abi_encode()),
        ("erc1155Holding()", address.abi_encode()),
        ("subscription()", (address, U256::from(256)).abi_encode()),
        ("compositeTerm()", (address, U256::from(2)).abi_encode()),
        (
            "erc8122AgentOwnership()",
            (address, U256::from(2), U256::ZERO).abi_encode(),
        ),
        ("merkleMembership()", vec![3; 31]),
        ("neverGranted()", vec![0]),
    ] {
        assert_eq!(meant(function, data), Meaning::Misencoded, "{function}");
    }
}

#[test]
fn ceilings_are_the_standards_and_count_bytes() {
    let holding = || entry([0xbd, 0xf8, 0xc4, 0x28], vec![0; 32]);
    let read = Requirements::read(Some(&said(vec![holding(); 256], 1)));
    let Requirements::Read {
        logic,
        requirements,
        incomplete,
    } = read
    else {
        panic!("256 are allowed")
    };
    assert_eq!(
        (logic, requirements.len(), incomplete),
        (Logic::Any, 256, false)
    );
    let over = |of| Unusable::OverLimit { of };
    assert_eq!(
        code(&said(vec![holding(); 257], 0)),
        over(Limit::Requirements)
    );
    let with =
        |data: usize, label: String| said(vec![([9; 4].into(), vec![1; data].into(), label)], 0);
    assert!(matches!(
        Requirements::read(Some(&with(4096, "é".repeat(128)))),
        Requirements::Read {
            incomplete: true,
            ..
        }
    ));
    assert_eq!(code(&with(4097, String::new())), over(Limit::Data));
    assert_eq!(code(&with(0, "é".repeat(129))), over(Limit::Label));
    assert_eq!(code(&Said::TooLong(Bytes::new())), over(Limit::Answer));
}

#[test]
fn malformed_and_refused_are_told_apart() {
    assert_eq!(code(&said(vec![], 2)), Unusable::Malformed);
    for nothing in [vec![], vec![0; 31], vec![0xff; 96]] {
        assert_eq!(code(&Said::Returned(nothing.into())), Unusable::Malformed);
    }
    assert!(matches!(
        code(&Said::Reverted(Bytes::new())),
        Unusable::Reverted { .. }
    ));
    // A kind has four bytes, and zeros behind them.
    let Said::Returned(good) = said(vec![entry([1; 4], vec![])], 0) else {
        panic!()
    };
    let mut bad = good.to_vec();
    let at = bad.windows(4).position(|bytes| bytes == [1; 4]).unwrap();
    bad[at + 4] = 1;
    assert_eq!(code(&Said::Returned(bad.into())), Unusable::Malformed);
}

/// Offsets that all lead to the same large entry would make a small answer a large one.
#[test]
fn entries_that_share_their_bytes_are_bounded_all_the_same() {
    let mut data = Vec::new();
    let word = |number: usize| U256::from(number).to_be_bytes_vec();
    data.extend(word(64));
    data.extend(word(0));
    data.extend(word(256));
    data.extend(std::iter::repeat_n(word(256 * 32), 256).flatten());
    // One entry: its kind, and both texts at the same place.
    data.extend([word(0), word(96), word(96), word(100_000), vec![1; 100_000]].concat());
    let of = Limit::Data;
    assert_eq!(
        code(&Said::Returned(data.into())),
        Unusable::OverLimit { of }
    );
}

proptest! {
    #[test]
    fn no_answer_is_beyond_reading(mut data in prop::collection::vec(any::<u8>(), 0..600), small in prop::collection::vec((0_usize..18, 0_u8..=255), 0..18)) {
        // Mostly small numbers, as offsets and lengths are.
        for (index, number) in small {
            if let Some(word) = data.get_mut(index * 32..index * 32 + 32) {
                word.fill(0);
                word[31] = number;
            }
        }
        let _any = Requirements::read(Some(&Said::Returned(data.into())));
    }
}
