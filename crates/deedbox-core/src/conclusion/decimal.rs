//! Decimal numbers as texts: exact, and of any length that fits a claim.

use std::fmt;

/// The most digits that are kept, before the point and after it. A `uint256` has 78.
const DIGITS: usize = 400;

/// A decimal number in one form: no needless zeros, no negative zero. So equal numbers are equal values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decimal {
    negative: bool,
    /// Before the point; empty for zero.
    whole: String,
    /// After the point.
    fraction: String,
}

impl Decimal {
    /// From ASCII digits before and after the point. `None` when there are too many, or other characters.
    pub(super) fn new(negative: bool, whole: &str, fraction: &str) -> Option<Self> {
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let fits = whole.len() <= DIGITS && fraction.len() <= DIGITS;
        (fits && digits(whole) && digits(fraction)).then(|| Self {
            negative: negative && !(whole.is_empty() && fraction.is_empty()),
            whole: whole.to_owned(),
            fraction: fraction.to_owned(),
        })
    }

    /// Reads a whole number as readings write amounts: digits, perhaps after a minus sign.
    pub(super) fn whole(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() {
            return None;
        }
        Self::new(digits.len() < text.len(), digits, "")
    }

    /// This number times ten to the power of `places`.
    pub(super) fn times_ten_to(&self, places: u32) -> Option<Self> {
        let places = usize::try_from(places).ok().filter(|n| *n <= DIGITS)?;
        let moved = places.min(self.fraction.len());
        let (up, rest) = self.fraction.split_at(moved);
        let whole = format!("{}{up}{}", self.whole, "0".repeat(places - moved));
        Self::new(self.negative, &whole, rest)
    }

    /// This number divided by ten to the power of `places`.
    pub(super) fn over_ten_to(&self, places: u32) -> Option<Self> {
        let places = usize::try_from(places).ok().filter(|n| *n <= DIGITS)?;
        let whole = format!("{}{}", "0".repeat(places), self.whole);
        let (whole, down) = whole.split_at(whole.len() - places);
        Self::new(self.negative, whole, &format!("{down}{}", self.fraction))
    }

    /// The number itself, when it is whole and fits.
    pub(super) fn to_u64(&self) -> Option<u64> {
        let whole = if self.whole.is_empty() {
            "0"
        } else {
            &self.whole
        };
        (!self.negative && self.fraction.is_empty())
            .then(|| whole.parse().ok())
            .flatten()
    }
}

impl From<u64> for Decimal {
    fn from(number: u64) -> Self {
        Self {
            negative: false,
            whole: number.to_string().trim_start_matches('0').to_owned(),
            fraction: String::new(),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let whole = if self.whole.is_empty() {
            "0"
        } else {
            &self.whole
        };
        write!(f, "{sign}{whole}")?;
        if self.fraction.is_empty() {
            Ok(())
        } else {
            write!(f, ".{}", self.fraction)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_number_has_one_form() {
        let of = |whole, fraction| Decimal::new(false, whole, fraction).unwrap();
        assert_eq!(of("007", "500"), of("7", "5"));
        assert_eq!(Decimal::new(true, "0", "00"), Decimal::new(false, "", ""));
        assert_eq!(of("", "").to_string(), "0");
        assert_eq!(Decimal::from(0), of("0", ""));
        assert_eq!(Decimal::whole("-12").unwrap().to_string(), "-12");
        for bad in ["", "-", "+1", "1.0", "0x1", "１", "1 "] {
            assert_eq!(Decimal::whole(bad), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn moving_the_point_is_division_by_a_power_of_ten(n in any::<u64>(), places in 0u32..19) {
            let power = 10u64.pow(places);
            let moved = Decimal::from(n).over_ten_to(places).unwrap();
            let fraction = format!("{:0width$}", n % power, width = places as usize);
            let fraction = if places == 0 { "" } else { &fraction };
            prop_assert_eq!(&moved, &Decimal::new(false, &(n / power).to_string(), fraction).unwrap());
            prop_assert_eq!(moved.times_ten_to(places).unwrap(), Decimal::from(n));
        }
    }
}
