//! Where a transaction is: no endpoint is believed against the chain, and not knowing is no knowledge.

use std::num::NonZeroU32;

use crate::support::*;

/// In block 900, as an honest endpoint says it.
fn receipt() -> Value {
    json!({
        "transactionHash": transaction().to_string(),
        "blockNumber": "0x384",
        "blockHash": Chain::hash(900),
        "status": "0x1",
        "gasUsed": "0x5208",
        "effectiveGasPrice": "0x3b9aca07",
        "contractAddress": null,
        "logs": [{
            "address": "0x00000000000000000000000000000000000000aa",
            "topics": [B256::with_last_byte(1).to_string(), B256::with_last_byte(2).to_string()],
            "data": "0x0102",
            "logIndex": "0x7",
        }],
    })
}

fn waiting() -> Value {
    json!({"hash": transaction().to_string(), "blockHash": null, "gasPrice": "0x9"})
}

/// The block at a height, with the transaction in it.
fn holding(call: &Call) -> Option<Result<Value, Value>> {
    let mut block = CHAIN.answer(call).ok()?;
    if block.is_object() {
        block["transactions"] = json!([transaction().to_string()]);
    }
    Some(Ok(block))
}

fn knowing(receipt: Value, known: Value) -> FaultyEndpoint {
    saying(move |call| match call.method.as_str() {
        "eth_getBlockByNumber" => holding(call),
        "eth_getTransactionReceipt" => Some(Ok(receipt.clone())),
        "eth_getTransactionByHash" => Some(Ok(known.clone())),
        _ => None,
    })
}

fn unknowing() -> FaultyEndpoint {
    knowing(Value::Null, Value::Null)
}

/// No endpoint knows it, and all have said so.
const NOWHERE: Whereabouts = Whereabouts::Unknown { everywhere: true };
/// The same of those that answered; not all did.
const NOT_SEEN: Whereabouts = Whereabouts::Unknown { everywhere: false };

async fn whereabouts(servers: &[&FaultyEndpoint]) -> Result<Whereabouts, ReadError> {
    sending(&of(servers)).whereabouts(transaction()).await
}

#[tokio::test]
async fn an_included_transaction_comes_with_all_that_it_did() {
    let server = knowing(receipt(), waiting());
    let Whereabouts::Included(receipt) = whereabouts(&[&server]).await.unwrap() else {
        panic!("it is included");
    };
    assert_eq!(receipt.transaction, transaction());
    assert_eq!(receipt.block_number, 900);
    assert_eq!(receipt.block_hash.to_string(), Chain::hash(900));
    assert!(receipt.succeeded);
    assert_eq!(receipt.gas_used, 21_000);
    assert_eq!(receipt.effective_gas_price, 1_000_000_007);
    assert_eq!(receipt.contract, None);
    let [log] = &receipt.logs[..] else {
        panic!("{:?}", receipt.logs);
    };
    assert_eq!(log.address.0[19], 0xaa);
    assert_eq!(
        log.topics,
        [B256::with_last_byte(1), B256::with_last_byte(2)]
    );
    assert_eq!((&log.data[..], log.log_index), (&[1, 2][..], 7));
}

#[tokio::test]
async fn one_that_reverted_is_included_and_did_not_succeed() {
    let mut failed = receipt();
    failed["status"] = json!("0x0");
    failed["contractAddress"] = json!("0x00000000000000000000000000000000000000bb");
    let server = knowing(failed, waiting());
    let Whereabouts::Included(receipt) = whereabouts(&[&server]).await.unwrap() else {
        panic!("it is included");
    };
    assert!(!receipt.succeeded);
    assert_eq!(receipt.contract.unwrap().0[19], 0xbb);
}

#[tokio::test]
async fn a_price_that_the_receipt_does_not_say_is_the_transactions_own() {
    let mut old = receipt();
    old.as_object_mut().unwrap().remove("effectiveGasPrice");
    let server = knowing(old, waiting());
    let Whereabouts::Included(receipt) = whereabouts(&[&server]).await.unwrap() else {
        panic!("it is included");
    };
    assert_eq!(receipt.effective_gas_price, 9);
}

#[tokio::test]
async fn a_receipt_of_a_block_that_is_not_in_the_chain_is_no_inclusion() {
    type Change = fn(&mut Value);
    let changes: [Change; 5] = [
        // Another block stands at the height.
        |r| r["blockHash"] = json!(Chain::hash(901)),
        // None does.
        |r| r["blockNumber"] = json!("0x3e9"),
        // Some answer before it is included.
        |r| r["blockHash"] = Value::Null,
        |r| r["blockNumber"] = Value::Null,
        |r| {
            r["blockNumber"] = Value::Null;
            r["blockHash"] = Value::Null;
        },
    ];
    for change in changes {
        let mut changed = receipt();
        change(&mut changed);
        let server = knowing(changed.clone(), waiting());
        assert_eq!(
            whereabouts(&[&server]).await,
            Ok(Whereabouts::Pending),
            "{changed}"
        );
    }
}

