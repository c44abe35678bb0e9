//! An endpoint that lies, and is consistent about it, beside one that does not.

use std::sync::OnceLock;

use deedbox_core::{Command, TransactionHash, publication::Replacement};
use deedbox_neighbours::{anvil::Anvil, rpc::Call};
use serde_json::{Value, json};

use crate::house::*;

/// The hash of what was handed over, and the height at which that was.
type Kept = Arc<OnceLock<(String, u64)>>;

/// Says that it took what is sent, and keeps it.
fn keeps(kept: &Kept, call: &Call, node: &Anvil) -> Option<Value> {
    (call.method == "eth_sendRawTransaction").then(|| {
        let raw = alloy_primitives::hex::decode(call.params[0].as_str().unwrap()).unwrap();
        let hash = alloy_primitives::keccak256(raw).to_string();
        kept.get_or_init(|| (hash.clone(), node.height().unwrap()));
        json!(hash)
    })
}

/// Whether it is asked for what became of what it kept.
fn is_about(kept: &Kept, call: &Call) -> bool {
    kept.get()
        .is_some_and(|(hash, _)| call.params[0] == json!(hash))
}

fn number(said: &Value) -> u64 {
    u64::from_str_radix(&said.as_str().unwrap()[2..], 16).unwrap()
}

/// Keeps what is sent, and says that from the next block on something else has the account's nonce.
fn says_replaced(kept: &Kept, call: &Call, node: &Anvil) -> Option<Value> {
    if let Some(said) = keeps(kept, call, node) {
        return Some(said);
    }
    let (_, at) = kept.get()?;
    match call.method.as_str() {
        "eth_getTransactionReceipt" | "eth_getTransactionByHash" if is_about(kept, call) => {
            Some(Value::Null)
        }
        "eth_getTransactionCount" => {
            let honest = node.rpc(&call.method, call.params.clone()).unwrap();
            let hash = &call.params[1]["blockHash"];
            let is_height = |at: &Value| at.as_str().is_some_and(|at| at.starts_with("0x"));
            let height = if is_height(&call.params[1]) {
                number(&call.params[1])
            } else if hash.is_string() {
                number(
                    &node
                        .rpc("eth_getBlockByHash", json!([hash, false]))
                        .unwrap()["number"],
                )
            } else {
                node.height().unwrap()
            };
            let more = u64::from(height > *at);
            Some(json!(format!("0x{:x}", number(&honest) + more)))
        }
        _ => None,
    }
}

/// Keeps what is sent, and tells a receipt of it that names the block after the one at which it was handed over, and that block with it in it.
fn says_included(kept: &Kept, call: &Call, node: &Anvil) -> Option<Value> {
    if let Some(said) = keeps(kept, call, node) {
        return Some(said);
    }
    let (hash, at) = kept.get()?;
    let height = format!("0x{:x}", at + 1);
    match call.method.as_str() {
        "eth_getTransactionReceipt" if is_about(kept, call) => {
            let block = node.rpc("eth_getBlockByNumber", json!([height, false]));
            let block = block.unwrap();
            if block.is_null() {
                return Some(Value::Null);
            }
            Some(json!({
                "transactionHash": hash, "blockNumber": height, "blockHash": block["hash"], "status": "0x1",
                "gasUsed": "0x5208", "effectiveGasPrice": "0x1", "contractAddress": null, "logs": [],
            }))
        }
        "eth_getBlockByNumber" if call.params[0] == json!(height) => {
            let mut block = node.rpc(&call.method, call.params.clone()).unwrap();
            if block.is_object() && call.params[1] == json!(false) {
                block["transactions"] = json!([hash]);
            }
            Some(block)
        }
        _ => None,
    }
}

/// A teller with whom blocks come after what was sent.
fn with_blocks(house: &House) -> Script {
    let anvil = Arc::clone(&house.anvil);
    let mut sent = 0;
    Script::yes().on_step(move |step| {
        if matches!(step, Step::Sent { .. }) {
            sent += 1;
            if sent == 1 {
                anvil.mine(2).unwrap();
            }
        }
    })
}

