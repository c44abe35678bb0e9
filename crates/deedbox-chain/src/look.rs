//! Looking at anything at one block: balances, code, storage and views, for rooms that know the contracts.
//!
//! [`Chains::look`](crate::Chains::look) reads as the readings do: everything at one block, by its hash, through one endpoint, and the
//! block is known to be part of the chain still when the last piece has come.

use deedbox_core::ReadProvenance;

pub use crate::{
    readings::contract::Kind,
    rpc::pinned::{BlockHead, Call, Expects, Got, Said, Wanted},
};

/// What was seen, and where.
#[derive(Clone, Debug)]
pub struct Looked {
    /// The chain, the block and the endpoint.
    pub provenance: ReadProvenance,
    /// What was wanted.
    pub got: Got,
}
