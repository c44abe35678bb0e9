//! The 20 bytes of an account, without any knowledge of chains.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Why a text is not an [`Address`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 0x followed by 40 hexadecimal digits")]
pub struct NotAnAddress;

/// An EVM address. Prints as `0x` and 40 lower-case digits, the form that a manifest has to use.
///
/// Reads any mixture of cases: what a node, a wallet or a person hands over is often checksummed. Whether
/// the text *in a manifest* is in lower case is a rule of its own, judged on that text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub [u8; 20]);

impl Address {
    /// The zero address, which no transaction comes from.
    pub const ZERO: Self = Self([0; 20]);
}

impl FromStr for Address {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        let digits = text.strip_prefix("0x").ok_or(NotAnAddress)?.as_bytes();
        if digits.len() != 40 {
            return Err(NotAnAddress);
        }
        let nibble = |digit: u8| char::from(digit).to_digit(16).ok_or(NotAnAddress);
        let mut address = [0; 20];
        for (byte, pair) in address.iter_mut().zip(digits.chunks_exact(2)) {
            let value = nibble(pair[0])? << 4 | nibble(pair[1])?;
            *byte = u8::try_from(value).map_err(|_| NotAnAddress)?;
        }
        Ok(Self(address))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksummed_address_is_read_and_printed_in_lower_case() {
        let address: Address = "0x52908400098527886E0F7030069857D2E4169EE7"
            .parse()
            .unwrap();
        assert_eq!(
            address.to_string(),
            "0x52908400098527886e0f7030069857d2e4169ee7"
        );
    }

    #[test]
    fn anything_but_0x_and_40_digits_is_refused() {
        let good = "0x52908400098527886e0f7030069857d2e4169ee7";
        for bad in [
            &good[..41],
            &good[2..],
            &format!("{good}0"),
            &format!("{good}\n"),
            &good.replace('e', "g"),
            &good.replace("0x", "0X"),
        ] {
            assert_eq!(bad.parse::<Address>(), Err(NotAnAddress), "{bad:?}");
        }
    }
}
