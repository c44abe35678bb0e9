//! Searching for logs: ranges that are refused in every way, and logs that are not what was asked for.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use alloy_primitives::B256;
use deedbox_neighbours::rpc::{Call as Asked, error};
use serde_json::json;

use super::*;
use crate::{
    Code, ReadError,
    rpc::pinned::{Log, LogFilter, Pattern, Pinned},
};

const TOPIC: B256 = B256::repeat_byte(7);

/// A log in every hundredth block.
fn log(number: u64) -> Value {
    json!({
        "address": format!("0x{:040x}", 1),
        "topics": [format!("{TOPIC:#x}")],
        "data": "0x",
        "blockNumber": format!("0x{number:x}"),
        "blockHash": Chain::hash(number),
        "transactionHash": format!("0x{number:064x}"),
        "logIndex": "0x1",
        "removed": false,
    })
}

fn logs_between(from: u64, to: u64) -> Value {
    (from..=to).filter(|n| n % 100 == 0).map(log).collect()
}

/// Answers `eth_getLogs` over a range with `answer`, and the rest honestly.
fn searched(
    answer: impl Fn(u64, u64) -> Result<Value, Value> + Send + Sync + 'static,
) -> FaultyEndpoint {
    served(move |request| {
        Reply::each(request, |call: &Asked| match call.method.as_str() {
            "eth_getLogs" => {
                let (from, to) = range(&call.params);
                answer(from, to)
            }
            _ => CHAIN.answer(call),
        })
    })
}

async fn search(at: &At<'_>, blocks: u64, enough: usize) -> Result<(Vec<Log>, u64), ReadError> {
    let filter = LogFilter {
        from: HEAD + 1 - blocks,
        to: HEAD,
        any_of: vec![Pattern {
            topics: vec![vec![TOPIC], vec![]],
            ..Pattern::default()
        }],
    };
    at.logs(filter, move |logs| logs.len() >= enough).await
}

fn heights(logs: &[Log]) -> Vec<u64> {
    logs.iter().map(|log| log.block_number).collect()
}

fn hundreds(blocks: u64) -> Vec<u64> {
    (HEAD + 1 - blocks..=HEAD)
        .filter(|n| n % 100 == 0)
        .collect()
}

fn widths(server: &FaultyEndpoint) -> Vec<u64> {
    let calls = server.asked().into_iter().flat_map(|request| request.calls);
    let logs = calls.filter(|call| call.method == "eth_getLogs");
    let width = |call: Asked| {
        let (from, to) = range(&call.params);
        to - from + 1
    };
    logs.map(width).collect()
}

/// A server that takes ranges up to `most` and says so in `words`; with what was searched how often.
async fn limited(
    most: u64,
    words: impl Fn(u64, u64) -> String + Send + Sync + 'static,
) -> Vec<u64> {
    let server = searched(move |from, to| {
        if to - from + 1 > most {
            Err(error(-32000, &words(from, to)))
        } else {
            Ok(logs_between(from, to))
        }
    });
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, None).await;
    let (logs, lowest) = search(&at, 10_000, usize::MAX).await.unwrap();
    assert_eq!((heights(&logs), lowest), (hundreds(10_000), HEAD - 9_999));
    let widths = widths(&server);
    // What was learnt is used the next time.
    server.forget();
    search(&at, most, usize::MAX).await.unwrap();
    assert_eq!(server.requests(), 1, "the width that worked is remembered");
    widths
}

#[tokio::test]
async fn a_range_that_is_taken_is_one_request_with_the_last_blocks_header() {
    let server = searched(|from, to| Ok(logs_between(from, to)));
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, None).await;
    let (logs, lowest) = search(&at, 10_000, usize::MAX).await.unwrap();
    assert_eq!((heights(&logs), lowest), (hundreds(10_000), HEAD - 9_999));
    let [request] = &server.asked()[..] else {
        panic!()
    };
    assert_eq!(
        request.methods(),
        ["eth_getLogs", "eth_chainId", "eth_getBlockByNumber"]
    );
    assert_eq!(
        request.calls[0].params[0]["topics"],
        json!([format!("{TOPIC:#x}")])
    );
}

#[tokio::test]
async fn the_newest_come_first_and_reading_stops_when_there_is_enough() {
    let server = searched(|from, to| Ok(logs_between(from, to)));
    let endpoint = endpoint(&server, |config| {
        config.max_log_blocks = Some(1000.try_into().unwrap());
    });
    let at = at_head(&server, &endpoint, None).await;
    let (logs, lowest) = search(&at, 10_000, 15).await.unwrap();
    assert_eq!(lowest, HEAD - 1_999);
    assert_eq!(heights(&logs), hundreds(2_000));
    assert_eq!(
        widths(&server),
        [1000, 1000],
        "a limit that is configured is kept to"
    );
}

