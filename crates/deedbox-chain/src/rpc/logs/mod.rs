//! Searching a range of blocks for logs, in pieces as wide as the endpoint bears: [`newest`] first, for a page of what happened lately, or
//! [`oldest`] first, for whoever follows.

mod decode;
pub(super) mod newest;
pub(crate) mod oldest;
mod piece;
mod plan;

use alloy_primitives::{Address, B256};
use deedbox_core::BlockHash;
use serde_json::{Value, json};

use super::{
    pinned::{Log, Pattern},
    value::quantity,
    wire::Ask,
};

/// The method that is asked.
pub(super) const METHOD: &str = "eth_getLogs";
/// Pieces of one search, also those that were refused; then the range is too large.
const MOST_PIECES: u32 = 64;

/// One request for logs: which, and of which blocks.
#[derive(Debug)]
struct Section<'a> {
    pattern: &'a Pattern,
    from: u64,
    to: u64,
    ask: Ask,
}

impl<'a> Section<'a> {
    /// Of the blocks `from` to `to`, which an endpoint that does not have them takes for blocks without logs.
    fn of_blocks(pattern: &'a Pattern, from: u64, to: u64) -> Self {
        let blocks = json!({"fromBlock": quantity(from), "toBlock": quantity(to)});
        Self {
            pattern,
            from,
            to,
            ask: ask(pattern, blocks),
        }
    }

    /// Of one block, which is an error where it is unknown (EIP-234).
    fn of_block(pattern: &'a Pattern, number: u64, hash: BlockHash) -> Self {
        Self {
            pattern,
            from: number,
            to: number,
            ask: ask(pattern, json!({"blockHash": hash.to_string()})),
        }
    }
}

/// How the logs of the blocks `from` to `to` are asked for. An endpoint that does not have the last block would answer with the
/// logs that it has, as if there were no others. In a batch, the header of that block comes in the same request and shows it.
/// Without batches the header may come from another node behind the same name; so that block itself, the one that is
/// lacking most often, is then asked for by its hash, which is `apart`.
fn sections(
    patterns: &[Pattern],
    from: u64,
    to: u64,
    apart: Option<BlockHash>,
) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    for pattern in patterns {
        let Some(hash) = apart else {
            sections.push(Section::of_blocks(pattern, from, to));
            continue;
        };
        if from < to {
            sections.push(Section::of_blocks(pattern, from, to - 1));
        }
        sections.push(Section::of_block(pattern, to, hash));
    }
    sections
}

/// `blocks` says which, as the filter object of `eth_getLogs` has it.
fn ask(pattern: &Pattern, mut blocks: Value) -> Ask {
    let address = |address: &Address| Value::from(format!("{address:#x}"));
    let topic = |topic: &B256| Value::from(format!("{topic:#x}"));
    if !pattern.addresses.is_empty() {
        blocks["address"] = any_of(pattern.addresses.iter().map(address));
    }
    let topics = pattern.topics.iter();
    let mut topics: Vec<_> = topics.map(|any| any_of(any.iter().map(topic))).collect();
    while topics.pop_if(|topic| topic.is_null()).is_some() {}
    blocks["topics"] = json!(topics);
    Ask {
        method: METHOD,
        params: json!([blocks]),
    }
}

/// Null for anything, the value itself where it is the only one.
fn any_of(values: impl Iterator<Item = Value>) -> Value {
    let mut values: Vec<_> = values.collect();
    match (values.pop(), values.is_empty()) {
        (None, _) => Value::Null,
        (Some(only), true) => only,
        (Some(last), false) => values.into_iter().chain([last]).collect(),
    }
}

/// Whether two logs that stand side by side say that their block has two hashes.
fn is_torn(pair: &[Log]) -> bool {
    pair[0].block_number == pair[1].block_number && pair[0].block_hash != pair[1].block_hash
}

/// Where a log stands.
const fn place(log: &Log) -> (u64, u64) {
    (log.block_number, log.log_index)
}
