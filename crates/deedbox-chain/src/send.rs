//! Changing a chain: the only place that submits anything. Nothing in the server uses it.
//!
//! A transaction is signed elsewhere; no key comes here. What has to be known before it is signed comes from
//! [`account`](Sending::account), [`simulate`](Sending::simulate) and [`fees`](Sending::fees).
//! [`broadcast`](Sending::broadcast) hands it over, and [`whereabouts`](Sending::whereabouts) finds out what became of it.
//!
//! Reads are repeated and fail over as every read does. Handing over is not repeated where it is unclear whether it
//! worked. Whoever repeats it does so with the same bytes: a nonce is used once, so the same transaction is never carried
//! out twice, however often it is sent.

mod broadcast;
mod fees;
mod progress;
mod receipt;
mod simulate;
mod together;
mod words;

use std::{fmt, time::Duration};

use alloy_primitives::{Address, B256, Bytes, U256};
use deedbox_core::BlockHash;
use futures::stream::{FuturesUnordered, StreamExt as _};
use serde_json::json;

use crate::{
    Block, ReadError,
    chain::Chain,
    look::BlockHead,
    readings::contract::Kind,
    rpc::{block, endpoint::Endpoint, trouble::Trouble, value, wire::Ask},
};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountState {
    /// How many of its transactions are included: the nonce of the next one, if nothing waits.
    pub nonce: u64,
    /// The same with those that wait in the endpoint's pool; never less.
    pub pending_nonce: u64,
    /// What it has at the newest block, in the smallest unit of the native currency.
    pub balance: U256,
    /// Whether there is code at it that keeps it from sending (EIP-3607). An account that delegates (EIP-7702) has none.
    pub has_code: bool,
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
    /// The hashes of all its transactions. Only one of these can have had the nonce.
    pub transactions: Vec<B256>,
}

/// What gas costs at the moment, in the smallest unit of the native currency for one gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fees {
    /// What everybody pays in the next block (EIP-1559); none on a chain without EIP-1559, where transactions name a gas price.
    pub base_fee_per_gas: Option<u128>,
    /// What the endpoint recommends to offer on top of it (`eth_maxPriorityFeePerGas`), or the median below where it recommends nothing; 0 where
    /// there is no base fee. As the endpoint says it, whatever it is.
    pub max_priority_fee_per_gas: u128,
    /// The median of what was paid on top of it in the last 20 blocks; none where nothing was, or the endpoint does not tell.
    pub median_priority_fee_per_gas: Option<u128>,
    /// What a transaction that names one price should name (`eth_gasPrice`).
    pub gas_price: u128,
}

/// What came of handing over a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broadcast {
    /// An endpoint took it. It waits to be included, or for the transactions before it.
    Taken,
    /// It waits already, or is included already: handed over before.
    AlreadyKnown,
    /// Nobody took it through this call.
    NotTaken(NotTaken),
    /// An endpoint may have taken it: it did not say, or not understandably. [`Sending::whereabouts`] knows more after a while, and
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

/// One chain, for whoever changes it. Holds no key.
///
/// Every answer is of an endpoint that said, for this answer, that it is on this chain. Each read takes as long as
/// [`Chains::with_deadline`](crate::Chains::with_deadline) says at most, and fails over as [`Chains::read`](crate::Chains::read) does.
pub struct Sending<'a> {
    chain: &'a Chain,
    deadline: Duration,
}

impl fmt::Debug for Sending<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sending")
            .field("chain", &self.chain.config.id)
            .finish_non_exhaustive()
    }
}

impl<'a> Sending<'a> {
    pub(crate) const fn new(chain: &'a Chain, deadline: Duration) -> Self {
        Self { chain, deadline }
    }

