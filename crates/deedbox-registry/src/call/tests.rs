use alloy_primitives::{hex, keccak256};
use proptest::prelude::*;

use super::*;

fn key() -> impl Strategy<Value = deedbox_id::StorageKey> {
    "[a-z_]{1,12}(/[a-z0-9]{1,4})?".prop_map(|key| key.parse().unwrap())
}

fn entry() -> impl Strategy<Value = Entry> {
    let value = prop::collection::vec(any::<u8>(), 0..70);
    let fits = |(key, value): (_, Vec<u8>)| Entry::new(key, value).ok();
    (key(), value).prop_filter_map("agent_account", fits)
}

fn agent() -> impl Strategy<Value = NewAgent> {
    (address(), prop::collection::vec(entry(), 0..4))
        .prop_map(|(owner, metadata)| NewAgent { owner, metadata })
}

fn address() -> impl Strategy<Value = Address> {
    any::<[u8; 20]>().prop_map(Address::from)
}

fn number() -> impl Strategy<Value = U256> {
    any::<[u64; 4]>().prop_map(U256::from_limbs)
}

fn hash() -> impl Strategy<Value = B256> {
    any::<[u8; 32]>().prop_map(B256::from)
}

fn call() -> impl Strategy<Value = Call> {
    let entries = || prop::collection::vec(entry(), 0..4);
    prop_oneof![
        (address(), ".{0,8}", ".{0,80}", address()).prop_map(
            |(owner, service_type, service, agent_account)| Call::RegisterService {
                owner,
                service_type,
                service,
                agent_account
            }
        ),
        agent().prop_map(Call::Register),
        prop::collection::vec(agent(), 0..4).prop_map(Call::RegisterBatch),
        (number(), entry()).prop_map(|(agent_id, entry)| Call::SetMetadata { agent_id, entry }),
        (number(), entries())
            .prop_map(|(agent_id, entries)| Call::SetMetadataBatch { agent_id, entries }),
        (address(), number())
            .prop_map(|(receiver, agent_id)| Call::Transfer { receiver, agent_id }),
        (address(), address(), number()).prop_map(|(sender, receiver, agent_id)| {
            Call::TransferFrom {
                sender,
                receiver,
                agent_id,
            }
        }),
        (address(), number(), number()).prop_map(|(spender, agent_id, amount)| Call::Approve {
            spender,
            agent_id,
            amount
        }),
        (address(), any::<bool>())
            .prop_map(|(operator, approved)| Call::SetOperator { operator, approved }),
        entry().prop_map(Call::SetContractMetadata),
        address().prop_map(Call::NominateRegistrar),
        Just(Call::AcceptRegistrar),
        Just(Call::RenounceRegistrar),
        (".{0,80}", hash(), address()).prop_map(
            |(metadata_uri, manifest_hash, access_predicate)| Call::RegisterTool {
                metadata_uri,
                manifest_hash,
                access_predicate
            }
        ),
        (number(), ".{0,80}", hash()).prop_map(|(tool_id, metadata_uri, manifest_hash)| {
            Call::UpdateToolMetadata {
                tool_id,
                metadata_uri,
                manifest_hash,
            }
        }),
        (number(), address()).prop_map(|(tool_id, access_predicate)| Call::SetAccessPredicate {
            tool_id,
            access_predicate
        }),
        number().prop_map(Call::DeregisterTool),
        (
            number(),
            prop::collection::vec(address(), 0..4),
            any::<bool>()
        )
            .prop_map(|(tool_id, accounts, allowed)| Call::SetAllowed {
                tool_id,
                accounts,
                allowed
            }),
        (number(), hash()).prop_map(|(tool_id, root)| Call::SetRoot { tool_id, root }),
    ]
}

