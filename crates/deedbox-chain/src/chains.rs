//! Every chain that is configured.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deedbox_core::{EndpointId, ReadProvenance, Reading, World, evidence::Source};
use futures::future::join_all;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::Instant;

use crate::{
    BadConfig, ChainConfig, Code, ReadError, Request, readings,
    request::Checked,
    rpc::{at::At, block, endpoint::Endpoint, failover, line::Turn, pinned::BlockHead},
};

/// What is known of a configured chain: never a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChainStatus {
    /// Its id.
    pub chain_id: u64,
    /// What people call it.
    pub name: String,
    /// The symbol of its native currency.
    pub native_symbol: String,
    /// The decimals of its native currency.
    pub native_decimals: u8,
    /// Its endpoints, the preferred one first.
    pub endpoints: Vec<EndpointStatus>,
}

/// What is known of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EndpointStatus {
    /// What answers call it.
    pub endpoint_id: EndpointId,
    /// Whether it can be used at the moment.
    pub health: Health,
    /// Why it cannot be used; null when it can, and when it was not asked yet.
    pub reason: Option<Reason>,
    /// The highest block that it is known to have; null when it never answered.
    pub head: Option<u64>,
}

/// Whether an endpoint can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// It was not asked yet.
    Unknown,
    /// It answered, and is on the right chain.
    Healthy,
    /// It does not answer, or not usefully; it is tried last until it does.
    Failing,
    /// It answers for another chain, and is not used.
    WrongChain,
}

/// Why an endpoint cannot be used at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// There is no connection, or it broke.
    CannotBeReached,
    /// Its certificate is not trusted.
    CertificateNotTrusted,
    /// It does not answer in time.
    Timeout,
    /// What it answers is no JSON-RPC, or not what was asked.
    AnswerNotReadable,
    /// It says that it was asked too often.
    RateLimited,
    /// It refuses its key, or its plan does not include what is asked.
    Unauthorized,
    /// It reports an error of its own.
    InternalError,
    /// It answers for another chain: the configuration names the wrong endpoint.
    WrongChain,
}

/// How long a read may take.
const DEADLINE: Duration = Duration::from_secs(25);
/// How long [`Chains::list`] waits for heads, the second in line included.
const LIST_DEADLINE: Duration = Duration::from_secs(3);

/// Every chain that is configured, ready to be read.
#[derive(Debug)]
pub struct Chains {
    chains: BTreeMap<u64, Chain>,
    deadline: Duration,
}

/// One chain with its endpoints, which stand in the order of its configuration.
#[derive(Debug)]
struct Chain {
    config: ChainConfig,
    endpoints: Vec<Endpoint>,
}

impl Chains {
    /// Takes what an operator says. Connects to nothing.
    ///
    /// # Errors
    /// [`BadConfig`], naming the chain and the endpoint.
    pub fn new(configs: Vec<ChainConfig>, world: Arc<dyn World>) -> Result<Self, BadConfig> {
        let mut chains = BTreeMap::new();
        for config in configs {
            config.check()?;
            let id = config.id;
            let chain = Chain::new(config, &world)?;
            if chains.insert(id, chain).is_some() {
                return Err(BadConfig::chain(id, "is there twice"));
            }
        }
        Ok(Self {
            chains,
            deadline: DEADLINE,
        })
    }

