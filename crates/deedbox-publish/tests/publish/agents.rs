//! Registries of agents, and agents.

use alloy_primitives::Bytes;

use crate::house::*;

fn metadata(house: &House, registry: Address, id: u64, key: &str) -> Bytes {
    let call = Agents::metadataCall {
        agentId: U256::from(id),
        key: key.to_owned(),
    };
    house.view(registry, &call)
}

fn owner(house: &House, registry: Address, id: u64) -> Address {
    let call = Agents::ownerOfCall {
        agentId: U256::from(id),
    };
    house.view(registry, &call)
}

#[tokio::test]
async fn registries_of_every_kind_are_deployed_and_read_back() {
    let house = House::new().await;
    let supply = Admission::FixedSupply {
        max_supply: U256::from(3),
    };
    for admission in [Admission::Open, Admission::Curated, supply] {
        let registry = house.deploy(registry(admission, address(1))).await;
        let registrar = house.view(registry, &Agents::registrarCall {});
        assert_eq!(registrar, address(1));
    }
    let nobody = registry(Admission::Open, Address::ZERO);
    house.deploy(nobody).await;
    house.deploy(Deployment::Tools).await;
}

#[tokio::test]
async fn an_agent_is_registered_changed_approved_and_handed_over() {
    let house = House::new().await;
    let registry = house.open_registry().await;

    let mut teller = Script::yes();
    let published = house
        .publish_by(0, register(registry, "First"), &quick(), &mut teller)
        .await
        .unwrap();
    let inclusion = included(published);
    assert_eq!(inclusion.created["agent_ids"], serde_json::json!(["1"]));
    assert_eq!(metadata(&house, registry, 1, "name"), b"First"[..]);
    assert_eq!(
        metadata(&house, registry, 1, "agent_account"),
        address(1).to_vec()
    );
    let names: Vec<_> = teller.steps.iter().map(name).collect();
    let way = ["Checked", "Simulated", "Signed", "Recorded", "Sent"];
    assert_eq!(names[..5], way);
    assert_eq!(
        names[names.len() - 3..],
        ["Included", "ReadBack", "Settled"]
    );

    // A service and nothing else goes by the overload for that.
    let service = NewAgent {
        owner: address(1),
        metadata: vec![
            entry("service_type", "a2a"),
            entry("service", "https://example.com/a2a/{id}"),
        ],
    };
    let agents = [
        service.clone(),
        agent(address(0), "Third"),
        agent(address(2), "Fourth"),
    ];
    house
        .done(Action::RegisterAgent {
            registry,
            agent: service,
        })
        .await;
    house
        .done(Action::RegisterAgents {
            registry,
            agents: agents.to_vec(),
        })
        .await;
    assert_eq!(house.agents_of(registry), 5);
    assert_eq!(
        metadata(&house, registry, 2, "service"),
        b"https://example.com/a2a/{id}"[..]
    );
    assert_eq!(owner(&house, registry, 5), address(2));

    let set = |metadata| Action::SetAgentMetadata {
        registry,
        agent_id: U256::from(1),
        metadata,
    };
    house.done(set(vec![entry("name", "Renamed")])).await;
    house
        .done(set(vec![
            entry("service/1", "https://example.com/2"),
            entry("service_type/1", "mcp"),
        ]))
        .await;
    assert_eq!(
        metadata(&house, registry, 1, "service/1"),
        b"https://example.com/2"[..]
    );
    house.done(set(vec![entry("name", "")])).await;
    assert_eq!(metadata(&house, registry, 1, "name"), Bytes::new());

    let transfer = |receiver| Action::TransferAgent {
        registry,
        agent_id: U256::from(1),
        receiver,
    };
    let refusal = house.refused_by(2, transfer(address(2))).await;
    assert!(
        refusal.contains("neither an operator nor approved"),
        "{refusal}"
    );
    house
        .done(Action::ApproveSpender {
            registry,
            agent_id: U256::from(1),
            spender: address(2),
            amount: U256::from(1),
        })
        .await;
    house.done_by(2, transfer(address(1))).await;
    assert_eq!(owner(&house, registry, 1), address(1));
    house
        .done_by(
            1,
            Action::SetOperator {
                registry,
                operator: address(2),
                approved: true,
            },
        )
        .await;
    house.done_by(2, transfer(address(2))).await;
    house.done_by(2, transfer(address(0))).await;
    assert_eq!(owner(&house, registry, 1), address(0));
}

