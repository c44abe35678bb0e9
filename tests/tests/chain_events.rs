//! A real chain, followed piece by piece: what was found is what the node has, also when the chain changes meanwhile.

use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use alloy_primitives::{Address, B256, U256, keccak256};
use anyhow::{Result, bail};
use deedbox_chain::{
    Chains, Code, ReadError,
    events::{EventLog, Found, Range},
};
use deedbox_core::BlockHash;
use deedbox_tests::{
    Node,
    chain::{CHAIN, Way, address, chains},
    interloper::Interloper,
};
use serde_json::{Value, json};

fn transfers() -> B256 {
    keccak256("Transfer(address,address,uint256)")
}

fn range(token: Address, from: u64, to: u64, after: Option<BlockHash>) -> Range {
    Range {
        from,
        to,
        after,
        addresses: vec![token],
        topics: vec![transfers()],
    }
}

/// Moves one unit so many times in one transaction, which makes a block.
fn transfer(node: &Node, token: &str, times: u64) -> Result<()> {
    let to = address(node.account(1))?;
    let arguments = (to, U256::from(1), U256::from(times));
    node.send(0, token, "transferMany(address,uint256,uint256)", arguments)
        .map(drop)
}

/// Follows a token from the block `from` to the newest, piece by piece.
async fn follow(
    chains: &Chains,
    token: Address,
    from: u64,
    mut after: Option<BlockHash>,
) -> Result<(Vec<EventLog>, Found), ReadError> {
    let events = chains.events(CHAIN)?;
    let newest = events.heads().await?.latest.number;
    let (mut all, mut next) = (Vec::new(), from);
    loop {
        let mut found = events.logs(&range(token, next, newest, after)).await?;
        all.append(&mut found.logs);
        next = found.upto.number + 1;
        after = Some(found.upto.hash);
        if next > newest {
            return Ok((all, found));
        }
    }
}

