//! Reading JSON strictly, and what was read.
//!
//! Why a reader of our own: what a served manifest has to be (RFC 8785 §3.1, ERC-8257 §2) is stricter than what parsers ask
//! for, every finding needs its place in the source, and ceilings have to hold before memory is spent. So there is
//! one pass over the bytes into a flat list of nodes, and nothing recurses as deep as a document says.
//!
//! ```
//! use deedbox_manifest::{Document, Limits, NoteKind};
//!
//! let source = br#"{"b": [1, 9007199254740993], "a": "x"}"#;
//! let document = Document::read(source, &Limits::MANIFEST)?;
//! let number = document.root().get("b").and_then(|b| b.elements()?.nth(1)).ok_or("no number")?;
//! assert_eq!(number.pointer(), "/b/1");
//! assert_eq!(&source[number.span()], b"9007199254740993");
//! assert_eq!(document.notes().map(|note| note.kind).collect::<Vec<_>>(), [NoteKind::Inexact]);
//! assert_eq!(document.canonical(), br#"{"a":"x","b":[1,9007199254740992]}"#);
//!
//! let error = Document::read(br#"{"a":1,"a":2}"#, &Limits::MANIFEST).unwrap_err();
//! assert_eq!((error.span(), error.rule()), (7..10, "8257-2c-17"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
