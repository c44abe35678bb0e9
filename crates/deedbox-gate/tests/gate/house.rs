//! A node, a registry on it, the endpoint through which the gate asks it, and the example tool behind the gate.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

pub(crate) use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_signer::SignerSync as _;
use alloy_signer_local::PrivateKeySigner;
pub(crate) use alloy_sol_types::{SolCall as _, SolValue as _};
use axum::{Router, body::Body};
use deedbox_chain::{ChainConfig, Chains, EndpointConfig, config::Secret};
use deedbox_core::{Timestamp, World};
pub(crate) use deedbox_gate::{Config, Gate, UsedProofs};
use deedbox_id::{EvmChain, ToolReference};
use deedbox_neighbours::{
    anvil::Anvil,
    rpc::{FaultyEndpoint, Reply, error},
};
pub(crate) use deedbox_registry::{
    AccessProof, Call, Credential, Deployment, EndpointProof, Predicate, abi::ToolRegistry as Tools,
};
use http::{Request, Response, header};
pub(crate) use serde_json::{Value, json};
use tower::ServiceExt as _;

pub(crate) const CHAIN: u64 = 31_337;
pub(crate) const AUDIENCE: &str = "https://tool.example";

/// A clock that a test sets.
#[derive(Debug)]
struct Clock(AtomicI64);

impl World for Clock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Acquire)).unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

pub(crate) struct House {
    anvil: Arc<Anvil>,
    endpoint: FaultyEndpoint,
    is_down: Arc<AtomicBool>,
    clock: Arc<Clock>,
    nonces: AtomicU64,
    pub(crate) registry: Address,
}

impl House {
    pub(crate) fn new() -> Self {
        let anvil = Arc::new(Anvil::start().unwrap());
        let is_down = Arc::new(AtomicBool::new(false));
        let (node, down) = (Arc::clone(&anvil), Arc::clone(&is_down));
        let endpoint = FaultyEndpoint::http(move |request| {
            if down.load(Ordering::Acquire) {
                return Reply::refusal(request, 503, &error(-32000, "down"));
            }
            Reply::each(request, |call| {
                match node.ask(&call.method, call.params.clone()) {
                    Ok(answer) => answer,
                    Err(broken) => Err(error(-32603, &broken.to_string())),
                }
            })
        });
        let block = anvil.rpc("eth_getBlockByNumber", json!(["latest", false]));
        let time = block.unwrap()["timestamp"].as_str().unwrap().to_owned();
        let seconds = i64::from_str_radix(&time[2..], 16).unwrap();
        let mut house = Self {
            endpoint: endpoint.unwrap(),
            is_down,
            // Later than any block that the test is going to make.
            clock: Arc::new(Clock(AtomicI64::new((seconds + 100) * 1000))),
            nonces: AtomicU64::new(1),
            registry: Address::ZERO,
            anvil,
        };
        house.registry = house.deploy(&Deployment::Tools);
        house
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

    pub(crate) fn send(&self, to: Address, call: &Call) -> Value {
        let from = self.anvil.account(0);
        self.anvil
            .send(from, &to.to_string(), &call.encode())
            .unwrap()
    }

    /// Registers a tool.
    pub(crate) fn tool(&self, predicate: Address) -> ToolReference {
        let call = Call::RegisterTool {
            metadata_uri: "https://tool.example/.well-known/ai-tool/shout.json".to_owned(),
            manifest_hash: B256::repeat_byte(1),
            access_predicate: predicate,
        };
        let receipt = self.send(self.registry, &call);
        let id = receipt["logs"][0]["topics"][1].as_str().unwrap();
        self.reference(id.parse().unwrap())
    }

    pub(crate) fn reference(&self, id: U256) -> ToolReference {
        let chain = EvmChain::try_from(CHAIN).unwrap();
        ToolReference::new(chain, deedbox_id::Address(self.registry.0.0), id).unwrap()
    }

    /// A tool on a list of accounts, with the list.
    pub(crate) fn listed(&self, accounts: &[Address]) -> (ToolReference, Address) {
        let registry = self.registry;
        let list = self.predicate(Predicate::Allowlist { registry });
        let tool = self.tool(list);
        self.allow(&tool, list, accounts, true);
        (tool, list)
    }

    pub(crate) fn allow(
        &self,
        tool: &ToolReference,
        list: Address,
        who: &[Address],
        allowed: bool,
    ) {
        let call = Call::SetAllowed {
            tool_id: tool.tool_id(),
            accounts: who.to_vec(),
            allowed,
        };
        self.send(list, &call);
    }

    pub(crate) fn gate(&self, config: Config) -> Gate {
        let chain = ChainConfig {
            id: CHAIN,
            name: "Test chain".to_owned(),
            native_symbol: "ETH".to_owned(),
            native_decimals: 18,
            multicall: None,
            finality_depth: None,
            endpoints: vec![EndpointConfig {
                timeout: Duration::from_secs(60),
                ..EndpointConfig::new("node".parse().unwrap(), Secret::new(self.endpoint.url()))
            }],
        };
        let chains = Chains::new(vec![chain], self.clock.clone()).unwrap();
        let chains = chains.with_deadline(Duration::from_secs(120));
        Gate::new(config, Arc::new(chains), self.clock.clone()).unwrap()
    }

    /// The example behind a gate with the usual strictness.
    pub(crate) fn app(&self, tool: &ToolReference) -> Router {
        crate::guarded_tool::app(self.gate(Config::new(*tool, AUDIENCE)))
    }

    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.clock.now().as_millis() / 1000).unwrap()
    }

    pub(crate) fn moment(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn pass(&self, seconds: i64) {
        self.clock.0.fetch_add(seconds * 1000, Ordering::AcqRel);
    }

    pub(crate) fn is_down(&self, down: bool) {
        self.is_down.store(down, Ordering::Release);
    }

    /// How often the registry was asked whether somebody has access.
    pub(crate) fn questions(&self) -> usize {
        let selector = format!(
            "0x{}",
            alloy_primitives::hex::encode(Tools::tryHasAccessCall::SELECTOR)
        );
        let asked = self.endpoint.asked();
        let calls = asked.iter().flat_map(|request| &request.calls);
        let data = |call: &deedbox_neighbours::rpc::Call| {
            call.params[0]["data"]
                .as_str()
                .is_some_and(|data| data.starts_with(&selector))
                || call.params[0]["input"]
                    .as_str()
                    .is_some_and(|data| data.starts_with(&selector))
        };
        calls.filter(|call| data(call)).count()
    }

    /// A proof that is signed now, and counts for five minutes.
    pub(crate) fn proof(&self, tool: &ToolReference, account: Address) -> EndpointProof {
        let nonce = self.nonces.fetch_add(1, Ordering::Relaxed);
        EndpointProof {
            chain_id: CHAIN,
            registry: Address::from(tool.registry().0),
            tool_id: tool.tool_id(),
            account,
            audience: AUDIENCE.to_owned(),
            issued_at: self.now(),
            deadline: self.now() + 300,
            nonce: B256::from(U256::from(nonce)),
        }
    }

    /// The same, signed and ready to be sent.
    pub(crate) fn shows(&self, tool: &ToolReference, key: usize) -> String {
        signed(self.proof(tool, account(key)), key, Bytes::new())
    }
}