#[tokio::test]
async fn a_limit_that_is_named_is_kept_to_at_once() {
    let widths = limited(3000, |_, _| "exceed maximum block range: 3000".to_owned()).await;
    assert_eq!(widths, [10_000, 3000, 3000, 3000, 1000]);
}

#[tokio::test]
async fn a_range_that_is_suggested_is_used_for_its_width() {
    let widths = limited(5000, |from, _| {
        format!(
            "Based on your parameters, this block range should work: [0x{from:x}, 0x{:x}]",
            from + 4999
        )
    })
    .await;
    assert_eq!(widths, [10_000, 5000, 5000]);
}

#[tokio::test]
async fn a_suggestion_as_wide_as_the_request_or_wider_does_not_loop() {
    for wider in [0, 1, 5_000_000] {
        let widths = limited(2500, move |from, to| {
            format!(
                "Log response size exceeded. this block range should work: [0x{from:x}, 0x{:x}]",
                to + wider
            )
        })
        .await;
        assert_eq!(widths, [10_000, 5000, 2500, 2500, 2500, 2500]);
    }
}

#[tokio::test]
async fn words_without_a_number_are_halved() {
    for words in [
        "block range is too wide",
        "query returned more than 10000 results",
        "response too large",
    ] {
        let widths = limited(2500, move |_, _| words.to_owned()).await;
        assert_eq!(widths, [10_000, 5000, 2500, 2500, 2500, 2500], "{words}");
    }
}

#[tokio::test]
async fn an_endpoint_that_gives_up_or_says_nothing_is_asked_for_less() {
    let quiet = served(|request| {
        let wide = request.calls.iter().any(|call| {
            call.method == "eth_getLogs" && range(&call.params).1 - range(&call.params).0 >= 2500
        });
        if wide {
            Reply::hang()
        } else {
            CHAIN.reply(request)
        }
    });
    let endpoint = endpoint(&quiet, |config| {
        config.timeout = Duration::from_millis(700);
    });
    let at = at_head(&quiet, &endpoint, None).await;
    assert_eq!(
        search(&at, 10_000, 1).await.unwrap(),
        (Vec::new(), HEAD - 9_999)
    );
    assert_eq!(widths(&quiet), [10_000, 5000, 2500, 2500, 2500, 2500]);
}

#[tokio::test]
async fn an_answer_larger_than_is_read_is_asked_for_in_parts() {
    let server = searched(|from, to| Ok(logs_between(from, to)));
    // A log takes some 450 bytes; a hundred of them are too many.
    let endpoint = endpoint(&server, |config| config.max_body = 25_000);
    let at = at_head(&server, &endpoint, None).await;
    let (logs, _) = search(&at, 10_000, usize::MAX).await.unwrap();
    assert_eq!(heights(&logs), hundreds(10_000));
}

#[tokio::test]
async fn one_block_that_is_refused_ends_the_search() {
    let server = searched(|_, _| Err(error(-32005, "query returned more than 10000 results")));
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, None).await;
    let failure = search(&at, 10_000, usize::MAX).await.unwrap_err();
    assert_eq!(failure.code, Code::RangeTooLarge);
    assert_eq!(server.requests(), 14, "10,000 halved until it is one");
}

#[tokio::test]
async fn a_search_is_given_up_after_so_many_requests() {
    let server = searched(|from, to| {
        if to - from >= 10 {
            Err(error(-32000, "exceed maximum block range: 10"))
        } else {
            Ok(json!([]))
        }
    });
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, None).await;
    let failure = search(&at, 10_000, usize::MAX).await.unwrap_err();
    assert_eq!((failure.code, server.requests()), (Code::RangeTooLarge, 64));
}

#[tokio::test]
async fn an_endpoint_without_limits_is_asked_for_more_and_more() {
    let server = searched(|_, _| Ok(json!([])));
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, None).await;
    assert_eq!(search(&at, 310_000, 1).await.unwrap().1, HEAD - 309_999);
    assert_eq!(widths(&server), [10_000, 20_000, 40_000, 80_000, 160_000]);
}

