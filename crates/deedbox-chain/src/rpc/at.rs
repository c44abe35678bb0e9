//! One endpoint at one block: everything that an answer needs, at the block's hash (EIP-1898), and the proof that the
//! block was still part of the chain afterwards.

use alloy_primitives::{Address, B256, Bytes};
use futures::future::try_join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    block,
    endpoint::{Answer, Endpoint},
    line::Turn,
    logs,
    multicall::{self, MAX_RETURNED},
    pinned::{BlockHead, Call, Got, HEAD, Log, LogFilter, Pinned, Said, Wanted},
    trouble::Trouble,
    value::{self, Malformed, quantity},
    wire::Ask,
};
use crate::ReadError;

/// Gas for one call: far more than any honest view needs, and far less than a node lets a call burn. It also bounds what
/// a call can return, because memory costs gas: some 2 MB, less than an answer may have.
const CALL_GAS: u64 = 10_000_000;
/// Gas for all calls through Multicall3.
const AGGREGATE_GAS: u64 = 25_000_000;

/// One endpoint at one block, for the time of one answer.
#[derive(Debug)]
pub(crate) struct At<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) head: BlockHead,
    multicall: Option<Address>,
}

impl<'a> At<'a> {
    /// `head` was found at `endpoint`; Multicall3 stands at `multicall`, if anywhere.
    pub(crate) const fn new(
        endpoint: &'a Endpoint,
        head: BlockHead,
        multicall: Option<Address>,
    ) -> Self {
        Self {
            endpoint,
            head,
            multicall,
        }
    }

    fn block(&self) -> Value {
        json!({"blockHash": self.head.hash.to_string(), "requireCanonical": true})
    }

    fn of_account(&self, method: &'static str, account: Address) -> Ask {
        Ask {
            method,
            params: json!([format!("{account:#x}"), self.block()]),
        }
    }

    fn call(&self, to: Address, data: &Bytes, gas: u64) -> Ask {
        let call =
            json!({"to": format!("{to:#x}"), "data": data.to_string(), "gas": quantity(gas)});
        Ask {
            method: "eth_call",
            params: json!([call, self.block()]),
        }
    }

    fn direct(&self, call: &Call) -> Ask {
        self.call(call.to, &call.data, CALL_GAS)
    }

    /// Where Multicall3 makes `calls` in one, if that is worth it and it is there.
    fn aggregator(&self, calls: &[Call]) -> Option<Address> {
        let there = !self.endpoint.condition().lacks_multicall(self.head.number);
        self.multicall.filter(|_| calls.len() >= 2 && there)
    }

    /// What `calls` said, given the answer to their aggregate. Whatever it leaves open is asked directly, so that each
    /// call fails for reasons of its own only.
    async fn disaggregate(&self, calls: &[Call], answer: Answer) -> Result<Vec<Said>, Trouble> {
        let returned = match answer {
            Ok(answer) => Some(value::bytes(&answer)?),
            // Those calls are too much for it.
            Err(
                Trouble::Reverted
                | Trouble::ExecutionFailed
                | Trouble::ResponseTooLarge
                | Trouble::BadParams,
            ) => None,
            Err(trouble) => return Err(trouble),
        };
        let known = returned.and_then(|returned| {
            let known = multicall::unpack(&returned, calls.len());
            if known.is_none() {
                // It is not there at that block, or something else is.
                self.endpoint.condition().no_multicall(self.head.number);
            }
            known
        });
        let known = known.unwrap_or_else(|| vec![None; calls.len()]);
        let open = calls.iter().zip(&known).filter(|(_, said)| said.is_none());
        let asks: Vec<_> = open.map(|(call, _)| self.direct(call)).collect();
        let mut direct = self.all(&asks).await?.into_iter().map(said);
        let fill = |known: Option<Said>| match known {
            Some(said) => Ok(said),
            None => direct.next().unwrap_or(Err(Trouble::Internal)),
        };
        known.into_iter().map(fill).collect()
    }

    /// Answers to all of `asks`, in as few HTTP requests as the endpoint allows, after each of which the block was still
    /// there.
    pub(super) async fn all(&self, asks: &[Ask]) -> Result<Vec<Answer>, Trouble> {
        if asks.is_empty() {
            return Ok(Vec::new());
        }
        loop {
            let most = self.endpoint.condition().max_batch(Instant::now());
            if most < 2 {
                return self.one_by_one(asks).await;
            }
            // One place in each batch is for the block's own header.
            let batches = asks.chunks(most - 1).map(|batch| self.batch(batch));
            match try_join_all(batches).await {
                Err(Trouble::BatchRefused { at_most }) => {
                    let size = most.min(asks.len() + 1);
                    let mut condition = self.endpoint.condition();
                    condition.batch_refused(size, at_most, Instant::now());
                }
                batches => return Ok(batches?.into_iter().flatten().collect()),
            }
        }
    }

    async fn batch(&self, asks: &[Ask]) -> Result<Vec<Answer>, Trouble> {
        let mut sealed = asks.to_vec();
        sealed.push(self.seal());
        let answers = self.endpoint.ask(&sealed, Turn::Next).await;
        let too_large = match &answers {
            Ok(answers) => answers
                .iter()
                .any(|answer| matches!(answer, Err(Trouble::ResponseTooLarge))),
            Err(trouble) => *trouble == Trouble::ResponseTooLarge,
        };
        if too_large && asks.len() > 1 {
            // One of them is too large for all, and alone it is known which; some nodes then refuse all that follow.
            return self.one_by_one(asks).await;
        }
        let mut answers = answers?;
        let refusal = answers.iter().find_map(|answer| match answer {
            Err(refusal @ Trouble::BatchRefused { .. }) => Some(refusal.clone()),
            _ => None,
        });
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        let seal = answers.pop().unwrap_or(Err(Trouble::Internal))?;
        block::still_there(&seal, &self.head)?;
        Ok(answers)
    }

