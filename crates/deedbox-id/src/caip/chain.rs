//! CAIP-2.

use std::str::FromStr;

use super::{
    one_text,
    scan::{CHAIN_NAMESPACE, CHAIN_REFERENCE},
};
use crate::{
    EvmChain,
    error::{Error, code},
};

/// A CAIP-2 chain: `namespace:reference`, for example `eip155:8453`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainId {
    text: Box<str>,
    colon: usize,
}

one_text!(ChainId);

impl ChainId {
    /// What comes before the colon, for example `eip155`.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.text[..self.colon]
    }

    /// What comes after it, for example `8453`.
    #[must_use]
    pub fn reference(&self) -> &str {
        &self.text[self.colon + 1..]
    }

    /// The EVM chain that this names.
    ///
    /// # Errors
    /// [`WRONG_NAMESPACE`](code::WRONG_NAMESPACE) when it is not `eip155`, and those of [`EvmChain::from_str`].
    pub fn evm_chain(&self) -> Result<EvmChain, Error> {
        evm_chain_of(&self.text)
    }

    /// The part of a longer text that was checked to be a chain.
    pub(super) fn from_checked(text: &str) -> Self {
        Self {
            text: text.into(),
            colon: text.find(':').unwrap_or(text.len() - 1),
        }
    }
}

/// The end of a chain in a text that starts with one, and that goes on with `ends` or, with `or_end`, may end.
pub(super) fn end_of_chain(text: &str, ends: &[u8], or_end: bool) -> Result<usize, Error> {
    let colon = CHAIN_NAMESPACE.end(text, 0, b":", false)?;
    CHAIN_REFERENCE.end(text, colon + 1, ends, or_end)
}

/// Reads the EVM chain from a checked CAIP-2 text.
pub(super) fn evm_chain_of(chain: &str) -> Result<EvmChain, Error> {
    let Some(reference) = chain.strip_prefix("eip155:") else {
        let message = "found another namespace, expected eip155, that of EVM chains";
        return Err(Error::new(0, code::WRONG_NAMESPACE, message));
    };
    reference
        .parse::<EvmChain>()
        .map_err(|error| error.shifted(7))
}

impl TryFrom<EvmChain> for ChainId {
    type Error = Error;

    /// # Errors
    /// [`NOT_REPRESENTABLE`](code::NOT_REPRESENTABLE) for a chain id of more than 32 digits, the most that CAIP-2
    /// holds. The profile for eip155 would cut it; the rest would be the id of another chain.
    fn try_from(chain: EvmChain) -> Result<Self, Error> {
        format!("eip155:{chain}").parse().map_err(|_| {
            let message = format!(
                "found chain id {chain}, CAIP-2 holds at most 32 digits; keep it in its ERC-7930 form"
            );
            Error::new(0, code::NOT_REPRESENTABLE, message)
        })
    }
}

impl FromStr for ChainId {
    type Err = Error;

    /// # Errors
    /// [`CHARACTER`](code::CHARACTER), [`MISSING_PART`](code::MISSING_PART), [`TOO_SHORT`](code::TOO_SHORT) and
    /// [`TOO_LONG`](code::TOO_LONG).
    fn from_str(text: &str) -> Result<Self, Error> {
        end_of_chain(text, b"", true)?;
        Ok(Self::from_checked(text))
    }
}