#[tokio::test]
async fn logs_that_were_not_asked_for_are_no_answer() {
    let changed = |name: &str, value: Value| {
        let mut log = log(HEAD);
        log[name] = value;
        log
    };
    let mut unplaced = log(HEAD);
    unplaced.as_object_mut().unwrap().remove("logIndex");
    let mut torn = log(HEAD - 100);
    torn["blockHash"] = json!(Chain::hash(3));
    torn["logIndex"] = json!("0x2");
    let topics = |count: usize| json!(vec![format!("{TOPIC:#x}"); count]);
    for (what, answer) in [
        ("above the range", json!([log(HEAD + 100)])),
        ("below the range", json!([log(HEAD - 1_000)])),
        ("twice", json!([log(HEAD), log(HEAD)])),
        ("removed", json!([changed("removed", json!(true))])),
        ("pending", json!([changed("blockHash", Value::Null)])),
        ("without an index", json!([unplaced])),
        (
            "of another topic",
            json!([changed("topics", json!([format!("0x{:064x}", 1)]))]),
        ),
        ("of no topic", json!([changed("topics", json!([]))])),
        ("of five topics", json!([changed("topics", topics(5))])),
        (
            "of half an address",
            json!([changed("address", json!("0x01"))]),
        ),
        ("of a block with two hashes", json!([log(HEAD - 100), torn])),
        ("null", Value::Null),
        ("an object", json!({})),
    ] {
        let server = searched(move |_, _| Ok(answer.clone()));
        let endpoint = endpoint(&server, |_| {});
        let at = at_head(&server, &endpoint, None).await;
        let failure = search(&at, 1_000, 1).await.unwrap_err();
        assert_eq!(failure.code, Code::EndpointUnavailable, "{what}");
        assert_eq!(server.requests(), 1, "{what}");
    }
}

#[tokio::test]
async fn an_endpoint_that_lost_the_last_block_does_not_pass_for_one_without_logs() {
    let server = searched(|_, _| Ok(json!([])));
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, None).await;
    // Behind the same name now answers another node, which is a few blocks behind.
    server.script(|request| {
        Chain {
            id: 1,
            head: HEAD - 5,
        }
        .reply(request)
    });
    let failure = search(&at, 1_000, 1).await.unwrap_err();
    assert_eq!(failure.code, Code::BlockNotFound);
}

#[tokio::test]
async fn a_log_of_a_block_that_replaced_the_last_one_is_a_reorg() {
    let server = searched(|_, to| {
        let mut log = log(to);
        log["blockHash"] = json!(Chain::hash(3));
        Ok(json!([log]))
    });
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, None).await;
    assert_eq!(search(&at, 1_000, 1).await.unwrap_err().code, Code::Reorged);
}

#[tokio::test]
async fn where_logs_are_dense_pieces_are_narrow_and_wide_again_behind() {
    // The newest thousand blocks hold too much for more than a hundred of them at once.
    let server = searched(|from, to| {
        if to > HEAD - 1_000 && to - from >= 100 {
            Err(error(-32005, "query returned more than 10000 results"))
        } else {
            Ok(logs_between(from, to))
        }
    });
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, None).await;
    let (logs, _) = search(&at, 20_000, usize::MAX).await.unwrap();
    assert_eq!(heights(&logs), hundreds(20_000));
    assert!(server.requests() < 50, "{} requests", server.requests());
}

#[tokio::test]
async fn a_rate_limit_in_the_middle_is_waited_for() {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let server = searched(|from, to| {
        if ASKED.fetch_add(1, Ordering::Relaxed) == 1 {
            return Err(error(429, "Too Many Requests"));
        }
        Ok(logs_between(from, to))
    });
    let endpoint = endpoint(&server, |config| {
        config.max_log_blocks = Some(5000.try_into().unwrap());
    });
    let at = at_head(&server, &endpoint, None).await;
    let (logs, _) = search(&at, 10_000, usize::MAX).await.unwrap();
    assert_eq!(heights(&logs), hundreds(10_000));
    assert_eq!(widths(&server), [5000, 5000, 5000]);
}

/// Behind one name stand a node that has the newest block and one that lacks it, and requests go to them in turns.
#[tokio::test]
async fn without_batches_the_newest_block_is_asked_for_by_its_hash() {
    for (lags, refuses) in [(false, false), (false, true), (true, false), (true, true)] {
        let server = served(move |request| {
            if refuses && request.calls.len() > 1 {
                return Reply::new(400, "no batches");
            }
            let head = if lags && request.has("eth_getLogs") {
                HEAD - 1
            } else {
                HEAD
            };
            Reply::each(request, |call: &Asked| {
                if call.method != "eth_getLogs" {
                    return CHAIN.answer(call);
                }
                if call.params[0]["blockHash"] == Chain::hash(HEAD) {
                    return if head == HEAD {
                        Ok(logs_between(HEAD, HEAD))
                    } else {
                        Err(error(-32000, "unknown block"))
                    };
                }
                // As a node answers that reads up to where it is.
                let (from, to) = range(&call.params);
                Ok(logs_between(from, to.min(head)))
            })
        });
        let endpoint = endpoint(&server, |config| {
            // It is known beforehand, or found out.
            config.max_batch = if refuses { 20 } else { 1 }.try_into().unwrap();
        });
        let at = at_head(&server, &endpoint, None).await;
        for blocks in [1_000, 1] {
            let found = search(&at, blocks, usize::MAX).await;
            if lags {
                assert_eq!(found.unwrap_err().code, Code::BlockNotFound);
            } else {
                assert_eq!(heights(&found.unwrap().0), hundreds(blocks));
            }
        }
    }
}
