//! A tool of ERC-8257 with one endpoint, `POST /shout`, that only those may use whom its registry lets in.
//!
//! `cargo run -p deedbox-gate --example guarded_tool -- RPC_URL TOOL AUDIENCE LISTEN`, for example on `deedbox chain dev`:
//!
//! ```text
//! guarded_tool http://127.0.0.1:8545 eip155:31337/erc8257:0x…/1 http://127.0.0.1:8080 127.0.0.1:8080
//! curl http://127.0.0.1:8080/shout -d hello -H "Authorization: $(deedbox tool prove TOOL --for http://127.0.0.1:8080 …)"
//! ```

use std::{
    env,
    io::{self, Write as _},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, Result};
use axum::{
    Extension, Json, Router,
    routing::{get, post},
};
use deedbox_chain::{ChainConfig, Chains, EndpointConfig, config::Secret};
use deedbox_core::{Timestamp, World};
use deedbox_gate::{Caller, Config, Gate, GateLayer};
use deedbox_id::ToolReference;
use serde_json::{Value, json};

/// The clock and the random source of this machine.
#[derive(Debug)]
struct Machine;

impl World for Machine {
    #[expect(
        clippy::disallowed_methods,
        reason = "a program of its own, which has the clock to pass in"
    )]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis = i64::try_from(since.unwrap_or_default().as_millis());
        Timestamp::from_millis(millis.unwrap_or_default())
            .unwrap_or_else(|_| unreachable!("the year is below 10,000"))
    }

    fn fill(&self, bytes: &mut [u8]) {
        // A gate draws nothing at random, and endpoints only how long they wait before they ask again.
        getrandom::fill(bytes).ok();
    }
}

/// What a handler knows of who calls: the account that was proved, and that the registry lets in.
async fn shout(Extension(caller): Extension<Caller>, text: String) -> Json<Value> {
    Json(json!({
        "shouted": text.to_uppercase(),
        "for": caller.account,
        "as_of_block": caller.block_number,
    }))
}

/// The tool: what stands before `route_layer` is guarded, and what comes after it is open to everybody, as the tool's manifest
/// has to be.
pub(crate) fn app(gate: Gate) -> Router {
    Router::new()
        .route("/shout", post(shout))
        .route_layer(GateLayer::new(gate))
        .route("/health", get(async || "well"))
}

/// Where the registry is read.
fn chains(rpc: String, chain_id: u64, world: Arc<dyn World>) -> Result<Chains> {
    let config = ChainConfig {
        id: chain_id,
        name: "the tool's chain".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: None,
        finality_depth: None,
        endpoints: vec![EndpointConfig::new("node".parse()?, Secret::new(rpc))],
    };
    Ok(Chains::new(vec![config], world)?)
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [rpc, tool, audience, listen] = &arguments[..] else {
        anyhow::bail!("give RPC_URL TOOL AUDIENCE LISTEN");
    };
    let tool: ToolReference = tool.parse()?;
    let chain_id = tool.chain().to_u64().context("the chain id is too large")?;
    let world: Arc<dyn World> = Arc::new(Machine);
    let chains = Arc::new(chains(rpc.clone(), chain_id, Arc::clone(&world))?);
    // A chain of tests makes no blocks by itself: its newest one may be of any age.
    let config = Config {
        oldest_block: (chain_id != 31_337).then_some(std::time::Duration::from_secs(600)),
        ..Config::new(tool, audience)
    };
    let gate = Gate::new(config, chains, world)?;
    let listener = tokio::net::TcpListener::bind(listen).await?;
    writeln!(io::stdout(), "listening on {}", listener.local_addr()?)?;
    axum::serve(listener, app(gate)).await?;
    Ok(())
}
