//! A node, contracts on it, and a server of manifests.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

pub(crate) use alloy_primitives::{Address, B256, Bytes, U256, hex};
pub(crate) use alloy_sol_types::{SolCall, SolValue, sol};
use deedbox_chain::config::Secret;
pub(crate) use deedbox_chain::{Block, ChainConfig, Chains, Code, EndpointConfig};
pub(crate) use deedbox_core::{ChainAddress, Timestamp, World};
use deedbox_fetch::{Fetcher, Rules};
use deedbox_id::{EvmChain, ToolReference};
pub(crate) use deedbox_neighbours::{
    anvil::Anvil,
    certificate::Certificate,
    https::{Answer, HttpsServer},
    rpc::{FaultyEndpoint, Reply},
};
pub(crate) use deedbox_registry::{
    AgentId, Call, CheckToolAccess, Deployment, Entry, NewAgent, Predicate, ResolveAgent,
    ResolvedAgent, ToolAccess, ToolVerification, VerifyTool, check_tool_access, resolve_agent,
    verify_tool,
};
pub(crate) use serde_json::{Value as Json, json};

pub(crate) const CHAIN: u64 = 31_337;
/// The name that certificates of tests are for.
pub(crate) const HOST: &str = "localhost";

sol! {
    /// The fixture that answers as it was told.
    function script(bytes4 selector, uint8 mode, uint256 length, bytes data);
}

/// How a scripted contract answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Says {
    Reverts,
    Returns,
    /// The bytes, and zeros up to this length.
    Pads(u64),
    Burns,
}

/// A clock that a test sets.
#[derive(Debug, Default)]
pub(crate) struct Clock(pub(crate) AtomicI64);

impl World for Clock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Acquire)).unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// A node, and what reads it.
pub(crate) struct House {
    pub(crate) anvil: Arc<Anvil>,
    pub(crate) chains: Chains,
    pub(crate) clock: Arc<Clock>,
    multicall: deedbox_id::Address,
    endpoint: Option<FaultyEndpoint>,
}

fn chains(url: String, multicall: Option<deedbox_id::Address>, clock: &Arc<Clock>) -> Chains {
    let config = ChainConfig {
        id: CHAIN,
        name: "Test chain".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall,
        finality_depth: None,
        endpoints: vec![EndpointConfig {
            timeout: std::time::Duration::from_secs(60),
            ..EndpointConfig::new("node".parse().unwrap(), Secret::new(url))
        }],
    };
    let chains = Chains::new(vec![config], clock.clone()).unwrap();
    chains.with_deadline(std::time::Duration::from_secs(120))
}

impl House {
    pub(crate) fn new() -> Self {
        let anvil = Arc::new(Anvil::start().unwrap());
        let clock = Arc::new(Clock::default());
        clock.0.store(1_800_000_000_000, Ordering::Release);
        let multicall = anvil.deploy("Multicall3", &[]).unwrap().parse().unwrap();
        Self {
            chains: chains(anvil.url(), Some(multicall), &clock),
            multicall,
            endpoint: None,
            anvil,
            clock,
        }
    }

    /// What reads the same node, for several to have.
    pub(crate) fn shared(&self) -> Arc<Chains> {
        Arc::new(chains(self.anvil.url(), Some(self.multicall), &self.clock))
    }

