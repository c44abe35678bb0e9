//! Following a chain through endpoints that misbehave: whatever they do, a piece is whole, in order, of one branch, or it is an error.

mod faults;
mod heads;
mod sizes;

use alloy_primitives::Address;
use deedbox_chain::events::{EventLog, Events, Found, Range};

use super::support::*;

const CONTRACT: Address = Address::repeat_byte(0xc0);
const TOPIC: B256 = B256::repeat_byte(7);
const LOGS: &str = "eth_getLogs";
/// The newest block that is final on [`CHAIN`].
const FINAL: u64 = CHAIN.head - 64;

fn quantity(number: u64) -> Value {
    json!(format!("0x{number:x}"))
}

/// A log as nodes write them today.
fn log(number: u64, index: u64) -> Value {
    json!({
        "address": format!("{CONTRACT:#x}"),
        "topics": [format!("{TOPIC:#x}"), format!("0x{number:064x}")],
        "data": "0x00c0ffee",
        "blockNumber": quantity(number),
        "blockHash": Chain::hash(number),
        "blockTimestamp": quantity(1_700_000_000 + 12 * number),
        "transactionHash": format!("0x{:064x}", number + 5),
        "logIndex": quantity(index),
        "removed": false,
    })
}

fn changed(mut log: Value, name: &str, value: Value) -> Value {
    log[name] = value;
    log
}

/// What [`log`] says.
fn event(number: u64, index: u64) -> EventLog {
    EventLog {
        address: CONTRACT,
        topics: vec![TOPIC, format!("0x{number:064x}").parse().unwrap()],
        data: Bytes::from_static(&[0, 0xc0, 0xff, 0xee]),
        data_length: 4,
        block_number: number,
        block_hash: Chain::hash(number).parse().unwrap(),
        block_timestamp: Timestamp::from_millis(
            1000 * (1_700_000_000 + 12 * i64::try_from(number).unwrap()),
        )
        .unwrap(),
        transaction_hash: format!("0x{:064x}", number + 5).parse().unwrap(),
        log_index: index,
    }
}

/// Two logs in every tenth block.
fn tenths(from: u64, to: u64) -> impl Iterator<Item = (u64, u64)> {
    (from..=to)
        .filter(|number| number % 10 == 0)
        .flat_map(|number| [(number, 0), (number, 3)])
}

fn logs_between(from: u64, to: u64) -> Value {
    tenths(from, to.min(CHAIN.head))
        .map(|(number, index)| log(number, index))
        .collect()
}

fn events_between(from: u64, to: u64) -> Vec<EventLog> {
    tenths(from, to)
        .map(|(number, index)| event(number, index))
        .collect()
}

/// The blocks that an `eth_getLogs` is about.
fn blocks(call: &Call) -> (u64, u64) {
    let filter = &call.params[0];
    let number =
        |name: &str| u64::from_str_radix(&filter[name].as_str().unwrap()[2..], 16).unwrap();
    match filter["blockHash"].as_str() {
        None => (number("fromBlock"), number("toBlock")),
        Some(hash) => {
            let number = (0..=CHAIN.head)
                .find(|number| Chain::hash(*number) == hash)
                .unwrap();
            (number, number)
        }
    }
}

/// Honest, but for the logs that it gives of some blocks.
fn giving(
    answer: impl Fn(u64, u64) -> Result<Value, Value> + Send + Sync + 'static,
) -> FaultyEndpoint {
    saying(move |call| {
        (call.method == LOGS).then(|| {
            let (from, to) = blocks(call);
            answer(from, to)
        })
    })
}

fn good() -> FaultyEndpoint {
    giving(|from, to| Ok(logs_between(from, to)))
}

fn range(from: u64, to: u64) -> Range {
    Range {
        from,
        to,
        after: None,
        addresses: vec![CONTRACT],
        topics: vec![TOPIC],
    }
}

fn events(chains: &Chains) -> Events<'_> {
    chains.events(CHAIN.id).unwrap()
}

async fn found(chains: &Chains, from: u64, to: u64) -> Result<Found, ReadError> {
    events(chains).logs(&range(from, to)).await
}

/// How wide the pieces were that a server was asked for.
fn widths(server: &FaultyEndpoint) -> Vec<u64> {
    let asked = server.asked();
    let calls = asked.iter().flat_map(|request| &request.calls);
    let logs = calls.filter(|call| call.method == LOGS);
    logs.map(|call| blocks(call).1 - blocks(call).0 + 1)
        .collect()
}

#[track_caller]
fn assert_found(found: Result<Found, ReadError>, from: u64, to: u64, endpoint: &str) {
    let found = found.unwrap();
    assert_eq!(found.logs, events_between(from, to));
    assert_eq!(
        (found.upto.number, found.upto.hash.to_string()),
        (to, Chain::hash(to))
    );
    assert_eq!(found.endpoint_id.as_str(), endpoint);
}

