//! Searching a range of blocks for logs, newest first, in pieces as wide as the endpoint bears.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::B256;
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use tokio::time::Instant;

use super::{
    at::At,
    condition::LogBlocks,
    pinned::{Log, LogFilter},
    question::Question,
    trouble::Trouble,
    value::{self, Malformed, quantity},
    wire::Ask,
};

/// Pieces of one search, also those that were refused; then the range is too large.
const MOST_PIECES: u32 = 64;
/// Pieces in a row that must be answered before a wider one is tried, after one was refused: where logs are dense
/// a wider one would be refused again.
const CALM: u32 = 4;
/// Logs of one search; then the range is too large.
const MOST_LOGS: usize = 100_000;

/// Which piece is searched next, and how wide: no I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    from: u64,
    /// The last block that was not searched yet.
    to: u64,
    width: u64,
    refused: Option<u64>,
    /// How many pieces in a row were not refused; none when none was refused yet.
    calm: Option<u32>,
}

impl Plan {
    fn new(filter: &LogFilter, known: LogBlocks) -> Self {
        Self {
            from: filter.from,
            to: filter.to,
            width: known.start.max(1),
            refused: known.refused,
            calm: None,
        }
    }

    /// The next piece, both ends included.
    const fn piece(&self) -> (u64, u64) {
        let from = self.to.saturating_sub(self.width - 1);
        (if from > self.from { from } else { self.from }, self.to)
    }

    /// The piece was searched. Returns whether that was all.
    fn searched(&mut self) -> bool {
        let (from, to) = self.piece();
        let full = to - from + 1 == self.width;
        let wider = self.width.saturating_mul(2);
        self.calm = self.calm.map(|calm| calm + 1);
        let is_calm = self.calm.is_none_or(|calm| calm >= CALM);
        if full && is_calm && self.refused.is_none_or(|refused| wider < refused) {
            self.width = wider;
            self.calm = self.calm.map(|_| 0);
        }
        if from == self.from {
            return true;
        }
        self.to = from - 1;
        false
    }

    /// The piece was refused. Whatever is suggested, the next one is narrower; false when there is none.
    fn refused(&mut self, suggested: Option<u64>, for_its_width: bool) -> bool {
        let (from, to) = self.piece();
        let width = to - from + 1;
        if for_its_width {
            self.refused = Some(self.refused.map_or(width, |refused| refused.min(width)));
        }
        self.calm = Some(0);
        let useful = suggested.filter(|suggested| (1..width).contains(suggested));
        self.width = useful.unwrap_or(width / 2);
        self.width > 0
    }

    /// What the next search should begin with.
    fn learnt(&self) -> LogBlocks {
        LogBlocks {
            start: self.width,
            refused: self.refused,
        }
    }
}

/// The logs of `filter`, in order of block and index, and down to which height they were searched for; `enough` says,
/// after each piece, whether to stop.
pub(super) async fn search(
    at: &At<'_>,
    filter: &LogFilter,
    enough: impl Fn(&[Log]) -> bool,
) -> Result<(Vec<Log>, u64), Trouble> {
    if filter.from > filter.to {
        return Ok((Vec::new(), filter.from));
    }
    let mut plan = Plan::new(filter, at.endpoint.condition().log_blocks(Instant::now()));
    let mut found: Vec<Log> = Vec::new();
    for _ in 0..MOST_PIECES {
        let (from, to) = plan.piece();
        let trouble = match piece(at, filter, from, to).await {
            Ok(mut logs) => {
                logs.append(&mut found);
                found = logs;
                let all = plan.searched();
                let mut condition = at.endpoint.condition();
                condition.learnt_log_blocks(plan.learnt(), Instant::now());
                drop(condition);
                if found.len() > MOST_LOGS {
                    break;
                }
                if all || enough(&found) {
                    return Ok((found, from));
                }
                continue;
            }
            Err(trouble) => trouble,
        };
        let narrower = match &trouble {
            Trouble::TooManyBlocks { suggested } => plan.refused(*suggested, true),
            Trouble::TooManyLogs { suggested } => plan.refused(*suggested, false),
            Trouble::ResponseTooLarge | Trouble::TimedOut => plan.refused(None, false),
            _ => false,
        };
        if !narrower {
            return Err(trouble);
        }
    }
    Err(Trouble::TooManyLogs { suggested: None })
}

