//! Deedbox seen from outside: authentication, limits, MCP tools and HTTP routes.
//!
//! A request comes in, and each step either answers it or hands it on: its origin is checked ([`guard`]),
//! its credential becomes a `Principal` ([`auth`]), its key's rate is counted ([`rate`]), its body is read
//! strictly ([`json`]) into a typed input ([`inputs`]), and the operation is carried out ([`operations`]). MCP
//! and HTTP differ only in how an operation is asked for and how its answer is wrapped; the command line
//! calls [`operations`] without either.
//!
//! No rule of the protocol is written here, and no SQL.

pub mod app;
pub mod auth;
pub mod cursor;
pub mod guard;
mod http_server;
pub mod inputs;
pub mod json;
pub mod operations;
pub mod rate;
mod stdio;
pub mod toolsets;

pub use app::{App, Labels, Options};
pub use guard::BadEntry;
pub use http_server::{metrics_router, router, serve_http};
pub use operations::{Answer, Extras, Fault, Operations};
pub use rate::Rate;
pub use stdio::{StdioError, serve_stdio};
pub use toolsets::Toolsets;
