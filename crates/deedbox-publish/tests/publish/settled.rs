//! When a publication counts as settled, as what, and when it does not any more.

use deedbox_core::{
    Command, World as _,
    publication::{RawTransaction, SignedTransaction},
};
use deedbox_store::Execute;
use serde_json::json;

use crate::house::*;

/// Asking for it again would do it twice.
#[tokio::test]
async fn what_is_in_a_block_that_no_index_tells_of_is_not_replaced() {
    let house = Arc::new(House::new().await);
    let registry = house.open_registry().await;
    let (hide, mut looks) = (Arc::clone(&house), 0);
    let mut teller = Script::yes().on_step(move |step| match step {
        Step::Recorded { .. } => hide.fault(Fault::KnowsNoTransaction),
        // Long after a nonce that has passed used to suffice.
        Step::Waiting { .. } => {
            looks += 1;
            if looks == 2 {
                hide.anvil.mine(3).unwrap();
            }
        }
        _ => {}
    });
    let options = Options {
        wait: Duration::from_secs(2),
        ..quick()
    };
    let refused = house
        .publish_by(0, register(registry, "Hidden"), &options, &mut teller)
        .await;
    let error = refused.unwrap_err();
    assert!(matches!(error, PublishError::NotYet { .. }), "{error:?}");
    assert!(
        error.to_string().contains("no endpoint gives the receipt"),
        "{error}"
    );
    house.fault(Fault::None);
    let id = error.publication().unwrap();
    assert!(settle(&house, id).await.succeeded);
    assert_eq!(house.agents_of(registry), 1);
}

#[tokio::test]
async fn a_replacement_is_settled_only_as_deep_as_is_asked_for() {
    let house = House::new().await;
    let anvil = Arc::clone(&house.anvil);
    let mut teller = Script::yes().on_step(move |step| {
        if matches!(step, Step::Recorded { .. }) {
            let pay =
                json!({"from": address(0), "to": address(1), "value": "0x1", "gas": "0x5208"});
            anvil.include(&pay).unwrap();
        }
    });
    let deep = Options {
        confirmations: 3,
        wait: Duration::from_millis(500),
        ..quick()
    };
    let action = Action::Deploy(Deployment::Tools);
    let error = house.publish_by(0, action, &deep, &mut teller).await;
    let error = error.unwrap_err();
    assert!(matches!(error, PublishError::NotYet { .. }), "{error:?}");
    house.anvil.mine(2).unwrap();
    let id = error.publication().unwrap();
    let published = resume(house.desk(), id, None, &deep, &mut Script::yes()).await;
    let Published::Settled(settled) = published.unwrap() else {
        panic!("not settled")
    };
    let Settlement::Replaced(found) = settled.settlement else {
        panic!("{settled:?}")
    };
    assert_eq!((found.account_nonce, found.block_number), (1, 1));
}

#[tokio::test]
async fn what_cannot_be_read_of_an_effect_does_not_keep_it_open() {
    let house = Arc::new(House::new().await);
    let registry = house.open_registry().await;
    let silence = Arc::clone(&house);
    let mut teller = Script::yes().on_step(move |step| {
        if matches!(step, Step::Included { .. }) {
            silence.fault(Fault::Lacks("eth_call"));
        }
    });
    let options = Options {
        wait: Duration::from_millis(500),
        ..quick()
    };
    let published = house
        .publish_by(0, register(registry, "Unread"), &options, &mut teller)
        .await;
    let inclusion = included(published.unwrap());
    assert!(inclusion.succeeded);
    assert_eq!(inclusion.read_back, ReadBack::NotChecked);
    assert_eq!(inclusion.created["agent_ids"], json!(["1"]));
    assert_eq!(house.open(0).await, None);
}

#[tokio::test]
async fn a_settled_publication_is_waited_for_until_it_is_as_deep_as_asked_for() {
    let house = House::new().await;
    let mut teller = Script::yes();
    let action = Action::Deploy(Deployment::Tools);
    let published = house.publish_by(0, action, &quick(), &mut teller).await;
    let Published::Settled(settled) = published.unwrap() else {
        panic!("not settled")
    };
    let deep = Options {
        confirmations: 3,
        ..hasty()
    };
    let id = settled.publication;
    let shallow = resume(house.desk(), id, None, &deep, &mut Script::yes()).await;
    assert!(
        matches!(
            shallow,
            Err(PublishError::NotDeep {
                confirmations: 1,
                wanted: 3,
                ..
            })
        ),
        "{shallow:?}"
    );
    let anvil = Arc::clone(&house.anvil);
    let mut teller = Script::yes().on_step(move |_| anvil.mine(1).unwrap());
    let options = Options {
        confirmations: 3,
        ..quick()
    };
    let deep = resume(house.desk(), id, None, &options, &mut teller).await;
    assert_eq!(deep.unwrap(), Published::Settled(settled));
    assert_eq!(
        teller.saw(|step| matches!(step, Step::Included { .. })),
        2,
        "at a depth of 1 and of 2"
    );
}

