use super::*;

#[test]
fn an_agent_is_what_its_transfers_and_its_metadata_say() {
    let facts = [
        said(1, moved(7, 0, 1, 1)),
        said(2, set(7, "name", b"Porter")),
        said(
            2,
            Statement::Registered {
                agent: id(7),
                owner: account(9),
                service_type: "hint".into(),
                service: "https://hint.example".into(),
                agent_account: Some(account(9)),
            },
        ),
        said(3, set(7, "unheard_of", b"x")),
        said(4, moved(7, 1, 2, 1)),
        said(
            5,
            Statement::Approved {
                owner: account(2),
                spender: account(3),
                agent: id(7),
                amount: id(1),
            },
        ),
    ];
    let agent = agent(&facts);
    assert_eq!(agent.owner, Some(account(2)), "not what Registered hinted");
    assert_eq!(agent.owner_since, Some(origin(4, 0)));
    assert_eq!(agent.registered, Some(origin(2, 0)));
    assert_eq!(agent.updated, origin(4, 0), "an allowance changes nothing");
    assert_eq!(agent.name().unwrap().text(), Some("Porter"));
    assert_eq!(agent.metadata.len(), 1);
    assert_eq!(agent.agent_account(), None);
    assert!(!agent.is_gone());
}

#[test]
fn folding_in_steps_is_folding_at_once() {
    let facts = [
        said(1, moved(7, 0, 1, 1)),
        said(2, set(7, "name", b"Porter")),
        said(3, set(7, "service/1", b"https://a.example")),
        said(4, set(7, "name", b"")),
        said(5, moved(7, 1, 0, 1)),
        said(6, moved(7, 0, 4, 1)),
        said(7, set(7, "description", &[b'x'; 5_000])),
    ];
    let whole = folded(&facts);
    for at in 0..=facts.len() {
        let (first, second) = facts.split_at(at);
        let stored = folded(first).map(|entry| serde_json::to_string(&entry).unwrap());
        let read = stored.map(|json| serde_json::from_str(&json).unwrap());
        assert_eq!(Entry::fold(read, registry(1), second), whole, "{at}");
    }
}

#[test]
fn an_empty_value_removes_and_a_burned_agent_is_gone() {
    let mut facts = vec![
        said(1, moved(7, 0, 1, 1)),
        said(2, set(7, "image", b"ipfs://x")),
        said(3, set(7, "image", b"")),
    ];
    assert_eq!(agent(&facts).image(), None);
    facts.push(said(4, moved(7, 1, 0, 1)));
    let burned = agent(&facts);
    assert_eq!((burned.owner, burned.is_gone()), (None, true));
    assert_eq!(burned.updated, origin(4, 0));
}

#[test]
fn a_transfer_of_another_amount_moves_nobody() {
    let facts = [said(1, moved(7, 0, 1, 1)), said(2, moved(7, 1, 2, 0))];
    assert_eq!(agent(&facts).owner, Some(account(1)));
    assert_eq!(folded(&[said(1, moved(7, 0, 1, 2))]), None);
}

#[test]
fn an_entry_stays_small_whatever_is_written() {
    let mut facts: Vec<_> = (0..1_000)
        .map(|n| said(n, set(7, &format!("service/{n}"), &[b'u'; 4_000])))
        .collect();
    facts.push(said(2_000, set(7, &"service/".repeat(40), b"x")));
    facts.push(said(2_001, set(7, "name", b"still there")));
    facts.push(said(2_002, set(7, "service/5", b"changed")));
    let agent = agent(&facts);
    assert!(agent.more_metadata);
    assert_eq!(agent.metadata.len(), 128 + 1);
    assert_eq!(agent.name().unwrap().text(), Some("still there"));
    assert_eq!(agent.metadata["service/5"].text(), Some("changed"));
    let value = &agent.metadata["service/1"];
    assert_eq!((value.bytes().len(), value.length()), (ENTRY_BYTES, 4_000));
    assert_eq!(agent.services().listed.len(), 64);
}

#[test]
fn odd_bytes_are_kept_as_they_are() {
    let facts = [
        said(1, set(7, "name", b"\xff\0\x80")),
        said(2, set(7, "ser\0vice", b"x")),
    ];
    let agent = agent(&facts);
    assert_eq!(agent.name().unwrap().bytes(), b"\xff\0\x80");
    let json = serde_json::to_string(&agent).unwrap();
    assert!(!json.contains("\\u0000"), "{json}");
    assert_eq!(serde_json::from_str::<AgentEntry>(&json).unwrap(), agent);
}

#[test]
fn a_tool_is_what_its_registry_said_last() {
    let mut facts = vec![
        said(1, tool(3, Some(account(8)))),
        said(
            2,
            Statement::ToolMetadataUpdated {
                tool: id(3),
                metadata_uri: "https://b.example/.well-known/ai-tool/y.json".into(),
                manifest_hash: ManifestHash([2; 32]),
            },
        ),
        said(
            3,
            Statement::AccessPredicateUpdated {
                tool: id(3),
                access_predicate: None,
            },
        ),
    ];
    let Some(Entry::Tool(tool)) = folded(&facts) else {
        panic!()
    };
    assert_eq!(tool.manifest_hash, ManifestHash([2; 32]));
    assert_eq!(tool.access_predicate, None);
    assert_eq!(
        (tool.registered, tool.updated),
        (origin(1, 0), origin(3, 0))
    );
    facts.push(said(4, Statement::ToolDeregistered { tool: id(3) }));
    assert!(folded(&facts).unwrap().is_gone());
    assert_eq!(folded(&facts[1..]), None, "its registration was not seen");
}

#[test]
fn a_check_counts_for_the_manifest_that_it_was_made_of() {
    let Some(Entry::Tool(mut tool)) = folded(&[said(1, tool(3, None))]) else {
        panic!()
    };
    tool.check = Some(Box::new(ManifestCheck {
        checked_at: origin(9, 0).block_timestamp,
        metadata_uri: tool.metadata_uri.clone(),
        manifest_hash: tool.manifest_hash,
        outcome: CheckOutcome::Verified,
        served: Some(tool.manifest_hash),
        manifest: Some(ManifestSummary::default()),
        max_age: None,
    }));
    assert!(tool.is_verified() && tool.verified_manifest().is_some());
    tool.metadata_uri = "https://elsewhere.example".into();
    assert!(!tool.is_verified() && tool.verified_manifest().is_none());
}
