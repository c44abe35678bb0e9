//! Amounts as people read them, exactly.

/// An amount of the smallest unit, in the unit that has `decimals` digits behind the point. Every digit of it is there; zeros
/// at the end are left out.
pub(super) fn scaled(raw: &str, decimals: u8) -> String {
    let decimals = usize::from(decimals);
    let digits = format!("{raw:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::scaled;

    #[test]
    fn an_amount_is_scaled_without_losing_a_digit() {
        let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        for (raw, decimals, expected) in [
            ("0", 18, "0"),
            ("0", 0, "0"),
            ("1", 18, "0.000000000000000001"),
            ("1500000000000000000", 18, "1.5"),
            ("1000000", 6, "1"),
            ("123", 0, "123"),
            ("123", 3, "0.123"),
            ("1230", 3, "1.23"),
            (
                most,
                18,
                "115792089237316195423570985008687907853269984665640564039457.584007913129639935",
            ),
        ] {
            assert_eq!(scaled(raw, decimals), expected, "{raw} {decimals}");
        }
        let tiny = scaled("1", 255);
        assert_eq!((tiny.len(), &tiny[..4], &tiny[255..]), (257, "0.00", "01"));
    }
}
