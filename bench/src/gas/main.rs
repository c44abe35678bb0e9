//! Measures what each operation of the registries costs, on a real node, beside the figures of others' contracts.
//!
//! Run it as `cargo xtask bench gas`. It fails when an operation costs more than is to be reached.

mod agents;
mod node;
mod predicates;
mod table;
mod tools;

use anyhow::{Result, ensure};
use clap::Parser;

use self::node::Node;

/// Gas of every operation, beside others'
#[derive(Debug, Parser)]
#[command(name = "deedbox-bench-gas")]
struct Options {}

fn main() -> Result<()> {
    Options::parse();
    let node = Node::start()?;
    let mut above = agents::measure(&node)?.print();
    above += tools::measure(&node)?.print();
    above += predicates::measure(&node)?.print();
    ensure!(
        above == 0,
        "{above} operations cost more than is to be reached (marked ✗)"
    );
    Ok(())
}
