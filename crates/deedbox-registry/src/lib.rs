//! The registries of ERC-8122 and ERC-8257: their contracts, their calls, and what they say.
//!
//! * [`Call`] and [`Deployment`]: every change that a registry or a predicate offers, into bytes and back.
//! * [`Entry`]: one metadata entry, and what is odd about it before it is written.
//! * [`Revert`]: why a contract refused, by the name that its standard gives it.
//! * [`event`]: what a receipt says that happened.
//! * [`inspect`]: what stands at an address, read at one block.
//! * [`artifact`], [`abi`]: the compiled contracts, which are part of this crate.
//!
//! Nothing here signs or sends. Everything but [`inspect`] is pure.

pub mod abi;
pub mod artifact;
pub mod call;
pub mod deployment;
pub mod entry;
pub mod event;
pub mod inspect;
pub mod interface;
pub mod limits;
pub mod resolve;
pub mod revert;
pub mod view;
mod words;

pub use artifact::Artifact;
pub use call::{Call, NewAgent, NotACall};
pub use deployment::{Admission, AgentRegistry, Deployment, Logic, Predicate, Term};
pub use entry::Entry;
pub use inspect::{Inspection, inspect};
pub use resolve::{AgentId, ResolveAgent, ResolvedAgent, resolve_agent};
pub use revert::Revert;
