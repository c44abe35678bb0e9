//! What a chain names by its bytes: 0x and lower-case hexadecimal digits, one type for each.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};

/// The bytes behind `0x`, of digits of either case; none when it is something else.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?;
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()
}

/// 0x and two lower-case digits for each byte.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + 2 * bytes.len());
    text.push_str("0x");
    HEXLOWER.encode_append(bytes, &mut text);
    text
}

/// Makes a type for each thing that is a fixed number of bytes: its error, and how many digits it has.
macro_rules! hex_bytes {
    ($($(#[$doc:meta])* $name:ident, $error:ident, $bytes:literal, $digits:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; $bytes]);

        #[doc = concat!("Why a text is not a [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        #[error("must be 0x followed by {} hexadecimal digits", $digits)]
        pub struct $error;

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut digits = [0; 2 * $bytes];
                f.write_str("0x")?;
                f.write_str(data_encoding::HEXLOWER.encode_mut_str(&self.0, &mut digits))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $error;
            /// Digits of either case.
            fn from_str(text: &str) -> Result<Self, $error> {
                let bytes = $crate::hex::decode(text).ok_or($error)?;
                bytes.try_into().map(Self).map_err(|_| $error)
            }
        }

        impl TryFrom<&[u8]> for $name {
            type Error = $error;
            fn try_from(bytes: &[u8]) -> Result<Self, $error> {
                bytes.try_into().map(Self).map_err(|_| $error)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        $crate::json::json_text!($name, schemars::json_schema!({
            "type": "string",
            "pattern": concat!("^0x[0-9a-f]{", $digits, "}$")
        }));
    )*};
}

pub(crate) use hex_bytes;
