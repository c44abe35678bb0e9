//! How far an endpoint is, and which blocks it has.

use futures::future::try_join_all;

use super::{
    block,
    endpoint::{Answer, Endpoint},
    line::Turn,
    pinned::BlockHead,
    together,
    trouble::Trouble,
    value::{Malformed, quantity},
    wire::Ask,
};
use crate::events::Heads;

/// How far `endpoint` is. Where it names no finalized block, the one that lies `depth` blocks below the newest is taken for it.
pub(crate) async fn ask(endpoint: &Endpoint, depth: u64) -> Result<Heads, Trouble> {
    let (heads, _) = survey(endpoint, depth, &[]).await?;
    Ok(heads)
}

/// The same, and in the same request the headers of the blocks at these heights; none for one above the newest block.
pub(crate) async fn survey(
    endpoint: &Endpoint,
    depth: u64,
    numbers: &[u64],
) -> Result<(Heads, Vec<Option<BlockHead>>), Trouble> {
    let mut asks: Vec<_> = ["latest", "safe", "finalized"].map(block::by_number).into();
    asks.extend(numbers.iter().map(|number| by_height(*number)));
    let mut answers = together::all(endpoint, &asks, Turn::First).await?;
    let headers = answers.split_off(answers.len().min(3));
    let Ok([latest, safe, named]) = <[Answer; 3]>::try_from(answers) else {
        return Err(Trouble::Internal);
    };
    let latest = block::header(&latest?)?.ok_or(Trouble::BlockUnknown)?;
    endpoint.condition().saw_block(latest.number);
    let (safe, named) = (behind_tag(safe)?, behind_tag(named)?);
    let is_above = |head: &BlockHead| head.number > latest.number;
    if safe.as_ref().is_some_and(is_above) || named.as_ref().is_some_and(is_above) {
        return Err(Malformed("a block that is final lies above its newest").into());
    }
    let finalized = match (named, latest.number.checked_sub(depth)) {
        (None, Some(number)) => Some(at(endpoint, number, Turn::Next).await?),
        (named, _) => named,
    };
    if let Some(finalized) = finalized {
        endpoint.condition().saw_final_block(finalized.number);
    }
    let heads = Heads {
        endpoint_id: endpoint.id.clone(),
        latest,
        safe,
        finalized,
        is_final_by_depth: named.is_none(),
    };
    Ok((heads, known_heights(&latest, numbers, headers)?))
}

/// What an endpoint whose newest block is `latest` says of these heights.
fn known_heights(
    latest: &BlockHead,
    numbers: &[u64],
    answers: Vec<Answer>,
) -> Result<Vec<Option<BlockHead>>, Trouble> {
    let read = |(number, answer): (&u64, Answer)| match there(*number, answer)? {
        None if *number <= latest.number => Err(Trouble::BlockUnknown),
        head => Ok(head),
    };
    numbers.iter().zip(answers).map(read).collect()
}

/// The headers of the blocks at these heights; none for one above the newest block.
pub(crate) async fn headers(
    endpoint: &Endpoint,
    numbers: &[u64],
) -> Result<Vec<Option<BlockHead>>, Trouble> {
    let mut asks = vec![block::by_number("latest")];
    asks.extend(numbers.iter().map(|number| by_height(*number)));
    let mut answers = together::all(endpoint, &asks, Turn::First)
        .await?
        .into_iter();
    let latest = answers.next().unwrap_or(Err(Trouble::Internal))?;
    let latest = block::header(&latest)?.ok_or(Trouble::BlockUnknown)?;
    endpoint.condition().saw_block(latest.number);
    known_heights(&latest, numbers, answers.collect())
}

/// The header of the block at this height, which it must have.
pub(super) async fn at(endpoint: &Endpoint, number: u64, turn: Turn) -> Result<BlockHead, Trouble> {
    let answers = together::all(endpoint, &[by_height(number)], turn).await?;
    must_be_there(
        number,
        answers.into_iter().next().unwrap_or(Err(Trouble::Internal)),
    )
}

/// The headers of the blocks at these heights, all of which it must have, in several requests at once where one cannot hold them.
pub(super) async fn ats(endpoint: &Endpoint, numbers: &[u64]) -> Result<Vec<BlockHead>, Trouble> {
    let part = async |numbers: &[u64]| {
        let asks: Vec<_> = numbers.iter().map(|number| by_height(*number)).collect();
        let answers = together::all(endpoint, &asks, Turn::Next).await?;
        let pairs = numbers.iter().zip(answers);
        pairs
            .map(|(number, answer)| must_be_there(*number, answer))
            .collect::<Result<Vec<_>, _>>()
    };
    let parts = numbers.chunks(together::most(endpoint)).map(part);
    Ok(try_join_all(parts).await?.concat())
}

/// What the answer to [`by_height`] says of a block that the endpoint must have.
pub(super) fn must_be_there(number: u64, answer: Answer) -> Result<BlockHead, Trouble> {
    there(number, answer)?.ok_or(Trouble::BlockUnknown)
}

pub(super) fn by_height(number: u64) -> Ask {
    block::by_number(&quantity(number))
}

/// What the answer to [`by_height`] says: which block is there, or that there is none.
fn there(number: u64, answer: Answer) -> Result<Option<BlockHead>, Trouble> {
    match known(answer)? {
        Some(head) if head.number != number => {
            Err(Malformed("it answered with another block").into())
        }
        head => Ok(head),
    }
}

/// The block behind a tag; some do not know the tags at all.
fn behind_tag(answer: Answer) -> Result<Option<BlockHead>, Trouble> {
    match answer {
        Err(Trouble::BadParams) => Ok(None),
        answer => known(answer),
    }
}

fn known(answer: Answer) -> Result<Option<BlockHead>, Trouble> {
    match answer {
        Ok(answer) => Ok(block::header(&answer)?),
        Err(Trouble::BlockUnknown) => Ok(None),
        Err(trouble) => Err(trouble),
    }
}
