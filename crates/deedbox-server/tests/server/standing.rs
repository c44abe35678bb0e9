//! How a registry is followed is told with every answer that depends on it: a chain that is too short, a beginning in the middle, code that
//! nobody compared, and what was really read.

use deedbox_core::{BlockHash, RegistryId, Standard, Trust, World as _};
use deedbox_id::U256;
use deedbox_store::index::{Batch, Checkpoint, Earlier, Lease, Look, ShortChain, Statement};
use serde_json::{Value, json};

use crate::library::{
    Library, TTL, account, agent, agents, made, registry, said, set, tool, tool_of,
};

fn codes(value: &Value) -> Vec<&str> {
    let hints = value["hints"].as_array().unwrap().iter();
    hints.map(|hint| hint["code"].as_str().unwrap()).collect()
}

fn message<'a>(value: &'a Value, code: &str) -> &'a str {
    let mut hints = value["hints"].as_array().unwrap().iter();
    let hint = hints.find(|hint| hint["code"] == code);
    hint.unwrap_or_else(|| panic!("{value}"))["message"]
        .as_str()
        .unwrap()
}

async fn hold(library: &Library, of: RegistryId) -> Vec<Lease> {
    let now = library.house.clock.now();
    library.index.claim(&[of], "next", now, TTL).await.unwrap()
}

/// A look that saw what was accepted, and this in the block before the first one that is read.
async fn look(library: &Library, of: RegistryId, block_number: u64, had_code: Option<bool>) {
    let states = library.house.store.registries().await.unwrap();
    let state = states.into_iter().find(|state| state.id == of).unwrap();
    let look = Look {
        registry: of,
        looked_at: library.house.clock.now(),
        block_number,
        block_hash: BlockHash([8; 32]),
        seen: Some(state.following.seen),
        earlier: had_code.map(|had_code| Earlier { from: 1, had_code }),
    };
    assert!(library.index.record_look(&look).await.unwrap());
}

#[tokio::test]
async fn a_chain_that_is_too_short_is_told_with_every_answer_until_it_is_long_again() {
    let library = agents().await;
    let of = registry(1);
    let leases = hold(&library, of).await;
    let kept = Checkpoint {
        block: 10,
        hash: BlockHash([5; 32]),
    };
    let chain = |head, recognised| ShortChain {
        head,
        read_upto: 40,
        final_upto: Some(20),
        recognised,
    };
    for (chain, code, is_alarm) in [
        (
            Some(chain(12, Some(kept))),
            Some("endpoint_is_behind"),
            false,
        ),
        (Some(chain(30, None)), Some("endpoint_is_behind"), false),
        (Some(chain(5, None)), Some("chain_ends_below_final"), true),
        (None, None, false),
    ] {
        library.see_chain(&leases, None, chain).await;
        let expected = match chain {
            Some(chain) => json!({
                "head_block": chain.head,
                "missing_blocks": 40 - chain.head,
                "is_below_final": chain.head < 20,
                "recognised_block": chain.recognised.map(|kept| kept.block),
            }),
            None => Value::Null,
        };
        for (tool, arguments) in [
            ("find_agents", json!({"text": "weather"})),
            ("find_agents", json!({"text": "zebra", "registries": [of]})),
            ("get_registry_history", json!({"subject": agent(1, 1)})),
        ] {
            let value = library.found(tool, arguments).await;
            let one = &value["provenance"]["registries"][0];
            assert_eq!(one["chain_is_short"], expected, "{tool}");
            let mut told = codes(&value);
            told.retain(|code| code.starts_with("endpoint") || code.starts_with("chain"));
            assert_eq!(told, code.as_slice(), "{value}");
        }
        let list = library.found("list_registries", json!({})).await;
        assert_eq!(codes(&list), code.as_slice());
        let mut alarm = expected.clone();
        if is_alarm {
            alarm["code"] = "chain_ends_below_final".into();
        }
        let alarms = if is_alarm { json!([alarm]) } else { json!([]) };
        assert_eq!(list["registries"][0]["alarms"], alarms);
    }
    library
        .see_chain(&leases, None, Some(chain(12, Some(kept))))
        .await;
    let list = library.found("list_registries", json!({})).await;
    let told = message(&list, "endpoint_is_behind");
    assert!(told.contains("28 blocks below what was read"), "{told}");
}

