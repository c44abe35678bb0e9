//! Pools, read from a real node in every way there is: two reserves, or the reason why there are none.

use alloy_primitives::{Address, FixedBytes, U256};
use anyhow::{Result, ensure};
use deedbox_chain::Code;
use deedbox_tests::{
    Node,
    chain::{address, bytes, call, checksummed},
};
use serde_json::{Value, json};

fn of(pool: &str) -> Value {
    json!({"pool": pool, "block": "latest"})
}

async fn reserves(node: &Node, pool: &str) -> Result<Value> {
    Ok(Value::Object(
        node.data("get_pool_reserves", of(pool)).await?,
    ))
}

/// The reason why it is not supported.
async fn refused(node: &Node, pool: &str) -> Result<String> {
    let (code, message) = node.fault("get_pool_reserves", of(pool)).await?;
    ensure!(code == Code::UnsupportedPool, "{code}: {message}");
    Ok(message)
}

fn tokens(node: &Node) -> Result<(Address, Address)> {
    Ok((address(&node.token(1000)?)?, address(&node.token(1000)?)?))
}

fn shown(token: Address) -> Result<String> {
    checksummed(&token.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_v2_pair_has_reserves() {
    let node = Node::start().unwrap();
    let (token0, token1) = tokens(&node).unwrap();
    let pair = node.deploy("PairV2", (token0, token1)).unwrap();
    let empty = node.anvil().height().unwrap();
    // The most that it can hold, and an odd number.
    let most = (U256::from(1) << 112) - U256::from(1);
    let receipt = node
        .send(0, &pair, "set(uint112,uint112)", (most, U256::from(12_345)))
        .unwrap();
    let block = node
        .anvil()
        .rpc("eth_getBlockByHash", json!([receipt["blockHash"], false]))
        .unwrap();
    let seconds: U256 = block["timestamp"].as_str().unwrap().parse().unwrap();
    let expected = json!({
        "kind": "uniswap_v2",
        "token0": shown(token0).unwrap(),
        "token1": shown(token1).unwrap(),
        "reserve0": "5192296858534827628530496329220095",
        "reserve1": "12345",
        "block_timestamp_last": seconds.to::<u64>(),
    });
    assert_eq!(reserves(&node, &pair).await.unwrap(), expected);

    // A pair that nobody put anything into says so itself; that is no failed read.
    let then = json!({"pool": pair, "block": empty.to_string()});
    let then = node.data("get_pool_reserves", then).await.unwrap();
    assert_eq!(
        (&then["reserve0"], &then["reserve1"]),
        (&json!("0"), &json!("0"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_v3_pool_has_a_price_and_balances_that_are_called_so() {
    let node = Node::start().unwrap();
    let (token0, token1) = tokens(&node).unwrap();
    let pool = node.deploy("PoolV3", (token0, token1)).unwrap();
    assert!(
        refused(&node, &pool)
            .await
            .unwrap()
            .contains("not initialised")
    );

    let mint = |token: Address, amount: u64| {
        let arguments = (address(&pool).unwrap(), U256::from(amount));
        node.send(0, &token.to_string(), "mint(address,uint256)", arguments)
            .unwrap();
    };
    mint(token0, 700);
    mint(token1, 9);
    // A price of one half: 1.0001^-6932 is the highest power that is not above it.
    let price: U256 = "56022770974786139918731938227".parse().unwrap();
    let tick = -U256::from(6932);
    node.send(
        0,
        &pool,
        "set(uint160,int24,uint128)",
        (price, tick, U256::from(u128::MAX)),
    )
    .unwrap();
    let expected = json!({
        "kind": "uniswap_v3",
        "token0": shown(token0).unwrap(),
        "token1": shown(token1).unwrap(),
        "sqrt_price_x96": "56022770974786139918731938227",
        "tick": -6932,
        "liquidity": "340282366920938463463374607431768211455",
        "fee": 3000,
        "balances": {"token0": "700", "token1": "9", "note": "balances, not depth"},
    });
    assert_eq!(reserves(&node, &pool).await.unwrap(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_price_or_tick_that_v3_cannot_have_is_not_passed_on() {
    let node = Node::start().unwrap();
    let (token0, token1) = tokens(&node).unwrap();
    let pool = node.deploy("PoolV3", (token0, token1)).unwrap();
    let one = U256::from(1) << 96;
    let (least, most) = (
        U256::from(4_295_128_739_u64),
        "1461446703485210103287273052203988822378723970341"
            .parse::<U256>()
            .unwrap(),
    );
    let step = U256::from(1);
    for (price, tick, is_good) in [
        (one, U256::from(0), true),
        (least, -U256::from(887_272), true),
        (most, U256::from(887_271), true),
        (least - step, U256::from(0), false),
        (most + step, U256::from(0), false),
        (one, U256::from(887_273), false),
        (one, -U256::from(887_273), false),
    ] {
        node.send(0, &pool, "set(uint160,int24,uint128)", (price, tick, step))
            .unwrap();
        let answer = node.read("get_pool_reserves", of(&pool)).await.unwrap();
        assert_eq!(answer.is_ok(), is_good, "{price} {tick}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_curves_that_answer_a_similar_call_are_refused_with_the_reason() {
    let node = Node::start().unwrap();
    let (token0, token1) = tokens(&node).unwrap();
    let pair = (token0, token1);
    for (contract, arguments, reason) in [
        ("CamelotPair", Some(pair), "stable-curve"),
        ("KyberPair", Some(pair), "another form than Uniswap V2's"),
        (
            "SlipstreamPool",
            Some(pair),
            "another form than Uniswap V3's",
        ),
        ("AlgebraPool", Some(pair), "Algebra"),
        ("CurvePool", Some(pair), "Curve"),
        ("BalancerPool", None, "Balancer"),
        ("ManagerV4", None, "Uniswap V4"),
        ("Poisoner", None, "neither getReserves() nor slot0()"),
    ] {
        let pool = match arguments {
            Some(arguments) => node.deploy(contract, arguments),
            None => node.deploy(contract, ()),
        };
        let message = refused(&node, &pool.unwrap()).await.unwrap();
        assert!(message.contains(reason), "{contract}: {message}");
    }
    for (stable, reason) in [(true, "stable-curve"), (false, "volatile")] {
        let pool = node
            .deploy("SolidlyPair", (token0, token1, stable))
            .unwrap();
        let message = refused(&node, &pool).await.unwrap();
        assert!(message.contains(reason), "{message}");
    }
    let token = node.token(1).unwrap();
    refused(&node, &token).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_that_cannot_be_are_no_pool() {
    let node = Node::start().unwrap();
    let (token0, token1) = tokens(&node).unwrap();
    let account = address(node.account(3)).unwrap();
    for (tokens, reason) in [
        ((token0, token0), "the same"),
        ((Address::ZERO, token1), "two tokens"),
        ((token0, Address::ZERO), "two tokens"),
        ((token0, account), "no contract"),
        ((account, token1), "no contract"),
    ] {
        // What a pair says of itself is all that is told of it; of the other, balances at its tokens are.
        let both = ["PoolV3", "PairV2"];
        let asked = if reason == "no contract" {
            &both[..1]
        } else {
            &both
        };
        for contract in asked.iter().copied() {
            let pool = node.deploy(contract, tokens).unwrap();
            let price = (U256::from(1) << 96, U256::from(0), U256::from(1));
            match contract {
                "PoolV3" => node
                    .send(0, &pool, "set(uint160,int24,uint128)", price)
                    .unwrap(),
                _ => node
                    .send(
                        0,
                        &pool,
                        "set(uint112,uint112)",
                        (U256::from(5), U256::from(5)),
                    )
                    .unwrap(),
            };
            let message = refused(&node, &pool).await.unwrap();
            assert!(message.contains(reason), "{contract} {tokens:?}: {message}");
        }
    }
}

/// A contract that says what a pair says, and one thing more or less.
#[tokio::test(flavor = "multi_thread")]
async fn a_pair_is_believed_by_its_whole_form() {
    let node = Node::start().unwrap();
    let (token0, token1) = tokens(&node).unwrap();
    let words = |words: &[U256]| {
        words
            .iter()
            .flat_map(U256::to_be_bytes::<32>)
            .collect::<Vec<u8>>()
    };
    let [token0, token1] = [token0, token1].map(|token| words(&[token.into_word().into()]));
    let number = |number: u64| U256::from(number);
    let good = words(&[number(5), number(6), number(7)]);
    let too_wide = words(&[number(1) << 112, number(6), number(7)]);
    let too_late = words(&[number(5), number(6), number(1) << 32]);
    let ragged = [&good[..], &[0]].concat();
    let dirty = words(&[(number(1) << 160) | number(9)]);
    let one = words(&[number(1)]);
    let factory = ("factory()", &one);
    let base = [("token0()", &token0), ("token1()", &token1)];
    let without_factory = [("getReserves()", &good)];
    for (said, is_good) in [
        (&[("getReserves()", &good), factory][..], true),
        (&without_factory, false),
        (&[("getReserves()", &too_wide), factory], false),
        (&[("getReserves()", &too_late), factory], false),
        (&[("getReserves()", &ragged), factory], false),
        (
            &[("getReserves()", &good), factory, ("token1()", &dirty)],
            false,
        ),
        (
            &[("getReserves()", &good), factory, ("stable()", &one)],
            false,
        ),
        (
            &[("getReserves()", &good), factory, ("slot0()", &good)],
            false,
        ),
        (
            &[("getReserves()", &good), factory, ("globalState()", &good)],
            false,
        ),
    ] {
        let pool = node.deploy("Scripted", ()).unwrap();
        for (signature, data) in base.iter().chain(said) {
            let selector = FixedBytes::<4>::try_from(call(signature, ()).as_slice()).unwrap();
            let arguments = (selector, number(1), number(0), bytes((*data).clone()));
            node.send(0, &pool, "script(bytes4,uint8,uint256,bytes)", arguments)
                .unwrap();
        }
        let answer = node.read("get_pool_reserves", of(&pool)).await.unwrap();
        let names: Vec<_> = said.iter().map(|(name, _)| name).collect();
        match answer {
            Ok(reading) => assert!(is_good, "{names:?}: {:?}", reading.data),
            Err(error) => assert!(
                !is_good && error.code == Code::UnsupportedPool,
                "{names:?}: {error}"
            ),
        }
    }
}
