//! One endpoint and one fault.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use crate::support::*;

#[tokio::test]
async fn an_honest_endpoint_is_asked_three_requests_the_first_time_and_two_then() {
    let server = honest();
    let chains = of(&[&server]);
    assert_right(read(&chains).await, "main");
    assert_eq!(server.requests(), 3);
    assert_right(read(&chains).await, "main");
    assert_eq!((server.requests(), chains.requests_sent()), (5, 5));
    // Once before anything else, and once in each answer.
    assert_eq!(server.calls("eth_chainId"), 3);
}

/// A connection that was closed while nobody used it is opened again without an error, and behind it is another node.
#[tokio::test]
async fn another_chain_behind_a_new_connection_is_noticed() {
    let moved = Arc::new(AtomicBool::new(false));
    let has_moved = Arc::clone(&moved);
    let server = served(move |request| {
        Reply::each(request, |call| match call.method.as_str() {
            "eth_chainId" if has_moved.load(Ordering::Relaxed) => Ok(json!("0x539")),
            _ => CHAIN.answer(call),
        })
    });
    let chains = of(&[&server]);
    assert_right(read(&chains).await, "main");
    moved.store(true, Ordering::Relaxed);
    assert_fails(read(&chains).await, Code::WrongChain);
    let before = server.requests();
    assert_fails(read(&chains).await, Code::WrongChain);
    assert_eq!(server.requests(), before, "it is not asked again at once");
}

#[tokio::test]
async fn a_tag_is_resolved_once_and_everything_read_at_its_hash() {
    for (block, number) in [
        (Block::Latest, 1000),
        (Block::Safe, 968),
        (Block::Finalized, 936),
    ] {
        let server = honest();
        let reading = of(&[&server]).read(&balance_at(block)).await.unwrap();
        assert_eq!(reading.provenance.block_number, number);
        assert_eq!(
            reading.provenance.block_hash.to_string(),
            Chain::hash(number)
        );
    }
    let server = honest();
    let hash = Chain::hash(900).parse().unwrap();
    assert_right(
        of(&[&server]).read(&balance_at(Block::Hash(hash))).await,
        "main",
    );
}

#[tokio::test]
async fn another_chain_is_never_asked_for_data() {
    let server = served(|request| Chain { id: 5, head: 1000 }.reply(request));
    let chains = of(&[&server]);
    let message = assert_fails(read(&chains).await, Code::WrongChain);
    assert_eq!(
        message,
        "endpoint main answers for chain 5; the operator's configuration names the wrong endpoint"
    );
    // Nor is it asked again at once.
    assert_fails(read(&chains).await, Code::WrongChain);
    assert_eq!(
        server
            .asked()
            .iter()
            .flat_map(Asked::methods)
            .collect::<Vec<_>>(),
        ["eth_chainId"]
    );
    assert_eq!(
        serde_json::to_value(chains.list(|_| true).await).unwrap()[0]["endpoints"][0]["health"],
        "wrong_chain"
    );
}

