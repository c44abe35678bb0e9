//! One endpoint, pinned to one block for the time of one answer: all that the readings know of JSON-RPC.

use alloy_primitives::{Address, B256, Bytes, U256};
use deedbox_core::{BlockHash, Timestamp};

use crate::ReadError;

/// The block at which everything in an answer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockHead {
    pub(crate) number: u64,
    pub(crate) hash: BlockHash,
    pub(crate) timestamp: Timestamp,
}

/// A contract's view to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) to: Address,
    pub(crate) data: Bytes,
    pub(crate) expects: Expects,
}

/// What a call may cost and return: strangers write the contracts that are called, and a page of transfers may ask a
/// thousand of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expects {
    /// Whatever a view returns.
    Anything,
    /// Yes or no, from a view that has to be cheap: little gas when the call is made for itself, and only the first word
    /// of what it returned.
    Flag,
}

/// How much of an answer that is too long is kept, in bytes: enough for the beginning of a text.
pub(crate) const HEAD: usize = 4096;

/// What a contract said to one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// It returned these bytes; there may be none.
    Returned(Bytes),
    /// It refused, ran out of gas, or hit an invalid instruction.
    Reverted,
    /// It returned more than is read; this is the beginning, of at least [`HEAD`] bytes.
    TooLong(Bytes),
}

/// What is wanted at the block, in one go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Native balances of these.
    pub(crate) balances: Vec<Address>,
    /// The code of these.
    pub(crate) codes: Vec<Address>,
    /// These calls.
    pub(crate) calls: Vec<Call>,
    /// These calls, which may well fail, as when one finds out what a contract is. Each is made for itself: in an
    /// aggregate, one that burns all gas would make the ones behind it look as if they had failed.
    pub(crate) probes: Vec<Call>,
}

/// The answers, each list in the order in which it was wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Got {
    pub(crate) balances: Vec<U256>,
    pub(crate) codes: Vec<Bytes>,
    pub(crate) calls: Vec<Said>,
    pub(crate) probes: Vec<Said>,
}

/// Which logs are wanted, of any contract.
#[derive(Clone, Debug)]
pub(crate) struct LogFilter {
    /// The first block.
    pub(crate) from: u64,
    /// The last block, included.
    pub(crate) to: u64,
    /// Topics by position, `None` matches all, as `eth_getLogs` has them. A log that matches any of these is wanted, once.
    pub(crate) any_of: Vec<Vec<Option<B256>>>,
}

/// One log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) address: Address,
    pub(crate) topics: Vec<B256>,
    pub(crate) data: Bytes,
    pub(crate) block_number: u64,
    pub(crate) block_hash: BlockHash,
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