    /// The same node through an endpoint that is told the call data of everything that is asked.
    pub(crate) fn overheard(&mut self, hear: impl Fn(String) + Send + Sync + 'static) -> Chains {
        let anvil = Arc::clone(&self.anvil);
        let endpoint = FaultyEndpoint::http(move |request| {
            for call in &request.calls {
                hear(
                    call.params[0]["data"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned(),
                );
            }
            Reply::each(request, |call| {
                match anvil.ask(&call.method, call.params.clone()) {
                    Ok(answer) => answer,
                    Err(error) => Err(json!({"code": -32603, "message": error.to_string()})),
                }
            })
        });
        let endpoint = self.endpoint.insert(endpoint.unwrap());
        chains(endpoint.url(), Some(self.multicall), &self.clock)
    }

    pub(crate) fn account(&self, index: usize) -> Address {
        self.anvil.account(index).parse().unwrap()
    }

    pub(crate) fn deploy(&self, deployment: &Deployment) -> Address {
        let receipt = self.anvil.create(&deployment.encode().to_string()).unwrap();
        receipt["contractAddress"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    }

    pub(crate) fn predicate(&self, predicate: Predicate) -> Address {
        self.deploy(&Deployment::Predicate(predicate))
    }

    pub(crate) fn fixture(&self, name: &str, arguments: &[u8]) -> Address {
        self.anvil.deploy(name, arguments).unwrap().parse().unwrap()
    }

    /// Sends as the account with an index, and returns the receipt.
    pub(crate) fn send(&self, from: usize, to: Address, call: &Call) -> Json {
        let from = self.anvil.account(from);
        self.anvil
            .send(from, &to.to_string(), &call.encode())
            .unwrap()
    }

    /// A contract that answers each selector as it is told, and reverts otherwise.
    pub(crate) fn scripted(&self, script: &[([u8; 4], Says, Vec<u8>)]) -> Address {
        let contract = self.fixture("Scripted", &[]);
        for (selector, says, data) in script {
            let (mode, length) = match says {
                Says::Reverts => (0, 0),
                Says::Returns => (1, 0),
                Says::Pads(length) => (2, *length),
                Says::Burns => (3, 0),
            };
            let call = scriptCall {
                selector: (*selector).into(),
                mode,
                length: U256::from(length),
                data: data.clone().into(),
            };
            let from = self.anvil.account(0);
            self.anvil
                .send(from, &contract.to_string(), &call.abi_encode())
                .unwrap();
        }
        contract
    }

    /// Writes an address into the slot in which ERC-1967 has the implementation.
    pub(crate) fn make_proxy(&self, contract: Address) {
        let slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
        let word = Address::repeat_byte(0x77).into_word();
        let params = json!([contract, slot, word]);
        self.anvil.rpc("anvil_setStorageAt", params).unwrap();
    }

    /// Registers a tool, and returns a reference to it.
    pub(crate) fn register(
        &self,
        registry: Address,
        uri: &str,
        hash: B256,
        predicate: Address,
    ) -> ToolReference {
        let call = Call::RegisterTool {
            metadata_uri: uri.to_owned(),
            manifest_hash: hash,
            access_predicate: predicate,
        };
        let receipt = self.send(0, registry, &call);
        let id: U256 = receipt["logs"][0]["topics"][1]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        tool(registry, id)
    }

    /// What access is found, in the form that its schema says.
    pub(crate) async fn access(
        &self,
        tool: ToolReference,
        account: Address,
        data: impl Into<Bytes>,
    ) -> ToolAccess {
        let request = CheckToolAccess {
            tool,
            account,
            data: data.into(),
            data_is_public: false,
            block: Block::Latest,
        };
        as_its_schema_says(check_tool_access(&self.chains, &request).await.unwrap())
    }
}

/// The answer, after it was compared with the schema that programs get for it.
pub(crate) fn as_its_schema_says<T: serde::Serialize + schemars::JsonSchema>(answer: T) -> T {
    let schema = schemars::schema_for!(T).to_value();
    let json = serde_json::to_value(&answer).unwrap();
    if let Err(error) = jsonschema::validate(&schema, &json) {
        panic!("{error} at {}: {json:#}", error.instance_path());
    }
    answer
}

/// A reference to a tool of the node's chain.
pub(crate) fn tool(registry: Address, id: U256) -> ToolReference {
    let chain = EvmChain::new(U256::from(CHAIN)).unwrap();
    ToolReference::new(chain, deedbox_id::Address(registry.0.0), id).unwrap()
}

pub(crate) fn chain_address(address: Address) -> ChainAddress {
    ChainAddress(address.0.0)
}

/// A fetcher that trusts a server, and allows loopback addresses.
pub(crate) fn fetcher(server: &HttpsServer) -> Fetcher {
    let allow = ["127.0.0.0/8", "::1/128"].map(|net| net.parse().unwrap());
    Fetcher::new(Rules {
        allow: allow.into(),
        roots: server.ca_pem().map(str::to_owned).into_iter().collect(),
        deadline: std::time::Duration::from_secs(2),
        ..Rules::default()
    })
    .unwrap()
}
