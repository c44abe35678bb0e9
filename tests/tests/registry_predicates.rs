//! The predicates, asked through the registry on a real node. Proofs are made here, by other code than the contracts'.

use alloy_primitives::{Address, B256, Bytes, U64, U256, keccak256};
use alloy_signer::SignerSync as _;
use alloy_signer_local::PrivateKeySigner;
use anyhow::Result;
use deedbox_neighbours::anvil::Anvil;
use deedbox_tests::{
    chain::{Arguments, CHAIN, address, bytes, call},
    registries::{Contract, Entry, log, number},
};
use serde_json::json;

const URI: &str = "https://tools.example.com/.well-known/ai-tool/translate.json";
const CREATOR: usize = 1;
/// Long after the tests, long before the end of 64 bits.
const LATER: u64 = 4_000_000_000;

/// A registry whose tools are gated by whatever is tested.
struct Gate<'a> {
    node: &'a Anvil,
    registry: Contract<'a>,
}

impl<'a> Gate<'a> {
    fn new(node: &'a Anvil) -> Result<Self> {
        let registry = Contract::deploy(node, "ToolRegistry", ())?;
        Ok(Self { node, registry })
    }

    /// Registers a tool that `predicate` gates, and returns its id.
    fn tool(&self, predicate: &Contract<'_>) -> Result<U256> {
        let tool = (URI.to_owned(), B256::repeat_byte(1), predicate.address());
        self.registry
            .send(CREATOR, "registerTool(string,bytes32,address)", tool)?;
        self.registry.read("toolCount()", ())
    }

    /// What the registry is told for `account`: whether the predicate worked, and whether it grants access.
    fn ask(&self, tool: U256, account: Address, data: impl Into<Vec<u8>>) -> Result<(bool, bool)> {
        let question = (tool, account, bytes(data));
        self.registry
            .read("tryHasAccess(uint256,address,bytes)", question)
    }

    fn account(&self, index: usize) -> Result<Address> {
        address(self.node.account(index))
    }
}

const YES: (bool, bool) = (true, true);
const NO: (bool, bool) = (true, false);
const BROKEN: (bool, bool) = (false, false);

#[test]
fn holders_have_access_and_others_have_not() -> Result<()> {
    let node = Anvil::start()?;
    let gate = Gate::new(&node)?;
    let (holder, other) = (gate.account(3)?, gate.account(4)?);

    let collection = Contract::deploy(&node, "Collection", ())?;
    let mint = (holder, number(7), LATER, 2_u8);
    // An 8-bit argument is a word like any other.
    collection.send(
        0,
        "mint(address,uint256,uint64,uint8)",
        (mint.0, mint.1, mint.2, number(2)),
    )?;
    let editions = Contract::deploy(&node, "Editions", ())?;
    editions.send(
        0,
        "mint(address,uint256,uint256)",
        (holder, number(7), number(1)),
    )?;
    let token = (bytes("T"), bytes("T"), number(6));
    let token = Contract::deploy(&node, "Token", token)?;
    token.send(0, "mint(address,uint256)", (holder, number(100)))?;
    let entries: Vec<Entry> = vec![];
    let agents = Contract::deploy(&node, "OpenAgentRegistry", (Address::ZERO, entries.clone()))?;
    agents.send(0, "register(address,(string,bytes)[])", (holder, entries))?;

    let (collection, editions) = (collection.address(), editions.address());
    let (token, agents) = (token.address(), agents.address());
    let id = |id: u64| (number(id),).encoded();
    let deploy = |name, arguments: &[u8]| -> Result<U256> {
        let at = address(&node.deploy(name, arguments)?)?;
        gate.tool(&Contract::at(&node, at))
    };
    let cases = [
        ("Erc721HolderPredicate", (collection,).encoded(), vec![]),
        (
            "Erc1155HolderPredicate",
            (editions, number(7)).encoded(),
            vec![],
        ),
        (
            "Erc20BalancePredicate",
            (token, number(100)).encoded(),
            vec![],
        ),
        (
            "SubscriptionPredicate",
            (collection, number(2)).encoded(),
            id(7),
        ),
        ("AgentOwnerPredicate", (agents, number(1)).encoded(), vec![]),
        ("AnyAgentOwnerPredicate", (agents,).encoded(), id(1)),
    ];
    for (name, arguments, data) in cases {
        let tool = deploy(name, &arguments)?;
        assert_eq!(gate.ask(tool, holder, data.clone())?, YES, "{name}");
        assert_eq!(gate.ask(tool, other, data)?, NO, "{name}");
    }
    let more = deploy("Erc20BalancePredicate", &(token, number(101)).encoded())?;
    assert_eq!(gate.ask(more, holder, [])?, NO, "too little");
    let higher = deploy("SubscriptionPredicate", &(collection, number(3)).encoded())?;
    assert_eq!(gate.ask(higher, holder, id(7))?, NO, "too low a tier");
    assert_eq!(gate.ask(higher, holder, id(8))?, NO, "no such token");
    let denied = gate.tool(&Contract::deploy(&node, "AlwaysDenyPredicate", ())?)?;
    assert_eq!(gate.ask(denied, holder, [])?, NO);
    Ok(())
}

