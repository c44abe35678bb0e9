//! The registry of tools (ERC-8257), from the artifact that programs embed, on a real node: each family of rules once, and what sending
//! little gas can not do.

use alloy_primitives::{Address, B256, U256};
use anyhow::Result;
use deedbox_neighbours::anvil::Anvil;
use deedbox_tests::{
    chain::{address, bytes, call},
    registries::{Contract, log, number, word},
};

const REGISTER: &str = "registerTool(string,bytes32,address)";
const UPDATE: &str = "updateToolMetadata(uint256,string,bytes32)";
const SET_PREDICATE: &str = "setAccessPredicate(uint256,address)";
const DEREGISTER: &str = "deregisterTool(uint256)";
const CONFIG: &str = "getToolConfig(uint256)";
const HAS_ACCESS: &str = "hasAccess(uint256,address,bytes)";
const TRY_HAS_ACCESS: &str = "tryHasAccess(uint256,address,bytes)";
const URI: &str = "https://tools.example.com/.well-known/ai-tool/translate.json";
const HASH: B256 = B256::repeat_byte(0x11);
const CREATOR: usize = 1;
const OTHER: usize = 2;

/// The arguments of registering a tool.
fn tool(predicate: Address) -> (String, B256, Address) {
    (URI.to_owned(), HASH, predicate)
}

fn question(id: u64) -> (U256, Address, alloy_primitives::Bytes) {
    (number(id), Address::repeat_byte(0xcc), bytes(*b"any"))
}

fn registry(node: &Anvil) -> Result<Contract<'_>> {
    Contract::deploy(node, "ToolRegistry", ())
}

#[test]
fn a_tool_is_registered_changed_and_retired_by_its_creator() -> Result<()> {
    let node = Anvil::start()?;
    let registry = registry(&node)?;
    let creator = address(node.account(CREATOR))?;
    let (id, creator_topic) = (word(1), creator.into_word());
    let open = Address::ZERO;

    let logs = registry.send(CREATOR, REGISTER, tool(open))?;
    let registered = "ToolRegistered(uint256,address,address,string,bytes32)";
    let topics = [id, creator_topic, open.into_word()];
    assert_eq!(logs, [log(registered, &topics, (URI.to_owned(), HASH))]);

    let uri = URI.replace("translate", "summarize");
    let logs = registry.send(
        CREATOR,
        UPDATE,
        (number(1), uri.clone(), B256::repeat_byte(0x22)),
    )?;
    let rest = (uri.clone(), B256::repeat_byte(0x22));
    assert_eq!(
        logs,
        [log(
            "ToolMetadataUpdated(uint256,string,bytes32)",
            &[id],
            rest
        )]
    );

    let denying = Contract::deploy(&node, "AlwaysDenyPredicate", ())?.address();
    let logs = registry.send(CREATOR, SET_PREDICATE, (number(1), denying))?;
    let topics = [id, denying.into_word()];
    assert_eq!(
        logs,
        [log("AccessPredicateUpdated(uint256,address)", &topics, ())]
    );
    let again = registry.send(CREATOR, SET_PREDICATE, (number(1), denying))?;
    assert_eq!(again, [], "what is there already is no change");

    let config: (Address, String, B256, Address) = registry.read(CONFIG, (number(1),))?;
    assert_eq!(config, (creator, uri, B256::repeat_byte(0x22), denying));

    let logs = registry.send(CREATOR, DEREGISTER, (number(1),))?;
    assert_eq!(logs, [log("ToolDeregistered(uint256)", &[id], ())]);
    registry.send(OTHER, REGISTER, tool(open))?;
    assert_eq!(
        registry.read::<U256>("toolCount()", ())?,
        number(2),
        "no id is used twice"
    );
    Ok(())
}

