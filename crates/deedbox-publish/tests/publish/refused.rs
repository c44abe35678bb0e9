//! What is refused before anything is signed, and in which words.

use alloy_primitives::{Address, Bytes};
use deedbox_registry::{Logic, Term};

use crate::house::*;

#[tokio::test]
async fn what_the_chain_would_refuse_is_told_by_its_name() {
    let house = House::new().await;
    let tools = house.deploy(Deployment::Tools).await;
    let agents = house.open_registry().await;
    let list = house
        .deploy(Deployment::Predicate(Predicate::Allowlist {
            registry: tools,
        }))
        .await;
    let proof = house
        .deploy(Deployment::Predicate(Predicate::AccessProof {
            caller: tools,
        }))
        .await;
    let predicate = |predicate| Action::Deploy(Deployment::Predicate(predicate));
    let refusals = [
        (
            predicate(Predicate::Erc721Holder {
                collection: address(2),
            }),
            // The chain would call it `NotAContract`; this names the chain, too, before it is asked.
            format!("there is no code at {} on chain 31337", address(2)),
        ),
        (
            predicate(Predicate::Erc20Balance {
                token: agents,
                min_balance: U256::ZERO,
            }),
            "NothingRequired()".to_owned(),
        ),
        (
            predicate(Predicate::Composite {
                caller: tools,
                logic: Logic::Any,
                terms: Vec::new(),
            }),
            "InvalidTermCount(count: 0)".to_owned(),
        ),
        (
            predicate(Predicate::Composite {
                caller: Address::ZERO,
                logic: Logic::Any,
                terms: vec![Term {
                    predicate: proof,
                    negated: false,
                    gas_limit: 60_000,
                }],
            }),
            "TermServesOneCaller(index: 0)".to_owned(),
        ),
        (
            predicate(Predicate::MerkleAllowlist { registry: agents }),
            format!("NotAToolRegistry(registry: {agents})"),
        ),
        (
            Action::SetAccessPredicate {
                registry: tools,
                tool_id: U256::from(99),
                access_predicate: list,
            },
            "ToolNotFound(toolId: 99)".to_owned(),
        ),
        (
            Action::DeregisterTool {
                registry: tools,
                tool_id: U256::from(99),
            },
            "ToolNotFound(toolId: 99)".to_owned(),
        ),
        (
            Action::SetAllowed {
                predicate: list,
                tool_id: U256::from(99),
                accounts: vec![address(1)],
                allowed: true,
            },
            "ToolNotFound(toolId: 99)".to_owned(),
        ),
    ];
    for (action, name) in refusals {
        let refusal = house.refused(action).await;
        assert!(refusal.contains(&name), "{refusal}");
        assert!(refusal.contains("Nothing was signed"), "{refusal}");
    }
}

#[tokio::test]
async fn what_stands_at_an_address_has_to_be_the_registry_that_it_is_taken_for() {
    let house = House::new().await;
    let tools = house.deploy(Deployment::Tools).await;
    let agents = house.open_registry().await;
    let mock = |code: &str| {
        let at = Address::repeat_byte(0x77);
        house.rpc("anvil_setCode", serde_json::json!([at, code]));
        at
    };
    // Answers 1 to everything.
    let yes = mock("0x600160005260206000f3");
    for (registry, words) in [
        (address(2), "there is no contract at"),
        (tools, "is not an agent registry (ERC-8122)"),
        (yes, "says yes to every interface"),
    ] {
        // A tool registry comes first among what it could be.
        let refusal = house.refused(register(registry, "x")).await;
        let words = if registry == yes {
            "is not an agent registry"
        } else {
            words
        };
        assert!(refusal.contains(words), "{refusal}");
    }
    let deregister = |registry| Action::DeregisterTool {
        registry,
        tool_id: U256::from(1),
    };
    let refusal = house.refused(deregister(yes)).await;
    assert!(refusal.contains("says yes to every interface"), "{refusal}");
    let refusal = house.refused(deregister(agents)).await;
    assert!(
        refusal.contains("is not a tool registry (ERC-8257)"),
        "{refusal}"
    );
    // An account that delegates to a contract.
    let delegated = mock(&format!("0xef0100{}", "11".repeat(20)));
    let refusal = house.refused(register(delegated, "x")).await;
    assert!(refusal.contains("is somebody's account"), "{refusal}");
}