#[tokio::test]
async fn a_receipt_that_cannot_be_right_is_an_error_and_no_inclusion() {
    type Change = fn(&mut Value);
    let changes: [Change; 9] = [
        |r| r["transactionHash"] = json!(B256::ZERO.to_string()),
        // Before Byzantium.
        |r| drop(r.as_object_mut().unwrap().remove("status")),
        |r| r["status"] = json!("0x2"),
        |r| r["status"] = json!(true),
        |r| r["gasUsed"] = Value::Null,
        |r| r["effectiveGasPrice"] = json!(format!("0x1{}", "0".repeat(32))),
        |r| r["contractAddress"] = json!("0x00"),
        |r| drop(r.as_object_mut().unwrap().remove("logs")),
        |r| r["logs"][0]["topics"] = json!(vec![B256::ZERO.to_string(); 5]),
    ];
    for change in changes {
        let mut changed = receipt();
        change(&mut changed);
        let server = knowing(changed.clone(), waiting());
        let error = whereabouts(&[&server]).await.unwrap_err();
        assert_eq!(error.code, Code::EndpointUnavailable, "{changed}: {error}");
    }
    let another = json!({"hash": B256::ZERO.to_string()});
    let server = knowing(Value::Null, another);
    assert!(whereabouts(&[&server]).await.is_err());
}

#[tokio::test]
async fn the_endpoint_that_knows_most_is_believed() {
    let (none, waits, has) = (
        unknowing(),
        knowing(Value::Null, waiting()),
        knowing(receipt(), waiting()),
    );
    assert_eq!(whereabouts(&[&none, &none]).await, Ok(NOWHERE));
    for servers in [[&none, &waits], [&waits, &none]] {
        assert_eq!(whereabouts(&servers).await, Ok(Whereabouts::Pending));
    }
    for servers in [[&none, &waits, &has], [&has, &waits, &none]] {
        let found = whereabouts(&servers).await.unwrap();
        assert!(matches!(found, Whereabouts::Included(_)), "{found:?}");
    }
}

#[tokio::test]
async fn who_does_not_answer_has_no_say_and_when_nobody_does_nothing_is_known() {
    let (none, broken) = (unknowing(), served(|_| Reply::new(500, "")));
    let elsewhere = served(|request| Chain { id: 5, head: 1 }.reply(request));
    assert_eq!(
        whereabouts(&[&broken, &none, &elsewhere]).await,
        Ok(NOT_SEEN)
    );
    assert_eq!(whereabouts(&[&none, &elsewhere]).await, Ok(NOT_SEEN));
    assert_eq!(whereabouts(&[&none, &none]).await, Ok(NOWHERE));
    let error = whereabouts(&[&broken, &elsewhere]).await.unwrap_err();
    assert_eq!(error.code, Code::EndpointUnavailable, "{error}");
    assert_eq!(elsewhere.calls("eth_getTransactionReceipt"), 0);
    let error = whereabouts(&[&elsewhere]).await.unwrap_err();
    assert_eq!(error.code, Code::WrongChain);
}

/// Receipts are indexed later than blocks, and thrown away earlier; and behind one URL may be several nodes.
#[tokio::test]
async fn a_transaction_in_a_block_without_a_receipt_does_not_wait() {
    let mined = json!({"hash": transaction().to_string(), "blockHash": Chain::hash(900), "gasPrice": "0x9"});
    let no_block_yet = {
        let mut receipt = receipt();
        receipt["blockHash"] = Value::Null;
        receipt
    };
    for receipt in [Value::Null, no_block_yet] {
        let server = knowing(receipt, mined.clone());
        let error = whereabouts(&[&server]).await.unwrap_err();
        assert!(error.code.retryable(), "{error}");
        // It is not counted among those that do not know it.
        assert_eq!(whereabouts(&[&server, &unknowing()]).await, Ok(NOT_SEEN));
    }
}

#[tokio::test]
async fn a_receipt_larger_than_other_answers_may_be_is_read() {
    let mut large = receipt();
    large["logs"][0]["data"] = json!(format!("0x{}", "00".repeat(100_000)));
    let server = knowing(large, waiting());
    let mut endpoints = configs(&[&server]);
    endpoints[0].max_body = 100_000;
    let chains = chains(endpoints);
    let found = sending(&chains).whereabouts(transaction()).await.unwrap();
    let Whereabouts::Included(receipt) = found else {
        panic!("{found:?}");
    };
    assert_eq!(receipt.logs[0].data.len(), 100_000);
}

