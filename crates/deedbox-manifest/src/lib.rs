//! Tool manifests as ERC-8257 defines them, without I/O.

pub mod canonical;
pub mod hash;
pub mod json;

pub use hash::Hash;
pub use json::{
    Document, Kind, Limits, Member, Note, NoteKind, ReadError, ReadErrorKind, Syntax, Value,
};