#[tokio::test]
async fn what_begins_in_the_middle_is_hinted_at_where_an_answer_depends_on_it() {
    let library = Library::open().await;
    let registered = |id: u64| Statement::Registered {
        agent: U256::from(id),
        owner: account(1),
        service_type: "".into(),
        service: "".into(),
        agent_account: None,
    };
    let facts = vec![
        said(10, set(1, "name", "Older")),
        said(11, registered(2)),
        said(12, set(2, "name", "Newer")),
    ];
    let (middle, whole, tools) = (registry(1), registry(2), registry(5));
    library
        .read(middle, Standard::Erc8122, Trust::Known, facts)
        .await;
    let facts = vec![said(10, set(1, "name", "Whole"))];
    library
        .read(whole, Standard::Erc8122, Trust::Known, facts)
        .await;
    let facts = vec![said(10, tool(7, 1))];
    library
        .read(tools, Standard::Erc8257, Trust::Known, facts)
        .await;
    let ask = async |tool: &str, arguments: Value| {
        let value = library.found(tool, arguments).await;
        codes(&value).contains(&"begins_in_the_middle")
    };
    let history = |subject: String| json!({"subject": subject});
    assert!(
        !ask("find_agents", json!({"text": "zebra"})).await,
        "nobody looked"
    );
    for of in [middle, tools] {
        look(&library, of, 50, Some(true)).await;
    }
    look(&library, whole, 50, Some(false)).await;
    let named = |of: RegistryId| json!({"text": "zebra", "registries": [of], "gone": true});
    for (tool, arguments, expected) in [
        ("find_agents", json!({"text": "zebra"}), true),
        ("find_agents", json!({"text": "older"}), true),
        ("find_agents", json!({"text": "whole"}), false),
        ("find_agents", named(middle), true),
        ("find_agents", named(whole), false),
        ("find_tools", json!({}), true),
        ("list_registries", json!({}), false),
        ("get_registry_history", history(agent(1, 1)), true),
        // Everything that was ever said of it is known.
        ("get_registry_history", history(agent(2, 1)), false),
        ("get_registry_history", history(agent(9, 1)), true),
        ("get_registry_history", history(agent(1, 2)), false),
        ("get_registry_history", history(tool_of(7, 5)), false),
        ("get_registry_history", history(tool_of(8, 5)), true),
    ] {
        assert_eq!(
            ask(tool, arguments.clone()).await,
            expected,
            "{tool} {arguments}"
        );
    }
    let value = library.found("find_agents", json!({"text": "older"})).await;
    let told = message(&value, "begins_in_the_middle");
    assert!(told.contains("before block 1 were not read"), "{told}");
    assert_eq!(
        value["provenance"]["registries"][0]["begins_in_the_middle"],
        true
    );
}

#[tokio::test]
async fn why_code_was_not_compared_is_told() {
    let library = agents().await;
    let of = registry(1);
    let states = library.house.store.registries().await.unwrap();
    let state = states.into_iter().find(|state| state.id == of).unwrap();
    let accepted = state.following.seen.block_number;
    let told = async || {
        let list = library.found("list_registries", json!({})).await;
        let all = list["registries"].as_array().unwrap().iter();
        let mut one = all.filter(|one| one["registry"] == of.to_string());
        let one = one.next().unwrap();
        (
            one["code_changed"].clone(),
            one["code_not_compared"].clone(),
        )
    };
    assert_eq!(told().await, (Value::Null, json!("not_looked_at")));
    look(&library, of, accepted - 1, None).await;
    assert_eq!(told().await, (Value::Null, json!("only_before_accepted")));
    look(&library, of, accepted, None).await;
    assert_eq!(told().await, (json!(false), Value::Null));
}

#[tokio::test]
async fn what_is_followed_from_another_block_by_now_is_told_as_it_was_read() {
    let library = Library::open().await;
    let of = registry(1);
    library.follow(of, Standard::Erc8122, Trust::Known).await;
    library
        .index
        .begin(of, Standard::Erc8122, 30)
        .await
        .unwrap();
    let range = async || {
        let value = library.found("find_agents", json!({})).await;
        let one = value["provenance"]["registries"][0].clone();
        let hints = codes(&value).contains(&"not_read_yet");
        (
            one["from_block"].clone(),
            one["read_upto_block"].clone(),
            hints,
        )
    };
    assert_eq!(
        range().await,
        (json!(1), Value::Null, true),
        "as it was decided"
    );
    let now = library.house.clock.now();
    let leases = hold(&library, of).await;
    let batch = Batch {
        registry: of,
        after: None,
        facts: vec![said(35, set(1, "name", "x"))],
        upto: Checkpoint {
            block: 40,
            hash: BlockHash([9; 32]),
        },
        upto_at: Some(made(40)),
        final_upto: None,
    };
    let applied = library.index.apply(&leases, vec![batch], now).await;
    applied.unwrap().unwrap();
    assert_eq!(
        range().await,
        (json!(30), json!(40), false),
        "as it was read"
    );
}

#[tokio::test]
async fn tools_that_are_not_verified_are_no_matter_where_no_tools_are_looked_for() {
    let library = agents().await;
    let tools = registry(5);
    library
        .read(tools, Standard::Erc8257, Trust::Known, vec![])
        .await;
    let find = async |of: RegistryId| {
        let arguments = json!({"registries": [of]});
        let value = library.found("find_tools", arguments).await;
        codes(&value).contains(&"verified_only")
    };
    assert!(find(tools).await);
    assert!(!find(registry(1)).await, "it holds agents");
}
