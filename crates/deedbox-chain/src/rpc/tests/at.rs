//! One answer's calls: how many requests they take, and what becomes of calls and batches that are refused.

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, SolValue, sol};
use deedbox_neighbours::rpc::{Call as Asked, error};
use serde_json::json;

use super::*;
use crate::{
    Code,
    config::MULTICALL3,
    rpc::pinned::{Call, Expects, Got, HEAD as KEPT, Pinned, Said, Wanted},
};

sol! {
    struct Call3 { address target; bool allowFailure; bytes callData; }
    struct Outcome { bool success; bytes returnData; }
    function aggregate3(Call3[] calls) returns (Outcome[] results);
}

fn call(byte: u8) -> Call {
    Call {
        to: Address::repeat_byte(byte),
        data: vec![byte; 4].into(),
        expects: Expects::Anything,
    }
}

fn wanted(calls: &[u8]) -> Wanted {
    Wanted {
        balances: vec![Address::with_last_byte(5)],
        codes: vec![Address::with_last_byte(6)],
        calls: calls.iter().copied().map(call).collect(),
        ..Wanted::default()
    }
}

fn returned(byte: u8) -> Said {
    Said::Returned(vec![byte; 32].into())
}

fn data(asked: &Asked) -> Vec<u8> {
    hex::decode(asked.params[0]["data"].as_str().unwrap()).unwrap()
}

/// A contract that returns the last byte of its selector 32 times; Multicall3 does the same for each of its calls.
/// `fails` says which calls do.
fn contract(asked: &Asked, fails: impl Fn(u8) -> bool) -> Result<Value, Value> {
    if asked.method != "eth_call" {
        return CHAIN.answer(asked);
    }
    let data = data(asked);
    let Ok(all) = aggregate3Call::abi_decode(&data) else {
        return if fails(data[3]) {
            Err(error(3, "execution reverted: rate limit exceeded"))
        } else {
            Ok(json!(hex::encode_prefixed([data[3]; 32])))
        };
    };
    let outcomes = all.calls.iter().map(|call| Outcome {
        success: !fails(call.callData[3]),
        returnData: vec![call.callData[3]; 32].into(),
    });
    Ok(json!(hex::encode_prefixed(
        outcomes.collect::<Vec<_>>().abi_encode()
    )))
}

async fn get(at: &At<'_>, calls: &[u8]) -> Got {
    at.get(wanted(calls)).await.unwrap()
}

fn assert_right(got: &Got, calls: &[Said]) {
    assert_eq!(got.balances, [U256::from(5)]);
    assert_eq!(got.codes, [Bytes::new()]);
    assert_eq!(got.calls, calls);
}

#[tokio::test]
async fn everything_comes_in_one_request_with_the_blocks_own_header_last() {
    let server = served(|request| Reply::each(request, |call| contract(call, |_| false)));
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, None).await;
    assert_right(&get(&at, &[1, 2]).await, &[returned(1), returned(2)]);
    let [request] = &server.asked()[..] else {
        panic!("{:?}", server.asked())
    };
    let expected = [
        "eth_getBalance",
        "eth_getCode",
        "eth_call",
        "eth_call",
        "eth_chainId",
        "eth_getBlockByNumber",
    ];
    assert_eq!(request.methods(), expected);
    let pinned = json!({"blockHash": Chain::hash(HEAD), "requireCanonical": true});
    assert!(
        request.calls[..4]
            .iter()
            .all(|call| call.params[1] == pinned)
    );
}

#[tokio::test]
async fn multicall_makes_all_calls_in_one() {
    let server = served(|request| Reply::each(request, |call| contract(call, |_| false)));
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, Some(MULTICALL3.0)).await;
    assert_right(
        &get(&at, &[1, 2, 3]).await,
        &[returned(1), returned(2), returned(3)],
    );
    assert_eq!((server.requests(), server.calls("eth_call")), (1, 1));
    // One call needs none.
    assert_right(&get(&at, &[4]).await, &[returned(4)]);
    assert_ne!(
        server.asked()[1].calls[2].params[0]["to"],
        json!("0xca11bde05977b3631167028862be2a173976ca11")
    );
}

