//! Every chain that is configured.

use std::sync::Arc;

use deedbox_core::{EndpointId, Reading, World};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{BadConfig, ChainConfig, Code, ReadError, Request};

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

/// Every chain that is configured, ready to be read.
#[derive(Debug)]
pub struct Chains {
    configs: Vec<ChainConfig>,
    world: Arc<dyn World>,
}

impl Chains {
    /// Takes what an operator says. Connects to nothing.
    ///
    /// # Errors
    /// [`BadConfig`], naming the chain and the endpoint.
    pub fn new(configs: Vec<ChainConfig>, world: Arc<dyn World>) -> Result<Self, BadConfig> {
        Ok(Self { configs, world })
    }

    /// Takes a reading. Everything in it was read at one block of one chain, through one endpoint.
    ///
    /// # Errors
    /// [`ReadError`]: then nothing is known.
    pub async fn read(&self, request: &Request) -> Result<Reading, ReadError> {
        tracing::debug!(now = %self.world.now(), chain = request.chain_id(), "read");
        std::future::ready(Err(ReadError::new(
            Code::ChainNotConfigured,
            "not built yet",
        )))
        .await
    }

    /// What is configured, by chain id, with the heads as they are now. Asks each chain's endpoints for them.
    pub async fn list(&self) -> Vec<ChainStatus> {
        let known = |chain: &ChainConfig| ChainStatus {
            chain_id: chain.id,
            name: chain.name.clone(),
            native_symbol: chain.native_symbol.clone(),
            native_decimals: chain.native_decimals,
            endpoints: Vec::new(),
        };
        std::future::ready(self.configs.iter().map(known).collect()).await
    }
}
