//! Measures reading registries into an index, beside the bare cost of fetching and decoding the same logs, from a real node whose contracts were
//! really written to. The node and whatever reads it are processes of their own, so that each one's processor time and memory is its own.
//!
//! Run it as `cargo xtask bench sync`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures is what this is for"
)]

mod bare;
mod chain;
mod processor;
mod reader;
mod trials;
#[path = "../reads/world.rs"]
mod world;

use anyhow::Result;
use clap::{Parser, Subcommand};
use deedbox_neighbours::postgres::Cluster;

use self::{
    chain::Prepared,
    reader::{Measured, Reader, Task},
    trials::Trials,
};

/// What an indexer written in JavaScript was measured to read with one second of a processor.
const JAVASCRIPT: f64 = 4_000.0;

/// Transactions in one block of a chain that is grown for its size alone.
const DENSE: usize = 16;

/// Reading registries, beside fetching and decoding the same logs
#[derive(Debug, Parser)]
#[command(name = "deedbox-bench-sync")]
struct Options {
    /// Events on the chain when rates are measured
    #[arg(long, default_value_t = 50_000)]
    events: u64,
    /// Runs of each, in turn; medians are told
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Events on the chain when memory is looked at
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 50_000, 200_000])]
    memory: Vec<u64>,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// What one process of its own does: it reads once, and prints what that took
    #[command(hide = true)]
    Read(Task),
}

fn main() -> Result<()> {
    let options = Options::parse();
    match &options.role {
        Some(Role::Read(task)) => reader::run(task),
        None => measure(&options),
    }
}

fn measure(options: &Options) -> Result<()> {
    let cluster = Cluster::start()?;
    let mut trials = Trials::new(&cluster)?;
    let mut chain = Prepared::start()?;
    let mut sizes = options.memory.clone();
    sizes.push(options.events);
    sizes.sort_unstable();
    sizes.dedup();
    let mut peaks = Vec::new();
    for size in sizes {
        eprintln!("  preparing {size} events");
        // Rates are of the same blocks wherever they are measured; what comes after is looked at for memory only, and made faster.
        let transactions = if size <= options.events { 1 } else { DENSE };
        chain.grow(size, transactions)?;
        if size == options.events {
            rates(&chain, &mut trials, options.runs)?;
        }
        if options.memory.contains(&size) {
            let of = |reader| Ok(trials.run(reader, &chain)?.peak_mib);
            let of_each: Result<Vec<f64>> = Reader::ALL.into_iter().map(of).collect();
            peaks.push((chain.events, of_each?));
        }
    }
    println!("\n### Most memory\n");
    println!("| events | bare, MiB | SQLite, MiB | PostgreSQL, MiB |");
    println!("|---|---|---|---|");
    for (events, peaks) in peaks {
        let cells: Vec<_> = peaks.iter().map(|peak| format!("{peak:.0}")).collect();
        println!("| {events} | {} |", cells.join(" | "));
    }
    Ok(())
}

fn rates(chain: &Prepared, trials: &mut Trials<'_>, runs: usize) -> Result<()> {
    let mut measured = Reader::ALL.map(|reader| (reader, Vec::new()));
    let before = load()?;
    for run in 1..=runs {
        eprintln!("  run {run} of {runs}");
        for (reader, measured) in &mut measured {
            let one = trials.run(*reader, chain)?;
            eprintln!("    {reader:?}: {one:?}");
            measured.push(one);
        }
    }
    println!(
        "\n### {} events in {} blocks, medians of {runs} runs\n",
        chain.events,
        chain.blocks()?
    );
    println!(
        "Load of the machine before and after: {before}, {}.\n",
        load()?
    );
    println!(
        "| reader | events/s | of bare | CPU-seconds for 50,000 | of the server | events per CPU-second | of bare | in times of 4,000 | requests |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut floor = None;
    for (reader, measured) in measured {
        let median = |of: fn(&Measured) -> f64| median(measured.iter().map(of).collect());
        let (rate, per_cpu) = (median(Measured::rate), median(Measured::per_cpu_second));
        let (bare_rate, bare_per_cpu) = *floor.get_or_insert((rate, per_cpu));
        println!(
            "| {reader:?} | {rate:.0} | {:.2} | {:.2} | {:.2} | {per_cpu:.0} | {:.2} | {:.1} | {} |",
            rate / bare_rate,
            50_000.0 / per_cpu,
            median(Measured::server_cpu_for_50_000),
            per_cpu / bare_per_cpu,
            per_cpu / JAVASCRIPT,
            measured.last().map_or(0, |one| one.requests),
        );
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// How many processes ran in the last minute, on average.
fn load() -> Result<String> {
    let load = std::fs::read_to_string("/proc/loadavg")?;
    Ok(load.split(' ').next().unwrap_or_default().to_owned())
}
