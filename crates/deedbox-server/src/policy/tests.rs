use super::*;

fn task() -> TaskId {
    "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b".parse().unwrap()
}

fn address(byte: u8) -> Address {
    Address([byte; 20])
}

/// A call of `get_erc20_balance` on chain 1, for a task.
fn asked() -> Asked {
    Asked {
        tool: "get_erc20_balance".to_owned(),
        chains: vec![1],
        is_reading: true,
        addresses: vec![
            ("holder".to_owned(), address(1)),
            ("token".to_owned(), address(2)),
        ],
        task: Some(task()),
    }
}

fn rule(policy: &Policy, asked: &Asked, used: Used) -> Option<&'static str> {
    policy
        .explain(asked, &used)
        .refusal()
        .map(|ruling| ruling.rule)
}

const FRESH: Used = Used {
    this_minute: 0,
    for_task: 0,
};

#[test]
fn each_rule_refuses_by_its_own_name_and_says_what_to_do() {
    let one = NonZeroU32::new(1);
    let used = Used {
        this_minute: 1,
        for_task: 1,
    };
    let open = || Policy {
        calls_per_minute: None,
        calls_per_task: None,
        ..Policy::default()
    };
    let tools = |allow: Option<&str>, deny: &[&str]| Policy {
        tools: Lists {
            allow: allow.map(|name| BTreeSet::from([name.to_owned()])),
            deny: deny.iter().map(|name| (*name).to_owned()).collect(),
        },
        ..open()
    };
    let chains = |allow: Option<u64>, deny: &[u64]| Policy {
        chains: Lists {
            allow: allow.map(|id| BTreeSet::from([id])),
            deny: deny.iter().copied().collect(),
        },
        ..open()
    };
    let addresses = |allow: Option<&[u8]>, deny: &[u8]| Policy {
        addresses: Lists {
            allow: allow.map(|bytes| bytes.iter().copied().map(address).collect()),
            deny: deny.iter().copied().map(address).collect(),
        },
        ..open()
    };
    let per_task = Policy {
        calls_per_task: one,
        ..open()
    };
    let per_minute = Policy {
        calls_per_minute: one,
        ..open()
    };
    let required = Policy {
        task_required: true,
        ..open()
    };
    let without_task = Asked {
        task: None,
        ..asked()
    };
    for (policy, asked, expected, says) in [
        (
            tools(None, &["get_erc20_balance"]),
            asked(),
            Some("tools.deny"),
            "get_erc20_balance",
        ),
        (
            tools(Some("get_pool_reserves"), &[]),
            asked(),
            Some("tools.allow"),
            "get_erc20_balance",
        ),
        (tools(Some("get_erc20_balance"), &[]), asked(), None, ""),
        (
            tools(Some("get_erc20_balance"), &["get_erc20_balance"]),
            asked(),
            Some("tools.deny"),
            "denied",
        ),
        (chains(None, &[1]), asked(), Some("chains.deny"), "chain 1"),
        (
            chains(Some(10), &[]),
            asked(),
            Some("chains.allow"),
            "chain 1",
        ),
        (chains(Some(1), &[10]), asked(), None, ""),
        (
            addresses(None, &[2]),
            asked(),
            Some("addresses.deny"),
            "token 0x0202",
        ),
        (
            addresses(None, &[1]),
            asked(),
            Some("addresses.deny"),
            "holder 0x0101",
        ),
        (
            addresses(Some(&[1]), &[]),
            asked(),
            Some("addresses.allow"),
            "token 0x0202",
        ),
        (addresses(Some(&[1, 2, 3]), &[3]), asked(), None, ""),
        (
            per_task.clone(),
            asked(),
            Some("calls_per_task"),
            "follow-up task",
        ),
        (per_task, without_task.clone(), None, ""),
        (
            per_minute,
            asked(),
            Some("calls_per_minute"),
            "within a minute",
        ),
        (
            required.clone(),
            without_task,
            Some("task_required"),
            "deedbox/taskId",
        ),
        (required, asked(), None, ""),
        (open(), asked(), None, ""),
    ] {
        let explained = policy.explain(&asked, &used);
        let refusal = explained.refusal();
        assert_eq!(refusal.map(|r| r.rule), expected, "{policy:?}");
        assert!(refusal.is_none_or(|r| r.says.contains(says)), "{refusal:?}");
        let names: Vec<_> = explained.rulings.iter().map(|ruling| ruling.rule).collect();
        assert_eq!(
            names,
            [
                "tools.deny",
                "tools.allow",
                "chains.deny",
                "chains.allow",
                "addresses.deny",
                "addresses.allow",
                "task_required",
                "calls_per_minute",
                "calls_per_task",
            ],
            "every rule is explained, in one order"
        );
    }
}

#[test]
fn the_limits_are_used_up_by_the_call_that_reaches_them() {
    let policy = Policy::default();
    let used = |this_minute, for_task| Used {
        this_minute,
        for_task,
    };
    assert_eq!(rule(&policy, &asked(), used(119, 19)), None);
    assert_eq!(
        rule(&policy, &asked(), used(119, 20)),
        Some("calls_per_task")
    );
    assert_eq!(
        rule(&policy, &asked(), used(120, 0)),
        Some("calls_per_minute")
    );
}

#[test]
fn a_call_that_reads_no_chain_is_held_to_the_rules_about_tools_and_minutes_only() {
    let policy = Policy {
        chains: Lists {
            allow: Some(BTreeSet::new()),
            deny: BTreeSet::from([1]),
        },
        addresses: Lists {
            allow: Some(BTreeSet::new()),
            ..Lists::default()
        },
        task_required: true,
        calls_per_task: NonZeroU32::new(1),
        ..Policy::default()
    };
    let list = Asked {
        tool: "list_chains".to_owned(),
        chains: Vec::new(),
        is_reading: false,
        addresses: Vec::new(),
        task: None,
    };
    let busy = Used {
        this_minute: 5,
        for_task: 5,
    };
    assert_eq!(rule(&policy, &list, busy), None);
    let busy = Used {
        this_minute: 120,
        ..busy
    };
    assert_eq!(rule(&policy, &list, busy), Some("calls_per_minute"));
}

#[test]
fn what_somebody_typed_is_not_said_back_without_end() {
    let policy = Policy {
        tools: Lists {
            allow: Some(BTreeSet::new()),
            ..Lists::default()
        },
        ..Policy::default()
    };
    let long = Asked {
        tool: "x".repeat(100_000),
        ..asked()
    };
    let explained = policy.explain(&long, &FRESH);
    assert!(
        explained
            .rulings
            .iter()
            .all(|ruling| ruling.says.len() < 300)
    );
}

#[test]
fn every_address_of_a_reading_is_asked_about_however_it_is_written() {
    let arguments = serde_json::json!({
        "chain_id": 1, "block": "latest",
        "holder": "0xD8DA6BF26964AF9D7EED9E03E53415D37AA96045",
        "token": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
    });
    let arguments = arguments.as_object().unwrap().clone();
    let request = ReadingRequest::read("get_erc20_balance", arguments).unwrap();
    let asked = Asked::reading(&request, None).unwrap();
    assert_eq!(
        (asked.tool.as_str(), asked.chains.as_slice()),
        ("get_erc20_balance", &[1][..])
    );
    let holder = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045".parse::<Address>();
    assert_eq!(asked.addresses[0], ("holder".to_owned(), holder.unwrap()));
    assert_eq!(asked.addresses[1].0, "token");
    assert_eq!(asked.addresses.len(), 2);
}
