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
mod card;
pub mod cursor;
mod fence;
pub mod finding;
pub mod guard;
mod health;
pub mod inputs;
pub mod json;
pub mod labels;
mod mcp;
pub mod memories;
pub mod openapi;
pub mod operations;
pub mod policy;
pub mod problem;
pub mod rate;
pub mod readings;
mod routes;
mod schemas;
mod serve;
pub mod telemetry;
mod tools;
pub mod toolsets;

pub use app::{App, Options};
pub use guard::BadEntry;
pub use labels::Labels;
pub use mcp::{StdioError, serve_stdio, serve_streams};
pub use memories::MemoryRequest;
pub use openapi::openapi_document;
pub use operations::{Answer, Envelope, Extras, Fault, Operation, Operations, Reply, Tool};
pub use policy::Policy;
pub use problem::Problem;
pub use rate::Rate;
pub use readings::{Reader, ReadingRequest};
pub use routes::{metrics_router, router};
pub use serve::{Patience, serve_http, serve_router};
pub use tools::NamedTwice;
pub use toolsets::{Toolset, Toolsets};
