//! CAIP-19.

use std::str::FromStr;

use super::{
    ChainId,
    chain::{end_of_chain, evm_chain_of},
    one_text,
    scan::{ASSET_NAMESPACE, ASSET_REFERENCE, TOKEN_ID},
};
use crate::{
    Address, EvmChain,
    error::{Error, code},
    hex,
};

/// A CAIP-19 asset: a type, `chain/namespace:reference`, or one token of it, `chain/namespace:reference/token`.
///
/// Its case is kept and compared, as for [`AccountId`](super::AccountId).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Asset {
    text: Box<str>,
    cut: Cut,
}

/// Where the parts of an asset's text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Cut {
    pub(crate) chain_end: usize,
    pub(crate) namespace_end: usize,
    pub(crate) reference_end: usize,
}

impl Cut {
    /// Finds the parts, or what is wrong.
    pub(crate) fn of(text: &str) -> Result<Self, Error> {
        let chain_end = end_of_chain(text, b"/", false)?;
        let namespace_end = ASSET_NAMESPACE.end(text, chain_end + 1, b":", false)?;
        let reference_end = ASSET_REFERENCE.end(text, namespace_end + 1, b"/", true)?;
        if reference_end < text.len() {
            TOKEN_ID.end(text, reference_end + 1, b"", true)?;
        }
        Ok(Self {
            chain_end,
            namespace_end,
            reference_end,
        })
    }

    pub(crate) fn chain<'a>(&self, text: &'a str) -> &'a str {
        &text[..self.chain_end]
    }

    pub(crate) fn namespace<'a>(&self, text: &'a str) -> &'a str {
        &text[self.chain_end + 1..self.namespace_end]
    }

    pub(crate) fn reference<'a>(&self, text: &'a str) -> &'a str {
        &text[self.namespace_end + 1..self.reference_end]
    }

    pub(crate) fn token_id<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.get(self.reference_end + 1..)
    }

    pub(crate) fn evm_chain(&self, text: &str) -> Result<EvmChain, Error> {
        evm_chain_of(self.chain(text))
    }

    pub(crate) fn evm_contract(&self, text: &str) -> Result<Address, Error> {
        let contract = self.reference(text).parse::<Address>();
        contract.map_err(|error| error.shifted(self.namespace_end + 1))
    }
}

one_text!(Asset);

impl Asset {
    /// The chain, as the CAIP-2 text at the start.
    #[must_use]
    pub fn chain(&self) -> &str {
        self.cut.chain(&self.text)
    }

    /// The chain.
    #[must_use]
    pub fn chain_id(&self) -> ChainId {
        ChainId::from_checked(self.chain())
    }

    /// The standard that the asset follows, for example `erc20` or `slip44`.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.cut.namespace(&self.text)
    }

    /// The asset within its namespace, for example a contract's address.
    #[must_use]
    pub fn reference(&self) -> &str {
        self.cut.reference(&self.text)
    }

    /// One token of the type, if one is named.
    #[must_use]
    pub fn token_id(&self) -> Option<&str> {
        self.cut.token_id(&self.text)
    }

    /// The type, without a token id.
    #[must_use]
    pub fn to_type(&self) -> Self {
        Self {
            text: self.text[..self.cut.reference_end].into(),
            cut: self.cut,
        }
    }

    /// The EVM chain of the asset.
    ///
    /// # Errors
    /// As for [`ChainId::evm_chain`].
    pub fn evm_chain(&self) -> Result<EvmChain, Error> {
        self.cut.evm_chain(&self.text)
    }

    /// The EVM contract of the asset, with its EIP-55 checksum checked if it has one.
    ///
    /// # Errors
    /// [`WRONG_NAMESPACE`](code::WRONG_NAMESPACE) when the chain is not an `eip155` one, and those of
    /// [`Address::parse`]: `slip44:60`, for example, has no contract.
    pub fn evm_contract(&self) -> Result<Address, Error> {
        if !self.text.starts_with("eip155:") {
            let message = "found another namespace, expected eip155, that of EVM contracts";
            return Err(Error::new(0, code::WRONG_NAMESPACE, message));
        }
        self.cut.evm_contract(&self.text)
    }

    /// Byte offset of the first upper-case hex digit after `0x`, if there is one (ERC-8257 §2 allows none).
    #[must_use]
    pub fn first_upper_case_hex_digit(&self) -> Option<usize> {
        hex::first_upper_case_digit(&self.text)
    }

    /// The same asset with its EVM contract in lower case; assets of other namespaces, and token ids, as they are.
    #[must_use]
    pub fn to_lower_case_hex(&self) -> Self {
        let mut asset = self.clone();
        if asset.text.starts_with("eip155:") && self.reference().starts_with("0x") {
            asset.text[self.cut.namespace_end + 1..self.cut.reference_end].make_ascii_lowercase();
        }
        asset
    }
}

impl FromStr for Asset {
    type Err = Error;

    /// # Errors
    /// [`CHARACTER`](code::CHARACTER), [`MISSING_PART`](code::MISSING_PART), [`TOO_SHORT`](code::TOO_SHORT) and
    /// [`TOO_LONG`](code::TOO_LONG).
    fn from_str(text: &str) -> Result<Self, Error> {
        let cut = Cut::of(text)?;
        Ok(Self {
            text: text.into(),
            cut,
        })
    }
}
