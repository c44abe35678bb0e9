//! Finding agents and tools through every door: what is found are candidates, what is left out is said, and who may be meant is
//! never guessed.

use std::time::Duration;

use deedbox_core::{BlockHash, Command, Standard, ToolId, Trust, World as _};
use deedbox_id::U256;
use deedbox_server::{Policy, policy::Lists};
use deedbox_store::index::{Batch, ChainBrokeFinality, Checkpoint, Kept, Statement};
use serde_json::{Value, json};

use crate::{
    house::{DOORS, Door},
    library::{
        HOSTILE, Library, TTL, account, agent, agents, hash, made, moved, registry, said, set,
        tool, tool_of, uri,
    },
};

#[tokio::test]
async fn every_door_gives_the_same_candidates_and_says_what_they_are() {
    let library = agents().await;
    let arguments =
        json!({"text": "weather", "registries": [registry(1), registry(3)], "gone": false});
    let mut answers = Vec::new();
    for door in DOORS {
        let (status, mut value, text) = library.ask(door, "find_agents", &arguments).await;
        assert_eq!(status, 200, "{value}");
        let age = value["provenance"]["registries"][0]["age_seconds"].take();
        assert!(age.as_u64().unwrap() < 600);
        if door != Door::Rest {
            assert!(
                !text.contains("\"Weather oracle\""),
                "outside of the fence: {text}"
            );
            assert!(text.contains("Weather oracle"), "{text}");
        }
        answers.push(value);
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[1], answers[2]);
    let hit = &answers[0]["agents"][0];
    assert_eq!(hit["status"], "candidate");
    assert_eq!(hit["ask_next"], "resolve_agent");
    assert_eq!(hit["identifier"], agent(1, 1));
    assert_eq!(
        (&hit["trust"], &hit["as_of_block"]),
        (&json!("known"), &json!(40))
    );
    assert_eq!(hit["owner"]["address"], account(1).to_string());
    assert_eq!(hit["owner"]["since"]["block_number"], 10);
    assert_eq!(
        hit["services"][0]["service"]["text"],
        "https://a.example/{id}"
    );
    assert_eq!(hit["updated"]["is_final"], true);
    assert_eq!(hit["description"]["text"].as_str().unwrap().len(), 200);
    assert_eq!(hit["description"]["truncated"], true);
    let from = &answers[0]["provenance"];
    assert_eq!(from["source"], "index");
    assert_eq!(from["registries"][0]["final_block"], 20);
}

#[tokio::test]
async fn what_is_gone_or_blocked_is_found_on_request_only_and_marked() {
    let library = agents().await;
    let find = |arguments| library.identifiers("find_agents", arguments);
    assert_eq!(
        find(json!({})).await,
        [agent(1, 2), agent(1, 1)],
        "trusted first"
    );
    let gone = find(json!({"gone": true, "text": "butterfly"})).await;
    assert_eq!(gone, [agent(2, 2), agent(2, 1)]);
    let blocked = find(json!({"blocked": true, "text": "weather"})).await;
    assert_eq!(blocked, [agent(1, 1), agent(1, 3)]);
    let value = library
        .found("find_agents", json!({"blocked": true, "gone": true}))
        .await;
    let marks: Vec<_> = value["agents"].as_array().unwrap().iter().collect();
    let trusts: Vec<_> = marks
        .iter()
        .map(|hit| hit["trust"].as_str().unwrap())
        .collect();
    assert_eq!(
        trusts,
        ["trusted", "trusted", "known", "known", "blocked", "blocked"]
    );
    assert!(
        marks
            .iter()
            .any(|hit| hit["gone"] == true && hit["owner"].is_null())
    );
    let since = |at: &str| json!({"updated_since": at, "gone": true, "registries": [registry(1)]});
    // Block 32 of 2023-11-14T22:13:20Z and an hour for each block.
    assert_eq!(find(since("2023-11-16T06:13:20Z")).await, [agent(2, 1)]);
    assert_eq!(find(since("2023-11-16T06:13:21Z")).await, [""; 0]);
}

