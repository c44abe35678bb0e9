//! The rules of the standards as tables: what is read, what is refused, at which byte and with which code.
//!
//! A test's comment names the rows of the list of rules that it defends. Expected values are written out from the
//! standards' texts, not computed.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test's helpers may fail the test"
)]

mod address;
mod caip;
mod convert;
mod interop;
mod key;
#[cfg(feature = "serde")]
mod serialised;
mod strings;
mod token;
mod tool;

use std::{fmt::Debug, str::FromStr};

use deedbox_id::Error;

/// The registry that the ERC's examples use.
const REGISTRY: &str = "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";
/// The address in it.
const VITALIK: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

fn read<T: FromStr<Err = Error>>(text: &str) -> T {
    match text.parse() {
        Ok(value) => value,
        Err(error) => panic!("{text:?}: {error}"),
    }
}

/// Asserts that a text is refused, where and why, and that the message helps.
fn refused<T: FromStr<Err = Error> + Debug>(text: &str, at: usize, code: &str) {
    let error = text.parse::<T>().expect_err(text);
    check(&error, text, at, code);
}

fn check(error: &Error, what: &str, at: usize, code: &str) {
    assert_eq!((error.at(), error.code()), (at, code), "{what:?}: {error}");
    assert!(
        deedbox_id::error::code::ALL.contains(&error.code()),
        "{what:?}: an undocumented code"
    );
    assert!(error.message().starts_with("found "), "{what:?}: {error}");
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    hex.as_bytes().chunks(2).map(digit).collect()
}
