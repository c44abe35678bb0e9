//! Endpoints, chains and what a right answer is.

pub(crate) use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

pub(crate) use alloy_primitives::{B256, Bytes, keccak256};
pub(crate) use deedbox_chain::send::{Broadcast, NotTaken, Sending, Whereabouts};
pub(crate) use deedbox_chain::{
    Block, ChainConfig, Chains, Code, EndpointConfig, ReadError, Request,
    config::Secret,
    request::{AddressText, NativeBalance},
};
pub(crate) use deedbox_core::{Reading, Timestamp, World};
pub(crate) use deedbox_neighbours::rpc::{
    Call, Chain, FaultyEndpoint, Reply, Request as Asked, error,
};
pub(crate) use serde_json::{Value, json};

/// 2026-11-30T00:53:20Z, and random numbers that are the same in every run.
#[derive(Debug, Default)]
pub(crate) struct Fixed(AtomicU64);

impl World for Fixed {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_796_000_000_000).unwrap()
    }

    /// splitmix64
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let state = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..chunk.len()]);
        }
    }
}

pub(crate) const CHAIN: Chain = Chain { id: 1, head: 1000 };
/// Its balance on every honest chain, by its last two bytes.
pub(crate) const HOLDER: &str = "0x0000000000000000000000000000000000001234";
pub(crate) const BALANCE: &str = "4660";

/// Short enough for a test that waits for it, long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_millis(800);

pub(crate) fn served(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> FaultyEndpoint {
    FaultyEndpoint::http(script).unwrap()
}

pub(crate) fn honest() -> FaultyEndpoint {
    served(|request| CHAIN.reply(request))
}

/// Honest about its chain and its blocks, and whatever `script` says to everything else.
pub(crate) fn honest_about_blocks(
    script: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
) -> FaultyEndpoint {
    served(move |request| {
        if request.has("eth_getBalance") {
            script(request)
        } else {
            CHAIN.reply(request)
        }
    })
}

pub(crate) fn config(id: &str, url: &str) -> EndpointConfig {
    EndpointConfig {
        timeout: Duration::from_secs(5),
        ..EndpointConfig::new(id.parse().unwrap(), Secret::new(url))
    }
}

pub(crate) fn configs(servers: &[&FaultyEndpoint]) -> Vec<EndpointConfig> {
    let names = ["main", "spare", "third"];
    let pairs = names.iter().zip(servers);
    pairs
        .map(|(name, server)| config(name, &server.url()))
        .collect()
}

pub(crate) fn chains(endpoints: Vec<EndpointConfig>) -> Chains {
    chains_with(endpoints, |_| {})
}

pub(crate) fn chains_with(
    endpoints: Vec<EndpointConfig>,
    change: impl FnOnce(&mut ChainConfig),
) -> Chains {
    let mut config = ChainConfig {
        id: CHAIN.id,
        name: "Test".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: None,
        finality_depth: None,
        endpoints,
    };
    change(&mut config);
    Chains::new(vec![config], Arc::new(Fixed::default())).unwrap()
}

pub(crate) fn of(servers: &[&FaultyEndpoint]) -> Chains {
    chains(configs(servers))
}

pub(crate) fn balance_at(block: Block) -> Request {
    Request::NativeBalance(NativeBalance {
        chain_id: CHAIN.id,
        holder: AddressText(HOLDER.to_owned()),
        block,
    })
}

pub(crate) async fn read(chains: &Chains) -> Result<Reading, ReadError> {
    chains.read(&balance_at(Block::Number(900))).await
}

/// The reading is the right one, and came through `endpoint`.
#[track_caller]
pub(crate) fn assert_right(reading: Result<Reading, ReadError>, endpoint: &str) {
    let reading = reading.unwrap();
    assert_eq!(reading.data["raw_amount"], BALANCE);
    let provenance = reading.provenance;
    assert_eq!(provenance.endpoint_id.as_str(), endpoint);
    assert_eq!(provenance.chain_id, 1);
    assert_eq!(provenance.block_number, 900);
    assert_eq!(provenance.block_hash.to_string(), Chain::hash(900));
    assert_eq!(provenance.block_timestamp.as_millis(), 1_700_010_800_000);
}

#[track_caller]
pub(crate) fn assert_fails(reading: Result<Reading, ReadError>, code: Code) -> String {
    let error = reading.unwrap_err();
    assert_eq!(error.code, code, "{error}");
    error.message
}

pub(crate) const SEND: &str = "eth_sendRawTransaction";

/// Some signed transaction: endpoints that are scripted do not look into it.
pub(crate) fn raw() -> Bytes {
    Bytes::from_static(&[2, 0xc0])
}

pub(crate) fn transaction() -> B256 {
    keccak256(raw())
}

/// That the endpoint with this id took it.
pub(crate) fn taken(endpoint: &str) -> Broadcast {
    Broadcast::Taken(endpoint.parse().unwrap())
}

/// That the endpoint with this id has it already.
pub(crate) fn known(endpoint: &str) -> Broadcast {
    Broadcast::AlreadyKnown(endpoint.parse().unwrap())
}

pub(crate) fn sending(chains: &Chains) -> Sending<'_> {
    chains.sending(CHAIN.id).unwrap()
}

/// What `answer` says to each call, and what it does not answer, as an honest chain does that knows no transaction.
pub(crate) fn saying(
    answer: impl Fn(&Call) -> Option<Result<Value, Value>> + Send + Sync + 'static,
) -> FaultyEndpoint {
    served(move |request| Reply::each(request, |call| said(call, &answer)))
}

fn said(
    call: &Call,
    answer: &impl Fn(&Call) -> Option<Result<Value, Value>>,
) -> Result<Value, Value> {
    answer(call).unwrap_or_else(|| match call.method.as_str() {
        "eth_getTransactionReceipt" | "eth_getTransactionByHash" => Ok(Value::Null),
        _ => CHAIN.answer(call),
    })
}

/// Honest about its chain, knows no transaction, and replies as `script` does to one that it is handed.
pub(crate) fn handed(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> FaultyEndpoint {
    served(move |request| {
        if request.has(SEND) {
            script(request)
        } else {
            Reply::each(request, |call| said(call, &|_| None))
        }
    })
}

/// Takes whatever it is handed.
pub(crate) fn willing() -> FaultyEndpoint {
    handed(|request| Reply::each(request, |_| Ok(json!(transaction().to_string()))))
}

/// Refuses whatever it is handed with this error.
pub(crate) fn refusing(code: i64, words: &str) -> FaultyEndpoint {
    let error = error(code, words);
    handed(move |request| Reply::each(request, |_| Err(error.clone())))
}
