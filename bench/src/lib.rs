//! What several benchmarks share: worlds that a seed makes up, folders in which filled databases stay, a load generator, and the form of reports.

pub mod dice;
pub mod load;
pub mod pgbench;
pub mod prepared;
pub mod report;
pub mod resident;
