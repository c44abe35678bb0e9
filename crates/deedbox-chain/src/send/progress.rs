//! How far a chain and an account have come, as one endpoint says.

use alloy_primitives::Address;
use serde_json::json;

use super::{Progress, together};
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
    let count = |block: BlockHead| Ask {
        method: "eth_getTransactionCount",
        params: json!([
            format!("{account:#x}"),
            {"blockHash": block.hash.to_string(), "requireCanonical": true},
        ]),
    };
    let counts = together::need(endpoint, [count(head), count(settled)]).await?;
    let [nonce, settled_nonce] = counts.map(|count| value::number(&count));
    Ok(Progress {
        head,
        nonce: nonce?,
        settled,
        settled_nonce: settled_nonce?,
    })
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
        Some(there) if there.number != number => {
            Err(Malformed("it answered with another block").into())
        }
        there => Ok(there),
    }
}
