//! Access: through our registry and predicates, and through such as are broken or lie.

use std::sync::{Arc, Mutex};

use alloy_signer::SignerSync as _;
use alloy_signer_local::PrivateKeySigner;
use deedbox_registry::{
    AccessProof, Logic, Term,
    abi::{AccessProofPredicate, OpenAgentRegistry as Agents, ToolRegistry as Tools},
    access::{Access, AccessWarning, HasAccess, Meaning, Requirements, TryHasAccess, Unusable},
};

use super::house::*;

const URI: &str = "https://example.com/.well-known/ai-tool/a.json";
const HASH: B256 = B256::repeat_byte(1);

fn gated(house: &House, registry: Address, predicate: Address) -> deedbox_id::ToolReference {
    house.register(registry, URI, HASH, predicate)
}

fn meanings(found: &ToolAccess) -> Vec<&Meaning> {
    match &found.predicate.as_ref().unwrap().requirements {
        Requirements::Read { requirements, .. } => {
            requirements.iter().map(|one| &one.meaning).collect()
        }
        other @ Requirements::Unusable { .. } => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn open_granted_and_denied_are_told_apart() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let [member, stranger] = [1, 2].map(|index| house.account(index));
    let found = house
        .access(
            gated(&house, registry, Address::ZERO),
            stranger,
            b"anything".as_slice(),
        )
        .await;
    assert_eq!(found.access, Access::Open);
    assert!(found.predicate.is_none() && found.warnings.is_empty() && found.account_is_a_claim);

    let list = house.predicate(Predicate::Allowlist { registry });
    let tool = gated(&house, registry, list);
    let allow = Call::SetAllowed {
        tool_id: tool.tool_id(),
        accounts: vec![member],
        allowed: true,
    };
    house.send(0, list, &allow);
    let found = house.access(tool, member, Bytes::new()).await;
    assert_eq!(found.access, Access::Granted);
    assert_eq!(
        meanings(&found),
        [&Meaning::AllowlistMembership {
            predicate: chain_address(list)
        }]
    );
    assert_eq!(found.warnings, []);
    assert_eq!(
        found.predicate.unwrap().contract.known_as,
        Some("AllowlistPredicate")
    );
    let found = house.access(tool, stranger, Bytes::new()).await;
    assert_eq!(found.access, Access::Denied);
    assert!(
        !found.answers.unwrap().asked_again_with_more_gas,
        "a no is a no"
    );
}

/// A registry that is handed a secret for a tool that everybody may use could keep it.
#[tokio::test]
async fn an_open_tool_is_asked_without_data() {
    let mut house = House::new();
    let config = deedbox_registry::abi::ToolConfig {
        creator: house.account(0),
        metadataURI: URI.to_owned(),
        manifestHash: HASH,
        accessPredicate: Address::ZERO,
    };
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let registry = house.scripted(&[
        (
            Tools::getToolConfigCall::SELECTOR,
            Says::Returns,
            Tools::getToolConfigCall::abi_encode_returns(&config),
        ),
        (
            Tools::hasAccessCall::SELECTOR,
            Says::Returns,
            true.abi_encode(),
        ),
        (
            Tools::tryHasAccessCall::SELECTOR,
            Says::Returns,
            (true, true).abi_encode(),
        ),
    ]);
    let chains = house.overheard(move |data| seen.lock().unwrap().push(data));
    let request = CheckToolAccess {
        tool: tool(registry, U256::from(1)),
        account: house.account(1),
        data: Bytes::from_static(&[0xab; 40]),
        data_is_public: false,
        block: Block::Latest,
    };
    let found = check_tool_access(&chains, &request).await.unwrap();
    assert_eq!(found.access, Access::Open);
    let asked = asked.lock().unwrap();
    assert!(
        asked
            .iter()
            .any(|data| data.starts_with(&hex::encode_prefixed(Tools::hasAccessCall::SELECTOR)))
    );
    assert!(
        !asked.iter().any(|data| data.contains("abababab")),
        "{asked:?}"
    );
}

#[tokio::test]
async fn no_tool_a_removed_one_and_a_wrong_contract_are_told_apart() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let account = house.account(1);
    let ask = async |tool| house.access(tool, account, Bytes::new()).await.access;
    assert_eq!(ask(tool(registry, U256::from(1))).await, Access::NotFound);
    assert_eq!(ask(tool(registry, U256::ZERO)).await, Access::NotFound);
    let removed = gated(&house, registry, Address::ZERO);
    house.send(0, registry, &Call::DeregisterTool(removed.tool_id()));
    assert_eq!(ask(removed).await, Access::Deregistered);
    assert_eq!(
        ask(tool(account, U256::from(1))).await,
        Access::WrongContract
    );
    assert_eq!(
        ask(tool(house.scripted(&[]), U256::from(1))).await,
        Access::WrongContract
    );
}

