//! What an address is, and what a contract's answer to one call means.

use alloy_primitives::{Address, Bytes, U256};

use crate::{Code, ReadError, UntrustedText, rpc::pinned::Said, text::MAX_BYTES};

/// What the code of an account begins with that delegates to a contract (EIP-7702).
const DELEGATION: [u8; 3] = [0xef, 0x01, 0x00];

/// What stands at an address, as its code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No code: an account, or nothing.
    NoCode,
    /// An account that delegates (EIP-7702).
    Delegated,
    /// A contract.
    Contract,
}

impl Kind {
    /// What has this code.
    #[must_use]
    pub fn of(code: &[u8]) -> Self {
        if code.is_empty() {
            Self::NoCode
        } else if code.len() == DELEGATION.len() + 20 && code.starts_with(&DELEGATION) {
            Self::Delegated
        } else {
            Self::Contract
        }
    }
}

/// Makes sure that a contract stands at the address of `argument`.
///
/// # Errors
/// [`NotAContract`](Code::NotAContract) and [`DelegatedAccount`](Code::DelegatedAccount).
pub(super) fn is_contract(code: &Bytes, argument: &str) -> Result<(), ReadError> {
    match Kind::of(code) {
        Kind::Contract => Ok(()),
        Kind::NoCode => Err(ReadError::new(
            Code::NotAContract,
            format!(
                "there is no code at {argument} at this block; check the address, the chain, and whether it existed by then"
            ),
        )),
        Kind::Delegated => Err(ReadError::new(
            Code::DelegatedAccount,
            format!(
                "{argument} is an account that delegates to a contract (EIP-7702), and no contract itself"
            ),
        )),
    }
}

/// What came back, if something did: a contract without the function reverts, or returns nothing through its fallback.
pub(super) fn answered(said: &Said) -> Option<&Bytes> {
    match said {
        Said::Returned(bytes) | Said::TooLong(bytes) => {
            Some(bytes).filter(|bytes| !bytes.is_empty())
        }
        Said::Reverted(_) => None,
    }
}

/// The word at an index, from 0.
pub(super) fn word(bytes: &[u8], index: usize) -> Option<U256> {
    let (words, _) = bytes.as_chunks::<32>();
    words.get(index).map(|word| U256::from_be_bytes(*word))
}

/// All words of an answer that has exactly `N` of them.
pub(super) fn words<const N: usize>(said: &Said) -> Option<[U256; N]> {
    let Said::Returned(bytes) = said else {
        return None;
    };
    let (words, []) = bytes.as_chunks::<32>() else {
        return None;
    };
    let words: &[[u8; 32]; N] = words.try_into().ok()?;
    Some(words.map(U256::from_be_bytes))
}

/// The address in a word, if its first twelve bytes are zero.
pub(super) fn address(word: U256) -> Option<Address> {
    deedbox_id::Address::try_from(word)
        .ok()
        .map(|address| Address::from(address.0))
}

/// The number that a call returns that every contract of its standard has. Reads the first word and ignores what
/// follows, as contracts that call it do.
///
/// # Errors
/// [`CallReverted`](Code::CallReverted); [`InvalidResponse`](Code::InvalidResponse) when it returned less than 32 bytes.
pub(super) fn required(said: &Said, function: &str) -> Result<U256, ReadError> {
    match said {
        Said::Reverted(_) => Err(ReadError::new(
            Code::CallReverted,
            format!("the contract refused {function} at this block"),
        )),
        Said::Returned(bytes) | Said::TooLong(bytes) => {
            word(bytes, 0).ok_or_else(|| short(bytes, function))
        }
    }
}

/// The number that a call returns that a contract may lack: `None` when it does.
///
/// # Errors
/// [`InvalidResponse`](Code::InvalidResponse) when it returned something of less than 32 bytes.
pub(super) fn optional(said: &Said, function: &str) -> Result<Option<U256>, ReadError> {
    let Some(bytes) = answered(said) else {
        return Ok(None);
    };
    word(bytes, 0)
        .map(Some)
        .ok_or_else(|| short(bytes, function))
}

fn short(bytes: &Bytes, function: &str) -> ReadError {
    let length = bytes.len();
    let message = format!(
        "the contract returned {length} bytes to {function}, expected a number of 32 bytes"
    );
    ReadError::new(Code::InvalidResponse, message)
}

/// A token's decimals; `None` when it has none. EIP-20 makes them a `uint8`. A token that says more than 255 says
/// nothing that could be used, and every contract that asks it fails: that is an error, and not the same as silence.
///
/// # Errors
/// [`InvalidResponse`](Code::InvalidResponse).
pub(super) fn decimals(said: &Said) -> Result<Option<u8>, ReadError> {
    let Some(word) = optional(said, "decimals()")? else {
        return Ok(None);
    };
    u8::try_from(word).map(Some).map_err(|_| {
        let message = "the contract's decimals() is over 255, and so no uint8 (EIP-20)";
        ReadError::new(Code::InvalidResponse, message)
    })
}

/// A text that a contract may lack: `None` when it does. A `string`, or the `bytes32` of early tokens, told apart by
/// the length of the answer: exactly 32 bytes are no `string`, which has at least 64.
///
/// # Errors
/// [`InvalidResponse`](Code::InvalidResponse) for anything else.
pub(super) fn text(said: &Said, function: &str) -> Result<Option<UntrustedText>, ReadError> {
    let Some(bytes) = answered(said) else {
        return Ok(None);
    };
    if bytes.len() == 32 {
        return Ok(Some(UntrustedText::read(bytes, true)));
    }
    let is_whole = matches!(said, Said::Returned(_));
    match string(bytes, is_whole) {
        Some(content) => Ok(Some(UntrustedText::read(content, false))),
        None => Err(ReadError::new(
            Code::InvalidResponse,
            format!("the contract's answer to {function} is neither a string nor a bytes32"),
        )),
    }
}

/// The content of an ABI-encoded `string`, borrowed: what the contract claims of its length costs nothing. Of an answer
/// that is only known in part, more than [`MAX_BYTES`] of it are enough.
fn string(bytes: &[u8], is_whole: bool) -> Option<&[u8]> {
    let offset = usize::try_from(word(bytes, 0)?).ok()?;
    let (length, content) = bytes.get(offset..)?.split_at_checked(32)?;
    // A length that fits no usize is more than there is, whatever it is.
    let length = usize::try_from(word(length, 0)?).unwrap_or(usize::MAX);
    match content.get(..length) {
        Some(content) => Some(content),
        None => (!is_whole && content.len() > MAX_BYTES).then_some(content),
    }
}

#[cfg(test)]
mod tests;
