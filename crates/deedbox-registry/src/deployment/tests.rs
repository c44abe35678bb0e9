use super::*;

fn entry(key: &str, value: &[u8]) -> Entry {
    Entry::new(key.parse().unwrap(), value.to_vec()).unwrap()
}

fn all() -> Vec<Deployment> {
    let (a, b) = (Address::repeat_byte(0xaa), Address::repeat_byte(0xbb));
    let number = U256::from(300);
    let agents = |admission, metadata| {
        Deployment::Agents(AgentRegistry {
            admission,
            registrar: a,
            metadata,
        })
    };
    let max_supply = number;
    let predicates = [
        Predicate::AlwaysDeny,
        Predicate::Allowlist { registry: a },
        Predicate::MerkleAllowlist { registry: a },
        Predicate::Erc721Holder { collection: a },
        Predicate::Erc1155Holder {
            collection: a,
            token_id: number,
        },
        Predicate::Erc20Balance {
            token: a,
            min_balance: U256::MAX,
        },
        Predicate::Subscription {
            collection: a,
            min_tier: 255,
        },
        Predicate::AgentOwner {
            agents: a,
            agent_id: number,
        },
        Predicate::AnyAgentOwner { agents: a },
        Predicate::AccessProof { caller: b },
        Predicate::Composite {
            caller: Address::ZERO,
            logic: Logic::All,
            terms: vec![Term {
                predicate: a,
                negated: true,
                gas_limit: u64::MAX,
            }],
        },
        Predicate::Composite {
            caller: b,
            logic: Logic::Any,
            terms: vec![
                Term {
                    predicate: b,
                    negated: false,
                    gas_limit: 1,
                };
                3
            ],
        },
    ];
    let registries = [
        agents(Admission::Open, vec![]),
        agents(
            Admission::Open,
            vec![entry("name", b"A"), entry("image", &[0xff; 40])],
        ),
        agents(Admission::Curated, vec![entry("name", "名前".as_bytes())]),
        agents(Admission::FixedSupply { max_supply }, vec![]),
        Deployment::Tools,
    ];
    let predicates = predicates.map(Deployment::Predicate);
    registries.into_iter().chain(predicates).collect()
}

#[test]
fn every_deployment_comes_back_as_it_was() {
    for deployment in all() {
        let data = deployment.encode();
        assert_eq!(
            Deployment::decode(&data),
            Ok(deployment.clone()),
            "{}",
            deployment.name()
        );
        for cut in [
            &data[..data.len() - 1],
            &data[1..],
            &[&data[..], &[0]].concat(),
        ] {
            assert_eq!(
                Deployment::decode(cut),
                Err(NotACall),
                "{}",
                deployment.name()
            );
        }
    }
}

/// Each artifact can be deployed, and each constructor gets as many words as its ABI has arguments.
#[test]
fn constructors_get_what_their_abi_declares() {
    for artifact in Artifact::all() {
        let deployment = all().into_iter().find(|d| d.name() == artifact.name);
        let deployment = deployment.unwrap_or_else(|| panic!("{} is not deployed", artifact.name));
        let constructor = artifact.abi.iter().find(|item| item.kind == "constructor");
        let declared = constructor.map_or(0, |item| item.inputs.len());
        let words = deployment.arguments().len() / 32;
        let has_list = constructor.is_some_and(|c| c.inputs.iter().any(|i| i.kind.ends_with("[]")));
        assert!(
            words == declared || (has_list && words > declared),
            "{}",
            artifact.name
        );
    }
}

#[test]
fn code_on_a_chain_is_recognised_whatever_its_immutable_values_are() {
    for artifact in Artifact::all() {
        let code = artifact.deployed_bytecode.to_vec();
        assert_eq!(Artifact::of_code(&code).unwrap().name, artifact.name);
        let mut other = code.clone();
        let last = other.len() - 1;
        other[last] ^= 1;
        assert!(Artifact::of_code(&other).is_none(), "{}", artifact.name);
        assert!(
            Artifact::of_code(&code[..last]).is_none(),
            "{}",
            artifact.name
        );
    }
    assert!(Artifact::of_code(&[]).is_none());
}
