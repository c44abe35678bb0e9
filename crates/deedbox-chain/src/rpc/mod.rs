//! How an answer is fetched: one endpoint, several endpoints, one block, and what every fault is called.
//!
//! From the wire up: [`http`] posts, [`wire`] writes and reads JSON-RPC, [`value`] its values. [`classify`] says what an error
//! means, by the table in [`words`]; [`revert`] finds what a contract said. [`trouble`] has a name for each thing that is treated differently. [`endpoint`] asks
//! one endpoint, keeping to its limits ([`line`], [`backoff`]) and remembering what it learnt ([`condition`], [`widths`]).
//! [`together`] asks several things of one endpoint that belong to no block; [`heads`] how far it is. [`block`] finds the block, and [`at`] reads everything of one answer there ([`question`], [`multicall`], [`logs`]).
//! [`failover`] says which endpoint comes next, and which of several failures is told.

pub(crate) mod at;
mod backoff;
pub(crate) mod block;
mod classify;
pub(crate) mod condition;
pub(crate) mod endpoint;
pub(crate) mod failover;
pub(crate) mod heads;
mod http;
pub(crate) mod line;
pub(crate) mod logs;
mod multicall;
pub(crate) mod pinned;
mod question;
mod revert;
mod suggest;
mod together;
pub(crate) mod trouble;
pub(crate) mod value;
mod widths;
pub(crate) mod wire;
pub(crate) mod words;

#[cfg(test)]
mod tests;
