use alloy_primitives::B256;
use alloy_sol_types::SolValue;
use deedbox_chain::{look::Said, send::Log};
use deedbox_core::BlockHash;
use deedbox_registry::Predicate;

use super::*;

const REGISTRY: Address = Address::repeat_byte(0xee);
const ME: Address = Address::repeat_byte(0x11);

fn receipt(logs: Vec<Log>, contract: Option<Address>) -> Receipt {
    Receipt {
        transaction: B256::ZERO,
        block_number: 1,
        block_hash: BlockHash([1; 32]),
        succeeded: true,
        denied_by: Vec::new(),
        gas_used: 1,
        effective_gas_price: 1,
        contract,
        logs,
    }
}

/// `Registered(uint256 indexed,address indexed,string,string,address)`, its texts no UTF-8: only topics are read.
fn registered(by: Address, id: u64, owner: Address) -> Log {
    let topic = alloy_primitives::keccak256("Registered(uint256,address,string,string,address)");
    Log {
        address: by,
        topics: vec![topic, U256::from(id).into(), owner.into_word()],
        data: vec![0xff; 7].into(),
        log_index: 0,
    }
}

fn agent(values: &[(&str, &str)]) -> NewAgent {
    let entry = |(key, value): &(&str, &str)| Entry::text(key.parse().unwrap(), value).unwrap();
    NewAgent {
        owner: ME,
        metadata: values.iter().map(entry).collect(),
    }
}

fn call(call: Call) -> Change {
    Change::Call { to: REGISTRY, call }
}

fn got(calls: &[Vec<u8>]) -> Got {
    let said = |data: &Vec<u8>| Said::Returned(data.clone().into());
    Got {
        calls: calls.iter().map(said).collect(),
        ..Got::default()
    }
}

#[test]
fn an_agent_is_compared_owner_and_every_value_the_last_of_each_key() {
    let change = call(Call::Register(agent(&[
        ("name", "old"),
        ("image", "ipfs://x"),
        ("name", "new"),
    ])));
    let logs = vec![
        registered(Address::ZERO, 4, ME),
        registered(REGISTRY, 9, ME),
    ];
    let expected = Expected::of(&change, ME, 7, &receipt(logs, None));
    assert_eq!(
        expected.created["agent_ids"],
        json!(["9"]),
        "logs of other contracts say nothing"
    );
    let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes()).abi_encode();
    let right = [ME.abi_encode(), bytes("ipfs://x"), bytes("new")];
    assert_eq!(expected.wanted().calls.len(), 3);
    assert_eq!(expected.compare(&got(&right)), (ReadBack::Matches, vec![]));
    for (index, wrong) in [REGISTRY.abi_encode(), bytes("ipfs://y"), vec![1, 2]]
        .into_iter()
        .enumerate()
    {
        let mut answers = right.clone();
        answers[index] = wrong;
        let (read_back, findings) = expected.compare(&got(&answers));
        assert_eq!(
            (read_back, findings.len()),
            (ReadBack::Differs, 1),
            "{findings:?}"
        );
    }
    // Fewer answers than questions are no match.
    assert_eq!(expected.compare(&got(&right[..2])).0, ReadBack::Differs);
}

#[test]
fn a_receipt_without_the_event_or_with_another_owner_differs() {
    let change = call(Call::Register(agent(&[])));
    for logs in [
        vec![],
        vec![registered(REGISTRY, 1, REGISTRY)],
        vec![registered(REGISTRY, 1, ME), registered(REGISTRY, 2, ME)],
    ] {
        let expected = Expected::of(&change, ME, 7, &receipt(logs, None));
        assert_eq!(
            expected
                .compare(&got(&[ME.abi_encode(), ME.abi_encode()]))
                .0,
            ReadBack::Differs
        );
    }
}

#[test]
fn a_tool_that_still_answers_is_not_gone() {
    let change = call(Call::DeregisterTool(U256::from(3)));
    let topic = alloy_primitives::keccak256("ToolDeregistered(uint256)");
    let log = Log {
        address: REGISTRY,
        topics: vec![topic, U256::from(3).into()],
        data: Bytes::new(),
        log_index: 0,
    };
    let expected = Expected::of(&change, ME, 7, &receipt(vec![log], None));
    let gone = Got {
        calls: vec![Said::Reverted(Bytes::new())],
        ..Got::default()
    };
    assert_eq!(expected.compare(&gone).0, ReadBack::Matches);
    assert_eq!(expected.compare(&got(&[vec![0; 32]])).0, ReadBack::Differs);
    let silent = Expected::of(&change, ME, 7, &receipt(vec![], None));
    assert_eq!(silent.compare(&gone).0, ReadBack::Differs);
}