    async fn one_by_one(&self, asks: &[Ask]) -> Result<Vec<Answer>, Trouble> {
        let answers = try_join_all(asks.iter().map(|ask| self.alone(ask))).await?;
        let seal = self.alone(&self.seal()).await??;
        block::still_there(&seal, &self.head)?;
        Ok(answers)
    }

    async fn alone(&self, ask: &Ask) -> Result<Answer, Trouble> {
        match self
            .endpoint
            .ask(std::slice::from_ref(ask), Turn::Next)
            .await
        {
            Err(Trouble::ResponseTooLarge) => Ok(Err(Trouble::ResponseTooLarge)),
            Err(trouble) => Err(trouble),
            Ok(answers) => Ok(answers.into_iter().next().unwrap_or(Err(Trouble::Internal))),
        }
    }

    /// Asks which block stands at the height now.
    fn seal(&self) -> Ask {
        block::by_number(&quantity(self.head.number))
    }

    async fn got(&self, wanted: Wanted) -> Result<Got, Trouble> {
        let Wanted {
            balances,
            codes,
            calls,
            probes,
        } = wanted;
        let aggregator = self.aggregator(&calls);
        let of_balance = |account: &Address| self.of_account("eth_getBalance", *account);
        let of_code = |account: &Address| self.of_account("eth_getCode", *account);
        let mut asks: Vec<Ask> = balances.iter().map(of_balance).collect();
        asks.extend(codes.iter().map(of_code));
        asks.extend(probes.iter().map(|call| self.direct(call)));
        match aggregator {
            Some(to) => asks.push(self.call(to, &multicall::pack(&calls), AGGREGATE_GAS)),
            None => asks.extend(calls.iter().map(|call| self.direct(call))),
        }
        let mut answers = self.all(&asks).await?.into_iter();
        let mut got = Got::default();
        for answer in answers.by_ref().take(balances.len()) {
            got.balances.push(value::amount(&answer?)?);
        }
        for answer in answers.by_ref().take(codes.len()) {
            got.codes.push(value::bytes(&answer?)?);
        }
        for answer in answers.by_ref().take(probes.len()) {
            got.probes.push(said(answer)?);
        }
        got.calls = match aggregator {
            Some(_) => {
                let aggregate = answers.next().unwrap_or(Err(Trouble::Internal));
                self.disaggregate(&calls, aggregate).await?
            }
            None => answers.map(said).collect::<Result<_, _>>()?,
        };
        Ok(got)
    }

    async fn senders_of(&self, transactions: &[B256]) -> Result<Vec<Address>, Trouble> {
        let ask = |hash: &B256| Ask {
            method: "eth_getTransactionByHash",
            params: json!([format!("{hash:#x}")]),
        };
        let asks: Vec<_> = transactions.iter().map(ask).collect();
        let answers = self.all(&asks).await?;
        let pairs = answers.into_iter().zip(transactions);
        pairs
            .map(|(answer, hash)| Ok(sender(answer?.get(), *hash)?))
            .collect()
    }
}

/// What a contract said to a call of its own.
fn said(answer: Answer) -> Result<Said, Trouble> {
    match answer {
        Ok(answer) => {
            let bytes = value::bytes(&answer)?;
            Ok(if bytes.len() > MAX_RETURNED {
                Said::TooLong(Bytes::copy_from_slice(&bytes[..HEAD]))
            } else {
                Said::Returned(bytes)
            })
        }
        Err(Trouble::Reverted | Trouble::ExecutionFailed) => Ok(Said::Reverted),
        Err(trouble) => Err(trouble),
    }
}

fn sender(answer: &str, hash: B256) -> Result<Address, Malformed> {
    #[derive(Deserialize)]
    struct Transaction {
        hash: String,
        from: String,
    }
    let missing = Malformed("a transaction of a log is not known to it");
    let transaction: Transaction = serde_json::from_str(answer).map_err(|_| missing)?;
    if value::word(&transaction.hash)? != hash {
        return Err(Malformed("it answered with another transaction"));
    }
    value::address(&transaction.from)
}

impl Pinned for At<'_> {
    fn block(&self) -> BlockHead {
        self.head
    }

    async fn get(&self, wanted: Wanted) -> Result<Got, ReadError> {
        let got = self.got(wanted).await;
        got.map_err(|trouble| trouble.at(&self.endpoint.id))
    }

    async fn logs(
        &self,
        filter: LogFilter,
        enough: impl Fn(&[Log]) -> bool + Send + Sync,
    ) -> Result<(Vec<Log>, u64), ReadError> {
        let found = logs::search(self, &filter, enough).await;
        found.map_err(|trouble| trouble.at(&self.endpoint.id))
    }

    async fn senders(&self, transactions: Vec<B256>) -> Result<Vec<Address>, ReadError> {
        let senders = self.senders_of(&transactions).await;
        senders.map_err(|trouble| trouble.at(&self.endpoint.id))
    }
}
