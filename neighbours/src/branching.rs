//! A small chain of our own that grows, takes back its blocks and makes others, and is served by as many endpoints as a test wants: some
//! that lag, some that bear little, some that stayed on a branch that was given up.
//!
//! Blocks have no transactions that do anything: a test says which logs they hold.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::{
    connections::lock,
    rpc::{Call, Reply, Request, error, hex},
};

/// When the first block was made, in seconds since 1970, and how long it takes from one to the next.
const BEGINNING: (u64, u64) = (1_700_000_000, 12);

/// A log as a contract emits it: everything in lower-case hex with `0x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The contract.
    pub address: String,
    /// At most four.
    pub topics: Vec<String>,
    /// The data.
    pub data: String,
}

/// A block.
#[derive(Clone, Debug)]
struct Block {
    hash: String,
    /// Each with its text as it is answered.
    logs: Vec<(Emitted, String)>,
}

#[derive(Clone, Debug)]
struct State {
    id: u64,
    blocks: Vec<Block>,
    finalized: u64,
    branches: u64,
}

/// The chain. Clones are the same chain.
#[derive(Clone, Debug)]
pub struct BranchingChain(Arc<Mutex<State>>);

/// What an endpoint bears, and how far behind it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bears {
    /// How many of the newest blocks it does not have yet.
    pub lag: u64,
    /// How many blocks one request for logs may be about.
    pub blocks: Option<u64>,
    /// How many logs it answers with at most.
    pub logs: Option<usize>,
    /// Whether it leaves out when a log's block was made.
    pub is_timeless: bool,
}

impl BranchingChain {
    /// A chain with one block, at height 0, which is final.
    #[must_use]
    pub fn new(id: u64) -> Self {
        let chain = Self(Arc::new(Mutex::new(State {
            id,
            blocks: Vec::new(),
            finalized: 0,
            branches: 0,
        })));
        chain.grow(Vec::new());
        chain
    }

    /// Adds a block with these logs. Returns its height.
    pub fn grow(&self, logs: Vec<Emitted>) -> u64 {
        let mut state = lock(&self.0);
        let number = count(state.blocks.len());
        let hash = format!("0x{:016x}{number:048x}", state.branches + 1);
        let logs = logs.into_iter().enumerate();
        let logs = logs.map(|(index, log)| {
            let text = render(&log, number, &hash, count(index));
            (log, text)
        });
        let logs = logs.collect();
        state.blocks.push(Block { hash, logs });
        number
    }

    /// Takes back the newest blocks, never one that is final. Those that come in their place have other hashes.
    pub fn take_back(&self, blocks: u64) {
        let mut state = lock(&self.0);
        let kept = count(state.blocks.len()).saturating_sub(blocks);
        let kept = usize::try_from(kept.max(state.finalized + 1)).unwrap_or(usize::MAX);
        state.blocks.truncate(kept);
        state.branches += 1;
    }

    /// Makes blocks final, up to this height.
    pub fn finalize(&self, height: u64) {
        let mut state = lock(&self.0);
        let newest = count(state.blocks.len()) - 1;
        state.finalized = state.finalized.max(height.min(newest));
    }

    /// Takes finality back to this height, as no chain should.
    pub fn break_finality(&self, height: u64) {
        lock(&self.0).finalized = height;
    }

    /// The height of its newest block.
    #[must_use]
    pub fn height(&self) -> u64 {
        count(lock(&self.0).blocks.len()) - 1
    }

    /// Up to which height it is final.
    #[must_use]
    pub fn finalized(&self) -> u64 {
        lock(&self.0).finalized
    }

    /// The hash of the block at a height.
    #[must_use]
    pub fn hash(&self, number: u64) -> Option<String> {
        let state = lock(&self.0);
        state.at(number).map(|block| block.hash.clone())
    }

    /// The logs of the block at a height.
    #[must_use]
    pub fn logs(&self, number: u64) -> Vec<Emitted> {
        let state = lock(&self.0);
        let block = state.at(number).into_iter();
        block
            .flat_map(|block| block.logs.iter().map(|(log, _)| log.clone()))
            .collect()
    }

    /// When the block at a height was made, in seconds since 1970.
    #[must_use]
    pub const fn timestamp(number: u64) -> u64 {
        BEGINNING.0 + BEGINNING.1 * number
    }

    /// The hash of the transaction that emitted a log.
    #[must_use]
    pub fn transaction(number: u64, log_index: u64) -> String {
        format!("0x{number:032x}{log_index:032x}")
    }

    /// The same chain as it is now, which does not change with this one: for an endpoint that hangs behind on its branch.
    #[must_use]
    pub fn frozen(&self) -> Self {
        Self(Arc::new(Mutex::new(lock(&self.0).clone())))
    }

