//! One block for one answer: what happens to it while it is read, and which one it is.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use alloy_primitives::U256;
use anyhow::{Result, bail};
use deedbox_chain::{Code, ReadError, Request};
use deedbox_core::Reading;
use deedbox_tests::{
    Node,
    chain::{CHAIN, Way, address, chains},
    interloper::Interloper,
};
use serde_json::{Value, json};

fn request(tool: &str, mut arguments: Value) -> Result<Request> {
    arguments["chain_id"] = CHAIN.into();
    let Value::Object(arguments) = arguments else {
        bail!("arguments are an object");
    };
    Ok(Request::read(tool, arguments)?)
}

/// Takes a reading while, before its `n`th HTTP request, the newest block is replaced. Says also whether there were as many.
async fn read_with_reorg(
    node: &Arc<Node>,
    way: Way,
    n: usize,
    request: &Request,
) -> Result<(Result<Reading, ReadError>, bool)> {
    let seen = Arc::new(AtomicUsize::new(0));
    let (counter, replaced) = (Arc::clone(&seen), Arc::clone(node));
    let act = Arc::new(move |_: &Value| {
        if counter.fetch_add(1, Ordering::SeqCst) == n {
            replaced.anvil().reorg(1)?;
        }
        Ok(())
    });
    let interloper = Interloper::start(&node.anvil().url(), act).await?;
    let answer = chains(interloper.url(), way)?.read(request).await;
    Ok((answer, seen.load(Ordering::SeqCst) > n))
}

/// Everything that is read, with a block at its end that can be replaced.
fn questions(node: &Node) -> Result<Vec<Request>> {
    let token = node.token(1000)?;
    let other = address(&node.token(1000)?)?;
    let pool = node.deploy("PoolV3", (address(&token)?, other))?;
    let holder = node.account(0).to_owned();
    let price = (U256::from(1) << 96, U256::from(0), U256::from(1));
    node.send(0, &pool, "set(uint160,int24,uint128)", price)?;
    let to = address(node.account(1))?;
    node.send(0, &token, "transfer(address,uint256)", (to, U256::from(1)))?;
    node.anvil().mine(1)?;
    Ok(vec![
        request(
            "get_native_balance",
            json!({"holder": holder, "block": "latest"}),
        )?,
        request(
            "get_erc20_balance",
            json!({"holder": holder, "token": token, "block": "latest"}),
        )?,
        request(
            "get_token_metadata",
            json!({"token": token, "block": "latest"}),
        )?,
        request(
            "get_pool_reserves",
            json!({"pool": pool, "block": "latest"}),
        )?,
        request(
            "list_recent_transfers",
            json!({"address": holder, "from_block": "0", "to_block": "latest", "limit": 10}),
        )?,
    ])
}

/// The block is replaced before each request of each reading in turn. Whatever is answered then was read at one block that is
/// part of the chain; otherwise the error says what happened.
#[tokio::test(flavor = "multi_thread")]
async fn a_block_that_is_replaced_in_the_middle_is_never_half_an_answer() {
    let node = Arc::new(Node::start().unwrap());
    for request in questions(&node).unwrap() {
        for way in Way::ALL {
            let mut reorged = 0;
            for n in 0.. {
                let (answer, was_reached) = read_with_reorg(&node, way, n, &request).await.unwrap();
                let which = format!("{} by {way:?}, request {n}", request.tool());
                match answer {
                    Err(error) => {
                        assert_eq!(error.code, Code::Reorged, "{which}: {error}");
                        assert!(error.code.retryable());
                        reorged += 1;
                    }
                    Ok(reading) => {
                        let hash = reading.provenance.block_hash.to_string();
                        let height = format!("{:#x}", reading.provenance.block_number);
                        let block = node
                            .anvil()
                            .rpc("eth_getBlockByNumber", json!([height, false]))
                            .unwrap();
                        assert_eq!(block["hash"], hash, "{which}");
                    }
                }
                if !was_reached {
                    break;
                }
            }
            assert_ne!(
                reorged,
                0,
                "{} by {way:?} has no moment at which the block is gone",
                request.tool()
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_is_resolved_to_the_block_that_it_names() {
    let node = Node::start().unwrap();
    node.anvil().mine(100).unwrap();
    for tag in ["latest", "safe", "finalized"] {
        let block = node
            .anvil()
            .rpc("eth_getBlockByNumber", json!([tag, false]))
            .unwrap();
        let asked = json!({"holder": node.account(0), "block": tag});
        let reading = node
            .read("get_native_balance", asked)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            reading.provenance.block_hash.to_string(),
            block["hash"].as_str().unwrap(),
            "{tag}"
        );
        assert_eq!(reading.arguments["block"], tag);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_that_is_not_there_is_an_error() {
    let node = Node::start().unwrap();
    let above = (node.anvil().height().unwrap() + 1).to_string();
    for block in [above, format!("0x{}", "ab".repeat(32))] {
        let asked = json!({"holder": node.account(0), "block": block});
        let (code, message) = node.fault("get_native_balance", asked).await.unwrap();
        assert_eq!(code, Code::BlockNotFound, "{message}");
    }
}

/// What `deedbox evidence recheck` rests on.
#[tokio::test(flavor = "multi_thread")]
async fn a_reading_taken_again_at_its_block_is_the_same() {
    let node = Node::start().unwrap();
    for request in questions(&node).unwrap() {
        let chains = chains(&node.anvil().url(), Way::Batch).unwrap();
        let first = chains.read(&request).await.unwrap();
        let token = node.token(1).unwrap();
        node.send(
            0,
            &token,
            "transfer(address,uint256)",
            (address(node.account(1)).unwrap(), U256::from(1)),
        )
        .unwrap();
        let again = chains
            .read(&request.clone().at(first.provenance.block_hash))
            .await
            .unwrap();
        assert_eq!(again.data, first.data);
        assert_eq!(again.provenance, first.provenance);
        // The same, asked for as it was the first time, is another reading by now.
        let newer = chains.read(&request).await.unwrap();
        assert!(newer.provenance.block_number > first.provenance.block_number);
    }
}