fn name(step: &Step) -> &'static str {
    match step {
        Step::Checked(_) => "Checked",
        Step::Simulated { .. } => "Simulated",
        Step::Signed { .. } => "Signed",
        Step::Recorded { .. } => "Recorded",
        Step::Sent { .. } => "Sent",
        Step::Included { .. } => "Included",
        Step::ReadBack { .. } => "ReadBack",
        Step::Settled { .. } => "Settled",
        _ => "other",
    }
}

#[tokio::test]
async fn a_registrar_admits_sets_metadata_and_hands_the_role_over() {
    let house = House::new().await;
    let supply = Admission::FixedSupply {
        max_supply: U256::from(2),
    };
    let registry = house.deploy(registry(supply, address(0))).await;
    let refusal = house.refused_by(1, register(registry, "x")).await;
    assert!(refusal.contains("only the registrar"), "{refusal}");
    house.done(register(registry, "One")).await;
    let two = vec![agent(address(0), "Two"), agent(address(0), "Three")];
    let refusal = house
        .refused(Action::RegisterAgents {
            registry,
            agents: two,
        })
        .await;
    assert!(
        refusal.contains("takes 1 more agent, and no more, ever"),
        "{refusal}"
    );

    house
        .done(Action::SetRegistryMetadata {
            registry,
            entry: entry("image", "ipfs://bafy"),
        })
        .await;
    house
        .done(Action::NominateRegistrar {
            registry,
            nominee: address(1),
        })
        .await;
    let refusal = house
        .refused_by(2, Action::AcceptRegistrar { registry })
        .await;
    assert!(refusal.contains("is not nominated"), "{refusal}");
    house.done_by(1, Action::AcceptRegistrar { registry }).await;
    let refusal = house
        .refused(Action::NominateRegistrar {
            registry,
            nominee: address(0),
        })
        .await;
    assert!(refusal.contains("only the registrar"), "{refusal}");
    let mut teller = Script::yes();
    house
        .publish_by(
            1,
            Action::RenounceRegistrar { registry },
            &quick(),
            &mut teller,
        )
        .await
        .unwrap();
    assert_eq!(
        teller.previews[0].confirmation,
        Confirmation::Typed("renounce".to_owned())
    );
    let refusal = house.refused_by(1, register(registry, "x")).await;
    assert!(refusal.contains("has no registrar"), "{refusal}");
}

#[tokio::test]
async fn a_dry_run_shows_what_would_be_signed_and_signs_nothing() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let nonce = house.nonce(address(0));
    let options = Options {
        dry_run: true,
        ..quick()
    };
    // The registry as sender stands for a wallet that is a contract: it has no key and no money.
    struct Wallet(Address);
    #[async_trait::async_trait]
    impl Signer for Wallet {
        fn address(&self) -> Address {
            self.0
        }
        async fn sign(&self, _: B256) -> Result<Signature, CannotSign> {
            panic!("asked to sign")
        }
    }
    let action = register(registry, "Dry");
    let published = publish(
        house.desk(),
        CHAIN,
        action,
        &Wallet(registry),
        &options,
        &mut Script::no(),
    )
    .await;
    let Published::DryRun(preview) = published.unwrap() else {
        panic!("published")
    };
    assert_eq!((preview.to, preview.value), (Some(registry), U256::ZERO));
    let call = deedbox_registry::Call::decode(&preview.data).unwrap();
    assert_eq!(call, agent(address(0), "Dry").into_call());
    assert_eq!(house.nonce(address(0)), nonce);
    assert_eq!(house.agents_of(registry), 0);
}