#[tokio::test]
async fn a_lie_that_the_nonce_is_used_settles_nothing_and_the_other_endpoint_is_given_the_bytes() {
    for (fault, words) in [
        (Fault::None, None),
        (
            Fault::Lacks("eth_sendRawTransaction"),
            Some(&["not every endpoint of the chain could be given its bytes"][..]),
        ),
        // Both are so; which one is told depends on the block that the lie has reached.
        (
            Fault::Says("nonce too low"),
            Some(
                &[
                    "was not by endpoint spare",
                    "endpoint node shows no transaction there",
                ][..],
            ),
        ),
    ] {
        let house = House::pair().await;
        let registry = house.open_registry().await;
        let kept = Kept::default();
        house.lie(move |call, node| says_replaced(&kept, call, node));
        house.spare_fault(fault);
        let options = Options {
            wait: Duration::from_secs(if words.is_none() { 30 } else { 2 }),
            ..quick()
        };
        let mut teller = with_blocks(&house);
        let published = house
            .publish_by(0, register(registry, "Once"), &options, &mut teller)
            .await;
        match words {
            None => {
                assert!(included(published.unwrap()).succeeded);
                let by_spare = |step: &Step| matches!(step, Step::Sent { endpoint, .. } if endpoint.as_str() == "spare");
                assert_eq!(teller.saw(by_spare), 1);
            }
            Some(words) => {
                let error = published.unwrap_err();
                let text = error.to_string();
                assert!(matches!(error, PublishError::NotYet { .. }), "{error:?}");
                let told = words.iter().any(|words| text.contains(words));
                assert!(told, "{text}");
                house.repent();
                house.spare_fault(Fault::None);
                let id = error.publication().unwrap();
                assert!(settle(&house, id).await.succeeded);
            }
        }
        assert_eq!(house.agents_of(registry), 1);
    }
}

#[tokio::test]
async fn a_replacement_that_does_not_hold_is_opened_again_and_the_change_is_made_once() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    for recorded in [None, Some(TransactionHash([7; 32]))] {
        let before = house.agents_of(registry);
        house.fault(Fault::Swallows);
        let action = register(registry, "Believed");
        let error = house
            .publish_by(0, action, &hasty(), &mut Script::yes())
            .await;
        let id = error.unwrap_err().publication().unwrap();
        house.fault(Fault::None);
        house.anvil.mine(1).unwrap();
        let head = house.rpc("eth_getBlockByNumber", json!(["latest", false]));
        let settlement = Settlement::Replaced(Replacement {
            account_nonce: house.nonce(address(0)) + 1,
            block_number: number(&head["number"]),
            block_hash: head["hash"].as_str().unwrap().parse().unwrap(),
            transaction_hash: recorded,
        });
        let command = Command::SettlePublication {
            id,
            settlement: Box::new(settlement),
        };
        let execute = deedbox_store::Execute {
            command,
            attribution: house.attribution.clone(),
            idempotency: None,
        };
        house.store.execute(execute).await.unwrap().unwrap();
        assert_eq!(house.open(0).await, None);
        assert!(settle(&house, id).await.succeeded, "{recorded:?}");
        assert_eq!(house.agents_of(registry), before + 1);
    }
}

#[tokio::test]
async fn a_replacement_that_holds_stays_and_names_the_block_and_the_transaction() {
    let house = House::new().await;
    let anvil = Arc::clone(&house.anvil);
    let by = Arc::new(OnceLock::new());
    let found = Arc::clone(&by);
    let mut teller = Script::yes().on_step(move |step| {
        if matches!(step, Step::Recorded { .. }) {
            let pay =
                json!({"from": address(0), "to": address(1), "value": "0x1", "gas": "0x5208"});
            found.set(anvil.include(&pay).unwrap()).unwrap();
            anvil.mine(9).unwrap();
        }
    });
    let action = Action::Deploy(Deployment::Tools);
    let published = house.publish_by(0, action, &quick(), &mut teller).await;
    let Published::Settled(settled) = published.unwrap() else {
        panic!("not settled")
    };
    let receipt = by.get().unwrap();
    let expected = Replacement {
        account_nonce: 1,
        block_number: 1,
        block_hash: receipt["blockHash"].as_str().unwrap().parse().unwrap(),
        transaction_hash: Some(TransactionHash(
            receipt["transactionHash"]
                .as_str()
                .unwrap()
                .parse::<B256>()
                .unwrap()
                .0,
        )),
    };
    assert_eq!(settled.settlement, Settlement::Replaced(expected));
    let again = house.resumed(settled.publication).await.unwrap();
    assert_eq!(again, Published::Settled(settled));
}

#[tokio::test]
async fn a_receipt_that_only_one_endpoint_has_a_block_for_settles_nothing() {
    let house = House::pair().await;
    let registry = house.open_registry().await;
    let kept = Kept::default();
    house.lie(move |call, node| says_included(&kept, call, node));
    let mut teller = with_blocks(&house);
    let published = house
        .publish_by(0, register(registry, "Once"), &quick(), &mut teller)
        .await;
    // The other endpoint was given the bytes, and has them in a block.
    let inclusion = included(published.unwrap());
    assert!(inclusion.succeeded);
    assert_eq!(inclusion.read_back, ReadBack::Matches);
    let honest = house.rpc(
        "eth_getTransactionReceipt",
        json!([B256::from(inclusion.transaction_hash.0)]),
    );
    assert_eq!(number(&honest["blockNumber"]), inclusion.block_number);
    assert_eq!(house.agents_of(registry), 1);
}