#[test]
fn every_refusal_has_its_name_and_the_first_that_applies_is_told() -> Result<()> {
    let node = Anvil::start()?;
    let registry = registry(&node)?;
    let other = address(node.account(OTHER))?;
    registry.send(CREATOR, REGISTER, tool(Address::ZERO))?;
    registry.send(CREATOR, REGISTER, tool(Address::ZERO))?;
    registry.send(CREATOR, DEREGISTER, (number(2),))?;

    // Of an unknown or a retired tool only that is said, whoever asks, and whatever is wrong besides.
    let each = |id: u64| -> Result<Vec<Vec<u8>>> {
        Ok(vec![
            registry.fault(OTHER, CONFIG, (number(id),))?,
            registry.fault(OTHER, HAS_ACCESS, question(id))?,
            registry.fault(OTHER, TRY_HAS_ACCESS, question(id))?,
            registry.fault(OTHER, UPDATE, (number(id), String::new(), B256::ZERO))?,
            registry.fault(OTHER, SET_PREDICATE, (number(id), other))?,
            registry.fault(OTHER, DEREGISTER, (number(id),))?,
        ])
    };
    for (id, error) in [
        (9, "ToolNotFound(uint256)"),
        (2, "ToolIsDeregistered(uint256)"),
    ] {
        assert_eq!(each(id)?, vec![call(error, (number(id),)); 6]);
    }

    let stranger = call("NotToolCreator(uint256,address)", (number(1), other));
    let faults = [
        registry.fault(OTHER, UPDATE, (number(1), String::new(), B256::ZERO))?,
        registry.fault(OTHER, SET_PREDICATE, (number(1), other))?,
        registry.fault(OTHER, DEREGISTER, (number(1),))?,
    ];
    assert_eq!(faults, [stranger.clone(), stranger.clone(), stranger]);

    let (uri, hash) = (
        call("InvalidMetadataURI()", ()),
        call("InvalidManifestHash()", ()),
    );
    for text in [String::new(), "u".repeat(2_049), "ü".repeat(1_025)] {
        let fault = registry.fault(CREATOR, REGISTER, (text, B256::ZERO, Address::ZERO))?;
        assert_eq!(fault, uri);
    }
    registry.send(CREATOR, REGISTER, ("u".repeat(2_048), HASH, Address::ZERO))?;
    let fault = registry.fault(
        CREATOR,
        REGISTER,
        (URI.to_owned(), B256::ZERO, Address::ZERO),
    )?;
    assert_eq!(fault, hash);
    // A registry is no predicate, this one neither.
    let fault = registry.fault(CREATOR, REGISTER, tool(registry.address()))?;
    assert_eq!(
        fault,
        call("InvalidAccessPredicate(address)", (registry.address(),))
    );
    Ok(())
}

#[test]
fn only_a_canonical_answer_of_a_predicate_counts() -> Result<()> {
    let node = Anvil::start()?;
    let registry = registry(&node)?;
    let mut predicates = vec![
        (Address::ZERO, (true, true)),
        (Address::repeat_byte(0xdd), (false, false)),
        (answering(&node, true, 0)?, (true, true)),
        (answering(&node, false, 0)?, (true, false)),
    ];
    // Reverts, burns all gas, 64 bytes, 31 bytes, a megabyte, the word 2.
    for how in 0_u64..6 {
        let broken = Contract::deploy(&node, "Broken", (number(how),))?;
        predicates.push((broken.address(), (false, false)));
    }
    for (index, (predicate, expected)) in (1..).zip(predicates) {
        registry.send(CREATOR, REGISTER, tool(predicate))?;
        let told: (bool, bool) = registry.read(TRY_HAS_ACCESS, question(index))?;
        assert_eq!(told, expected, "tool {index}");
        let granted: bool = registry.read(HAS_ACCESS, question(index))?;
        assert_eq!(granted, expected.1, "tool {index}");
    }
    Ok(())
}

#[test]
fn no_amount_of_gas_gets_an_impostor_past_the_ladder() -> Result<()> {
    let node = Anvil::start()?;
    let registry = registry(&node)?;
    let impostor = Contract::deploy(&node, "SlowImpostor", ())?.address();
    let honest = answering(&node, true, 0)?;
    let mut taken = 0;
    for gas in (60_000..300_000).step_by(4_000) {
        let sent = registry.send_with(CREATOR, &call(REGISTER, tool(impostor)), gas)?;
        assert!(
            !sent.succeeded,
            "an impostor became a predicate with {gas} gas"
        );
        let sent = registry.send_with(CREATOR, &call(REGISTER, tool(honest)), gas)?;
        taken += u32::from(sent.succeeded);
    }
    assert!(taken > 0, "no amount sufficed for an honest predicate");
    let count: U256 = registry.read("toolCount()", ())?;
    assert_eq!(count, U256::from(taken));
    Ok(())
}

/// A predicate that answers so, after having used so much gas.
fn answering(node: &Anvil, answer: bool, gas: u64) -> Result<Address> {
    Ok(Contract::deploy(node, "Answering", (answer, number(gas)))?.address())
}

#[test]
fn the_interfaces_of_the_registry_and_of_a_predicate_are_not_mixed_up() -> Result<()> {
    let node = Anvil::start()?;
    let registry = registry(&node)?;
    let predicate = Contract::deploy(&node, "AlwaysDenyPredicate", ())?;
    let ids = [
        (0xf1dc_8075_u32, [true, false]),
        (0xbdf9_dc18, [false, true]),
        (0x01ff_c9a7, [true, true]),
        (0xffff_ffff, [false, false]),
    ];
    for (id, expected) in ids {
        let id = alloy_primitives::FixedBytes::<4>::from(id.to_be_bytes());
        for (contract, expected) in [registry, predicate].iter().zip(expected) {
            let claimed: bool = contract.read("supportsInterface(bytes4)", (id,))?;
            assert_eq!(claimed, expected, "{id}");
        }
    }
    for contract in [registry, predicate] {
        assert!(!contract.read::<String>("name()", ())?.is_empty());
    }
    assert!(!registry.read::<String>("version()", ())?.is_empty());
    Ok(())
}
