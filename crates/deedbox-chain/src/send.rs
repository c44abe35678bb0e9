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
mod said;
mod simulate;
mod together;
mod witness;
mod words;

use std::{fmt, time::Duration};

use alloy_primitives::{Address, B256, Bytes};
use deedbox_core::{BlockHash, EndpointId};
use futures::{
    future::join_all,
    stream::{FuturesUnordered, StreamExt as _},
};
use serde_json::json;
use tokio::time::Instant;

pub use said::{
    AccountState, Broadcast, Draft, Fees, Log, Nonces, NotTaken, Passing, Progress, Receipt,
    Simulated, Simulation, Tip, Use, Usual, View, Whereabouts,
};

use crate::{
    Block, ReadError,
    chain::Chain,
    look::BlockHead,
    readings::contract::Kind,
    rpc::{block, endpoint::Endpoint, failover, trouble::Trouble, value, wire::Ask},
};

/// How long an endpoint has to say that it has the block of a receipt without the transaction. One that is silent for longer keeps nobody from
/// knowing what another one knows.
const OBJECTION: Duration = Duration::from_secs(3);

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

    /// What has to be known of an account before it sends something. Asks every endpoint for its nonces, and takes the highest of those that answer:
    /// one that lags names a nonce that is used. The rest is of the first that answers.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn account(&self, account: Address) -> Result<AccountState, ReadError> {
        let of = move |method, tag: &str| Ask {
            method,
            params: json!([format!("{account:#x}"), tag]),
        };
        let said = self.every(|endpoint| async move {
            let asks = [
                of("eth_getTransactionCount", "latest"),
                of("eth_getTransactionCount", "pending"),
                of("eth_getBalance", "latest"),
                of("eth_getCode", "latest"),
            ];
            let [nonce, pending, balance, code] = together::need(endpoint, asks).await?;
            let (latest, code) = (value::number(&nonce)?, value::bytes(&code)?);
            let nonces = Nonces {
                endpoint: endpoint.id.clone(),
                latest,
                // Behind one URL may be several nodes, of which one lags.
                pending: value::number(&pending)?.max(latest),
            };
            let has_code = Kind::of(&code) == Kind::Contract;
            Ok((nonces, value::amount(&balance)?, has_code))
        });
        let said = said.await?;
        let latest = said.iter().map(|(nonces, ..)| nonces.latest);
        let pending = said.iter().map(|(nonces, ..)| nonces.pending);
        let state = AccountState {
            nonce: latest.max().unwrap_or_default(),
            pending_nonce: pending.max().unwrap_or_default(),
            balance: said
                .first()
                .map(|(_, balance, _)| *balance)
                .unwrap_or_default(),
            has_code: said.iter().any(|(.., has_code)| *has_code),
            nonces: Vec::new(),
        };
        let nonces = said.into_iter().map(|(nonces, ..)| nonces).collect();
        Ok(AccountState { nonces, ..state })
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

    /// What gas costs at the moment, as one endpoint says, and what all that answer say to compare that with.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn fees(&self) -> Result<Fees, ReadError> {
        let said = self.every(fees::ask).await?;
        fees::compared(said).ok_or_else(|| self.chain.verdict(&[], Block::Latest))
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

    /// Which block used up this nonce of the account, of those up to the height `by`, as one endpoint says; none where it is not used by then. What is in it tell all with
    /// [`uses`](Self::uses).
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known. Of old blocks not every endpoint keeps the state.
    pub async fn passing(
        &self,
        account: Address,
        nonce: u64,
        by: u64,
    ) -> Result<Option<Passing>, ReadError> {
        self.one_of(|endpoint| progress::passing(endpoint, account, nonce, by))
            .await
    }

    /// What every endpoint has in the block at the height `number` with the hash `hash`: the hashes of its transactions.
    pub async fn held(&self, number: u64, hash: BlockHash) -> Vec<(EndpointId, View<Vec<B256>>)> {
        self.views(|endpoint| witness::hashes(endpoint, number, hash))
            .await
    }

    /// What every endpoint says that this block did to the account's nonce, and its transactions: the proof of which one used a nonce, for which no
    /// index of transactions or receipts is needed.
    pub async fn uses(
        &self,
        account: Address,
        number: u64,
        hash: BlockHash,
    ) -> Vec<(EndpointId, View<Use>)> {
        self.views(|endpoint| witness::uses(endpoint, account, number, hash))
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

    /// Hands a signed transaction to every endpoint of the chain, and tells what each of them says, in their order. What one says is believed no
    /// further: one may say that it took it, and keep it to itself. [`NotTaken::Unsent`] and [`Broadcast::Unclear`] are of one that may not have heard it.
    pub async fn offer(&self, raw: &Bytes) -> Vec<Broadcast> {
        broadcast::to_each(self, raw).await
    }

    /// Where a transaction is. Asks every endpoint of the chain, and believes the one that knows most; of those that did not answer, none is taken for
    /// one that does not know it. That it was reverted is told when all have answered or had the time for it, and none says otherwise; where one does,
    /// its receipt is told, with [those that deny it](Receipt::denied_by): what it did can be read in the state, and that it did nothing is hard to see.
    ///
    /// An inclusion counts where the block's hash is the one that the same endpoint has at that height now, the block holds the transaction there, and
    /// no other endpoint has another block at that height, or this one without it: then it is [disputed](Whereabouts::Disputed). How deep it lies, and whether it
    /// stays there, is asked with [`head`](Self::head) and [`is_canonical`](Self::is_canonical).
    ///
    /// # Errors
    /// [`ReadError`] when no endpoint answers: then nothing is known.
    pub async fn whereabouts(&self, transaction: B256) -> Result<Whereabouts, ReadError> {
        let (found, _) = self.found(transaction).await?;
        Ok(found)
    }

    /// As [`whereabouts`](Self::whereabouts), with an endpoint that has it.
    async fn found(
        &self,
        transaction: B256,
    ) -> Result<(Whereabouts, Option<&'a EndpointId>), ReadError> {
        // Who denies a receipt is asked here and not below: an answer that nobody polls may hold what the others wait for.
        let asked = self.chain.endpoints.iter().map(|endpoint| async move {
            let id = &endpoint.id;
            let answer = self.in_time(receipt::ask(endpoint, transaction)).await;
            let found = answer.map_err(|trouble| trouble.at(id))?;
            let deniers = match &found {
                Whereabouts::Included(receipt) => self.deniers(receipt, id).await,
                _ => Vec::new(),
            };
            Ok((found, deniers, id))
        });
        let mut asked: FuturesUnordered<_> = asked.collect();
        let (mut waits, mut answered, mut failures) = (None, false, Vec::new());
        let (mut reverted, mut denied_by, mut disputed) = (None, Vec::new(), None);
        while let Some(answer) = asked.next().await {
            let (receipt, deniers, id) = match answer {
                Ok((Whereabouts::Included(receipt), deniers, id)) => (receipt, deniers, id),
                Ok((Whereabouts::Pending, _, id)) => {
                    waits = Some(id);
                    continue;
                }
                Ok((Whereabouts::Unknown { .. } | Whereabouts::Disputed(_), _, _)) => {
                    answered = true;
                    continue;
                }
                Err(error) => {
                    failures.push(error);
                    continue;
                }
            };
            if !deniers.is_empty() {
                disputed = Some((deniers, id));
            } else if receipt.succeeded {
                let receipt = Box::new(Receipt {
                    denied_by,
                    ..*receipt
                });
                return Ok((Whereabouts::Included(receipt), Some(id)));
            } else {
                denied_by.push(id.clone());
                reverted = Some((receipt, id));
            }
        }
        if let Some((receipt, id)) = reverted {
            Ok((Whereabouts::Included(receipt), Some(id)))
        } else if let Some((deniers, id)) = disputed {
            Ok((Whereabouts::Disputed(deniers), Some(id)))
        } else if let Some(id) = waits {
            Ok((Whereabouts::Pending, Some(id)))
        } else if answered {
            let everywhere = failures.is_empty();
            Ok((Whereabouts::Unknown { everywhere }, None))
        } else {
            Err(self.chain.verdict(&failures, Block::Latest))
        }
    }

    /// Which endpoints but `by` have another block at the receipt's height, or its block without its transaction.
    async fn deniers(&self, receipt: &Receipt, by: &EndpointId) -> Vec<EndpointId> {
        if self.chain.endpoints.len() < 2 {
            return Vec::new();
        }
        let views = self.views(|endpoint| async move {
            let held = witness::hashes(endpoint, receipt.block_number, receipt.block_hash);
            let held = tokio::time::timeout(OBJECTION, held).await;
            held.unwrap_or(Err(Trouble::TimedOut))
        });
        let views = views.await;
        let deniers = views.into_iter().filter(|(id, view)| {
            let denies = match view {
                View::Block(hashes) => !hashes.contains(&receipt.transaction),
                View::OtherBlock => true,
                View::NoBlock | View::Silent(_) => false,
            };
            denies && id != by
        });
        deniers.map(|(id, _)| id).collect()
    }

    /// What every endpoint has of a block.
    async fn views<T, F: Future<Output = Result<View<T>, Trouble>>>(
        &self,
        ask: impl Fn(&'a Endpoint) -> F,
    ) -> Vec<(EndpointId, View<T>)> {
        let ask = &ask;
        let asked = self.chain.endpoints.iter().map(|endpoint| async move {
            let view = self.in_time(ask(endpoint)).await;
            let id = endpoint.id.clone();
            let view = view.unwrap_or_else(|trouble| View::Silent(trouble.at(&id)));
            (id, view)
        });
        join_all(asked).await
    }

    async fn in_time<T>(
        &self,
        answer: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        let answer = tokio::time::timeout(self.deadline, answer).await;
        answer.unwrap_or(Err(Trouble::TimedOut))
    }

    /// What `ask` makes of each endpoint that can answer, all asked at once, in the order in which they take their turns. At least one.
    async fn every<T, F: Future<Output = Result<T, Trouble>>>(
        &self,
        ask: impl Fn(&'a Endpoint) -> F,
    ) -> Result<Vec<T>, ReadError> {
        let ask = &ask;
        let endpoints = failover::order(&self.chain.endpoints, Instant::now());
        let asked = endpoints.into_iter().map(|endpoint| async move {
            let answer = self.in_time(ask(endpoint)).await;
            answer.map_err(|trouble| trouble.at(&endpoint.id))
        });
        let (mut answers, mut failures) = (Vec::new(), Vec::new());
        for answer in join_all(asked).await {
            match answer {
                Ok(answer) => answers.push(answer),
                Err(error) => failures.push(error),
            }
        }
        if answers.is_empty() {
            return Err(self.chain.verdict(&failures, Block::Latest));
        }
        Ok(answers)
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