#[tokio::test]
async fn a_call_that_failed_beside_others_is_asked_alone_before_it_counts_as_refused() {
    // Through Multicall3 the second fails for want of gas; the third refuses whoever asks.
    let server = served(|request| {
        let alone = request
            .calls
            .iter()
            .all(|call| call.params[0]["to"] != "0xca11bde05977b3631167028862be2a173976ca11");
        Reply::each(request, |call| {
            contract(call, |n| n == 3 || n == 2 && !alone)
        })
    });
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, Some(MULTICALL3.0)).await;
    assert_right(
        &get(&at, &[1, 2, 3]).await,
        &[returned(1), returned(2), Said::Reverted(Bytes::new())],
    );
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn where_multicall_is_missing_the_calls_are_made_one_by_one_and_it_is_remembered() {
    let server = served(|request| {
        Reply::each(request, |call| {
            let to_it = call.params[0]["to"] == "0xca11bde05977b3631167028862be2a173976ca11";
            if to_it {
                Ok(json!("0x"))
            } else {
                contract(call, |_| false)
            }
        })
    });
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, Some(MULTICALL3.0)).await;
    assert_right(&get(&at, &[1, 2]).await, &[returned(1), returned(2)]);
    assert_eq!(server.requests(), 2);
    assert_right(&get(&at, &[1, 2]).await, &[returned(1), returned(2)]);
    assert_eq!(server.requests(), 3);
}

#[tokio::test]
async fn calls_that_are_too_much_for_multicall_are_made_one_by_one_and_the_next_ones_through_it() {
    for (code, words) in [
        (-32000, "out of gas"),
        (3, "execution reverted"),
        (-32003, "response too large"),
    ] {
        let server = served(move |request| {
            Reply::each(request, |call| {
                let many = call.method == "eth_call" && data(call).len() > 1000;
                if many {
                    Err(error(code, words))
                } else {
                    contract(call, |_| false)
                }
            })
        });
        let endpoint = endpoint(&server, |_| {});
        let at = at_head(&server, &endpoint, Some(MULTICALL3.0)).await;
        let calls: Vec<u8> = (1..=9).collect();
        let expected: Vec<_> = calls.iter().copied().map(returned).collect();
        assert_right(&get(&at, &calls).await, &expected);
        server.forget();
        assert_right(&get(&at, &[1, 2]).await, &[returned(1), returned(2)]);
        assert_eq!(server.calls("eth_call"), 1, "{words}");
    }
}

#[tokio::test]
async fn an_endpoint_that_takes_no_batches_is_asked_one_by_one_and_it_is_remembered() {
    let refusals: [fn(&Request) -> Reply; 6] = [
        |r| Reply::refusal(r, 200, &error(-32600, "batch requests are not supported")),
        |r| Reply::refusal(r, 200, &error(-32600, "invalid request")),
        |r| Reply::refusal(r, 400, &error(-32700, "parse error")),
        |_| Reply::new(400, "bad request"),
        |_| Reply::new(413, ""),
        // dRPC, in each answer
        |r| {
            Reply::each(r, |_| {
                Err(error(
                    31,
                    "Batch of more than 4 requests are not allowed on free plan",
                ))
            })
            .status(500)
        },
    ];
    for (index, refusal) in refusals.into_iter().enumerate() {
        let most = if index == 5 { 4 } else { 1 };
        let server = served(move |request| {
            if request.calls.len() > most {
                refusal(request)
            } else {
                Reply::each(request, |call| contract(call, |_| false))
            }
        });
        let endpoint = endpoint(&server, |_| {});
        let at = at_head(&server, &endpoint, None).await;
        assert_right(&get(&at, &[1, 2]).await, &[returned(1), returned(2)]);
        server.forget();
        assert_right(&get(&at, &[1, 2]).await, &[returned(1), returned(2)]);
        // Four calls, the chain's id and the header: in six requests, or in two batches of two with both each.
        assert_eq!(
            server.requests(),
            if most == 4 { 2 } else { 6 },
            "refusal {index}"
        );
        let asked = server.asked();
        let last = asked.last().map(|request| request.methods());
        assert_eq!(
            last.unwrap_or_default().last(),
            Some(&"eth_getBlockByNumber"),
            "the block is verified last"
        );
    }
}

