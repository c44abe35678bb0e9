//! What happens when something breaks: never a second transaction, and always a way to go on.

use std::sync::atomic::{AtomicUsize, Ordering};

use deedbox_core::Refusal;
use serde_json::json;
use tokio::sync::{Barrier, Notify};

use crate::house::*;

#[tokio::test]
async fn when_the_answer_to_sending_is_lost_there_is_one_transaction_all_the_same() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let nonce = house.nonce(address(0));
    house.fault(Fault::LosesAnswerOfSending);
    let mut teller = Script::yes();
    let published = house
        .publish_by(0, register(registry, "Once"), &quick(), &mut teller)
        .await;
    assert!(included(published.unwrap()).succeeded);
    assert_eq!(teller.saw(|step| matches!(step, Step::Unclear { .. })), 1);
    assert_eq!(house.agents_of(registry), 1);
    assert_eq!(house.nonce(address(0)), nonce + 1);
}

#[tokio::test]
async fn what_a_node_threw_away_is_sent_again_with_the_same_bytes() {
    let house = Arc::new(House::new().await);
    let registry = house.open_registry().await;
    let nonce = house.nonce(address(0));
    house.fault(Fault::Swallows);
    let heal = Arc::clone(&house);
    let mut teller = Script::yes().on_step(move |step| {
        if matches!(step, Step::Dropped { .. }) {
            heal.fault(Fault::None);
        }
    });
    let published = house
        .publish_by(0, register(registry, "Dropped"), &quick(), &mut teller)
        .await;
    assert!(included(published.unwrap()).succeeded);
    let hashes: std::collections::BTreeSet<_> = teller
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Signed { transaction }
            | Step::Sent { transaction, .. }
            | Step::Dropped { transaction } => Some(*transaction),
            _ => None,
        })
        .collect();
    assert_eq!(hashes.len(), 1);
    assert_eq!(teller.saw(|step| matches!(step, Step::Sent { .. })), 2);
    assert_eq!(house.nonce(address(0)), nonce + 1);
    assert_eq!(house.agents_of(registry), 1);
}

#[tokio::test]
async fn what_nobody_takes_stays_open_with_advice_and_can_be_resumed() {
    for (words, advice) in [
        ("transaction underpriced", "--raise-fee"),
        ("max fee per gas less than block base fee", "--raise-fee"),
        (
            "insufficient funds for gas * price + value",
            "Send the account what is missing",
        ),
        ("nonce too high", "Resume a little later"),
        (
            "replacement transaction underpriced",
            "Another wallet sent something",
        ),
        ("txpool is full", "Resume a little later"),
        ("something that no node ever said", "Resume to try again"),
    ] {
        let house = House::new().await;
        house.fault(Fault::Says(words));
        let action = Action::Deploy(Deployment::Tools);
        let refused = house
            .publish_by(0, action, &quick(), &mut Script::yes())
            .await;
        let error = refused.unwrap_err();
        assert!(
            matches!(error, PublishError::NotTaken { .. }),
            "{words}: {error:?}"
        );
        assert!(error.to_string().contains(advice), "{words}: {error}");
        let id = error.publication().unwrap();
        assert_eq!(house.open(0).await, Some(id));
        let again = house
            .publish_by(
                0,
                Action::Deploy(Deployment::Tools),
                &quick(),
                &mut Script::yes(),
            )
            .await;
        let again = again.unwrap_err();
        assert!(matches!(again, PublishError::Refused(_)), "{again:?}");
        house.fault(Fault::None);
        assert!(settle(&house, id).await.succeeded);
        assert_eq!(house.nonce(address(0)), 1, "{words}");
    }
}

#[tokio::test]
async fn what_moved_while_somebody_thought_is_told_before_signing() {
    let house = Arc::new(House::new().await);
    let registry = house.open_registry().await;
    // It costs more than was shown.
    let dearer = Arc::clone(&house);
    let mut teller = Script::yes().meanwhile(move || dearer.fault(Fault::IsDear));
    let action = register(registry, "Late");
    let refused = house.publish_by(0, action, &quick(), &mut teller).await;
    let error = refused.unwrap_err();
    assert!(matches!(error, PublishError::Outdated(_)), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("has risen to 281474.976710655 gwei"),
        "{text}"
    );
    house.fault(Fault::None);
    // It would be refused by now.
    let agent_id = U256::from(1);
    house.done(register(registry, "Contested")).await;
    let anvil = Arc::clone(&house.anvil);
    let mut teller = Script::yes().meanwhile(move || {
        let away = deedbox_registry::Call::Transfer {
            receiver: address(2),
            agent_id,
        };
        let (from, to) = (address(1).to_string(), registry.to_string());
        anvil.send(&from, &to, &away.encode()).unwrap();
    });
    house
        .done(Action::TransferAgent {
            registry,
            agent_id,
            receiver: address(1),
        })
        .await;
    house
        .done_by(
            1,
            Action::SetOperator {
                registry,
                operator: address(0),
                approved: true,
            },
        )
        .await;
    let action = Action::TransferAgent {
        registry,
        agent_id,
        receiver: address(0),
    };
    let refused = house.publish_by(0, action, &quick(), &mut teller).await;
    let error = refused.unwrap_err();
    assert!(matches!(error, PublishError::WouldRevert(_)), "{error:?}");
    assert_eq!(house.open(0).await, None);
}

