//! Agents: of our registries, of no registry, and of registries that lie.

use deedbox_registry::{
    Admission, AgentRegistry,
    abi::OpenAgentRegistry as Agents,
    inspect::Kind,
    resolve::{AgentWarning, Answer, Gateway, OwnerFound, Value},
    view::Unreadable,
};

use super::house::*;

const CID: &str = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

fn entry(key: &str, value: impl AsRef<[u8]>) -> Entry {
    Entry::new(key.parse().unwrap(), value.as_ref().to_vec()).unwrap()
}

fn open_registry(house: &House) -> Address {
    house.deploy(&Deployment::Agents(AgentRegistry {
        admission: Admission::Open,
        registrar: house.account(0),
        metadata: vec![entry("name", "Test registry")],
    }))
}

/// Registers an agent of the account 1.
fn register(house: &House, registry: Address, metadata: Vec<Entry>) -> U256 {
    let owner = house.account(1);
    let receipt = house.send(0, registry, &Call::Register(NewAgent { owner, metadata }));
    let logs = receipt["logs"].as_array().unwrap();
    // `Registered` comes last.
    logs.last().unwrap()["topics"][1]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

fn ask(registry: Address, id: U256) -> ResolveAgent {
    ResolveAgent {
        agent: AgentId::new(CHAIN, registry, id),
        block: Block::Latest,
        keys: Vec::new(),
        known_spenders: Vec::new(),
        ipfs_gateway: None,
    }
}

async fn resolve(house: &House, request: &ResolveAgent) -> ResolvedAgent {
    as_its_schema_says(resolve_agent(&house.chains, request).await.unwrap())
}

fn value<'a>(found: &'a ResolvedAgent, key: &str) -> &'a Value {
    &found
        .metadata
        .iter()
        .find(|datum| datum.key == key)
        .unwrap()
        .value
}

fn text(value: &Value) -> &str {
    match value {
        Value::Text { text, .. } => &text.text,
        other => panic!("{other:?}"),
    }
}

