//! The contract that a token's number belongs to.

use std::{fmt, str::FromStr};

use crate::{
    Address, EvmChain, InteropAddress, Reach,
    error::{Error, code},
};

/// An interoperable address that names both a chain and a contract on it.
///
/// ERC-7930 also allows either alone. ERC-8127 says of a registry that it includes both, so the other two forms
/// are no registries here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Registry(InteropAddress);

impl Registry {
    /// A contract on an EVM chain.
    #[must_use]
    pub fn evm(chain: EvmChain, contract: Address) -> Self {
        Self(InteropAddress::evm(chain, contract))
    }

    /// The registry as an interoperable address.
    #[must_use]
    pub fn as_interop(&self) -> &InteropAddress {
        &self.0
    }

    /// The interoperable address.
    #[must_use]
    pub fn into_interop(self) -> InteropAddress {
        self.0
    }
}

impl TryFrom<InteropAddress> for Registry {
    type Error = Error;

    /// # Errors
    /// [`CHAIN_MISSING`](code::CHAIN_MISSING) and [`ADDRESS_MISSING`](code::ADDRESS_MISSING), with
    /// [`Error::at`] counting the address's bytes.
    fn try_from(address: InteropAddress) -> Result<Self, Error> {
        match address.reach() {
            Reach::AddressOnChain => Ok(Self(address)),
            Reach::Address => {
                let message = "found an address without a chain, expected the registry's chain too";
                Err(Error::new(4, code::CHAIN_MISSING, message))
            }
            Reach::Chain => {
                let message =
                    "found a chain without an address, expected the registry's contract too";
                let at = 5 + address.chain_reference().len();
                Err(Error::new(at, code::ADDRESS_MISSING, message))
            }
        }
    }
}

impl fmt::Display for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Registry {
    type Err = Error;

    /// Reads lower-case hex (ERC-8127: the registry *must* be in lower case).
    ///
    /// # Errors
    /// Those of [`InteropAddress`], [`CHAIN_MISSING`](code::CHAIN_MISSING) and
    /// [`ADDRESS_MISSING`](code::ADDRESS_MISSING).
    fn from_str(text: &str) -> Result<Self, Error> {
        let address: InteropAddress = text.parse()?;
        Self::try_from(address).map_err(|error| {
            let at = error.at();
            error.shifted(2 + at)
        })
    }
}
