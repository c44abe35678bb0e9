//! Several endpoints: an answer is one endpoint's as a whole, and what failed is tried last.

use crate::support::*;

/// An endpoint that nobody answers at.
fn nobody() -> EndpointConfig {
    let server = honest();
    config("nobody", &server.url())
}

#[tokio::test]
async fn whatever_is_the_endpoints_fault_is_answered_by_the_next() {
    type Fault = Box<dyn Fn(&Asked) -> Reply + Send + Sync>;
    let faults: Vec<(&str, Fault)> = vec![
        (
            "wrong chain",
            Box::new(|r| Chain { id: 5, head: 1000 }.reply(r)),
        ),
        ("lagging", Box::new(|r| Chain { id: 1, head: 899 }.reply(r))),
        ("rate limited", Box::new(|_| Reply::new(429, ""))),
        ("broken", Box::new(|_| Reply::new(500, ""))),
        ("closed", Box::new(|_| Reply::close())),
        ("cut", Box::new(|r| CHAIN.reply(r).cut(10))),
        ("silent", Box::new(|_| Reply::hang())),
        ("endless", Box::new(|_| Reply::endless("[[[["))),
        ("a page", Box::new(|_| Reply::new(200, "<html></html>"))),
        ("unauthorized", Box::new(|_| Reply::new(403, ""))),
        (
            "pruned",
            Box::new(|r| {
                Reply::each(r, |call| match call.method.as_str() {
                    "eth_getBalance" => Err(error(-32000, "missing trie node")),
                    _ => CHAIN.answer(call),
                })
            }),
        ),
        (
            "without the block",
            Box::new(|r| {
                Reply::each(r, |call| match call.method.as_str() {
                    "eth_getBlockByNumber" => Ok(serde_json::Value::Null),
                    _ => CHAIN.answer(call),
                })
            }),
        ),
        (
            "without the state's block",
            Box::new(|r| {
                Reply::each(r, |call| match call.method.as_str() {
                    "eth_getBalance" => Err(error(-32000, "header not found")),
                    _ => CHAIN.answer(call),
                })
            }),
        ),
        (
            "without EIP-1898",
            Box::new(|r| {
                Reply::each(r, |call| match call.method.as_str() {
                    "eth_getBalance" => Err(error(
                        -32602,
                        "invalid argument 1: json: cannot unmarshal object into Go value of type string",
                    )),
                    _ => CHAIN.answer(call),
                })
            }),
        ),
    ];
    for (what, fault) in faults {
        let (faulty, good) = (served(fault), honest());
        let mut configs = configs(&[&faulty, &good]);
        configs[0].timeout = PATIENCE;
        assert_right(read(&chains(configs)).await, "spare");
        assert_eq!(good.requests(), 3, "{what}: the whole answer is begun anew");
        assert!(
            faulty.requests() <= 6,
            "{what}: {} requests",
            faulty.requests()
        );
    }
}

#[tokio::test]
async fn what_failed_is_tried_last_from_then_on() {
    let (faulty, good) = (served(|_| Reply::new(403, "")), honest());
    let chains = of(&[&faulty, &good]);
    assert_right(read(&chains).await, "spare");
    assert_right(read(&chains).await, "spare");
    assert_eq!(faulty.requests(), 1);
    // It is still there when the other one fails.
    good.script(|_| Reply::close());
    faulty.script(|request| CHAIN.reply(request));
    assert_right(read(&chains).await, "main");
}

#[tokio::test]
async fn the_chain_is_verified_again_after_a_failure() {
    let server = honest();
    let chains = of(&[&server]);
    assert_right(read(&chains).await, "main");
    server.script(|_| Reply::close());
    assert_fails(read(&chains).await, Code::EndpointUnavailable);
    // Somebody else answers at the address now.
    server.script(|request| Chain { id: 5, head: 1000 }.reply(request));
    server.forget();
    let message = assert_fails(read(&chains).await, Code::WrongChain);
    assert_eq!(
        message,
        "endpoint main answers for chain 5; the operator's configuration names the wrong endpoint"
    );
    assert_eq!(
        server
            .asked()
            .iter()
            .flat_map(Asked::methods)
            .collect::<Vec<_>>(),
        ["eth_chainId"]
    );
}

