//! What has to be known before a transaction is signed, from endpoints that say it in different ways, or not.

use std::num::NonZeroU32;

use alloy_primitives::{Address, U256};
use deedbox_chain::{
    look::{Call as View, Expects, Said, Wanted},
    send::{AccountState, Draft, Nonces, Simulated, Simulation, Tip},
};

use crate::support::*;

fn draft() -> Draft {
    Draft {
        from: Address::with_last_byte(1),
        to: Some(Address::with_last_byte(2)),
        data: Bytes::from_static(&[1, 2, 3, 4]),
    }
}

/// An account that sent five, of which two wait, with this code.
fn account(code: &'static str) -> FaultyEndpoint {
    saying(move |call| match call.method.as_str() {
        "eth_getTransactionCount" if call.params[1] == "pending" => Some(Ok(json!("0x5"))),
        "eth_getTransactionCount" => Some(Ok(json!("0x3"))),
        "eth_getBalance" => Some(Ok(json!("0xde0b6b3a7640000"))),
        "eth_getCode" => Some(Ok(json!(code))),
        _ => None,
    })
}

fn nonces(endpoint: &str, latest: u64, pending: u64) -> Nonces {
    Nonces {
        endpoint: endpoint.parse().unwrap(),
        latest,
        pending,
    }
}

/// An account of which so many are included, and so many with those that wait.
fn sent(latest: &'static str, pending: &'static str) -> FaultyEndpoint {
    saying(move |call| match call.method.as_str() {
        "eth_getTransactionCount" if call.params[1] == "pending" => Some(Ok(json!(pending))),
        "eth_getTransactionCount" => Some(Ok(json!(latest))),
        "eth_getBalance" => Some(Ok(json!("0x0"))),
        "eth_getCode" => Some(Ok(json!("0x"))),
        _ => None,
    })
}

#[tokio::test]
async fn every_endpoint_is_asked_for_the_nonces_and_the_highest_count() {
    let (behind, ahead) = (sent("0x3", "0x8"), sent("0x7", "0x7"));
    let silent = served(|_| Reply::new(500, ""));
    let chains = of(&[&behind, &silent, &ahead]);
    let state = sending(&chains).account(Address::ZERO).await.unwrap();
    assert_eq!((state.nonce, state.pending_nonce), (7, 8));
    assert_eq!(state.nonces, [nonces("main", 3, 8), nonces("third", 7, 7)]);
    assert!(!state.is_agreed());
    // What waits is another thing in each pool.
    let waits = sent("0x7", "0x9");
    let chains = of(&[&waits, &ahead]);
    let state = sending(&chains).account(Address::ZERO).await.unwrap();
    assert_eq!((state.nonce, state.pending_nonce), (7, 9));
    assert!(state.is_agreed());
}

#[tokio::test]
async fn an_accounts_state_is_read_in_one_request_or_one_by_one() {
    let server = account("0x");
    let expected = AccountState {
        nonce: 3,
        pending_nonce: 5,
        balance: U256::from(1_000_000_000_000_000_000_u64),
        has_code: false,
        nonces: vec![nonces("main", 3, 5)],
    };
    let chains_of = |max_batch| {
        let mut endpoints = configs(&[&server]);
        endpoints[0].max_batch = NonZeroU32::new(max_batch).unwrap();
        chains(endpoints)
    };
    for (max_batch, requests) in [(20, 2), (5, 2), (4, 6), (1, 6)] {
        server.forget();
        let chains = chains_of(max_batch);
        let state = sending(&chains).account(Address::ZERO).await;
        assert_eq!(state.as_ref(), Ok(&expected), "{max_batch}");
        assert_eq!(server.requests(), requests, "{max_batch}");
        // Each answer comes with the chain's id, besides the first time that it is asked for.
        assert_eq!(server.calls("eth_chainId"), 2);
    }
}

