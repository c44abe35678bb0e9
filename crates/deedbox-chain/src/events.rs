//! Following what contracts say, block by block: the newest blocks of a chain, headers, and ranges of logs, oldest first.
//!
//! Whoever keeps an index asks [`Events::heads`] how far the chain is, then [`Events::logs`] for one piece after the other, each beginning where
//! the last one ended, and compares what it keeps with [`Events::headers`] after a [`Reorged`](crate::Code::Reorged).
//! A piece is of one endpoint as a whole, and so is every other answer.

use std::{fmt, time::Duration};

use alloy_primitives::{Address, B256, Bytes};
use deedbox_core::{BlockHash, EndpointId, Timestamp};

pub use crate::look::BlockHead;
use crate::{
    Block, ReadError,
    chain::Chain,
    request::reversed,
    rpc::{endpoint::Endpoint, heads, logs::oldest},
};

/// How much of a log's data is kept, in bytes: a stranger decides how much there is.
pub const MOST_DATA: usize = 64 * 1024;
/// About how much one [`Found`] holds at most, in bytes, unless all of it is of one block.
pub const MOST_FOUND: usize = 16 * 1024 * 1024;
/// How much one block's logs may take at most, in bytes, in the endpoint's answer and here. What has more cannot be read:
/// [`RangeTooLarge`](crate::Code::RangeTooLarge).
pub const MOST_OF_A_BLOCK: usize = 64 * 1024 * 1024;

/// How far a chain is, as one endpoint says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Who says so.
    pub endpoint_id: EndpointId,
    /// The newest block.
    pub latest: BlockHead,
    /// The newest block that is unlikely to be replaced; none where the endpoint does not say.
    pub safe: Option<BlockHead>,
    /// The newest block that cannot be replaced; none where no block is old enough.
    pub finalized: Option<BlockHead>,
    /// Whether the endpoint names no finalized block, so that `finalized` is the one that lies
    /// [`finality_depth`](crate::ChainConfig::finality_depth) blocks below the newest.
    pub is_final_by_depth: bool,
}

/// Which logs are wanted, and of which blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first block.
    pub from: u64,
    /// The last block, included. It may lie above the newest one.
    pub to: u64,
    /// The hash that the block below `from` must have, where the logs continue what was read before: then no piece of one branch is put on
    /// top of another branch. Not looked at when `from` is 0.
    pub after: Option<BlockHash>,
    /// Of any of these contracts; of every contract when there are none.
    pub addresses: Vec<Address>,
    /// With any of these as the first topic; with any topics, or without, when there are none.
    pub topics: Vec<B256>,
}

/// What was found, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Who found it.
    pub endpoint_id: EndpointId,
    /// The logs, by block and index.
    pub logs: Vec<EventLog>,
    /// The last block that was searched: `from` through it there are no other logs. It may lie below the `to` that was asked for,
    /// because the endpoint takes no more blocks at once, or has no more.
    pub upto: BlockHead,
}

/// One log: what a contract said, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLog {
    /// The contract.
    pub address: Address,
    /// At most four.
    pub topics: Vec<B256>,
    /// Its data, cut after [`MOST_DATA`] bytes.
    pub data: Bytes,
    /// How long the data is, in bytes; more than `data` has when that was cut.
    pub data_length: u64,
    /// The height of its block.
    pub block_number: u64,
    /// The hash of its block.
    pub block_hash: BlockHash,
    /// When its block was made, as the block says.
    pub block_timestamp: Timestamp,
    /// The transaction.
    pub transaction_hash: B256,
    /// Its index in the block.
    pub log_index: u64,
}

/// One chain, for whoever follows it.
///
/// Each answer takes as long as [`Chains::with_deadline`](crate::Chains::with_deadline) says at most, and fails over as
/// [`Chains::read`](crate::Chains::read) does.
pub struct Events<'a> {
    chain: &'a Chain,
    deadline: Duration,
}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("chain", &self.chain.config.id)
            .finish_non_exhaustive()
    }
}

impl<'a> Events<'a> {
    pub(crate) const fn new(chain: &'a Chain, deadline: Duration) -> Self {
        Self { chain, deadline }
    }

    /// How far the chain is, as the endpoint says that is asked first.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn heads(&self) -> Result<Heads, ReadError> {
        let depth = self.chain.config.finality_depth();
        let ask = |endpoint: &'a Endpoint| async move {
            let heads = heads::ask(endpoint, depth).await;
            heads.map_err(|trouble| trouble.at(&endpoint.id).into())
        };
        self.chain.one_of(self.deadline, Block::Latest, ask).await
    }

    /// The same, with the headers of the blocks at these heights, of the same endpoint and asked in the same request where that takes batches: whoever
    /// kept a block's hash learns whether it is part of the chain whose finalized block this is. None for a height above the newest block.
    ///
    /// # Errors
    /// As [`heads`](Self::heads), and as [`headers`](Self::headers).
    pub async fn survey(
        &self,
        numbers: &[u64],
    ) -> Result<(Heads, Vec<Option<BlockHead>>), ReadError> {
        let depth = self.chain.config.finality_depth();
        let ask = |endpoint: &'a Endpoint| async move {
            let survey = heads::survey(endpoint, depth, numbers).await;
            survey.map_err(|trouble| trouble.at(&endpoint.id).into())
        };
        self.chain.one_of(self.deadline, Block::Latest, ask).await
    }

    /// The headers of the blocks at these heights, in their order, all of one endpoint and in as few requests as it allows; none for a height
    /// above its newest block.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known. It is [`BlockNotFound`](crate::Code::BlockNotFound) when an endpoint has newer blocks, but not one of
    /// these.
    pub async fn headers(&self, numbers: &[u64]) -> Result<Vec<Option<BlockHead>>, ReadError> {
        let ask = |endpoint: &'a Endpoint| async move {
            let headers = heads::headers(endpoint, numbers).await;
            headers.map_err(|trouble| trouble.at(&endpoint.id).into())
        };
        self.chain.one_of(self.deadline, Block::Latest, ask).await
    }

    /// The logs of the first blocks of `range`: of as many as the endpoint bears, at least of one. Whoever wants the others asks again, from the
    /// block above [`Found::upto`], with its hash as [`Range::after`].
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    ///
    /// * [`Reorged`](crate::Code::Reorged): the block below `from` is not [`Range::after`], or the chain changed again and again while it was read.
    ///   What was read before has to be compared with [`headers`](Self::headers).
    /// * [`BlockNotFound`](crate::Code::BlockNotFound): `from` lies above the newest block.
    /// * [`RangeTooLarge`](crate::Code::RangeTooLarge): no endpoint gives the logs of the block `from`, not even one contract's with one first topic; or
    ///   there are more of them than [`MOST_OF_A_BLOCK`].
    /// * [`InvalidArgument`](crate::Code::InvalidArgument): `from` lies above `to`.
    pub async fn logs(&self, range: &Range) -> Result<Found, ReadError> {
        if range.from > range.to {
            return Err(reversed(range.from, range.to));
        }
        let depth = self.chain.config.finality_depth();
        let ask = |endpoint: &'a Endpoint| async move {
            let (logs, upto) = oldest::search(endpoint, range, depth).await?;
            Ok(Found {
                endpoint_id: endpoint.id.clone(),
                logs,
                upto,
            })
        };
        let from = Block::Number(range.from);
        self.chain.one_of(self.deadline, from, ask).await
    }
}
