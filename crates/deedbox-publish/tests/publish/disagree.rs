//! Endpoints that contradict the chain, themselves, or each other.

use deedbox_publish::transaction::Transaction;
use serde_json::json;

use crate::house::*;

/// Settles it while the endpoint says of every transaction that it was reverted.
async fn denied(house: &House, action: Action) -> (PublicationId, Inclusion) {
    house.fault(Fault::SaysReverted);
    let mut teller = Script::yes();
    let published = house.publish_by(0, action, &quick(), &mut teller).await;
    let Published::Settled(settled) = published.unwrap() else {
        panic!("not settled")
    };
    house.fault(Fault::None);
    let told =
        teller.saw(|step| matches!(step, Step::ReadBack { findings, .. } if !findings.is_empty()));
    assert_eq!(told, 1, "{:?}", teller.steps);
    let id = settled.publication;
    (id, included(Published::Settled(settled)))
}

#[tokio::test]
async fn a_receipt_that_says_reverted_is_held_against_the_state() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let tools = house.deploy(Deployment::Tools).await;
    house.done(register(registry, "First")).await;
    let agent_id = U256::from(1);
    let service = NewAgent {
        owner: address(0),
        metadata: vec![
            entry("service_type", "a2a"),
            entry("service", "https://agents.example/a2a"),
        ],
    };
    let deny = Predicate::Allowlist { registry: tools };
    let actions = [
        register(registry, "Second"),
        Action::RegisterAgent {
            registry,
            agent: service,
        },
        Action::RegisterAgents {
            registry,
            agents: vec![agent(address(1), "Third"), agent(address(2), "Fourth")],
        },
        Action::Deploy(Deployment::Predicate(deny)),
        Action::SetAgentMetadata {
            registry,
            agent_id,
            metadata: vec![entry("name", "Renamed")],
        },
        Action::ApproveSpender {
            registry,
            agent_id,
            spender: address(1),
            amount: U256::from(3),
        },
        Action::TransferAgent {
            registry,
            agent_id,
            receiver: address(1),
        },
    ];
    for action in actions {
        let what = format!("{action:?}");
        let (id, inclusion) = denied(&house, action).await;
        assert!(!inclusion.succeeded, "{what}");
        assert_eq!(inclusion.read_back, ReadBack::Matches, "{what}");
        let finding = inclusion.findings[0].as_str();
        assert!(
            finding.starts_with("receipt and state disagree"),
            "{what}: {finding}"
        );
        // Once the endpoint tells the truth, it stands on record.
        let again = included(house.resumed(id).await.unwrap());
        assert!(again.succeeded, "{what}");
        assert_eq!(
            (again.read_back, again.findings),
            (ReadBack::Matches, vec![]),
            "{what}"
        );
    }
    assert_eq!(house.agents_of(registry), 5);
}

/// What was to be there was there before, so that the state shows nothing; that the same call is accepted does.
#[tokio::test]
async fn a_receipt_that_says_reverted_is_held_against_the_same_call_once_more() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    house.done(register(registry, "Same")).await;
    let name = deedbox_registry::Call::SetMetadata {
        agent_id: U256::from(1),
        entry: entry("name", "Renamed"),
    };
    let anvil = Arc::clone(&house.anvil);
    let (from, to) = (address(0).to_string(), registry.to_string());
    // Another wallet is faster with the same. Its nonce is another account's.
    let operator = Action::SetOperator {
        registry,
        operator: address(1),
        approved: true,
    };
    house.done(operator).await;
    let mut teller = Script::yes().meanwhile(move || {
        anvil.send(&from, &to, &name.encode()).unwrap();
    });
    house.fault(Fault::SaysReverted);
    let action = Action::SetAgentMetadata {
        registry,
        agent_id: U256::from(1),
        metadata: vec![entry("name", "Renamed")],
    };
    let published = house.publish_by(1, action, &quick(), &mut teller).await;
    let inclusion = included(published.unwrap());
    assert!(!inclusion.succeeded);
    assert_eq!(inclusion.read_back, ReadBack::NotChecked);
    let findings = format!("{:?}", inclusion.findings);
    assert!(
        findings.contains("receipt and replay disagree"),
        "{findings}"
    );
}