#[tokio::test]
async fn an_endpoint_that_refuses_batches_is_asked_one_by_one() {
    let server = served(|request| {
        if request.batch {
            return Reply::refusal(
                request,
                200,
                &error(-32600, "batch requests are not supported"),
            );
        }
        Reply::each(request, |call| match call.method.as_str() {
            "eth_getTransactionCount" => Ok(json!("0x1")),
            "eth_getBalance" => Ok(json!("0x0")),
            "eth_getCode" => Ok(json!("0x")),
            _ => CHAIN.answer(call),
        })
    });
    let chains = of(&[&server]);
    let state = sending(&chains).account(Address::ZERO).await.unwrap();
    assert_eq!((state.nonce, state.pending_nonce), (1, 1));
}

#[tokio::test]
async fn what_an_account_delegates_to_does_not_keep_it_from_sending() {
    let delegated = "0xef01000000000000000000000000000000000000000001";
    for (code, has_code) in [("0x", false), (delegated, false), ("0x6000", true)] {
        let server = account(code);
        let state = sending(&of(&[&server])).account(Address::ZERO).await;
        assert_eq!(state.unwrap().has_code, has_code, "{code}");
    }
}

/// Behind one URL are several nodes, and the one that tells the pool lags behind the one that tells the chain.
#[tokio::test]
async fn no_fewer_transactions_wait_than_are_included() {
    let server = sent("0x9", "0x4");
    let state = sending(&of(&[&server]))
        .account(Address::ZERO)
        .await
        .unwrap();
    assert_eq!((state.nonce, state.pending_nonce), (9, 9));
}

/// What an endpoint says to a call and to an estimate, on the pending state and on the newest.
async fn simulate(
    answer: impl Fn(&Call, bool) -> Result<Value, Value> + Send + Sync + 'static,
) -> Result<Simulated, ReadError> {
    let server = saying(move |call| {
        let on_pending = call.params[1] == "pending";
        match call.method.as_str() {
            "eth_call" | "eth_estimateGas" => Some(answer(call, on_pending)),
            _ => None,
        }
    });
    sending(&of(&[&server])).simulate(&draft()).await
}

fn succeeds(call: &Call) -> Result<Value, Value> {
    let expected = json!({
        "from": "0x0000000000000000000000000000000000000001",
        "to": "0x0000000000000000000000000000000000000002",
        "data": "0x01020304",
    });
    assert_eq!(call.params[0], expected);
    Ok(match call.method.as_str() {
        "eth_call" => json!("0x2a"),
        _ => json!("0x5208"),
    })
}

#[tokio::test]
async fn a_draft_is_tried_on_the_pending_state_or_it_is_said_that_it_was_not() {
    let success = Simulation::Succeeds { gas: 21_000 };
    let tried = simulate(|call, _| succeeds(call)).await.unwrap();
    assert_eq!((tried.on, &tried.outcome), (Tip::Pending, &success));
    for (code, words) in [
        (-32602, "invalid argument 1: pending is not supported"),
        (-32000, "pending state is not available"),
        (-39001, "Unknown block"),
    ] {
        let tried = simulate(move |call, on_pending| match on_pending {
            true => Err(error(code, words)),
            false => succeeds(call),
        });
        let tried = tried.await.unwrap();
        assert_eq!(
            (tried.on, &tried.outcome),
            (Tip::Latest, &success),
            "{words}"
        );
    }
}

#[tokio::test]
async fn what_the_contract_says_when_it_refuses_is_kept_however_the_endpoint_puts_it() {
    let refusal = "0x6a12f104";
    for mut said in [
        json!({"code": 3, "message": "execution reverted", "data": refusal}),
        json!({"code": -32015, "message": "VM execution error.", "data": "Reverted 0x6a12f104"}),
        json!({"code": -32603, "message": "VM Exception while processing transaction: reverted with custom error", "data": {"data": refusal}}),
        json!({"code": -32000, "message": "execution reverted: 0x6a12f104"}),
        json!({"code": -32000, "message": "Reverted 0x6a12f104"}),
    ] {
        let words = said.to_string();
        let said = said.take();
        let tried = simulate(move |_, _| Err(said.clone())).await.unwrap();
        let Simulation::Reverts { data } = tried.outcome else {
            panic!("{words}: {:?}", tried.outcome);
        };
        assert_eq!(data.to_string(), refusal, "{words}");
    }
    // Some say nothing, and some only find out when they estimate.
    for words in [
        "execution reverted",
        "out of gas",
        "gas required exceeds allowance (50000000)",
    ] {
        let tried = simulate(move |call, _| match call.method.as_str() {
            "eth_call" => Ok(json!("0x")),
            _ => Err(error(-32000, words)),
        });
        let expected = Simulation::Reverts { data: Bytes::new() };
        assert_eq!(tried.await.unwrap().outcome, expected, "{words}");
    }
}

