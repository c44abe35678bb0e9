//! What the registry says of the account, and for how long that is relied upon.

use std::{sync::Arc, time::Duration};

use deedbox_gate::{InMemory, Taken, Taking, Unavailable};
use futures::future::join_all;

use super::house::*;

#[tokio::test]
async fn yes_no_broken_and_unknown_are_told_apart() {
    let house = House::new();
    let (tool, _) = house.listed(&[account(1)]);
    let app = house.app(&tool);
    assert_eq!(ask(&app, &house.shows(&tool, 1)).await, let_in(account(1)));
    let (head, body) = ask_with(&app, &[&house.shows(&tool, 2)]).await;
    assert_eq!(
        (head.status().as_u16(), &body["code"]),
        (403, &json!("access_denied"))
    );
    assert!(!head.headers().contains_key("www-authenticate"));

    let open = house.tool(Address::ZERO);
    assert_eq!(
        ask(&house.app(&open), &house.shows(&open, 2)).await,
        let_in(account(2))
    );

    let broken = house.tool(house.fixture("Broken", &U256::ZERO.abi_encode()));
    assert_eq!(
        ask(&house.app(&broken), &house.shows(&broken, 1)).await,
        refused(502, "predicate_broken")
    );
    let nowhere = house.tool(Address::repeat_byte(0x55));
    assert_eq!(
        ask(&house.app(&nowhere), &house.shows(&nowhere, 1)).await,
        refused(502, "predicate_not_deployed")
    );
    house.send(house.registry, &Call::DeregisterTool(open.tool_id()));
    assert_eq!(
        ask(&house.app(&open), &house.shows(&open, 1)).await,
        refused(410, "tool_deregistered")
    );
    let none = house.reference(U256::from(99));
    assert_eq!(
        ask(&house.app(&none), &house.shows(&none, 1)).await,
        refused(502, "tool_not_found")
    );
}

#[tokio::test]
async fn a_read_that_fails_is_never_a_grant_and_uses_no_proof() {
    let house = House::new();
    let (tool, _) = house.listed(&[account(1)]);
    let app = house.app(&tool);
    house.is_down(true);
    let shown = house.shows(&tool, 1);
    let (head, body) = ask_with(&app, &[&shown]).await;
    assert_eq!(
        (head.status().as_u16(), &body["code"]),
        (503, &json!("access_unknown"))
    );
    assert!(head.headers().contains_key("retry-after"));
    let text = body.to_string();
    assert!(
        !text.contains("127.0.0.1") && !text.contains("node"),
        "{text}"
    );
    house.is_down(false);
    house.pass(2);
    assert_eq!(ask(&app, &shown).await, let_in(account(1)));
    // What was known is relied upon for its time, and not a second longer.
    house.is_down(true);
    house.pass(299);
    assert_eq!(ask(&app, &house.shows(&tool, 1)).await, let_in(account(1)));
    house.pass(1);
    assert_eq!(
        ask(&app, &house.shows(&tool, 1)).await,
        refused(503, "access_unknown")
    );
}

#[tokio::test]
async fn a_grant_is_relied_upon_for_its_window_and_a_denial_for_less() {
    let house = House::new();
    let (tool, list) = house.listed(&[account(1)]);
    let app = house.app(&tool);
    assert_eq!(ask(&app, &house.shows(&tool, 1)).await, let_in(account(1)));
    house.allow(&tool, list, &[account(1)], false);
    house.pass(299);
    assert_eq!(ask(&app, &house.shows(&tool, 1)).await, let_in(account(1)));
    assert_eq!(house.questions(), 1);
    house.pass(1);
    assert_eq!(
        ask(&app, &house.shows(&tool, 1)).await,
        refused(403, "access_denied")
    );
    house.allow(&tool, list, &[account(1)], true);
    house.pass(14);
    assert_eq!(
        ask(&app, &house.shows(&tool, 1)).await,
        refused(403, "access_denied")
    );
    house.pass(1);
    assert_eq!(ask(&app, &house.shows(&tool, 1)).await, let_in(account(1)));

    let config = Config {
        grant_age: Duration::ZERO,
        denial_age: Duration::ZERO,
        ..Config::new(tool, AUDIENCE)
    };
    let strict = crate::guarded_tool::app(house.gate(config));
    let before = house.questions();
    for _ in 0..3 {
        assert_eq!(
            ask(&strict, &house.shows(&tool, 1)).await,
            let_in(account(1))
        );
    }
    assert_eq!(house.questions(), before + 3);
}

