//! The registries of agents (ERC-8122), from the artifacts that programs embed, on a real node: each family of rules once.

use alloy_primitives::{Address, B256, U256, hex};
use anyhow::Result;
use deedbox_neighbours::anvil::Anvil;
use deedbox_tests::{
    chain::{address, bytes, call},
    registries::{Contract, Entry, entry, log, number, word},
};

const SERVICE: &str = "https://agents.example.com/mcp";
const REGISTER: &str = "register(address,string,string,address)";
const REGISTER_ENTRIES: &str = "register(address,(string,bytes)[])";
const REGISTER_BATCH: &str = "registerBatch(address[],(string,bytes)[][])";
const REGISTERED: &str = "Registered(uint256,address,string,string,address)";
const METADATA_SET: &str = "MetadataSet(uint256,string,string,bytes)";
const TRANSFER: &str = "Transfer(address,address,address,uint256,uint256)";
const NONE: Vec<Entry> = Vec::new();

/// The accounts that the tests play with, beside the first, which deploys.
struct People {
    ann: Address,
    bob: Address,
}

const ANN: usize = 1;
const BOB: usize = 2;

fn start() -> Result<(Anvil, People)> {
    let node = Anvil::start()?;
    let people = People {
        ann: address(node.account(ANN))?,
        bob: address(node.account(BOB))?,
    };
    Ok((node, people))
}

fn open(node: &Anvil) -> Result<Contract<'_>> {
    let registrar = address(node.account(0))?;
    Contract::deploy(node, "OpenAgentRegistry", (registrar, NONE))
}

fn bytes_of(contract: &Contract<'_>, id: u64, key: &str) -> Result<Vec<u8>> {
    let value: alloy_primitives::Bytes =
        contract.read("metadata(uint256,string)", (number(id), key.to_owned()))?;
    Ok(value.to_vec())
}

#[test]
fn registering_tells_all_that_was_set_and_the_owner_has_the_one_balance() -> Result<()> {
    let (node, people) = start()?;
    let registry = open(&node)?;
    let account = Address::repeat_byte(0xa9);
    let arguments = (people.ann, "mcp".to_owned(), SERVICE.to_owned(), account);
    let logs = registry.send(BOB, REGISTER, arguments)?;

    let (id, owner) = (word(1), people.ann.into_word());
    let set = |key: &str, value: &[u8]| {
        let hash = alloy_primitives::keccak256(key);
        log(METADATA_SET, &[id, hash], (key.to_owned(), bytes(value)))
    };
    let rest = ("mcp".to_owned(), SERVICE.to_owned(), account);
    let expected = [
        log(TRANSFER, &[B256::ZERO, owner, id], (people.bob, number(1))),
        set("service_type", b"mcp"),
        set("service", SERVICE.as_bytes()),
        set("agent_account", account.as_slice()),
        log(REGISTERED, &[id, owner], rest),
    ];
    assert_eq!(logs, expected);

    assert_eq!(
        registry.read::<Address>("ownerOf(uint256)", (number(1),))?,
        people.ann
    );
    for (account, balance) in [(people.ann, 1), (people.bob, 0)] {
        let held: U256 = registry.read("balanceOf(address,uint256)", (account, number(1)))?;
        assert_eq!(held, number(balance));
    }
    assert_eq!(bytes_of(&registry, 1, "agent_account")?, account.as_slice());
    Ok(())
}

#[test]
fn fields_that_are_not_set_are_logged_empty_and_the_last_of_two_entries_counts() -> Result<()> {
    let (node, people) = start()?;
    let registry = open(&node)?;
    let entries = vec![
        entry("service", "https://old.example.com"),
        entry("name", "Ann's"),
        entry("service", SERVICE),
    ];
    let logs = registry.send(ANN, REGISTER_ENTRIES, (people.ann, entries))?;
    let rest = (String::new(), SERVICE.to_owned(), Address::ZERO);
    let registered = log(REGISTERED, &[word(1), people.ann.into_word()], rest);
    assert_eq!(logs.last(), Some(&registered));
    assert_eq!(logs.len(), 5);
    assert_eq!(bytes_of(&registry, 1, "service")?, SERVICE.as_bytes());
    assert_eq!(bytes_of(&registry, 1, "name")?, b"Ann's");
    Ok(())
}

