//! What a view of a stranger's contract gave, read strictly: a value, or why there is none.

use alloy_primitives::{Address, Bytes, U256};
use deedbox_chain::look::Said;
use deedbox_core::ChainAddress;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Revert, words};

/// Why a view gave no value. That it could not be asked at all is a [`ReadError`](deedbox_chain::ReadError), and none of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Unreadable {
    /// The contract refused.
    Reverted {
        /// With what reason.
        revert: Revert,
    },
    /// It returned nothing: there is no such function, and something else took the call.
    NothingReturned,
    /// What it returned does not have the form that its standard gives it.
    Malformed,
    /// It returned more than the 128 KiB that are read.
    TooLong,
}

impl Unreadable {
    /// Why there is no value in this.
    pub(crate) fn of(said: Option<&Said>) -> Self {
        match said {
            Some(Said::Reverted(reason)) => Self::Reverted {
                revert: Revert::name(reason),
            },
            Some(Said::TooLong(_)) => Self::TooLong,
            Some(Said::Returned(data)) if data.is_empty() => Self::NothingReturned,
            Some(Said::Returned(_)) | None => Self::Malformed,
        }
    }

    /// Whether it is a refusal by this name.
    pub(crate) fn is_error(&self, name: &str) -> bool {
        matches!(self, Self::Reverted { revert } if revert.custom_name() == Some(name))
    }
}

/// What `read` makes of the data that was returned.
pub(crate) fn value<'s, T>(
    said: Option<&'s Said>,
    read: impl FnOnce(&'s [u8]) -> Option<T>,
) -> Result<T, Unreadable> {
    match said {
        Some(Said::Returned(data)) => read(data).ok_or_else(|| Unreadable::of(said)),
        said => Err(Unreadable::of(said)),
    }
}

/// An answer that has to be so many words and nothing else (reading R-08).
fn words_of(data: &[u8], count: usize) -> Option<&[u8]> {
    (data.len() == 32 * count).then_some(data)
}

/// A `bool`: exactly 32 bytes, 0 or 1.
pub(crate) fn flag(said: Option<&Said>) -> Result<bool, Unreadable> {
    value(said, |data| words::flag(words_of(data, 1)?, 0))
}

/// Two `bool`s: exactly 64 bytes.
pub(crate) fn flags(said: Option<&Said>) -> Result<(bool, bool), Unreadable> {
    value(said, |data| {
        let data = words_of(data, 2)?;
        Some((words::flag(data, 0)?, words::flag(data, 1)?))
    })
}

/// An `address`: exactly 32 bytes, the first twelve zero.
pub(crate) fn address(said: Option<&Said>) -> Result<Address, Unreadable> {
    value(said, |data| words::address(words_of(data, 1)?, 0))
}

/// A `uint256`: exactly 32 bytes.
pub(crate) fn number(said: Option<&Said>) -> Result<U256, Unreadable> {
    value(said, |data| {
        words::word(words_of(data, 1)?, 0).map(|word| U256::from_be_bytes(*word))
    })
}

/// `bytes` or a `string`.
pub(crate) fn bytes(said: Option<&Said>) -> Result<Bytes, Unreadable> {
    value(said, |data| {
        words::bytes(data, 0).map(Bytes::copy_from_slice)
    })
}

/// As answers have addresses: in lower case.
pub(crate) fn account(address: Address) -> ChainAddress {
    ChainAddress(address.0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(data: &[u8]) -> Said {
        Said::Returned(Bytes::copy_from_slice(data))
    }

    fn word(last: u8) -> Vec<u8> {
        U256::from(last).to_be_bytes_vec()
    }

    #[test]
    fn a_bool_is_exactly_one_word_of_zero_or_one() {
        assert_eq!(flag(Some(&returned(&word(1)))), Ok(true));
        assert_eq!(flag(Some(&returned(&word(0)))), Ok(false));
        for bad in [word(2), word(1)[1..].to_vec(), [word(1), word(0)].concat()] {
            let said = returned(&bad);
            assert_eq!(flag(Some(&said)), Err(Unreadable::Malformed), "{bad:?}");
        }
        let both = [word(1), word(0)].concat();
        assert_eq!(flags(Some(&returned(&both))), Ok((true, false)));
        let long = [word(1), word(1), vec![0]].concat();
        assert_eq!(flags(Some(&returned(&long))), Err(Unreadable::Malformed));
    }

    #[test]
    fn why_there_is_no_value_is_told_apart() {
        let reason = Bytes::from_static(&[0xb7, 0x3d, 0x6f, 0x8b]);
        let short = Unreadable::of(Some(&Said::Reverted(reason)));
        assert!(!short.is_error("ToolNotFound"), "its argument is missing");
        let whole = [&[0xb7, 0x3d, 0x6f, 0x8b][..], &word(7)].concat();
        let named = Unreadable::of(Some(&Said::Reverted(whole.into())));
        assert!(named.is_error("ToolNotFound"));
        let nothing = number(Some(&returned(&[])));
        assert_eq!(nothing, Err(Unreadable::NothingReturned));
        let long = bytes(Some(&Said::TooLong(Bytes::new())));
        assert_eq!(long, Err(Unreadable::TooLong));
        assert_eq!(number(None), Err(Unreadable::Malformed));
    }
}