fn uri(value: &Value) -> &str {
    match value {
        Value::Text { uri: Some(uri), .. } => &uri.resolved.as_ref().unwrap().text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_agent_is_told_with_its_owner_and_its_services_apart() {
    let house = House::new();
    let registry = open_registry(&house);
    let account = [0xab; 20];
    let id = register(
        &house,
        registry,
        vec![
            entry("name", "Neo"),
            entry("description", "説明"),
            entry("image", format!("ipfs://{CID}/{{id}}.png")),
            entry("agent_account", account),
            entry("service_type", "mcp"),
            entry("service", "https://example.com/{id}"),
            entry("service_type/1", "a2a"),
            entry("service/1", "https://example.com/a2a"),
            entry("service:2", "https://example.com/alone"),
            entry("endpoint[web]", "https://example.com/"),
            entry("motto", [0xff, 0xfe]),
        ],
    );
    let mut request = ask(registry, id);
    request.keys = vec!["motto".to_owned(), "nothing".to_owned(), "name".to_owned()];
    request.ipfs_gateway = Some(Gateway::new("https://gateway.example").unwrap());
    request.agent.alias = Some("trinity".parse().unwrap());
    let found = resolve(&house, &request).await;

    assert_eq!(found.registry.kind, Kind::AgentRegistry);
    assert_eq!(found.registry.known_as, Some("OpenAgentRegistry"));
    assert_eq!(
        found.registry.provenance.block_hash,
        found.provenance.block_hash
    );
    assert_eq!(
        found.owner.found.address(),
        Some(chain_address(house.account(1)))
    );
    assert_eq!(found.owner.source, "ownerOf(uint256)");
    assert_eq!(found.services.source, "metadata(uint256,string)");
    assert_eq!(found.agent.asked_as.as_deref(), Some("trinity"));
    assert!(
        found
            .agent
            .identifier
            .starts_with(&format!("{id}@0x00010000"))
    );
    assert!(found.agent.identifier.ends_with(&format!("{registry:x}")));

    assert_eq!(text(value(&found, "name")), "Neo");
    assert_eq!(text(value(&found, "description")), "説明");
    let image = format!("ipfs://{CID}/{id}.png");
    assert_eq!(uri(value(&found, "image")), image);
    let Value::Text {
        uri: Some(image), ..
    } = value(&found, "image")
    else {
        panic!()
    };
    let at = format!("https://gateway.example/ipfs/{CID}/{id}.png");
    let gateway_url = image.ipfs.as_ref().unwrap().gateway_url.as_ref();
    assert_eq!(gateway_url.map(|url| url.text.clone()), Some(at));
    assert!(
        matches!(value(&found, "agent_account"), Value::Address { address, .. } if address.0 == account)
    );
    assert!(matches!(value(&found, "motto"), Value::Bytes { hex, length: 2 } if hex == "0xfffe"));
    assert_eq!(value(&found, "nothing"), &Value::Unset);
    assert_eq!(
        found
            .metadata
            .iter()
            .filter(|datum| datum.key == "name")
            .count(),
        1
    );

    let services: Vec<_> = found
        .services
        .listed
        .iter()
        .map(|service| {
            (
                service.service_type.as_ref().map(|half| text(&half.value)),
                service
                    .service
                    .as_ref()
                    .map(|half| (&*half.key, uri(&half.value))),
                service.missing_key.as_deref(),
            )
        })
        .collect();
    let first = format!("https://example.com/{id}");
    assert_eq!(
        services,
        [
            (Some("mcp"), Some(("service", &*first)), None),
            (
                Some("a2a"),
                Some(("service/1", "https://example.com/a2a")),
                None
            ),
            (
                None,
                Some(("service:2", "https://example.com/alone")),
                Some("service_type:2")
            ),
            (
                Some("web"),
                Some(("endpoint[web]", "https://example.com/")),
                None
            ),
        ]
    );
    assert!(!found.services.may_go_on);
    assert_eq!(found.warnings, [AgentWarning::BrokenService]);
}

#[tokio::test]
async fn pairs_are_read_until_a_gap() {
    let house = House::new();
    let registry = open_registry(&house);
    let pair = |number: u32| {
        [
            entry(&format!("service_type/{number}"), "mcp"),
            entry(&format!("service/{number}"), "https://example.com/"),
        ]
    };
    let metadata = (1..=20).chain([22]).flat_map(pair).collect();
    let id = register(&house, registry, metadata);
    let found = resolve(&house, &ask(registry, id)).await;
    assert_eq!(found.services.numbers_read, 25);
    // What lies behind the gap within what was read anyway is told, too.
    assert_eq!(found.services.listed.len(), 21);
    assert!(!found.services.may_go_on);
}

#[tokio::test]
async fn who_else_may_write_is_asked_of_the_accounts_that_are_known() {
    let house = House::new();
    let registry = open_registry(&house);
    let id = register(&house, registry, Vec::new());
    let [operator, approved, other] = [2, 3, 4].map(|index| house.account(index));
    house.send(
        1,
        registry,
        &Call::SetOperator {
            operator,
            approved: true,
        },
    );
    house.send(
        1,
        registry,
        &Call::Approve {
            spender: approved,
            agent_id: id,
            amount: U256::from(1),
        },
    );
    let mut request = ask(registry, id);
    request.known_spenders = vec![operator, approved, other, operator];
    let control = resolve(&house, &request).await.control.unwrap();
    let may: Vec<_> = control
        .spenders
        .iter()
        .map(|spender| (spender.address, spender.may_act))
        .collect();
    assert_eq!(
        may,
        [
            (chain_address(operator), Some(true)),
            (chain_address(approved), Some(true)),
            (chain_address(other), Some(false)),
        ]
    );
    assert_eq!(
        control.spenders[1].allowance,
        Answer::Known {
            value: "1".to_owned()
        }
    );
}

#[tokio::test]
async fn no_agent_no_registry_and_no_contract_are_three_answers() {
    let house = House::new();
    let registry = open_registry(&house);
    let found = resolve(&house, &ask(registry, U256::from(99))).await;
    assert_eq!(found.owner.found, OwnerFound::AgentNotFound);
    assert_eq!((found.control, found.warnings), (None, vec![]));

    let nowhere = Address::repeat_byte(0x44);
    let found = resolve(&house, &ask(nowhere, U256::from(1))).await;
    assert_eq!(found.owner.found, OwnerFound::NotAsked);
    assert_eq!(found.warnings, [AgentWarning::NoRegistry]);

    let code = hex::encode_prefixed([&[0xef, 1, 0][..], registry.as_slice()].concat());
    house
        .anvil
        .rpc("anvil_setCode", json!([nowhere, code]))
        .unwrap();
    let found = resolve(&house, &ask(nowhere, U256::from(1))).await;
    assert_eq!(found.owner.found, OwnerFound::NotAsked);
    assert_eq!(found.warnings, [AgentWarning::RegistryIsDelegated]);

    let tools = house.deploy(&Deployment::Tools);
    let found = resolve(&house, &ask(tools, U256::from(1))).await;
    assert!(
        matches!(found.owner.found, OwnerFound::Refused { .. }),
        "{:?}",
        found.owner
    );
    assert!(found.warnings.contains(&AgentWarning::NotAnAgentRegistry));

    let elsewhere = ResolveAgent {
        agent: AgentId::new(10, registry, U256::from(1)),
        ..ask(registry, U256::from(1))
    };
    let error = resolve_agent(&house.chains, &elsewhere).await.unwrap_err();
    assert_eq!(error.code, Code::ChainNotConfigured);
}

/// Everything that it says is one of these lies; what it says of the owner is a fact all the same.
#[tokio::test]
async fn a_registry_that_lies_about_metadata_spoils_no_other_fact() {
    let house = House::new();
    let (owner_of, metadata, supports) = (
        Agents::ownerOfCall::SELECTOR,
        Agents::metadataCall::SELECTOR,
        Agents::supportsInterfaceCall::SELECTOR,
    );
    let owner = house.account(5);
    let bad_text = (U256::from(32), U256::from(1_u64 << 40)).abi_encode();
    for (says, data, why) in [
        (
            Says::Pads(1_000_000),
            (U256::from(32), U256::from(900_000)).abi_encode(),
            "too_long",
        ),
        (Says::Burns, Vec::new(), "reverted"),
        (Says::Reverts, Vec::new(), "reverted"),
        (Says::Returns, Vec::new(), "nothing_returned"),
        (Says::Returns, bad_text, "malformed"),
    ] {
        let registry = house.scripted(&[
            (owner_of, Says::Returns, owner.abi_encode()),
            (metadata, says, data),
            (supports, Says::Returns, true.abi_encode()),
        ]);
        let found = resolve(&house, &ask(registry, U256::from(1))).await;
        assert_eq!(
            found.owner.found.address(),
            Some(chain_address(owner)),
            "{says:?}"
        );
        assert!(found.registry.claims_everything);
        assert!(
            found
                .warnings
                .contains(&AgentWarning::RegistryClaimsEverything)
        );
        assert!(found.warnings.contains(&AgentWarning::SomethingUnreadable));
        assert!(found.services.listed.is_empty());
        let Value::Unreadable { cause } = value(&found, "name") else {
            panic!("{says:?}")
        };
        assert_eq!(serde_json::to_value(cause).unwrap()["why"], why);
    }
    // And the reverse: an owner that is no address, beside metadata that is well.
    let registry = house.scripted(&[
        (owner_of, Says::Returns, U256::MAX.abi_encode()),
        (
            metadata,
            Says::Returns,
            Bytes::from_static(b"Neo").abi_encode(),
        ),
    ]);
    let found = resolve(&house, &ask(registry, U256::from(1))).await;
    let malformed = OwnerFound::Unreadable {
        cause: Unreadable::Malformed,
    };
    assert_eq!(found.owner.found, malformed);
    assert_eq!(text(value(&found, "name")), "Neo");
    assert_eq!(
        found.services.numbers_read, 64,
        "every pair is there, up to the ceiling"
    );
    assert!(found.services.may_go_on);
}

/// The older draft called the same view `getMetadata`, and its interface by that selector: the only change in the code.
#[tokio::test]
async fn a_registry_of_the_older_draft_is_read_by_its_own_names() {
    let house = House::new();
    let registry = open_registry(&house);
    let id = register(
        &house,
        registry,
        vec![
            entry("name", "Neo"),
            entry("endpoint_type", "mcp"),
            entry("endpoint", "https://example.com/{id}"),
        ],
    );
    let code = house
        .anvil
        .rpc("eth_getCode", json!([registry, "latest"]))
        .unwrap();
    let older = code.as_str().unwrap().replace("df670be1", "cb4799f2");
    house
        .anvil
        .rpc("anvil_setCode", json!([registry, older]))
        .unwrap();
    let found = resolve(&house, &ask(registry, id)).await;
    assert_eq!(found.registry.kind, Kind::OlderDraftAgentRegistry);
    assert_eq!(found.warnings, [AgentWarning::OlderDraft]);
    assert_eq!(found.services.source, "getMetadata(uint256,string)");
    assert_eq!(
        found.owner.found.address(),
        Some(chain_address(house.account(1)))
    );
    assert_eq!(text(value(&found, "name")), "Neo");
    assert_eq!(text(value(&found, "endpoint_type")), "mcp");
    assert_eq!(
        uri(value(&found, "endpoint")),
        format!("https://example.com/{id}")
    );
}

#[tokio::test]
async fn a_proxy_is_told() {
    let house = House::new();
    let registry = open_registry(&house);
    let id = register(&house, registry, Vec::new());
    house.make_proxy(registry);
    let found = resolve(&house, &ask(registry, id)).await;
    assert_eq!(found.warnings, [AgentWarning::RegistryIsProxy]);
    assert_eq!(
        found.registry.proxy.unwrap().implementation,
        Some(Address::repeat_byte(0x77))
    );
}
