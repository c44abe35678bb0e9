//! A [tower] layer with which the author of an ERC-8257 tool guards its HTTP endpoint: in comes who proves an account that the tool's
//! registry lets in.
//!
//! A request shows a [`Credential`](deedbox_registry::Credential) in `Authorization: DeedboxAccess …`. It gets through when
//!
//! 1. the proof in it is for this tool of this registry on this chain, for this audience, and now;
//! 2. the account signed it (EIP-712: a key's signature, or ERC-1271 for an account that is a contract);
//! 3. the registry says that the account has access: `hasAccess` and `tryHasAccess` at one block, asked again after some minutes at the
//!    latest;
//! 4. the proof was not used before.
//!
//! In this order: only a caller who has access takes up room among the [used proofs](UsedProofs). The handler finds the [`Caller`] among
//! the request's extensions. Everybody else gets a [`Refusal`], as problem JSON (RFC 9457). What could not be read is never a grant.
//!
//! `examples/guarded_tool.rs` is a whole tool.
//!
//! [tower]: https://docs.rs/tower

mod answers;
mod config;
mod gate;
mod layer;
mod refusal;
mod signature;
mod used;

pub use self::{
    config::{BadConfig, Config},
    gate::{Caller, Gate},
    layer::{GateLayer, Gated},
    refusal::Refusal,
    used::{InMemory, Taken, Taking, Unavailable, UsedProofs},
};