    /// The same with another limit to how long one read may take; 25 seconds otherwise.
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Takes a reading. Everything in it was read at one block of one chain, through one endpoint.
    ///
    /// The endpoints are asked in the order of the configuration, those that failed lately last; when one cannot answer, the
    /// whole answer is begun anew at the next. When none can, the error is the most telling one, in this order: reorged,
    /// lagging, rate limited, busy, timeout, unavailable, then what no retry helps: no archive, range too large; block
    /// not found only when all say so, and wrong chain when all are. Its message names what happened at which
    /// endpoint. Nothing goes on after the future is dropped.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn read(&self, request: &Request) -> Result<Reading, ReadError> {
        let checked = request.check()?;
        let id = request.chain_id();
        let chain = self.chains.get(&id).ok_or_else(|| {
            ReadError::new(
                Code::ChainNotConfigured,
                format!(
                    "chain {id} is not configured here; list_chains (deedbox read chains) says which are"
                ),
            )
        })?;
        let failures = Mutex::new(Vec::new());
        let answer = chain.read(request, &checked, &failures);
        match tokio::time::timeout(self.deadline, answer).await {
            Ok(answer) => answer,
            Err(_) => {
                let failures = failures
                    .into_inner()
                    .unwrap_or_else(PoisonError::into_inner);
                let late = format!("no answer within {} ms", self.deadline.as_millis());
                let earlier = failures.into_iter().map(|failure| failure.message);
                let messages: Vec<_> = earlier.chain([late]).collect();
                Err(ReadError::new(Code::Timeout, messages.join("; ")))
            }
        }
    }

    /// What is configured of the chains that are `wanted`, by chain id, with the heads as they are now. Asks those chains' endpoints
    /// for them, all at once and for a few seconds at most, and no others.
    pub async fn list(&self, wanted: impl Fn(u64) -> bool) -> Vec<ChainStatus> {
        let chains = self.chains.values().filter(|chain| wanted(chain.config.id));
        join_all(chains.map(Chain::status)).await
    }

    /// HTTP requests that were sent to endpoints so far, also those that failed.
    #[must_use]
    pub fn requests_sent(&self) -> u64 {
        let endpoints = self.chains.values().flat_map(|chain| &chain.endpoints);
        endpoints.map(Endpoint::sent).sum()
    }
}

impl Chain {
    fn new(config: ChainConfig, world: &Arc<dyn World>) -> Result<Self, BadConfig> {
        let endpoints = config.endpoints.iter().map(|endpoint| {
            Endpoint::new(config.id, endpoint, Arc::clone(world))
                .map_err(|reason| BadConfig::endpoint(config.id, &endpoint.id, reason))
        });
        let endpoints = endpoints.collect::<Result<_, _>>()?;
        Ok(Self { config, endpoints })
    }

    async fn read(
        &self,
        request: &Request,
        checked: &Checked,
        failures: &Mutex<Vec<ReadError>>,
    ) -> Result<Reading, ReadError> {
        for endpoint in failover::order(&self.endpoints, Instant::now()) {
            let found = block::find(endpoint, request.block()).await;
            let was_found = found.is_ok();
            let answer = match found {
                Ok(head) => self.read_at(endpoint, head, request, checked).await,
                Err(error) => Err(error),
            };
            match answer {
                Err(error) if failover::is_the_endpoints(error.code) => {
                    let error = if was_found {
                        failover::once_found(error)
                    } else {
                        error
                    };
                    tracing::debug!(chain = self.config.id, endpoint = %endpoint.id, code = %error.code, "endpoint could not answer");
                    failures
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(error);
                }
                answer => return answer,
            }
        }
        let failures = failures.lock().unwrap_or_else(PoisonError::into_inner);
        let highest = self
            .endpoints
            .iter()
            .filter_map(|e| e.condition().head())
            .max();
        Err(failover::verdict(&failures, request.block(), highest))
    }

    async fn read_at(
        &self,
        endpoint: &Endpoint,
        head: BlockHead,
        request: &Request,
        checked: &Checked,
    ) -> Result<Reading, ReadError> {
        let multicall = self.config.multicall.map(|at| at.0.into());
        let at = At::new(endpoint, head, multicall);
        Ok(Reading {
            tool: request.tool(),
            arguments: checked.arguments(),
            data: readings::data(checked, &self.config, &at).await?,
            provenance: ReadProvenance {
                chain_id: self.config.id,
                block_number: head.number,
                block_hash: head.hash,
                block_timestamp: head.timestamp,
                source: Source::Rpc,
                endpoint_id: endpoint.id.clone(),
            },
        })
    }

    async fn status(&self) -> ChainStatus {
        let endpoints = self.endpoints.iter().map(|endpoint| async {
            // What goes wrong shows in its health.
            let head = block::head(endpoint, Turn::Soon);
            if tokio::time::timeout(LIST_DEADLINE, head).await.is_err() {
                endpoint.too_slow();
            }
            let condition = endpoint.condition();
            EndpointStatus {
                endpoint_id: endpoint.id.clone(),
                health: condition.health(),
                reason: condition.reason(),
                head: condition.head(),
            }
        });
        ChainStatus {
            chain_id: self.config.id,
            name: self.config.name.clone(),
            native_symbol: self.config.native_symbol.clone(),
            native_decimals: self.config.native_decimals,
            endpoints: join_all(endpoints).await,
        }
    }
}