/// A Merkle tree of accounts: leaves are hashed twice, pairs in order of their values, an odd one is carried up.
struct Tree(Vec<Vec<B256>>);

impl Tree {
    fn new(accounts: &[Address]) -> Self {
        let leaf = |account: &Address| keccak256(keccak256(account.into_word()));
        let mut levels = vec![accounts.iter().map(leaf).collect::<Vec<_>>()];
        while let Some(level) = levels.last().filter(|level| level.len() > 1) {
            let node = |pair: &[B256]| match pair {
                [a, b] => keccak256([a.min(b).0, a.max(b).0].concat()),
                other => other[0],
            };
            let next = level.chunks(2).map(node).collect();
            levels.push(next);
        }
        Self(levels)
    }

    fn root(&self) -> B256 {
        self.0[self.0.len() - 1][0]
    }

    fn proof(&self, mut index: usize) -> Vec<B256> {
        let mut proof = vec![];
        for level in &self.0 {
            proof.extend(level.get(index ^ 1).copied());
            index /= 2;
        }
        proof
    }
}

#[test]
fn a_list_is_edited_by_the_tools_creator_alone() -> Result<()> {
    let node = Anvil::start()?;
    let gate = Gate::new(&node)?;
    let (member, other) = (gate.account(3)?, gate.account(4)?);
    let list = Contract::deploy(&node, "AllowlistPredicate", (gate.registry.address(),))?;
    let tool = gate.tool(&list)?;
    let allow = (tool, vec![member], true);
    let stranger = gate.account(2)?;
    let fault = list.fault(2, "setAllowed(uint256,address[],bool)", allow.clone())?;
    let denied = call("NotToolCreator(uint256,address)", (tool, stranger));
    assert_eq!(fault, denied);
    list.send(CREATOR, "setAllowed(uint256,address[],bool)", allow)?;
    assert_eq!(gate.ask(tool, member, [])?, YES);
    assert_eq!(gate.ask(tool, other, [])?, NO);

    let merkle = (gate.registry.address(),);
    let merkle = Contract::deploy(&node, "MerkleAllowlistPredicate", merkle)?;
    let tool = gate.tool(&merkle)?;
    let mut accounts: Vec<_> = (1..=10).map(Address::repeat_byte).collect();
    accounts.push(member);
    let tree = Tree::new(&accounts);
    let root = (tool, tree.root());
    assert_eq!(
        merkle.fault(2, "setRoot(uint256,bytes32)", root)?,
        call("NotToolCreator(uint256,address)", (tool, stranger))
    );
    merkle.send(CREATOR, "setRoot(uint256,bytes32)", root)?;
    for (index, account) in accounts.iter().enumerate() {
        let proof = (tree.proof(index),).encoded();
        assert_eq!(gate.ask(tool, *account, proof.clone())?, YES, "{index}");
        assert_eq!(gate.ask(tool, other, proof)?, NO, "{index}");
    }
    // The children of a node are no proof that the node is a leaf; and junk is a no.
    let node_as_leaf = tree.0[1][0];
    let inner = Address::from_word(node_as_leaf);
    assert_eq!(
        gate.ask(tool, inner, (tree.proof(0)[1..].to_vec(),).encoded())?,
        NO
    );
    assert_eq!(gate.ask(tool, member, [7; 33])?, NO);
    Ok(())
}

