//! What an operator says about a chain and its endpoints.

use std::{collections::BTreeSet, fmt, num::NonZeroU32, time::Duration};

use deedbox_core::{EndpointId, evidence::MAX_EXACT};
use deedbox_id::Address;

/// A chain that may be read.
#[derive(Clone, Debug)]
pub struct ChainConfig {
    /// Its id (EIP-155), 1 to 2^53 - 1.
    pub id: u64,
    /// What people call it.
    pub name: String,
    /// The symbol of its native currency, like `ETH`.
    pub native_symbol: String,
    /// How many decimals its native currency has: 18 on nearly every chain.
    pub native_decimals: u8,
    /// Where Multicall3 stands; none where there is none, and then calls are made one by one or in batches.
    pub multicall: Option<Address>,
    /// How many blocks below the newest one a block is taken for final, where an endpoint does not say which one is; by default
    /// [`default_finality_depth`].
    pub finality_depth: Option<NonZeroU32>,
    /// Its endpoints, the preferred one first. At least one.
    pub endpoints: Vec<EndpointConfig>,
}

/// Multicall3 on nearly every chain.
pub const MULTICALL3: Address = Address([
    0xca, 0x11, 0xbd, 0xe0, 0x59, 0x77, 0xb3, 0x63, 0x11, 0x67, 0x02, 0x88, 0x62, 0xbe, 0x2a, 0x17,
    0x39, 0x76, 0xca, 0x11,
]);

/// [`ChainConfig::finality_depth`] where nothing is configured. Deep rather than shallow: what is final too late costs a few comparisons more, and what
/// is final too early is never taken back.
#[must_use]
pub const fn default_finality_depth(chain_id: u64) -> u64 {
    match chain_id {
        // Ethereum, Gnosis and their test networks: a block is final when two more epochs are justified, of 32 slots at most.
        1 | 100 | 10_200 | 17_000 | 560_048 | 11_155_111 => 96,
        // Arbitrum, four blocks a second: half an hour, in which a batch is posted on Ethereum and becomes final there.
        42_161 | 42_170 | 421_614 => 7_200,
        // The same half hour where a block takes two seconds, as on most other chains that settle on Ethereum; and more than the 256 blocks after
        // which Polygon was taken for final.
        _ => 1_024,
    }
}

/// One JSON-RPC endpoint, with what it can bear.
#[derive(Clone, Debug)]
pub struct EndpointConfig {
    /// What answers call it. Never its URL.
    pub id: EndpointId,
    /// Where it is.
    pub url: Secret,
    /// Headers that it wants, like an API key. Their values are secrets.
    pub headers: Vec<(String, Secret)>,
    /// Certificates (PEM) that are trusted besides the system's.
    pub ca_pem: Option<Vec<u8>>,
    /// Requests in flight at once.
    pub max_concurrent: NonZeroU32,
    /// Reads that may wait for a turn; more are refused with [`Busy`](crate::Code::Busy).
    pub max_waiting: u32,
    /// Calls in one batch; 1 for an endpoint that takes none.
    pub max_batch: NonZeroU32,
    /// Blocks in one `eth_getLogs`, when known; otherwise found out by asking.
    pub max_log_blocks: Option<NonZeroU32>,
    /// How long one HTTP request may take.
    pub timeout: Duration,
    /// How large one answer may be, in bytes. A transaction's receipt, and the logs of one block, may have 64 MiB all the
    /// same: they cannot be asked for in parts.
    pub max_body: usize,
    /// How often one request is tried at this endpoint, the first time included.
    pub attempts: NonZeroU32,
}

impl EndpointConfig {
    /// An endpoint with limits that most bear.
    #[must_use]
    pub fn new(id: EndpointId, url: Secret) -> Self {
        const fn number(n: u32) -> NonZeroU32 {
            NonZeroU32::MIN.saturating_add(n - 1)
        }
        Self {
            id,
            url,
            headers: Vec::new(),
            ca_pem: None,
            max_concurrent: number(16),
            max_waiting: 512,
            max_batch: number(20),
            max_log_blocks: None,
            timeout: Duration::from_secs(10),
            max_body: 8 * 1024 * 1024,
            attempts: number(3),
        }
    }
}

/// A URL or a header's value. May hold a key, so it does not print.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps `text`; whether it is a URL is found out by [`Chains::new`](crate::Chains::new).
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the one place that connects.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What an operator said that cannot be used. Repeats no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadConfig {
    /// Something about a chain.
    #[error("chain {chain}: {reason}")]
    Chain {
        /// Which.
        chain: u64,
        /// What is wrong.
        reason: String,
    },
    /// Something about an endpoint.
    #[error("chain {chain}, endpoint {endpoint}: {reason}")]
    Endpoint {
        /// Of which chain.
        chain: u64,
        /// Which.
        endpoint: EndpointId,
        /// What is wrong.
        reason: String,
    },
}

impl BadConfig {
    pub(crate) fn chain(chain: u64, reason: impl Into<String>) -> Self {
        Self::Chain {
            chain,
            reason: reason.into(),
        }
    }

    pub(crate) fn endpoint(chain: u64, id: &EndpointId, reason: impl Into<String>) -> Self {
        Self::Endpoint {
            chain,
            endpoint: id.clone(),
            reason: reason.into(),
        }
    }
}

impl ChainConfig {
    /// How many blocks below the newest one a block is taken for final, where an endpoint does not say which one is.
    pub(crate) fn finality_depth(&self) -> u64 {
        self.finality_depth.map_or_else(
            || default_finality_depth(self.id),
            |depth| depth.get().into(),
        )
    }

    /// What can be said about it without building anything.
    pub(crate) fn check(&self) -> Result<(), BadConfig> {
        if !(1..=MAX_EXACT).contains(&self.id) {
            return Err(BadConfig::chain(
                self.id,
                "its id is not between 1 and 2^53 - 1",
            ));
        }
        if self.endpoints.is_empty() {
            return Err(BadConfig::chain(self.id, "it has no endpoint"));
        }
        let mut ids = BTreeSet::new();
        for endpoint in &self.endpoints {
            let bad = |reason| Err(BadConfig::endpoint(self.id, &endpoint.id, reason));
            if !ids.insert(&endpoint.id) {
                return bad("another endpoint of the chain has the same id");
            }
            if endpoint.timeout.is_zero() {
                return bad("its time-out is zero");
            }
            if endpoint.max_body == 0 {
                return bad("its largest answer is zero bytes");
            }
        }
        Ok(())
    }
}