#[tokio::test]
async fn unverified_tools_never_appear_unless_they_are_asked_for_and_then_marked() {
    let library = Library::open().await;
    let of = registry(5);
    let facts = vec![
        said(10, tool(1, 1)),
        said(11, tool(2, 2)),
        said(12, tool(3, 3)),
    ];
    library
        .read(of, Standard::Erc8257, Trust::Known, facts)
        .await;
    library.verified(of, 1, 1, "Weather", 0).await;
    library.verified(of, 2, 2, "Weather pro", 500).await;
    let find = |arguments| library.identifiers("find_tools", arguments);
    assert_eq!(find(json!({})).await, [tool_of(2, 5), tool_of(1, 5)]);
    assert_eq!(
        find(json!({"text": "weather"})).await,
        [tool_of(1, 5), tool_of(2, 5)]
    );
    let asset = "eip155:1/slip44:60";
    let cheap = json!({"asset": asset, "at_most": "499"});
    assert_eq!(find(cheap).await, [tool_of(1, 5)]);
    assert_eq!(find(json!({"access": "gated"})).await, [""; 0]);
    assert_eq!(
        find(json!({"tier": "self-attested", "access": "open"}))
            .await
            .len(),
        2
    );
    let all = library
        .found("find_tools", json!({"unverified": true}))
        .await;
    let unknown = &all["tools"][0];
    assert_eq!(unknown["identifier"], tool_of(3, 5));
    assert_eq!(
        (&unknown["verified"], &unknown["name"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(unknown["unverified"], "not_checked");
    let free = &all["tools"][2];
    assert_eq!(free["prices"][0]["amount"], "0");
    assert_eq!(free["ask_next"], "verify_tool");
    let none = library
        .found("find_tools", json!({"text": "nothing"}))
        .await;
    let codes: Vec<_> = none["hints"].as_array().unwrap().iter().collect();
    assert!(
        codes.iter().any(|hint| hint["code"] == "verified_only"),
        "{none}"
    );
}

#[tokio::test]
async fn an_empty_answer_says_why_and_how_to_begin() {
    let library = Library::open().await;
    for tool in ["find_agents", "find_tools", "list_registries"] {
        let value = library.found(tool, json!({})).await;
        assert_eq!(value["hints"][0]["code"], "nothing_followed", "{value}");
        let message = value["hints"][0]["message"].as_str().unwrap();
        assert!(message.contains("deedbox registry add"), "{message}");
    }
    library
        .follow(registry(1), Standard::Erc8122, Trust::Known)
        .await;
    let value = library.found("find_agents", json!({})).await;
    assert_eq!(value["hints"][0]["code"], "not_read_yet", "{value}");
    let list = library.found("list_registries", json!({})).await;
    assert_eq!(list["registries"][0]["read_upto_block"], Value::Null);
    assert_eq!(list["registries"][0]["registry"], registry(1).to_string());
    let library = agents().await;
    let value = library.found("find_agents", json!({"text": "zebra"})).await;
    assert_eq!(value["hints"][0]["code"], "nothing_fits");
    let unread = json!({"registries": [registry(99)]});
    let value = library.found("find_agents", unread).await;
    assert_eq!(value["hints"][0]["code"], "registry_not_read");
}

#[tokio::test]
async fn what_finds_nothing_names_the_registries_that_were_searched_and_up_to_which_block() {
    let library = agents().await;
    library
        .read(registry(5), Standard::Erc8257, Trust::Known, vec![])
        .await;
    let names = |value: &Value| -> Vec<String> {
        let registries = value["provenance"]["registries"].as_array().unwrap().iter();
        registries
            .map(|one| one["registry"].as_str().unwrap().to_owned())
            .collect()
    };
    let id = |n| registry(n).to_string();
    let searched = async |tool: &str, arguments: Value| {
        let value = library.found(tool, arguments).await;
        let hits = value["agents"].as_array().or(value["tools"].as_array());
        assert_eq!(hits.unwrap().len(), 0, "{value}");
        assert_eq!(value["provenance"]["more_registries"], 0);
        names(&value)
    };
    let nothing = json!({"text": "zebra"});
    let found = library.found("find_agents", nothing.clone()).await;
    assert_eq!(names(&found), [id(2), id(1)], "the trusted one first");
    let one = &found["provenance"]["registries"][0];
    assert_eq!(
        (
            &one["read_upto_block"],
            &one["from_block"],
            &one["head_block"]
        ),
        (&json!(40), &json!(1), &json!(41))
    );
    assert_eq!(one["read_upto_at"], made(40).to_string());
    assert_eq!(
        (&one["age_seconds"], &one["look_is_old"]),
        (&json!(0), &json!(false))
    );
    assert_eq!(one["chain_broke_finality"], Value::Null);
    // In which it was looked, and no others.
    let blocked = json!({"text": "zebra", "blocked": true});
    assert_eq!(
        searched("find_agents", blocked).await,
        [id(2), id(1), id(3)]
    );
    let named = json!({"text": "zebra", "registries": [registry(1), registry(3), registry(99)]});
    assert_eq!(searched("find_agents", named).await, [id(1)]);
    let elsewhere = json!({"text": "zebra", "chain_id": 8453});
    assert_eq!(searched("find_agents", elsewhere).await, [""; 0]);
    assert_eq!(searched("find_tools", nothing).await, [id(5)]);
    let history = json!({"subject": agent(77, 1)});
    let history = library.found("get_registry_history", history).await;
    assert_eq!(
        (history["records"].clone(), names(&history)),
        (json!([]), vec![id(1)])
    );
    // What is found names the registries that it was found in only.
    let found = library
        .found("find_agents", json!({"text": "weather"}))
        .await;
    assert_eq!(names(&found), [id(1)]);
}

#[tokio::test]
async fn of_many_registries_in_which_nothing_was_found_sixteen_are_named_and_the_others_counted() {
    let library = Library::open().await;
    for n in 100..119 {
        let trust = match n {
            117 => Trust::Trusted,
            _ => Trust::Known,
        };
        let of = registry(n);
        library.read(of, Standard::Erc8122, trust, vec![]).await;
    }
    let value = library.found("find_agents", json!({})).await;
    let from = &value["provenance"];
    assert_eq!(from["registries"].as_array().unwrap().len(), 16);
    assert_eq!(from["registries"][0]["registry"], registry(117).to_string());
    assert_eq!(from["registries"][1]["registry"], registry(100).to_string());
    assert_eq!(from["more_registries"], 3);
}

#[tokio::test]
async fn a_chain_that_nobody_looks_at_is_no_quiet_chain() {
    let library = agents().await;
    let code = |value: &Value| {
        let mut hints = value["hints"].as_array().unwrap().iter();
        hints
            .find(|hint| hint["code"] == "look_is_old")
            .map(|hint| hint["message"].as_str().unwrap().to_owned())
    };
    let arguments = json!({"text": "weather"});
    let subject = json!({"subject": agent(1, 1)});
    let asked = [
        ("find_agents", &arguments),
        ("get_registry_history", &subject),
        ("list_registries", &json!({})),
    ];
    for (tool, arguments) in asked {
        let fresh = library.found(tool, arguments.clone()).await;
        assert_eq!(code(&fresh), None, "{fresh}");
    }
    library.house.clock.advance(Duration::from_secs(61));
    for (tool, arguments) in asked {
        let old = library.found(tool, arguments.clone()).await;
        let message = code(&old).unwrap_or_else(|| panic!("{old}"));
        assert!(message.contains(" s ago last"), "{message}");
        let one = match tool {
            "list_registries" => &old["registries"][0],
            _ => &old["provenance"]["registries"][0],
        };
        // The clock goes on while the test does.
        assert!(one["age_seconds"].as_u64().unwrap() >= 61, "{one}");
        assert_eq!(one["look_is_old"], true);
    }
    // Somebody looked, and nothing happened there.
    let now = library.house.clock.now();
    for n in [1, 2, 3] {
        let of = registry(n);
        let leases = library.index.claim(&[of], "next", now, TTL).await.unwrap();
        library.see(&leases, None).await;
    }
    let fresh = library.found("find_agents", arguments).await;
    assert_eq!(code(&fresh), None, "{fresh}");
}

#[tokio::test]
async fn a_chain_that_broke_finality_is_an_alarm_in_every_answer_until_it_is_mended() {
    let library = agents().await;
    let of = registry(1);
    let now = library.house.clock.now();
    let leases = library.index.claim(&[of], "next", now, TTL).await.unwrap();
    let broke = ChainBrokeFinality {
        registry: of,
        kept: Checkpoint {
            block: 20,
            hash: BlockHash([5; 32]),
        },
        now: BlockHash([6; 32]),
    };
    let said = json!({
        "block_number": 20,
        "block_hash": BlockHash([5; 32]),
        "now_hash": BlockHash([6; 32]),
    });
    let nothing = json!({"text": "zebra", "registries": [of]});
    for (broke, is_told) in [(Some(broke), true), (None, false)] {
        library.see(&leases, broke).await;
        let expected = if is_told { said.clone() } else { Value::Null };
        for (tool, arguments) in [
            ("find_agents", json!({"text": "weather"})),
            ("find_agents", nothing.clone()),
            ("get_registry_history", json!({"subject": agent(1, 1)})),
        ] {
            let value = library.found(tool, arguments).await;
            let one = &value["provenance"]["registries"][0];
            assert_eq!(one["chain_broke_finality"], expected, "{tool}");
            let mut hints = value["hints"].as_array().unwrap().iter();
            let is_hinted = hints.any(|hint| hint["code"] == "chain_broke_finality");
            assert_eq!(is_hinted, is_told, "{value}");
        }
        let list = library.found("list_registries", json!({})).await;
        let mut alarm = said.clone();
        alarm["code"] = "chain_broke_finality".into();
        let expected = if is_told { json!([alarm]) } else { json!([]) };
        assert_eq!(list["registries"][0]["alarms"], expected);
        assert_eq!(list["registries"][1]["alarms"], json!([]));
    }
}

#[tokio::test]
async fn pages_go_on_where_they_ended_and_a_cursor_fits_its_own_search_only() {
    let library = Library::open().await;
    let facts = (1..=30).map(|n| said(n, set(n, "name", "same")));
    library
        .read(
            registry(1),
            Standard::Erc8122,
            Trust::Known,
            facts.collect(),
        )
        .await;
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    for page in 0..4 {
        let mut arguments = json!({"limit": 8, "text": "same"});
        if page > 0 {
            arguments["cursor"] = cursor;
        }
        let value = library.found("find_agents", arguments).await;
        let hits = value["agents"].as_array().unwrap();
        seen.extend(hits.iter().map(|hit| hit["identifier"].clone()));
        cursor = value["next_cursor"].clone();
        assert_eq!(cursor.is_null(), page == 3, "{page}");
    }
    let wanted: Vec<_> = (1..=30).rev().map(|n| json!(agent(n, 1))).collect();
    assert_eq!(seen, wanted);
    let first = library.found("find_agents", json!({"limit": 8})).await;
    let cursor = &first["next_cursor"];
    for door in DOORS {
        let other = json!({"text": "same", "cursor": cursor});
        let (status, value, _) = library.ask(door, "find_agents", &other).await;
        assert_eq!(status, 400, "{value}");
    }
}

#[tokio::test]
async fn a_policy_hides_registries_and_refuses_what_names_them() {
    let lists = |deny: u64| Lists {
        deny: [deny].into(),
        ..Lists::default()
    };
    let policy = Policy {
        chains: lists(8453),
        task_required: true,
        ..Policy::default()
    };
    let library = Library::under(policy).await;
    for n in [1, 11] {
        let facts = vec![said(1, set(1, "name", "same"))];
        library
            .read(registry(n), Standard::Erc8122, Trust::Known, facts)
            .await;
    }
    let value = library.found("find_agents", json!({})).await;
    assert_eq!(
        value["agents"].as_array().unwrap().len(),
        1,
        "no task has to be named"
    );
    assert_eq!(value["hints"][0]["code"], "policy_hides_registries");
    let list = library.found("list_registries", json!({})).await;
    assert_eq!(list["registries"].as_array().unwrap().len(), 1);
    for arguments in [
        json!({"chain_id": 8453}),
        json!({"registries": [registry(11)]}),
    ] {
        let (status, value, _) = library.ask(Door::Rest, "find_agents", &arguments).await;
        assert_eq!((status, &value["code"]), (403, &json!("policy_refused")));
    }
    let subject = json!({"subject": format!("1@{}", registry(11))});
    let (status, ..) = library
        .ask(Door::Rest, "get_registry_history", &subject)
        .await;
    assert_eq!(status, 403);
}

#[tokio::test]
async fn registries_are_listed_with_how_far_they_are_read_and_what_is_wrong() {
    let library = Library::open().await;
    let of = registry(5);
    library
        .read(
            of,
            Standard::Erc8257,
            Trust::Trusted,
            vec![said(10, tool(7, 1))],
        )
        .await;
    let pin = |manifest| Command::PinTool {
        registry: of,
        tool: ToolId(U256::from(7)),
        manifest_hash: hash(manifest),
    };
    library.decide(pin(1)).await;
    let list = library.found("list_registries", json!({})).await;
    let one = &list["registries"][0];
    assert_eq!((&one["entries"], &one["pins"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&one["read_upto_block"], &one["final_block"]),
        (&json!(40), &json!(20))
    );
    assert_eq!(
        (&one["trust"], &one["standard"]),
        (&json!("trusted"), &json!("erc8257"))
    );
    assert_eq!(one["alarms"], json!([]));
    library.decide(pin(2)).await;
    let list = library.found("list_registries", json!({})).await;
    let alarm = &list["registries"][0]["alarms"][0];
    assert_eq!(alarm["code"], "pin_differs");
    assert_eq!(
        (&alarm["tool_id"], &alarm["block_number"]),
        (&json!("7"), &json!(10))
    );
    let tools = library
        .found("find_tools", json!({"unverified": true}))
        .await;
    assert_eq!(tools["tools"][0]["pin"], "differs");
}

#[tokio::test]
async fn a_pinned_tool_that_is_not_registered_any_more_is_an_alarm() {
    let library = Library::open().await;
    let of = registry(5);
    let gone = Statement::ToolDeregistered {
        tool: U256::from(7),
    };
    let facts = vec![said(10, tool(7, 1)), said(12, gone)];
    library
        .read(of, Standard::Erc8257, Trust::Trusted, facts)
        .await;
    let pin = Command::PinTool {
        registry: of,
        tool: ToolId(U256::from(7)),
        manifest_hash: hash(1),
    };
    library.decide(pin).await;
    let list = library.found("list_registries", json!({})).await;
    let alarm = json!({"code": "pinned_tool_gone", "tool_id": "7", "block_number": 12});
    assert_eq!(list["registries"][0]["alarms"], json!([alarm]));
}

#[tokio::test]
async fn what_is_read_of_a_registry_that_nobody_follows_any_more_is_not_found() {
    let library = Library::open().await;
    let (of, other) = (registry(5), registry(6));
    for (of, number) in [(of, 7), (other, 8)] {
        let facts = vec![said(10, tool(number, 1))];
        library
            .read(of, Standard::Erc8257, Trust::Blocked, facts)
            .await;
    }
    let found = async |blocked| {
        let asked = json!({"unverified": true, "blocked": blocked});
        let found = library.found("find_tools", asked).await;
        found["tools"].as_array().unwrap().len()
    };
    assert_eq!((found(false).await, found(true).await), (0, 2));
    library.decide(Command::UnfollowRegistry { id: of }).await;
    assert_eq!((found(false).await, found(true).await), (0, 1));
    let named = json!({"unverified": true, "registries": [of.to_string()]});
    let named = library.found("find_tools", named).await;
    assert_eq!(named["tools"], json!([]));
    assert_eq!(named["hints"][0]["code"], "registry_not_read");
}

#[tokio::test]
async fn history_is_told_newest_first_with_what_changed_between_manifests() {
    let library = Library::open().await;
    let of = registry(5);
    let changed = Statement::ToolMetadataUpdated {
        tool: U256::from(7),
        metadata_uri: uri(2),
        manifest_hash: hash(2),
    };
    library
        .read(
            of,
            Standard::Erc8257,
            Trust::Known,
            vec![said(10, tool(7, 1))],
        )
        .await;
    library.verified(of, 7, 1, "Weather", 0).await;
    let now = library.house.clock.now();
    let leases = library
        .index
        .claim(&[of], "reader", now, TTL)
        .await
        .unwrap();
    let batch = Batch {
        registry: of,
        after: Some(Checkpoint {
            block: 40,
            hash: BlockHash([9; 32]),
        }),
        facts: vec![
            said(41, changed),
            said(
                42,
                Statement::ToolDeregistered {
                    tool: U256::from(7),
                },
            ),
        ],
        upto: Checkpoint {
            block: 50,
            hash: BlockHash([9; 32]),
        },
        upto_at: Some(made(42)),
        final_upto: None,
    };
    library
        .index
        .apply(&leases, vec![batch], now)
        .await
        .unwrap()
        .unwrap();
    library.verified(of, 7, 2, "Weather", 0).await;
    let history = |arguments| library.found("get_registry_history", arguments);
    let all = history(json!({"subject": tool_of(7, 5)})).await;
    let whats: Vec<_> = all["records"].as_array().unwrap().iter().collect();
    let whats: Vec<_> = whats
        .iter()
        .map(|record| record["what"].as_str().unwrap())
        .collect();
    assert_eq!(whats, ["deregistered", "manifest", "tool_registered"]);
    let manifest = &all["records"][1];
    assert_eq!(manifest["changes"][0]["field"]["text"], "version");
    assert_eq!(manifest["changes"][0]["how"], "changed");
    assert_eq!(manifest["changes"][0]["after"]["text"], "2");
    assert_eq!(manifest["when"]["is_final"], false);
    assert_eq!(all["records"][2]["changes"], Value::Null, "the first one");
    let first = history(json!({"subject": tool_of(7, 5), "limit": 2})).await;
    let next = json!({"subject": tool_of(7, 5), "limit": 2, "cursor": first["next_cursor"]});
    let rest = history(next).await;
    assert_eq!(rest["records"][0]["what"], "tool_registered");
    assert_eq!(rest["next_cursor"], Value::Null);
    let nobody = history(json!({"subject": tool_of(8, 5)})).await;
    assert_eq!(nobody["hints"][0]["code"], "nothing_said");
}

#[tokio::test]
async fn past_values_of_a_key_are_told_and_what_is_no_text_in_hex() {
    let library = Library::open().await;
    let raw = Statement::MetadataSet {
        agent: U256::from(1),
        key: "agent_account".into(),
        value: Kept::new(vec![0xff; 20]),
    };
    let facts = vec![
        said(10, moved(1, 0, 1)),
        said(11, set(1, "name", "Old")),
        said(12, set(1, "name", HOSTILE)),
        said(13, raw),
        said(21, set(1, "name", "")),
        said(22, moved(1, 1, 2)),
    ];
    library
        .read(registry(1), Standard::Erc8122, Trust::Known, facts)
        .await;
    let subject = format!("1@{}", registry(1));
    let arguments = json!({"subject": subject, "key": "name"});
    let names = library
        .found("get_registry_history", arguments.clone())
        .await;
    let values: Vec<_> = names["records"].as_array().unwrap().iter().collect();
    let values: Vec<_> = values
        .iter()
        .map(|record| &record["value"]["text"])
        .collect();
    assert_eq!(values, [&Value::Null, &json!(HOSTILE), &json!("Old")]);
    assert_eq!(names["records"][0]["bytes"], 0);
    assert_eq!(names["subject"], agent(1, 1));
    let (_, _, text) = library
        .ask(Door::Stateless, "get_registry_history", &arguments)
        .await;
    assert!(!text.contains("```"), "{text}");
    let all = library
        .found("get_registry_history", json!({"subject": subject}))
        .await;
    let first = &all["records"][0];
    assert_eq!(
        (&first["what"], &first["to"]),
        (&json!("owner"), &json!(account(2).to_string()))
    );
    let raw = all["records"].as_array().unwrap().iter();
    let raw = raw
        .filter(|record| record["hex"].is_string())
        .collect::<Vec<_>>();
    assert_eq!(raw[0]["hex"], format!("0x{}", "ff".repeat(20)));
}

#[tokio::test]
async fn who_names_no_agent_is_told_who_may_be_meant_and_nothing_is_guessed() {
    let library = agents().await;
    let library = &library;
    let ask = |named: String| async move {
        let arguments = json!({"agent": named, "block": "latest"});
        let params = json!({"name": "resolve_agent", "arguments": arguments});
        let key = &library.house.keys.alice;
        let reply = library.house.stateless(key, "tools/call", params).await;
        let result = reply.json()["result"].clone();
        assert_eq!(result["isError"], true, "{result}");
        let schemas = library.house.output_schemas().await;
        let validator = jsonschema::validator_for(&schemas["resolve_agent"]).unwrap();
        assert!(validator.is_valid(&result["structuredContent"]), "{result}");
        let error = result["structuredContent"]["error"].clone();
        assert_eq!(error["code"], "invalid_argument", "{error}");
        let candidates = error["candidates"].as_array().cloned().unwrap_or_default();
        let ids = candidates
            .iter()
            .map(|one| one["identifier"].as_str().unwrap().to_owned());
        (
            ids.collect::<Vec<_>>(),
            result["content"][0]["text"].as_str().unwrap().to_owned(),
        )
    };
    let one = vec![agent(1, 1)];
    assert_eq!(ask("Weather oracle".to_owned()).await.0, one);
    assert_eq!(ask(format!("weather@{}", registry(1))).await.0, one);
    let (both, text) = ask("1".to_owned()).await;
    assert_eq!(
        both,
        [agent(1, 2), agent(1, 1), agent(1, 3)],
        "trusted first, blocked last"
    );
    assert!(
        !text.contains("```"),
        "what it is called stands behind the fence: {text}"
    );
    let wrong_case = format!("1@{}", registry(2).to_string().to_uppercase());
    assert_eq!(ask(wrong_case).await.0, [agent(1, 2)]);
    assert_eq!(ask("zebra".to_owned()).await.0, [""; 0]);
    assert_eq!(ask(String::new()).await.0, [""; 0]);
}
