//! What happens between a block and an endpoint: a real HTTP server on the other side, scripted.

mod any;
mod at;
mod logs;

use std::sync::Arc;

use deedbox_core::{Timestamp, World};
use deedbox_neighbours::rpc::{Chain, FaultyEndpoint, Reply, Request, hex};
use serde_json::Value;

use super::{at::At, block, endpoint::Endpoint};
use crate::{Block, EndpointConfig, config::Secret};

/// Jitter that takes no time, and a clock that stands.
#[derive(Debug)]
struct Still;

impl World for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_796_000_000_000).unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

const CHAIN: Chain = Chain {
    id: 1,
    head: 1_000_000,
};
const HEAD: u64 = CHAIN.head;

fn served(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> FaultyEndpoint {
    FaultyEndpoint::http(script).unwrap()
}

/// As `script` answers, and where it does not, as an honest chain does.
fn mostly_honest(
    script: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static,
) -> FaultyEndpoint {
    served(move |request| script(request).unwrap_or_else(|| CHAIN.reply(request)))
}

fn endpoint(server: &FaultyEndpoint, change: impl FnOnce(&mut EndpointConfig)) -> Endpoint {
    let mut config = EndpointConfig::new("main".parse().unwrap(), Secret::new(server.url()));
    change(&mut config);
    Endpoint::new(CHAIN.id, &config, Arc::new(Still)).unwrap()
}

/// At the head, found already; `server` has forgotten how.
async fn at_head<'a>(
    server: &FaultyEndpoint,
    endpoint: &'a Endpoint,
    multicall: Option<[u8; 20]>,
) -> At<'a> {
    let head = block::find(endpoint, Block::Number(HEAD)).await.unwrap();
    server.forget();
    At::new(endpoint, head, multicall.map(Into::into))
}

/// The range of an `eth_getLogs`.
fn range(params: &Value) -> (u64, u64) {
    let bound = |name: &str| hex(params[0][name].as_str().unwrap()).unwrap();
    (bound("fromBlock"), bound("toBlock"))
}
