//! Logs that cannot be right, and chains that change while they are read.

use super::*;

/// As an honest endpoint answers, but the block at this height has another hash as long as `is_other` says so.
fn replacing(
    height: u64,
    is_other: impl Fn(&Call) -> bool + Send + Sync + 'static,
) -> FaultyEndpoint {
    saying(move |call| match call.method.as_str() {
        LOGS => {
            let (from, to) = blocks(call);
            Some(Ok(logs_between(from, to)))
        }
        "eth_getBlockByNumber" if call.params[0] == quantity(height) && is_other(call) => Some(Ok(
            changed(CHAIN.block(height), "hash", json!(Chain::hash(1))),
        )),
        _ => None,
    })
}

#[tokio::test]
async fn logs_that_were_not_asked_for_are_no_answer() {
    let with = |name: &str, value: Value| changed(log(150, 0), name, value);
    let without = |name: &str| {
        let mut log = log(150, 0);
        log.as_object_mut().unwrap().remove(name);
        log
    };
    let topic = |topic: B256| format!("{topic:#x}");
    for (what, answer) in [
        ("above the range", json!([log(210, 0)])),
        ("below the range", json!([log(90, 0)])),
        ("removed", json!([with("removed", json!(true))])),
        (
            "of another contract",
            json!([with("address", json!(format!("0x{:040x}", 1)))]),
        ),
        (
            "of another topic",
            json!([with("topics", json!([topic(B256::ZERO)]))]),
        ),
        ("of no topic", json!([with("topics", json!([]))])),
        (
            "of five topics",
            json!([with("topics", json!(vec![topic(TOPIC); 5]))]),
        ),
        (
            "of half a topic",
            json!([with("topics", json!([topic(TOPIC), "0x07"]))]),
        ),
        ("pending", json!([with("blockHash", Value::Null)])),
        ("without an index", json!([without("logIndex")])),
        ("without data", json!([without("data")])),
        ("of half a byte", json!([with("data", json!("0x0"))])),
        ("out of order in a block", json!([log(150, 3), log(150, 0)])),
        ("out of order", json!([log(160, 0), log(150, 0)])),
        ("there twice", json!([log(150, 0), log(150, 0)])),
        (
            "two at one place",
            json!([log(150, 0), with("data", json!("0x"))]),
        ),
        (
            "of a block with two hashes",
            json!([
                log(150, 0),
                changed(log(150, 1), "blockHash", json!(Chain::hash(151)))
            ]),
        ),
        ("null", Value::Null),
        ("an object", json!({})),
    ] {
        let wrong = giving(move |_, _| Ok(answer.clone()));
        let failure = found(&of(&[&wrong]), 100, 200).await.unwrap_err();
        assert_eq!(failure.code, Code::EndpointUnavailable, "{what}");
        let spare = good();
        assert_found(
            found(&of(&[&wrong, &spare]), 100, 200).await,
            100,
            200,
            "spare",
        );
    }
}

#[tokio::test]
async fn a_final_log_of_no_block_of_the_chain_is_the_endpoints_fault() {
    // Its time has to be asked for, and so it is seen.
    let stray = |name, value| {
        changed(
            changed(log(150, 0), "blockTimestamp", Value::Null),
            name,
            value,
        )
    };
    let stray = stray("blockHash", json!(Chain::hash(151)));
    let wrong = giving(move |_, _| Ok(json!([stray])));
    let spare = good();
    assert_found(
        found(&of(&[&wrong, &spare]), 100, 200).await,
        100,
        200,
        "spare",
    );
}

#[tokio::test]
async fn a_log_with_another_time_than_its_block_is_the_endpoints_fault() {
    let late = changed(log(990, 0), "blockTimestamp", quantity(1_700_000_000));
    let wrong = giving(move |_, _| Ok(json!([late])));
    let spare = good();
    assert_found(
        found(&of(&[&wrong, &spare]), 980, 1000).await,
        980,
        1000,
        "spare",
    );
}

#[tokio::test]
async fn a_log_of_a_block_that_was_replaced_is_read_again_and_then_a_reorg() {
    for (stale, heals) in [(990, true), (990, false), (1000, true), (1000, false)] {
        let readings = AtomicU64::new(0);
        let server = giving(move |from, to| {
            let is_stale = readings.fetch_add(1, Ordering::Relaxed) < 2 || !heals;
            let replaced = |log: Value| {
                if is_stale && log["blockNumber"] == quantity(stale) {
                    changed(log, "blockHash", json!(Chain::hash(2)))
                } else {
                    log
                }
            };
            Ok(tenths(from, to)
                .map(|(number, index)| replaced(log(number, index)))
                .collect())
        });
        let spare = good();
        let read = found(&of(&[&server, &spare]), 980, 1000).await;
        if heals {
            assert_found(read, 980, 1000, "main");
        } else {
            assert_eq!(read.unwrap_err().code, Code::Reorged);
        }
        assert_eq!((server.calls(LOGS), spare.requests()), (3, 0));
    }
}

