#![doc = include_str!("../README.md")]

pub mod address;
pub mod amount;
pub mod author;
pub mod canonical;
pub mod check;
pub mod freshness;
pub mod hash;
pub mod json;
pub mod pricing;
pub mod report;
mod rules;
pub mod schema;
pub mod tier;
pub mod url;
pub mod verify;
pub mod well_known;

pub use address::Address;
pub use amount::Amount;
pub use check::{check, check_read};
pub use hash::{Digest, Hash};
pub use json::{
    Document, Elements, Kind, Limits, Member, Members, Note, NoteKind, ReadError, ReadErrorKind,
    Syntax, Value,
};
pub use report::{Finding, Report, Severity, Verdict};
pub use rules::TYPE_V1;
pub use tier::Tier;
pub use verify::{Registration, Verification, verify};
pub use well_known::WellKnown;
