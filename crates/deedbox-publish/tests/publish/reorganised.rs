//! A chain that takes back more than the newest publication.

use deedbox_core::Refusal;
use deedbox_store::{StoreError, ledger};

use crate::house::*;

/// Registers an agent, saying yes.
async fn ask(
    house: &House,
    registry: Address,
    name: &str,
    options: &Options,
) -> Result<Published, PublishError> {
    let action = register(registry, name);
    house
        .publish_by(0, action, options, &mut Script::yes())
        .await
}

/// Publishes what the endpoint throws away: it is open, and on no chain.
async fn lost(house: &House, registry: Address, name: &str) -> PublicationId {
    house.fault(Fault::Swallows);
    let error = ask(house, registry, name, &hasty()).await.unwrap_err();
    assert!(matches!(error, PublishError::NotYet { .. }), "{error:?}");
    house.fault(Fault::None);
    error.publication().unwrap()
}

async fn published(house: &House, registry: Address, name: &str) -> PublicationId {
    match ask(house, registry, name, &quick()).await.unwrap() {
        Published::Settled(settled) => settled.publication,
        other @ Published::DryRun(_) => panic!("{other:?}"),
    }
}

/// That it waits for the other one, is said, and what to do first.
fn waits_for(error: &PublishError, id: PublicationId, earlier: PublicationId) {
    match error {
        PublishError::EarlierFirst { first, .. } => assert_eq!(*first, earlier),
        error => panic!("{error:?}"),
    }
    assert_eq!(error.publication(), Some(id), "it is open");
    let text = error.to_string();
    assert!(text.contains(&format!("resume {earlier} first")), "{text}");
}

async fn hashes(house: &House, id: PublicationId) -> Vec<B256> {
    let stored = house.store.publication(id).await.unwrap().unwrap();
    let hashes = stored.state.attempts.iter();
    hashes.map(|hash| B256::from(hash.0)).collect()
}

#[tokio::test]
async fn two_publications_that_a_chain_lost_are_both_included_once_from_the_lower_nonce_up() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let first = published(&house, registry, "First").await;
    let second = lost(&house, registry, "Second").await;
    let before = (hashes(&house, first).await, hashes(&house, second).await);
    house.anvil.reorg(1).unwrap();
    assert_eq!((house.agents_of(registry), house.nonce(address(0))), (0, 1));

    // The second would wait for ever: the nonce before its own is used on record only.
    waits_for(&house.resumed(second).await.unwrap_err(), second, first);
    // The first is opened again, and gets no further for now. Then it comes first for everybody.
    house.fault(Fault::Swallows);
    let mut teller = Script::yes();
    let error = resume(house.desk(), first, None, &hasty(), &mut teller).await;
    let error = error.unwrap_err();
    assert!(matches!(error, PublishError::NotYet { .. }), "{error:?}");
    assert_eq!(
        teller.saw(|step| matches!(step, Step::Reorganised { .. })),
        1
    );
    house.fault(Fault::None);
    assert_eq!(house.open(0).await, Some(first));
    house.hook(|methods| assert!(!methods.contains("eth_sendRawTransaction")));
    waits_for(&house.resumed(second).await.unwrap_err(), second, first);
    let third = ask(&house, registry, "Third", &quick()).await;
    match third.unwrap_err() {
        PublishError::Refused(Refusal::PublicationOpen { id, .. }) => assert_eq!(id, first),
        error => panic!("{error:?}"),
    }
    house.hook(|_| {});

    let [one, two] = [settle(&house, first).await, settle(&house, second).await];
    assert!(one.succeeded && two.succeeded);
    assert_eq!((house.agents_of(registry), house.nonce(address(0))), (2, 3));
    let after = (hashes(&house, first).await, hashes(&house, second).await);
    assert_eq!(after, before, "the bytes that were signed, and no others");
    assert_eq!(house.open(0).await, None);
    published(&house, registry, "Third").await;
    let mut snapshot = house.store.snapshot().await.unwrap();
    let checked = ledger::check(&mut *snapshot, |_| {}).await.unwrap();
    checked.unwrap();
}

#[tokio::test]
async fn two_settled_publications_whose_blocks_are_gone_are_both_included_once_more() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let first = published(&house, registry, "First").await;
    let second = published(&house, registry, "Second").await;
    house.anvil.reorg(2).unwrap();
    assert_eq!((house.agents_of(registry), house.nonce(address(0))), (0, 1));
    // It is opened again whatever became of the first, and says what it waits for.
    waits_for(&house.resumed(second).await.unwrap_err(), second, first);
    assert_eq!(house.open(0).await, Some(second));
    assert!(settle(&house, first).await.succeeded);
    assert!(settle(&house, second).await.succeeded);
    assert_eq!((house.agents_of(registry), house.nonce(address(0))), (2, 3));
}

#[tokio::test]
async fn a_nonce_that_is_used_on_record_is_told_before_anybody_is_asked() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let done = published(&house, registry, "Done").await;
    house.anvil.reorg(1).unwrap();
    let mut teller = Script::yes();
    let action = register(registry, "Anew");
    let refused = house.publish_by(0, action, &quick(), &mut teller).await;
    match refused.unwrap_err() {
        PublishError::Refused(Refusal::NonceUsed { nonce, used, .. }) => {
            assert_eq!((nonce, used.nonce, used.publication), (1, 1, done));
        }
        error => panic!("{error:?}"),
    }
    assert!(teller.previews.is_empty(), "nobody was asked");
    assert!(settle(&house, done).await.succeeded);
    published(&house, registry, "Anew").await;
    assert_eq!(house.agents_of(registry), 2);
}

#[tokio::test]
async fn what_somebody_changed_in_the_database_is_not_sent() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let id = lost(&house, registry, "Lost").await;
    house
        .sql("UPDATE publications SET nonce = nonce + 1 WHERE status = 'open'")
        .await;
    house.hook(|methods| assert!(!methods.contains("eth_sendRawTransaction")));
    let altered =
        |error: &PublishError| matches!(error, PublishError::Store(StoreError::Altered { .. }));
    let error = house.resumed(id).await.unwrap_err();
    assert!(altered(&error), "{error:?}");
    let error = ask(&house, registry, "Another", &quick())
        .await
        .unwrap_err();
    assert!(altered(&error), "{error:?}");
    house
        .sql("UPDATE publications SET nonce = nonce - 1 WHERE status = 'open'")
        .await;
    house.hook(|_| {});
    assert!(settle(&house, id).await.succeeded);
}