#[tokio::test]
async fn a_last_block_that_is_replaced_while_it_is_read_is_read_again() {
    // It is asked for before the logs and with them.
    let times = AtomicU64::new(0);
    let once = replacing(990, move |_| times.fetch_add(1, Ordering::Relaxed) == 0);
    assert_found(found(&of(&[&once]), 900, 990).await, 900, 990, "main");
    assert_eq!(once.calls(LOGS), 2);

    let times = AtomicU64::new(0);
    let always = replacing(990, move |_| {
        times.fetch_add(1, Ordering::Relaxed).is_multiple_of(2)
    });
    let failure = found(&of(&[&always]), 900, 990).await.unwrap_err();
    assert_eq!((failure.code, always.calls(LOGS)), (Code::Reorged, 3));
}

#[tokio::test]
async fn a_piece_is_not_put_on_top_of_another_branch() {
    let (server, spare) = (good(), good());
    let chains = of(&[&server, &spare]);
    let after = |hash: String| Range {
        after: Some(hash.parse().unwrap()),
        ..range(100, 200)
    };
    assert_found(
        events(&chains).logs(&after(Chain::hash(99))).await,
        100,
        200,
        "main",
    );
    let failure = events(&chains)
        .logs(&after(Chain::hash(98)))
        .await
        .unwrap_err();
    assert_eq!(failure.code, Code::Reorged);
    assert_eq!(
        spare.requests(),
        0,
        "what the chain did, every endpoint would say"
    );
    // There is nothing below the first block.
    let first = Range {
        from: 0,
        to: 100,
        ..after(Chain::hash(98))
    };
    assert_found(events(&chains).logs(&first).await, 0, 100, "main");
}

#[tokio::test]
async fn a_time_that_is_not_said_beside_the_logs_is_the_headers() {
    for unsaid in [Value::Null, json!("0x0"), json!(1_700_001_200)] {
        let server = giving(move |from, to| {
            let unsaid =
                |(number, index)| changed(log(number, index), "blockTimestamp", unsaid.clone());
            Ok(tenths(from, to).map(unsaid).collect())
        });
        let chains = of(&[&server]);
        events(&chains).heads().await.unwrap();
        server.forget();
        assert_found(found(&chains, 100, 200).await, 100, 200, "main");
        // Eleven blocks, and which chain it is.
        let sizes: Vec<_> = server
            .asked()
            .iter()
            .map(|request| request.calls.len())
            .collect();
        assert_eq!(sizes, [3, 12]);
    }
}

/// Behind one name answer a node that has the newest blocks and one that lacks them.
#[tokio::test]
async fn a_node_that_lags_behind_the_same_name_does_not_pass_for_one_without_logs() {
    for most in [1, 20] {
        let server = served(|request| {
            let head = if request.has(LOGS) { 995 } else { 1000 };
            let lagging = Chain { head, ..CHAIN };
            Reply::each(request, |call| match call.method.as_str() {
                LOGS if call.params[0]["blockHash"].is_null() => {
                    let (from, to) = blocks(call);
                    Ok(logs_between(from, to.min(head)))
                }
                LOGS => Err(error(-32000, "unknown block")),
                _ => lagging.answer(call),
            })
        });
        let spare = good();
        let mut configs = configs(&[&server, &spare]);
        configs[0].max_batch = most.try_into().unwrap();
        assert_found(found(&chains(configs), 980, 1000).await, 980, 1000, "spare");
    }
}

#[tokio::test]
async fn without_batches_the_last_block_is_asked_for_by_its_hash_and_known_before_and_after() {
    for refuses in [true, false] {
        let server = served(move |request| {
            if refuses && request.batch {
                return Reply::new(400, "no batches");
            }
            Reply::each(request, |call| match call.method.as_str() {
                LOGS => {
                    let (from, to) = blocks(call);
                    Ok(logs_between(from, to))
                }
                _ => CHAIN.answer(call),
            })
        });
        let mut config = config("main", &server.url());
        config.max_batch = if refuses { 20 } else { 1 }.try_into().unwrap();
        let chains = chains(vec![config]);
        assert_found(found(&chains, 980, 1000).await, 980, 1000, "main");
        server.forget();
        assert_found(found(&chains, 100, 200).await, 100, 200, "main");
        let asked = server.asked();
        let calls: Vec<_> = asked
            .iter()
            .flat_map(|request| &request.calls)
            .filter(|call| call.method != "eth_chainId")
            .collect();
        let about: Vec<_> = calls
            .iter()
            .map(|call| match call.method.as_str() {
                LOGS => blocks(call),
                _ => (200, 0),
            })
            .collect();
        assert_eq!(about, [(200, 0), (100, 199), (200, 200), (200, 0)]);
        assert_eq!(calls[2].params[0]["blockHash"], Chain::hash(200));
        server.script(|request| {
            if request.has(LOGS) {
                Reply::hang()
            } else {
                CHAIN.reply(request)
            }
        });
    }
}

#[tokio::test]
async fn without_batches_a_last_block_that_is_replaced_meanwhile_is_read_again() {
    let times = AtomicU64::new(0);
    // Before, after, and the same again.
    let server = replacing(990, move |_| times.fetch_add(1, Ordering::Relaxed) == 1);
    let mut config = config("main", &server.url());
    config.max_batch = std::num::NonZeroU32::MIN;
    assert_found(
        found(&chains(vec![config]), 900, 990).await,
        900,
        990,
        "main",
    );
    assert_eq!(widths(&server), [90, 1, 90, 1]);
}
