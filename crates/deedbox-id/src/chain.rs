//! The number of an EVM chain.

use std::{fmt, str::FromStr};

use crate::{Error, U256, decimal, error::code};

/// An EIP-155 chain id: any number from 1 to 2^256-1, printed in decimal.
///
/// 0 is no chain. CAIP-10 texts use it for "an account on whatever chain"; ERC-7930 writes that by leaving the
/// chain out, because a minimal encoding without leading zeros has no bytes for zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvmChain(U256);

impl EvmChain {
    /// Ethereum itself.
    pub const MAINNET: Self = Self(U256::ONE);

    /// Takes a chain id.
    ///
    /// # Errors
    /// [`ZERO_CHAIN`](code::ZERO_CHAIN) for 0.
    pub fn new(id: U256) -> Result<Self, Error> {
        if id.is_zero() {
            let message = "found chain 0, expected the id of a chain; for an address on no chain in particular leave the chain out";
            return Err(Error::new(0, code::ZERO_CHAIN, message));
        }
        Ok(Self(id))
    }

    /// The chain id.
    #[must_use]
    pub fn get(self) -> U256 {
        self.0
    }

    /// The chain id if it fits 64 bits, as that of every chain in use does.
    #[must_use]
    pub fn to_u64(self) -> Option<u64> {
        u64::try_from(self.0).ok()
    }
}

impl TryFrom<u64> for EvmChain {
    type Error = Error;
    fn try_from(id: u64) -> Result<Self, Error> {
        Self::new(U256::from(id))
    }
}

impl fmt::Display for EvmChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for EvmChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EvmChain({self})")
    }
}

impl FromStr for EvmChain {
    type Err = Error;

    /// Reads a chain id in decimal, without leading zeros (CAIP-350, namespace `eip155`).
    ///
    /// # Errors
    /// Those of [`decimal::parse`] and [`EvmChain::new`].
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::new(decimal::parse(text)?)
    }
}
