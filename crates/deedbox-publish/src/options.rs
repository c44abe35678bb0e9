//! How somebody wants it done.

use std::time::Duration;

use alloy_primitives::U256;

/// How a change is published. [`Options::default`] is what most want.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Stop before signing: check, simulate, and show what would be sent.
    pub dry_run: bool,
    /// The most that the whole transaction may cost, in wei of the chain's native currency; none: what the market asks.
    pub max_fee: Option<U256>,
    /// How many blocks have to hold the change, its own included, before it counts as done. At least 1.
    pub confirmations: u64,
    /// How long to wait for that. Afterwards the publication stays open, and can be resumed.
    pub wait: Duration,
    /// How often the chain is asked in the meantime.
    pub poll: Duration,
    /// Register a tool although its predicate has no code yet (ERC-8257, rule 8257-zero-07): it denies everybody until it has.
    pub predicate_without_code: bool,
    /// When resuming: sign the same change once more with fees that are at least 12.5% higher, under the same nonce. Needs a signer.
    pub raise_fee: bool,
}

impl Options {
    /// How many blocks have to hold a change unless something else is said.
    pub const CONFIRMATIONS: u64 = 1;
    /// How long a transaction is waited for unless something else is said.
    pub const WAIT: Duration = Duration::from_secs(300);
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dry_run: false,
            max_fee: None,
            confirmations: Self::CONFIRMATIONS,
            wait: Self::WAIT,
            poll: Duration::from_secs(2),
            predicate_without_code: false,
            raise_fee: false,
        }
    }
}
