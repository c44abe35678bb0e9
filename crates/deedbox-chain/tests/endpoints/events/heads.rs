//! How far a chain is, and which blocks there are.

use super::*;

/// What it says of a tag, and otherwise honest.
fn of_tag(tag: &'static str, answer: Result<Value, Value>) -> FaultyEndpoint {
    saying(move |call| (call.params[0] == tag).then(|| answer.clone()))
}

#[tokio::test]
async fn heads_are_read_in_one_request() {
    let server = honest();
    let chains = of(&[&server]);
    let heads = events(&chains).heads().await.unwrap();
    let numbers =
        [Some(heads.latest), heads.safe, heads.finalized].map(|head| head.unwrap().number);
    assert_eq!(numbers, [1000, 968, 936]);
    assert_eq!(heads.latest.hash.to_string(), Chain::hash(1000));
    assert_eq!(heads.latest.timestamp.as_millis(), 1_700_012_000_000);
    assert!(!heads.is_final_by_depth);
    assert_eq!(heads.endpoint_id.as_str(), "main");
    // The first one finds out which chain it is.
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn where_no_block_is_named_final_one_is_that_lies_deep_enough() {
    for answer in [
        Ok(Value::Null),
        Err(error(
            -32602,
            "invalid argument 0: hex string without 0x prefix",
        )),
        Err(error(-39001, "finalized block not found")),
    ] {
        for (depth, expected) in [
            (Some(10), Some(990)),
            (Some(1000), Some(0)),
            (Some(1001), None),
            (None, Some(904)),
        ] {
            let server = of_tag("finalized", answer.clone());
            let chains = chains_with(configs(&[&server]), |config| {
                config.finality_depth = depth.map(|depth| depth.try_into().unwrap());
            });
            let heads = events(&chains).heads().await.unwrap();
            assert_eq!(
                heads.finalized.map(|head| head.number),
                expected,
                "{depth:?}"
            );
            assert!(heads.is_final_by_depth);
        }
    }
}

#[tokio::test]
async fn a_tag_that_could_not_be_read_is_not_one_that_is_unknown() {
    let (broken, spare) = (of_tag("finalized", Err(error(-32603, "boom"))), honest());
    let heads = events(&of(&[&broken, &spare])).heads().await.unwrap();
    assert_eq!(heads.endpoint_id.as_str(), "spare");
}

#[tokio::test]
async fn no_block_is_final_before_it_is_there() {
    let above = |tag| {
        of_tag(
            tag,
            Ok(Chain {
                head: 2000,
                ..CHAIN
            }
            .block(1001)),
        )
    };
    for tag in ["safe", "finalized"] {
        let spare = honest();
        let heads = events(&of(&[&above(tag), &spare])).heads().await.unwrap();
        assert_eq!(heads.endpoint_id.as_str(), "spare");
    }
}

#[tokio::test]
async fn headers_come_in_the_order_in_which_they_are_asked_for_and_none_is_above_the_newest() {
    let server = honest();
    let chains = of(&[&server]);
    let read = events(&chains).headers(&[7, 1001, 3, 1000]).await.unwrap();
    let numbers: Vec<_> = read
        .iter()
        .map(|head| head.map(|head| head.number))
        .collect();
    assert_eq!(numbers, [Some(7), None, Some(3), Some(1000)]);
    assert_eq!(server.requests(), 2);
    // More than one batch holds.
    let many: Vec<u64> = (0..50).collect();
    let read = events(&chains).headers(&many).await.unwrap();
    let numbers: Vec<_> = read.iter().map(|head| head.unwrap().number).collect();
    assert_eq!(numbers, many);
    assert_eq!(server.requests(), 5);
    assert_eq!(events(&chains).headers(&[]).await, Ok(vec![]));
}

#[tokio::test]
async fn a_header_that_is_lacking_below_the_newest_is_not_one_that_is_not_there_yet() {
    let lacking = || saying(|call| (call.params[0] == "0x7").then_some(Ok(Value::Null)));
    let spare = honest();
    let read = events(&of(&[&lacking(), &spare]))
        .headers(&[7])
        .await
        .unwrap();
    assert_eq!(read[0].unwrap().number, 7);
    let failure = events(&of(&[&lacking()])).headers(&[7]).await.unwrap_err();
    assert_eq!(failure.code, Code::BlockNotFound);
}

#[tokio::test]
async fn another_block_than_the_one_that_was_asked_for_is_no_answer() {
    let confused = saying(|call| (call.params[0] == "0x7").then(|| Ok(CHAIN.block(8))));
    let failure = events(&of(&[&confused])).headers(&[7]).await.unwrap_err();
    assert_eq!(failure.code, Code::EndpointUnavailable);
}
