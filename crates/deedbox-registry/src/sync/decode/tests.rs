use alloy_primitives::{Bytes, hex, keccak256};
use deedbox_core::{BlockHash, Timestamp};

use super::*;

/// A log with these topics (hex, without 0x) and this data.
fn log(topics: &[B256], data: &[u8]) -> EventLog {
    EventLog {
        address: Address::repeat_byte(0xaa),
        topics: topics.to_vec(),
        data: Bytes::copy_from_slice(data),
        data_length: data.len() as u64,
        block_number: 7,
        block_hash: BlockHash([7; 32]),
        block_timestamp: Timestamp::from_millis(0).unwrap(),
        transaction_hash: B256::repeat_byte(8),
        log_index: 3,
    }
}

fn topic(number: u8) -> B256 {
    B256::with_last_byte(number)
}

/// Words as people write them: numbers, and texts padded at the end.
fn words(words: &[&str]) -> Vec<u8> {
    let word = |word: &&str| match word.strip_prefix('\'') {
        Some(text) => {
            let mut bytes = text.as_bytes().to_vec();
            bytes.resize(32, 0);
            bytes
        }
        None => hex::decode(format!("{word:0>64}")).unwrap(),
    };
    words.iter().flat_map(word).collect()
}

fn account(number: u8) -> ChainAddress {
    let mut bytes = [0; 20];
    bytes[19] = number;
    ChainAddress(bytes)
}

