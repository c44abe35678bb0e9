//! One endpoint at one block: everything that an answer needs, at the block's hash (EIP-1898), and the proof that the
//! block was still part of the chain afterwards.

use alloy_primitives::{Address, B256, Bytes, U256};
use futures::future::{try_join, try_join_all};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    block,
    endpoint::{Answer, Endpoint},
    line::Turn,
    logs, multicall,
    pinned::{BlockHead, Call, Expects, Got, Log, LogFilter, Pinned, Said, Wanted},
    question::{self, Question},
    trouble::Trouble,
    value::{self, Malformed, quantity},
    wire::Ask,
};
use crate::{Code, ReadError};

/// Gas for one call: far more than any honest view needs, and far less than a node lets a call burn. It also bounds what
/// a call can return, because memory costs gas: some 2 MB, less than an answer may have.
const CALL_GAS: u64 = 10_000_000;
/// Gas for a call that is asked once more with plenty: geth's and most others' own limit.
const DEAR_GAS: u64 = 50_000_000;
/// Gas for all calls through Multicall3.
const AGGREGATE_GAS: u64 = 25_000_000;

/// Gas for a call that answers yes or no: the 30,000 that ERC-165 allows, a proxy before it, and what every transaction costs.
const FLAG_GAS: u64 = 100_000;

/// One endpoint at one block, for the time of one answer.
#[derive(Debug)]
pub(crate) struct At<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) head: BlockHead,
    multicall: Option<Address>,
}

/// A part of what was wanted, in the list to which it belongs.
enum Piece {
    Balance(U256),
    Code(Bytes),
    Slot(B256),
    Probe(Said),
    Call(Said),
    /// What Multicall3 answered to all calls.
    Calls(Answer),
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

    fn of_slot(&self, account: Address, slot: B256) -> Question<Piece> {
        let ask = Ask {
            method: "eth_getStorageAt",
            params: json!([format!("{account:#x}"), format!("{slot:#x}"), self.block()]),
        };
        Question::new(ask, |answer| Ok(Piece::Slot(value::word_of(&answer?)?)))
    }

    fn call(&self, to: Address, data: &Bytes, gas: u64) -> Ask {
        let call =
            json!({"to": format!("{to:#x}"), "data": data.to_string(), "gas": quantity(gas)});
        Ask {
            method: "eth_call",
            params: json!([call, self.block()]),
        }
    }

    /// The call made for itself.
    fn direct(&self, call: &Call) -> Question<Said> {
        match call.expects {
            Expects::Anything => {
                Question::new(self.call(call.to, &call.data, CALL_GAS), question::said)
            }
            Expects::Dear => {
                Question::new(self.call(call.to, &call.data, DEAR_GAS), question::said)
            }
            Expects::Flag => {
                Question::new(self.call(call.to, &call.data, FLAG_GAS), question::flag)
            }
        }
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
                Trouble::Reverted(_)
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
        let questions: Vec<_> = open.map(|(call, _)| self.direct(call)).collect();
        let mut direct = self.all(&questions).await?.into_iter();
        let fill = |known: Option<Said>| match known {
            Some(said) => Ok(said),
            None => direct.next().unwrap_or(Err(Trouble::Internal)),
        };
        known.into_iter().map(fill).collect()
    }

    /// Whether several questions come in one request, and so from one node.
    pub(super) fn takes_batches(&self) -> bool {
        self.endpoint.condition().max_batch(Instant::now()) >= 2
    }

    /// Answers to all of `questions`, in as few HTTP requests as the endpoint allows, after each of which the block was
    /// still there.
    pub(super) async fn all<T>(
        &self,
        questions: &[Question<T>],
    ) -> Result<Vec<Result<T, Trouble>>, Trouble> {
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        loop {
            let most = self.endpoint.condition().max_batch(Instant::now());
            // Two places in each batch are for the chain's id and the block's own header.
            let Some(most) = most.checked_sub(2).filter(|most| *most > 0) else {
                return self.one_by_one(questions).await;
            };
            let batches = questions.chunks(most).map(|batch| self.batch(batch));
            match try_join_all(batches).await {
                Err(Trouble::BatchRefused { at_most }) => {
                    let size = most.min(questions.len()) + 2;
                    let mut condition = self.endpoint.condition();
                    condition.batch_refused(size, at_most, Instant::now());
                }
                batches => return Ok(batches?.into_iter().flatten().collect()),
            }
        }
    }