#[tokio::test]
async fn the_chain_is_verified_again_after_a_connection_broke() {
    let (breaks, broken) = (AtomicU64::new(0), honest());
    broken.script(move |request| {
        let broke = breaks.load(Ordering::Relaxed) > 0;
        if request.has("eth_getBalance") && !broke {
            breaks.store(1, Ordering::Relaxed);
            return Reply::close();
        }
        // After the break somebody else answers.
        let id = if broke { 5 } else { 1 };
        Chain { id, head: 1000 }.reply(request)
    });
    let message = assert_fails(read(&of(&[&broken])).await, Code::WrongChain);
    assert_eq!(
        message,
        "endpoint main answers for chain 5; the operator's configuration names the wrong endpoint"
    );
}

#[tokio::test]
async fn when_all_fail_the_most_telling_error_names_each() {
    let pruned =
        honest_about_blocks(|r| Reply::refusal(r, 200, &error(-32000, "missing trie node")));
    let limited = honest_about_blocks(|_| Reply::new(429, "").header("retry-after", "60"));
    let mut endpoints = configs(&[&limited, &pruned]);
    endpoints.push(nobody());
    let message = assert_fails(read(&chains(endpoints)).await, Code::RateLimited);
    assert_eq!(
        message,
        "endpoint main says that it was asked too often; \
         endpoint spare does not keep the state of block 900; \
         endpoint nobody cannot be reached"
    );
}

#[tokio::test]
async fn a_height_that_one_lacks_while_another_is_silent_is_a_lag() {
    let server = honest();
    let chains = chains(vec![config("main", &server.url()), nobody()]);
    let read = |number| balance_at(Block::Number(number));
    assert_fails(chains.read(&read(1001)).await, Code::EndpointLagging);
    assert_eq!(server.calls("eth_getBalance"), 0);
}

#[tokio::test]
async fn a_reorg_is_told_and_not_hidden_behind_another_endpoint() {
    let (reorged, other) = (
        honest_about_blocks(|r| {
            Reply::refusal(
                r,
                200,
                &error(-32000, "hash 0x00 is not currently canonical"),
            )
        }),
        honest(),
    );
    assert_fails(read(&of(&[&reorged, &other])).await, Code::Reorged);
    assert_eq!(other.requests(), 0);
}

/// The block was found, and then another node answers behind the same name that does not have it (any more).
#[tokio::test]
async fn a_block_that_is_gone_at_the_end_is_a_reorg_unless_another_endpoint_has_it() {
    let gone = || {
        let found = AtomicU64::new(0);
        served(move |request| {
            let asks_for_it = request.has("eth_getBlockByNumber");
            if asks_for_it && found.fetch_add(1, Ordering::Relaxed) > 0 {
                return Reply::each(request, |call| match call.method.as_str() {
                    "eth_getBlockByNumber" => Ok(serde_json::Value::Null),
                    _ => CHAIN.answer(call),
                });
            }
            CHAIN.reply(request)
        })
    };
    assert_fails(read(&of(&[&gone()])).await, Code::Reorged);
    assert_fails(read(&of(&[&gone(), &gone()])).await, Code::Reorged);
    assert_right(read(&of(&[&gone(), &honest()])).await, "spare");
}

#[tokio::test]
async fn heads_are_listed_at_once_and_without_a_url() {
    let (good, silent) = (honest(), served(|_| Reply::hang()));
    let mut endpoints = configs(&[&good, &silent]);
    endpoints[1].timeout = PATIENCE;
    let list = serde_json::to_value(chains(endpoints).list(|_| true).await).unwrap();
    assert_eq!(
        list,
        serde_json::json!([{
            "chain_id": 1, "name": "Test", "native_symbol": "ETH", "native_decimals": 18,
            "endpoints": [
                {"endpoint_id": "main", "health": "healthy", "reason": null, "head": 1000},
                {"endpoint_id": "spare", "health": "failing", "reason": "timeout", "head": null},
            ],
        }])
    );
}