/// After an update, what the program deploys has other code.
#[tokio::test]
async fn a_deployment_of_code_that_is_not_known_any_more_is_sent_and_settled() {
    let house = House::new().await;
    let transaction = deedbox_publish::transaction::Transaction {
        chain_id: CHAIN,
        nonce: 0,
        to: None,
        // A contract whose code is one zero byte.
        data: vec![0x60, 0x01, 0x60, 0x00, 0xf3].into(),
        offer: deedbox_publish::fees::Offer {
            kind: deedbox_publish::fees::Kind::FeeMarket,
            gas_limit: 100_000,
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
    let sign = Execute {
        command: Command::SignPublication {
            id,
            attempt: Box::new(attempt.unwrap()),
        },
        attribution: house.attribution.clone(),
        idempotency: None,
    };
    house.store.execute(sign).await.unwrap().unwrap();
    let inclusion = included(house.resumed(id).await.unwrap());
    assert!(inclusion.succeeded);
    assert_eq!(inclusion.read_back, ReadBack::NotChecked);
    assert_eq!(house.open(0).await, None);
}

/// An endpoint that has fewer blocks than before lags.
#[tokio::test]
async fn a_block_that_is_not_there_yet_is_no_reorganisation() {
    let house = House::new().await;
    let snapshot = house.rpc("evm_snapshot", json!([]));
    let mut teller = Script::yes();
    let action = Action::Deploy(Deployment::Tools);
    let published = house.publish_by(0, action, &quick(), &mut teller).await;
    let Published::Settled(settled) = published.unwrap() else {
        panic!("not settled")
    };
    house.rpc("evm_revert", json!([snapshot]));
    let id = settled.publication;
    let error = house.resumed(id).await.unwrap_err();
    match &error {
        PublishError::Read(error) => assert_eq!(error.code.as_str(), "endpoint_lagging"),
        error => panic!("{error:?}"),
    }
    let stored = house.store.publication(id).await.unwrap().unwrap();
    assert_eq!(stored.deeds.len(), 2, "signed, settled");
}

#[tokio::test]
async fn another_transaction_with_the_nonce_is_told_as_a_replacement() {
    let house = House::new().await;
    let anvil = Arc::clone(&house.anvil);
    let mut teller = Script::yes().on_step(move |step| {
        if matches!(step, Step::Recorded { .. }) {
            let pay =
                json!({"from": address(0), "to": address(1), "value": "0x1", "gas": "0x5208"});
            anvil.include(&pay).unwrap();
        }
    });
    let action = Action::Deploy(Deployment::Tools);
    let published = house
        .publish_by(0, action, &quick(), &mut teller)
        .await
        .unwrap();
    let Published::Settled(settled) = published else {
        panic!("{published:?}")
    };
    let Settlement::Replaced(found) = settled.settlement else {
        panic!("{settled:?}")
    };
    assert_eq!(found.account_nonce, 1);
    assert_eq!(house.open(0).await, None);
}

#[tokio::test]
async fn a_settled_publication_whose_block_is_gone_is_opened_and_settled_again() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let mut teller = Script::yes();
    let published = house
        .publish_by(0, register(registry, "Twice"), &quick(), &mut teller)
        .await
        .unwrap();
    let Published::Settled(settled) = published else {
        panic!("{published:?}")
    };
    let id = settled.publication;
    // Nothing happened: nothing is done.
    assert_eq!(
        house.resumed(id).await.unwrap(),
        Published::Settled(settled.clone())
    );
    house.anvil.reorg(1).unwrap();
    assert_eq!(house.agents_of(registry), 0);
    let mut teller = Script::yes();
    let again = resume(house.desk(), id, None, &quick(), &mut teller)
        .await
        .unwrap();
    let again = included(again);
    assert_eq!(
        teller.saw(|step| matches!(step, Step::Reorganised { .. })),
        1
    );
    let Settlement::Included(before) = settled.settlement else {
        panic!("not included")
    };
    assert_eq!(again.transaction_hash, before.transaction_hash);
    assert_ne!(again.block_hash, before.block_hash);
    assert_eq!(house.agents_of(registry), 1);
    let stored = house.store.publication(id).await.unwrap().unwrap();
    assert_eq!(stored.deeds.len(), 4, "signed, settled, unsettled, settled");
}

#[tokio::test]
async fn confirmations_are_waited_for_and_a_reorganisation_in_between_is_told() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let anvil = Arc::clone(&house.anvil);
    let mut reorganised = false;
    let mut teller = Script::yes().on_step(move |step| match step {
        Step::Included {
            confirmations: 1, ..
        } if !reorganised => {
            reorganised = true;
            anvil.reorg(1).unwrap();
        }
        Step::Included { confirmations, .. } if *confirmations < 3 => anvil.mine(1).unwrap(),
        _ => {}
    });
    let options = Options {
        confirmations: 3,
        ..quick()
    };
    let published = house
        .publish_by(0, register(registry, "Deep"), &options, &mut teller)
        .await;
    assert!(included(published.unwrap()).succeeded);
    assert_eq!(
        teller.saw(|step| matches!(step, Step::Reorganised { .. })),
        1
    );
    assert_eq!(house.agents_of(registry), 1);
}
