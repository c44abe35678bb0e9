//! What must hold of every input, one function for each target.
//!
//! A fuzzer calls these, and so does a test that replays the kept corpus with small changes. Each of them panics
//! when something does not hold: what is read prints as a text that reads back equal and prints the same; what is
//! refused is refused at a byte of the input; and conversions there and back agree.

mod id;
mod manifest;
mod transaction;

pub use id::{caip, interop_address, storage_key, token_identifier};
pub use manifest::{manifest_check, manifest_normalise, manifest_read};
pub use transaction::signed_transaction;

/// A target: its name, which is also that of its folder in `corpus`, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("caip", caip),
    ("interop_address", interop_address),
    ("manifest_check", manifest_check),
    ("manifest_normalise", manifest_normalise),
    ("manifest_read", manifest_read),
    ("signed_transaction", signed_transaction),
    ("storage_key", storage_key),
    ("token_identifier", token_identifier),
];