    /// What an endpoint that bears this answers.
    #[must_use]
    pub fn reply(&self, request: &Request, bears: Bears) -> Reply {
        let state = lock(&self.0);
        let answers = request.calls.iter().map(|call| {
            let id = &call.id;
            match state.answer(call, bears) {
                Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
                Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string(),
            }
        });
        let answers: Vec<_> = answers.collect();
        let body = match request.batch {
            true => format!("[{}]", answers.join(",")),
            false => answers.concat(),
        };
        Reply::new(200, body)
    }
}

impl State {
    fn at(&self, number: u64) -> Option<&Block> {
        self.blocks.get(usize::try_from(number).ok()?)
    }

    fn header(&self, number: u64) -> Value {
        let Some(block) = self.at(number) else {
            return Value::Null;
        };
        json!({
            "number": format!("{number:#x}"),
            "hash": block.hash,
            "timestamp": format!("{:#x}", BranchingChain::timestamp(number)),
            "transactions": [],
        })
    }

    /// The result as JSON.
    fn answer(&self, call: &Call, bears: Bears) -> Result<String, Value> {
        let newest = (count(self.blocks.len()) - 1).saturating_sub(bears.lag);
        let text = |index: usize| call.params[index].as_str().unwrap_or_default();
        let number = |text: &str| match text {
            "latest" => Some(newest),
            "safe" | "finalized" => Some(self.finalized.min(newest)),
            number => hex(number).filter(|number| *number <= newest),
        };
        match call.method.as_str() {
            "eth_chainId" => Ok(format!("\"{:#x}\"", self.id)),
            "eth_blockNumber" => Ok(format!("\"{newest:#x}\"")),
            "eth_getBlockByNumber" => Ok(match number(text(0)) {
                Some(number) => self.header(number).to_string(),
                None => "null".to_owned(),
            }),
            "eth_getLogs" => self.search(&call.params[0], newest, bears),
            method => Err(error(
                -32601,
                &format!("the method {method} does not exist/is not available"),
            )),
        }
    }

    fn search(&self, filter: &Value, newest: u64, bears: Bears) -> Result<String, Value> {
        let bound = |name: &str| hex(filter[name].as_str().unwrap_or_default());
        let (from, to) = match filter["blockHash"].as_str() {
            Some(hash) => {
                let found = self.blocks.iter().position(|block| block.hash == hash);
                let number = found.map(count).filter(|number| *number <= newest);
                let number = number.ok_or_else(|| error(-32000, "unknown block"))?;
                (number, number)
            }
            None => match (bound("fromBlock"), bound("toBlock")) {
                (Some(from), Some(to)) => (from, to),
                _ => return Err(error(-32602, "invalid argument 0: a range is wanted")),
            },
        };
        if let Some(most) = bears.blocks.filter(|most| to - from >= *most) {
            let message = format!("query exceeds max block range {most}");
            return Err(error(-32602, &message));
        }
        let addresses = one_or_many(&filter["address"]);
        let topics = one_or_many(&filter["topics"][0]);
        let mut found = Vec::new();
        for number in from..=to.min(newest) {
            let logs = self.at(number).into_iter().flat_map(|block| &block.logs);
            found.extend(logs.filter(|(log, _)| {
                let topic = log.topics.first().map(String::as_str).unwrap_or_default();
                (addresses.is_empty() || addresses.contains(&log.address.as_str()))
                    && (topics.is_empty() || topics.contains(&topic))
            }));
        }
        if bears.logs.is_some_and(|most| found.len() > most) {
            return Err(error(-32005, "query returned more than 10000 results"));
        }
        let texts = found.iter().map(|(_, text)| match bears.is_timeless {
            true => without_time(text),
            false => text.clone(),
        });
        let texts: Vec<_> = texts.collect();
        Ok(format!("[{}]", texts.join(",")))
    }
}

const TIME: &str = ",\"blockTimestamp\":";

fn render(log: &Emitted, number: u64, hash: &str, index: u64) -> String {
    let text = json!({
        "address": log.address,
        "topics": log.topics,
        "data": log.data,
        "blockNumber": format!("{number:#x}"),
        "blockHash": hash,
        "transactionHash": BranchingChain::transaction(number, index),
        "transactionIndex": "0x0",
        "logIndex": format!("{index:#x}"),
        "removed": false,
    })
    .to_string();
    let text = text.trim_end_matches('}');
    format!("{text}{TIME}\"{:#x}\"}}", BranchingChain::timestamp(number))
}

fn without_time(text: &str) -> String {
    let end = text.rfind(TIME).unwrap_or(text.len());
    format!("{}}}", &text[..end])
}

fn one_or_many(value: &Value) -> Vec<&str> {
    match value {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
