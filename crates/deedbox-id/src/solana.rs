//! The 32 bytes that Solana writes in base58.

use std::{fmt, str::FromStr};

use crate::{Error, base58};

/// 32 bytes that print in base58: a Solana public key, or the genesis hash that names a Solana chain.
///
/// ```
/// let key: deedbox_id::Base58Key = "MJKqp326RZCHnAAbew9MDdui3iCKWco7fsK9sVuZTX2".parse()?;
/// assert_eq!(key.0[0], 0x05);
/// # Ok::<(), deedbox_id::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Base58Key(pub [u8; 32]);

impl Base58Key {
    pub(crate) fn with_text<T>(&self, use_it: impl FnOnce(&str) -> T) -> Option<T> {
        let mut buffer = [0; base58::MOST + 1];
        let start = base58::encode(&self.0, &mut buffer);
        str::from_utf8(&buffer[start..]).ok().map(use_it)
    }
}

impl fmt::Display for Base58Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.pad(text))
            .unwrap_or(Err(fmt::Error))
    }
}

impl fmt::Debug for Base58Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Base58Key({self})")
    }
}

impl FromStr for Base58Key {
    type Err = Error;

    /// Reads the one base58 spelling of 32 bytes (CAIP-350, namespace `solana`).
    ///
    /// # Errors
    /// [`CHARACTER`](crate::error::code::CHARACTER) and [`ADDRESS_LENGTH`](crate::error::code::ADDRESS_LENGTH).
    fn from_str(text: &str) -> Result<Self, Error> {
        base58::decode(text).map(Self)
    }
}
