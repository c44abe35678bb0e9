//! The predicates, asked through the registry: what a contract pays that composes with them (ERC-8257, Gas).

use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_signer::SignerSync as _;
use alloy_signer_local::PrivateKeySigner;
use alloy_sol_types::{SolValue as _, sol};
use anyhow::{Result, ensure};

use crate::{
    node::{Entry, Node},
    table::Table,
    tools::{question, registration, toolCountCall},
};

sol! {
    function setAllowed(uint256 toolId, address[] accounts, bool allowed) external;
    function setRoot(uint256 toolId, bytes32 root) external;
    function mint(address to, uint256 id, uint64 expiry, uint8 tier) external;
    function proofDigest(uint256 toolId, address account, uint64 deadline) external view returns (bytes32);
    function termCount() external view returns (uint256);
}

/// ERC-20's and ERC-1155's way to make some, in our fixtures.
mod amounts {
    alloy_sol_types::sol! {
        function mint(address to, uint256 value) external;
    }
}
mod editions {
    alloy_sol_types::sol! {
        function mint(address to, uint256 id, uint256 amount) external;
    }
}

/// What an asker may be expected to spare.
const MOST: u64 = 200_000;
/// Long after this runs.
const LATER: u64 = 4_000_000_000;

pub(crate) fn measure(node: &Node) -> Result<Table> {
    let title = "`hasAccess` through the registry, by predicate, a view that grants";
    let mut gate = Gate {
        node,
        registry: node.deploy("ToolRegistry", &[])?.0,
        table: Table::new(title, &[]),
    };
    let holder = node.account(3)?;
    holders(&mut gate, holder)?;
    lists(&mut gate, holder)?;
    proofs(&mut gate)?;
    composites(&mut gate, holder)?;
    Ok(gate.table)
}

struct Gate<'a> {
    node: &'a Node,
    registry: Address,
    table: Table,
}

impl Gate<'_> {
    /// Registers a tool that `predicate` gates.
    fn tool(&self, predicate: Address) -> Result<U256> {
        let creator = self.node.account(1)?;
        self.node
            .send(creator, self.registry, &registration(predicate))?;
        Ok(self.node.view(self.registry, &toolCountCall {})?.1)
    }

    fn ask(&mut self, what: &str, tool: U256, account: Address, data: Vec<u8>) -> Result<()> {
        let (gas, granted) = self
            .node
            .view(self.registry, &question(tool, account, data))?;
        ensure!(granted, "{what} does not grant access");
        self.table.at_most(what, gas, &[], MOST);
        Ok(())
    }

    fn deploy(&self, predicate: &str, arguments: &[u8]) -> Result<Address> {
        Ok(self.node.deploy(predicate, arguments)?.0)
    }
}

fn holders(gate: &mut Gate<'_>, holder: Address) -> Result<()> {
    let node = gate.node;
    let (seven, one) = (U256::from(7), U256::ONE);
    let sender = node.account(0)?;
    let collection = gate.deploy("Collection", &[])?;
    let mint = mintCall {
        to: holder,
        id: seven,
        expiry: LATER,
        tier: 2,
    };
    node.send(sender, collection, &mint)?;
    let edition = gate.deploy("Editions", &[])?;
    let mint = editions::mintCall {
        to: holder,
        id: seven,
        amount: one,
    };
    node.send(sender, edition, &mint)?;
    let text = alloy_primitives::Bytes::from_static(b"T");
    let arguments = (text.clone(), text, U256::from(6)).abi_encode_params();
    let token = gate.deploy("Token", &arguments)?;
    let mint = amounts::mintCall {
        to: holder,
        value: seven,
    };
    node.send(sender, token, &mint)?;
    let none: Vec<Entry> = vec![];
    let arguments = (Address::ZERO, none.clone()).abi_encode_params();
    let agents = gate.deploy("OpenAgentRegistry", &arguments)?;
    let register = registerCall {
        owner: holder,
        metadata: none,
    };
    node.send(sender, agents, &register)?;

    let id = |id: U256| id.abi_encode();
    let cases = [
        ("Erc721HolderPredicate", collection.abi_encode(), vec![]),
        (
            "Erc1155HolderPredicate",
            (edition, seven).abi_encode_params(),
            vec![],
        ),
        (
            "Erc20BalancePredicate",
            (token, seven).abi_encode_params(),
            vec![],
        ),
        (
            "SubscriptionPredicate",
            (collection, U256::from(2)).abi_encode_params(),
            id(seven),
        ),
        (
            "AgentOwnerPredicate",
            (agents, one).abi_encode_params(),
            vec![],
        ),
        ("AnyAgentOwnerPredicate", agents.abi_encode(), id(one)),
    ];
    for (name, arguments, data) in cases {
        let tool = gate.tool(gate.deploy(name, &arguments)?)?;
        gate.ask(&format!("`{name}`"), tool, holder, data)?;
    }
    Ok(())
}