#[tokio::test]
async fn a_nonce_that_is_taken_while_somebody_thinks_ends_it_before_signing() {
    let house = House::new().await;
    let anvil = Arc::clone(&house.anvil);
    let mut teller = Script::yes().meanwhile(move || {
        let pay = json!([{"from": address(0), "to": address(1), "value": "0x1"}]);
        anvil.rpc("eth_sendTransaction", pay).unwrap();
    });
    let action = Action::Deploy(Deployment::Tools);
    let refused = house.publish_by(0, action, &quick(), &mut teller).await;
    assert!(
        matches!(refused, Err(PublishError::OthersPending { .. })),
        "{refused:?}"
    );
    assert_eq!(house.open(0).await, None);
}

#[tokio::test]
async fn what_reverts_on_chain_is_settled_with_its_reason() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    house.done(register(registry, "Contested")).await;
    let agent_id = U256::from(1);
    house
        .done(Action::ApproveSpender {
            registry,
            agent_id,
            spender: address(1),
            amount: U256::from(1),
        })
        .await;
    let anvil = Arc::clone(&house.anvil);
    // The owner changes their mind in between.
    let mut teller = Script::yes().on_step(move |step| {
        if matches!(step, Step::Recorded { .. }) {
            let revoke = deedbox_registry::Call::Approve {
                spender: address(1),
                agent_id,
                amount: U256::ZERO,
            };
            anvil
                .send(
                    &address(0).to_string(),
                    &registry.to_string(),
                    &revoke.encode(),
                )
                .unwrap();
        }
    });
    let action = Action::TransferAgent {
        registry,
        agent_id,
        receiver: address(1),
    };
    let published = house
        .publish_by(1, action, &quick(), &mut teller)
        .await
        .unwrap();
    let inclusion = included(published);
    assert!(!inclusion.succeeded);
    let reason = inclusion.revert_reason.unwrap().to_string();
    assert!(
        reason.contains("InsufficientPermission(spender: "),
        "{reason}"
    );
    assert_eq!(inclusion.findings, [], "nothing speaks against it");
    assert_eq!(inclusion.read_back, ReadBack::NotChecked);
    assert_eq!(house.open(1).await, None);
}

