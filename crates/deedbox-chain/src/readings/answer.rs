//! What the readings answer: the `data` of each tool.
//!
//! Amounts are in the smallest unit, as decimal strings: most readers of JSON round what is over 2^53. Addresses carry the checksum that is
//! customary on their chain.

use std::borrow::Cow;

use alloy_primitives::U256;
use deedbox_core::BlockHash;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::UntrustedText;

/// An unsigned integer of 256 bits, written as a decimal string without leading zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(pub U256);

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl JsonSchema for Amount {
    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^(0|[1-9][0-9]{0,77})$"})
    }
}

/// The answer of `get_native_balance`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NativeBalanceData {
    /// The balance in the smallest unit (wei).
    pub raw_amount: Amount,
    /// The decimals of the chain's native currency, as configured: no chain says them itself.
    pub decimals: u8,
}

/// The answer of `get_erc20_balance`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Erc20BalanceData {
    /// The balance in the token's smallest unit.
    pub raw_amount: Amount,
    /// What the token says that its decimals are, 0 to 255; null when it says nothing.
    pub decimals: Option<u8>,
}

/// The answer of `get_token_metadata`: what the token says of itself. Anybody can deploy a token with any name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenMetadataData {
    /// What it calls itself; null when it has no `name()`.
    pub name: Option<UntrustedText>,
    /// What it is called for short; null when it has no `symbol()`.
    pub symbol: Option<UntrustedText>,
    /// Its decimals, 0 to 255; null when it has no `decimals()`.
    pub decimals: Option<u8>,
    /// How much of it there is, in its smallest unit; null when it has no `totalSupply()`.
    pub total_supply: Option<Amount>,
}

/// The answer of `get_pool_reserves`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PoolReservesData {
    /// A pair of the Uniswap V2 form: the product of the reserves is kept constant.
    UniswapV2 {
        /// The contract of the first token.
        token0: String,
        /// The contract of the second token.
        token1: String,
        /// Of the first token, in its smallest unit.
        reserve0: Amount,
        /// Of the second token, in its smallest unit.
        reserve1: Amount,
        /// When the reserves last changed, in seconds since 1970 modulo 2^32; 0 when they never did.
        block_timestamp_last: u32,
    },
    /// A Uniswap V3 pool. It has no reserves: its liquidity is spread over ranges of prices.
    UniswapV3 {
        /// The contract of the first token.
        token0: String,
        /// The contract of the second token.
        token1: String,
        /// The square root of the price of the first token in the second (smallest units), times 2^96.
        sqrt_price_x96: Amount,
        /// The logarithm of that price to the base 1.0001, rounded down.
        tick: i32,
        /// The liquidity in range at that price.
        liquidity: Amount,
        /// The fee of a swap, in millionths.
        fee: u32,
        /// What the pool holds of both.
        balances: Balances,
    },
}

/// What a Uniswap V3 pool holds. Includes fees that were not collected, and liquidity that is out of range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Balances {
    /// Of the first token, in its smallest unit.
    pub token0: Amount,
    /// Of the second token, in its smallest unit.
    pub token1: Amount,
    /// What these numbers are.
    pub note: BalancesNote,
}

/// Says what balances are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub enum BalancesNote {
    /// They do not say how much can be traded at what price.
    #[serde(rename = "balances, not depth")]
    NotDepth,
}

/// The answer of `list_recent_transfers`.
///
/// Only contracts that log `Transfer` with indexed parties are seen: not the native currency, and not early tokens
/// that index nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecentTransfersData {
    /// The newest first. Holds whole blocks.
    pub transfers: Vec<Transfer>,
    /// Whether there may be more in the range: then `next` says where to go on.
    pub truncated: bool,
    /// What to give as `to_block` for the next page, everything else unchanged; null at the end.
    pub next: Option<String>,
    /// How many logs were left out because they may be transfers and may be something else. In the blocks of this page.
    pub ambiguous: u64,
}

/// One transfer, as the token's contract logged it. A contract can log what it likes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Transfer {
    /// The height of its block.
    pub block_number: u64,
    /// The hash of its block.
    pub block_hash: BlockHash,
    /// Its transaction.
    pub transaction_hash: String,
    /// Which log of the block it is, from 0.
    pub log_index: u64,
    /// The contract that logged it.
    pub token: String,
    /// From whom; the zero address when it was minted.
    pub from: String,
    /// To whom; the zero address when it was burnt.
    pub to: String,
    /// Seen from the address that was asked for.
    pub direction: Direction,
    /// What was moved.
    #[serde(flatten)]
    pub moved: Moved,
    /// What is odd about it.
    pub flags: Vec<TransferFlag>,
}

/// Which way a transfer went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Direction {
    /// To the address.
    In,
    /// From the address.
    Out,
    /// From the address to itself.
    #[serde(rename = "self")]
    Own,
}

/// What a transfer moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Moved {
    /// An amount (three topics and 32 bytes of data).
    Erc20 {
        /// In the token's smallest unit.
        raw_amount: Amount,
    },
    /// One token (four topics and no data), of a contract that says by ERC-165 that it is an ERC-721.
    Erc721 {
        /// Which.
        token_id: Amount,
    },
}

/// What is odd about a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TransferFlag {
    /// It moved nothing. Anybody can have most tokens log such a transfer from anybody: address poisoning.
    ZeroValue,
    /// The transaction was sent by somebody else than `from`. So it is with every mint, allowance and contract wallet, and with forged
    /// transfers.
    ThirdPartySent,
}