#[tokio::test]
async fn a_predicate_that_is_broken_or_not_there_yet_denies_and_is_not_a_denial() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let account = house.account(1);
    for how in 0..6_u64 {
        let broken = house.fixture("Broken", &U256::from(how).abi_encode());
        let found = house
            .access(gated(&house, registry, broken), account, Bytes::new())
            .await;
        assert_eq!(found.access, Access::PredicateBroken, "{how}");
        assert!(found.answers.unwrap().asked_again_with_more_gas, "{how}");
        assert!(
            found
                .warnings
                .contains(&AccessWarning::PredicateDoesNotClaimIt)
        );
        assert!(found.warnings.contains(&AccessWarning::RequirementsUnclear));
    }
    let nowhere = Address::repeat_byte(0x55);
    let found = house
        .access(gated(&house, registry, nowhere), account, Bytes::new())
        .await;
    assert_eq!(found.access, Access::PredicateHasNoCode);
    let predicate = found.predicate.unwrap();
    assert!(matches!(
        predicate.requirements,
        Requirements::Unusable {
            why: Unusable::NotAsked
        }
    ));
}

/// It needs more than ten million gas, and less than fifty.
#[tokio::test]
async fn a_predicate_that_needs_much_gas_is_asked_once_more_with_more() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let dear = house.fixture("Answering", &(true, U256::from(20_000_000)).abi_encode());
    let found = house
        .access(
            gated(&house, registry, dear),
            house.account(1),
            Bytes::new(),
        )
        .await;
    assert_eq!(found.access, Access::Granted);
    assert!(found.answers.unwrap().asked_again_with_more_gas);
}

#[tokio::test]
async fn a_registry_that_answers_in_no_form_of_the_standard_never_grants() {
    let house = House::new();
    let config = |predicate: Address| {
        let config = deedbox_registry::abi::ToolConfig {
            creator: house.account(0),
            metadataURI: URI.to_owned(),
            manifestHash: HASH,
            accessPredicate: predicate,
        };
        Tools::getToolConfigCall::abi_encode_returns(&config)
    };
    let predicate = house.predicate(Predicate::AlwaysDeny);
    let yes = true.abi_encode();
    let sure = (true, true).abi_encode();
    for (gate, has, try_has) in [
        // Longer and shorter than the words that they are.
        (predicate, sure.clone(), sure.clone()),
        (predicate, yes.clone(), [sure.clone(), vec![0; 32]].concat()),
        (predicate, yes.clone(), yes.clone()),
        // The word 2.
        (predicate, U256::from(2).abi_encode(), sure.clone()),
        (predicate, yes.clone(), (U256::from(2), true).abi_encode()),
        // What an implementation must not say.
        (predicate, yes.clone(), (false, true).abi_encode()),
        // The two contradict each other.
        (predicate, false.abi_encode(), sure.clone()),
        (predicate, yes.clone(), (true, false).abi_encode()),
        // An open tool that is not; a predicate without code that answers.
        (
            Address::ZERO,
            false.abi_encode(),
            (true, false).abi_encode(),
        ),
        (Address::repeat_byte(0x55), yes.clone(), sure.clone()),
        (predicate, Vec::new(), sure.clone()),
    ] {
        let registry = house.scripted(&[
            (
                Tools::getToolConfigCall::SELECTOR,
                Says::Returns,
                config(gate),
            ),
            (Tools::hasAccessCall::SELECTOR, Says::Returns, has.clone()),
            (
                Tools::tryHasAccessCall::SELECTOR,
                Says::Returns,
                try_has.clone(),
            ),
        ]);
        let found = house
            .access(
                tool(registry, U256::from(1)),
                house.account(1),
                Bytes::new(),
            )
            .await;
        assert_eq!(
            found.access,
            Access::RegistryBroken,
            "{} {}",
            hex::encode(has),
            hex::encode(try_has)
        );
    }
    let registry = house.scripted(&[
        (
            Tools::getToolConfigCall::SELECTOR,
            Says::Returns,
            config(predicate),
        ),
        (Tools::hasAccessCall::SELECTOR, Says::Burns, Vec::new()),
        (
            Tools::tryHasAccessCall::SELECTOR,
            Says::Pads(1_000_000),
            sure,
        ),
    ]);
    let found = house
        .access(
            tool(registry, U256::from(1)),
            house.account(1),
            Bytes::new(),
        )
        .await;
    assert_eq!(found.access, Access::RegistryBroken);
    let answers = found.answers.unwrap();
    assert!(matches!(answers.has_access, HasAccess::Unreadable { .. }));
    assert!(matches!(
        answers.try_has_access,
        TryHasAccess::Unreadable { .. }
    ));
}

