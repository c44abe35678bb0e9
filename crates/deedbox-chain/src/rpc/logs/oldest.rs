//! The oldest logs of a range of blocks, for whoever follows: one [`piece`](super::piece) at a time, and the block up to which it goes.

use tokio::time::Instant;

use super::{
    super::{
        block,
        endpoint::Endpoint,
        heads,
        line::Turn,
        pinned::{BlockHead, Pattern},
        trouble::Trouble,
    },
    MOST_PIECES,
    piece::Piece,
    plan::{Direction, Plan},
};
use crate::{
    Block, Code, ReadError,
    events::{EventLog, Range},
};

/// How often a piece is read that the chain changed under.
const READINGS: u32 = 3;

/// What came of one look at a piece.
enum Seen {
    Piece(Vec<EventLog>, BlockHead),
    /// The block below it is not the one that it should continue.
    AnotherBranch,
}

/// The logs of the first blocks of `range`, as many as `endpoint` bears, and the last of these blocks. `depth` is for [`heads::ask`].
pub(crate) async fn search(
    endpoint: &Endpoint,
    range: &Range,
    depth: u64,
) -> Result<(Vec<EventLog>, BlockHead), ReadError> {
    let id = &endpoint.id;
    let mut pattern = Pattern {
        addresses: range.addresses.clone(),
        topics: vec![range.topics.clone()],
    };
    pattern.addresses.sort_unstable();
    pattern.addresses.dedup();
    let mut readings = 1;
    let trouble = loop {
        match first(endpoint, range, &pattern, depth).await {
            Ok(Seen::Piece(logs, upto)) => return Ok((logs, upto)),
            Ok(Seen::AnotherBranch) => {
                return Err(ReadError::new(
                    Code::Reorged,
                    format!(
                        "endpoint {id} has another block below {} than what was read before ends with",
                        range.from
                    ),
                ));
            }
            Err(Trouble::NotCanonical) if readings < READINGS => readings += 1,
            Err(trouble) => break trouble,
        }
    };
    Err(match trouble {
        Trouble::BlockUnknown => block::unknown(endpoint, Block::Number(range.from)).await,
        Trouble::TooManyLogs { .. } => ReadError::new(
            Code::RangeTooLarge,
            format!(
                "endpoint {id} does not give the logs of block {}, however few are asked for",
                range.from
            ),
        ),
        trouble => trouble.at(id),
    })
}

/// Looks at the first piece of `range`, at a narrower one when it is refused.
async fn first(
    endpoint: &Endpoint,
    range: &Range,
    pattern: &Pattern,
    depth: u64,
) -> Result<Seen, Trouble> {
    let known = endpoint.condition().oldest_logs.known(Instant::now());
    let mut plan = Plan::new(Direction::OldestFirst, (range.from, range.to), known);
    let mut newest = None;
    let mut is_first = true;
    for _ in 0..MOST_PIECES {
        let (from, to) = plan.piece();
        let final_height = endpoint.condition().final_height();
        let is_final = final_height.is_some_and(|height| to <= height);
        if !is_final && newest.is_none() {
            let latest = heads::ask(endpoint, depth).await?.latest;
            if latest.number < from {
                return Err(Trouble::BlockUnknown);
            }
            is_first = false;
            plan.end_at(latest.number);
            newest = Some(latest);
            continue;
        }
        let piece = Piece {
            endpoint,
            pattern,
            below: range.after.and(from.checked_sub(1)),
            from,
            to,
            final_height,
            turn: if is_first { Turn::First } else { Turn::Next },
        };
        is_first = false;
        let read = piece
            .read(newest.filter(|newest| newest.number == to))
            .await;
        let trouble = match read {
            Ok(read) if from < to && piece.is_too_much(&read.logs) => Trouble::ResponseTooLarge,
            Ok(read) => {
                plan.searched(Some(piece.fitting(read.length)));
                learn(endpoint, &plan);
                if read
                    .below
                    .is_some_and(|below| Some(below.hash) != range.after)
                {
                    return Ok(Seen::AnotherBranch);
                }
                let logs = piece.settle(read.logs, &read.upto).await?;
                return Ok(Seen::Piece(logs, read.upto));
            }
            Err(trouble) => trouble,
        };
        if !plan.refused(&trouble) {
            return Err(trouble);
        }
        learn(endpoint, &plan);
    }
    Err(Trouble::TooManyLogs { suggested: None })
}

fn learn(endpoint: &Endpoint, plan: &Plan) {
    let mut condition = endpoint.condition();
    condition.oldest_logs.learn(plan.learnt(), Instant::now());
}
