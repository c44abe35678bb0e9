//! The newest logs of a range of blocks, up to the block at which everything is read.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::{
    super::{
        at::At,
        pinned::{LOG_DATA, Log, LogFilter},
        question::Question,
        trouble::Trouble,
        value::Malformed,
        widths::LogBlocks,
    },
    MOST_PIECES, Section, decode, is_torn, place,
    plan::{Direction, Plan},
    sections,
};

/// Logs of one search; then the range is too large.
const MOST_LOGS: usize = 100_000;

/// The logs of `filter`, in order of block and index, and down to which height they were searched for; `enough` says,
/// after each piece, whether to stop.
pub(in crate::rpc) async fn search(
    at: &At<'_>,
    filter: &LogFilter,
    enough: impl Fn(&[Log]) -> bool,
) -> Result<(Vec<Log>, u64), Trouble> {
    if filter.from > filter.to {
        return Ok((Vec::new(), filter.from));
    }
    let known = LogBlocks {
        // Whoever was refused may have looked for what is denser.
        calm: None,
        ..at.endpoint.condition().newest_logs.known(Instant::now())
    };
    let mut plan = Plan::new(Direction::NewestFirst, (filter.from, filter.to), known);
    let mut found: Vec<Log> = Vec::new();
    for _ in 0..MOST_PIECES {
        let (from, to) = plan.piece();
        let trouble = match piece(at, filter, from, to).await {
            Ok(mut logs) => {
                logs.append(&mut found);
                found = logs;
                let all = plan.searched(None);
                let mut condition = at.endpoint.condition();
                condition.newest_logs.learn(plan.learnt(), Instant::now());
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
        if !plan.refused(&trouble) {
            return Err(trouble);
        }
    }
    Err(Trouble::TooManyLogs { suggested: None })
}

/// The logs of the blocks `from` to `to`, asked for in one request where the endpoint takes batches.
async fn piece(at: &At<'_>, filter: &LogFilter, from: u64, to: u64) -> Result<Vec<Log>, Trouble> {
    let sections = loop {
        let together = at.takes_batches();
        let apart = (to == at.head.number && !together).then_some(at.head.hash);
        let sections = sections(&filter.any_of, from, to, apart);
        let question = |section: &Section<'_>| Question::new(section.ask.clone(), |answer| answer);
        let questions: Vec<_> = sections.iter().map(question).collect();
        let answers = at.all(&questions).await?;
        // Otherwise it was found out now that they come apart, and they are asked for as such.
        if together == at.takes_batches() {
            break sections.into_iter().zip(answers);
        }
    };
    let mut found = BTreeMap::new();
    for (section, answer) in sections {
        let mut logs = decode::logs(&answer?, &section, LOG_DATA)?;
        logs.sort_unstable_by_key(place);
        if logs
            .array_windows()
            .any(|[one, other]| place(one) == place(other))
        {
            return Err(Malformed("a log is there twice").into());
        }
        for log in logs {
            match found.get(&place(&log)) {
                Some(other) if *other != log => {
                    return Err(Malformed("two logs are at one place").into());
                }
                _ => drop(found.insert(place(&log), log)),
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