    async fn batch<T>(
        &self,
        questions: &[Question<T>],
    ) -> Result<Vec<Result<T, Trouble>>, Trouble> {
        let asks = questions.iter().map(|question| question.ask.clone());
        let sealed: Vec<_> = asks.chain([Endpoint::which_chain(), self.seal()]).collect();
        let answers = self.endpoint.ask(&sealed, Turn::Next).await;
        let too_large = match &answers {
            Ok(answers) => answers
                .iter()
                .any(|answer| matches!(answer, Err(Trouble::ResponseTooLarge))),
            Err(trouble) => *trouble == Trouble::ResponseTooLarge,
        };
        if too_large {
            return match questions {
                // Logs are asked for again, of fewer blocks, because the header has to come in the same request.
                [first, ..] if questions.len() == 1 || first.ask.method == logs::METHOD => {
                    let refuse = |q: &Question<T>| q.read(Err(Trouble::ResponseTooLarge));
                    Ok(questions.iter().map(refuse).collect())
                }
                // One of them is too large for all, and alone it is known which; some nodes then refuse all that follow.
                _ => self.one_by_one(questions).await,
            };
        }
        let mut answers = answers?;
        let refusal = answers.iter().find_map(|answer| match answer {
            Err(refusal @ Trouble::BatchRefused { .. }) => Some(refusal.clone()),
            _ => None,
        });
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        let seal = answers.pop().unwrap_or(Err(Trouble::Internal));
        self.endpoint
            .is_on_its_chain(answers.pop().unwrap_or(Err(Trouble::Internal)))?;
        block::still_there(&seal?, &self.head)?;
        let pairs = questions.iter().zip(answers);
        Ok(pairs
            .map(|(question, answer)| question.read(answer))
            .collect())
    }

    async fn one_by_one<T>(
        &self,
        questions: &[Question<T>],
    ) -> Result<Vec<Result<T, Trouble>>, Trouble> {
        let read = async |question: &Question<T>| {
            let answer = self.alone(&question.ask).await?;
            Ok::<_, Trouble>(question.read(answer))
        };
        let chain = Endpoint::which_chain();
        let all = try_join_all(questions.iter().map(read));
        let (answers, chain) = try_join(all, self.alone(&chain)).await?;
        self.endpoint.is_on_its_chain(chain)?;
        // Last, when nothing else is under way.
        let seal = self.alone(&self.seal()).await?;
        block::still_there(&seal?, &self.head)?;
        Ok(answers)
    }

    async fn alone(&self, ask: &Ask) -> Result<Answer, Trouble> {
        let asks = std::slice::from_ref(ask);
        match self.endpoint.ask(asks, Turn::Next).await {
            // What is wrong with this request need not be wrong with the others.
            Err(Trouble::ResponseTooLarge) => Ok(Err(Trouble::ResponseTooLarge)),
            // It was no batch, so it was too large by itself (HTTP 413).
            Err(Trouble::BatchRefused { .. }) => Ok(Err(Trouble::BadParams)),
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
            storage,
            calls,
            probes,
        } = wanted;
        let aggregator = self.aggregator(&calls);
        let of_balance = |account: &Address| {
            Question::new(self.of_account("eth_getBalance", *account), |answer| {
                Ok(Piece::Balance(value::amount(&answer?)?))
            })
        };
        let of_code = |account: &Address| {
            Question::new(self.of_account("eth_getCode", *account), |answer| {
                Ok(Piece::Code(value::bytes(&answer?)?))
            })
        };
        let mut questions: Vec<_> = balances.iter().map(of_balance).collect();
        questions.extend(codes.iter().map(of_code));
        questions.extend(
            storage
                .iter()
                .map(|(account, slot)| self.of_slot(*account, *slot)),
        );
        questions.extend(
            probes
                .iter()
                .map(|call| self.direct(call).map(Piece::Probe)),
        );
        match aggregator {
            Some(to) => {
                let ask = self.call(to, &multicall::pack(&calls), AGGREGATE_GAS);
                questions.push(Question::new(ask, |answer| Ok(Piece::Calls(answer))));
            }
            None => questions.extend(calls.iter().map(|call| self.direct(call).map(Piece::Call))),
        }
        let mut got = Got::default();
        for piece in self.all(&questions).await? {
            match piece? {
                Piece::Balance(balance) => got.balances.push(balance),
                Piece::Code(code) => got.codes.push(code),
                Piece::Slot(word) => got.storage.push(word),
                Piece::Probe(said) => got.probes.push(said),
                Piece::Call(said) => got.calls.push(said),
                Piece::Calls(answer) => got.calls = self.disaggregate(&calls, answer).await?,
            }
        }
        Ok(got)
    }

    async fn senders_of(&self, transactions: &[B256]) -> Result<Vec<Address>, Trouble> {
        let question = |hash: &B256| {
            let ask = Ask {
                method: "eth_getTransactionByHash",
                params: json!([format!("{hash:#x}")]),
            };
            let hash = *hash;
            Question::new(ask, move |answer| Ok(sender(answer?.get(), hash)?))
        };
        let questions: Vec<_> = transactions.iter().map(question).collect();
        self.all(&questions).await?.into_iter().collect()
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
        got.map_err(|trouble| match trouble {
            Trouble::StateUnavailable => ReadError::new(
                Code::ArchiveUnavailable,
                format!(
                    "endpoint {} does not keep the state of block {}",
                    self.endpoint.id, self.head.number
                ),
            ),
            trouble => trouble.at(&self.endpoint.id),
        })
    }

    async fn logs(
        &self,
        filter: LogFilter,
        enough: impl Fn(&[Log]) -> bool + Send + Sync,
    ) -> Result<(Vec<Log>, u64), ReadError> {
        let found = logs::newest::search(self, &filter, enough).await;
        found.map_err(|trouble| trouble.at(&self.endpoint.id))
    }

    async fn senders(&self, transactions: Vec<B256>) -> Result<Vec<Address>, ReadError> {
        let senders = self.senders_of(&transactions).await;
        senders.map_err(|trouble| trouble.at(&self.endpoint.id))
    }
}
