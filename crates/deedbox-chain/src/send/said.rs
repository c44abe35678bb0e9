//! What is said to the chain about a transaction, and what it says.

use alloy_primitives::{Address, B256, Bytes, U256};
use deedbox_core::{BlockHash, EndpointId};
use serde_json::Value;

use crate::{ReadError, look::BlockHead};

/// What a transaction would do, before it is one. It carries no native currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The account that would send it.
    pub from: Address,
    /// The contract that is called; none deploys one.
    pub to: Option<Address>,
    /// The call's data, or the code that deploys with its constructor's arguments.
    pub data: Bytes,
}

/// What came of a draft, and on which state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// On which state it was tried.
    pub on: Tip,
    /// What came of it.
    pub outcome: Simulation,
}

/// The newest state of a chain, with and without what waits to be included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tip {
    /// With the transactions that the endpoint would put into the next block.
    Pending,
    /// Of the newest block, because the endpoint does not offer the pending one.
    Latest,
}

/// What would happen if a draft were included now (`eth_call` and `eth_estimateGas`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Simulation {
    /// It would do what it says.
    Succeeds {
        /// The gas that it would need, as the endpoint estimates it. What others do before it may make it more.
        gas: u64,
    },
    /// The contract would refuse it, or it would run out of gas.
    Reverts {
        /// The contract's error, ABI-encoded: its first 16 KiB. Nothing where the contract gave none, or the endpoint does not tell.
        data: Bytes,
    },
    /// The account could not pay for it.
    CannotPay,
}

/// An account that is to send something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountState {
    /// How many of its transactions are included, as the endpoint says that says most: the nonce of the next one, if nothing waits.
    pub nonce: u64,
    /// The same with those that wait in any endpoint's pool; never less.
    pub pending_nonce: u64,
    /// What it has at the newest block, in the smallest unit of the native currency.
    pub balance: U256,
    /// Whether there is code at it that keeps it from sending (EIP-3607). An account that delegates (EIP-7702) has none.
    pub has_code: bool,
    /// What each endpoint that answered says of its nonces.
    pub nonces: Vec<Nonces>,
}

/// What one endpoint says of an account's nonces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nonces {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// How many transactions of the account are included by its newest block.
    pub latest: u64,
    /// The same with those that wait in its pool; never less.
    pub pending: u64,
}

impl AccountState {
    /// Whether all endpoints that answered know the same transactions of the account in the chain. What waits is each pool's own affair.
    #[must_use]
    pub fn is_agreed(&self) -> bool {
        self.nonces.iter().all(|said| said.latest == self.nonce)
    }
}

/// How far a chain, and an account on it, have come. Everything in it is of one endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The newest block.
    pub head: BlockHead,
    /// How many of the account's transactions are included by then.
    pub nonce: u64,
    /// The block that so many confirmations hold, its own included: the newest one for 1.
    pub settled: BlockHead,
    /// How many of the account's transactions are included by that block; read at its hash.
    pub settled_nonce: u64,
}

/// The block that used up a nonce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing {
    /// The block.
    pub block: BlockHead,
    /// How many transactions of the account are in the chain by then.
    pub account_nonce: u64,
}

/// What one endpoint has at the height of a block that is named by its height and its hash.
#[derive(Clone, Debug, PartialEq)]
pub enum View<T> {
    /// That block, and this is in it.
    Block(T),
    /// Another block.
    OtherBlock,
    /// No block (yet): it lags.
    NoBlock,
    /// It did not say.
    Silent(ReadError),
}

/// What one endpoint tells of an account in a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// How many transactions of the account are in the chain before the block and with it; none where the state of so old a block is not kept.
    pub counts: Option<[u64; 2]>,
    /// The block's transactions, as the endpoint writes them. Nothing in them is proven by being there but what is signed.
    pub transactions: Vec<Value>,
}

/// What gas costs at the moment, in the smallest unit of the native currency for one gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fees {
    /// What everybody pays in the next block (EIP-1559); none on a chain without EIP-1559, where transactions name a gas price.
    pub base_fee_per_gas: Option<u128>,
    /// What the endpoint recommends to offer on top of it (`eth_maxPriorityFeePerGas`), or the median below where it recommends nothing; 0 where
    /// there is no base fee. As the endpoint says it, whatever it is.
    pub max_priority_fee_per_gas: u128,
    /// The median of what was paid on top of it in the last 20 blocks, as the endpoint says that says least; none where nothing was, or nobody tells.
    pub median_priority_fee_per_gas: Option<u128>,
    /// What a transaction that names one price should name (`eth_gasPrice`).
    pub gas_price: u128,
    /// What shows whether these are usual.
    pub usual: Usual,
}