#[tokio::test]
async fn that_the_account_cannot_pay_is_no_refusal_of_the_contract() {
    for (code, words) in [
        (
            -32000,
            "insufficient funds for gas * price + value: address 0x01 have 0 want 1",
        ),
        (-32010, "insufficient sender balance"),
        (
            3,
            "insufficient funds for gas + value. balance: 4, fee: 8, value: 0",
        ),
    ] {
        let tried = simulate(move |_, _| Err(error(code, words))).await.unwrap();
        assert_eq!(tried.outcome, Simulation::CannotPay, "{words}");
    }
}

#[tokio::test]
async fn whatever_else_goes_wrong_is_an_error_and_no_outcome() {
    for said in [
        Ok(Value::Null),
        Ok(json!("0x0g")),
        Err(error(-32603, "internal error")),
        Err(error(-32005, "rate limit")),
    ] {
        let tried = simulate(move |_, _| said.clone()).await;
        assert!(tried.is_err(), "{tried:?}");
    }
}

#[tokio::test]
async fn another_endpoint_is_asked_when_one_cannot_answer() {
    let (broken, good) = (served(|_| Reply::new(500, "")), account("0x"));
    let state = sending(&of(&[&broken, &good])).account(Address::ZERO).await;
    assert_eq!(state.unwrap().nonce, 3);
}

#[tokio::test]
async fn whether_a_block_is_in_the_chain_is_said_only_of_heights_that_it_has() {
    let server = honest();
    let chains = of(&[&server]);
    let chains_sending = sending;
    let sending = sending(&chains);
    let hash = |number| Chain::hash(number).parse().unwrap();
    assert_eq!(sending.is_canonical(900, hash(900)).await, Ok(true));
    assert_eq!(sending.is_canonical(900, hash(901)).await, Ok(false));
    let unknown = sending.is_canonical(1001, hash(1001)).await.unwrap_err();
    assert_eq!(
        unknown.code,
        Code::EndpointLagging,
        "that it is gone, nobody knows"
    );
    let behind = served(|request| Chain { id: 1, head: 899 }.reply(request));
    let both = of(&[&behind, &server]);
    assert_eq!(
        chains_sending(&both).is_canonical(900, hash(901)).await,
        Ok(false)
    );
    let head = sending.head().await.unwrap();
    assert_eq!((head.number, head.hash), (1000, hash(1000)));
}

#[tokio::test]
async fn a_nonce_counts_at_the_block_that_is_deep_enough_and_at_its_hash() {
    let server = saying(|call| match call.method.as_str() {
        "eth_getTransactionCount" => {
            let hash = call.params[1]["blockHash"].as_str().unwrap();
            assert_eq!(call.params[1]["requireCanonical"], true);
            let count = if hash == Chain::hash(1000) {
                "0x6"
            } else {
                "0x5"
            };
            Some(Ok(json!(count)))
        }
        _ => None,
    });
    let chains = of(&[&server]);
    for (confirmations, height, settled_nonce) in
        [(0, 1000, 6), (1, 1000, 6), (2, 999, 5), (1002, 0, 5)]
    {
        let progress = sending(&chains)
            .progress(Address::ZERO, confirmations)
            .await
            .unwrap();
        assert_eq!((progress.head.number, progress.nonce), (1000, 6));
        assert_eq!(
            (progress.settled.number, progress.settled_nonce),
            (height, settled_nonce),
            "{confirmations}"
        );
        assert_eq!(progress.settled.hash.to_string(), Chain::hash(height));
    }
}