#[test]
fn a_batch_registers_in_its_order_or_not_at_all() -> Result<()> {
    let (node, people) = start()?;
    let registry = open(&node)?;
    let lists = vec![vec![entry("name", "first")], NONE];
    let owners = vec![people.ann, people.bob];
    let outcome = registry.call(0, REGISTER_BATCH, (owners.clone(), lists.clone()))?;
    let ids = (vec![number(1), number(2)],);
    assert_eq!(outcome, Ok(deedbox_tests::chain::Arguments::encoded(&ids)));
    registry.send(0, REGISTER_BATCH, (owners, lists.clone()))?;
    assert_eq!(
        registry.read::<Address>("ownerOf(uint256)", (number(2),))?,
        people.bob
    );

    let fault = registry.fault(0, REGISTER_BATCH, (vec![people.ann], lists.clone()))?;
    let expected = call(
        "BatchLengthMismatch(uint256,uint256)",
        (number(1), number(2)),
    );
    assert_eq!(fault, expected);
    let owners = vec![people.ann, Address::ZERO];
    let fault = registry.fault(0, REGISTER_BATCH, (owners, lists))?;
    assert_eq!(fault, call("InvalidOwner(address)", (Address::ZERO,)));
    assert_eq!(registry.read::<U256>("agentCount()", ())?, number(2));
    Ok(())
}

#[test]
fn what_is_wrong_is_refused_by_name() -> Result<()> {
    let (node, people) = start()?;
    let registry = open(&node)?;
    let unknown = call("AgentNotFound(uint256)", (number(7),));
    let faults = [
        registry.fault(0, "ownerOf(uint256)", (number(7),))?,
        registry.fault(
            0,
            "transfer(address,uint256,uint256)",
            (people.bob, number(7), number(1)),
        )?,
        registry.fault(
            0,
            "setMetadata(uint256,string,bytes)",
            (number(7), "name".to_owned(), bytes("x")),
        )?,
    ];
    assert_eq!(faults, [unknown.clone(), unknown.clone(), unknown]);

    let nobody = (Address::ZERO, NONE);
    let fault = registry.fault(0, REGISTER_ENTRIES, nobody)?;
    assert_eq!(fault, call("InvalidOwner(address)", (Address::ZERO,)));
    let short = (people.ann, vec![entry("agent_account", [7; 19])]);
    let fault = registry.fault(0, REGISTER_ENTRIES, short)?;
    assert_eq!(fault, call("InvalidAgentAccount(bytes)", (bytes([7; 19]),)));
    Ok(())
}

#[test]
fn an_agent_moves_whole_and_only_by_those_who_may() -> Result<()> {
    const FROM: &str = "transferFrom(address,address,uint256,uint256)";
    let (node, people) = start()?;
    let registry = open(&node)?;
    registry.send(0, REGISTER_ENTRIES, (people.ann, NONE))?;
    for amount in [0, 2] {
        let arguments = (people.bob, number(1), number(amount));
        let fault = registry.fault(ANN, "transfer(address,uint256,uint256)", arguments)?;
        assert_eq!(fault, call("InvalidAmount(uint256)", (number(amount),)));
    }
    let take = || (people.ann, people.bob, number(1), number(1));
    let denied = call(
        "InsufficientPermission(address,uint256)",
        (people.bob, number(1)),
    );
    assert_eq!(registry.fault(BOB, FROM, take())?, denied);

    let approve = "approve(address,uint256,uint256)";
    registry.send(ANN, approve, (people.bob, number(1), number(1)))?;
    let logs = registry.send(BOB, FROM, take())?;
    let topics = [people.ann.into_word(), people.bob.into_word(), word(1)];
    assert_eq!(logs, [log(TRANSFER, &topics, (people.bob, number(1)))]);
    let allowance = "allowance(address,address,uint256)";
    let left: U256 = registry.read(allowance, (people.ann, people.bob, number(1)))?;
    assert_eq!(left, number(0), "what was spent is gone");

    // Back, and by an operator this time, who needs no allowance and lowers none.
    registry.send(
        BOB,
        "transfer(address,uint256,uint256)",
        (people.ann, number(1), number(1)),
    )?;
    registry.send(ANN, approve, (people.bob, number(1), number(5)))?;
    registry.send(ANN, "setOperator(address,bool)", (people.bob, true))?;
    registry.send(BOB, FROM, take())?;
    let left: U256 = registry.read(allowance, (people.ann, people.bob, number(1)))?;
    assert_eq!(left, number(5));
    let owner: Address = registry.read("ownerOf(uint256)", (number(1),))?;
    assert_eq!(owner, people.bob);
    Ok(())
}