/// What an account signs: EIP-712's digest of an AccessProof, as ERC-8257 has it.
fn digest(predicate: Address, tool: U256, account: Address, deadline: u64) -> B256 {
    let domain = (
        keccak256(
            "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
        ),
        keccak256("ERC8257-AccessProof"),
        keccak256("1"),
        number(CHAIN),
        predicate,
    );
    let kind = keccak256("AccessProof(uint256 toolId,address account,uint64 deadline)");
    let proof = (kind, tool, account, number(deadline));
    let hashes = [keccak256(domain.encoded()).0, keccak256(proof.encoded()).0];
    keccak256([b"\x19\x01", hashes.concat().as_slice()].concat())
}

fn shown(deadline: u64, signature: impl Into<Vec<u8>>) -> Vec<u8> {
    (number(deadline), bytes(signature)).encoded()
}

#[test]
fn a_proof_signed_by_a_key_of_ours_grants_its_tool_to_its_account_until_its_deadline() -> Result<()>
{
    let node = Anvil::start()?;
    let gate = Gate::new(&node)?;
    let predicate = (gate.registry.address(),);
    let predicate = Contract::deploy(&node, "AccessProofPredicate", predicate)?;
    let tool = gate.tool(&predicate)?;
    let key = PrivateKeySigner::from_bytes(&keccak256("a key for this test alone"))?;
    let account = key.address();
    let sign =
        |digest: B256| -> Result<Vec<u8>> { Ok(key.sign_hash_sync(&digest)?.as_bytes().to_vec()) };
    let at = predicate.address();
    let signature = sign(digest(at, tool, account, LATER))?;
    let told: B256 = predicate.read(
        "proofDigest(uint256,address,uint64)",
        (tool, account, number(LATER)),
    )?;
    assert_eq!(told, digest(at, tool, account, LATER));

    assert_eq!(
        gate.ask(tool, account, shown(LATER, signature.clone()))?,
        YES
    );
    let other = gate.account(4)?;
    let mut flipped = signature.clone();
    flipped[40] ^= 1;
    let no = [
        (account, vec![]),
        (account, shown(LATER, flipped)),
        (account, shown(LATER + 1, signature.clone())),
        (account, shown(1, sign(digest(at, tool, account, 1))?)),
        (
            account,
            shown(LATER, sign(digest(at, tool + U256::ONE, account, LATER))?),
        ),
        (
            account,
            shown(LATER, sign(digest(other, tool, account, LATER))?),
        ),
        (account, shown(LATER, signature[..64].to_vec())),
        (other, shown(LATER, signature)),
    ];
    for (index, (account, data)) in no.into_iter().enumerate() {
        assert_eq!(gate.ask(tool, account, data)?, NO, "{index}");
    }

    // An account with code has a key of its own choice sign for it (ERC-1271).
    let wallet = Contract::deploy(&node, "SignedFor", (account,))?.address();
    let signature = sign(digest(at, tool, wallet, LATER))?;
    assert_eq!(gate.ask(tool, wallet, shown(LATER, signature))?, YES);

    // Whoever is not the registry cannot use the proof.
    let question = (tool, account, Bytes::new());
    let fault = predicate.fault(0, "hasAccess(uint256,address,bytes)", question)?;
    assert_eq!(fault, call("NotTheCaller(address)", (gate.account(0)?,)));
    Ok(())
}

/// A term of a composite, which gets 60,000 gas.
fn term(predicate: Address, negated: bool) -> (Address, bool, U256) {
    (predicate, negated, number(60_000))
}

#[test]
fn a_composite_answers_as_its_terms_do_and_a_broken_one_only_denies() -> Result<()> {
    let node = Anvil::start()?;
    let gate = Gate::new(&node)?;
    let answering = |answer: bool| Contract::deploy(&node, "Answering", (answer, number(0)));
    let (yes, no) = (answering(true)?.address(), answering(false)?.address());
    let broken = Contract::deploy(&node, "Broken", (number(0),))?.address();
    let (anybody, and, or) = (Address::ZERO, number(0), number(1));
    let cases = [
        (and, vec![term(yes, false), term(no, true)], YES),
        (and, vec![term(yes, false), term(no, false)], NO),
        (or, vec![term(no, false), term(yes, false)], YES),
        (or, vec![term(no, false), term(yes, true)], NO),
        (and, vec![term(broken, true)], BROKEN),
        (and, vec![term(yes, false), term(broken, true)], BROKEN),
        (or, vec![term(broken, true), term(no, false)], BROKEN),
        (or, vec![term(broken, true), term(yes, false)], YES),
        (and, vec![term(broken, false), term(no, false)], NO),
    ];
    for (index, (logic, terms, expected)) in cases.into_iter().enumerate() {
        let composite = Contract::deploy(&node, "CompositePredicate", (anybody, logic, terms))?;
        let tool = gate.tool(&composite)?;
        assert_eq!(gate.ask(tool, gate.account(3)?, [])?, expected, "{index}");
    }
    Ok(())
}

