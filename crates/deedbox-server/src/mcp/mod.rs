//! The operations as MCP tools.

mod catalogue;
pub(crate) mod envelope;
mod handler;
mod stdio;

pub(crate) use catalogue::Catalogue;
pub(crate) use handler::Handler;
pub use stdio::{StdioError, serve_stdio, serve_streams};