#[test]
fn metadata_is_written_by_owner_operator_or_spender_and_by_nobody_else() -> Result<()> {
    const SET: &str = "setMetadata(uint256,string,bytes)";
    let (node, people) = start()?;
    let registry = open(&node)?;
    registry.send(0, REGISTER_ENTRIES, (people.ann, NONE))?;
    let named = |name: &str| (number(1), "name".to_owned(), bytes(name));
    let denied = call(
        "InsufficientPermission(address,uint256)",
        (people.bob, number(1)),
    );
    assert_eq!(registry.fault(BOB, SET, named("Bob's"))?, denied);
    registry.send(
        ANN,
        "approve(address,uint256,uint256)",
        (people.bob, number(1), number(1)),
    )?;
    registry.send(BOB, SET, named("Bob's"))?;
    assert_eq!(bytes_of(&registry, 1, "name")?, b"Bob's");
    registry.send(ANN, SET, named(""))?;
    assert_eq!(bytes_of(&registry, 1, "name")?, b"");
    Ok(())
}

#[test]
fn who_may_register_depends_on_the_kind_of_registry() -> Result<()> {
    let (node, people) = start()?;
    let registrar = address(node.account(0))?;
    let curated = Contract::deploy(&node, "CuratedAgentRegistry", (registrar, NONE))?;
    let fault = curated.fault(ANN, REGISTER_ENTRIES, (people.ann, NONE))?;
    assert_eq!(fault, call("NotRegistrar(address)", (people.ann,)));
    curated.send(0, REGISTER_ENTRIES, (people.ann, NONE))?;

    let supply = (registrar, number(2), NONE);
    let fixed = Contract::deploy(&node, "FixedSupplyAgentRegistry", supply)?;
    let three = (vec![people.ann; 3], vec![NONE; 3]);
    let exhausted = call("SupplyExhausted(uint256)", (number(2),));
    assert_eq!(fixed.fault(0, REGISTER_BATCH, three)?, exhausted);
    fixed.send(0, REGISTER_BATCH, (vec![people.ann; 2], vec![NONE; 2]))?;
    assert_eq!(
        fixed.fault(0, REGISTER_ENTRIES, (people.ann, NONE))?,
        exhausted
    );
    Ok(())
}

#[test]
fn a_registrys_own_metadata_is_the_registrars_and_is_handed_over_in_two_steps() -> Result<()> {
    const SET: &str = "setContractMetadata(string,bytes)";
    let (node, people) = start()?;
    let registrar = address(node.account(0))?;
    let entries = vec![entry("name", "Agents")];
    let registry = Contract::deploy(&node, "OpenAgentRegistry", (registrar, entries))?;
    let name = || ("name".to_owned(), bytes("Others"));
    let fault = registry.fault(ANN, SET, name())?;
    assert_eq!(fault, call("NotRegistrar(address)", (people.ann,)));
    registry.send(0, "nominateRegistrar(address)", (people.ann,))?;
    let fault = registry.fault(BOB, "acceptRegistrar()", ())?;
    assert_eq!(fault, call("NotNominated(address)", (people.bob,)));
    registry.send(ANN, "acceptRegistrar()", ())?;
    let logs = registry.send(ANN, SET, name())?;
    let hash = alloy_primitives::keccak256("name");
    let updated = log(
        "ContractMetadataUpdated(string,string,bytes)",
        &[hash],
        name(),
    );
    assert_eq!(logs, [updated]);
    registry.send(ANN, "renounceRegistrar()", ())?;
    assert_eq!(
        registry.fault(ANN, SET, name())?,
        call("NotRegistrar(address)", (people.ann,))
    );
    Ok(())
}

#[test]
fn the_interfaces_are_those_of_the_standards_and_no_other() -> Result<()> {
    let (node, _) = start()?;
    let registry = open(&node)?;
    let claims = |id: &str| -> Result<bool> {
        let id = alloy_primitives::FixedBytes::<4>::from_slice(&hex::decode(id)?);
        registry.read("supportsInterface(bytes4)", (id,))
    };
    for id in ["01ffc9a7", "0f632fb3", "df670be1", "8ec3f882", "2bb55cdc"] {
        assert!(claims(id)?, "{id}");
    }
    for id in ["ffffffff", "f9cb127d", "80ac58cd"] {
        assert!(!claims(id)?, "{id}");
    }
    Ok(())
}