/// The logs of the blocks `from` to `to`, asked for in one request where the endpoint takes batches.
async fn piece(at: &At<'_>, filter: &LogFilter, from: u64, to: u64) -> Result<Vec<Log>, Trouble> {
    let question = |topics: &Vec<_>| Question::new(ask(topics, from, to), |answer| answer);
    let questions: Vec<_> = filter.any_of.iter().map(question).collect();
    // With the header of the last block in the same request: an endpoint that does not have that block would
    // answer with the logs that it has, as if there were no others.
    let answers = at.all(&questions).await?;
    let mut found = BTreeMap::new();
    for (topics, answer) in filter.any_of.iter().zip(answers) {
        for log in logs(&answer?, topics, from, to)? {
            let same = found.insert((log.block_number, log.log_index), log.clone());
            if same.is_some_and(|other| other != log) {
                return Err(Malformed("two logs are at one place").into());
            }
        }
    }
    let logs: Vec<Log> = found.into_values().collect();
    if logs.windows(2).any(is_torn) {
        return Err(Malformed("the logs of one block have different hashes").into());
    }
    let replaced = |log: &Log| log.block_number == at.head.number && log.block_hash != at.head.hash;
    if logs.iter().any(replaced) {
        return Err(Trouble::NotCanonical);
    }
    Ok(logs)
}

fn is_torn(pair: &[Log]) -> bool {
    pair[0].block_number == pair[1].block_number && pair[0].block_hash != pair[1].block_hash
}

fn ask(topics: &[Option<B256>], from: u64, to: u64) -> Ask {
    let mut topics: Vec<_> = topics
        .iter()
        .map(|topic| topic.map(|topic| format!("{topic:#x}")))
        .collect();
    while topics.pop_if(|topic| topic.is_none()).is_some() {}
    Ask {
        method: "eth_getLogs",
        params: json!([{"fromBlock": quantity(from), "toBlock": quantity(to), "topics": topics}]),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireLog {
    address: String,
    topics: Vec<String>,
    data: String,
    block_number: String,
    block_hash: String,
    transaction_hash: String,
    log_index: String,
    #[serde(default)]
    removed: bool,
}

/// Reads the logs of the blocks `from` to `to`; what was not asked for is an error, not left out.
fn logs(
    answer: &RawValue,
    topics: &[Option<B256>],
    from: u64,
    to: u64,
) -> Result<Vec<Log>, Malformed> {
    let wire: Vec<WireLog> = serde_json::from_str(answer.get())
        .map_err(|_| Malformed("a log lacks a field, or is not in a block"))?;
    let mut places = BTreeSet::new();
    let mut logs = Vec::with_capacity(wire.len());
    for log in wire {
        if log.removed {
            return Err(Malformed("a log is marked as removed"));
        }
        let log = read(&log)?;
        if !(from..=to).contains(&log.block_number) {
            return Err(Malformed("a log is outside of the range"));
        }
        if !matches(&log, topics) {
            return Err(Malformed("a log does not match what was asked for"));
        }
        if !places.insert((log.block_number, log.log_index)) {
            return Err(Malformed("a log is there twice"));
        }
        logs.push(log);
    }
    Ok(logs)
}

fn read(log: &WireLog) -> Result<Log, Malformed> {
    let number = |text: &str| {
        value::number_of(text).ok_or(Malformed("a log's height or index is not a quantity"))
    };
    let topics = log.topics.iter().map(|topic| value::word(topic));
    if log.topics.len() > 4 {
        return Err(Malformed("a log has more than four topics"));
    }
    Ok(Log {
        address: value::address(&log.address)?,
        topics: topics.collect::<Result<_, _>>()?,
        data: value::bytes_of(&log.data)
            .ok_or(Malformed("bytes are not 0x and pairs of hex digits"))?,
        block_number: number(&log.block_number)?,
        block_hash: value::block_hash(&log.block_hash)?,
        transaction_hash: value::word(&log.transaction_hash)?,
        log_index: number(&log.log_index)?,
    })
}

fn matches(log: &Log, topics: &[Option<B256>]) -> bool {
    topics
        .iter()
        .enumerate()
        .all(|(index, wanted)| match wanted {
            None => true,
            Some(wanted) => log.topics.get(index) == Some(wanted),
        })
}
