//! Reading EVM chains so that the answer can be checked, and handing over transactions so that none is sent twice.
//!
//! A [`Request`] names a chain, a block and what to read. [`Chains::read`] answers it with a
//! [`Reading`](deedbox_core::Reading): the data, and the chain, block and endpoint that it came from. Everything in one
//! answer was read at one block, by its hash. What cannot be read is a [`ReadError`], never a zero and never an
//! empty text.
//!
//! * [`config`]: what an operator says about a chain and its endpoints.
//! * [`request`]: what may be asked; strict about every text.
//! * [`look`]: anything at one block, for rooms that know the contracts.
//! * [`events`]: the newest blocks, and ranges of logs, oldest first, for whoever follows contracts.
//! * [`send`]: what changing a chain needs; the only place that submits anything.
//! * `rpc`: one endpoint, several endpoints, one block: how an answer is fetched, and what every fault is called.
//! * `readings`: the five readings on top of that.
//!
//! No clock, no random source and no environment: they come in through [`World`](deedbox_core::World).

mod chain;
mod chains;
pub mod config;
pub mod error;
pub mod events;
pub mod look;
pub mod readings;
pub mod request;
mod rpc;
pub mod send;
pub mod text;

pub use chains::{ChainStatus, Chains, Described};
pub use config::{BadConfig, ChainConfig, EndpointConfig};
pub use error::{Code, ReadError};
pub use request::{Block, Request};
pub use text::{UntrustedExcerpt, UntrustedText};