#[tokio::test]
async fn of_two_endpoints_that_disagree_about_a_revert_the_state_decides() {
    for (node, spare) in [
        (Fault::SaysReverted, Fault::None),
        (Fault::None, Fault::SaysReverted),
    ] {
        let house = House::pair().await;
        house.fault(node);
        house.spare_fault(spare);
        let action = Action::Deploy(Deployment::Tools);
        let published = house
            .publish_by(0, action, &quick(), &mut Script::yes())
            .await;
        let inclusion = included(published.unwrap());
        assert!(inclusion.succeeded, "{inclusion:?}");
        assert_eq!(inclusion.read_back, ReadBack::Matches);
        assert_eq!(inclusion.created.len(), 1);
        // Where the one that denies it is heard first, it is told.
        for finding in &inclusion.findings {
            let finding = finding.as_str();
            assert!(
                finding.starts_with("endpoints disagree: by the receipt of "),
                "{finding}"
            );
        }
    }
}

#[tokio::test]
async fn a_base_fee_that_nothing_shows_to_be_usual_is_signed_within_a_limit_only() {
    let house = House::new().await;
    house.fault(Fault::IsDear);
    let action = || Action::Deploy(Deployment::Tools);
    let dear = house
        .publish_by(0, action(), &quick(), &mut Script::yes())
        .await;
    let error = dear.unwrap_err();
    assert!(
        matches!(error, PublishError::FeeUnusual { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("--max-fee"), "{error}");
    assert_eq!(house.open(0).await, None);
    let limited = Options {
        max_fee: Some(U256::from(900) * U256::from(10_u64.pow(18))),
        ..quick()
    };
    let published = house
        .publish_by(0, action(), &limited, &mut Script::yes())
        .await;
    assert!(included(published.unwrap()).succeeded);
    // What another endpoint says of the same chain shows it, too.
    let house = House::pair().await;
    house.fault(Fault::IsDear);
    let dear = house
        .publish_by(0, action(), &quick(), &mut Script::yes())
        .await;
    assert!(
        matches!(dear, Err(PublishError::FeeUnusual { .. })),
        "{dear:?}"
    );
}

#[tokio::test]
async fn a_nonce_that_endpoints_disagree_about_is_signed_for_by_nobody() {
    let house = Arc::new(House::pair().await);
    house.done(Action::Deploy(Deployment::Tools)).await;
    let action = || Action::Deploy(Deployment::Tools);
    // Whichever lags, and whichever is ahead.
    for (count, said) in [
        ("0x0", "node says 1, spare says 0"),
        ("0x7", "node says 1, spare says 7"),
    ] {
        house.spare_fault(Fault::Counts(count));
        let mut teller = Script::yes();
        let refused = house.publish_by(0, action(), &quick(), &mut teller).await;
        let error = refused.unwrap_err();
        assert!(
            matches!(error, PublishError::NoncesDisagree { .. }),
            "{error:?}"
        );
        let text = error.to_string();
        assert!(text.contains(said) && !text.contains("://"), "{text}");
        assert_eq!((teller.previews.len(), house.open(0).await), (0, None));
        let dry = Options {
            dry_run: true,
            ..quick()
        };
        let shown = house
            .publish_by(0, action(), &dry, &mut Script::yes())
            .await;
        let Published::DryRun(preview) = shown.unwrap() else {
            panic!("not a dry run")
        };
        assert!(
            preview
                .warnings
                .iter()
                .any(|warning| warning.contains(said))
        );
        assert_eq!(preview.nonce, if count == "0x7" { 7 } else { 1 });
    }
    // And when it falls apart while somebody thinks.
    house.spare_fault(Fault::None);
    let apart = Arc::clone(&house);
    let mut teller = Script::yes().meanwhile(move || apart.spare_fault(Fault::Counts("0x0")));
    let refused = house.publish_by(0, action(), &quick(), &mut teller).await;
    assert!(
        matches!(refused, Err(PublishError::NoncesDisagree { .. })),
        "{refused:?}"
    );
    assert_eq!(house.open(0).await, None);
    // One that does not answer keeps nobody from publishing.
    house.spare_fault(Fault::Lacks("eth_getTransactionCount"));
    house.done(action()).await;
}

#[tokio::test]
async fn who_accepted_it_is_told_and_one_that_only_says_so_is_not() {
    let house = Arc::new(House::new().await);
    let mut teller = Script::yes();
    let action = || Action::Deploy(Deployment::Tools);
    house
        .publish_by(0, action(), &quick(), &mut teller)
        .await
        .unwrap();
    let by_node =
        |step: &Step| matches!(step, Step::Sent { endpoint, .. } if endpoint.as_str() == "node");
    assert_eq!(teller.saw(by_node), 1);
    house.fault(Fault::Says("already known"));
    let heal = Arc::clone(&house);
    let mut teller = Script::yes().on_step(move |step| {
        if matches!(step, Step::Unclear { .. }) {
            heal.fault(Fault::None);
        }
    });
    let published = house.publish_by(0, action(), &quick(), &mut teller).await;
    assert!(included(published.unwrap()).succeeded);
    let order = teller.steps.iter().filter_map(|step| match step {
        Step::Sent { .. } => Some("sent"),
        Step::Known { .. } => Some("known"),
        Step::Unclear { reason } => {
            assert!(reason.contains("does not give it by its hash"), "{reason}");
            Some("unclear")
        }
        _ => None,
    });
    assert_eq!(order.collect::<Vec<_>>(), ["unclear", "sent"]);
}

#[tokio::test]
async fn what_has_it_already_is_not_told_as_if_it_had_been_sent() {
    let house = House::with(&["--no-mining"]).await;
    let id = recorded(&house, 0).await;
    let late = resume(house.desk(), id, None, &hasty(), &mut Script::yes()).await;
    assert!(matches!(late, Err(PublishError::NotYet { .. })), "{late:?}");
    // No endpoint shows it, so that it is sent again; and this one has it.
    let stored = house.store.publication(id).await.unwrap().unwrap();
    let raw = stored.attempts().next().unwrap().raw_transaction.clone();
    let sending = house.chains.sending(CHAIN).unwrap();
    let again = sending.broadcast(&raw.as_bytes().to_vec().into()).await;
    assert_eq!(
        again,
        deedbox_chain::send::Broadcast::AlreadyKnown("node".parse().unwrap())
    );
}

/// Records a transaction of the first account with this nonce, as if it had been signed here.
async fn recorded(house: &House, nonce: u64) -> PublicationId {
    use deedbox_core::{
        Command, World as _,
        publication::{RawTransaction, SignedTransaction},
    };
    let transaction = Transaction {
        chain_id: CHAIN,
        nonce,
        to: None,
        data: Deployment::Tools.encode(),
        offer: deedbox_publish::fees::Offer {
            kind: deedbox_publish::fees::Kind::FeeMarket,
            gas_limit: 3_000_000,
            max_fee_per_gas: 3_000_000_000,
            max_priority_fee_per_gas: 1_000_000_000,
        },
    };
    let signed = transaction.sign(&key(0)).await.unwrap();
    let attempt = SignedTransaction::new(
        "registry_deploy".parse().unwrap(),
        serde_json::Map::new(),
        ChainAddress(address(0).0.0),
        RawTransaction::new(signed.raw.to_vec()).unwrap(),
    );
    let id = PublicationId(house.world.uuid());
    let sign = deedbox_store::Execute {
        command: Command::SignPublication {
            id,
            attempt: Box::new(attempt.unwrap()),
        },
        attribution: house.attribution.clone(),
        idempotency: None,
    };
    house.store.execute(sign).await.unwrap().unwrap();
    id
}

#[tokio::test]
async fn transactions_that_are_missing_before_its_own_are_counted_and_explained() {
    let house = House::new().await;
    house.done(Action::Deploy(Deployment::Tools)).await;
    let id = recorded(&house, 4).await;
    let late = resume(house.desk(), id, None, &hasty(), &mut Script::yes()).await;
    let error = late.unwrap_err();
    assert!(matches!(error, PublishError::NotYet { .. }), "{error:?}");
    let text = error.to_string();
    for words in [
        "the account's next nonce on this chain is 1, and this one is 4: 3 transactions are missing before it",
        "or one that began anew",
        "a ledger of its own, with another --data-dir",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[tokio::test]
async fn a_chain_that_began_anew_is_named_as_a_reason_for_a_nonce_that_is_used() {
    let house = House::new().await;
    let start = house.rpc("evm_snapshot", json!([]));
    house.done(Action::Deploy(Deployment::Tools)).await;
    house.rpc("evm_revert", json!([start]));
    let refusal = house.refused(Action::Deploy(Deployment::Tools)).await;
    for words in ["Nonce 0", "one that began anew", "another --data-dir"] {
        assert!(refusal.contains(words), "{refusal}");
    }
}
