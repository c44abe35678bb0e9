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
