//! From what a caller calls a block to the block: asked once, and everything else is read at its hash.

use std::borrow::Cow;

use deedbox_core::{BlockHash, Timestamp};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{
    endpoint::Endpoint,
    line::Turn,
    pinned::BlockHead,
    trouble::Trouble,
    value::{self, Malformed},
    wire::Ask,
};
use crate::{Block, Code, ReadError};

/// Asks for the header of the block at a height, or behind a tag.
pub(crate) fn by_number(number: &str) -> Ask {
    Ask {
        method: "eth_getBlockByNumber",
        params: json!([number, false]),
    }
}

/// Finds `block` at `endpoint`.
///
/// A height above the endpoint's head is [`Code::EndpointLagging`]; whether it is above every endpoint's head is found
/// out by whoever asks them all. A block that the endpoint does not know is [`Code::BlockNotFound`].
pub(crate) async fn find(endpoint: &Endpoint, block: Block) -> Result<BlockHead, ReadError> {
    let ask = match block {
        Block::Number(number) => by_number(&value::quantity(number)),
        Block::Hash(hash) => Ask {
            method: "eth_getBlockByHash",
            params: json!([hash.to_string(), false]),
        },
        Block::Latest | Block::Safe | Block::Finalized => by_number(&block.to_string()),
    };
    let found = match only(endpoint, ask, Turn::First).await {
        Ok(answer) => header(&answer).map_err(Trouble::from),
        Err(Trouble::BlockUnknown) => Ok(None),
        // Some do not know the tags at all.
        Err(Trouble::BadParams) if matches!(block, Block::Safe | Block::Finalized) => Ok(None),
        Err(trouble) => Err(trouble),
    };
    let Some(head) = found.map_err(|trouble| trouble.at(&endpoint.id))? else {
        return Err(unknown(endpoint, block).await);
    };
    let answers_another = match block {
        Block::Number(number) => head.number != number,
        Block::Hash(hash) => head.hash != hash,
        Block::Latest | Block::Safe | Block::Finalized => false,
    };
    if answers_another {
        return Err(Trouble::Malformed("it answered with another block").at(&endpoint.id));
    }
    endpoint.condition().saw_block(head.number);
    Ok(head)
}

/// Its head, as it says now.
pub(crate) async fn head(endpoint: &Endpoint, turn: Turn) -> Result<u64, Trouble> {
    let ask = Ask {
        method: "eth_blockNumber",
        params: json!([]),
    };
    let head = value::number(&only(endpoint, ask, turn).await?)?;
    endpoint.condition().saw_block(head);
    Ok(head)
}

async fn only(endpoint: &Endpoint, ask: Ask, turn: Turn) -> Result<Box<RawValue>, Trouble> {
    let answers = endpoint.ask(&[ask], turn).await?;
    answers.into_iter().next().unwrap_or(Err(Trouble::Internal))
}

/// Why a block is not there.
pub(crate) async fn unknown(endpoint: &Endpoint, block: Block) -> ReadError {
    let id = &endpoint.id;
    match block {
        Block::Number(number) => match head(endpoint, Turn::Next).await {
            Ok(head) if head < number => ReadError::new(
                Code::EndpointLagging,
                format!("endpoint {id} has blocks up to {head}, not yet {number}"),
            ),
            Ok(_) => ReadError::new(
                Code::BlockNotFound,
                format!("endpoint {id} does not have block {number}"),
            ),
            Err(trouble) => trouble.at(id),
        },
        Block::Hash(hash) => ReadError::new(
            Code::BlockNotFound,
            format!("endpoint {id} knows no block with the hash {hash}"),
        ),
        Block::Latest | Block::Safe | Block::Finalized => ReadError::new(
            Code::BlockNotFound,
            format!(
                "endpoint {id} says that its chain has no {block} block; ask for a height, or for latest"
            ),
        ),
    }
}

#[derive(Deserialize)]
struct Header<'a> {
    #[serde(borrow)]
    number: Cow<'a, str>,
    #[serde(borrow)]
    hash: Cow<'a, str>,
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
}

/// A block's header; none for `null`, which is how a node says that it does not have it.
pub(crate) fn header(answer: &RawValue) -> Result<Option<BlockHead>, Malformed> {
    let malformed = Malformed("a block has no number, hash or time that can be read");
    let header: Option<Header<'_>> = serde_json::from_str(answer.get()).map_err(|_| malformed)?;
    let Some(header) = header else {
        return Ok(None);
    };
    let seconds = value::number_of(&header.timestamp).ok_or(malformed)?;
    Ok(Some(BlockHead {
        number: value::number_of(&header.number).ok_or(malformed)?,
        hash: value::block_hash(&header.hash)?,
        timestamp: timestamp(seconds).ok_or(malformed)?,
    }))
}

/// A block's time, given in seconds since 1970.
pub(crate) fn timestamp(seconds: u64) -> Option<Timestamp> {
    let millis = i64::try_from(seconds).ok()?.checked_mul(1000)?;
    Timestamp::from_millis(millis).ok()
}

/// What `answer`, to [`by_number`] of `head`'s height, says of `head`.
pub(crate) fn still_there(answer: &RawValue, head: &BlockHead) -> Result<(), Trouble> {
    let now: BlockHash = header(answer)?.ok_or(Trouble::BlockUnknown)?.hash;
    if now == head.hash {
        Ok(())
    } else {
        Err(Trouble::NotCanonical)
    }
}
