//! How an answer is fetched: one endpoint, several endpoints, one block, and what every fault is called.

pub(crate) mod pinned;
