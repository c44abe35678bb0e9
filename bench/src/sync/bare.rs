//! The floor: the same logs fetched and decoded, and forgotten. One request after the other, each for as many blocks as fit into the body that
//! a reader of ours takes; no header is looked at, and nothing is checked.

use alloy_primitives::{Address, B256, Bytes, LogData, U64};
use alloy_sol_types::SolEventInterface as _;
use anyhow::{Result, ensure};
use deedbox_registry::{
    abi::{OpenAgentRegistry::OpenAgentRegistryEvents, ToolRegistry::ToolRegistryEvents},
    sync::topics,
};
use deedbox_store::index::Standard;
use serde::Deserialize;
use serde_json::json;

use crate::chain::Registries;

/// Blocks for one request.
const WIDTH: u64 = 200;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "decoding them is what is measured")]
struct Log {
    address: Address,
    topics: Vec<B256>,
    data: Bytes,
    block_number: U64,
    block_hash: B256,
    block_timestamp: Option<U64>,
    transaction_hash: B256,
    transaction_index: U64,
    log_index: U64,
}

#[derive(Deserialize)]
struct Answer<T> {
    result: T,
}

/// How many events there are, and how many requests they took.
pub(crate) async fn read(registries: &Registries) -> Result<(u64, u64)> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let ask = async |method: &str, params: serde_json::Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = client.post(&registries.node).body(body.to_string());
        let request = request.header("content-type", "application/json");
        request.send().await?.bytes().await
    };
    let newest = ask("eth_blockNumber", json!([])).await?;
    let newest: Answer<U64> = serde_json::from_slice(&newest)?;
    let newest = newest.result.to::<u64>();
    let mut wanted = topics(Standard::Erc8122);
    wanted.extend(topics(Standard::Erc8257));
    wanted.dedup();
    let (mut events, mut requests, mut from) = (0, 1, 0);
    while from <= newest {
        let to = (from + WIDTH - 1).min(newest);
        let filter = json!({
            "fromBlock": format!("{from:#x}"), "toBlock": format!("{to:#x}"),
            "address": [registries.agents, registries.tools], "topics": [wanted],
        });
        let answer = ask("eth_getLogs", json!([filter])).await?;
        let logs: Answer<Vec<Log>> = serde_json::from_slice(&answer)?;
        for log in logs.result {
            decode(registries, log)?;
            events += 1;
        }
        requests += 1;
        from = to + 1;
    }
    Ok((events, requests))
}

fn decode(registries: &Registries, log: Log) -> Result<()> {
    let data = LogData::new_unchecked(log.topics, log.data);
    let (topics, data) = (data.topics(), &data.data);
    if log.address == registries.agents {
        std::hint::black_box(OpenAgentRegistryEvents::decode_raw_log(topics, data)?);
    } else {
        ensure!(log.address == registries.tools, "a stranger's log");
        std::hint::black_box(ToolRegistryEvents::decode_raw_log(topics, data)?);
    }
    Ok(())
}