#[tokio::test]
async fn that_it_was_reverted_is_not_believed_of_one_endpoint_against_another() {
    let mut failed = receipt();
    failed["status"] = json!("0x0");
    let (no, yes) = (knowing(failed, waiting()), knowing(receipt(), waiting()));
    // Whichever answers first: either both are heard, or the one whose word can be checked.
    for servers in [[&no, &yes], [&yes, &no]] {
        match whereabouts(&servers).await {
            Ok(Whereabouts::Included(receipt)) => assert!(receipt.succeeded),
            other => panic!("{other:?}"),
        }
    }
    // Who denies it is told where that is heard before.
    let answers = receipt();
    let late = served(move |request| {
        let reply = Reply::each(request, |call| match call.method.as_str() {
            "eth_getTransactionReceipt" => Ok(answers.clone()),
            "eth_getTransactionByHash" => Ok(waiting()),
            "eth_getBlockByNumber" => holding(call).unwrap(),
            _ => CHAIN.answer(call),
        });
        reply.after(PATIENCE)
    });
    match whereabouts(&[&no, &late]).await {
        Ok(Whereabouts::Included(receipt)) => {
            assert!(receipt.succeeded);
            assert_eq!(receipt.denied_by, ["main".parse().unwrap()]);
        }
        other => panic!("{other:?}"),
    }
    for servers in [[&no, &unknowing()], [&no, &no]] {
        match whereabouts(&servers).await {
            Ok(Whereabouts::Included(receipt)) => assert!(!receipt.succeeded),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn an_inclusion_is_one_that_no_endpoint_with_the_block_denies() {
    let has = knowing(receipt(), waiting());
    let disputed = |by: &str| Ok(Whereabouts::Disputed(vec![by.parse().unwrap()]));
    // The block is there without it.
    let without = honest_about_nothing(900);
    assert_eq!(whereabouts(&[&has, &without]).await, disputed("spare"));
    assert_eq!(whereabouts(&[&without, &has]).await, disputed("main"));
    // Another block is there.
    let other = saying(|call| match call.method.as_str() {
        "eth_getTransactionReceipt" | "eth_getTransactionByHash" => Some(Ok(Value::Null)),
        "eth_getBlockByNumber" if call.params[0] == "0x384" => {
            let mut block = CHAIN.answer(call).unwrap();
            block["hash"] = json!(B256::repeat_byte(5).to_string());
            Some(Ok(block))
        }
        _ => None,
    });
    assert_eq!(whereabouts(&[&has, &other]).await, disputed("spare"));
    // None is there: it lags.
    let behind = honest_about_nothing(899);
    let found = whereabouts(&[&has, &behind]).await.unwrap();
    assert!(matches!(found, Whereabouts::Included(_)), "{found:?}");
    // Its own block has to hold it, too.
    let forged = saying(|call| match call.method.as_str() {
        "eth_getTransactionReceipt" => Some(Ok(receipt())),
        "eth_getTransactionByHash" => Some(Ok(waiting())),
        _ => None,
    });
    assert!(whereabouts(&[&forged]).await.is_err());
}

#[tokio::test]
async fn who_denies_an_inclusion_is_heard_though_it_answers_one_question_at_a_time() {
    // Its answer to the first question is on the way when it is asked the second one.
    let slow = served(|request| {
        let chain = Chain { id: 1, head: 900 };
        let reply = Reply::each(request, |call| match call.method.as_str() {
            "eth_getTransactionReceipt" | "eth_getTransactionByHash" => Ok(Value::Null),
            _ => chain.answer(call),
        });
        reply.after(Duration::from_millis(50))
    });
    let has = knowing(receipt(), waiting());
    let mut endpoints = configs(&[&slow, &has]);
    endpoints[0].max_concurrent = NonZeroU32::MIN;
    let found = sending(&chains(endpoints)).whereabouts(transaction()).await;
    let deniers = vec!["main".parse().unwrap()];
    assert_eq!(found, Ok(Whereabouts::Disputed(deniers)));
}

/// On this chain up to this height, with empty blocks.
fn honest_about_nothing(head: u64) -> FaultyEndpoint {
    served(move |request| {
        let chain = Chain { id: 1, head };
        Reply::each(request, |call| match call.method.as_str() {
            "eth_getTransactionReceipt" | "eth_getTransactionByHash" => Ok(Value::Null),
            _ => chain.answer(call),
        })
    })
}

#[tokio::test]
async fn a_silent_endpoint_does_not_keep_what_another_one_knows() {
    let (silent, has) = (served(|_| Reply::hang()), knowing(receipt(), waiting()));
    // Whoever waits for the silent one waits for longer than any test may take.
    let mut endpoints = configs(&[&silent, &has]);
    endpoints[0].timeout = Duration::from_secs(3600);
    let chains = chains(endpoints).with_deadline(Duration::from_secs(3600));
    let found = sending(&chains).whereabouts(transaction()).await.unwrap();
    assert!(matches!(found, Whereabouts::Included(_)));
    // It may know more than one that knows nothing, but not for longer than a read may take.
    let none = unknowing();
    let chains = of(&[&silent, &none]).with_deadline(PATIENCE);
    let found = sending(&chains).whereabouts(transaction()).await;
    assert_eq!(found, Ok(NOT_SEEN));
}
