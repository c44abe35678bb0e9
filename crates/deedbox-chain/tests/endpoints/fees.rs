//! What gas costs, from endpoints that say it in different ways, or not, or in their favour.

use deedbox_chain::send::{Fees, Usual};

use crate::support::*;

fn missing() -> Result<Value, Value> {
    Err(error(-32601, "the method does not exist/is not available"))
}

/// What an endpoint says about fees: the pending block, the price, the tip, and the past.
type Said4 = [Result<Value, Value>; 4];

async fn fees(said: Said4) -> Result<Fees, ReadError> {
    sending(&of(&[&pricing(said)])).fees().await
}

fn pricing(said: Said4) -> FaultyEndpoint {
    saying(move |call| {
        let index = match call.method.as_str() {
            "eth_getBlockByNumber" => 0,
            "eth_gasPrice" => 1,
            "eth_maxPriorityFeePerGas" => 2,
            "eth_feeHistory" => 3,
            _ => return None,
        };
        Some(said[index].clone())
    })
}

/// One that says this base fee and this price, and that the base fee was `past` in its three last blocks.
fn asking(base: &str, price: &str, past: Option<&str>) -> FaultyEndpoint {
    let pending = match base {
        "" => json!({"number": "0x3e9"}),
        base => json!({"number": "0x3e9", "baseFeePerGas": base}),
    };
    let history = past.map_or_else(missing, |past| {
        Ok(json!({
            "baseFeePerGas": [past, past, past, base],
            "gasUsedRatio": [0.5, 0.5, 0.5],
            "reward": [["0x2"], ["0x2"], ["0x2"]],
        }))
    });
    pricing([Ok(pending), Ok(json!(price)), Ok(json!("0x2")), history])
}

#[tokio::test]
async fn what_one_endpoint_says_of_fees_is_held_against_what_the_others_say() {
    let honest = || asking("0x64", "0x66", Some("0x50"));
    // Its whole past is as dear as what it asks.
    let dear = || asking("0x989680", "0x989682", Some("0x989680"));
    for (servers, expected) in [
        (vec![honest()], (Some(100), 102, Some(80), None)),
        (
            vec![dear()],
            (Some(10_000_000), 10_000_002, Some(10_000_000), None),
        ),
        (
            vec![dear(), honest()],
            (Some(10_000_000), 10_000_002, Some(80), Some(102)),
        ),
        // Another one's next base fee shows what is usual, too.
        (
            vec![dear(), asking("0x64", "0x66", None)],
            (Some(10_000_000), 10_000_002, Some(100), Some(102)),
        ),
        (
            vec![asking("0x64", "0x66", None)],
            (Some(100), 102, None, None),
        ),
        // That there is no base fee is not believed of one against another.
        (
            vec![asking("", "0x989680", None), honest()],
            (Some(100), 102, Some(80), Some(10_000_000)),
        ),
        (
            vec![asking("", "0x989680", None), asking("", "0x66", None)],
            (None, 10_000_000, None, Some(102)),
        ),
    ] {
        let servers: Vec<_> = servers.iter().collect();
        let fees = sending(&of(&servers)).fees().await.unwrap();
        let found = (
            fees.base_fee_per_gas,
            fees.gas_price,
            fees.usual.base_fee_per_gas,
            fees.usual.gas_price,
        );
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn fees_are_found_in_whatever_an_endpoint_says_of_them() {
    let pending = || Ok(json!({"number": "0x3e9", "baseFeePerGas": "0x64"}));
    // Three blocks with tips, and an empty one whose zero says nothing; then the next block's base fee.
    let history = || {
        Ok(json!({
            "oldestBlock": "0x1",
            "baseFeePerGas": ["0x1", "0x2", "0x3", "0x4", "0x69"],
            "gasUsedRatio": [0.5, 0.0, 0.9, 0.1],
            "reward": [["0x9"], ["0x0"], ["0x3"], ["0x5"]],
        }))
    };
    let (price, tip) = (|| Ok(json!("0xc8")), || Ok(json!("0x2")));
    let fees_of = |base, tip, median| Fees {
        base_fee_per_gas: base,
        max_priority_fee_per_gas: tip,
        median_priority_fee_per_gas: median,
        gas_price: 200,
        usual: Usual {
            // Of 1, 2, 3 and 4, where the past is told.
            base_fee_per_gas: median.map(|_| 3),
            gas_price: None,
        },
    };
    let null = || Ok(Value::Null);
    let refused = || Err(error(-32602, "invalid params: pending"));
    let cases: [(&str, Said4, Fees); 7] = [
        (
            "all of it",
            [pending(), price(), tip(), history()],
            fees_of(Some(100), 2, Some(5)),
        ),
        (
            "no tip",
            [pending(), price(), missing(), history()],
            fees_of(Some(100), 5, Some(5)),
        ),
        (
            "no past",
            [pending(), price(), tip(), missing()],
            fees_of(Some(100), 2, None),
        ),
        (
            "no pending block",
            [null(), price(), tip(), history()],
            fees_of(Some(105), 2, Some(5)),
        ),
        (
            "a pending block without its base fee",
            [Ok(json!({"number": "0x3e9"})), price(), tip(), history()],
            fees_of(Some(105), 2, Some(5)),
        ),
        (
            "pending refused",
            [refused(), price(), missing(), history()],
            fees_of(Some(105), 5, Some(5)),
        ),
        (
            "no EIP-1559",
            [
                Ok(json!({"number": "0x3e9"})),
                price(),
                missing(),
                missing(),
            ],
            fees_of(None, 0, None),
        ),
    ];
    for (what, said, expected) in cases {
        assert_eq!(fees(said).await, Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn a_fee_that_is_not_said_is_never_made_up() {
    let pending = || Ok(json!({"number": "0x3e9", "baseFeePerGas": "0x64"}));
    let price = || Ok(json!("0xc8"));
    let tip = || Ok(json!("0x2"));
    let broken = || Err(error(-32603, "internal error"));
    let cases: [(&str, Said4); 7] = [
        ("no price", [pending(), missing(), tip(), missing()]),
        ("no base fee", [Ok(Value::Null), price(), tip(), missing()]),
        ("no tip", [pending(), price(), missing(), missing()]),
        (
            "a tip that failed",
            [pending(), price(), broken(), missing()],
        ),
        (
            "a number",
            [Ok(json!({"baseFeePerGas": 100})), price(), tip(), missing()],
        ),
        (
            "too large",
            [
                pending(),
                price(),
                Ok(json!(format!("0x1{}", "0".repeat(32)))),
                missing(),
            ],
        ),
        (
            "an empty past",
            [
                Ok(Value::Null),
                price(),
                tip(),
                Ok(json!({"baseFeePerGas": []})),
            ],
        ),
    ];
    for (what, said) in cases {
        let fees = fees(said).await;
        assert!(fees.is_err(), "{what}: {fees:?}");
    }
}