/// What the node says itself of the token's transfers in these blocks, asked plainly.
fn expected(node: &Node, token: &str, from: u64, to: u64) -> Result<Vec<EventLog>> {
    let number = |value: &Value| -> Result<u64> {
        let text = value.as_str().unwrap_or_default();
        Ok(u64::from_str_radix(text.trim_start_matches("0x"), 16)?)
    };
    let filter = json!([{
        "address": token,
        "fromBlock": format!("{from:#x}"),
        "toBlock": format!("{to:#x}"),
        "topics": [transfers()],
    }]);
    let Value::Array(logs) = node.anvil().rpc("eth_getLogs", filter)? else {
        bail!("no logs");
    };
    let mut expected = Vec::new();
    for log in logs {
        let text = |name: &str| log[name].as_str().unwrap_or_default();
        let block = json!([log["blockNumber"], false]);
        let block = node.anvil().rpc("eth_getBlockByNumber", block)?;
        let data: alloy_primitives::Bytes = text("data").parse()?;
        expected.push(EventLog {
            address: text("address").parse()?,
            topics: serde_json::from_value(log["topics"].clone())?,
            data_length: data.len().try_into()?,
            data,
            block_number: number(&log["blockNumber"])?,
            block_hash: block["hash"].as_str().unwrap_or_default().parse()?,
            block_timestamp: deedbox_core::Timestamp::from_millis(
                i64::try_from(number(&block["timestamp"])?)? * 1000,
            )?,
            transaction_hash: text("transactionHash").parse()?,
            log_index: number(&log["logIndex"])?,
        });
    }
    Ok(expected)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_followed_from_the_first_block_in_every_way() {
    let node = Node::start().unwrap();
    let token = node.token(1000).unwrap();
    for times in [1, 3, 2] {
        transfer(&node, &token, times).unwrap();
        node.anvil().mine(40).unwrap();
    }
    let newest = node.anvil().height().unwrap();
    let expected = expected(&node, &token, 0, newest).unwrap();
    // The mint, and six transfers.
    assert_eq!(expected.len(), 7);
    for way in Way::ALL {
        let chains = chains(&node.anvil().url(), way).unwrap();
        let heads = chains.events(CHAIN).unwrap().heads().await.unwrap();
        assert_eq!(heads.latest.number, newest);
        assert!(heads.finalized.is_some_and(|head| head.number > 0));
        let (logs, last) = follow(&chains, address(&token).unwrap(), 0, None)
            .await
            .unwrap();
        assert_eq!(logs, expected, "{way:?}");
        assert_eq!(last.upto, heads.latest, "{way:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_was_left_is_noticed_and_the_block_to_go_back_to_is_found() {
    let node = Node::start().unwrap();
    let token = node.token(1000).unwrap();
    transfer(&node, &token, 2).unwrap();
    transfer(&node, &token, 3).unwrap();
    let at = address(&token).unwrap();
    for way in Way::ALL {
        let chains = chains(&node.anvil().url(), way).unwrap();
        let events = chains.events(CHAIN).unwrap();
        let (_, last) = follow(&chains, at, 0, None).await.unwrap();
        let heights: Vec<u64> = (0..=last.upto.number).collect();
        let known = events.headers(&heights).await.unwrap();
        node.anvil().reorg(2).unwrap();
        transfer(&node, &token, 4).unwrap();

        let next = range(at, last.upto.number + 1, u64::MAX, Some(last.upto.hash));
        let failure = events.logs(&next).await.unwrap_err();
        assert_eq!(failure.code, Code::Reorged, "{way:?}: {failure}");
        let now = events.headers(&heights).await.unwrap();
        let common = known
            .iter()
            .zip(&now)
            .rposition(|(known, now)| known == now)
            .unwrap();
        assert_eq!(common, heights.len() - 3, "{way:?}");
        let common = now[common].unwrap();
        let (logs, last) = follow(&chains, at, common.number + 1, Some(common.hash))
            .await
            .unwrap();
        let newest = node.anvil().height().unwrap();
        let expected = expected(&node, &token, common.number + 1, newest).unwrap();
        assert_eq!((logs, last.upto.number), (expected, newest), "{way:?}");
    }
}

/// Follows the newest six blocks in one piece while, before the `n`th HTTP request, the newest three of them are replaced. Says also whether there
/// were as many.
async fn follow_with_reorg(
    node: &Arc<Node>,
    way: Way,
    n: usize,
    token: Address,
    from: u64,
) -> Result<(Result<Found, ReadError>, bool)> {
    let seen = Arc::new(AtomicUsize::new(0));
    let (counter, replaced) = (Arc::clone(&seen), Arc::clone(node));
    let act = Arc::new(move |_: &Value| {
        if counter.fetch_add(1, Ordering::SeqCst) == n {
            replaced.anvil().reorg(3)?;
        }
        Ok(())
    });
    let interloper = Interloper::start(&node.anvil().url(), act).await?;
    let chains = chains(interloper.url(), way)?;
    let found = chains
        .events(CHAIN)?
        .logs(&range(token, from, u64::MAX, None))
        .await;
    Ok((found, seen.load(Ordering::SeqCst) > n))
}

/// The blocks are replaced before each request in turn. Whatever is found then is all that the chain has by now in these blocks, or it is an error.
#[tokio::test(flavor = "multi_thread")]
async fn a_piece_that_is_replaced_in_the_middle_is_never_of_two_branches() {
    let node = Arc::new(Node::start().unwrap());
    let token = node.token(1_000_000).unwrap();
    for way in Way::ALL {
        for n in 0.. {
            for times in 1..7 {
                transfer(&node, &token, times).unwrap();
            }
            let from = node.anvil().height().unwrap() - 5;
            let (found, was_reached) =
                follow_with_reorg(&node, way, n, address(&token).unwrap(), from)
                    .await
                    .unwrap();
            match found {
                Err(error) => {
                    assert_eq!(error.code, Code::Reorged, "{way:?}, request {n}: {error}");
                }
                Ok(found) => {
                    let block = json!([format!("{:#x}", found.upto.number), false]);
                    let block = node.anvil().rpc("eth_getBlockByNumber", block).unwrap();
                    assert_eq!(
                        block["hash"],
                        found.upto.hash.to_string(),
                        "{way:?}, request {n}"
                    );
                    let expected = expected(&node, &token, from, found.upto.number).unwrap();
                    assert_eq!(found.logs, expected, "{way:?}, request {n}");
                }
            }
            if !was_reached {
                assert!(n > 1, "{way:?} asks more than once");
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_with_thousands_of_logs_is_read_whole() {
    let node = Node::start().unwrap();
    let token = node.token(1_000_000).unwrap();
    transfer(&node, &token, 1500).unwrap();
    transfer(&node, &token, 1500).unwrap();
    let newest = node.anvil().height().unwrap();
    let chains = deedbox_tests::chain::chains_with(&node.anvil().url(), |endpoint| {
        endpoint.max_body = 200_000;
        endpoint.max_batch = NonZeroU32::new(8).unwrap_or(NonZeroU32::MIN);
    })
    .unwrap();
    let (logs, _) = follow(&chains, address(&token).unwrap(), 0, None)
        .await
        .unwrap();
    let expected: Vec<_> = (newest - 1..=newest)
        .flat_map(|number| (0..1500).map(move |index| (number, index)))
        .collect();
    let places: Vec<_> = logs
        .iter()
        .skip(1)
        .map(|log| (log.block_number, log.log_index))
        .collect();
    assert_eq!(places, expected);
}