#[tokio::test]
async fn more_calls_than_a_batch_may_hold_go_in_several() {
    let server = served(|request| Reply::each(request, |call| contract(call, |_| false)));
    let endpoint = endpoint(&server, |config| config.max_batch = 5.try_into().unwrap());
    let at = at_head(&server, &endpoint, None).await;
    let calls: Vec<u8> = (1..=10).collect();
    let expected: Vec<_> = calls.iter().copied().map(returned).collect();
    assert_right(&get(&at, &calls).await, &expected);
    assert_eq!(server.requests(), 4);
    assert!(
        server
            .asked()
            .iter()
            .all(|request| request.calls.len() <= 5)
    );
}

#[tokio::test]
async fn a_call_that_returns_too_much_is_cut_and_takes_nothing_from_the_others() {
    // More than may come in one body with others, and more than is read of one call.
    let server = served(|request| {
        Reply::each(request, |call| match contract(call, |_| false) {
            Ok(_) if call.method == "eth_call" && data(call)[3] == 2 => {
                Ok(json!(format!("0x{}", "ab".repeat(400_000))))
            }
            answer => answer,
        })
    });
    for max_body in [900_000, 800_500] {
        let endpoint = endpoint(&server, |config| config.max_body = max_body);
        let at = at_head(&server, &endpoint, None).await;
        let got = get(&at, &[1, 2, 3]).await;
        assert_right(
            &got,
            &[
                returned(1),
                Said::TooLong(vec![0xab; KEPT].into()),
                returned(3),
            ],
        );
    }
}

#[tokio::test]
async fn what_a_node_refuses_because_of_its_neighbours_is_asked_alone() {
    // As geth does when a batch's answers are too large together, and jsonrpsee when one is.
    for (code, words) in [
        (-32003, "response too large"),
        (-32008, "Response is too big"),
    ] {
        let server = served(move |request| {
            let many = request.calls.len() > 2;
            Reply::each(request, |call| match call.method.as_str() {
                "eth_call" | "eth_getBlockByNumber" if many => Err(error(code, words)),
                _ => contract(call, |_| false),
            })
        });
        let endpoint = endpoint(&server, |_| {});
        let at = at_head(&server, &endpoint, None).await;
        assert_right(&get(&at, &[1, 2]).await, &[returned(1), returned(2)]);
    }
}

#[tokio::test]
async fn a_block_that_is_replaced_meanwhile_is_a_reorg() {
    let server = served(|request| CHAIN.reply(request));
    let endpoint = endpoint(&server, |config| config.attempts = 1.try_into().unwrap());
    for (answer, code) in [
        (
            Ok(json!({"number": "0xf4240", "hash": format!("0x{:064x}", 7), "timestamp": "0x1"})),
            Code::Reorged,
        ),
        (Ok(Value::Null), Code::BlockNotFound),
        (Err(error(-32000, "header not found")), Code::BlockNotFound),
    ] {
        server.script(|request| CHAIN.reply(request));
        let at = at_head(&server, &endpoint, None).await;
        server.script(move |request| {
            Reply::each(request, |call| match call.method.as_str() {
                "eth_getBlockByNumber" => answer.clone(),
                _ => contract(call, |_| false),
            })
        });
        let failure = at.get(wanted(&[1])).await.unwrap_err();
        assert_eq!(failure.code, code, "{failure}");
    }
    // The node says it itself.
    server.script(|request| CHAIN.reply(request));
    let at = at_head(&server, &endpoint, None).await;
    server.script(|request| {
        Reply::each(request, |_| {
            Err(error(-32000, "hash 0x is not currently canonical"))
        })
    });
    assert_eq!(at.get(wanted(&[])).await.unwrap_err().code, Code::Reorged);
}

#[tokio::test]
async fn senders_are_those_of_the_transactions_that_were_asked_for() {
    let transactions = [B256::with_last_byte(1), B256::with_last_byte(2)];
    let by = |call: &Asked, other: bool| {
        let hash = call.params[0].clone();
        let digit = hash.as_str().unwrap().chars().last().unwrap();
        let hash = if other {
            json!(format!("0x{:064x}", 9))
        } else {
            hash
        };
        Ok(json!({"hash": hash, "from": format!("0x{}{digit}", "0".repeat(39))}))
    };
    for (other, missing) in [(false, false), (true, false), (false, true)] {
        let server = mostly_honest(move |request| {
            request.has("eth_getTransactionByHash").then(|| {
                Reply::each(request, |call| match call.method.as_str() {
                    "eth_getTransactionByHash" if missing => Ok(Value::Null),
                    "eth_getTransactionByHash" => by(call, other),
                    _ => CHAIN.answer(call),
                })
            })
        });
        let endpoint = endpoint(&server, |_| {});
        let at = at_head(&server, &endpoint, None).await;
        let senders = at.senders(transactions.to_vec()).await;
        if other || missing {
            assert_eq!(senders.unwrap_err().code, Code::EndpointUnavailable);
        } else {
            assert_eq!(
                senders,
                Ok(vec![Address::with_last_byte(1), Address::with_last_byte(2)])
            );
        }
    }
}

