//! Deeds and the rules of the Ownership & Attestation Protocol (OAP), without I/O.
//!
//! Everything a person or an agent did is a [`Deed`]: one row of an append-only, hash-chained
//! [`Stream`]. This crate knows what a deed is, which commands exist, and under which rules a
//! command becomes a deed. It has four ideas, and each has one home:
//!
//! * [`Command`]: what somebody asks for, already well-formed ([`text`], [`id`] and [`key`] refuse the rest);
//! * [`decide`]: the only place where a rule is written. A pure function from the state, the command and
//!   who asks, to the deeds that follow or to a [`Refusal`];
//! * [`Projection::apply`]: the only place where a deed changes state. A backend stores the result, and
//!   `ledger check` computes it again and compares;
//! * [`Deed::seal`]: the only place where a hash is made.
//!
//! Nothing here reads a clock, a random source, a file or a socket: what it needs comes in through [`World`].

pub mod actor;
pub mod attribution;
pub mod command;
pub mod conclusion;
pub mod decide;
pub mod deed;
pub mod evidence;
pub mod hash;
mod hex;
pub mod id;
pub mod json;
pub mod key;
pub mod limits;
pub mod manifest;
pub mod memory;
mod names;
pub mod projection;
pub mod publication;
pub mod quantity;
pub mod refusal;
pub mod registry;
pub mod replay;
pub mod space;
pub mod task;
pub mod text;
pub mod time;
mod words;
pub mod world;

pub use actor::{Actor, ActorKind};
pub use attribution::{AgentLabel, Attribution, Authority, InstanceHash, Principal, PrincipalId};
pub use command::{Command, Needs, State};
pub use decide::decide;
pub use deed::{Authorship, Basis, Body, BrokenDeed, Deed, Head, StoredDeed, Stream};
pub use evidence::{
    Block, BlockHash, EndpointId, Evidence, EvidenceState, FixedBlock, ReadProvenance, Reading,
    ToolName,
};
pub use id::{
    AcceptanceId, ActorId, CompletionId, EvidenceId, HandoffId, MemoryId, PublicationId, SpaceId,
    TaskId,
};
pub use key::{ApiKey, KeyId, KeyRecord, Scope, Scopes};
pub use manifest::ManifestHash;
pub use memory::{Memory, MemoryKind, MemoryState, MemoryStatus, MemoryText};
pub use projection::Projection;
pub use publication::{
    ChainAccount, ChainAddress, OperationName, Publication, PublicationState, PublicationStatus,
    RawTransaction, Settlement, SignedTransaction, TakenNonce, TransactionHash,
};
pub use quantity::{Gas, Wei};
pub use refusal::Refusal;
pub use registry::{
    CodeHash, Following, RegistryId, RegistryState, Sighting, Standard, ToolId, Trust,
};
pub use space::{Space, SpaceKind, SpaceUsage, TeamSpace};
pub use task::{ClaimProvenance, TaskState, TaskStatus};
pub use time::Timestamp;
pub use world::World;
