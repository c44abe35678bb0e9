use deedbox_core::{BlockHash, Timestamp};
use deedbox_id::U256;
use deedbox_store::index::Statement;

use alloy_primitives::B256;

use super::*;
use crate::sync::UPGRADED;

fn log(contract: u8, topics: Vec<B256>, block: u64, index: u64) -> EventLog {
    EventLog {
        address: Address::repeat_byte(contract),
        topics,
        data: Default::default(),
        data_length: 0,
        block_number: block,
        block_hash: BlockHash([1; 32]),
        block_timestamp: Timestamp::from_millis(0).unwrap(),
        transaction_hash: B256::ZERO,
        log_index: index,
    }
}

fn upgrade(contract: u8, block: u64, index: u64) -> EventLog {
    let topics = vec![UPGRADED, Address::repeat_byte(5).into_word()];
    log(contract, topics, block, index)
}

fn names(contract: u8, predicate: u8, block: u64, index: u64) -> EventLog {
    let event = alloy_primitives::keccak256("AccessPredicateUpdated(uint256,address)");
    let predicate = Address::repeat_byte(predicate).into_word();
    log(contract, vec![event, B256::ZERO, predicate], block, index)
}

fn known(registry: u8) -> Known {
    Known {
        registry: RegistryId {
            chain_id: 1,
            address: ChainAddress([registry; 20]),
        },
        standard: Standard::Erc8257,
        predicates: Predicates::default(),
    }
}

fn places(said: &Said) -> Vec<(u64, u64)> {
    let places = said.facts.iter().map(|fact| fact.origin.place);
    places.map(|place| (place.block, place.log_index)).collect()
}

#[test]
fn each_registry_hears_itself_and_the_upgrades_of_what_it_named() {
    let mut broken = names(0xb1, 0xe1, 3, 1);
    broken.topics.pop();
    let logs = vec![
        upgrade(0xe1, 1, 0),
        names(0xb1, 0xe1, 2, 0),
        names(0xb2, 0xb1, 2, 1),
        broken,
        upgrade(0xe1, 4, 0),
        upgrade(0xb1, 5, 0),
    ];
    let mut heard = [0xb1, 0xb2].map(|registry| listen(known(registry), &logs));
    for said in &mut heard {
        add_upgrades(said, &logs);
    }
    let [one, two] = heard;
    // Its own upgrade counts once, also where somebody else names it as a predicate.
    assert_eq!(places(&one), [(2, 0), (4, 0), (5, 0)]);
    assert_eq!(one.unreadable, 1);
    assert_eq!(places(&two), [(2, 1), (5, 0)]);
}

#[test]
fn a_request_names_every_registry_and_no_more_predicates_than_there_is_room_for() {
    let mut one = known(0xb1);
    for number in 0..700_u64 {
        let mut address = [9; 20];
        address[..8].copy_from_slice(&number.to_be_bytes());
        one.predicates.note(&Fact {
            origin: decode::fact(
                &upgrade(1, number, 0),
                Statement::ToolDeregistered { tool: U256::ONE },
            )
            .origin,
            statement: Statement::AccessPredicateUpdated {
                tool: U256::ONE,
                access_predicate: Some(ChainAddress(address)),
            },
        });
    }
    let addresses = addresses(&[one, known(0xb2)]);
    assert_eq!(addresses.len(), MOST_ADDRESSES);
    for registry in [0xb1, 0xb2] {
        assert!(addresses.contains(&Address::repeat_byte(registry)));
    }
}