fn signer(key: usize) -> PrivateKeySigner {
    Anvil::key(key).parse().unwrap()
}

pub(crate) fn account(key: usize) -> Address {
    signer(key).address()
}

pub(crate) fn signature(key: usize, digest: B256) -> Bytes {
    let signature = signer(key).sign_hash_sync(&digest).unwrap();
    Bytes::from(signature.as_bytes())
}

pub(crate) fn signed(proof: EndpointProof, key: usize, data: impl Into<Bytes>) -> String {
    let credential = Credential {
        signature: signature(key, proof.digest()),
        data: data.into(),
        proof,
    };
    credential.authorization()
}

/// What comes of a request with these `Authorization`s.
pub(crate) async fn ask_with(app: &Router, shown: &[&str]) -> (Response<()>, Value) {
    let mut request = Request::post("/shout");
    for one in shown {
        request = request.header(header::AUTHORIZATION, *one);
    }
    let request = request.body(Body::from("hello")).unwrap();
    let (head, body) = app.clone().oneshot(request).await.unwrap().into_parts();
    let body = axum::body::to_bytes(body, 65_536).await.unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    (Response::from_parts(head, ()), body)
}

/// The status and the code, or `in` with the account that got in.
pub(crate) async fn ask(app: &Router, shown: &str) -> (u16, String) {
    let (head, body) = ask_with(app, &[shown]).await;
    let what = body["code"].as_str().or(body["for"].as_str());
    (head.status().as_u16(), what.unwrap().to_owned())
}

pub(crate) fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

pub(crate) fn let_in(account: Address) -> (u16, String) {
    (200, format!("{account:#x}"))
}