#[tokio::test]
async fn no_is_no_and_nothing_is_signed() {
    let house = House::new().await;
    let action = Action::Deploy(Deployment::Tools);
    let declined = house
        .publish_by(0, action, &quick(), &mut Script::no())
        .await;
    assert!(
        matches!(declined, Err(PublishError::Declined)),
        "{declined:?}"
    );
    assert_eq!(house.nonce(address(0)), 0);
    assert_eq!(house.open(0).await, None);
}

#[tokio::test]
async fn a_signature_of_another_key_is_neither_recorded_nor_sent() {
    struct Mixed;
    #[async_trait::async_trait]
    impl Signer for Mixed {
        fn address(&self) -> Address {
            address(0)
        }
        async fn sign(&self, hash: B256) -> Result<Signature, CannotSign> {
            key(1).sign(hash).await
        }
    }
    let house = House::new().await;
    let action = Action::Deploy(Deployment::Tools);
    let wrong = publish(
        house.desk(),
        CHAIN,
        action,
        &Mixed,
        &quick(),
        &mut Script::yes(),
    )
    .await;
    assert!(
        matches!(wrong, Err(PublishError::WrongSignature { .. })),
        "{wrong:?}"
    );
    assert_eq!(house.open(0).await, None);
    assert_eq!((house.nonce(address(0)), house.nonce(address(1))), (0, 0));
}

#[tokio::test]
async fn an_endpoint_of_another_chain_is_told_before_anything_is_asked_of_anybody() {
    let house = House::with(&["--chain-id", "5"]).await;
    let mut teller = Script::yes();
    let action = Action::Deploy(Deployment::Tools);
    let wrong = house.publish_by(0, action, &quick(), &mut teller).await;
    let error = wrong.unwrap_err();
    let PublishError::Read(read) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(read.code, deedbox_chain::Code::WrongChain);
    assert!(teller.previews.is_empty());
}

#[tokio::test]
async fn transactions_of_another_wallet_that_wait_are_told() {
    let house = House::with(&["--no-mining"]).await;
    let pay = serde_json::json!([{"from": address(0), "to": address(1), "value": "0x1"}]);
    house.rpc("eth_sendTransaction", pay);
    let action = Action::Deploy(Deployment::Tools);
    let waiting = house
        .publish_by(0, action, &quick(), &mut Script::yes())
        .await;
    let error = waiting.unwrap_err();
    assert!(
        matches!(
            error,
            PublishError::OthersPending {
                waiting: 1,
                nonce: 0,
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn what_costs_too_much_or_cannot_be_paid_is_told_with_its_currency() {
    let house = House::new().await;
    let limited = Options {
        max_fee: Some(U256::from(1)),
        ..quick()
    };
    let action = || Action::Deploy(Deployment::Tools);
    let above = house
        .publish_by(0, action(), &limited, &mut Script::yes())
        .await;
    let above = above.unwrap_err().to_string();
    assert!(
        above.contains("the limit of 0.000000000000000001 ETH"),
        "{above}"
    );
    house.rpc("anvil_setBalance", serde_json::json!([address(1), "0x1"]));
    let poor = house
        .publish_by(1, action(), &quick(), &mut Script::yes())
        .await;
    let poor = poor.unwrap_err().to_string();
    assert!(poor.contains("0.000000000000000001 ETH"), "{poor}");
}

#[tokio::test]
async fn what_no_transaction_can_hold_is_told_before_anything_is_asked() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let huge = Entry::new(
        "description".parse().unwrap(),
        Bytes::from(vec![b'x'; 25_000]),
    )
    .unwrap();
    let action = Action::SetAgentMetadata {
        registry,
        agent_id: U256::from(1),
        metadata: vec![huge],
    };
    house.done(register(registry, "Small")).await;
    let refusal = house.refused(action).await;
    assert!(refusal.contains("16777216 (EIP-7825)"), "{refusal}");
}
