//! Measures how fast manifests are checked and identifiers are read, beside what cannot be beaten (keccak256 alone)
//! and beside what a JavaScript program would use.
//!
//! Run it as `cargo xtask bench manifest`.
#![expect(clippy::print_stdout, reason = "printing figures is what this is for")]

mod identifiers;
mod inputs;
mod javascript;
mod timing;

use std::{hint::black_box, process::ExitCode};

use anyhow::{Result, ensure};
use clap::Parser;
use deedbox_manifest::{Hash, Verdict, check};

use self::{
    inputs::Input,
    timing::{Compared, allocations, compare},
};

/// Check and hash of manifests, and reading of identifiers
#[derive(Debug, Parser)]
#[command(name = "deedbox-bench-manifest")]
struct Options {
    /// Leave out the npm packages (they need Node.js)
    #[arg(long)]
    no_javascript: bool,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let honest = inputs::honest();
    manifests(&honest, options.no_javascript)?;
    hostile(&honest);
    identifiers::measure();
    Ok(ExitCode::SUCCESS)
}

fn manifests(honest: &[Input], no_javascript: bool) -> Result<()> {
    let javascript = if no_javascript {
        None
    } else {
        Some(javascript::measure(honest)?)
    };
    println!("\n### Check and hash\n");
    println!(
        "| manifest | bytes | check + hash, MB/s | allocations a call | keccak256 alone, MB/s | check in times of keccak | npm, MB/s | in times of npm |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (at, input) in honest.iter().enumerate() {
        let report = check(&input.bytes);
        ensure!(
            report.verdict != Verdict::Refused,
            "{} is refused: {:?}",
            input.name,
            report.findings
        );
        let Compared { first, second } = compare(
            || drop(black_box(check(black_box(&input.bytes)))),
            || {
                black_box(Hash::of(black_box(&input.bytes)));
            },
        );
        let (npm, times) = match &javascript {
            None => ("-".to_owned(), "-".to_owned()),
            Some(measured) => {
                let ours = report.hash.map(|hash| hash.to_string());
                ensure!(
                    ours.as_deref() == Some(&measured[at].hash),
                    "npm hashes {} otherwise: {}",
                    input.name,
                    measured[at].hash
                );
                let nanoseconds = measured[at].nanoseconds;
                (
                    format!("{:.1}", rate(input, nanoseconds)),
                    format!("{:.1}", nanoseconds / first),
                )
            }
        };
        println!(
            "| {} | {} | {:.0} | {} | {:.0} | {:.2} | {npm} | {times} |",
            input.name,
            input.bytes.len(),
            rate(input, first),
            allocations(|| drop(black_box(check(&input.bytes)))),
            rate(input, second),
            first / second,
        );
    }
    Ok(())
}

/// Each beside the two honest manifests of its size.
fn hostile(honest: &[Input]) {
    println!("\n### Hostile inputs, beside honest manifests of the same size\n");
    println!(
        "| input | bytes | allocations | time a byte, in times of {} | in times of {} |",
        inputs::TEXTS,
        inputs::RECORDS
    );
    println!("|---|---|---|---|---|");
    let beside = |name| honest.iter().find(|input| input.name == name);
    let (Some(texts), Some(records)) = (beside(inputs::TEXTS), beside(inputs::RECORDS)) else {
        return;
    };
    for input in inputs::hostile() {
        let times = |honest: &Input| {
            let Compared { first, second } = compare(
                || drop(black_box(check(black_box(&input.bytes)))),
                || drop(black_box(check(black_box(&honest.bytes)))),
            );
            rate(honest, second) / rate(&input, first)
        };
        println!(
            "| {} | {} | {} | {:.2} | {:.2} |",
            input.name,
            input.bytes.len(),
            allocations(|| drop(black_box(check(&input.bytes)))),
            times(texts),
            times(records),
        );
    }
}

/// Megabytes (10⁶ bytes) a second.
#[expect(clippy::cast_precision_loss, reason = "a megabyte at most")]
fn rate(input: &Input, nanoseconds: f64) -> f64 {
    input.bytes.len() as f64 / nanoseconds * 1_000.0
}
