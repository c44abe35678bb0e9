//! Addresses of EVM chains, and the two ways to hide a checksum in their upper-case letters.

use std::{fmt, str::FromStr};

use sha3::{Digest as _, Keccak256};

use crate::{
    EvmChain, U256,
    error::{Error, code},
    hex::{self, Case},
};

/// Twenty bytes that name an account or a contract on an EVM chain.
///
/// Prints in lower case: that is the spelling that other standards compare and hash. With `{:#}` it prints
/// with its EIP-55 checksum, for people.
///
/// ```
/// use deedbox_id::Address;
/// let address: Address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045".parse()?;
/// assert_eq!(address.to_string(), "0xd8da6bf26964af9d7eed9e03e53415d37aa96045");
/// assert_eq!(format!("{address:#}"), "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045");
///
/// let wrong = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aa96045".parse::<Address>().unwrap_err();
/// assert_eq!(wrong.at(), 36);
/// # Ok::<(), deedbox_id::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub [u8; 20]);

/// Which checksum the upper-case letters of an address carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// EIP-55: over the address alone.
    Eip55,
    /// EIP-1191: over the chain's id and the address.
    Eip1191(EvmChain),
}

impl Checksum {
    /// The checksum that is customary on a chain: EIP-1191 on those that adopted it (30 and 31), EIP-55 on all
    /// others.
    #[must_use]
    pub fn of(chain: EvmChain) -> Self {
        match chain.to_u64() {
            Some(30 | 31) => Self::Eip1191(chain),
            _ => Self::Eip55,
        }
    }

    /// Rewrites 40 lower-case digits with the checksum in them.
    fn write_into(self, digits: &mut [u8; 40]) {
        let mut hasher = Keccak256::new();
        if let Self::Eip1191(chain) = self {
            hasher.update(chain.to_string());
            hasher.update("0x");
        }
        hasher.update(digits.as_slice());
        let hash = hasher.finalize();
        for ([first, second], byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(hash) {
            if byte & 0x80 != 0 {
                first.make_ascii_uppercase();
            }
            if byte & 0x08 != 0 {
                second.make_ascii_uppercase();
            }
        }
    }
}

impl Address {
    /// The address that stands for "nobody".
    pub const ZERO: Self = Self([0; 20]);

    /// Whether all bytes are zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// The address with a checksum in its letters.
    #[must_use]
    pub fn to_checksummed(&self, checksum: Checksum) -> String {
        let mut text = String::with_capacity(42);
        text.push_str("0x");
        text.extend(self.digits(checksum).map(char::from));
        text
    }

    fn digits(self, checksum: Checksum) -> [u8; 40] {
        let mut digits = [0; 40];
        hex::encode(&self.0, &mut digits);
        checksum.write_into(&mut digits);
        digits
    }

    /// Reads an address: `0x` and 40 hex digits, all letters lower case, all upper case, or mixed with the
    /// checksum named. Only the mixed spelling is checked: the other two carry no checksum, or cannot be told
    /// from one that does.
    ///
    /// # Errors
    /// [`HEX_PREFIX`](code::HEX_PREFIX), [`CHARACTER`](code::CHARACTER), [`ADDRESS_LENGTH`](code::ADDRESS_LENGTH)
    /// and [`CHECKSUM`](code::CHECKSUM), which points at the first letter in the wrong case and names the right
    /// spelling of the whole.
    pub fn parse(text: &str, checksum: Checksum) -> Result<Self, Error> {
        let digits = hex::digits_of(text)?;
        if digits.len() != 40 {
            return Err(wrong_length(text));
        }
        let mut address = Self::ZERO;
        if !hex::decode(digits.as_chunks().0, Case::Any, &mut address.0) {
            return Err(hex::bad_digit(text, Case::Any));
        }
        let (mut lower, mut upper) = (false, false);
        for digit in digits {
            lower |= digit.is_ascii_lowercase();
            upper |= digit.is_ascii_uppercase();
        }
        if lower && upper {
            address.check(digits, checksum)?;
        }
        Ok(address)
    }

    fn check(self, digits: &[u8], checksum: Checksum) -> Result<(), Error> {
        let right = self.digits(checksum);
        let Some(at) = digits
            .iter()
            .zip(right)
            .position(|(found, right)| *found != right)
        else {
            return Ok(());
        };
        let (found, expected) = (char::from(digits[at]), char::from(right[at]));
        let kind = match checksum {
            Checksum::Eip55 => "EIP-55".to_owned(),
            Checksum::Eip1191(chain) => format!("EIP-1191 (chain {chain})"),
        };
        let whole = self.to_checksummed(checksum);
        let message = format!(
            "found {found:?}, expected {expected:?} by the {kind} checksum; the address may be mistyped: \
             compare it with its source, and if it is right write {whole}"
        );
        Err(Error::new(2 + at, code::CHECKSUM, message))
    }
}

#[cold]
fn wrong_length(text: &str) -> Error {
    let digits = text
        .bytes()
        .skip(2)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    if digits < 40 && digits + 2 < text.len() {
        return hex::bad_digit(text, Case::Any);
    }
    let count = text.len() - 2;
    let message = format!("found {count} characters after 0x, expected 40 hex digits (20 bytes)");
    Error::new(text.len().min(42), code::ADDRESS_LENGTH, message)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.write_str(&self.to_checksummed(Checksum::Eip55));
        }
        hex::write(f, &self.0)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl FromStr for Address {
    type Err = Error;

    /// [`Address::parse`] with the EIP-55 checksum.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text, Checksum::Eip55)
    }
}

impl TryFrom<U256> for Address {
    type Error = Error;

    /// Reads an address from a 256-bit word, as contracts return them.
    ///
    /// # Errors
    /// [`ADDRESS_LENGTH`](code::ADDRESS_LENGTH) when one of the twelve bytes in front is not zero.
    fn try_from(word: U256) -> Result<Self, Error> {
        let bytes: [u8; 32] = word.to_be_bytes();
        match bytes[..12].iter().position(|byte| *byte != 0) {
            None => {
                let mut address = Self::ZERO;
                address.0.copy_from_slice(&bytes[12..]);
                Ok(address)
            }
            Some(at) => {
                let message =
                    "found a word with a byte in front of the address, expected twelve zeros";
                Err(Error::new(at, code::ADDRESS_LENGTH, message))
            }
        }
    }
}
