//! Where a transaction is, as one endpoint says, and only as far as that agrees with the chain.

use alloy_primitives::B256;
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{Log, Receipt, View, Whereabouts, together, witness};
use crate::rpc::{
    endpoint::Endpoint,
    trouble::Trouble,
    value::{self, Malformed},
    wire::Ask,
};

/// What `endpoint` knows of `transaction`. A receipt counts only where its block is the one at its height, and holds the transaction.
pub(super) async fn ask(endpoint: &Endpoint, transaction: B256) -> Result<Whereabouts, Trouble> {
    let by_hash = |method| Ask {
        method,
        params: json!([format!("{transaction:#x}")]),
    };
    let asks = [
        by_hash("eth_getTransactionReceipt"),
        by_hash("eth_getTransactionByHash"),
    ];
    let [receipt, known] = together::need(endpoint, asks).await?;
    let known = Known::read(&known, transaction)?;
    let Some(receipt) = read(&receipt, transaction, known.as_ref())? else {
        return match known {
            // It waits for nothing: receipts are still being indexed, or are not kept.
            Some(known) if known.block_hash.is_some() => Err(Malformed(
                "it has the transaction in a block, and no receipt of it (yet, or any more)",
            )
            .into()),
            Some(_) => Ok(Whereabouts::Pending),
            None => Ok(Whereabouts::Unknown { everywhere: true }),
        };
    };
    let there = witness::hashes(endpoint, receipt.block_number, receipt.block_hash);
    match there.await? {
        View::Block(hashes) if hashes.contains(&transaction) => {
            Ok(Whereabouts::Included(Box::new(receipt)))
        }
        View::Block(_) => Err(Malformed(
            "it has a receipt of the transaction, and the block that it names does not hold it",
        )
        .into()),
        View::OtherBlock | View::NoBlock | View::Silent(_) => Ok(Whereabouts::Pending),
    }
}

/// What `eth_getTransactionByHash` is asked for.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Known {
    hash: String,
    #[serde(default)]
    block_hash: Option<String>,
    #[serde(default)]
    gas_price: Option<String>,
}

impl Known {
    fn read(answer: &RawValue, transaction: B256) -> Result<Option<Self>, Malformed> {
        let known: Option<Self> = serde_json::from_str(answer.get())
            .map_err(|_| Malformed("a transaction cannot be read"))?;
        match known {
            Some(known) if value::word(&known.hash)? != transaction => {
                Err(Malformed("it answered with another transaction"))
            }
            known => Ok(known),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    transaction_hash: String,
    block_number: Option<String>,
    block_hash: Option<String>,
    #[serde(default)]
    status: Option<String>,
    gas_used: String,
    #[serde(default)]
    effective_gas_price: Option<String>,
    #[serde(default)]
    contract_address: Option<String>,
    logs: Vec<WireLog>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireLog {
    address: String,
    topics: Vec<String>,
    data: String,
    log_index: String,
}

/// A receipt; none for `null`, and for one of no block yet.
fn read(
    answer: &RawValue,
    transaction: B256,
    known: Option<&Known>,
) -> Result<Option<Receipt>, Malformed> {
    let malformed = Malformed("a receipt cannot be read");
    let wire: Option<Wire> = serde_json::from_str(answer.get()).map_err(|_| malformed)?;
    let Some(wire) = wire else { return Ok(None) };
    if value::word(&wire.transaction_hash)? != transaction {
        return Err(Malformed(
            "it answered with the receipt of another transaction",
        ));
    }
    let (Some(number), Some(hash)) = (&wire.block_number, &wire.block_hash) else {
        return Ok(None);
    };
    // Before London there was one price, and the transaction says it.
    let price = wire.effective_gas_price.as_ref();
    let price = price
        .or_else(|| known?.gas_price.as_ref())
        .ok_or(malformed)?;
    Ok(Some(Receipt {
        transaction,
        block_number: value::number_of(number).ok_or(malformed)?,
        block_hash: value::block_hash(hash)?,
        succeeded: match wire.status.as_deref() {
            Some("0x1") => true,
            Some("0x0") => false,
            // Before Byzantium there was none, and then nobody can say.
            _ => {
                return Err(Malformed(
                    "a receipt does not say whether the transaction succeeded",
                ));
            }
        },
        denied_by: Vec::new(),
        gas_used: value::number_of(&wire.gas_used).ok_or(malformed)?,
        effective_gas_price: value::amount_of(price)
            .and_then(|price| price.try_into().ok())
            .ok_or(malformed)?,
        contract: wire
            .contract_address
            .as_deref()
            .map(value::address)
            .transpose()?,
        logs: wire.logs.into_iter().map(log).collect::<Result<_, _>>()?,
    }))
}

fn log(wire: WireLog) -> Result<Log, Malformed> {
    let malformed = Malformed("a log of a receipt cannot be read");
    if wire.topics.len() > 4 {
        return Err(malformed);
    }
    let topics = wire.topics.iter().map(|topic| value::word(topic));
    Ok(Log {
        address: value::address(&wire.address)?,
        topics: topics.collect::<Result<_, _>>()?,
        data: value::bytes_of(&wire.data).ok_or(malformed)?,
        log_index: value::number_of(&wire.log_index).ok_or(malformed)?,
    })
}
