//! The registries of ERC-8122 and ERC-8257: their contracts, their calls, and what they say.
//!
//! * [`Call`] and [`Deployment`]: every change that a registry or a predicate offers, into bytes and back.
//! * [`Entry`]: one metadata entry, and what is odd about it before it is written.
//! * [`Revert`]: why a contract refused, by the name that its standard gives it.
//! * [`event`]: what a receipt says that happened.
//! * [`inspect`]: what stands at an address, read at one block.
//! * [`deployed_at`]: in which block a contract was made.
//! * [`preset`]: public registries, by name.
//! * [`artifact`], [`abi`]: the compiled contracts, which are part of this crate.
//!
//! Nothing here signs or sends. Everything but [`inspect`] and [`birth`] is pure.

pub mod abi;
pub mod artifact;
pub mod birth;
pub mod call;
pub mod deployment;
pub mod entry;
pub mod event;
pub mod inspect;
pub mod interface;
pub mod limits;
pub mod preset;
pub mod revert;

pub use artifact::Artifact;
pub use birth::deployed_at;
pub use call::{Call, NewAgent, NotACall};
pub use deployment::{Admission, AgentRegistry, Deployment, Logic, Predicate, Term};
pub use entry::Entry;
pub use inspect::{Inspection, inspect, inspect_keys};
pub use preset::{PRESETS, Preset};
pub use revert::Revert;