/// What is warned of before anybody is asked.
async fn warned(house: &House, action: Action) -> String {
    let mut teller = Script::no();
    drop(house.publish_by(0, action, &quick(), &mut teller).await);
    teller.previews[0].warnings.join("\n")
}

#[tokio::test]
async fn what_would_change_nothing_is_refused_before_anything_is_signed() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    house.done(register(registry, "First")).await;
    let agent_id = U256::from(1);
    let set = |metadata| Action::SetAgentMetadata {
        registry,
        agent_id,
        metadata,
    };
    let of_registry = |entry| Action::SetRegistryMetadata { registry, entry };
    let approve = |amount: u64| Action::ApproveSpender {
        registry,
        agent_id,
        spender: address(1),
        amount: U256::from(amount),
    };
    let operator = |approved| Action::SetOperator {
        registry,
        operator: address(1),
        approved,
    };
    let nominate = |nominee| Action::NominateRegistrar { registry, nominee };
    // Nothing of it is there yet.
    for action in [
        set(vec![entry("image", "")]),
        of_registry(entry("image", "")),
        approve(0),
        operator(false),
        nominate(Address::ZERO),
    ] {
        let refusal = house.refused(action).await;
        assert!(refusal.contains(": nothing would change"), "{refusal}");
    }
    let changes = [
        set(vec![entry("name", "Renamed")]),
        set(vec![
            entry("image", "ipfs://x"),
            entry("description", "Old"),
            entry("description", "New"),
        ]),
        of_registry(entry("name", "Renamed")),
        approve(3),
        operator(true),
        nominate(address(1)),
    ];
    for action in changes {
        house.done(action.clone()).await;
        let refusal = house.refused(action).await;
        assert!(refusal.contains(": nothing would change"), "{refusal}");
    }
    // What changes in part is done, and told; and of each key the last value counts.
    let warnings = warned(
        &house,
        set(vec![entry("name", "Renamed"), entry("image", "ipfs://y")]),
    )
    .await;
    assert!(
        warnings.contains("this value stands under name of agent 1 already"),
        "{warnings}"
    );
    house.done(approve(4)).await;
    house
        .done(set(vec![
            entry("description", "New"),
            entry("description", "Old"),
        ]))
        .await;
}

#[tokio::test]
async fn what_others_may_misread_is_warned_of_before_it_is_signed() {
    let house = House::new().await;
    let registry = house.open_registry().await;
    let odd = NewAgent {
        owner: address(0),
        metadata: vec![
            entry("nmae", "p\u{430}ypal"),
            entry("service_type", "mcp"),
            entry("service", "https://bank.example@evil.example/mcp"),
        ],
    };
    let one = Action::RegisterAgent {
        registry,
        agent: odd.clone(),
    };
    let words = [
        "the agent has no name",
        "nmae is not the standard's key name",
        "the value of nmae holds letters of scripts that are not written together",
        "service is a URL with something before an @",
    ];
    let warnings = warned(&house, one).await;
    for words in words {
        assert!(warnings.contains(words), "{warnings}");
    }
    let batch = Action::RegisterAgents {
        registry,
        agents: vec![agent(address(0), "Fine"), odd],
    };
    let warnings = warned(&house, batch).await;
    for words in words {
        assert!(
            warnings.contains(&format!("agent 2 of 2: {words}")),
            "{warnings}"
        );
    }
    assert!(!warnings.contains("agent 1 of 2: the agent"), "{warnings}");
    let set = Action::SetRegistryMetadata {
        registry,
        entry: entry("externalLink", "https://me:secret@a.example"),
    };
    let warnings = warned(&house, set).await;
    for words in [
        "not the standard's key external_link",
        "something before an @",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
    house.done(register(registry, "Mine")).await;
    let unnamed = Action::SetAgentMetadata {
        registry,
        agent_id: U256::from(1),
        metadata: vec![entry("name", "")],
    };
    assert!(
        warned(&house, unnamed)
            .await
            .contains("the agent has no name")
    );
    let away = Action::TransferAgent {
        registry,
        agent_id: U256::from(1),
        receiver: address(1),
    };
    assert!(warned(&house, away).await.contains("you cannot undo this"));
}