/// A page of transfers asks as many contracts as there are in it, and each may be written to return as much as it can.
#[tokio::test]
async fn who_is_asked_for_yes_or_no_gets_little_gas_and_one_word_is_kept() {
    let server = served(|request| {
        Reply::each(request, |call| match call.method.as_str() {
            "eth_call" => Ok(json!(format!(
                "0x{}{}",
                "01".repeat(32),
                "ab".repeat(90_000)
            ))),
            _ => CHAIN.answer(call),
        })
    });
    for batch in [20, 1] {
        let endpoint = endpoint(&server, |config| {
            config.max_batch = batch.try_into().unwrap();
        });
        let at = at_head(&server, &endpoint, None).await;
        let flag = Call {
            expects: Expects::Flag,
            ..call(1)
        };
        let wanted = Wanted {
            calls: vec![flag; 40],
            ..Wanted::default()
        };
        let said = at.get(wanted).await.unwrap().calls;
        assert_eq!(said, vec![returned(1); 40]);
        let asked = server.asked();
        let calls = asked.iter().flat_map(|request| &request.calls);
        for call in calls.filter(|call| call.method == "eth_call") {
            assert_eq!(call.params[0]["gas"], "0x186a0");
        }
    }
}

#[tokio::test]
async fn calls_whose_aggregate_is_too_large_to_send_or_to_read_are_made_for_themselves() {
    let to_it = |request: &Request| {
        request
            .calls
            .iter()
            .any(|call| call.params[0]["to"] == "0xca11bde05977b3631167028862be2a173976ca11")
    };
    let refusals: [fn(&Request) -> Reply; 2] = [
        |_| Reply::new(413, ""),
        |_| Reply::new(200, vec![b' '; 100_000]),
    ];
    for refusal in refusals {
        for batch in [20, 1] {
            let server = served(move |request| {
                if to_it(request) {
                    refusal(request)
                } else {
                    Reply::each(request, |call| contract(call, |_| false))
                }
            });
            let endpoint = endpoint(&server, |config| {
                config.max_batch = batch.try_into().unwrap();
                config.max_body = 50_000;
            });
            let at = at_head(&server, &endpoint, Some(MULTICALL3.0)).await;
            let wanted = Wanted {
                calls: vec![call(1), call(2)],
                ..Wanted::default()
            };
            let said = at.get(wanted).await.unwrap().calls;
            assert_eq!(said, [returned(1), returned(2)]);
        }
    }
}

#[tokio::test]
async fn why_a_contract_refused_comes_with_its_refusal() {
    let server = served(|request| {
        Reply::each(request, |call| match call.method.as_str() {
            "eth_call" => {
                Err(json!({"code": 3, "message": "execution reverted", "data": "0xb73d6f8b"}))
            }
            _ => CHAIN.answer(call),
        })
    });
    let endpoint = endpoint(&server, |_| {});
    let at = at_head(&server, &endpoint, Some(MULTICALL3.0)).await;
    let asked = |expects| Call { expects, ..call(1) };
    let wanted = Wanted {
        calls: vec![asked(Expects::Anything); 2],
        probes: vec![asked(Expects::Dear), asked(Expects::Flag)],
        ..Wanted::default()
    };
    let got = at.get(wanted).await.unwrap();
    let reason = Said::Reverted(Bytes::from_static(&[0xb7, 0x3d, 0x6f, 0x8b]));
    assert_eq!(got.calls, [reason.clone(), reason.clone()]);
    // Who asks a thousand strangers for yes or no keeps no reasons.
    assert_eq!(got.probes, [reason, Said::Reverted(Bytes::new())]);
    let asked = server.asked();
    let calls = asked.iter().flat_map(|request| &request.calls);
    assert!(
        calls
            .into_iter()
            .any(|call| call.params[0]["gas"] == "0x2faf080")
    );
}