#[tokio::test]
async fn blocks_that_are_final_are_one_request_with_the_headers_around_them() {
    let server = good();
    let chains = of(&[&server]);
    events(&chains).heads().await.unwrap();
    server.forget();
    let asked = Range {
        after: Some(Chain::hash(849).parse().unwrap()),
        ..range(850, FINAL)
    };
    assert_found(events(&chains).logs(&asked).await, 850, FINAL, "main");
    let [request] = &server.asked()[..] else {
        panic!("{:?}", server.asked());
    };
    let expected = [
        "eth_getBlockByNumber",
        LOGS,
        "eth_getBlockByNumber",
        "eth_chainId",
    ];
    assert_eq!(request.methods(), expected);
    assert_eq!(request.calls[0].params, json!([quantity(849), false]));
    let filter = json!([{
        "fromBlock": quantity(850),
        "toBlock": quantity(FINAL),
        "address": format!("{CONTRACT:#x}"),
        "topics": [format!("{TOPIC:#x}")],
    }]);
    assert_eq!(request.calls[1].params, filter);
    assert_eq!(request.calls[2].params, json!([quantity(FINAL), false]));
}

#[tokio::test]
async fn any_of_several_contracts_and_topics_is_asked_for_or_any_at_all() {
    let server = good();
    let chains = of(&[&server]);
    let other = Address::repeat_byte(0x0a);
    let asked = Range {
        addresses: vec![CONTRACT, other, CONTRACT],
        topics: vec![TOPIC, B256::ZERO],
        ..range(100, 200)
    };
    events(&chains).logs(&asked).await.unwrap();
    let asked = Range {
        addresses: vec![],
        topics: vec![],
        ..range(100, 200)
    };
    events(&chains).logs(&asked).await.unwrap();
    let asked = server.asked();
    let calls = asked.iter().flat_map(|request| &request.calls);
    let filters: Vec<_> = calls
        .filter(|call| call.method == LOGS)
        .map(|call| &call.params[0])
        .collect();
    let [several, any] = filters[..] else {
        panic!("{filters:?}");
    };
    assert_eq!(
        several["address"],
        json!([format!("{other:#x}"), format!("{CONTRACT:#x}")])
    );
    assert_eq!(
        several["topics"],
        json!([[format!("{TOPIC:#x}"), format!("0x{:064x}", 0)]])
    );
    assert_eq!((any.get("address"), &any["topics"]), (None, &json!([])));
}

#[tokio::test]
async fn piece_after_piece_every_log_is_found_once_and_in_order() {
    let server = good();
    let mut config = config("main", &server.url());
    config.max_log_blocks = Some(70.try_into().unwrap());
    let chains = chains(vec![config]);
    let (mut logs, mut next) = (Vec::new(), range(0, u64::MAX));
    while next.from <= CHAIN.head {
        let found = events(&chains).logs(&next).await.unwrap();
        assert!(found.upto.number >= next.from);
        logs.extend(found.logs);
        next.from = found.upto.number + 1;
        next.after = Some(found.upto.hash);
    }
    assert_eq!(logs, events_between(0, CHAIN.head));
    assert!(widths(&server).iter().all(|width| *width <= 70));
}

#[tokio::test]
async fn no_block_above_the_head_of_the_endpoint_is_asked_for() {
    let server = good();
    let chains = of(&[&server]);
    assert_found(found(&chains, 900, 5_000).await, 900, CHAIN.head, "main");
    assert_eq!(widths(&server), [101]);
    let failure = found(&chains, CHAIN.head + 1, 5_000).await.unwrap_err();
    assert_eq!(failure.code, Code::BlockNotFound);
    assert_eq!(widths(&server), [101], "it would be an empty answer");
}

#[tokio::test]
async fn what_a_lagging_endpoint_does_not_have_yet_the_next_one_gives() {
    let late = || served(|request| Chain { head: 900, ..CHAIN }.reply(request));
    let (lagging, spare) = (late(), good());
    let chains = of(&[&lagging, &spare]);
    assert_found(
        found(&chains, 950, CHAIN.head).await,
        950,
        CHAIN.head,
        "spare",
    );
    assert_eq!(lagging.calls(LOGS), 0);
    // And what it has, up to there.
    let part = found(&chains, 891, CHAIN.head).await.unwrap();
    assert_eq!((part.upto.number, part.logs), (900, vec![]));
    let also = late();
    let failure = found(&of(&[&lagging, &also]), 950, CHAIN.head)
        .await
        .unwrap_err();
    assert_eq!(failure.code, Code::BlockNotFound, "{failure}");
}

#[tokio::test]
async fn a_range_that_ends_before_it_begins_is_no_argument() {
    let server = good();
    let failure = found(&of(&[&server]), 2, 1).await.unwrap_err();
    assert_eq!(
        (failure.code, server.requests()),
        (Code::InvalidArgument, 0)
    );
}

#[tokio::test]
async fn a_piece_is_of_one_endpoint_as_a_whole() {
    // It gives the logs, and then breaks when it is asked for the blocks' times.
    let breaking = served(|request| {
        let times = request.calls.len() > 4;
        if times {
            return Reply::new(500, "");
        }
        Reply::each(request, |call| match call.method.as_str() {
            LOGS => Ok(tenths(100, 200)
                .map(|(n, index)| changed(log(n, index), "blockTimestamp", Value::Null))
                .collect()),
            _ => CHAIN.answer(call),
        })
    });
    let spare = good();
    let chains = of(&[&breaking, &spare]);
    assert_found(found(&chains, 100, 200).await, 100, 200, "spare");
    assert_eq!(breaking.calls(LOGS), 1);
}