#[tokio::test]
async fn a_chain_that_is_not_configured_is_said_so() {
    let server = honest();
    let mut request = balance_at(Block::Latest);
    if let Request::NativeBalance(arguments) = &mut request {
        arguments.chain_id = 10;
    }
    assert_fails(
        of(&[&server]).read(&request).await,
        Code::ChainNotConfigured,
    );
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn a_height_above_the_head_is_no_block_and_no_data_is_asked_for() {
    let server = honest();
    let message = assert_fails(
        of(&[&server]).read(&balance_at(Block::Number(1001))).await,
        Code::BlockNotFound,
    );
    assert_eq!(message, "endpoint main has blocks up to 1000, not yet 1001");
    assert_eq!(server.calls("eth_getBalance"), 0);
    let hash = "0x00".to_owned() + &"11".repeat(31);
    let unknown = Block::Hash(hash.parse().unwrap());
    assert_fails(
        of(&[&server]).read(&balance_at(unknown)).await,
        Code::BlockNotFound,
    );
}

#[tokio::test]
async fn a_tag_that_the_chain_does_not_have_is_no_block() {
    for answer in [
        Ok(Value::Null),
        Err(error(-39001, "Unknown block")),
        Err(error(
            -32000,
            "'finalized' tag not supported on pre-merge network",
        )),
        Err(error(
            -32602,
            "invalid argument 0: hex string without 0x prefix",
        )),
    ] {
        let server = served(move |request| {
            Reply::each(request, |call| match call.method.as_str() {
                "eth_getBlockByNumber" => answer.clone(),
                _ => CHAIN.answer(call),
            })
        });
        let message = assert_fails(
            of(&[&server]).read(&balance_at(Block::Finalized)).await,
            Code::BlockNotFound,
        );
        assert!(message.contains("no finalized block"), "{message}");
    }
}

#[tokio::test]
async fn a_block_that_is_not_the_one_that_was_asked_for_is_no_answer() {
    let server = served(|request| {
        Reply::each(request, |call| match call.method.as_str() {
            "eth_getBlockByNumber" => Ok(CHAIN.block(899)),
            _ => CHAIN.answer(call),
        })
    });
    assert_fails(read(&of(&[&server])).await, Code::EndpointUnavailable);
}

#[tokio::test]
async fn a_hash_that_the_chain_left_behind_is_a_reorg() {
    let orphan = format!("0x{:064x}", 7);
    let asked = Block::Hash(orphan.parse().unwrap());
    let block = json!({"number": "0x384", "hash": orphan, "timestamp": "0x1"});
    let server = served(move |request| {
        Reply::each(request, |call| match call.method.as_str() {
            "eth_getBlockByHash" => Ok(block.clone()),
            // A node that does not heed requireCanonical.
            "eth_getBalance" => Ok(json!("0x1")),
            _ => CHAIN.answer(call),
        })
    });
    assert_fails(of(&[&server]).read(&balance_at(asked)).await, Code::Reorged);
}

/// What an endpoint answers when it is asked for data, as the same reply each time; the code that comes of it, and how
/// often it is asked.
async fn ends(reply: impl Fn(&Asked) -> Reply + Send + Sync + 'static, code: Code, asked: usize) {
    let server = honest_about_blocks(reply);
    let start = Instant::now();
    let message = assert_fails(read(&of(&[&server])).await, code);
    assert!(message.starts_with("endpoint main "), "{message}");
    let times = server
        .asked()
        .iter()
        .filter(|request| request.has("eth_getBalance"))
        .count();
    assert_eq!(times, asked, "{message}");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{message}: {:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn too_many_requests_are_tried_again_so_often_and_not_more() {
    ends(|_| Reply::new(429, ""), Code::RateLimited, 3).await;
    ends(
        |_| Reply::new(429, "<html>slow down</html>").header("retry-after", "0"),
        Code::RateLimited,
        3,
    )
    .await;
    // Too long to wait for: seconds, and a date.
    ends(
        |_| Reply::new(429, "").header("retry-after", "30"),
        Code::RateLimited,
        1,
    )
    .await;
    ends(
        |_| Reply::new(429, "").header("Retry-After", "Mon, 30 Nov 2026 01:00:00 GMT"),
        Code::RateLimited,
        1,
    )
    .await;
    // A date that has passed.
    ends(
        |_| Reply::new(429, "").header("Retry-After", "Mon, 30 Nov 2026 00:00:00 GMT"),
        Code::RateLimited,
        3,
    )
    .await;
    ends(
        |_| Reply::new(503, "").header("Retry-After", "30"),
        Code::RateLimited,
        1,
    )
    .await;
}

#[tokio::test]
async fn what_is_asked_to_be_waited_is_waited() {
    let first = AtomicU64::new(0);
    let server = honest_about_blocks(move |request| {
        if first.fetch_add(1, Ordering::Relaxed) == 0 {
            Reply::new(429, "").header("Retry-After", "1")
        } else {
            CHAIN.reply(request)
        }
    });
    let start = Instant::now();
    assert_right(read(&of(&[&server])).await, "main");
    assert!(start.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_rate_limit_with_status_200_is_one_in_each_providers_words() {
    for (code, words) in [
        (
            429,
            "Your app has exceeded its compute units per second capacity.",
        ),
        (-32005, "daily request count exceeded, request rate limited"),
        (-32007, "50/second request limit reached"),
        (
            -32090,
            "Too many requests, reason: call rate limit exhausted, retry in 10s",
        ),
        (-32016, "over rate limit"),
        (-32097, "slow down"),
    ] {
        let error = error(code, words);
        // For the batch, and for each call in it.
        let whole = error.clone();
        ends(
            move |request| Reply::refusal(request, 200, &whole),
            Code::RateLimited,
            3,
        )
        .await;
        ends(
            move |request| Reply::each(request, |_| Err(error.clone())),
            Code::RateLimited,
            3,
        )
        .await;
    }
}

#[tokio::test]
async fn state_that_is_not_kept_is_said_so_in_each_clients_words() {
    for (code, words) in [
        (
            -32000,
            "missing trie node 5c0e (path ) state 0x5c0e is not available, not found",
        ),
        (-32000, "historical state 5c0ee75d is not available"),
        (-32000, "old data not available due to pruning"),
        (-32002, "No state available for block 0x3f9e"),
        (-32000, "World state unavailable"),
        (-32000, "state at block #900 is pruned"),
        (-32000, "project ID does not have access to archive state"),
        (
            -32602,
            "Archive requests require a personal token. Get one at: https://www.allnodes.com/publicnode",
        ),
    ] {
        let error = error(code, words);
        ends(
            move |request| {
                Reply::each(request, |call| match call.method.as_str() {
                    "eth_getBalance" => Err(error.clone()),
                    _ => CHAIN.answer(call),
                })
            },
            Code::ArchiveUnavailable,
            1,
        )
        .await;
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_no_answer() {
    for body in [
        "",
        "<html><body>Welcome</body></html>",
        "null",
        "{}",
        r#"{"jsonrpc":"2.0","id":1,"result":"0x1"}"#,
        r#"[{"jsonrpc":"2.0","id":1,"result":"0x1"}]"#,
        "[",
    ] {
        ends(move |_| Reply::new(200, body), Code::EndpointUnavailable, 1).await;
    }
    // Each right but for one thing.
    type Change = fn(&mut Value);
    let changes: [Change; 9] = [
        |answers| answers[0]["id"] = json!(1),
        |answers| answers[0]["id"] = answers[1]["id"].clone(),
        |answers| answers[0]["jsonrpc"] = json!("1.0"),
        |answers| answers[0]["error"] = error(1, ""),
        |answers| answers[0]["result"] = json!("0x01"),
        |answers| answers[0]["result"] = json!(4660),
        |answers| answers[0]["result"] = Value::Null,
        |answers| answers[0]["result"] = json!(format!("0x1{}", "0".repeat(64))),
        |answers| drop(answers.as_array_mut().unwrap().pop()),
    ];
    for change in changes {
        ends(move |request| {
            let answer = |call: &Call| json!({"jsonrpc": "2.0", "id": call.id, "result": CHAIN.answer(call).unwrap()});
            let mut answers: Value = request.calls.iter().map(answer).collect();
            change(&mut answers);
            Reply::new(200, answers.to_string())
        }, Code::EndpointUnavailable, 1).await;
    }
}

#[tokio::test]
async fn answers_of_a_batch_come_in_any_order() {
    let server = honest_about_blocks(|request| {
        let mut turned = request.clone();
        turned.calls.reverse();
        CHAIN.reply(&turned)
    });
    assert_right(read(&of(&[&server])).await, "main");
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_again_so_often() {
    ends(|_| Reply::close(), Code::EndpointUnavailable, 3).await;
    ends(
        |request| CHAIN.reply(request).cut(20),
        Code::EndpointUnavailable,
        3,
    )
    .await;
    ends(
        |_| Reply::new(502, "<html>bad gateway</html>"),
        Code::EndpointUnavailable,
        3,
    )
    .await;
}

#[tokio::test]
async fn a_refusal_of_the_key_is_not_tried_again() {
    ends(|_| Reply::new(401, "no"), Code::EndpointUnavailable, 1).await;
    ends(|_| Reply::new(403, "no"), Code::EndpointUnavailable, 1).await;
    ends(
        |request| Reply::refusal(request, 200, &error(-32000, "invalid project id")),
        Code::EndpointUnavailable,
        1,
    )
    .await;
}

#[tokio::test]
async fn a_redirection_is_not_followed() {
    let elsewhere = honest();
    let url = elsewhere.url();
    ends(
        move |_| Reply::new(307, "").header("location", &url),
        Code::EndpointUnavailable,
        1,
    )
    .await;
    assert_eq!(elsewhere.requests(), 0);
}

#[tokio::test]
async fn a_body_without_end_is_read_to_its_limit_only() {
    let talk = || Reply::endless(vec![b' '; 64 * 1024]);
    ends(move |_| talk(), Code::EndpointUnavailable, 1).await;
    let large = honest_about_blocks(|_| Reply::new(200, vec![b' '; 1_000_001]));
    let mut configs = configs(&[&large]);
    configs[0].max_body = 1_000_000;
    assert_fails(read(&chains(configs)).await, Code::EndpointUnavailable);
}

#[tokio::test]
async fn an_endpoint_that_says_nothing_is_left_after_its_time() {
    for late in [false, true] {
        let server = honest_about_blocks(move |request| {
            if late {
                CHAIN.reply(request).after(PATIENCE * 4)
            } else {
                Reply::hang()
            }
        });
        let mut configs = configs(&[&server]);
        configs[0].timeout = PATIENCE;
        let start = Instant::now();
        assert_fails(read(&chains(configs)).await, Code::Timeout);
        assert!(start.elapsed() >= PATIENCE);
        assert_eq!(
            server.requests(),
            3,
            "a time-out is not tried again at the same endpoint"
        );
    }
}
