//! The values of the Ethereum JSON-RPC API, read strictly: what is not spelled as its specification says is an error,
//! never a guess.

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use deedbox_core::{BlockHash, evidence::MAX_EXACT};
use serde_json::value::RawValue;

/// An answer, or a part of one, that does not have the form it must have; the text says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

type Read<T> = Result<T, Malformed>;

/// The characters of a JSON string, unescaped: no hex value needs an escape.
fn text(value: &RawValue) -> Option<&str> {
    let inner = value.get().strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains('\\')).then_some(inner)
}

/// The digits of a `QUANTITY`: 0x and hex digits without leading zeros; zero is `0x0`.
fn digits(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("0x")?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    (plain && (digits == "0" || !digits.starts_with('0'))).then_some(digits)
}

/// A `QUANTITY` of at most 2^53 - 1: a height, an index, a time.
pub(crate) fn number_of(text: &str) -> Option<u64> {
    let number = u64::from_str_radix(digits(text)?, 16).ok()?;
    (number <= MAX_EXACT).then_some(number)
}

/// As [`number_of`], of a JSON value.
pub(crate) fn number(value: &RawValue) -> Read<u64> {
    text(value)
        .and_then(number_of)
        .ok_or(Malformed("a number is not a quantity of at most 2^53 - 1"))
}

/// A `QUANTITY` of at most 256 bits.
pub(crate) fn amount_of(text: &str) -> Option<U256> {
    U256::from_str_radix(digits(text)?, 16).ok()
}

/// As [`amount_of`], of a JSON value.
pub(crate) fn amount(value: &RawValue) -> Read<U256> {
    text(value)
        .and_then(amount_of)
        .ok_or(Malformed("an amount is not a quantity of at most 256 bits"))
}

/// Hex with the 0x that it must have, and that the decoder would take or leave.
fn prefixed(text: &str) -> Option<&str> {
    text.starts_with("0x").then_some(text)
}

/// `DATA` of any length.
pub(crate) fn bytes_of(text: &str) -> Option<Bytes> {
    hex::decode(prefixed(text)?).ok().map(Bytes::from)
}

/// As [`bytes_of`], of a JSON value.
pub(crate) fn bytes(value: &RawValue) -> Read<Bytes> {
    text(value)
        .and_then(bytes_of)
        .ok_or(Malformed("bytes are not 0x and pairs of hex digits"))
}

/// `DATA` of exactly `N` bytes.
pub(crate) fn exactly<const N: usize>(text: &str) -> Read<[u8; N]> {
    let mut out = [0; N];
    hex::decode_to_slice(prefixed(text).unwrap_or_default(), &mut out)
        .map(|()| out)
        .map_err(|_| Malformed("a hash or an address does not have its length"))
}

/// A block's hash.
pub(crate) fn block_hash(text: &str) -> Read<BlockHash> {
    exactly(text).map(BlockHash)
}

/// The hash of a transaction, or a topic.
pub(crate) fn word(text: &str) -> Read<B256> {
    exactly(text).map(B256::new)
}

/// As [`word`], of a JSON value: what a slot of storage holds.
pub(crate) fn word_of(value: &RawValue) -> Read<B256> {
    word(text(value).unwrap_or_default())
}

/// An address.
pub(crate) fn address(text: &str) -> Read<Address> {
    exactly(text).map(Address::new)
}

/// A height as a parameter.
pub(crate) fn quantity(number: u64) -> String {
    format!("0x{number:x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn a_quantity_has_one_spelling() {
        assert_eq!(number(&raw(r#""0x0""#)), Ok(0));
        assert_eq!(number(&raw(r#""0x1fFfffffffffff""#)), Ok(MAX_EXACT));
        for bad in [
            r#""0x20000000000000""#,
            r#""0x""#,
            r#""0x00""#,
            r#""0x01""#,
            r#""1""#,
            r#""0X1""#,
            r#""0x-1""#,
            r#""0x+1""#,
            r#""-0x1""#,
            r#"" 0x1""#,
            r#""0x1\u0030""#,
            "1",
            "null",
            "[]",
        ] {
            assert!(number(&raw(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_amount_has_at_most_256_bits() {
        let most = format!("\"0x{}\"", "f".repeat(64));
        assert_eq!(amount(&raw(&most)), Ok(U256::MAX));
        let more = format!("\"0x1{}\"", "0".repeat(64));
        assert!(amount(&raw(&more)).is_err());
        assert!(amount(&raw("\"0x0000\"")).is_err());
    }

    #[test]
    fn bytes_come_in_pairs() {
        assert_eq!(bytes(&raw("\"0x\"")), Ok(Bytes::new()));
        assert_eq!(bytes(&raw("\"0x00Ff\"")), Ok(Bytes::from(vec![0, 255])));
        for bad in [
            "\"\"",
            "\"0x0\"",
            "\"0xzz\"",
            "\"00\"",
            "\"0x0x00\"",
            "null",
        ] {
            assert!(bytes(&raw(bad)).is_err(), "{bad}");
        }
        assert!(address(&format!("0x{}", "00".repeat(20))).is_ok());
        assert!(address(&format!("0x{}", "00".repeat(21))).is_err());
        assert!(address(&"00".repeat(20)).is_err());
        assert!(address(&format!("0x0x{}", "00".repeat(20))).is_err());
    }
}
