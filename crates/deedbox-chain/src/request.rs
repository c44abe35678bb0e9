//! What may be asked. Every argument is required, none has a default, and what is malformed is refused with the name of
//! the argument.

mod arguments;
mod check;

use std::borrow::Cow;

pub use deedbox_core::evidence::{Block, NotABlock};
use deedbox_core::{BlockHash, ToolName};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use crate::ReadError;

pub(crate) use self::check::reversed;
pub use self::check::{Ask, Checked};

/// An address as it was written. Whether its letters carry the right checksum depends on the chain, so that is found
/// out by [`Chains::read`](crate::Chains::read).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AddressText(pub String);

impl JsonSchema for AddressText {
    fn schema_name() -> Cow<'static, str> {
        "Address".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"})
    }
}

/// A height as it is written in arguments: a decimal number in a text, like `"19000000"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Height(pub u64);

impl Serialize for Height {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Block::Number(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Height {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Block::deserialize(deserializer)? {
            Block::Number(height) => Ok(Self(height)),
            _ => Err(de::Error::custom("must be a decimal height")),
        }
    }
}

impl JsonSchema for Height {
    fn schema_name() -> Cow<'static, str> {
        "Height".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^(0|[1-9][0-9]{0,15})$"})
    }
}

/// The arguments of `get_native_balance`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NativeBalance {
    /// The chain's id (EIP-155), an integer.
    pub chain_id: u64,
    /// Whose balance: 0x and 40 hex digits; mixed case must be a correct checksum.
    pub holder: AddressText,
    /// At which block: a decimal height, a block hash, `latest`, `safe` or `finalized`.
    pub block: Block,
}

/// The arguments of `get_erc20_balance`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Erc20Balance {
    /// The chain's id (EIP-155), an integer.
    pub chain_id: u64,
    /// Whose balance: 0x and 40 hex digits; mixed case must be a correct checksum.
    pub holder: AddressText,
    /// The token's contract.
    pub token: AddressText,
    /// At which block: a decimal height, a block hash, `latest`, `safe` or `finalized`.
    pub block: Block,
}

/// The arguments of `get_token_metadata`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenMetadata {
    /// The chain's id (EIP-155), an integer.
    pub chain_id: u64,
    /// The token's contract: 0x and 40 hex digits; mixed case must be a correct checksum.
    pub token: AddressText,
    /// At which block: a decimal height, a block hash, `latest`, `safe` or `finalized`.
    pub block: Block,
}

/// The arguments of `get_pool_reserves`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoolReserves {
    /// The chain's id (EIP-155), an integer.
    pub chain_id: u64,
    /// The pool's contract: 0x and 40 hex digits; mixed case must be a correct checksum.
    pub pool: AddressText,
    /// At which block: a decimal height, a block hash, `latest`, `safe` or `finalized`.
    pub block: Block,
}

/// The arguments of `list_recent_transfers`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecentTransfers {
    /// The chain's id (EIP-155), an integer.
    pub chain_id: u64,
    /// Whose transfers, in and out: 0x and 40 hex digits; mixed case must be a correct checksum.
    pub address: AddressText,
    /// The first block: a decimal height. No tag and no hash: the end of the range says at which block it is read.
    pub from_block: Height,
    /// The last block: a decimal height, a block hash, `latest`, `safe` or `finalized`.
    pub to_block: Block,
    /// How many transfers at most: 1 to 500. A page holds whole blocks, so a block that holds more than this by itself
    /// comes whole.
    #[schemars(range(min = 1, max = 500))]
    pub limit: u32,
}

/// A reading that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Request {
    /// `get_native_balance`
    NativeBalance(NativeBalance),
    /// `get_erc20_balance`
    Erc20Balance(Erc20Balance),
    /// `get_token_metadata`
    TokenMetadata(TokenMetadata),
    /// `get_pool_reserves`
    PoolReserves(PoolReserves),
    /// `list_recent_transfers`
    RecentTransfers(RecentTransfers),
}