#[test]
fn a_new_contract_has_to_have_our_code() {
    let change = Change::Create(Deployment::Tools);
    let expected = Expected::of(&change, ME, 7, &receipt(vec![], Some(ME.create(7))));
    assert_eq!(expected.created["contract"], ME.create(7).to_string());
    let with = |code: Vec<u8>| Got {
        codes: vec![code.into()],
        ..Got::default()
    };
    let right = Deployment::Tools.artifact().deployed_bytecode.to_vec();
    assert_eq!(expected.compare(&with(right)).0, ReadBack::Matches);
    assert_eq!(expected.compare(&with(vec![1])).0, ReadBack::Differs);
    let nowhere = Expected::of(&change, ME, 7, &receipt(vec![], None));
    assert_eq!(nowhere.compare(&Got::default()).0, ReadBack::Differs);
}

#[test]
fn more_agents_than_were_to_be_registered_are_counted_and_not_kept() {
    let change = call(Call::Register(agent(&[])));
    let logs = (0..5_000).map(|id| registered(REGISTRY, id, ME)).collect();
    let expected = Expected::of(&change, ME, 7, &receipt(logs, None));
    assert_eq!(expected.created["agent_ids"], json!(["0"]));
    let (read_back, findings) = expected.compare(&got(&[ME.abi_encode()]));
    assert_eq!(read_back, ReadBack::Differs);
    assert!(findings[0].contains("5000 registered"), "{findings:?}");
}

/// A contract with the right code and other values is not the one that was signed.
#[test]
fn what_a_predicate_was_created_with_is_compared_value_by_value() {
    let (one, two) = (Address::repeat_byte(0x21), Address::repeat_byte(0x22));
    let five = U256::from(5);
    let word = |value: u64| U256::from(value).abi_encode();
    let term = |predicate, negated| deedbox_registry::Term {
        predicate,
        negated,
        gas_limit: 50_000,
    };
    let cases = [
        (
            Predicate::Allowlist { registry: one },
            vec![one.abi_encode()],
        ),
        (
            Predicate::MerkleAllowlist { registry: one },
            vec![one.abi_encode()],
        ),
        (
            Predicate::Erc721Holder { collection: one },
            vec![one.abi_encode()],
        ),
        (
            Predicate::Erc1155Holder {
                collection: one,
                token_id: five,
            },
            vec![one.abi_encode(), word(5)],
        ),
        (
            Predicate::Erc20Balance {
                token: one,
                min_balance: five,
            },
            vec![one.abi_encode(), word(5)],
        ),
        (
            Predicate::Subscription {
                collection: one,
                min_tier: 5,
            },
            vec![one.abi_encode(), word(5)],
        ),
        (
            Predicate::AgentOwner {
                agents: one,
                agent_id: five,
            },
            vec![one.abi_encode(), word(5)],
        ),
        (
            Predicate::AnyAgentOwner { agents: one },
            vec![one.abi_encode()],
        ),
        (
            Predicate::AccessProof { caller: one },
            vec![one.abi_encode()],
        ),
        (
            Predicate::Composite {
                caller: two,
                logic: deedbox_registry::Logic::Any,
                terms: vec![term(one, false), term(two, true)],
            },
            vec![
                two.abi_encode(),
                word(1),
                word(2),
                [one.abi_encode(), word(0), word(50_000)].concat(),
                [two.abi_encode(), word(1), word(50_000)].concat(),
            ],
        ),
    ];
    for (predicate, right) in cases {
        let deployment = Deployment::Predicate(predicate);
        let code = deployment.artifact().deployed_bytecode.clone();
        let change = Change::Create(deployment.clone());
        let expected = Expected::of(&change, ME, 7, &receipt(vec![], Some(ME.create(7))));
        assert_eq!(expected.wanted().calls.len(), right.len(), "{deployment:?}");
        let compare = |answers: &[Vec<u8>]| {
            let got = Got {
                codes: vec![code.clone()],
                ..got(answers)
            };
            expected.compare(&got)
        };
        assert_eq!(
            compare(&right),
            (ReadBack::Matches, vec![]),
            "{deployment:?}"
        );
        for index in 0..right.len() {
            let mut wrong = right.clone();
            wrong[index][31] ^= 1;
            let (read_back, findings) = compare(&wrong);
            assert_eq!(
                (read_back, findings.len()),
                (ReadBack::Differs, 1),
                "{deployment:?} {index}"
            );
        }
    }
}

#[test]
fn where_a_new_contract_stands_is_not_for_the_receipt_to_say() {
    let change = Change::Create(Deployment::Tools);
    let code = Deployment::Tools.artifact().deployed_bytecode.clone();
    let got = Got {
        codes: vec![code],
        ..Got::default()
    };
    for told in [Some(REGISTRY), None] {
        let expected = Expected::of(&change, ME, 7, &receipt(vec![], told));
        assert_eq!(expected.created["contract"], ME.create(7).to_string());
        assert_eq!(expected.wanted().codes, [ME.create(7)]);
        assert_eq!(expected.compare(&got).0, ReadBack::Differs, "{told:?}");
    }
}