#[tokio::test]
async fn many_requests_of_one_account_ask_the_registry_once() {
    let house = House::new();
    let (tool, _) = house.listed(&[account(1)]);
    let app = house.app(&tool);
    let shown: Vec<_> = (0..40)
        .map(|number| house.shows(&tool, 1 + number % 2))
        .collect();
    let all = join_all(shown.iter().map(|one| ask(&app, one))).await;
    let entered = all.iter().filter(|one| **one == let_in(account(1))).count();
    let denied = all
        .iter()
        .filter(|one| **one == refused(403, "access_denied"))
        .count();
    assert_eq!((entered, denied), (20, 20));
    assert_eq!(house.questions(), 2);
}

#[tokio::test]
async fn a_predicate_that_takes_an_access_proof_gets_it_and_its_answer_ends_with_it() {
    let house = House::new();
    let caller = house.registry;
    let predicate = house.predicate(Predicate::AccessProof { caller });
    let tool = house.tool(predicate);
    let app = house.app(&tool);
    let access = AccessProof {
        chain_id: CHAIN,
        predicate,
        tool_id: tool.tool_id(),
        account: account(1),
        deadline: house.now() + 60,
    };
    let data = access.data(&signature(1, access.digest()));
    let shows = || signed(house.proof(&tool, account(1)), 1, data.clone());
    assert_eq!(
        ask(&app, &house.shows(&tool, 1)).await,
        refused(403, "access_denied")
    );
    assert_eq!(ask(&app, &shows()).await, let_in(account(1)));
    let asked = house.questions();
    house.pass(59);
    assert_eq!(ask(&app, &shows()).await, let_in(account(1)));
    assert_eq!(house.questions(), asked);
    house.pass(2);
    ask(&app, &shows()).await;
    assert_eq!(
        house.questions(),
        asked + 1,
        "asked again: the proof has ended"
    );

    let secret = signed(house.proof(&tool, account(1)), 1, vec![0xab; 32]);
    assert_eq!(ask(&app, &secret).await, refused(400, "data_refused"));
}

#[tokio::test]
async fn an_endpoint_that_stopped_following_its_chain_knows_nothing_of_today() {
    let house = House::new();
    let (tool, _) = house.listed(&[account(1)]);
    let app = house.app(&tool);
    house.pass(700);
    assert_eq!(
        ask(&app, &house.shows(&tool, 1)).await,
        refused(503, "access_unknown")
    );
    let any_age = Config {
        oldest_block: None,
        ..Config::new(tool, AUDIENCE)
    };
    let app = crate::guarded_tool::app(house.gate(any_age));
    assert_eq!(ask(&app, &house.shows(&tool, 1)).await, let_in(account(1)));
}

/// A memory that cannot be reached.
#[derive(Debug)]
struct Gone;

#[async_trait::async_trait]
impl UsedProofs for Gone {
    async fn take(&self, _: Taking) -> Result<Taken, Unavailable> {
        Err(Unavailable)
    }
}

#[tokio::test]
async fn replicas_that_share_a_memory_let_a_proof_in_once_and_without_one_nobody() {
    let house = House::new();
    let (tool, _) = house.listed(&[account(1)]);
    let shared: Arc<dyn UsedProofs> = Arc::new(InMemory::new(house.moment(), 100));
    let replica = |used: &Arc<dyn UsedProofs>| {
        let gate = house.gate(Config::new(tool, AUDIENCE));
        crate::guarded_tool::app(gate.with_used_proofs(Arc::clone(used)))
    };
    let (one, two) = (replica(&shared), replica(&shared));
    let shown = house.shows(&tool, 1);
    assert_eq!(ask(&one, &shown).await, let_in(account(1)));
    assert_eq!(ask(&two, &shown).await, refused(401, "proof_used"));

    let gone: Arc<dyn UsedProofs> = Arc::new(Gone);
    assert_eq!(
        ask(&replica(&gone), &house.shows(&tool, 1)).await,
        refused(503, "access_unknown")
    );
    let full: Arc<dyn UsedProofs> = Arc::new(InMemory::new(house.moment(), 0));
    assert_eq!(
        ask(&replica(&full), &house.shows(&tool, 1)).await,
        refused(503, "gate_full")
    );
}