/// `get_native_balance`
pub const GET_NATIVE_BALANCE: ToolName = ToolName::known("get_native_balance");
/// `get_erc20_balance`
pub const GET_ERC20_BALANCE: ToolName = ToolName::known("get_erc20_balance");
/// `get_token_metadata`
pub const GET_TOKEN_METADATA: ToolName = ToolName::known("get_token_metadata");
/// `get_pool_reserves`
pub const GET_POOL_RESERVES: ToolName = ToolName::known("get_pool_reserves");
/// `list_recent_transfers`
pub const LIST_RECENT_TRANSFERS: ToolName = ToolName::known("list_recent_transfers");

impl Request {
    /// Reads the arguments of `tool`.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Code::InvalidArgument), naming the argument; also for a tool that takes no reading.
    pub fn read(tool: &str, arguments: Map<String, Value>) -> Result<Self, ReadError> {
        type Of = fn(Map<String, Value>) -> Result<Request, ReadError>;
        let tools: [(ToolName, &[&str], Of); 5] = [
            (GET_NATIVE_BALANCE, &["chain_id", "holder", "block"], |of| {
                arguments::read(of).map(Self::NativeBalance)
            }),
            (
                GET_ERC20_BALANCE,
                &["chain_id", "holder", "token", "block"],
                |of| arguments::read(of).map(Self::Erc20Balance),
            ),
            (GET_TOKEN_METADATA, &["chain_id", "token", "block"], |of| {
                arguments::read(of).map(Self::TokenMetadata)
            }),
            (GET_POOL_RESERVES, &["chain_id", "pool", "block"], |of| {
                arguments::read(of).map(Self::PoolReserves)
            }),
            (
                LIST_RECENT_TRANSFERS,
                &["chain_id", "address", "from_block", "to_block", "limit"],
                |of| arguments::read(of).map(Self::RecentTransfers),
            ),
        ];
        let known = tools.into_iter().find(|(name, ..)| name.as_str() == tool);
        let (_, names, of) =
            known.ok_or_else(|| ReadError::invalid("tool", "takes no reading of a chain"))?;
        arguments::check(tool, names, &arguments)?;
        of(arguments)
    }

    /// Which tool it is.
    #[must_use]
    pub const fn tool(&self) -> ToolName {
        match self {
            Self::NativeBalance(_) => GET_NATIVE_BALANCE,
            Self::Erc20Balance(_) => GET_ERC20_BALANCE,
            Self::TokenMetadata(_) => GET_TOKEN_METADATA,
            Self::PoolReserves(_) => GET_POOL_RESERVES,
            Self::RecentTransfers(_) => LIST_RECENT_TRANSFERS,
        }
    }

    /// On which chain.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        match self {
            Self::NativeBalance(r) => r.chain_id,
            Self::Erc20Balance(r) => r.chain_id,
            Self::TokenMetadata(r) => r.chain_id,
            Self::PoolReserves(r) => r.chain_id,
            Self::RecentTransfers(r) => r.chain_id,
        }
    }

    /// The block of the reading; of a range, its last.
    #[must_use]
    pub const fn block(&self) -> Block {
        match self {
            Self::NativeBalance(r) => r.block,
            Self::Erc20Balance(r) => r.block,
            Self::TokenMetadata(r) => r.block,
            Self::PoolReserves(r) => r.block,
            Self::RecentTransfers(r) => r.to_block,
        }
    }

    /// The same, at another block: how a reading is taken again where it was taken before.
    #[must_use]
    pub fn at(mut self, at: BlockHash) -> Self {
        let block = match &mut self {
            Self::NativeBalance(r) => &mut r.block,
            Self::Erc20Balance(r) => &mut r.block,
            Self::TokenMetadata(r) => &mut r.block,
            Self::PoolReserves(r) => &mut r.block,
            Self::RecentTransfers(r) => &mut r.to_block,
        };
        *block = Block::Hash(at);
        self
    }

    /// Every address in it, with the name of its argument.
    #[must_use]
    pub fn addresses(&self) -> Vec<(&'static str, &AddressText)> {
        match self {
            Self::NativeBalance(r) => vec![("holder", &r.holder)],
            Self::Erc20Balance(r) => vec![("holder", &r.holder), ("token", &r.token)],
            Self::TokenMetadata(r) => vec![("token", &r.token)],
            Self::PoolReserves(r) => vec![("pool", &r.pool)],
            Self::RecentTransfers(r) => vec![("address", &r.address)],
        }
    }
}
