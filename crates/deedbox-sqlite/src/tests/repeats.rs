use deedbox_core::{
    Attribution, Authority, Command, Principal, PrincipalId, Refusal, Scopes, hash::RequestHash,
    limits,
};
use deedbox_store::{Execute, Idempotency, Store as _};
use futures::future::join_all;

use super::{Place, by_operator, is_sound};
use crate::SqliteStore;

fn named(command: Command, key: &str, request: &str) -> Execute {
    Execute {
        idempotency: Some(Idempotency {
            key: key.parse().unwrap(),
            request: RequestHash::of(request.as_bytes()),
        }),
        ..by_operator(command)
    }
}

async fn replayed(store: &SqliteStore, execute: Execute) -> Result<bool, Refusal> {
    let outcome = store.execute(execute).await.unwrap();
    outcome.map(|kept| kept.replayed)
}

#[tokio::test]
async fn a_repeat_is_recognised_for_a_day_and_then_no_more() {
    let place = Place::new();
    let store = place.with_alice().await;
    let (_, create) = place.create("Once a day");
    assert_eq!(
        replayed(&store, named(create.clone(), "k", "a")).await,
        Ok(false)
    );
    place.world.pass(limits::IDEMPOTENCY_MILLIS - 1);
    assert_eq!(
        replayed(&store, named(create.clone(), "k", "a")).await,
        Ok(true)
    );
    assert_eq!(
        replayed(&store, named(create, "k", "b")).await,
        Err(Refusal::IdempotencyConflict)
    );
    place.world.pass(1);
    let (_, another) = place.create("Once a day");
    assert_eq!(
        replayed(&store, named(another.clone(), "k", "b")).await,
        Ok(false),
        "the record has expired, and is replaced"
    );
    assert_eq!(replayed(&store, named(another, "k", "b")).await, Ok(true));
    is_sound(&store).await;
}

#[tokio::test]
async fn repeats_that_share_a_transaction_are_recognised() {
    let place = Place::new();
    let store = place.with_alice().await;
    let creates: Vec<_> = (0..20).map(|_| place.create("The same").1).collect();
    let outcomes = join_all(
        creates
            .into_iter()
            .map(|create| replayed(&store, named(create, "k", "the same"))),
    )
    .await;
    let first = outcomes.iter().filter(|outcome| **outcome == Ok(false));
    assert_eq!(first.count(), 1);
    let again = outcomes.iter().filter(|outcome| **outcome == Ok(true));
    assert_eq!(again.count(), 19);
}

#[tokio::test]
async fn two_credentials_never_meet_under_one_name() {
    let place = Place::new();
    let store = place.with_alice().await;
    for principal in ["key:one", "key:two"] {
        let (_, create) = place.create("Mine");
        let execute = Execute {
            attribution: Attribution::of(Principal {
                id: PrincipalId::from_stored(principal.to_owned()),
                authority: Authority::Operator,
                scopes: Scopes::all(),
                agent_label: None,
            }),
            ..named(create, "k", principal)
        };
        assert_eq!(replayed(&store, execute).await, Ok(false), "{principal}");
    }
}

#[tokio::test]
async fn a_refusal_is_not_remembered() {
    let place = Place::new();
    let store = place.with_alice().await;
    let (task, create) = place.create("Accepted before it exists");
    let accept = place.accept(task);
    assert_eq!(
        replayed(&store, named(accept.clone(), "k", "a")).await,
        Err(Refusal::TaskNotFound(task))
    );
    assert_eq!(replayed(&store, by_operator(create)).await, Ok(false));
    assert_eq!(replayed(&store, named(accept, "k", "a")).await, Ok(false));
}

#[tokio::test]
async fn old_records_are_forgotten_however_many_and_young_ones_are_not() {
    let place = Place::new();
    let store = place.with_alice().await;
    let name = |i: usize| format!("k{i}");
    let creates: Vec<_> = (0..2_345).map(|_| place.create("One of many").1).collect();
    for outcome in join_all(
        creates
            .into_iter()
            .enumerate()
            .map(|(i, create)| replayed(&store, named(create, &name(i), "a"))),
    )
    .await
    {
        assert_eq!(outcome, Ok(false));
    }
    place.world.pass(10);
    let (_, young) = place.create("Young");
    replayed(&store, named(young.clone(), "young", "a"))
        .await
        .unwrap();
    let before = deedbox_core::World::now(&*place.world);
    assert_eq!(store.forget_idempotency(before).await.unwrap(), 2_345);
    assert_eq!(store.forget_idempotency(before).await.unwrap(), 0);
    assert_eq!(replayed(&store, named(young, "young", "a")).await, Ok(true));
}
