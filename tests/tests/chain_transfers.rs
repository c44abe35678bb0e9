//! Transfers, read from a real node in every way there is: nothing lost, nothing doubled, nothing taken for something else.

use alloy_primitives::{Address, U256};
use anyhow::Result;
use deedbox_chain::Code;
use deedbox_tests::{
    Node,
    chain::{address, checksummed},
};
use serde_json::{Map, Value, json};

const LIST: &str = "list_recent_transfers";

/// The first page of up to `limit` of the transfers of an account.
async fn list(node: &Node, account: usize, limit: u32) -> Result<Map<String, Value>> {
    let asked = json!({
        "address": node.account(account),
        "from_block": "0",
        "to_block": "latest",
        "limit": limit,
    });
    node.data(LIST, asked).await
}

fn transfers(data: &Map<String, Value>) -> &[Value] {
    data["transfers"].as_array().map_or(&[], Vec::as_slice)
}

fn to(node: &Node, account: usize, amount: u64) -> Result<(Address, U256)> {
    Ok((address(node.account(account))?, U256::from(amount)))
}

#[tokio::test(flavor = "multi_thread")]
async fn transfers_are_listed_with_where_they_stand() {
    let node = Node::start().unwrap();
    let token = node.token(1000).unwrap();
    let receipt = node
        .send(
            0,
            &token,
            "transfer(address,uint256)",
            to(&node, 1, 250).unwrap(),
        )
        .unwrap();
    let shown = |account: usize| checksummed(node.account(account)).unwrap();
    let expected = json!({
        "transfers": [{
            "block_number": node.anvil().height().unwrap(),
            "block_hash": receipt["blockHash"],
            "transaction_hash": receipt["transactionHash"],
            "log_index": 0,
            "token": checksummed(&token).unwrap(),
            "from": shown(0),
            "to": shown(1),
            "direction": "in",
            "kind": "erc20",
            "raw_amount": "250",
            "flags": [],
        }],
        "truncated": false,
        "next": null,
        "ambiguous": 0,
    });
    assert_eq!(Value::Object(list(&node, 1, 10).await.unwrap()), expected);

    // The sender's own list has the mint, too, which somebody else than the zero address sent.
    let data = list(&node, 0, 10).await.unwrap();
    let [sent, minted] = transfers(&data) else {
        panic!("{data:?}");
    };
    assert_eq!(
        (&sent["direction"], &sent["flags"]),
        (&json!("out"), &json!([]))
    );
    assert_eq!(
        (&minted["direction"], &minted["flags"]),
        (&json!("in"), &json!(["third_party_sent"]))
    );
    assert_eq!(minted["from"], "0x0000000000000000000000000000000000000000");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_to_oneself_is_listed_once() {
    let node = Node::start().unwrap();
    let token = node.token(1000).unwrap();
    node.send(0, &token, "transferMany(address,uint256,uint256)", {
        let (to, amount) = to(&node, 0, 5).unwrap();
        (to, amount, U256::from(3))
    })
    .unwrap();
    let data = list(&node, 0, 10).await.unwrap();
    let own: Vec<_> = transfers(&data)
        .iter()
        .filter(|transfer| transfer["direction"] == "self")
        .collect();
    let indexes: Vec<_> = own.iter().map(|transfer| &transfer["log_index"]).collect();
    assert_eq!(indexes, [2, 1, 0], "the newest first");
}

#[tokio::test(flavor = "multi_thread")]
async fn poison_is_flagged() {
    let node = Node::start().unwrap();
    let token = node.token(1000).unwrap();
    // Anybody can move nothing from anybody, with an honest token.
    let (from, nothing) = to(&node, 0, 0).unwrap();
    let lookalike = address(node.account(4)).unwrap();
    node.send(
        4,
        &token,
        "transferFrom(address,address,uint256)",
        (from, lookalike, nothing),
    )
    .unwrap();
    // A dishonest one logs amounts, too.
    let poisoner = node.deploy("Poisoner", ()).unwrap();
    node.send(
        4,
        &poisoner,
        "forge(address,address,uint256)",
        (from, lookalike, U256::from(999)),
    )
    .unwrap();
    // An allowance is used by somebody else, and is honest.
    let (spender, amount) = to(&node, 2, 10).unwrap();
    node.send(0, &token, "approve(address,uint256)", (spender, amount))
        .unwrap();
    node.send(
        2,
        &token,
        "transferFrom(address,address,uint256)",
        (from, spender, amount),
    )
    .unwrap();
    // The holder can send nothing, too.
    node.send(0, &token, "transfer(address,uint256)", (spender, nothing))
        .unwrap();

    let data = list(&node, 0, 4).await.unwrap();
    let seen: Vec<_> = transfers(&data)
        .iter()
        .map(|transfer| (&transfer["raw_amount"], &transfer["flags"]))
        .collect();
    let expected = [
        (json!("0"), json!(["zero_value"])),
        (json!("10"), json!(["third_party_sent"])),
        (json!("999"), json!(["third_party_sent"])),
        (json!("0"), json!(["zero_value", "third_party_sent"])),
    ];
    assert_eq!(
        seen,
        expected.each_ref().map(|(amount, flags)| (amount, flags))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_nft_is_told_from_a_token_that_indexes_its_amount() {
    let node = Node::start().unwrap();
    let (holder, seven) = to(&node, 0, 7).unwrap();
    let nft = node.deploy("Nft", ()).unwrap();
    node.send(1, &nft, "mint(address,uint256)", (holder, seven))
        .unwrap();
    for odd in ["IndexedToken", "YesToken"] {
        let token = node.deploy(odd, ()).unwrap();
        node.send(1, &token, "transfer(address,uint256)", (holder, seven))
            .unwrap();
    }
    let data = list(&node, 0, 10).await.unwrap();
    let [minted] = transfers(&data) else {
        panic!("{data:?}");
    };
    assert_eq!(
        (&minted["kind"], &minted["token_id"]),
        (&json!("erc721"), &json!("7"))
    );
    assert_eq!(minted["token"], checksummed(&nft).unwrap());
    assert_eq!(minted["raw_amount"], Value::Null);
    assert_eq!(data["ambiguous"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_of_another_form_are_left_out_and_counted() {
    let node = Node::start().unwrap();
    let token = node.token(1000).unwrap();
    let poisoner = node.deploy("Poisoner", ()).unwrap();
    let (from, other) = (
        address(node.account(0)).unwrap(),
        address(node.account(1)).unwrap(),
    );
    node.send(0, &poisoner, "odd(address,address)", (from, other))
        .unwrap();
    let data = list(&node, 0, 10).await.unwrap();
    assert_eq!(transfers(&data).len(), 1, "{data:?}");
    assert_eq!(transfers(&data)[0]["token"], checksummed(&token).unwrap());
    assert_eq!(data["ambiguous"], 4);
    // Three of them can be found by their other party, too.
    let data = list(&node, 1, 10).await.unwrap();
    assert_eq!((transfers(&data).len(), &data["ambiguous"]), (0, &json!(3)));
}

/// Blocks of 1, 2 and more transfers, in and out and to oneself, listed page by page with every limit.
#[tokio::test(flavor = "multi_thread")]
async fn pages_lose_nothing_and_double_nothing() {
    let node = Node::start().unwrap();
    let token = node.token(1000).unwrap();
    let mut sent = 1;
    for (from, receiver, times) in [
        (0, 1, 1),
        (0, 0, 2),
        (0, 1, 5),
        (1, 0, 1),
        (0, 2, 3),
        (1, 0, 2),
        (0, 1, 1),
    ] {
        let (receiver, amount) = to(&node, receiver, 1).unwrap();
        let arguments = (receiver, amount, U256::from(times));
        node.send(
            from,
            &token,
            "transferMany(address,uint256,uint256)",
            arguments,
        )
        .unwrap();
        // Somebody else's, and empty blocks, are between them.
        node.send(0, &token, "mint(address,uint256)", to(&node, 3, 1).unwrap())
            .unwrap();
        node.anvil().mine(3).unwrap();
        sent += times;
    }
    let last = node.anvil().height().unwrap();
    let whole = list(&node, 0, 500).await.unwrap();
    let whole = transfers(&whole);
    assert_eq!(u64::try_from(whole.len()).unwrap(), sent);
    let place = |transfer: &Value| {
        (
            transfer["block_number"].as_u64(),
            transfer["log_index"].as_u64(),
        )
    };
    assert!(
        whole
            .windows(2)
            .all(|pair| place(&pair[0]) > place(&pair[1])),
        "the newest first"
    );

    for limit in [1, 2, 3, 4, 7, 14, 15, 16] {
        let (mut all, mut next) = (Vec::new(), Some(last.to_string()));
        let mut pages = 0;
        while let Some(to_block) = next {
            let asked = json!({"address": node.account(0), "from_block": "0", "to_block": to_block, "limit": limit});
            let data = node.data(LIST, asked).await.unwrap();
            let page = transfers(&data);
            let blocks: std::collections::BTreeSet<_> =
                page.iter().map(|t| t["block_number"].as_u64()).collect();
            assert!(
                page.len() <= limit || blocks.len() == 1,
                "limit {limit}: only one block may be over it"
            );
            assert_eq!(data["truncated"], !data["next"].is_null());
            all.extend_from_slice(page);
            next = data["next"].as_str().map(str::to_owned);
            pages += 1;
        }
        assert_eq!(&all, whole, "limit {limit}, in {pages} pages");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_with_more_than_is_listed_is_said_to_be_so() {
    let node = Node::start_with(&["--gas-limit", "60000000"]).unwrap();
    let token = node.token(5000).unwrap();
    let many = |times: u64| {
        let (receiver, amount) = to(&node, 1, 1).unwrap();
        node.send(
            0,
            &token,
            "transferMany(address,uint256,uint256)",
            (receiver, amount, U256::from(times)),
        )
        .unwrap();
    };
    many(1000);
    let block = node.anvil().height().unwrap();
    let data = list(&node, 1, 500).await.unwrap();
    assert_eq!(
        (transfers(&data).len(), &data["next"]),
        (1000, &Value::Null)
    );

    many(1001);
    let asked =
        json!({"address": node.account(1), "from_block": "0", "to_block": "latest", "limit": 500});
    let (code, message) = node.fault(LIST, asked).await.unwrap();
    assert_eq!(code, Code::RangeTooLarge);
    assert!(
        message.contains(&format!("block {} alone holds 1001", block + 1)),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_is_kept_to() {
    let node = Node::start().unwrap();
    let token = node.token(1000).unwrap();
    let mut heights = Vec::new();
    for _ in 0..4 {
        node.send(
            0,
            &token,
            "transfer(address,uint256)",
            to(&node, 1, 1).unwrap(),
        )
        .unwrap();
        heights.push(node.anvil().height().unwrap());
    }
    let range = |from: u64, to: String| json!({"address": node.account(1), "from_block": from.to_string(), "to_block": to, "limit": 10});
    let hash = node
        .anvil()
        .rpc(
            "eth_getBlockByNumber",
            json!([format!("{:#x}", heights[2]), false]),
        )
        .unwrap()["hash"]
        .as_str()
        .unwrap()
        .to_owned();
    for to_block in [heights[2].to_string(), hash] {
        let reading = node
            .read(LIST, range(heights[1], to_block))
            .await
            .unwrap()
            .unwrap();
        let seen: Vec<_> = transfers(&reading.data)
            .iter()
            .map(|t| t["block_number"].as_u64().unwrap())
            .collect();
        assert_eq!(seen, [heights[2], heights[1]]);
        assert_eq!(reading.data["next"], Value::Null);
        assert_eq!(reading.provenance.block_number, heights[2]);
    }
    let none = node
        .data(LIST, range(heights[3] + 1, heights[3].to_string()))
        .await;
    assert!(none.unwrap_err().to_string().contains("from_block"));
    // A tag is resolved, and then is below the range.
    let (code, message) = node
        .fault(LIST, range(heights[3] + 1, "latest".to_owned()))
        .await
        .unwrap();
    assert_eq!(code, Code::InvalidArgument, "{message}");
}
