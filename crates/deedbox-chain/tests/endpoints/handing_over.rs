//! A transaction is handed over once. Whoever may have taken it is the last who is asked.

use crate::support::*;

async fn broadcast(endpoints: Vec<EndpointConfig>) -> Broadcast {
    sending(&chains(endpoints)).broadcast(&raw()).await
}

#[tokio::test]
async fn what_is_taken_is_handed_over_once_and_as_it_is() {
    let server = willing();
    assert_eq!(broadcast(configs(&[&server])).await, taken("main"));
    let asked = server.asked();
    let [.., last] = &asked[..] else {
        panic!("nothing was asked");
    };
    assert_eq!(last.calls[0].params, json!(["0x02c0"]));
    assert_eq!(server.calls(SEND), 1);
}

#[tokio::test]
async fn what_may_have_been_taken_is_unclear_and_handed_to_nobody_else() {
    type Fault = fn(&Asked) -> Reply;
    let takes = |request: &Asked| Reply::each(request, |_| Ok(json!(transaction().to_string())));
    let cut: Fault = |r| Reply::each(r, |_| Ok(json!(transaction().to_string()))).cut(40);
    let late: Fault =
        |r| Reply::each(r, |_| Ok(json!(transaction().to_string()))).after(PATIENCE * 4);
    let broken: Fault = |r| {
        Reply::each(r, |_| Ok(json!(transaction().to_string())))
            .status(500)
            .cut(3)
    };
    let faults: [(&str, Fault, Code); 16] = [
        ("closed", |_| Reply::close(), Code::EndpointUnavailable),
        ("silent", |_| Reply::hang(), Code::Timeout),
        ("cut", cut, Code::EndpointUnavailable),
        ("late", late, Code::Timeout),
        ("broken and cut", broken, Code::EndpointUnavailable),
        (
            "endless",
            |_| Reply::endless(vec![b' '; 64 * 1024]),
            Code::EndpointUnavailable,
        ),
        ("500", |_| Reply::new(500, ""), Code::EndpointUnavailable),
        (
            "502",
            |_| Reply::new(502, "<html>"),
            Code::EndpointUnavailable,
        ),
        (
            "503",
            |_| Reply::new(503, "").header("retry-after", "1"),
            Code::RateLimited,
        ),
        ("504", |_| Reply::new(504, ""), Code::Timeout),
        (
            "a page",
            |_| Reply::new(200, "<html>"),
            Code::EndpointUnavailable,
        ),
        (
            "nowhere",
            |_| Reply::new(404, "<html>"),
            Code::EndpointUnavailable,
        ),
        (
            "internal error",
            |r| Reply::each(r, |_| Err(error(-32603, "Internal error"))),
            Code::EndpointUnavailable,
        ),
        (
            "gave up",
            |r| Reply::each(r, |_| Err(error(-32000, "request timed out"))),
            Code::Timeout,
        ),
        (
            "another hash",
            |r| Reply::each(r, |_| Ok(json!(B256::ZERO.to_string()))),
            Code::EndpointUnavailable,
        ),
        (
            "no hash",
            |r| Reply::each(r, |_| Ok(Value::Null)),
            Code::EndpointUnavailable,
        ),
    ];
    for (what, fault, code) in faults {
        let (faulty, other) = (handed(fault), handed(takes));
        let mut endpoints = configs(&[&faulty, &other]);
        endpoints[0].timeout = PATIENCE;
        endpoints[0].max_body = 100_000;
        match broadcast(endpoints).await {
            Broadcast::Unclear(error) => assert_eq!(error.code, code, "{what}: {error}"),
            other => panic!("{what}: {other:?}"),
        }
        assert_eq!((faulty.calls(SEND), other.calls(SEND)), (1, 0), "{what}");
    }
}

