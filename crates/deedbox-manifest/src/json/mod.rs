//! Reading JSON strictly, and what was read.

mod decimal;
pub(crate) mod document;
mod error;
mod limits;
mod names;
mod number;
mod reader;
mod text;

pub use document::{Document, Elements, Kind, Member, Members, Note, NoteKind, Value};
pub use error::{ReadError, ReadErrorKind, Syntax};
pub use limits::Limits;