proptest! {
    #[test]
    fn every_call_comes_back_as_it_was(call in call()) {
        let data = call.encode();
        prop_assert_eq!(Call::decode(&data), Ok(call));
    }

    #[test]
    fn whatever_reads_as_a_call_is_encoded_as_the_same_bytes(call in call(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut data = call.encode().to_vec();
        let at = at.index(data.len());
        data[at] = byte;
        if let Ok(read) = Call::decode(&data) {
            prop_assert_eq!(&read.encode()[..], &data[..]);
        }
        data.truncate(at);
        if let Ok(read) = Call::decode(&data) {
            prop_assert_eq!(&read.encode()[..], &data[..]);
        }
    }
}

/// Selectors are those of the standards' texts, computed from the signatures that stand there.
#[test]
fn selectors_are_those_of_the_standards() {
    let agent = || NewAgent {
        owner: Address::ZERO,
        metadata: Vec::new(),
    };
    let entry = || Entry::new("k".parse().unwrap(), vec![1]).unwrap();
    let (zero, id) = (Address::ZERO, U256::ZERO);
    for (call, signature) in [
        (
            Call::RegisterService {
                owner: zero,
                service_type: String::new(),
                service: String::new(),
                agent_account: zero,
            },
            "register(address,string,string,address)",
        ),
        (
            Call::Register(agent()),
            "register(address,(string,bytes)[])",
        ),
        (
            Call::RegisterBatch(vec![]),
            "registerBatch(address[],(string,bytes)[][])",
        ),
        (
            Call::SetMetadata {
                agent_id: id,
                entry: entry(),
            },
            "setMetadata(uint256,string,bytes)",
        ),
        (
            Call::Transfer {
                receiver: zero,
                agent_id: id,
            },
            "transfer(address,uint256,uint256)",
        ),
        (
            Call::TransferFrom {
                sender: zero,
                receiver: zero,
                agent_id: id,
            },
            "transferFrom(address,address,uint256,uint256)",
        ),
        (
            Call::Approve {
                spender: zero,
                agent_id: id,
                amount: id,
            },
            "approve(address,uint256,uint256)",
        ),
        (
            Call::SetOperator {
                operator: zero,
                approved: true,
            },
            "setOperator(address,bool)",
        ),
        (
            Call::SetContractMetadata(entry()),
            "setContractMetadata(string,bytes)",
        ),
        (
            Call::RegisterTool {
                metadata_uri: String::new(),
                manifest_hash: B256::ZERO,
                access_predicate: zero,
            },
            "registerTool(string,bytes32,address)",
        ),
        (
            Call::UpdateToolMetadata {
                tool_id: id,
                metadata_uri: String::new(),
                manifest_hash: B256::ZERO,
            },
            "updateToolMetadata(uint256,string,bytes32)",
        ),
        (
            Call::SetAccessPredicate {
                tool_id: id,
                access_predicate: zero,
            },
            "setAccessPredicate(uint256,address)",
        ),
        (Call::DeregisterTool(id), "deregisterTool(uint256)"),
    ] {
        assert_eq!(call.encode()[..4], keccak256(signature)[..4], "{signature}");
    }
}

#[test]
fn a_transfer_of_anything_but_one_is_no_call_of_ours() {
    // transfer(receiver 1, id 2, amount 3), written by hand.
    let data = hex!(
        "095bcdb6
         0000000000000000000000000000000000000000000000000000000000000001
         0000000000000000000000000000000000000000000000000000000000000002
         0000000000000000000000000000000000000000000000000000000000000003"
    );
    assert_eq!(Call::decode(&data), Err(NotACall));
    let mut one = data;
    one[99] = 1;
    let receiver = Address::with_last_byte(1);
    let agent_id = U256::from(2);
    assert_eq!(
        Call::decode(&one),
        Ok(Call::Transfer { receiver, agent_id })
    );
}

#[test]
fn an_agent_with_one_service_goes_by_the_overload_for_that_and_any_other_does_not() {
    let entry = |key: &str, value: &[u8]| Entry::new(key.parse().unwrap(), value.to_vec()).unwrap();
    let agent = |metadata: &[Entry]| NewAgent {
        owner: Address::ZERO,
        metadata: metadata.to_vec(),
    };
    let (kind, service) = (
        entry("service_type", b"mcp"),
        entry("service", b"https://a.example"),
    );
    let account = entry("agent_account", &[7; 20]);
    let simple = [
        &[kind.clone(), service.clone(), account.clone()][..],
        std::slice::from_ref(&service),
        &[],
    ];
    for metadata in simple {
        let call = agent(metadata).into_call();
        assert!(matches!(call, Call::RegisterService { .. }), "{call:?}");
    }
    let others = [
        entry("name", b"A"),
        entry("service", b"twice"),
        entry("service_type", b"\xff"),
        entry("agent_account", &[0; 20]),
        entry("service_type", b""),
    ];
    for other in others {
        let call = agent(&[service.clone(), other]).into_call();
        assert!(matches!(call, Call::Register(_)), "{call:?}");
    }
}
