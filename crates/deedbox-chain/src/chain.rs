//! One chain with its endpoints: which of them is asked next, and what becomes of their failures.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deedbox_core::{ReadProvenance, World, evidence::Source};
use futures::future::join_all;
use tokio::time::Instant;

use crate::{
    BadConfig, Block, ChainConfig, ChainStatus, Code, ReadError,
    chains::EndpointStatus,
    rpc::{at::At, block, endpoint::Endpoint, failover, line::Turn, pinned::BlockHead},
};

/// How long [`Chain::status`] waits for heads, the second in line included.
const LIST_DEADLINE: Duration = Duration::from_secs(3);

/// One chain with its endpoints, which stand in the order of its configuration.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) config: ChainConfig,
    pub(crate) endpoints: Vec<Endpoint>,
}

/// Why an endpoint has no answer.
#[derive(Debug)]
pub(crate) struct Failed {
    error: ReadError,
    /// Whether it had found the block before.
    had_block: bool,
}

impl From<ReadError> for Failed {
    fn from(error: ReadError) -> Self {
        Self {
            error,
            had_block: false,
        }
    }
}

impl Chain {
    pub(crate) fn new(config: ChainConfig, world: &Arc<dyn World>) -> Result<Self, BadConfig> {
        let endpoints = config.endpoints.iter().map(|endpoint| {
            Endpoint::new(config.id, endpoint, Arc::clone(world))
                .map_err(|reason| BadConfig::endpoint(config.id, &endpoint.id, reason))
        });
        let endpoints = endpoints.collect::<Result<_, _>>()?;
        Ok(Self { config, endpoints })
    }

    /// What `ask` makes of the first endpoint that can answer, within `deadline`. When none can, the most telling of their failures,
    /// as if they had been asked about `block`.
    pub(crate) async fn one_of<'a, T, F: Future<Output = Result<T, Failed>>>(
        &'a self,
        deadline: Duration,
        block: Block,
        ask: impl Fn(&'a Endpoint) -> F,
    ) -> Result<T, ReadError> {
        let failures = Mutex::new(Vec::new());
        let answer = self.in_turn(block, &failures, ask);
        match tokio::time::timeout(deadline, answer).await {
            Ok(answer) => answer,
            Err(_) => {
                let failures = failures
                    .into_inner()
                    .unwrap_or_else(PoisonError::into_inner);
                let late = format!("no answer within {} ms", deadline.as_millis());
                let earlier = failures
                    .into_iter()
                    .map(|failure: ReadError| failure.message);
                let messages: Vec<_> = earlier.chain([late]).collect();
                Err(ReadError::new(Code::Timeout, messages.join("; ")))
            }
        }
    }

    async fn in_turn<'a, T, F: Future<Output = Result<T, Failed>>>(
        &'a self,
        block: Block,
        failures: &Mutex<Vec<ReadError>>,
        ask: impl Fn(&'a Endpoint) -> F,
    ) -> Result<T, ReadError> {
        for endpoint in failover::order(&self.endpoints, Instant::now()) {
            match ask(endpoint).await {
                Err(Failed { error, had_block }) => {
                    if !failover::is_the_endpoints(error.code) {
                        return Err(error);
                    }
                    let error = if had_block {
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
                Ok(answer) => return Ok(answer),
            }
        }
        let failures = failures.lock().unwrap_or_else(PoisonError::into_inner);
        Err(self.verdict(&failures, block))
    }

    /// One error for all `failures`.
    pub(crate) fn verdict(&self, failures: &[ReadError], block: Block) -> ReadError {
        let heads = self.endpoints.iter().filter_map(|e| e.condition().head());
        failover::verdict(failures, block, heads.max())
    }

    /// What `read` makes of one endpoint at `block`, with where it was read; see [`Chain::one_of`].
    pub(crate) async fn pinned<'a, T, F: Future<Output = Result<T, ReadError>>>(
        &'a self,
        deadline: Duration,
        block: Block,
        read: impl Fn(At<'a>) -> F,
    ) -> Result<(ReadProvenance, T), ReadError> {
        let read = &read;
        let at_one = |endpoint: &'a Endpoint| async move {
            let head = block::find(endpoint, block).await?;
            let multicall = self.config.multicall.map(|at| at.0.into());
            let data = read(At::new(endpoint, head, multicall)).await;
            let data = data.map_err(|error| Failed {
                error,
                had_block: true,
            })?;
            Ok((self.provenance(&head, endpoint), data))
        };
        self.one_of(deadline, block, at_one).await
    }

    fn provenance(&self, head: &BlockHead, endpoint: &Endpoint) -> ReadProvenance {
        ReadProvenance {
            chain_id: self.config.id,
            block_number: head.number,
            block_hash: head.hash,
            block_timestamp: head.timestamp,
            source: Source::Rpc,
            endpoint_id: endpoint.id.clone(),
        }
    }

    /// What is known of it, with its endpoints' heads as they are now.
    pub(crate) async fn status(&self) -> ChainStatus {
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
