//! The five readings: what each asks of the chain, and what it makes of the answers.
//!
//! Each says what it wants in as few rounds as it can (`rpc` turns a round into one HTTP request where the endpoint
//! can), and judges the answers by pure functions. What a contract did not say is null where the standard lets it be silent, and
//! an error everywhere else.

pub mod answer;
pub(crate) mod contract;
mod interfaces;
mod pool;
mod token;
mod transfers;

use alloy_primitives::Address;
use deedbox_id::Checksum;
use serde::Serialize;
use serde_json::{Map, Value};

use self::answer::{Amount, NativeBalanceData};
use crate::{
    ChainConfig, Code, ReadError,
    request::{Ask, Checked},
    rpc::pinned::{Pinned, Wanted},
};

/// Reads what is asked, at the block of `at`: the `data` of the answer.
///
/// # Errors
/// Those of the endpoint; and, where a contract is asked, [`NotAContract`](Code::NotAContract),
/// [`DelegatedAccount`](Code::DelegatedAccount), [`CallReverted`](Code::CallReverted), [`InvalidResponse`](Code::InvalidResponse) and
/// [`UnsupportedPool`](Code::UnsupportedPool).
pub(crate) async fn data(
    asked: &Checked,
    chain: &ChainConfig,
    at: &impl Pinned,
) -> Result<Map<String, Value>, ReadError> {
    let shown = Shown(asked.checksum());
    match asked.ask() {
        Ask::NativeBalance { holder } => {
            object(&native_balance(word(holder), chain.native_decimals, at).await?)
        }
        Ask::Erc20Balance { holder, token } => {
            object(&token::balance(word(holder), word(token), at).await?)
        }
        Ask::TokenMetadata { token } => object(&token::metadata(word(token), at).await?),
        Ask::PoolReserves { pool } => object(&pool::reserves(word(pool), shown, at).await?),
        Ask::RecentTransfers {
            address,
            from_block,
            limit,
        } => object(&transfers::recent(word(address), from_block, limit, shown, at).await?),
    }
}

/// How addresses are written on this chain.
#[derive(Clone, Copy, Debug)]
struct Shown(Checksum);

impl Shown {
    fn address(self, address: Address) -> String {
        deedbox_id::Address(address.into_array()).to_checksummed(self.0)
    }
}

fn word(address: deedbox_id::Address) -> Address {
    Address::from(address.0)
}

fn object(answer: &impl Serialize) -> Result<Map<String, Value>, ReadError> {
    match serde_json::to_value(answer) {
        Ok(Value::Object(object)) => Ok(object),
        // Answers are structs of texts and numbers.
        _ => Err(ReadError::new(
            Code::InvalidResponse,
            "the answer cannot be written as JSON",
        )),
    }
}

async fn native_balance(
    holder: Address,
    decimals: u8,
    at: &impl Pinned,
) -> Result<NativeBalanceData, ReadError> {
    let wanted = Wanted {
        balances: vec![holder],
        ..Wanted::default()
    };
    let [raw_amount] = all(at.get(wanted).await?.balances)?;
    Ok(NativeBalanceData {
        raw_amount: Amount(raw_amount),
        decimals,
    })
}

/// The answers by name, as many as were wanted.
fn all<T, const N: usize>(answers: Vec<T>) -> Result<[T; N], ReadError> {
    answers.try_into().map_err(|_| incomplete())
}

fn incomplete() -> ReadError {
    ReadError::new(
        Code::EndpointUnavailable,
        "the endpoint did not answer everything that it was asked",
    )
}