    /// What has to be known of an account before it sends something. Everything in it is of one endpoint.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn account(&self, account: Address) -> Result<AccountState, ReadError> {
        let of = move |method, tag: &str| Ask {
            method,
            params: json!([format!("{account:#x}"), tag]),
        };
        self.one_of(|endpoint| async move {
            let asks = [
                of("eth_getTransactionCount", "latest"),
                of("eth_getTransactionCount", "pending"),
                of("eth_getBalance", "latest"),
                of("eth_getCode", "latest"),
            ];
            let [nonce, pending, balance, code] = together::need(endpoint, asks).await?;
            let (nonce, code) = (value::number(&nonce)?, value::bytes(&code)?);
            Ok(AccountState {
                nonce,
                // Behind one URL may be several nodes, of which one lags.
                pending_nonce: value::number(&pending)?.max(nonce),
                balance: value::amount(&balance)?,
                has_code: Kind::of(&code) == Kind::Contract,
            })
        })
        .await
    }

    /// Tries a draft without sending anything. No key is needed, and the account need not be able to pay.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known. That the contract refuses is no error.
    pub async fn simulate(&self, draft: &Draft) -> Result<Simulated, ReadError> {
        self.one_of(|endpoint| simulate::ask(endpoint, draft)).await
    }

    /// Why a transaction was reverted that was in the block at this height: its draft is tried on the state before that block, and where it would
    /// have been accepted there, on the state after it. What the contract returned; none where it is accepted on both. A chain keeps no reason.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known. Not every endpoint keeps the state of older blocks.
    pub async fn why_reverted(
        &self,
        draft: &Draft,
        block_number: u64,
    ) -> Result<Option<Bytes>, ReadError> {
        self.one_of(async |endpoint| {
            let before = block_number.saturating_sub(1);
            match simulate::replay(endpoint, draft, before).await? {
                Some(returned) => Ok(Some(returned)),
                None => simulate::replay(endpoint, draft, block_number).await,
            }
        })
        .await
    }

    /// What gas costs at the moment, as one endpoint says.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn fees(&self) -> Result<Fees, ReadError> {
        self.one_of(async |endpoint| fees::ask(endpoint).await)
            .await
    }

    /// The newest block.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn head(&self) -> Result<BlockHead, ReadError> {
        self.one_of(|endpoint| async move {
            let [newest] = together::need(endpoint, [block::by_number("latest")]).await?;
            let head = block::header(&newest)?.ok_or(Trouble::BlockUnknown)?;
            endpoint.condition().saw_block(head.number);
            Ok(head)
        })
        .await
    }

    /// The newest block, the one that `confirmations` blocks hold (its own included; at least 1), and how many transactions of the account are in
    /// the chain by each.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn progress(
        &self,
        account: Address,
        confirmations: u64,
    ) -> Result<Progress, ReadError> {
        self.one_of(|endpoint| progress::ask(endpoint, account, confirmations))
            .await
    }

    /// Which block used up this nonce of the account, of those up to the height `by`, and what is in it: the proof of which transaction it was, for
    /// which no index of transactions or receipts is needed.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known. Of old blocks not every endpoint keeps the state.
    pub async fn passing(
        &self,
        account: Address,
        nonce: u64,
        by: u64,
    ) -> Result<Passing, ReadError> {
        self.one_of(|endpoint| progress::passing(endpoint, account, nonce, by))
            .await
    }

    /// Whether the block at the height `number` is the one with the hash `hash`.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known, and so it is when no endpoint has a block at that height (yet, or any more):
    /// [`Code::EndpointLagging`](crate::Code::EndpointLagging), because that is what it looks like when an endpoint lags.
    pub async fn is_canonical(&self, number: u64, hash: BlockHash) -> Result<bool, ReadError> {
        let ask = |endpoint: &'a Endpoint| async move {
            let there = progress::block_at(endpoint, number).await;
            match there.map_err(|trouble| trouble.at(&endpoint.id))? {
                Some(there) => Ok(there.hash == hash),
                None => Err(block::unknown(endpoint, Block::Number(number)).await.into()),
            }
        };
        // Asked as for the newest block, so that no endpoint having it (yet) is never told as there being none.
        self.chain.one_of(self.deadline, Block::Latest, ask).await
    }

    /// Hands over a signed transaction: `raw` as it was signed (EIP-2718).
    ///
    /// It is given to one endpoint, and to the next only where it is known that the ones before did not take it: because they could not be
    /// reached for it, were asked too often, or have no room. Where that is not known, it is
    /// [`Unclear`](Broadcast::Unclear), and nothing is repeated. Of the future being dropped the same is true: whether an
    /// endpoint took the transaction is then not known.
    pub async fn broadcast(&self, raw: &Bytes) -> Broadcast {
        broadcast::everywhere(self, raw).await
    }

    /// Where a transaction is. Asks every endpoint of the chain, and believes the one that knows most; of those that did not answer, none is taken for
    /// one that does not know it. That it was reverted is told when all have answered or had the time for it, and none says otherwise.
    ///
    /// An inclusion counts where the block's hash is the one that the same endpoint has at that height now. How deep it lies, and whether it
    /// stays there, is asked with [`head`](Self::head) and [`is_canonical`](Self::is_canonical).
    ///
    /// # Errors
    /// [`ReadError`] when no endpoint answers: then nothing is known.
    pub async fn whereabouts(&self, transaction: B256) -> Result<Whereabouts, ReadError> {
        let asked = self.chain.endpoints.iter().map(|endpoint| async move {
            let answer = receipt::ask(endpoint, transaction);
            let answer = tokio::time::timeout(self.deadline, answer).await;
            let answer = answer.unwrap_or(Err(Trouble::TimedOut));
            answer.map_err(|trouble| trouble.at(&endpoint.id))
        });
        let mut asked: FuturesUnordered<_> = asked.collect();
        let (mut waits, mut answered, mut failures) = (false, false, Vec::new());
        let mut reverted = None;
        while let Some(answer) = asked.next().await {
            match answer {
                // That it did what it says can be read in the state. That it did nothing is not believed of one against another.
                Ok(Whereabouts::Included(receipt)) if !receipt.succeeded => {
                    reverted = Some(receipt);
                }
                Ok(Whereabouts::Included(_)) if reverted.is_some() => {
                    return Err(ReadError::new(
                        crate::Code::EndpointUnavailable,
                        "one endpoint says that the transaction was reverted, and another one that it was not",
                    ));
                }
                Ok(included @ Whereabouts::Included(_)) => return Ok(included),
                Ok(Whereabouts::Pending) => waits = true,
                Ok(Whereabouts::Unknown { .. }) => answered = true,
                Err(error) => failures.push(error),
            }
        }
        if let Some(receipt) = reverted {
            Ok(Whereabouts::Included(receipt))
        } else if waits {
            Ok(Whereabouts::Pending)
        } else if answered {
            let everywhere = failures.is_empty();
            Ok(Whereabouts::Unknown { everywhere })
        } else {
            Err(self.chain.verdict(&failures, Block::Latest))
        }
    }

    async fn one_of<T, F: Future<Output = Result<T, Trouble>>>(
        &self,
        ask: impl Fn(&'a Endpoint) -> F,
    ) -> Result<T, ReadError> {
        let ask = &ask;
        let ask = |endpoint| async move {
            let answer = ask(endpoint).await;
            answer.map_err(|trouble| trouble.at(&endpoint.id).into())
        };
        self.chain.one_of(self.deadline, Block::Latest, ask).await
    }
}
