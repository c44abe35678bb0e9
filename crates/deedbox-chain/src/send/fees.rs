//! What gas costs, from what endpoints say about it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{Fees, Usual, together};
use crate::rpc::{
    endpoint::{Answer, Endpoint},
    trouble::Trouble,
    value::{self, Malformed},
    wire::Ask,
};

/// Over how many blocks base fees and tips are looked at.
const BLOCKS: &str = "0x14";

/// Asks for everything that endpoints say about fees, and takes what each of them does say.
pub(super) async fn ask(endpoint: &Endpoint) -> Result<Fees, Trouble> {
    let ask = |method, params| Ask { method, params };
    let [pending, price, tip, history] = together::ask(
        endpoint,
        [
            ask("eth_getBlockByNumber", json!(["pending", false])),
            ask("eth_gasPrice", json!([])),
            ask("eth_maxPriorityFeePerGas", json!([])),
            ask("eth_feeHistory", json!([BLOCKS, "latest", [50]])),
        ],
    )
    .await?;
    let history = optional(history)?
        .map(|history| History::read(&history))
        .transpose()?;
    let base_fee_per_gas = match optional(pending)?
        .map(|block| base_fee(&block))
        .transpose()?
        .flatten()
    {
        // The pending block is offered, and says whether it has one. Where past blocks had, it has, too, whatever is left out.
        Some(said) => said.or_else(|| history.as_ref().and_then(|history| history.next_base_fee)),
        None => match &history {
            Some(history) => history.next_base_fee,
            None => {
                return Err(Malformed("it tells neither the pending block nor past fees").into());
            }
        },
    };
    let tip = optional(tip)?.map(|tip| gas_price(&tip)).transpose()?;
    let median = history.as_ref().and_then(|history| history.median_tip);
    let usual = Usual {
        base_fee_per_gas: history.as_ref().and_then(|history| history.median_base_fee),
        gas_price: None,
    };
    let max_priority_fee_per_gas = match (base_fee_per_gas, tip, history) {
        (None, ..) => 0,
        (Some(_), Some(tip), _) => tip,
        (Some(_), None, Some(_)) => median.unwrap_or(0),
        (Some(_), None, None) => {
            return Err(Malformed("it tells neither a tip nor past tips").into());
        }
    };
    Ok(Fees {
        base_fee_per_gas,
        max_priority_fee_per_gas,
        median_priority_fee_per_gas: median,
        gas_price: gas_price(&price?)?,
        usual,
    })
}

/// The first one's fees, held against what all of them say. That a chain has a base fee is believed of any that tells one: without it, all that is
/// offered is paid. None when nobody answered.
pub(super) fn compared(said: Vec<Fees>) -> Option<Fees> {
    let with_base = said.iter().position(|fees| fees.base_fee_per_gas.is_some());
    let first = with_base.unwrap_or(0);
    let mut fees = *said.get(first)?;
    for (index, other) in said.iter().enumerate() {
        let least = |one: Option<u128>, other: Option<u128>| one.into_iter().chain(other).min();
        fees.usual.base_fee_per_gas =
            least(fees.usual.base_fee_per_gas, other.usual.base_fee_per_gas);
        fees.median_priority_fee_per_gas = least(
            fees.median_priority_fee_per_gas,
            other.median_priority_fee_per_gas,
        );
        if index != first {
            fees.usual.base_fee_per_gas =
                least(fees.usual.base_fee_per_gas, other.base_fee_per_gas);
            fees.usual.gas_price = least(fees.usual.gas_price, Some(other.gas_price));
        }
    }
    Some(fees)
}

/// What an endpoint that does not offer a method did not say. Anything else that goes wrong is not taken for that.
fn optional(answer: Answer) -> Result<Option<Box<RawValue>>, Trouble> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(
            Trouble::MethodMissing
            | Trouble::BadParams
            | Trouble::BlockUnknown
            | Trouble::StateUnavailable,
        ) => Ok(None),
        Err(trouble) => Err(trouble),
    }
}

fn price_of(text: &str) -> Option<u128> {
    u128::try_from(value::amount_of(text)?).ok()
}

fn gas_price(answer: &RawValue) -> Result<u128, Malformed> {
    u128::try_from(value::amount(answer)?)
        .map_err(|_| Malformed("a price of gas has more than 128 bits"))
}

/// The base fee that a block says; none where there is no block; none inside where it has no base fee.
fn base_fee(block: &RawValue) -> Result<Option<Option<u128>>, Malformed> {
    #[derive(Deserialize)]
    struct Block<'a> {
        #[serde(borrow, default, rename = "baseFeePerGas")]
        base_fee: Option<Cow<'a, str>>,
    }
    let malformed = Malformed("a block has a base fee that cannot be read");
    let block: Option<Block<'_>> = serde_json::from_str(block.get()).map_err(|_| malformed)?;
    let Some(block) = block else { return Ok(None) };
    let Some(base_fee) = block.base_fee else {
        return Ok(Some(None));
    };
    Ok(Some(Some(price_of(&base_fee).ok_or(malformed)?)))
}

/// What `eth_feeHistory` is asked for.
struct History {
    /// Of the block after the newest; none on a chain without EIP-1559, for which nodes say zero.
    next_base_fee: Option<u128>,
    /// The median of the blocks' base fees; none on a chain without EIP-1559, and where there is no block.
    median_base_fee: Option<u128>,
    /// The median over the blocks of each block's median tip; none where all were empty.
    median_tip: Option<u128>,
}

impl History {
    fn read(answer: &RawValue) -> Result<Self, Malformed> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            base_fee_per_gas: Vec<String>,
            #[serde(default)]
            reward: Option<Vec<Vec<String>>>,
            #[serde(default)]
            gas_used_ratio: Vec<f64>,
        }
        let malformed = Malformed("the history of fees cannot be read");
        let wire: Wire = serde_json::from_str(answer.get()).map_err(|_| malformed)?;
        let (next, past) = wire.base_fee_per_gas.split_last().ok_or(malformed)?;
        let next = price_of(next).ok_or(malformed)?;
        let past = past.iter().map(|fee| price_of(fee));
        let past = past.collect::<Option<Vec<_>>>().ok_or(malformed)?;
        // An empty block's reward is zero, and says nothing.
        let used = wire
            .gas_used_ratio
            .into_iter()
            .chain(std::iter::repeat(1.0));
        let rewards = wire.reward.unwrap_or_default();
        let tips = rewards.iter().zip(used).filter(|(_, used)| *used > 0.0);
        let tips = tips.map(|(rewards, _)| price_of(rewards.first()?));
        let tips = tips.collect::<Option<Vec<_>>>().ok_or(malformed)?;
        Ok(Self {
            next_base_fee: Some(next).filter(|next| *next > 0),
            // Blocks before EIP-1559 are told with zero.
            median_base_fee: median(past.into_iter().filter(|fee| *fee > 0).collect()),
            median_tip: median(tips),
        })
    }
}

/// The one in the middle, of two the greater; none of none.
fn median(mut numbers: Vec<u128>) -> Option<u128> {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied()
}
