//! Measures what a reading costs beside the same values fetched with bare calls, against a real node on this machine.
//!
//! Run it as `cargo xtask bench reads`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures is what this is for"
)]

mod bare;
mod load;
mod node;
mod world;

use std::{sync::Arc, time::Duration};

use anyhow::{Result, ensure};
use clap::Parser;
use deedbox_chain::{Chains, Request};
use tokio::time::Instant;

use self::{bare::Bare, node::Node};

/// Readings of a chain, beside bare calls
#[derive(Debug, Parser)]
#[command(name = "deedbox-bench-reads")]
struct Options {
    /// Rounds in which each reading and its bare calls are timed, in turn
    #[arg(long, default_value_t = 401)]
    rounds: usize,
    /// Readings at once in the second part
    #[arg(long, default_value_t = 500)]
    concurrent: usize,
    /// Readings over which memory is watched in the third part
    #[arg(long, default_value_t = 100_000)]
    soak: usize,
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    let node = Node::start()?;
    beside_bare_calls(&node, options.rounds).await?;
    load::at_once(&node, options.concurrent).await?;
    load::soak(&node, options.soak).await
}

async fn beside_bare_calls(node: &Node, rounds: usize) -> Result<()> {
    println!("\n### One reading, beside bare calls\n");
    println!(
        "| reading | calls made | round trips | ms | bare calls, ms | with the block too, ms | in times of bare calls | with the block too |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let bare = Bare::new(node.url())?;
    for (label, request, calls) in node.questions()? {
        for (how, multicall) in [("multicall", true), ("no multicall", false)] {
            let chains = node.chains(multicall, 16)?;
            // Finds out what the endpoint can do, as a server does once.
            chains.read(&request).await?;
            let before = chains.requests_sent();
            chains.read(&request).await?;
            let trips = chains.requests_sent() - before;
            let mut times = [vec![], vec![], vec![]];
            for _ in 0..rounds {
                times[0].push(timed(chains.read(&request)).await?);
                times[1].push(timed(bare.ask(&calls)).await?);
                times[2].push(timed(bare.ask_with_block(&calls)).await?);
            }
            let [ours, bare_alone, with_block] = times.map(median);
            println!(
                "| {label}, {how} | {} | {trips} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                calls.len(),
                millis(ours),
                millis(bare_alone),
                millis(with_block),
                ours.as_secs_f64() / bare_alone.as_secs_f64(),
                ours.as_secs_f64() / with_block.as_secs_f64(),
            );
        }
    }
    Ok(())
}

async fn timed<T, E: Into<anyhow::Error>>(
    work: impl Future<Output = Result<T, E>>,
) -> Result<Duration> {
    let start = Instant::now();
    work.await.map_err(Into::into)?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Takes one reading of each question, so that a later failure is the load's.
async fn warm(chains: &Arc<Chains>, questions: &[Request]) -> Result<()> {
    for question in questions {
        chains.read(question).await?;
    }
    ensure!(!questions.is_empty(), "nothing to ask");
    Ok(())
}
