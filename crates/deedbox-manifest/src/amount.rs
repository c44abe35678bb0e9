//! What an invocation costs, in the asset's smallest unit (ERC-8257 §3, `amount`).

use std::{cmp::Ordering, fmt, str::FromStr};

use serde::Serialize;

/// The decimal digits of 2^256 − 1, the largest amount.
const MAX: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

/// A whole number from 0 to 2^256 − 1, kept as the decimal digits it is written in.
///
/// The digits are never turned into a big integer: the grammar leaves one spelling per value, so that
/// length and then text order are the order of the values, and a hostile million digits cost one look
/// at the length.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Amount(Box<str>);

/// Why a text is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAmount {
    /// It is not `0`, nor digits that start with 1 to 9.
    #[error("is not a whole decimal number without sign, point or leading zeros")]
    Grammar,
    /// It has more than 78 characters.
    #[error("has {found} characters; the largest amount has 78")]
    TooLong {
        /// How many bytes were offered.
        found: usize,
    },
    /// It has 78 digits and stands for more than 2^256 − 1.
    #[error("is more than 2^256 − 1")]
    TooLarge,
}

impl Amount {
    /// Whether this is the price of nothing: the creator asserts that no payment is needed, which no
    /// wallet may ask an approval for (ERC-8257 §3).
    #[must_use]
    pub fn is_zero(&self) -> bool {
        &*self.0 == "0"
    }

    /// The decimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Says whether `text` is an amount, without keeping it.
    ///
    /// # Errors
    /// [`BadAmount`]: the grammar `^(0|[1-9][0-9]*)$`, the 78 characters, the range. The length comes
    /// first, so that a long text costs nothing.
    pub fn check(text: &str) -> Result<(), BadAmount> {
        if text.len() > MAX.len() {
            return Err(BadAmount::TooLong { found: text.len() });
        }
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || (text.len() > 1 && text.starts_with('0')) {
            return Err(BadAmount::Grammar);
        }
        if text.len() == MAX.len() && text > MAX {
            return Err(BadAmount::TooLarge);
        }
        Ok(())
    }
}

impl FromStr for Amount {
    type Err = BadAmount;

    fn from_str(text: &str) -> Result<Self, BadAmount> {
        Self::check(text)?;
        Ok(Self(text.into()))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.len(), &self.0).cmp(&(other.0.len(), &other.0))
    }
}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_per_amount() {
        for bad in [
            "", "01", "00", "+1", "-1", "1.0", "1e3", " 1", "1\n", "١", "0x1",
        ] {
            assert_eq!(Amount::check(bad), Err(BadAmount::Grammar), "{bad:?}");
        }
        for good in ["0", "1", "20000", MAX] {
            assert_eq!(good.parse::<Amount>().unwrap().to_string(), good);
        }
    }

    #[test]
    fn the_largest_amount_is_2_to_the_256_minus_1() {
        let over = format!("{}6", &MAX[..77]);
        assert_eq!(Amount::check(&over), Err(BadAmount::TooLarge));
        assert_eq!(Amount::check(&"9".repeat(78)), Err(BadAmount::TooLarge));
        assert_eq!(Amount::check(&"9".repeat(77)), Ok(()));
    }

    #[test]
    fn more_than_78_characters_are_refused_for_their_length() {
        for text in ["1".repeat(79), "x".repeat(1_000_000)] {
            let found = text.len();
            assert_eq!(Amount::check(&text), Err(BadAmount::TooLong { found }));
        }
    }

    #[test]
    fn amounts_are_ordered_by_value() {
        let amount = |text: &str| text.parse::<Amount>().unwrap();
        assert!(amount("9") < amount("10"));
        assert!(amount("20000") < amount("20001"));
        assert!(amount("0").is_zero());
        assert!(!amount("10").is_zero());
    }
}
