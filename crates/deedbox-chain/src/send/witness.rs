//! What one endpoint has in a block, for whoever does not believe another one alone.

use alloy_primitives::{Address, B256};
use deedbox_core::BlockHash;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use super::{Use, View, progress, together};
use crate::rpc::{
    block,
    endpoint::Endpoint,
    trouble::Trouble,
    value::{self, Malformed, quantity},
    wire::Ask,
};

/// The hashes of the transactions in this block.
pub(super) async fn hashes(
    endpoint: &Endpoint,
    number: u64,
    hash: BlockHash,
) -> Result<View<Vec<B256>>, Trouble> {
    let said: View<Vec<String>> = transactions(endpoint, number, hash, false).await?;
    Ok(match said {
        View::Block(said) => {
            let hashes = said.iter().map(|hash| value::word(hash));
            View::Block(hashes.collect::<Result<_, _>>()?)
        }
        View::OtherBlock => View::OtherBlock,
        View::NoBlock => View::NoBlock,
        View::Silent(error) => View::Silent(error),
    })
}

/// How far the account came in this block, and the transactions in it.
pub(super) async fn uses(
    endpoint: &Endpoint,
    account: Address,
    number: u64,
    hash: BlockHash,
) -> Result<View<Use>, Trouble> {
    let transactions = match transactions(endpoint, number, hash, true).await? {
        View::Block(transactions) => transactions,
        View::OtherBlock => return Ok(View::OtherBlock),
        View::NoBlock => return Ok(View::NoBlock),
        View::Silent(error) => return Ok(View::Silent(error)),
    };
    let count = |block: Value| Ask {
        method: "eth_getTransactionCount",
        params: json!([format!("{account:#x}"), block]),
    };
    let asks = [
        count(json!(quantity(number.saturating_sub(1)))),
        count(json!({"blockHash": hash.to_string(), "requireCanonical": true})),
    ];
    let counts = match together::need(endpoint, asks).await {
        Ok([before, with]) => Some([value::number(&before)?, value::number(&with)?]),
        Err(Trouble::StateUnavailable) => None,
        Err(trouble) => return Err(trouble),
    };
    Ok(View::Block(Use {
        counts,
        transactions,
    }))
}

/// The transactions in this block, whole or by their hashes.
async fn transactions<T: DeserializeOwned>(
    endpoint: &Endpoint,
    number: u64,
    hash: BlockHash,
    whole: bool,
) -> Result<View<Vec<T>>, Trouble> {
    let ask = Ask {
        method: "eth_getBlockByNumber",
        params: json!([quantity(number), whole]),
    };
    let said = match together::need(endpoint, [ask]).await {
        Ok([said]) => said,
        Err(Trouble::BlockUnknown) => return Ok(View::NoBlock),
        Err(trouble) => return Err(trouble),
    };
    let Some(there) = block::header(&said)? else {
        return Ok(View::NoBlock);
    };
    if there.number != number {
        return Err(Malformed(progress::ANOTHER_BLOCK).into());
    }
    if there.hash != hash {
        return Ok(View::OtherBlock);
    }
    Ok(View::Block(read(&said)?))
}

fn read<T: DeserializeOwned>(block: &RawValue) -> Result<Vec<T>, Malformed> {
    #[derive(Deserialize)]
    struct Block<T> {
        transactions: Vec<T>,
    }
    let block: Block<T> = serde_json::from_str(block.get())
        .map_err(|_| Malformed("a block does not tell its transactions"))?;
    Ok(block.transactions)
}
