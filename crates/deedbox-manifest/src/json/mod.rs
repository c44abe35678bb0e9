//! Reading JSON strictly, and what was read.

mod document;
mod error;
mod limits;
mod reader;

pub use document::{Document, Kind, Member, Note, NoteKind, Value};
pub use error::{ReadError, ReadErrorKind, Syntax};
pub use limits::Limits;
