//! What the operator does not allow is refused before any endpoint is asked, and the refusal names its rule.

use std::{collections::BTreeSet, num::NonZeroU32, time::Duration};

use deedbox_server::{Policy, policy::Lists};
use serde_json::json;

use crate::{
    house::{DOORS, Door, House},
    node::{HOLDER, Node, TOKEN},
    readings::{Said, ask, native, with_node},
};

async fn under(policy: Policy) -> (House, Node) {
    with_node(|options| options.policy = policy).await
}

async fn read(house: &House, key: &str, task: Option<&str>) -> Said {
    ask(
        house,
        Door::Rest,
        key,
        "get_native_balance",
        &native("7"),
        task,
    )
    .await
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_by_rule_before_anybody_is_asked() {
    let denied = Lists {
        allow: None,
        deny: BTreeSet::from(["get_native_balance".to_owned()]),
    };
    let policies = [
        (
            "tools.deny",
            Policy {
                tools: denied,
                ..Policy::default()
            },
        ),
        (
            "chains.allow",
            Policy {
                chains: Lists {
                    allow: Some(BTreeSet::from([10])),
                    ..Lists::default()
                },
                ..Policy::default()
            },
        ),
        (
            "addresses.deny",
            Policy {
                addresses: Lists {
                    allow: None,
                    deny: BTreeSet::from([HOLDER.parse().unwrap()]),
                },
                ..Policy::default()
            },
        ),
        (
            "task_required",
            Policy {
                task_required: true,
                ..Policy::default()
            },
        ),
    ];
    for (rule, policy) in policies {
        let (house, node) = under(policy).await;
        let before = house.deeds().await;
        for door in DOORS {
            let key = &house.keys.operator;
            let said = ask(&house, door, key, "get_native_balance", &native("7"), None).await;
            assert_eq!(said.code(), "policy_refused", "{rule} {said:?}");
            assert!(said.message().contains(rule), "{rule} {said:?}");
            assert_eq!(said.envelope["error"]["retryable"], false);
            if door == Door::Rest {
                assert_eq!((said.status, said.retry_after), (Some(403), None));
            }
        }
        assert_eq!((node.asked(), house.deeds().await), (0, before), "{rule}");
    }
}

#[tokio::test]
async fn other_tools_and_addresses_go_on_beside_a_denied_one() {
    let policy = Policy {
        addresses: Lists {
            allow: None,
            deny: BTreeSet::from([TOKEN.parse().unwrap()]),
        },
        ..Policy::default()
    };
    let (house, _node) = under(policy).await;
    let key = &house.keys.alice;
    assert_eq!(read(&house, key, None).await.status, Some(200));
    let erc20 = json!({"chain_id": 1, "holder": HOLDER, "token": TOKEN, "block": "7"});
    let said = ask(&house, Door::Rest, key, "get_erc20_balance", &erc20, None).await;
    assert_eq!(said.code(), "policy_refused");
    assert!(said.message().contains("token 0x2222"), "{said:?}");
}

#[tokio::test]
async fn a_minute_has_so_many_calls_for_each_key_and_tool_and_says_when_to_come_back() {
    let policy = Policy {
        calls_per_minute: NonZeroU32::new(2),
        ..Policy::default()
    };
    let (house, node) = under(policy).await;
    let (alice, bob) = (&house.keys.alice, &house.keys.bob);
    for _ in 0..2 {
        assert_eq!(read(&house, alice, None).await.status, Some(200));
    }
    let asked = node.asked();
    let said = read(&house, alice, None).await;
    assert_eq!((said.status, said.code()), (Some(429), "policy_refused"));
    assert!(said.message().contains("calls_per_minute"), "{said:?}");
    assert_eq!(said.envelope["error"]["retryable"], true);
    let after = said.retry_after.clone().unwrap();
    let advice = format!("come back in {after} s");
    assert!(said.message().ends_with(&advice), "{said:?}");
    let wait: u64 = after.parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(node.asked(), asked);
    assert_eq!(read(&house, bob, None).await.status, Some(200));
    // Malformed calls are answered before, and are not counted.
    for _ in 0..3 {
        let bad = house.get("/api/chains?x=1", bob).await;
        assert_eq!(bad.status, 400);
    }
    for expected in [200, 200, 429] {
        assert_eq!(house.get("/api/chains", bob).await.status, expected);
    }
    house.clock.advance(Duration::from_secs(60));
    assert_eq!(read(&house, alice, None).await.status, Some(200));
}

#[tokio::test]
async fn a_task_has_so_many_readings_whoever_asks_and_also_after_a_restart() {
    let policy = || Policy {
        calls_per_task: NonZeroU32::new(2),
        ..Policy::default()
    };
    let (house, node) = under(policy()).await;
    let (task, other) = (house.task("a").await, house.task("").await);
    let (alice, operator) = (&house.keys.alice, &house.keys.operator);
    assert_eq!(read(&house, alice, Some(&task)).await.status, Some(200));
    assert_eq!(read(&house, operator, Some(&task)).await.status, Some(200));
    let asked = node.asked();
    for key in [alice, operator] {
        let said = read(&house, key, Some(&task)).await;
        assert_eq!((said.status, said.code()), (Some(403), "policy_refused"));
        assert!(said.message().contains("calls_per_task"), "{said:?}");
    }
    assert_eq!(node.asked(), asked);
    assert_eq!(read(&house, alice, Some(&other)).await.status, Some(200));
    assert_eq!(read(&house, alice, None).await.status, Some(200));
    // Another process on the same database counts on from what is recorded.
    let operations = deedbox_server::Operations::new(
        std::sync::Arc::clone(&house.store),
        std::sync::Arc::<crate::house::Clock>::clone(&house.clock),
    )
    .with_reader(Some(node.reader()), policy());
    let by = deedbox_core::Attribution::of(deedbox_core::Principal::local());
    let arguments = native("7").as_object().unwrap().clone();
    let tool = deedbox_server::Tool::GetNativeBalance;
    for (task, refused) in [(&task, true), (&other, false), (&other, true)] {
        let operation = deedbox_server::Operation::read(tool, arguments.clone()).unwrap();
        let extras = deedbox_server::Extras {
            task: Some(task.parse().unwrap()),
            ..Default::default()
        };
        let done = operations.perform(&by, operation, &extras).await;
        let is_refused = matches!(done, Err(deedbox_server::Fault::Policy(_)));
        assert_eq!(is_refused, refused, "{done:?}");
    }
}

#[tokio::test]
async fn a_reading_may_name_only_a_task_of_the_keys_own_actor() {
    let (house, node) = with_node(|_| ()).await;
    // Alice created all three: nobody owns the first, she the second, and bob the third.
    let tasks = [
        house.task("").await,
        house.task("a").await,
        house.task("b").await,
    ];
    let (alice, bob) = (&house.keys.alice, &house.keys.bob);
    for (key, task, may) in [
        (alice, &tasks[0], true),
        (bob, &tasks[0], false),
        (alice, &tasks[1], true),
        (bob, &tasks[1], false),
        (alice, &tasks[2], false),
        (bob, &tasks[2], true),
        (&house.keys.operator, &tasks[2], true),
    ] {
        for door in DOORS {
            let (asked, deeds) = (node.asked(), house.deeds().await);
            let said = ask(
                &house,
                door,
                key,
                "get_native_balance",
                &native("7"),
                Some(task),
            )
            .await;
            assert_eq!(said.code(), if may { "" } else { "not_owner" }, "{said:?}");
            if !may {
                assert!(said.message().contains(task), "{said:?}");
                assert_eq!((node.asked(), house.deeds().await), (asked, deeds));
            }
        }
    }
}

#[tokio::test]
async fn made_up_tasks_count_against_the_minute() {
    let (house, node) = under(Policy {
        calls_per_minute: NonZeroU32::new(2),
        ..Policy::default()
    })
    .await;
    let nobodys = Some(crate::house::NOBODYS_TASK);
    for code in ["task_not_found", "task_not_found", "policy_refused"] {
        let said = read(&house, &house.keys.alice, nobodys).await;
        assert_eq!(said.code(), code, "{said:?}");
    }
    assert_eq!(node.asked(), 0);
}

#[tokio::test]
async fn a_chain_that_is_denied_is_neither_listed_nor_asked() {
    let list = |allow: Option<u64>, deny: &[u64]| Policy {
        chains: Lists {
            allow: allow.map(|id| BTreeSet::from([id])),
            deny: deny.iter().copied().collect(),
        },
        ..Policy::default()
    };
    for policy in [list(None, &[1]), list(Some(10), &[]), list(Some(1), &[1])] {
        let (house, node) = under(policy).await;
        let listed = house.get("/api/chains", &house.keys.operator).await;
        assert_eq!((listed.status, listed.json()), (200, json!({"chains": []})));
        assert_eq!(node.asked(), 0);
    }
    let (house, node) = under(list(Some(1), &[10])).await;
    let listed = house.get("/api/chains", &house.keys.alice).await.json();
    assert_eq!(listed["chains"][0]["chain_id"], 1, "{listed}");
    assert!(node.asked() > 0);
}
