//! Amounts of a chain's currency as people write them.

use alloy_primitives::U256;

const EXPECTED: &str = "must be an amount of the chain's currency in decimal, like 0.002";

/// Reads an amount of a currency with so many decimals, into its smallest unit. Nothing is rounded.
///
/// # Errors
/// What was expected.
pub(super) fn of_currency(text: &str, decimals: u8) -> Result<U256, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let has_point = text.contains('.');
    if whole.is_empty() || !digits(whole) || !digits(fraction) || (has_point && fraction.is_empty())
    {
        return Err(EXPECTED.to_owned());
    }
    let decimals = usize::from(decimals);
    if fraction.len() > decimals {
        return Err(format!(
            "has {} digits behind the point, and the currency has {decimals}",
            fraction.len()
        ));
    }
    let smallest = format!("{whole}{fraction:0<decimals$}");
    U256::from_str_radix(&smallest, 10).map_err(|_| "is larger than any amount".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_read_without_rounding() {
        let read = |text| of_currency(text, 18).map(|amount| amount.to_string()).ok();
        assert_eq!(read("0.002").as_deref(), Some("2000000000000000"));
        assert_eq!(read("1").as_deref(), Some("1000000000000000000"));
        assert_eq!(read("0.000000000000000001").as_deref(), Some("1"));
        assert_eq!(of_currency("12", 0).unwrap(), U256::from(12));
        for wrong in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "1e18",
            "1,5",
            "0x1",
            " 1",
            "0.0000000000000000001",
        ] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
        assert!(of_currency(&"9".repeat(80), 18).is_err());
    }
}