#[tokio::test]
async fn what_every_predicate_of_ours_takes_is_read_from_it() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let there = house.fixture("Collection", &[]);
    let at = chain_address(there);
    let (one, least) = (U256::from(1), U256::from(1000));
    // An agent's owner is looked for when the predicate is made.
    let owner_of = Agents::ownerOfCall::SELECTOR;
    let agents = house.scripted(&[(owner_of, Says::Returns, house.account(1).abi_encode())]);
    let owned = chain_address(agents);
    let proof = house.predicate(Predicate::AccessProof { caller: registry });
    let merkle = house.predicate(Predicate::MerkleAllowlist { registry });
    for (predicate, meaning) in [
        (
            house.predicate(Predicate::AlwaysDeny),
            Meaning::NeverGranted,
        ),
        (
            house.predicate(Predicate::Erc721Holder { collection: there }),
            Meaning::Erc721Holding { collection: at },
        ),
        (
            house.predicate(Predicate::Erc1155Holder {
                collection: there,
                token_id: one,
            }),
            Meaning::Erc1155Holding {
                collection: at,
                token_id: "1".to_owned(),
            },
        ),
        (
            house.predicate(Predicate::Erc20Balance {
                token: there,
                min_balance: least,
            }),
            Meaning::Erc20Balance {
                token: at,
                min_balance: "1000".to_owned(),
            },
        ),
        (
            house.predicate(Predicate::Subscription {
                collection: there,
                min_tier: 2,
            }),
            Meaning::Subscription {
                collection: at,
                min_tier: 2,
            },
        ),
        (
            house.predicate(Predicate::AgentOwner {
                agents,
                agent_id: one,
            }),
            Meaning::AgentOwnership {
                registry: owned,
                agent_id: Some("1".to_owned()),
            },
        ),
        (
            house.predicate(Predicate::AnyAgentOwner { agents }),
            Meaning::AgentOwnership {
                registry: owned,
                agent_id: None,
            },
        ),
        (
            proof,
            Meaning::SignedAccessProof {
                verifying_contract: chain_address(proof),
            },
        ),
        (
            merkle,
            Meaning::MerkleMembership {
                root: format!("0x{}", "00".repeat(32)),
            },
        ),
    ] {
        let found = house
            .access(
                gated(&house, registry, predicate),
                house.account(1),
                Bytes::new(),
            )
            .await;
        assert_eq!(meanings(&found), [&meaning]);
        assert!(!found.warnings.contains(&AccessWarning::RequirementsUnclear));
    }
}

#[tokio::test]
async fn the_terms_of_a_composite_are_asked_what_they_take() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let never = house.predicate(Predicate::AlwaysDeny);
    let collection = house.fixture("Collection", &[]);
    let holder = house.predicate(Predicate::Erc721Holder { collection });
    let term = |predicate, negated| Term {
        predicate,
        negated,
        gas_limit: 200_000,
    };
    let inner = house.predicate(Predicate::Composite {
        caller: Address::ZERO,
        logic: deedbox_registry::Logic::All,
        terms: vec![term(never, true), term(holder, false)],
    });
    let outer = house.predicate(Predicate::Composite {
        caller: Address::ZERO,
        logic: Logic::Any,
        terms: vec![
            term(never, false),
            Term {
                gas_limit: 1_000_000,
                ..term(inner, false)
            },
        ],
    });
    let found = house
        .access(
            gated(&house, registry, outer),
            house.account(1),
            Bytes::new(),
        )
        .await;
    assert_eq!(found.access, Access::Denied);
    let [
        Meaning::NeverGranted,
        Meaning::CompositeTerm {
            predicate,
            negated: false,
            requirements,
        },
    ] = meanings(&found)[..]
    else {
        panic!("{:?}", found.predicate)
    };
    assert_eq!(*predicate, chain_address(inner));
    let Requirements::Read { requirements, .. } = &**requirements else {
        panic!("{requirements:?}")
    };
    let inner: Vec<_> = requirements.iter().map(|one| &one.meaning).collect();
    let [
        Meaning::CompositeTerm {
            predicate,
            negated: true,
            requirements,
        },
        Meaning::Erc721Holding { .. },
    ] = inner[..]
    else {
        panic!("{inner:?}")
    };
    assert_eq!(*predicate, chain_address(never));
    let Requirements::Read { requirements, .. } = &**requirements else {
        panic!("{requirements:?}")
    };
    assert_eq!(requirements[0].meaning, Meaning::NeverGranted);
}

