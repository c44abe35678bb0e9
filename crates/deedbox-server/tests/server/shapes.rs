//! Answers that hold much, against what clients are told that they look like.

use serde_json::{Value, json};

use crate::{
    house::DOORS,
    node::{EMPTY, MOVER, NFT, OTHER_TOKEN, PAIR, TOKEN, V3_POOL, block_hash},
    readings::{ask, with_node},
    seen::keeps_to,
};

#[tokio::test]
async fn pools_and_transfers_answer_as_they_are_described() {
    let (house, _node) = with_node(|_| ()).await;
    let document = deedbox_server::openapi_document();
    let pool = |pool: &str| json!({"chain_id": 1, "pool": pool, "block": "latest"});
    let transfers = json!({
        "chain_id": 1, "address": MOVER, "from_block": "90", "to_block": "100", "limit": 5,
    });
    let pair = json!({
        "kind": "uniswap_v2", "token0": TOKEN, "token1": OTHER_TOKEN,
        "reserve0": "1000000", "reserve1": "2000000000", "block_timestamp_last": 1_700_000_000,
    });
    let concentrated = json!({
        "kind": "uniswap_v3", "token0": TOKEN, "token1": OTHER_TOKEN,
        "sqrt_price_x96": "79228162514264337593543950336", "tick": 0,
        "liquidity": "5000000", "fee": 3000,
        "balances": {"token0": "1234567", "token1": "1234567", "note": "balances, not depth"},
    });
    let moved = |number: u64, token: &str| {
        json!({
            "block_number": number, "block_hash": block_hash(number), "log_index": 3,
            "transaction_hash": format!("0x{number:064x}"), "token": token,
        })
    };
    let with = |mut value: Value, more: Value| {
        let more = more.as_object().unwrap().clone();
        value.as_object_mut().unwrap().extend(more);
        value
    };
    let given = with(
        moved(97, NFT),
        json!({
            "from": EMPTY, "to": MOVER, "direction": "in", "kind": "erc721", "token_id": "7",
            "flags": ["third_party_sent"],
        }),
    );
    let sent = with(
        moved(95, TOKEN),
        json!({
            "from": MOVER, "to": EMPTY, "direction": "out", "kind": "erc20", "raw_amount": "1000",
            "flags": [],
        }),
    );
    let list = json!({
        "transfers": [given, sent], "truncated": false, "next": null, "ambiguous": 0,
    });
    for (tool, route, arguments, expected) in [
        ("get_pool_reserves", "pool-reserves", pool(PAIR), pair),
        (
            "get_pool_reserves",
            "pool-reserves",
            pool(V3_POOL),
            concentrated,
        ),
        ("list_recent_transfers", "transfers", transfers, list),
    ] {
        for door in DOORS {
            // Holds every answer against the tool's own schema too.
            let said = ask(&house, door, &house.keys.alice, tool, &arguments, None).await;
            assert_eq!(said.envelope["data"], expected, "{said:?}");
            let path = format!("/api/chains/{{chain_id}}/{route}");
            keeps_to(&document, &path, "get", 200, &said.envelope);
        }
    }
}
