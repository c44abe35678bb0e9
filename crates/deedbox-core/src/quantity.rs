//! Amounts of a chain, in its smallest units. JSON keeps them as decimal texts: no reader of JSON rounds a text.

/// Makes a type for each amount or number of a chain: what holds it, and the error for what is none.
macro_rules! decimals {
    ($($(#[$doc:meta])* $name:ident($inner:ty), $error:ident, $most:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        #[doc = concat!("Why a text is no [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        #[error("must be a whole number in decimal digits without leading zeros, below 2^{}", $most)]
        pub struct $error;

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $error;
            fn from_str(text: &str) -> Result<Self, $error> {
                let plain = text.bytes().all(|b| b.is_ascii_digit())
                    && (text == "0" || !text.is_empty() && !text.starts_with('0'));
                text.parse().ok().filter(|_| plain).map(Self).ok_or($error)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        $crate::json::json_text!($name);
    )*};
}

pub(crate) use decimals;

decimals! {
    /// An amount of a chain's own currency, or a price for one unit of gas, in wei.
    Wei(u128), NotWei, 128
    /// An amount of gas.
    Gas(u64), NotGas, 64
}

impl Wei {
    /// The least that a transaction has to offer to take the place of one that offers this: 10% more, rounded up, and
    /// at least 1 more. Nodes refuse less as `replacement transaction underpriced`.
    #[must_use]
    pub const fn raised(self) -> Self {
        let tenth = self.0.div_ceil(10);
        Self(self.0.saturating_add(if tenth == 0 { 1 } else { tenth }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_one_spelling() {
        let most = u128::MAX.to_string();
        for good in ["0", "1", "2000000014", &most] {
            assert_eq!(good.parse::<Wei>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "+1",
            "-1",
            "00",
            "01",
            "1.0",
            "1e3",
            " 1",
            "0x1",
            &format!("{most}0"),
        ] {
            assert_eq!(bad.parse::<Wei>(), Err(NotWei), "{bad:?}");
        }
        assert_eq!("18446744073709551616".parse::<Gas>(), Err(NotGas));
        assert_eq!(serde_json::to_string(&Wei(7)).unwrap(), "\"7\"");
        assert!(
            serde_json::from_str::<Wei>("7").is_err(),
            "a number is no text"
        );
    }

    #[test]
    fn a_raised_fee_is_a_tenth_more_and_never_the_same() {
        for (fee, raised) in [
            (0, 1),
            (1, 2),
            (9, 10),
            (10, 11),
            (11, 13),
            (1_000_000_000, 1_100_000_000),
        ] {
            assert_eq!(Wei(fee).raised(), Wei(raised));
        }
        assert_eq!(Wei(u128::MAX).raised(), Wei(u128::MAX));
    }
}