#[tokio::test]
async fn a_receipt_whose_block_does_not_hold_it_settles_nothing() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let kept = Kept::default();
    house.lie(move |call, node| match call.method.as_str() {
        "eth_getBlockByNumber" => None,
        _ => says_included(&kept, call, node),
    });
    let options = Options {
        wait: Duration::from_secs(1),
        ..quick()
    };
    let mut teller = with_blocks(&house);
    let published = house
        .publish_by(0, register(registry, "Once"), &options, &mut teller)
        .await;
    let error = published.unwrap_err();
    let id = error.publication().unwrap();
    assert_eq!(house.open(0).await, Some(id), "{error}");
    house.repent();
    assert!(settle(&house, id).await.succeeded);
    assert_eq!(house.agents_of(registry), 1);
}

/// Alone, an endpoint can say what it likes. What another one says later counts.
#[tokio::test]
async fn a_forged_inclusion_is_opened_again_when_an_endpoint_does_not_have_it() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let kept = Kept::default();
    house.lie(move |call, node| says_included(&kept, call, node));
    let mut teller = with_blocks(&house);
    let published = house
        .publish_by(0, register(registry, "Forged"), &quick(), &mut teller)
        .await;
    let Published::Settled(settled) = published.unwrap() else {
        panic!("not settled")
    };
    assert_eq!(house.agents_of(registry), 0);
    house.repent();
    let inclusion = settle(&house, settled.publication).await;
    assert!(inclusion.succeeded);
    assert_eq!(inclusion.read_back, ReadBack::Matches);
    assert_eq!(house.agents_of(registry), 1);
}

#[tokio::test]
async fn a_price_that_is_consistently_a_lie_is_not_paid_without_a_limit() {
    const PRICE: &str = "0x470de4df820000";
    for base in [false, true] {
        let house = House::new().await;
        house.lie(move |call, node| {
            let honest = || node.rpc(&call.method, call.params.clone()).unwrap();
            match call.method.as_str() {
                "eth_maxPriorityFeePerGas" if !base => Some(json!(PRICE)),
                "eth_gasPrice" => Some(json!(PRICE)),
                "eth_feeHistory" => {
                    let mut said = honest();
                    let name = if base { "baseFeePerGas" } else { "reward" };
                    for one in said[name].as_array_mut().unwrap() {
                        *one = if base { json!(PRICE) } else { json!([PRICE]) };
                    }
                    // What was paid in empty blocks says nothing.
                    for one in said["gasUsedRatio"].as_array_mut().unwrap() {
                        *one = json!(0.5);
                    }
                    Some(said)
                }
                "eth_getBlockByNumber" if base && call.params[0] == "pending" => {
                    let mut said = honest();
                    said["baseFeePerGas"] = json!(PRICE);
                    Some(said)
                }
                _ => None,
            }
        });
        let action = Action::Deploy(Deployment::Tools);
        let mut teller = Script::yes();
        let refused = house.publish_by(0, action, &quick(), &mut teller).await;
        let error = refused.unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, PublishError::FeeBeyond { .. }), "{error:?}");
        assert!(
            text.contains("--max-fee") && text.contains("0.1 ETH"),
            "{text}"
        );
        assert_eq!((teller.previews.len(), house.open(0).await), (0, None));
        assert_eq!(house.nonce(address(0)), 0);
    }
}

#[tokio::test]
async fn another_program_at_the_same_ledger_is_not_told_as_another_wallet() {
    let house = Arc::new(House::new().await);
    let action = || Action::Deploy(Deployment::Tools);
    let other = Arc::clone(&house);
    let mut teller = Script::yes().after(async move {
        other.done(action()).await;
    });
    let late = house.publish_by(0, action(), &quick(), &mut teller).await;
    let error = late.unwrap_err();
    assert!(matches!(error, PublishError::Outdated(_)), "{error:?}");
    assert!(
        error.to_string().contains("took the account's nonce 0"),
        "{error}"
    );
    // And while that one waits.
    let house = Arc::new(House::with(&["--no-mining"]).await);
    let other = Arc::clone(&house);
    let mut teller = Script::yes().after(async move {
        let mut yes = Script::yes();
        let waits = other.publish_by(0, action(), &hasty(), &mut yes).await;
        assert!(
            matches!(waits, Err(PublishError::NotYet { .. })),
            "{waits:?}"
        );
    });
    let late = house.publish_by(0, action(), &quick(), &mut teller).await;
    let open = house.open(0).await.unwrap();
    match late.unwrap_err() {
        PublishError::Refused(deedbox_core::Refusal::PublicationOpen { id, .. }) => {
            assert_eq!(id, open);
        }
        error => panic!("{error:?}"),
    }
}
