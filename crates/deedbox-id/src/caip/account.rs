//! CAIP-10.

use std::str::FromStr;

use super::{
    ChainId,
    chain::{end_of_chain, evm_chain_of},
    one_text,
    scan::ACCOUNT_ADDRESS,
};
use crate::{
    Address, EvmChain,
    error::{Error, code},
    hex,
};

/// A CAIP-10 account: `namespace:reference:address`.
///
/// Its case is kept and compared: whether two spellings are one account is for the namespace to say. For EVM
/// accounts, [`AccountId::evm_address`] checks and compares, and [`AccountId::to_lower_case_hex`] normalises.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId {
    text: Box<str>,
    chain_end: usize,
}

one_text!(AccountId);

impl AccountId {
    /// The chain, as the CAIP-2 text at the start.
    #[must_use]
    pub fn chain(&self) -> &str {
        &self.text[..self.chain_end]
    }

    /// The chain.
    #[must_use]
    pub fn chain_id(&self) -> ChainId {
        ChainId::from_checked(self.chain())
    }

    /// The account's address, in the namespace's own spelling.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.text[self.chain_end + 1..]
    }

    /// The EVM chain of the account.
    ///
    /// # Errors
    /// As for [`ChainId::evm_chain`]. CAIP-10 allows `eip155:0:…` for an account on no chain in particular;
    /// that is [`ZERO_CHAIN`](code::ZERO_CHAIN).
    pub fn evm_chain(&self) -> Result<EvmChain, Error> {
        evm_chain_of(self.chain())
    }

    /// The EVM address, with its EIP-55 checksum checked if it has one.
    ///
    /// # Errors
    /// [`WRONG_NAMESPACE`](code::WRONG_NAMESPACE) when the chain is not an `eip155` one, and those of
    /// [`Address::parse`].
    pub fn evm_address(&self) -> Result<Address, Error> {
        if !self.text.starts_with("eip155:") {
            let message = "found another namespace, expected eip155, that of EVM accounts";
            return Err(Error::new(0, code::WRONG_NAMESPACE, message));
        }
        let address = self.address().parse::<Address>();
        address.map_err(|error| error.shifted(self.chain_end + 1))
    }

    /// Byte offset of the first upper-case hex digit after `0x`, if there is one (ERC-8257 §2 allows none).
    #[must_use]
    pub fn first_upper_case_hex_digit(&self) -> Option<usize> {
        hex::first_upper_case_digit(&self.text)
    }

    /// The same account with its EVM address in lower case; accounts of other namespaces as they are.
    #[must_use]
    pub fn to_lower_case_hex(&self) -> Self {
        let mut account = self.clone();
        if account.text.starts_with("eip155:") && self.address().starts_with("0x") {
            account.text[self.chain_end + 1..].make_ascii_lowercase();
        }
        account
    }
}

impl FromStr for AccountId {
    type Err = Error;

    /// # Errors
    /// [`CHARACTER`](code::CHARACTER), [`MISSING_PART`](code::MISSING_PART), [`TOO_SHORT`](code::TOO_SHORT) and
    /// [`TOO_LONG`](code::TOO_LONG).
    fn from_str(text: &str) -> Result<Self, Error> {
        let chain_end = end_of_chain(text, b":", false)?;
        ACCOUNT_ADDRESS.end(text, chain_end + 1, b"", true)?;
        Ok(Self {
            text: text.into(),
            chain_end,
        })
    }
}