#[tokio::test]
async fn what_is_not_included_in_time_stays_open_and_a_raised_fee_replaces_it() {
    let house = House::with(&["--no-mining"]).await;
    let action = Action::Deploy(Deployment::Tools);
    let late = house
        .publish_by(0, action, &hasty(), &mut Script::yes())
        .await;
    let error = late.unwrap_err();
    assert!(matches!(error, PublishError::NotYet { .. }), "{error:?}");
    let id = error.publication().unwrap();
    let raise = Options {
        raise_fee: true,
        ..quick()
    };
    let without = resume(house.desk(), id, None, &raise, &mut Script::yes()).await;
    assert!(
        matches!(without, Err(PublishError::Invalid(_))),
        "{without:?}"
    );
    let other = resume(house.desk(), id, Some(&key(1)), &raise, &mut Script::yes()).await;
    assert!(
        matches!(other, Err(PublishError::WrongSignature { .. })),
        "{other:?}"
    );

    let anvil = Arc::clone(&house.anvil);
    let mut teller = Script::yes().on_step(move |step| {
        if matches!(step, Step::Sent { .. }) {
            anvil.mine(1).unwrap();
        }
    });
    let published = resume(house.desk(), id, Some(&key(0)), &raise, &mut teller).await;
    let inclusion = included(published.unwrap());
    let stored = house.store.publication(id).await.unwrap().unwrap();
    let attempts: Vec<_> = stored.attempts().collect();
    assert_eq!(attempts.len(), 2);
    assert_eq!(attempts[0].nonce, attempts[1].nonce);
    assert!(attempts[1].max_fee_per_gas > attempts[0].max_fee_per_gas);
    assert_eq!(inclusion.transaction_hash, attempts[1].transaction_hash);
    assert_eq!(house.nonce(address(0)), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_who_publish_for_one_account_at_once_one_is_refused() {
    let house = Arc::new(House::new().await);
    let barrier = Arc::new(Barrier::new(2));
    let both = [0, 1].map(|_| {
        let (house, barrier) = (Arc::clone(&house), Arc::clone(&barrier));
        tokio::spawn(async move {
            // Both have been told that nothing is open when both say yes.
            let mut teller = Script::yes().together(barrier);
            let action = Action::Deploy(Deployment::Tools);
            house.publish_by(0, action, &quick(), &mut teller).await
        })
    });
    let [one, other] = both;
    let (one, other) = (one.await.unwrap(), other.await.unwrap());
    let (done, refused) = if one.is_ok() {
        (one, other)
    } else {
        (other, one)
    };
    assert!(included(done.unwrap()).succeeded);
    match refused.unwrap_err() {
        PublishError::Refused(refusal) => assert_eq!(refusal.code(), "publication_open"),
        // The other was included already when this one looked at the nonce once more.
        PublishError::OthersPending { .. } => {}
        error => panic!("{error:?}"),
    }
    assert_eq!(house.nonce(address(0)), 1);
}

#[tokio::test]
async fn a_chain_without_base_fee_gets_a_legacy_transaction_that_is_bound_to_it() {
    let house = House::new().await;
    house.fault(Fault::HasNoBaseFee);
    house.done(Action::Deploy(Deployment::Tools)).await;
    let sent = house.rpc("eth_getBlockByNumber", json!(["latest", true]));
    let sent = &sent["transactions"][0];
    assert_eq!(
        (&sent["type"], &sent["chainId"]),
        (&json!("0x0"), &json!("0x7a69"))
    );
}

/// The property: wherever it is interrupted, when whoever resumes what is recorded, or begins anew where nothing is, has done so, the
/// chain holds the change exactly once.
async fn once(house: &House, registry: Address, name: &str, before: (u64, u64)) {
    house.fault(Fault::None);
    match house.open(0).await {
        Some(id) => assert!(settle(house, id).await.succeeded),
        None if house.agents_of(registry) == before.0 => {
            let action = register(registry, name);
            let anew = house
                .publish_by(0, action, &quick(), &mut Script::yes())
                .await;
            match anew {
                Ok(published) => assert!(included(published).succeeded),
                // What was being recorded when it was killed is recorded by now.
                Err(PublishError::Refused(Refusal::PublicationOpen { id, .. })) => {
                    assert!(settle(house, id).await.succeeded);
                }
                Err(error) => panic!("{name}: {error:?}"),
            }
        }
        // It was over before it was interrupted.
        None => {}
    }
    let after = (house.agents_of(registry), house.nonce(address(0)));
    assert_eq!(after, (before.0 + 1, before.1 + 1), "{name}");
    assert_eq!(house.open(0).await, None, "{name}");
}

#[tokio::test]
async fn whichever_request_is_the_last_that_gets_through_the_change_happens_once() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    // How many requests an undisturbed publication takes.
    house.fault(Fault::None);
    house.done(register(registry, "undisturbed")).await;
    let requests = house.seen();
    assert!(requests > 8, "{requests}");
    for at in 1..=requests + 1 {
        for fault in [Fault::HangsUpAt(at), Fault::FallsSilentAfter(at)] {
            let before = (house.agents_of(registry), house.nonce(address(0)));
            house.fault(fault);
            let name = format!("{fault:?}");
            let action = register(registry, &name);
            drop(
                house
                    .publish_by(0, action, &hasty(), &mut Script::yes())
                    .await,
            );
            once(&house, registry, &name, before).await;
        }
    }
}

#[tokio::test]
async fn wherever_the_program_is_killed_the_change_happens_once() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    house.fault(Fault::None);
    let mut teller = Script::yes();
    let action = register(registry, "undisturbed");
    house
        .publish_by(0, action, &quick(), &mut teller)
        .await
        .unwrap();
    let (steps, requests) = (teller.steps.len(), house.seen());
    let kill = Arc::new(Notify::new());
    for (at_step, at_request) in (1..=steps)
        .map(|at| (at, 0))
        .chain((1..=requests).map(|at| (0, at)))
    {
        let before = (house.agents_of(registry), house.nonce(address(0)));
        house.fault(Fault::None);
        let (seen, by_request) = (AtomicUsize::new(0), Arc::clone(&kill));
        house.hook(move |_| {
            if seen.fetch_add(1, Ordering::SeqCst) + 1 == at_request {
                by_request.notify_one();
            }
        });
        let (mut seen, by_step) = (0, Arc::clone(&kill));
        let mut teller = Script::yes().on_step(move |_| {
            seen += 1;
            if seen == at_step {
                by_step.notify_one();
            }
        });
        let name = format!("killed at step {at_step}, request {at_request}");
        let action = register(registry, &name);
        let options = quick();
        tokio::select! {
            biased;
            () = kill.notified() => {}
            published = house.publish_by(0, action, &options, &mut teller) => drop(published),
        }
        house.hook(|_| {});
        once(&house, registry, &name, before).await;
    }
}
