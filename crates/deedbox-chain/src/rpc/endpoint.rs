//! One endpoint: asked only on the right chain, so many times at once, again where that helps.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use deedbox_core::{EndpointId, World};
use serde_json::{json, value::RawValue};
use tokio::time::Instant;

use super::{
    backoff, classify,
    condition::{Chain, Condition},
    http::{Http, Reply},
    line::{Line, Turn},
    trouble::{Fault, Trouble},
    value,
    widths::Widths,
    wire::{self, Ask},
};
use crate::EndpointConfig;

/// How many blocks are searched for logs at first, where nothing is known.
const FIRST_LOG_BLOCKS: u64 = 10_000;
/// The same for who follows: all that was ever said is read, so it is soon known how wide a piece may be, and one that is too large is
/// work for the endpoint and brings nothing.
const FIRST_FOLLOWED_BLOCKS: u64 = 128;

/// What came back for one request.
pub(crate) type Answer = Result<Box<RawValue>, Trouble>;
/// The same with the endpoint's own words.
pub(crate) type Heard = Result<Box<RawValue>, Fault>;

/// One endpoint.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) id: EndpointId,
    chain: u64,
    attempts: u32,
    http: Http,
    line: Line,
    condition: Mutex<Condition>,
    verifying: tokio::sync::Mutex<()>,
    next_id: AtomicU64,
    sent: AtomicU64,
    world: Arc<dyn World>,
}

impl Endpoint {
    /// Connects to nothing. The error is for the operator and holds no secret.
    pub(crate) fn new(
        chain: u64,
        config: &EndpointConfig,
        world: Arc<dyn World>,
    ) -> Result<Self, String> {
        let max_batch = usize::try_from(config.max_batch.get()).unwrap_or(usize::MAX);
        let most = config.max_log_blocks.map(|most| u64::from(most.get()));
        // Of a configured width it is known that the endpoint bears it, so the newest logs are asked for in pieces of it at once.
        let newest = Widths::new(most.unwrap_or(FIRST_LOG_BLOCKS), most);
        let oldest = Widths::new(FIRST_FOLLOWED_BLOCKS, most);
        Ok(Self {
            id: config.id.clone(),
            chain,
            attempts: config.attempts.get(),
            http: Http::new(config)?,
            line: Line::new(config),
            condition: Mutex::new(Condition::new(max_batch, newest, oldest)),
            verifying: tokio::sync::Mutex::new(()),
            next_id: AtomicU64::new(1),
            sent: AtomicU64::new(0),
            world,
        })
    }

    /// What is known of it. Held for a few instructions, never while waiting.
    pub(crate) fn condition(&self) -> MutexGuard<'_, Condition> {
        self.condition
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever asked did not wait any longer.
    pub(crate) fn too_slow(&self) {
        self.condition().failed(&Trouble::TimedOut, Instant::now());
    }

    /// How many bytes an answer has at most that can be asked for in parts.
    pub(crate) const fn max_body(&self) -> usize {
        self.http.max_body()
    }

    /// HTTP requests sent so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Asks for all of `asks` in one HTTP request, after its chain was verified; again while that helps. An error is one
    /// of the request as a whole.
    pub(crate) async fn ask(&self, asks: &[Ask], turn: Turn) -> Result<Vec<Answer>, Trouble> {
        let heard = self.hear(asks, turn).await.map_err(|fault| fault.trouble)?;
        let plain = heard
            .into_iter()
            .map(|heard| heard.map_err(|fault| fault.trouble));
        Ok(plain.collect())
    }

    /// As [`Endpoint::ask`], with the endpoint's own words.
    pub(crate) async fn hear(&self, asks: &[Ask], turn: Turn) -> Result<Vec<Heard>, Fault> {
        let mut attempt = 1;
        loop {
            // Also before another attempt: behind a new connection may be another node.
            self.verify(turn).await?;
            let outcome = self.once(asks, turn).await;
            if !self.comes_again(&outcome, &mut attempt).await {
                return outcome;
            }
        }
    }

    /// Says `ask` once, whatever comes of it: what is not repeated by itself. Whoever does that has just found out which chain the
    /// endpoint is on.
    pub(crate) async fn tell(&self, ask: &Ask) -> Heard {
        let outcome = self.once(std::slice::from_ref(ask), Turn::Next).await;
        self.learn(&outcome);
        let heard = outcome?.into_iter().next();
        heard.unwrap_or_else(|| Err(Trouble::Internal.into()))
    }

