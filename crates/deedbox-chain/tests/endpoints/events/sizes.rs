//! More blocks, logs and bytes than an endpoint gives, or than is kept.

use deedbox_chain::events::MOST_DATA;

use super::*;

const TOO_MANY: &str = "query returned more than 10000 results";

#[tokio::test]
async fn a_range_that_is_refused_is_narrower_and_what_was_learnt_is_remembered() {
    let server = giving(|from, to| {
        if to - from >= 40 {
            Err(error(-32000, "exceed maximum block range: 40"))
        } else {
            Ok(logs_between(from, to))
        }
    });
    let chains = of(&[&server]);
    for from in [100, 140, 180, 220, 260, 300] {
        assert_found(found(&chains, from, 2000).await, from, from + 39, "main");
    }
    // What it said, and after four such pieces whether a wider one will do.
    assert_eq!(widths(&server), [128, 40, 40, 40, 40, 80, 40, 40]);
}

#[tokio::test]
async fn after_dense_blocks_pieces_become_wide_again() {
    let server = giving(|from, to| {
        if from < 150 && to - from >= 20 {
            Err(error(-32005, TOO_MANY))
        } else {
            Ok(logs_between(from, to))
        }
    });
    let chains = of(&[&server]);
    let mut from = 100;
    while from <= FINAL {
        from = found(&chains, from, FINAL).await.unwrap().upto.number + 1;
    }
    let widths = widths(&server);
    assert_eq!(widths[..4], [128, 64, 32, 16]);
    assert!(
        widths.iter().skip(4).any(|width| *width >= 104),
        "{widths:?}"
    );
}

#[tokio::test]
async fn an_answer_larger_than_is_read_is_asked_for_in_narrower_pieces() {
    let server = good();
    let mut config = config("main", &server.url());
    config.max_body = 20_000;
    let chains = chains(vec![config]);
    let (mut logs, mut from) = (Vec::new(), 0);
    while from <= FINAL {
        let found = found(&chains, from, FINAL).await.unwrap();
        logs.extend(found.logs);
        from = found.upto.number + 1;
    }
    assert_eq!(logs, events_between(0, FINAL));
}

#[tokio::test]
async fn no_more_is_asked_for_than_is_read_where_blocks_hold_as_much_as_before() {
    let server = giving(|from, to| Ok((from..=to).map(|number| log(number, 0)).collect()));
    let mut config = config("main", &server.url());
    config.max_body = 100_000;
    let chains = chains(vec![config]);
    let mut from = 0;
    while from <= FINAL {
        from = found(&chains, from, FINAL).await.unwrap().upto.number + 1;
    }
    // Each block was asked for once: no answer was too large. Of what is read they are about a half, 50,000 bytes.
    let widths = widths(&server);
    assert_eq!(widths.iter().sum::<u64>(), FINAL + 1, "{widths:?}");
    let steady = &widths[1..widths.len() - 1];
    assert!(
        steady.iter().all(|width| (80..=140).contains(width)),
        "{widths:?}"
    );
}

#[tokio::test]
async fn the_logs_of_one_block_may_be_larger_than_other_answers() {
    let server = giving(|from, to| {
        let logs = (0..200).map(|index| log(150, index));
        Ok(if (from..=to).contains(&150) {
            logs.collect()
        } else {
            json!([])
        })
    });
    let mut config = config("main", &server.url());
    config.max_body = 20_000;
    let chains = chains(vec![config]);
    let mut logs = Vec::new();
    let mut from = 100;
    while from <= 200 {
        let found = found(&chains, from, 200).await.unwrap();
        logs.extend(found.logs);
        from = found.upto.number + 1;
    }
    assert_eq!(
        logs,
        (0..200).map(|index| event(150, index)).collect::<Vec<_>>()
    );
}

/// How many contracts and topics a filter names.
fn named(call: &Call) -> (usize, usize) {
    let count = |value: &Value| value.as_array().map_or(1, Vec::len);
    let filter = &call.params[0];
    (count(&filter["address"]), count(&filter["topics"][0]))
}

/// An endpoint that gives the logs of one block only of one contract and with one first topic.
fn choosy() -> FaultyEndpoint {
    let contracts = [
        CONTRACT,
        Address::repeat_byte(0x0a),
        Address::repeat_byte(0x0b),
    ];
    saying(move |call| {
        (call.method == LOGS).then(|| {
            if named(call) != (1, 1) {
                return Err(error(-32005, TOO_MANY));
            }
            let filter = &call.params[0];
            let topic = filter["topics"][0].as_str().unwrap();
            let at = contracts
                .iter()
                .position(|one| filter["address"] == format!("{one:#x}"))
                .unwrap();
            let index = 2 * at + usize::from(topic != format!("{TOPIC:#x}"));
            let log = changed(
                log(150, index.try_into().unwrap()),
                "topics",
                json!([topic]),
            );
            Ok(json!([changed(log, "address", filter["address"].clone())]))
        })
    })
}

#[tokio::test]
async fn one_block_that_is_too_much_is_read_by_topic_and_by_contract() {
    let server = choosy();
    let chains = of(&[&server]);
    let asked = Range {
        addresses: vec![
            CONTRACT,
            Address::repeat_byte(0x0a),
            Address::repeat_byte(0x0b),
        ],
        topics: vec![TOPIC, B256::ZERO],
        ..range(150, 150)
    };
    let found = events(&chains).logs(&asked).await.unwrap();
    let indexes: Vec<_> = found.logs.iter().map(|log| log.log_index).collect();
    assert_eq!((indexes, found.upto.number), (vec![0, 1, 2, 3, 4, 5], 150));
}

#[tokio::test]
async fn one_block_that_is_refused_however_little_of_it_is_asked_for_is_named() {
    let server = giving(|_, _| Err(error(-32005, TOO_MANY)));
    let failure = found(&of(&[&server]), 150, 200).await.unwrap_err();
    assert_eq!(failure.code, Code::RangeTooLarge);
    assert!(failure.message.contains("block 150"), "{failure}");
    assert_eq!(widths(&server), [51, 25, 12, 6, 3, 1, 1]);
}

#[tokio::test]
async fn of_long_data_the_beginning_is_kept() {
    let long = "5a".repeat(MOST_DATA + 9);
    let long = changed(log(150, 0), "data", json!(format!("0x{long}")));
    let server = giving(move |_, _| Ok(json!([long])));
    let found = found(&of(&[&server]), 100, 200).await.unwrap();
    let [log] = &found.logs[..] else {
        panic!();
    };
    assert_eq!(log.data_length, 65_545);
    assert_eq!(log.data, vec![0x5a; 65_536]);
}

#[tokio::test]
async fn where_times_are_not_said_pieces_need_no_more_headers_than_can_be_asked_for() {
    let server = giving(|from, to| {
        let logs = (from..=to).map(|number| changed(log(number, 0), "blockTimestamp", Value::Null));
        Ok(logs.collect())
    });
    let mut config = config("main", &server.url());
    config.max_batch = std::num::NonZeroU32::MIN;
    let chains = chains(vec![config]);
    let found = found(&chains, 100, 300).await.unwrap();
    assert_eq!((found.upto.number, found.logs.len()), (131, 32));
    assert_eq!(found.logs[7], event(107, 0));
}