/// An event: whose, its signature, the topics after the first, its data, and what it says.
type Spoken = (Standard, &'static str, Vec<B256>, Vec<u8>, Statement);

/// Each event by the signature that its standard writes, with data written out by hand, and what it says.
fn spoken() -> Vec<Spoken> {
    let one = U256::from(1);
    let key_value = words(&["40", "80", "4", "'name", "2", "'Al"]);
    vec![
        (
            Standard::Erc8122,
            "Registered(uint256,address,string,string,address)",
            vec![topic(1), topic(2)],
            words(&["60", "a0", "0", "3", "'mcp", "0"]),
            Statement::Registered {
                agent: one,
                owner: account(2),
                service_type: "mcp".into(),
                service: "".into(),
                agent_account: None,
            },
        ),
        (
            Standard::Erc8122,
            "Transfer(address,address,address,uint256,uint256)",
            vec![topic(0), topic(2), topic(1)],
            words(&["9", "1"]),
            Statement::Transferred {
                agent: one,
                from: account(0),
                to: account(2),
                caller: account(9),
                amount: one,
            },
        ),
        (
            Standard::Erc8122,
            "Approval(address,address,uint256,uint256)",
            vec![topic(2), topic(3), topic(1)],
            words(&["5"]),
            Statement::Approved {
                owner: account(2),
                spender: account(3),
                agent: one,
                amount: U256::from(5),
            },
        ),
        (
            Standard::Erc8122,
            "OperatorSet(address,address,bool)",
            vec![topic(2), topic(3)],
            words(&["1"]),
            Statement::OperatorSet {
                owner: account(2),
                spender: account(3),
                approved: true,
            },
        ),
        (
            Standard::Erc8122,
            "MetadataSet(uint256,string,string,bytes)",
            vec![topic(1), keccak256("name")],
            key_value.clone(),
            Statement::MetadataSet {
                agent: one,
                key: "name".into(),
                value: "Al".into(),
            },
        ),
        (
            Standard::Erc8122,
            "ContractMetadataUpdated(string,string,bytes)",
            vec![keccak256("name")],
            key_value,
            Statement::ContractMetadataSet {
                key: "name".into(),
                value: "Al".into(),
            },
        ),
        (
            Standard::Erc8257,
            "ToolRegistered(uint256,address,address,string,bytes32)",
            vec![topic(1), topic(2), topic(0)],
            words(&["40", "77", "5", "'https"]),
            Statement::ToolRegistered {
                tool: one,
                creator: account(2),
                access_predicate: None,
                metadata_uri: "https".into(),
                manifest_hash: ManifestHash(topic(0x77).0),
            },
        ),
        (
            Standard::Erc8257,
            "ToolMetadataUpdated(uint256,string,bytes32)",
            vec![topic(1)],
            words(&["40", "77", "5", "'https"]),
            Statement::ToolMetadataUpdated {
                tool: one,
                metadata_uri: "https".into(),
                manifest_hash: ManifestHash(topic(0x77).0),
            },
        ),
        (
            Standard::Erc8257,
            "AccessPredicateUpdated(uint256,address)",
            vec![topic(1), topic(4)],
            vec![],
            Statement::AccessPredicateUpdated {
                tool: one,
                access_predicate: Some(account(4)),
            },
        ),
        (
            Standard::Erc8257,
            "ToolDeregistered(uint256)",
            vec![topic(1)],
            vec![],
            Statement::ToolDeregistered { tool: one },
        ),
        (
            Standard::Erc8257,
            "Upgraded(address)",
            vec![topic(4)],
            vec![],
            Statement::Upgraded {
                contract: ChainAddress([0xaa; 20]),
                implementation: account(4),
            },
        ),
        (
            Standard::Erc8257,
            "BeaconUpgraded(address)",
            vec![topic(4)],
            vec![],
            Statement::BeaconUpgraded {
                contract: ChainAddress([0xaa; 20]),
                beacon: account(4),
            },
        ),
    ]
}

fn with(signature: &str, rest: &[B256]) -> Vec<B256> {
    [&[keccak256(signature)], rest].concat()
}

#[test]
fn every_event_of_both_standards_says_what_its_words_say() {
    for (standard, signature, rest, data, expected) in spoken() {
        let log = log(&with(signature, &rest), &data);
        assert!(topics(standard).contains(&log.topics[0]), "{signature}");
        assert_eq!(
            decode(standard, &log),
            Decoded::Said(expected),
            "{signature}"
        );
    }
    assert_eq!(topics(Standard::Erc8122).len(), 8);
    assert_eq!(topics(Standard::Erc8257).len(), 6);
}

#[test]
fn what_has_not_the_form_of_its_event_is_unreadable_and_never_half_read() {
    for (standard, signature, rest, data, _) in spoken() {
        let whole = log(&with(signature, &rest), &data);
        // One topic more or less: an older draft indexed other fields.
        let mut fewer = whole.clone();
        fewer.topics.pop();
        let mut more = whole.clone();
        more.topics.push(topic(1));
        // Data that ends too early, and data that was cut where it is kept.
        let mut cut = whole.clone();
        cut.data_length += 1;
        for log in [fewer, more, cut] {
            assert_eq!(decode(standard, &log), Decoded::Unreadable, "{signature}");
        }
        // The padding of the last text may be missing, not more.
        for length in 0..data.len().saturating_sub(32) {
            let short = log(&whole.topics, &data[..length]);
            assert_eq!(decode(standard, &short), Decoded::Unreadable, "{signature}");
        }
    }
}

#[test]
fn dirty_words_and_lengths_without_end_are_unreadable() {
    let mut dirty = topic(2);
    dirty.0[0] = 1;
    let owner = log(
        &with("OperatorSet(address,address,bool)", &[dirty, topic(3)]),
        &words(&["1"]),
    );
    let two = log(
        &with("OperatorSet(address,address,bool)", &[topic(2), topic(3)]),
        &words(&["2"]),
    );
    let topics = with(
        "MetadataSet(uint256,string,string,bytes)",
        &[topic(1), topic(2)],
    );
    let far = "f".repeat(64);
    let offset = log(&topics, &words(&[&far, "80", "0", "0"]));
    let length = log(&topics, &words(&["40", "60", &far, "0"]));
    for log in [owner, two, offset, length] {
        assert_eq!(decode(Standard::Erc8122, &log), Decoded::Unreadable);
    }
}

#[test]
fn texts_that_are_no_utf_8_are_kept_as_they_are() {
    let topics = with(
        "MetadataSet(uint256,string,string,bytes)",
        &[topic(1), topic(2)],
    );
    let data = words(&["40", "80", "1", &format!("ff{}", "0".repeat(62)), "0"]);
    let expected = Statement::MetadataSet {
        agent: U256::from(1),
        key: Kept::new(*b"\xff"),
        value: Kept::new(*b""),
    };
    let said = decode(Standard::Erc8122, &log(&topics, &data));
    assert_eq!(said, Decoded::Said(expected));
}

#[test]
fn events_of_the_other_standard_and_of_none_are_nobodys() {
    for (standard, signature, rest, data, _) in spoken() {
        let other = match standard {
            Standard::Erc8122 => Standard::Erc8257,
            Standard::Erc8257 => Standard::Erc8122,
        };
        let log = log(&with(signature, &rest), &data);
        let is_foreign = decode(other, &log) == Decoded::Foreign;
        let is_of_proxies = signature.ends_with("Upgraded(address)");
        assert_eq!(is_foreign, !is_of_proxies, "{signature}");
    }
    let erc721 = with(
        "Transfer(address,address,uint256)",
        &[topic(1), topic(2), topic(3)],
    );
    for topics in [erc721, vec![]] {
        assert_eq!(
            decode(Standard::Erc8122, &log(&topics, &[])),
            Decoded::Foreign
        );
    }
}