/// The nonce 5 was used in each of these blocks, of a chain whose newest has the height 1000.
#[tokio::test]
async fn the_block_that_used_a_nonce_is_found_wherever_it_is() {
    for used in [1, 2, 3, 499, 500, 501, 997, 998, 999, 1000] {
        let server = saying(move |call| match call.method.as_str() {
            "eth_getTransactionCount" => {
                let hash = call.params[1]["blockHash"].as_str().unwrap();
                let height = (0..=1000).find(|n| Chain::hash(*n) == hash).unwrap();
                Some(Ok(json!(if height >= used { "0x6" } else { "0x5" })))
            }
            _ => None,
        });
        let chains = of(&[&server]);
        let sending = sending(&chains);
        let passing = sending.passing(Address::ZERO, 5, 1000).await.unwrap();
        let passing = passing.unwrap();
        assert_eq!(passing.block.number, used);
        assert_eq!(passing.block.hash.to_string(), Chain::hash(used));
        assert_eq!(passing.account_nonce, 6);
        assert!(server.calls("eth_getTransactionCount") < 30, "{used}");
        assert_eq!(sending.passing(Address::ZERO, 5, used - 1).await, Ok(None));
        assert_eq!(sending.passing(Address::ZERO, 6, 1000).await, Ok(None));
    }
}

#[tokio::test]
async fn a_look_is_at_one_block_and_of_the_next_endpoint_when_one_fails() {
    let slot = B256::with_last_byte(7);
    let script = move |call: &Call| match call.method.as_str() {
        "eth_getStorageAt" => {
            assert_eq!(call.params[1], slot.to_string());
            let pinned = json!({"blockHash": Chain::hash(968), "requireCanonical": true});
            assert_eq!(call.params[2], pinned);
            Some(Ok(json!(B256::with_last_byte(9).to_string())))
        }
        "eth_call" if call.params[0]["data"] == "0x01" => Some(Err(error(3, "execution reverted"))),
        _ => None,
    };
    let short = saying(|call| match call.method.as_str() {
        // Not 32 bytes.
        "eth_getStorageAt" => Some(Ok(json!("0x09"))),
        _ => None,
    });
    let good = saying(script);
    let view = |data: &'static [u8]| View {
        to: Address::with_last_byte(5),
        data: Bytes::from_static(data),
        expects: Expects::Anything,
    };
    let wanted = Wanted {
        balances: vec![Address::with_last_byte(0x34)],
        codes: vec![Address::ZERO],
        storage: vec![(Address::ZERO, slot)],
        calls: vec![view(&[1]), view(&[2])],
        probes: vec![view(&[1])],
    };
    let chains = of(&[&short, &good]);
    let looked = chains.look(CHAIN.id, Block::Safe, wanted).await.unwrap();
    assert_eq!(looked.provenance.block_number, 968);
    assert_eq!(looked.provenance.endpoint_id.as_str(), "spare");
    let got = looked.got;
    assert_eq!(got.balances, [U256::from(0x34)]);
    assert_eq!(got.codes, [Bytes::new()]);
    assert_eq!(got.storage, [B256::with_last_byte(9)]);
    assert_eq!(
        got.calls,
        [Said::Reverted(Bytes::new()), Said::Returned(Bytes::new())]
    );
    assert_eq!(got.probes, [Said::Reverted(Bytes::new())]);
    let elsewhere = chains.look(10, Block::Latest, Wanted::default()).await;
    assert_eq!(elsewhere.unwrap_err().code, Code::ChainNotConfigured);
    assert_eq!(
        chains.sending(10).unwrap_err().code,
        Code::ChainNotConfigured
    );
    let described = chains.describe(CHAIN.id).unwrap();
    assert_eq!(
        (
            described.name,
            described.native_symbol,
            described.native_decimals
        ),
        ("Test", "ETH", 18)
    );
}
