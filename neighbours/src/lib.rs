//! Real neighbours for tests, tasks and benchmarks. Depends on no room of the house: what it starts, it
//! starts as a user would.

pub mod anvil;
pub mod branching;
pub mod certificate;
mod connections;
pub mod deedbox;
pub mod https;
pub mod postgres;
mod printed;
pub mod process;
pub mod rpc;
pub mod tools;
