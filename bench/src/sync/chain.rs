//! A chain on which agents and tools are registered and changed, as much as is wanted: each transaction makes thirty-odd events of the two
//! registries.

use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use alloy_sol_types::{SolCall, SolValue as _, sol};
use anyhow::{Context, Result, ensure};
use clap::Args;
use deedbox_neighbours::anvil::Anvil;
use deedbox_registry::abi::{
    IERC8122::MetadataEntry, OpenAgentRegistry as Agents, ToolRegistry as Tools,
};
use serde_json::{Value, json};

sol! {
    struct Call3 { address target; bool allowFailure; bytes callData; }
    struct Result3 { bool success; bytes returnData; }
    function aggregate3(Call3[] calls) external payable returns (Result3[]);
}

/// How many agents and tools one transaction registers.
const AGENTS: u64 = 3;
const TOOLS: u64 = 6;
/// What a transaction may use: less than the most that one may have (EIP-7825).
const GAS: &str = "0xf00000";

/// Where the registries are.
#[derive(Clone, Debug, Args)]
pub(crate) struct Registries {
    /// The node's URL
    #[arg(long)]
    pub(crate) node: String,
    /// The agent registry
    #[arg(long)]
    pub(crate) agents: Address,
    /// The tool registry
    #[arg(long)]
    pub(crate) tools: Address,
}

impl Registries {
    pub(crate) fn to_args(&self) -> Vec<String> {
        let arg = |name: &str, value: &dyn ToString| [name.to_owned(), value.to_string()];
        [
            arg("--node", &self.node),
            arg("--agents", &self.agents),
            arg("--tools", &self.tools),
        ]
        .concat()
    }
}

pub(crate) struct Prepared {
    node: Anvil,
    caller: String,
    pub(crate) registries: Registries,
    /// How many events the two registries have emitted.
    pub(crate) events: u64,
    agents: u64,
    tools: u64,
}

impl Prepared {
    pub(crate) fn start() -> Result<Self> {
        // Old states are of no use here, and keeping them takes longer than making blocks.
        let node = Anvil::start_with(&["--prune-history", "--gas-limit", "400000000"])?;
        let nothing: Vec<MetadataEntry> = Vec::new();
        let arguments = (Address::ZERO, nothing).abi_encode_params();
        let agents = node.deploy("OpenAgentRegistry", &arguments)?.parse()?;
        let tools = node.deploy("ToolRegistry", &[])?.parse()?;
        Ok(Self {
            caller: node.deploy("Multicall3", &[])?,
            registries: Registries {
                node: node.url(),
                agents,
                tools,
            },
            node,
            events: 0,
            agents: 0,
            tools: 0,
        })
    }

    pub(crate) fn blocks(&self) -> Result<u64> {
        self.node.height()
    }

    /// Goes on until there are at least so many events, with so many transactions in each block. For each block the node hashes all that is
    /// stored, so it takes the longer the more of them there are.
    pub(crate) fn grow(&mut self, events: u64, transactions: usize) -> Result<()> {
        self.node.mine_at_once(false)?;
        while self.events < events {
            let sent: Result<Vec<Value>> = (0..transactions).map(|_| self.send()).collect();
            self.node.mine(1)?;
            for hash in sent? {
                self.events += self.events_of(&hash)?;
            }
        }
        self.node.mine_at_once(true)
    }

    /// Sends a transaction, and returns its hash.
    fn send(&mut self) -> Result<Value> {
        let calls = self.calls()?;
        let transaction = json!({
            "from": self.node.account(0), "to": self.caller, "gas": GAS,
            "data": hex::encode_prefixed(aggregate3Call { calls }.abi_encode()),
        });
        self.node.rpc("eth_sendTransaction", json!([transaction]))
    }

    /// How many events of the registries a transaction has emitted.
    fn events_of(&self, transaction: &Value) -> Result<u64> {
        let receipt = self
            .node
            .rpc("eth_getTransactionReceipt", json!([transaction]))?;
        ensure!(
            receipt["status"] == "0x1",
            "a transaction failed: {receipt}"
        );
        let logs = receipt["logs"].as_array().context("no logs")?;
        let ours = [self.registries.agents, self.registries.tools];
        let is_ours = |log: &&Value| {
            let by = log["address"].as_str().and_then(|by| by.parse().ok());
            by.is_some_and(|by: Address| ours.contains(&by))
        };
        Ok(u64::try_from(logs.iter().filter(is_ours).count())?)
    }

    fn calls(&mut self) -> Result<Vec<Call3>> {
        let owner: Address = self.caller.parse()?;
        let mut calls = Vec::new();
        for agent in self.agents + 1..=self.agents + AGENTS {
            let entries = metadata(agent);
            calls.push(self.to_agents(&Agents::register_1Call { owner, entries }));
        }
        self.agents += AGENTS;
        let agent = U256::from(self.agents);
        calls.push(self.to_agents(&Agents::setMetadataCall {
            agentId: agent,
            key: "description".to_owned(),
            value: description(self.agents + 1).into_bytes().into(),
        }));
        let number = keccak256(agent.to_be_bytes::<32>());
        calls.push(self.to_agents(&Agents::approveCall {
            spender: Address::from_word(number),
            id: agent,
            amount: U256::MAX,
        }));
        calls.push(self.to_agents(&Agents::transferCall {
            receiver: Address::from_word(number),
            id: agent,
            amount: U256::from(1),
        }));
        for tool in self.tools + 1..=self.tools + TOOLS {
            calls.push(self.to_tools(&Tools::registerToolCall {
                metadataURI: uri(tool),
                manifestHash: keccak256(tool.to_be_bytes()),
                accessPredicate: Address::ZERO,
            }));
        }
        self.tools += TOOLS;
        let tool = U256::from(self.tools);
        calls.push(self.to_tools(&Tools::updateToolMetadataCall {
            toolId: tool,
            newURI: uri(self.tools),
            newHash: B256::from(tool),
        }));
        calls.push(self.to_tools(&Tools::deregisterToolCall {
            toolId: tool - U256::from(1),
        }));
        Ok(calls)
    }

    fn to_agents(&self, call: &impl SolCall) -> Call3 {
        call3(self.registries.agents, call)
    }

    fn to_tools(&self, call: &impl SolCall) -> Call3 {
        call3(self.registries.tools, call)
    }
}

fn call3(target: Address, call: &impl SolCall) -> Call3 {
    Call3 {
        target,
        allowFailure: false,
        callData: call.abi_encode().into(),
    }
}

fn metadata(agent: u64) -> Vec<MetadataEntry> {
    let entry = |key: &str, value: String| MetadataEntry {
        key: key.to_owned(),
        value: Bytes::from(value.into_bytes()),
    };
    vec![
        entry("name", format!("Travel Planner {agent}")),
        entry("description", description(agent)),
        entry("service_type", "mcp".to_owned()),
        entry("service", format!("https://agent-{agent}.example.com/mcp")),
        entry(
            "image",
            format!("https://agent-{agent}.example.com/icon.png"),
        ),
    ]
}

fn description(agent: u64) -> String {
    format!(
        "Finds flights, trains and hotels in {} cities, compares their prices and books what its user has agreed to.",
        agent % 997
    )
}

fn uri(tool: u64) -> String {
    format!(
        "https://tools-{}.example.com/.well-known/ai-tool/translate-{tool}.json",
        tool % 1_013
    )
}
