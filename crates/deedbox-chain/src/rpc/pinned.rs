//! One endpoint, pinned to one block for the time of one answer: all that the readings know of JSON-RPC.
//!
//! What can be wanted at a block is public, through [`look`](crate::look).

use alloy_primitives::{Address, B256, Bytes, U256};
use deedbox_core::{BlockHash, Timestamp};

use crate::ReadError;

/// A block: where in the chain it stands, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// Its height.
    pub number: u64,
    /// Its hash: no other block has it, at any height.
    pub hash: BlockHash,
    /// When it was made, as it says itself, to the second.
    pub timestamp: Timestamp,
}

/// A contract's view to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The contract.
    pub to: Address,
    /// The selector and the arguments, ABI-encoded.
    pub data: Bytes,
    /// What it may cost and return.
    pub expects: Expects,
}

/// What a call may cost and return: strangers write the contracts that are called, and a page of transfers may ask a
/// thousand of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expects {
    /// Whatever a view returns, for at most 10,000,000 gas.
    Anything,
    /// The same for at most 50,000,000 gas, when the call is made for itself: what an endpoint spends on a call at most, by the default of
    /// most clients. For asking once more what may have failed for lack of gas.
    Dear,
    /// Yes or no, from a view that has to be cheap: at most 100,000 gas when the call is made for itself, and only the first word (32
    /// bytes) of what it returned. Enough for ERC-165, which allows 30,000 gas.
    Flag,
}

/// How much of an answer that is too long is kept, in bytes: enough for the beginning of a text.
pub(crate) const HEAD: usize = 4096;

/// What a contract said to one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// It returned these bytes; there may be none, as when there is no code at the address.
    Returned(Bytes),
    /// It refused, ran out of gas, or hit an invalid instruction. What it gave for a reason, at most 16 KiB of it; nothing where it gave
    /// none, or the endpoint did not pass it on.
    Reverted(Bytes),
    /// It returned more than is read, which is 128 KiB; this is the beginning, of at least 4,096 bytes.
    TooLong(Bytes),
}

/// What is wanted at the block, in one go.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Native balances of these accounts.
    pub balances: Vec<Address>,
    /// The code of these accounts.
    pub codes: Vec<Address>,
    /// These slots of these contracts' storage.
    pub storage: Vec<(Address, B256)>,
    /// These calls, through Multicall3 where that is there.
    pub calls: Vec<Call>,
    /// These calls, which must not touch each other or may well fail, as when one finds out what a contract is. Each is made for itself: in an
    /// aggregate, one that burns all gas would make the ones behind it look as if they had failed.
    pub probes: Vec<Call>,
}

/// The answers, each list in the order in which it was wanted, and as long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Got {
    /// In the smallest unit of the native currency; zero for an account that was never used.
    pub balances: Vec<U256>,
    /// None (zero bytes) for an account without code.
    pub codes: Vec<Bytes>,
    /// Zero for a slot that was never written.
    pub storage: Vec<B256>,
    /// What the calls said.
    pub calls: Vec<Said>,
    /// What the probes said.
    pub probes: Vec<Said>,
}

/// Which logs are wanted, of any contract.
#[derive(Clone, Debug)]
pub(crate) struct LogFilter {
    /// The first block.
    pub(crate) from: u64,
    /// The last block, included.
    pub(crate) to: u64,
    /// A log that matches any of these is wanted, once.
    pub(crate) any_of: Vec<Pattern>,
}

/// What a log must have, as `eth_getLogs` has it. An empty list stands for anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// One of these contracts.
    pub(crate) addresses: Vec<Address>,
    /// By position, one of these topics.
    pub(crate) topics: Vec<Vec<B256>>,
}

impl Pattern {
    pub(crate) fn matches(&self, log: &Log) -> bool {
        let is_any = |(index, any): (usize, &Vec<B256>)| {
            let topic = log.topics.get(index);
            any.is_empty() || topic.is_some_and(|topic| any.contains(topic))
        };
        (self.addresses.is_empty() || self.addresses.contains(&log.address))
            && self.topics.iter().enumerate().all(is_any)
    }
}

/// How much of a log's data a reading keeps: more than any form that is read has, because a stranger decides how much there is.
pub(crate) const LOG_DATA: usize = 64;

/// One log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) address: Address,
    pub(crate) topics: Vec<B256>,
    /// Its data, cut after as many bytes as whoever searched wanted.
    pub(crate) data: Bytes,
    /// How many bytes of data there are.
    pub(crate) data_length: u64,
    pub(crate) block_number: u64,
    pub(crate) block_hash: BlockHash,
    /// When its block was made, where the endpoint says so beside the log.
    pub(crate) block_timestamp: Option<Timestamp>,
    pub(crate) transaction_hash: B256,
    pub(crate) log_index: u64,
}

/// One endpoint at one block. Implemented by `rpc`; an answer is thrown away and begun again elsewhere when a call of
/// it fails for a reason that is the endpoint's.
pub(crate) trait Pinned: Sync {
    /// The block.
    fn block(&self) -> BlockHead;

    /// Everything that is wanted, at the block, in one round trip where the endpoint can. Afterwards the block is known to be still
    /// part of the chain.
    fn get(&self, wanted: Wanted) -> impl Future<Output = Result<Got, ReadError>> + Send;

    /// Logs in order of block and index. Splits the range as the endpoint wants it.
    /// Newest ranges are read first; `enough` is asked after each piece whether to stop (the range read so far then is `to` down to the
    /// returned height).
    fn logs(
        &self,
        filter: LogFilter,
        enough: impl Fn(&[Log]) -> bool + Send + Sync,
    ) -> impl Future<Output = Result<(Vec<Log>, u64), ReadError>> + Send;

    /// The sender of each of these transactions.
    fn senders(
        &self,
        transactions: Vec<B256>,
    ) -> impl Future<Output = Result<Vec<Address>, ReadError>> + Send;
}
