//! Measures a release build of `deedbox` from outside, through the same doors that its users take.
//!
//! Run it as `cargo xtask bench tasks`, which builds the program first and names it in `DEEDBOX_BIN`.

mod tasks;

use anyhow::Result;
use clap::Parser;

#[derive(Debug, Parser)]
enum Bench {
    /// The six tools: throughput and latency at several numbers of clients, at two sizes, on both databases.
    Tasks(tasks::Options),
}

// One thread on purpose: the load generator must leave the other core to the server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    match Bench::parse() {
        Bench::Tasks(options) => tasks::run(&options).await,
    }
}
