//! The registries of agents (ERC-8122).

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolValue as _, sol};
use anyhow::{Result, ensure};

use crate::{
    node::{Entry, Node},
    table::Table,
};

sol! {
    function register(address owner, string service_type, string service, address agent_account) external returns (uint256);
    function registerBatch(address[] owners, (string, bytes)[][] metadata) external returns (uint256[]);
    function setMetadata(uint256 agentId, string key, bytes value) external;
    function setOperator(address spender, bool approved) external returns (bool);
    function approve(address spender, uint256 id, uint256 amount) external returns (bool);
    function transfer(address receiver, uint256 id, uint256 amount) external returns (bool);
    function ownerOf(uint256 agentId) external view returns (address);
    function metadata(uint256 agentId, string key) external view returns (bytes);
}

/// The other `register`, which has the same name.
mod with_entries {
    alloy_sol_types::sol! {
        function register(address owner, (string, bytes)[] metadata) external returns (uint256);
    }
}

/// 36 bytes.
const SERVICE: &str = "https://agents.example.com/mcp/agent";
/// 30 bytes each.
const VALUES: [&str; 2] = [
    "A name that is 30 bytes long..",
    "Another one, as long as that..",
];

/// What the figures beside ours are of.
const OTHERS: &[&str] = &["plain OpenZeppelin ERC-6909", "public code, older draft"];

pub(crate) fn measure(node: &Node) -> Result<Table> {
    ensure!(SERVICE.len() == 36 && VALUES.iter().all(|value| value.len() == 30));
    let mut table = Table::new("Agent registries (ERC-8122)", OTHERS);
    let none: Vec<Entry> = vec![];
    let registrar = node.account(0)?;
    let arguments = (registrar, none.clone()).abi_encode_params();
    let (open, gas) = node.deploy("OpenAgentRegistry", &arguments)?;
    table.alone("deploy, open", gas);
    let (curated, gas) = node.deploy("CuratedAgentRegistry", &arguments)?;
    table.alone("deploy, curated", gas);
    let arguments = (registrar, U256::from(1_000), none).abi_encode_params();
    let (fixed, gas) = node.deploy("FixedSupplyAgentRegistry", &arguments)?;
    table.alone("deploy, fixed supply", gas);

    registering(node, &mut table, [open, curated, fixed])?;
    owning(node, &mut table, open)?;
    Ok(table)
}

fn registering(node: &Node, table: &mut Table, registries: [Address; 3]) -> Result<()> {
    let [open, curated, fixed] = registries;
    let (sender, owner) = (node.account(0)?, node.account(1)?);
    let register = registerCall {
        owner,
        service_type: "mcp".to_owned(),
        service: SERVICE.to_owned(),
        agent_account: Address::repeat_byte(0xa9),
    };
    let others = [205_169, 207_256];
    // A tenth below both.
    let most = 205_169 * 9 / 10;
    let what = "`register(owner, \"mcp\", 36-byte URI, account)`";
    let first = node.send(sender, open, &register)?;
    table.at_most(
        format!("{what}, the registry's first"),
        first,
        &others,
        most,
    );
    table.at_most(what, node.send(sender, open, &register)?, &others, most);
    for (kind, registry) in [("curated", curated), ("fixed supply", fixed)] {
        node.send(sender, registry, &register)?;
        let gas = node.send(sender, registry, &register)?;
        table.at_most(format!("{what}, {kind}"), gas, &others, most);
    }

    let entries: Vec<Entry> = vec![
        ("service_type".to_owned(), b"mcp".to_vec().into()),
        ("service".to_owned(), SERVICE.as_bytes().to_vec().into()),
        ("agent_account".to_owned(), vec![0xa9; 20].into()),
    ];
    let call = with_entries::registerCall {
        owner,
        metadata: entries.clone(),
    };
    let gas = node.send(sender, open, &call)?;
    table.below("`register(owner, 3 entries)`", gas, &[212_305, 193_183]);

    for size in [1, 10, 50] {
        let call = registerBatchCall {
            owners: vec![owner; size],
            metadata: vec![entries.clone(); size],
        };
        let gas = node.send(sender, open, &call)? / u64::try_from(size)?;
        let what = format!("`registerBatch` of {size}, 3 entries each, per agent");
        match size {
            10 => table.below(what, gas, &[189_207, 167_849]),
            _ => table.alone(what, gas),
        }
    }
    Ok(())
}

fn owning(node: &Node, table: &mut Table, open: Address) -> Result<()> {
    // Not account 2: its address has a byte that is zero, and calldata of that costs less.
    let (owner, other) = (node.account(1)?, node.account(3)?);
    let id = U256::ONE;
    let set = |value: &str| setMetadataCall {
        agentId: id,
        key: "name".to_owned(),
        value: value.as_bytes().to_vec().into(),
    };
    let gas = node.send(owner, open, &set(VALUES[0]))?;
    table.below("`setMetadata`, 30 bytes, new", gas, &[52_341, 52_018]);
    let gas = node.send(owner, open, &set(VALUES[1]))?;
    table.below("`setMetadata`, 30 bytes, overwrite", gas, &[35_241, 34_918]);
    table.alone("`setMetadata`, remove", node.send(owner, open, &set(""))?);
    let long = setMetadataCall {
        agentId: id,
        key: "description".to_owned(),
        value: vec![b'd'; 2_000].into(),
    };
    table.alone(
        "`setMetadata`, 2,000 bytes, new",
        node.send(owner, open, &long)?,
    );

    let approve = approveCall {
        spender: other,
        id,
        amount: U256::ONE,
    };
    table.alone("`approve`", node.send(owner, open, &approve)?);
    let operator = setOperatorCall {
        spender: other,
        approved: true,
    };
    table.alone("`setOperator`", node.send(owner, open, &operator)?);
    let (gas, found) = node.view(open, &ownerOfCall { agentId: id })?;
    ensure!(found == owner, "ownerOf said {found}");
    table.below("`ownerOf`, a view", gas, &[2_619, 2_533]);
    let service = metadataCall {
        agentId: id,
        key: "service".to_owned(),
    };
    let (gas, found) = node.view(open, &service)?;
    ensure!(*found == *SERVICE.as_bytes(), "metadata said {found}");
    table.alone("`metadata`, 36 bytes, a view", gas);
    let transfer = transferCall {
        receiver: other,
        id,
        amount: U256::ONE,
    };
    let gas = node.send(owner, open, &transfer)?;
    table.below("`transfer`", gas, &[53_076, 30_122]);
    Ok(())
}