/// Whoever runs the tool with the same number in another registry has seen a proof, and shows it here.
#[test]
fn a_proof_counts_in_one_registry_through_a_composite_too() -> Result<()> {
    let node = Anvil::start()?;
    let gate = Gate::new(&node)?;
    let elsewhere = Gate::new(&node)?;
    let deployer = gate.account(0)?;
    let question = json!([deployer, "latest"]);
    let nonce: U64 = serde_json::from_value(node.rpc("eth_getTransactionCount", question)?)?;
    let at = deployer.create(nonce.to::<u64>() + 1);

    let proof = Contract::deploy(&node, "AccessProofPredicate", (at,))?;
    let registry = gate.registry.address();
    let arguments = (registry, number(0), vec![term(proof.address(), false)]);
    let composite = Contract::deploy(&node, "CompositePredicate", arguments)?;
    assert_eq!(composite.address(), at);
    assert_eq!(composite.read::<Address>("caller()", ())?, registry);
    let tool = gate.tool(&composite)?;
    assert_eq!(elsewhere.tool(&composite)?, tool);

    let key = PrivateKeySigner::from_bytes(&keccak256("a key for this test alone"))?;
    let account = key.address();
    let signature = key.sign_hash_sync(&digest(proof.address(), tool, account, LATER))?;
    let each = vec![Bytes::from(shown(LATER, signature.as_bytes()))];
    let data = (each,).encoded();
    assert_eq!(gate.ask(tool, account, data.clone())?, YES);
    assert_eq!(gate.ask(tool, account, [])?, NO);
    assert_eq!(elsewhere.ask(tool, account, data.clone())?, BROKEN);
    let question = (tool, account, Bytes::from(data));
    let fault = composite.fault(0, "hasAccess(uint256,address,bytes)", question)?;
    assert_eq!(fault, call("NotTheCaller(address)", (deployer,)));
    Ok(())
}

#[test]
fn no_amount_of_gas_turns_a_denial_of_a_negated_term_into_access() -> Result<()> {
    let node = Anvil::start()?;
    let gate = Gate::new(&node)?;
    // Says yes, and uses 40,000 gas for it; negated, that is a no.
    let costly = Contract::deploy(&node, "Answering", (true, number(40_000)))?.address();
    let denying = (Address::ZERO, number(0), vec![term(costly, true)]);
    let denying = Contract::deploy(&node, "CompositePredicate", denying)?;
    let nested = (denying.address(), false, number(200_000));
    let nested = (Address::ZERO, number(0), vec![nested]);
    let nested = Contract::deploy(&node, "CompositePredicate", nested)?;
    let granting = (Address::ZERO, number(0), vec![term(costly, false)]);
    let granting = Contract::deploy(&node, "CompositePredicate", granting)?;
    let consumer = Contract::deploy(&node, "Gatekeeper", ())?;
    let asked = |told: (bool, bool)| log("Asked(bool,bool)", &[], told);
    for (composite, settled) in [(denying, NO), (nested, NO), (granting, YES)] {
        let tool = gate.tool(&composite)?;
        let data = call(
            "use(address,uint256,bytes)",
            (gate.registry.address(), tool, Bytes::new()),
        );
        let mut answered = 0;
        for gas in (30_000..400_000).step_by(5_000) {
            let sent = consumer.send_with(3, &data, gas)?;
            if !sent.succeeded {
                continue;
            }
            let told = &sent.logs[0];
            assert!(
                *told == asked(settled) || *told == asked(BROKEN),
                "{told:?} with {gas} gas"
            );
            answered += u32::from(*told == asked(settled));
        }
        assert!(answered > 10, "{answered} answers");
    }
    Ok(())
}