#[tokio::test]
async fn who_could_change_what_is_decided_is_warned_about() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let predicate = house.predicate(Predicate::AlwaysDeny);
    let tool = gated(&house, registry, predicate);
    house.make_proxy(predicate);
    house.make_proxy(registry);
    let found = house.access(tool, house.account(1), Bytes::new()).await;
    assert_eq!(
        found.warnings,
        [
            AccessWarning::RegistryIsProxy,
            AccessWarning::PredicateIsProxy
        ]
    );

    let everything = house.scripted(&[
        ([0x01, 0xff, 0xc9, 0xa7], Says::Returns, true.abi_encode()),
        (
            Tools::hasAccessCall::SELECTOR,
            Says::Returns,
            true.abi_encode(),
        ),
    ]);
    let found = house
        .access(
            gated(&house, registry, everything),
            house.account(1),
            Bytes::new(),
        )
        .await;
    assert_eq!(found.access, Access::Granted);
    assert!(
        found
            .warnings
            .contains(&AccessWarning::PredicateClaimsEverything)
    );
}

#[tokio::test]
async fn a_secret_is_not_sent_and_what_is_said_to_be_public_is() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let tool = gated(&house, registry, house.predicate(Predicate::AlwaysDeny));
    let key = hex::decode(Anvil::key(0)).unwrap();
    let mut request = CheckToolAccess {
        tool,
        account: house.account(1),
        data: key.into(),
        data_is_public: false,
        block: Block::Latest,
    };
    let before = house.chains.requests_sent();
    let refused = check_tool_access(&house.chains, &request)
        .await
        .unwrap_err();
    assert_eq!(refused.code, Code::InvalidArgument);
    assert_eq!(house.chains.requests_sent(), before);
    request.data_is_public = true;
    let found = check_tool_access(&house.chains, &request).await.unwrap();
    assert_eq!(found.warnings, [AccessWarning::DataLooksLikeKey]);
}

#[tokio::test]
async fn an_access_proof_binds_the_account_as_the_contract_has_it() {
    let house = House::new();
    let registry = house.deploy(&Deployment::Tools);
    let predicate = house.predicate(Predicate::AccessProof { caller: registry });
    let tool = gated(&house, registry, predicate);
    let signer: PrivateKeySigner = Anvil::key(1).parse().unwrap();
    let block = house
        .anvil
        .rpc("eth_getBlockByNumber", json!(["latest", false]))
        .unwrap();
    let now = u64::from_str_radix(&block["timestamp"].as_str().unwrap()[2..], 16).unwrap();
    let proof = AccessProof {
        chain_id: CHAIN,
        predicate,
        tool_id: tool.tool_id(),
        account: signer.address(),
        deadline: now + 600,
    };
    let call = AccessProofPredicate::proofDigestCall {
        toolId: proof.tool_id,
        account: proof.account,
        deadline: proof.deadline,
    };
    let data = Bytes::from(call.abi_encode());
    let digest = house
        .anvil
        .rpc(
            "eth_call",
            json!([{"to": predicate, "data": data}, "latest"]),
        )
        .unwrap();
    assert_eq!(digest, json!(proof.digest()));

    let signature = signer.sign_hash_sync(&proof.digest()).unwrap().as_bytes();
    let granted = house
        .access(tool, signer.address(), proof.data(&signature))
        .await;
    assert_eq!(
        (granted.access, granted.warnings),
        (Access::Granted, vec![])
    );
    let of_another = house
        .access(tool, house.account(2), proof.data(&signature))
        .await;
    assert_eq!(of_another.access, Access::Denied);
    let none = house.access(tool, signer.address(), Bytes::new()).await;
    assert_eq!(none.access, Access::Denied);

    // A wallet signs the same from the typed data.
    let signed = house
        .anvil
        .rpc(
            "eth_signTypedData_v4",
            json!([signer.address(), proof.typed_data()]),
        )
        .unwrap();
    let signed: Bytes = signed.as_str().unwrap().parse().unwrap();
    let granted = house
        .access(tool, signer.address(), proof.data(&signed))
        .await;
    assert_eq!(granted.access, Access::Granted);

    let long = AccessProof {
        deadline: now + 86_400,
        ..proof
    };
    let signature = signer.sign_hash_sync(&long.digest()).unwrap().as_bytes();
    let found = house
        .access(tool, signer.address(), long.data(&signature))
        .await;
    assert_eq!(
        (found.access, found.warnings),
        (Access::Granted, vec![AccessWarning::DataIsLongLivedProof])
    );
}