sol! {
    function register(address owner, (string, bytes)[] metadata) external returns (uint256);
}

fn lists(gate: &mut Gate<'_>, holder: Address) -> Result<()> {
    let (node, creator) = (gate.node, gate.node.account(1)?);
    let list = gate.deploy("AllowlistPredicate", &gate.registry.abi_encode())?;
    let tool = gate.tool(list)?;
    let allow = setAllowedCall {
        toolId: tool,
        accounts: vec![holder],
        allowed: true,
    };
    node.send(creator, list, &allow)?;
    gate.ask("`AllowlistPredicate`", tool, holder, vec![])?;

    let merkle = gate.deploy("MerkleAllowlistPredicate", &gate.registry.abi_encode())?;
    let tool = gate.tool(merkle)?;
    for depth in [10, 20_u8] {
        // The path alone: what stands beside it may be anything.
        let proof: Vec<B256> = (1..=depth).map(B256::repeat_byte).collect();
        let leaf = keccak256(keccak256(holder.into_word()));
        let up = |node: B256, beside: &B256| {
            keccak256([node.min(*beside).0, node.max(*beside).0].concat())
        };
        let root = proof.iter().fold(leaf, up);
        node.send(creator, merkle, &setRootCall { toolId: tool, root })?;
        let what = format!("`MerkleAllowlistPredicate`, a tree of 2^{depth}");
        gate.ask(&what, tool, holder, (proof,).abi_encode_params())?;
    }
    Ok(())
}

fn proofs(gate: &mut Gate<'_>) -> Result<()> {
    let predicate = gate.deploy("AccessProofPredicate", &gate.registry.abi_encode())?;
    let tool = gate.tool(predicate)?;
    let key = PrivateKeySigner::from_bytes(&keccak256("a key for this benchmark alone"))?;
    let wallet = gate.deploy("SignedFor", &key.address().abi_encode())?;
    let cases = [
        ("`AccessProofPredicate`, a key's signature", key.address()),
        ("`AccessProofPredicate`, a contract's (ERC-1271)", wallet),
    ];
    for (what, account) in cases {
        let digest = proofDigestCall {
            toolId: tool,
            account,
            deadline: LATER,
        };
        let digest = gate.node.view(predicate, &digest)?.1;
        let signature =
            alloy_primitives::Bytes::from(key.sign_hash_sync(&digest)?.as_bytes().to_vec());
        let data = (U256::from(LATER), signature).abi_encode_params();
        gate.ask(what, tool, account, data)?;
    }
    Ok(())
}

fn composites(gate: &mut Gate<'_>, holder: Address) -> Result<()> {
    let deny = gate.deploy("AlwaysDenyPredicate", &[])?;
    for count in [1, 3, 8] {
        // A negated no is a yes, and all of them must say it.
        let terms = vec![(deny, true, U256::from(10_000)); count];
        let arguments = (Address::ZERO, U256::ZERO, terms).abi_encode_params();
        let composite = gate.deploy("CompositePredicate", &arguments)?;
        ensure!(gate.node.view(composite, &termCountCall {})?.1 == U256::from(count));
        let tool = gate.tool(composite)?;
        let what = format!("`CompositePredicate`, {count} trivial terms, each with 10,000 gas");
        gate.ask(&what, tool, holder, vec![])?;
    }
    Ok(())
}
