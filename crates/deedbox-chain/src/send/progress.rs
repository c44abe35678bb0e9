//! How far a chain and an account have come, as one endpoint says.

use alloy_primitives::Address;
use serde_json::json;

use super::{Passing, Progress, together};
use crate::{
    look::BlockHead,
    rpc::{
        block,
        endpoint::Endpoint,
        trouble::Trouble,
        value::{self, Malformed, quantity},
        wire::Ask,
    },
};

/// It was asked for the block at one height, and answered with one at another.
pub(super) const ANOTHER_BLOCK: &str = "it answered with another block";

/// Where the chain and `account` are: by the newest block, and by the one that `confirmations` blocks hold.
pub(super) async fn ask(
    endpoint: &Endpoint,
    account: Address,
    confirmations: u64,
) -> Result<Progress, Trouble> {
    let [newest] = together::need(endpoint, [block::by_number("latest")]).await?;
    let head = block::header(&newest)?.ok_or(Trouble::BlockUnknown)?;
    endpoint.condition().saw_block(head.number);
    let deep = head.number.saturating_sub(confirmations.saturating_sub(1));
    let settled = if deep == head.number {
        head
    } else {
        let there = block_at(endpoint, deep).await?;
        there.ok_or(Trouble::BlockUnknown)?
    };
    let [nonce, settled_nonce] = counts(endpoint, account, [head, settled]).await?;
    Ok(Progress {
        head,
        nonce,
        settled,
        settled_nonce,
    })
}

/// How many transactions of the account are in the chain with each of these blocks.
async fn counts<const N: usize>(
    endpoint: &Endpoint,
    account: Address,
    blocks: [BlockHead; N],
) -> Result<[u64; N], Trouble> {
    let asks = blocks.map(|block| Ask {
        method: "eth_getTransactionCount",
        params: json!([
            format!("{account:#x}"),
            {"blockHash": block.hash.to_string(), "requireCanonical": true},
        ]),
    });
    let mut counts = [0; N];
    let answers = together::need(endpoint, asks).await?;
    for (count, answer) in counts.iter_mut().zip(&answers) {
        *count = value::number(answer)?;
    }
    Ok(counts)
}

/// Finds the block with which the account's nonce passed `nonce`, at or below the height `by`; none where it has not passed by then. First in steps that double, so that
/// what happened lately needs no old state.
pub(super) async fn passing(
    endpoint: &Endpoint,
    account: Address,
    nonce: u64,
    by: u64,
) -> Result<Option<Passing>, Trouble> {
    let at = |height: u64| async move {
        let block = block_at(endpoint, height).await?;
        let block = block.ok_or(Trouble::BlockUnknown)?;
        let [count] = counts(endpoint, account, [block]).await?;
        Ok::<_, Trouble>((block, count > nonce))
    };
    let (mut block, has_passed) = at(by).await?;
    if !has_passed {
        return Ok(None);
    }
    let (mut lowest, mut step) = (0, 1_u64);
    while block.number > 0 {
        match at(block.number.saturating_sub(step)).await? {
            (earlier, true) => block = earlier,
            (earlier, false) => {
                lowest = earlier.number + 1;
                break;
            }
        }
        step = step.saturating_mul(2);
    }
    while lowest < block.number {
        match at(lowest + (block.number - lowest) / 2).await? {
            (earlier, true) => block = earlier,
            (earlier, false) => lowest = earlier.number + 1,
        }
    }
    let [account_nonce] = counts(endpoint, account, [block]).await?;
    Ok(Some(Passing {
        block,
        account_nonce,
    }))
}

/// The block at this height; none where the endpoint has none.
pub(super) async fn block_at(
    endpoint: &Endpoint,
    number: u64,
) -> Result<Option<BlockHead>, Trouble> {
    let there = block::by_number(&quantity(number));
    let there = match together::need(endpoint, [there]).await {
        Ok([there]) => block::header(&there)?,
        Err(Trouble::BlockUnknown) => None,
        Err(trouble) => return Err(trouble),
    };
    match there {
        Some(there) if there.number != number => Err(Malformed(ANOTHER_BLOCK).into()),
        there => Ok(there),
    }
}
