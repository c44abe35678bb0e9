//! The registry of tools (ERC-8257).

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::sol;
use anyhow::{Result, ensure};

use crate::{node::Node, table::Table};

sol! {
    function registerTool(string metadataURI, bytes32 manifestHash, address accessPredicate) external returns (uint256);
    function updateToolMetadata(uint256 toolId, string newURI, bytes32 newHash) external;
    function setAccessPredicate(uint256 toolId, address newPredicate) external;
    function deregisterTool(uint256 toolId) external;
    function hasAccess(uint256 toolId, address account, bytes data) external view returns (bool);
    function toolCount() external view returns (uint256);
    struct ToolConfig { address creator; string metadataURI; bytes32 manifestHash; address accessPredicate; }
    function getToolConfig(uint256 toolId) external view returns (ToolConfig);
}

/// 60 bytes.
pub(crate) const URI: &str = "https://tools.example.com/.well-known/ai-tool/translate.json";

/// A registration with [`URI`].
pub(crate) fn registration(predicate: Address) -> registerToolCall {
    registerToolCall {
        metadataURI: URI.to_owned(),
        manifestHash: B256::repeat_byte(0x11),
        accessPredicate: predicate,
    }
}

/// Whether an account has access, with data for the predicate.
pub(crate) fn question(tool: U256, account: Address, data: Vec<u8>) -> hasAccessCall {
    hasAccessCall {
        toolId: tool,
        account,
        data: data.into(),
    }
}

pub(crate) fn measure(node: &Node) -> Result<Table> {
    ensure!(URI.len() == 60);
    let mut table = Table::new("Tool registry (ERC-8257)", &["published reference"]);
    let creator = node.account(1)?;
    let (registry, gas) = node.deploy("ToolRegistry", &[])?;
    table.below("deploy", gas, &[1_308_971]);
    // The plainest there is: ERC-165, and an answer that is a constant.
    let (trivial, _) = node.deploy("AlwaysDenyPredicate", &[])?;

    let open = Address::ZERO;
    // Once in a registry's life the count leaves zero, which costs 17,100 more; the figure beside ours is not of that.
    let gas = node.send(creator, registry, &registration(open))?;
    table.alone(
        "`registerTool`, open, 60-byte URI, the registry's first",
        gas,
    );
    let gas = node.send(creator, registry, &registration(open))?;
    table.below("`registerTool`, open, 60-byte URI", gas, &[146_037]);
    let gas = node.send(creator, registry, &registration(trivial))?;
    table.below("`registerTool`, trivial ERC-165 predicate", gas, &[170_317]);
    let gated = U256::from(3);

    let tool = U256::ONE;
    let account = node.account(2)?;
    let (gas, granted) = node.view(registry, &question(tool, account, vec![]))?;
    ensure!(granted, "an open tool is open");
    table.at_most("`hasAccess`, open, a view", gas, &[7_387], 3_500);
    let (gas, granted) = node.view(registry, &question(gated, account, vec![]))?;
    ensure!(!granted, "nobody has access");
    table.below("`hasAccess`, trivial predicate, a view", gas, &[10_975]);
    let (gas, config) = node.view(registry, &getToolConfigCall { toolId: tool })?;
    ensure!(config.metadataURI == URI, "another URI");
    table.below("`getToolConfig`, a view", gas, &[16_610]);

    let update = updateToolMetadataCall {
        toolId: tool,
        newURI: URI.replace("translate", "summarize"),
        newHash: B256::repeat_byte(0x22),
    };
    let gas = node.send(creator, registry, &update)?;
    table.below("`updateToolMetadata`, URI and hash", gas, &[47_185]);
    let set = setAccessPredicateCall {
        toolId: tool,
        newPredicate: trivial,
    };
    let gas = node.send(creator, registry, &set)?;
    table.below("`setAccessPredicate`, none to one", gas, &[54_684]);
    // Of an open tool; one with a predicate has a slot more to free.
    let retire = |tool| deregisterToolCall { toolId: tool };
    let gas = node.send(creator, registry, &retire(U256::from(2)))?;
    table.below("`deregisterTool`, open", gas, &[58_554]);
    let gas = node.send(creator, registry, &retire(tool))?;
    table.below("`deregisterTool`, with a predicate", gas, &[58_554]);
    Ok(table)
}