/// What prices of gas are compared with: the lowest of what is said, so that no endpoint makes its own price look usual while another one answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usual {
    /// Of each endpoint the median base fee of its last 20 blocks, and of every other endpoint the next base fee, too; none where nobody tells.
    pub base_fee_per_gas: Option<u128>,
    /// What the other endpoints name as one price; none where no other one answers.
    pub gas_price: Option<u128>,
}

/// What came of handing over a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broadcast {
    /// This endpoint took it. It waits to be included, or for the transactions before it.
    Taken(EndpointId),
    /// This endpoint has it already, waiting or included, and gives it by its hash: handed over before.
    AlreadyKnown(EndpointId),
    /// Nobody took it through this call.
    NotTaken(NotTaken),
    /// An endpoint may have taken it: it did not say, or not understandably. [`Sending::whereabouts`](super::Sending::whereabouts) knows more after a while, and
    /// handing over the same bytes again does no harm.
    Unclear(ReadError),
}

/// Why nobody took a transaction. Its text says so in a sentence, and holds nothing that an endpoint wrote, but for
/// [`Refused`](Self::Refused).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// Another transaction of the account with this nonce is included.
    #[error("its nonce is used already, by another transaction of the account")]
    NonceTooLow,
    /// The account's transactions before it are missing, and the endpoint does not let it wait for them.
    #[error("its nonce is too high: transactions of the account before it are missing")]
    NonceGap,
    /// The endpoint wants a higher fee.
    #[error("its fee is lower than the endpoint takes")]
    Underpriced,
    /// Another one with this nonce waits, and this one does not offer enough more (10% of both fees, mostly).
    #[error(
        "another transaction with its nonce waits already, and its fee is not enough higher to replace that"
    )]
    ReplacementUnderpriced,
    /// The most that it pays for gas is less than what everybody has to pay.
    #[error("its fee is lower than the base fee of the next block")]
    FeeBelowBase,
    /// The account has less than the transaction may cost at most.
    #[error("the account does not have what it may cost at most")]
    InsufficientFunds,
    /// Its gas limit is more than a block has, or a transaction may have (EIP-7825), or the endpoint is willing to let anybody pay.
    #[error("its gas limit, or its fee as a whole, is higher than the endpoint takes")]
    GasLimitTooHigh,
    /// Its gas limit does not even pay for its data.
    #[error("its gas limit is lower than what its data alone costs")]
    IntrinsicGasTooLow,
    /// It, or the contract's code in it, is larger than may be (EIP-3860).
    #[error("it is larger than a transaction, or a contract's code in it, may be")]
    TooLarge,
    /// It was signed for another chain.
    #[error("it was signed for another chain")]
    WrongChain,
    /// The account has code, and so cannot send (EIP-3607).
    #[error("the account has code, so it cannot send transactions")]
    SenderHasCode,
    /// The endpoint's pool is full, or too many of the account wait there.
    #[error("the endpoint's pool is full, or too many transactions of the account wait there")]
    PoolFull,
    /// It was handed to nobody: no endpoint of the chain could be asked.
    #[error("it was handed to nobody: {0}")]
    Unsent(ReadError),
    /// For a reason that is known to the endpoint only: its words, with what is no plain text taken out of them, no URL, and none of
    /// the keys that are configured for it. At most 200 characters. Whoever shows it says that it is the endpoint that speaks.
    #[error("the endpoint says: {0}")]
    Refused(String),
}

/// Where a transaction is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// No endpoint of the chain that answered knows it: never handed over, or dropped.
    Unknown {
        /// Whether every endpoint answered. Of one that did not, nobody knows what it knows.
        everywhere: bool,
    },
    /// It waits, or was in a block that is not part of the chain any more.
    Pending,
    /// It is in a block that is part of the chain.
    Included(Box<Receipt>),
    /// An endpoint tells a receipt of it, and these have another block at that height, or that block without it.
    Disputed(Vec<EndpointId>),
}

/// What an included transaction did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its hash.
    pub transaction: B256,
    /// The height of its block.
    pub block_number: u64,
    /// The hash of its block.
    pub block_hash: BlockHash,
    /// Whether it did what it says. Otherwise it reverted: nothing changed, but the fee was paid.
    pub succeeded: bool,
    /// Endpoints whose receipts say the opposite of that; none mostly.
    pub denied_by: Vec<EndpointId>,
    /// The gas that it used.
    pub gas_used: u64,
    /// What one gas cost, in the smallest unit of the native currency.
    pub effective_gas_price: u128,
    /// The contract that it deployed.
    pub contract: Option<Address>,
    /// What the contracts logged, in order.
    pub logs: Vec<Log>,
}

/// One log of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The contract that wrote it.
    pub address: Address,
    /// Its topics, at most four.
    pub topics: Vec<B256>,
    /// The rest of it.
    pub data: Bytes,
    /// Its place in the block.
    pub log_index: u64,
}
