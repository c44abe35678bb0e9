//! What the tests with real neighbours share: clients, servers on either database, recorded histories.
//!
//! Nothing here asserts. Tests start the real `deedbox` program and speak to it as strangers would.

pub mod chain;
pub mod chat;
pub mod client;
pub mod connection;
pub mod history;
pub mod interloper;
pub mod mcp;
pub mod memory;
pub mod proxy;
pub mod random;
pub mod registries;
pub mod site;
pub mod stdio;
pub mod syncing;

pub use chain::Node;
pub use client::{Answer, Client, Speaks};
pub use connection::{Connection, Response};
pub use random::Random;
pub use site::{Backend, Site};