    /// `text` without anything that is configured as a secret of this endpoint.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        self.http.without_secrets(text)
    }

    /// Finds out which chain it is on unless that is known. However many wait for it, one asks.
    async fn verify(&self, turn: Turn) -> Result<(), Trouble> {
        let chain = self.condition().chain(Instant::now());
        let rounds = match chain {
            Chain::Right => return Ok(()),
            Chain::Wrong(trouble) => return Err(trouble),
            Chain::Verify { rounds } => rounds,
        };
        let _one = match self.verifying.try_lock() {
            Ok(one) => one,
            Err(_) => self.line.wait_for(turn, self.verifying.lock()).await?,
        };
        if let Some(outcome) = self.condition().since(rounds) {
            return outcome;
        }
        let outcome = self.chain_id(turn).await;
        if outcome != Err(Trouble::Busy) {
            self.verified(&outcome);
        }
        outcome
    }

    /// Asks on which chain it is; see [`Endpoint::is_on_its_chain`].
    pub(crate) fn which_chain() -> Ask {
        Ask {
            method: "eth_chainId",
            params: json!([]),
        }
    }

    /// Looks at the answer to [`Endpoint::which_chain`]. Every answer carries one: a connection that was closed while nobody
    /// used it is opened again without anybody noticing, and behind it may be another node.
    pub(crate) fn is_on_its_chain(&self, answer: Answer) -> Result<(), Trouble> {
        let outcome = self.compare(answer);
        if let Err(Trouble::WrongChain { .. }) = outcome {
            self.verified(&outcome);
        }
        outcome
    }

    fn compare(&self, answer: Answer) -> Result<(), Trouble> {
        let answered = value::number(&answer?)?;
        if answered == self.chain {
            Ok(())
        } else {
            Err(Trouble::WrongChain { answered })
        }
    }

    /// Remembers on which chain it is, and tells the operator when it is another one.
    fn verified(&self, outcome: &Result<(), Trouble>) {
        self.condition().verification(outcome, Instant::now());
        if let Err(Trouble::WrongChain { answered }) = outcome {
            tracing::error!(endpoint = %self.id, expected = self.chain, answered, "endpoint is on another chain");
        }
    }

    async fn chain_id(&self, turn: Turn) -> Result<(), Trouble> {
        let ask = Self::which_chain();
        let mut attempt = 1;
        let answers = loop {
            let outcome = self.once(std::slice::from_ref(&ask), turn).await;
            if !self.comes_again(&outcome, &mut attempt).await {
                break outcome.map_err(|fault| fault.trouble)?;
            }
        };
        let answer = answers
            .into_iter()
            .next()
            .map(|heard| heard.map_err(|fault| fault.trouble));
        self.compare(answer.unwrap_or(Err(Trouble::Internal)))
    }

    /// Whether another attempt may help, after the wait that it needs; otherwise the outcome is what is known now.
    async fn comes_again(&self, outcome: &Result<Vec<Heard>, Fault>, attempt: &mut u32) -> bool {
        let passing = match outcome {
            Ok(answers) => answers
                .iter()
                .filter_map(|answer| answer.as_ref().err())
                .find(|fault| fault.trouble.passes()),
            Err(fault) => Some(fault),
        };
        let pause = passing
            .map(|fault| &fault.trouble)
            .and_then(|trouble| backoff::wait(trouble, *attempt, self.attempts, self.random()));
        let Some(pause) = pause else {
            self.learn(outcome);
            return false;
        };
        if matches!(outcome, Err(fault) if fault.trouble == Trouble::Unreachable) {
            self.condition().lost_connection();
        }
        tokio::time::sleep(pause).await;
        *attempt += 1;
        true
    }

    /// An error within an answer may be the fault of what was asked; only a rate limit is surely the endpoint's.
    fn learn(&self, outcome: &Result<Vec<Heard>, Fault>) {
        let limited = |answer: &Heard| match answer {
            Err(fault) if matches!(fault.trouble, Trouble::RateLimited { .. }) => {
                Some(fault.trouble.clone())
            }
            _ => None,
        };
        let trouble = match outcome {
            Ok(answers) => answers.iter().find_map(limited),
            Err(fault) => Some(fault.trouble.clone()),
        };
        match trouble {
            None => self.condition().succeeded(),
            Some(trouble) => {
                tracing::debug!(endpoint = %self.id, trouble = trouble.label(), "endpoint did not answer");
                self.condition().failed(&trouble, Instant::now());
            }
        }
    }

    async fn once(&self, asks: &[Ask], turn: Turn) -> Result<Vec<Heard>, Fault> {
        let _permit = self.line.enter(turn).await?;
        self.sent.fetch_add(1, Ordering::Relaxed);
        let count = asks.len();
        let ids = u64::try_from(count).unwrap_or(u64::MAX);
        let first = self.next_id.fetch_add(ids, Ordering::Relaxed);
        let most = asks.iter().map(Ask::most_bytes).max().unwrap_or(0);
        let outcome = match self.http.post(wire::write(asks, first), most).await {
            Ok(reply) => self.read(&reply, first, count),
            Err(trouble) => Err(trouble.into()),
        };
        let fault = outcome.as_ref().err();
        let label = fault.map_or("answered", |fault| fault.trouble.label());
        metrics::counter!(
            "deedbox_rpc_requests_total",
            "chain" => self.chain.to_string(), "endpoint" => self.id.to_string(), "outcome" => label
        )
        .increment(1);
        outcome
    }

    fn read(&self, reply: &Reply, first: u64, count: usize) -> Result<Vec<Heard>, Fault> {
        let wait = self.retry_after(reply);
        let fault = |error| Fault {
            trouble: classify::error(reply.status, wait, &error),
            status: Some(reply.status),
            words: Some(Box::new(error)),
        };
        match wire::read(&reply.body, first, count) {
            Ok(wire::Reply::Each(outcomes)) => {
                Ok(outcomes.into_iter().map(|o| o.map_err(fault)).collect())
            }
            // One error for a batch means that it takes none, unless it says something else.
            Ok(wire::Reply::Whole(error)) => match fault(error) {
                Fault {
                    trouble: Trouble::Internal | Trouble::BadParams | Trouble::MethodMissing,
                    ..
                } if count > 1 => Err(Trouble::BatchRefused { at_most: None }.into()),
                fault => Err(fault),
            },
            Err(malformed) => Err(Fault {
                trouble: match classify::page(reply.status, wait, &reply.body) {
                    Some(Trouble::BadParams) if count > 1 => {
                        Trouble::BatchRefused { at_most: None }
                    }
                    page => page.unwrap_or(malformed.into()),
                },
                status: Some(reply.status),
                words: None,
            }),
        }
    }

    fn retry_after(&self, reply: &Reply) -> Option<Duration> {
        let value = reply.retry_after.as_deref()?;
        classify::retry_after(value, self.world.now())
    }

    fn random(&self) -> u64 {
        let mut bytes = [0; 8];
        self.world.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }
}