#[tokio::test]
async fn who_did_not_look_at_it_is_passed_over() {
    type Fault = fn(&Asked) -> Reply;
    let faults: [(Fault, Code); 8] = [
        (|_| Reply::new(429, ""), Code::RateLimited),
        (|_| Reply::new(401, ""), Code::EndpointUnavailable),
        (|_| Reply::new(413, ""), Code::EndpointUnavailable),
        (
            |r| Reply::refusal(r, 200, &error(-32005, "daily request count exceeded")),
            Code::RateLimited,
        ),
        (
            |r| Reply::refusal(r, 403, &error(-32000, "invalid project id")),
            Code::EndpointUnavailable,
        ),
        (
            |r| Reply::refusal(r, 200, &error(-32601, "the method does not exist")),
            Code::EndpointUnavailable,
        ),
        (
            |r| {
                Reply::refusal(
                    r,
                    200,
                    &error(
                        -32002,
                        "Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).",
                    ),
                )
            },
            Code::EndpointUnavailable,
        ),
        (
            |r| Reply::refusal(r, 200, &error(-32008, "Initial sync is still in progress")),
            Code::ArchiveUnavailable,
        ),
    ];
    for (fault, code) in faults {
        let (faulty, other) = (handed(fault), willing());
        let outcome = broadcast(configs(&[&faulty, &other])).await;
        assert_eq!(outcome, taken("spare"));
        assert_eq!((faulty.calls(SEND), other.calls(SEND)), (1, 1));
        match broadcast(configs(&[&faulty])).await {
            Broadcast::NotTaken(NotTaken::Unsent(error)) => assert_eq!(error.code, code, "{error}"),
            other => panic!("{code}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn an_endpoint_of_another_chain_is_never_handed_anything() {
    // It was on the right one when it was asked before.
    let moved = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let has_moved = Arc::clone(&moved);
    let elsewhere = saying(move |call| match call.method.as_str() {
        "eth_chainId" if has_moved.load(Ordering::Relaxed) => Some(Ok(json!("0x5"))),
        SEND => Some(Ok(json!(transaction().to_string()))),
        _ => None,
    });
    let spare = willing();
    let chains = of(&[&elsewhere, &spare]);
    sending(&chains).head().await.unwrap();
    moved.store(true, Ordering::Relaxed);
    let outcome = sending(&chains).broadcast(&raw()).await;
    assert_eq!(outcome, taken("spare"));
    assert_eq!((elsewhere.calls(SEND), spare.calls(SEND)), (0, 1));
    let alone = of(&[&elsewhere]);
    let outcome = sending(&alone).broadcast(&raw()).await;
    assert!(
        matches!(&outcome, Broadcast::NotTaken(NotTaken::Unsent(e)) if e.code == Code::WrongChain),
        "{outcome:?}"
    );
    assert_eq!(elsewhere.calls(SEND), 0);
}

#[tokio::test]
async fn one_pool_that_is_full_is_not_the_others() {
    let full = || refusing(-32000, "txpool is full");
    let gap = refusing(-32010, "NonceGap, Future nonce. Expected nonce: 10");
    let (one, other, open) = (full(), full(), willing());
    let outcome = broadcast(configs(&[&one, &gap, &open])).await;
    assert_eq!(outcome, taken("third"));
    let outcome = broadcast(configs(&[&one, &other])).await;
    assert_eq!(outcome, Broadcast::NotTaken(NotTaken::PoolFull));
    // What the first one said is told, whatever the others could not be asked.
    let limited = handed(|_| Reply::new(429, ""));
    let outcome = broadcast(configs(&[&limited, &gap, &one])).await;
    assert_eq!(outcome, Broadcast::NotTaken(NotTaken::NonceGap));
}

#[tokio::test]
async fn what_one_endpoint_finds_too_cheap_or_too_large_another_may_take() {
    for (words, reason) in [
        ("transaction underpriced", NotTaken::Underpriced),
        (
            "max fee per gas less than block base fee",
            NotTaken::FeeBelowBase,
        ),
        (
            "tx fee (1.10 ether) exceeds the configured cap (1.00 ether)",
            NotTaken::GasLimitTooHigh,
        ),
        (
            "unknown transaction type",
            NotTaken::Refused("unknown transaction type".to_owned()),
        ),
    ] {
        let (picky, poor, open) = (
            refusing(-32000, words),
            refusing(-32000, "insufficient funds"),
            willing(),
        );
        let outcome = broadcast(configs(&[&picky, &open])).await;
        assert_eq!(outcome, taken("spare"), "{words}");
        assert_eq!((picky.calls(SEND), open.calls(SEND)), (1, 1), "{words}");
        let outcome = broadcast(configs(&[&picky, &picky])).await;
        assert_eq!(outcome, Broadcast::NotTaken(reason), "{words}");
        let outcome = broadcast(configs(&[&picky, &poor, &open])).await;
        assert_eq!(outcome, Broadcast::NotTaken(NotTaken::InsufficientFunds));
    }
}

#[tokio::test]
async fn what_everybody_would_refuse_is_handed_to_nobody_else() {
    let (poor, other) = (
        refusing(-32000, "insufficient funds for transfer"),
        willing(),
    );
    let outcome = broadcast(configs(&[&poor, &other])).await;
    assert_eq!(outcome, Broadcast::NotTaken(NotTaken::InsufficientFunds));
    assert_eq!(other.calls(SEND), 0);
}

#[tokio::test]
async fn a_nonce_in_use_is_no_refusal_while_an_endpoint_that_may_have_the_transaction_is_silent() {
    let used = refusing(-32000, "nonce too low");
    let silent = served(|_| Reply::new(500, ""));
    let outcome = broadcast(configs(&[&used, &silent])).await;
    assert!(matches!(outcome, Broadcast::Unclear(_)), "{outcome:?}");
}

/// The answer to the first time was lost, and now the nonce is in use: by the same transaction.
#[tokio::test]
async fn a_nonce_that_this_very_transaction_uses_means_that_it_is_known() {
    let pending = || Ok(json!({"hash": transaction().to_string(), "gasPrice": "0x1"}));
    for words in ["nonce too low", "replacement transaction underpriced"] {
        for (answer, expected) in [
            (pending as fn() -> Result<Value, Value>, Some(known("main"))),
            (|| Ok(Value::Null), None),
        ] {
            let server = saying(move |call| match call.method.as_str() {
                SEND => Some(Err(error(-32000, words))),
                "eth_getTransactionByHash" => Some(answer()),
                _ => None,
            });
            let outcome = broadcast(configs(&[&server])).await;
            match expected {
                Some(expected) => assert_eq!(outcome, expected, "{words}"),
                None => assert!(
                    matches!(
                        outcome,
                        Broadcast::NotTaken(
                            NotTaken::NonceTooLow | NotTaken::ReplacementUnderpriced
                        )
                    ),
                    "{words}: {outcome:?}"
                ),
            }
        }
        // Whether it is this one cannot be found out.
        let server = saying(move |call| match call.method.as_str() {
            SEND => Some(Err(error(-32000, words))),
            "eth_getTransactionReceipt" => {
                Some(Err(error(-32000, "transaction indexing is in progress")))
            }
            _ => None,
        });
        let outcome = broadcast(configs(&[&server])).await;
        assert!(
            matches!(outcome, Broadcast::Unclear(_)),
            "{words}: {outcome:?}"
        );
    }
}
