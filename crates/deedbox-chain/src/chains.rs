//! Every chain that is configured.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use deedbox_core::{EndpointId, Reading, World};
use futures::future::join_all;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    BadConfig, Block, ChainConfig, Code, ReadError, Request,
    chain::Chain,
    events::Events,
    look::{Looked, Wanted},
    readings,
    rpc::{endpoint::Endpoint, pinned::Pinned as _},
    send::Sending,
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

/// What people call a chain and its currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Described<'a> {
    /// What people call it.
    pub name: &'a str,
    /// The symbol of its native currency.
    pub native_symbol: &'a str,
    /// The decimals of its native currency.
    pub native_decimals: u8,
}

/// How long a read may take.
const DEADLINE: Duration = Duration::from_secs(25);

/// Every chain that is configured, ready to be read.
#[derive(Debug)]
pub struct Chains {
    chains: BTreeMap<u64, Chain>,
    deadline: Duration,
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
        let chain = self.chain(request.chain_id())?;
        let (asked, config) = (&checked, &chain.config);
        let read = |at| async move { readings::data(asked, config, &at).await };
        let (provenance, data) = chain.pinned(self.deadline, request.block(), read).await?;
        Ok(Reading {
            tool: request.tool(),
            arguments: checked.arguments(),
            data,
            provenance,
        })
    }

    /// Looks at what is `wanted`, everything at one block of one chain, through one endpoint, as [`Chains::read`] does.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known. What a contract refuses is no error, but [`Said::Reverted`](crate::look::Said::Reverted).
    pub async fn look(
        &self,
        chain_id: u64,
        block: Block,
        wanted: Wanted,
    ) -> Result<Looked, ReadError> {
        let chain = self.chain(chain_id)?;
        let wanted = &wanted;
        let got = chain.pinned(self.deadline, block, |at| async move {
            at.get(wanted.clone()).await
        });
        let (provenance, got) = got.await?;
        Ok(Looked { provenance, got })
    }

    /// What changing the chain needs. Holds no key, and sends nothing by itself.
    ///
    /// # Errors
    /// [`Code::ChainNotConfigured`].
    pub fn sending(&self, chain_id: u64) -> Result<Sending<'_>, ReadError> {
        let chain = self.chain(chain_id)?;
        Ok(Sending::new(chain, self.deadline))
    }

    /// What following the chain needs.
    ///
    /// # Errors
    /// [`Code::ChainNotConfigured`].
    pub fn events(&self, chain_id: u64) -> Result<Events<'_>, ReadError> {
        let chain = self.chain(chain_id)?;
        Ok(Events::new(chain, self.deadline))
    }

    /// What people call the chain and its currency. Asks nobody.
    ///
    /// # Errors
    /// [`Code::ChainNotConfigured`].
    pub fn describe(&self, chain_id: u64) -> Result<Described<'_>, ReadError> {
        let config = &self.chain(chain_id)?.config;
        Ok(Described {
            name: &config.name,
            native_symbol: &config.native_symbol,
            native_decimals: config.native_decimals,
        })
    }

    fn chain(&self, id: u64) -> Result<&Chain, ReadError> {
        self.chains.get(&id).ok_or_else(|| {
            ReadError::new(
                Code::ChainNotConfigured,
                format!(
                    "chain {id} is not configured here; list_chains (deedbox read chains) says which are"
                ),
            )
        })
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

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;
    use deedbox_core::BlockHash;

    use super::*;
    use crate::{events::Range, send::Draft};

    /// Servers read from tasks that move between threads: checked when this is compiled.
    const _: fn(&Chains, &Request, &Draft, &Range) = {
        fn may_move(_: impl Send) {}
        fn from_chains(chains: &Chains, request: &Request, draft: &Draft, range: &Range) {
            may_move(chains.read(request));
            may_move(chains.look(1, Block::Latest, Wanted::default()));
            if let Ok(events) = chains.events(1) {
                may_move(events.heads());
                may_move(events.survey(&[1]));
                may_move(events.headers(&[1]));
                may_move(events.logs(range));
            }
            let Ok(sending) = chains.sending(1) else {
                return;
            };
            may_move(sending.account(draft.from));
            may_move(sending.simulate(draft));
            may_move(sending.fees());
            may_move(sending.broadcast(&draft.data));
            may_move(sending.whereabouts(B256::ZERO));
            may_move(sending.why_reverted(draft, 1));
            may_move(sending.head());
            may_move(sending.progress(draft.from, 1));
            may_move(sending.passing(draft.from, 1, 1));
            may_move(sending.is_canonical(1, BlockHash([0; 32])));
        }
        from_chains
    };
}
