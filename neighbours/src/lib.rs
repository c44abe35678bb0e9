//! Real neighbours for tests, tasks and benchmarks. Depends on no room of the house.

pub mod deedbox;
pub mod postgres;
pub mod tools;
