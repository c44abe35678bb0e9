//! Many readings at once, and many in a row.

use std::{fs, sync::Arc};

use anyhow::{Context, Result, ensure};
use deedbox_chain::{Chains, Code, Request};
use futures::{StreamExt as _, future::join_all, stream};
use tokio::time::Instant;

use crate::{millis, node::Node, warm};

/// Requests that the endpoint is sent at once.
const AT_ONCE: u32 = 16;
/// Between two looks at the memory.
const STEP: usize = 10_000;

async fn prepared(node: &Node) -> Result<(Arc<Chains>, Vec<Request>)> {
    let chains = node.chains(true, AT_ONCE)?;
    let questions: Vec<_> = node.questions()?.into_iter().map(|(_, q, _)| q).collect();
    warm(&chains, &questions).await?;
    Ok((chains, questions))
}

pub(crate) async fn at_once(node: &Node, concurrent: usize) -> Result<()> {
    println!("\n### Many readings at once, at an endpoint that takes {AT_ONCE} requests\n");
    println!(
        "| at once | answered | refused as busy | ms in all | memory before, MiB | after, MiB |"
    );
    println!("|---|---|---|---|---|---|");
    let (chains, questions) = prepared(node).await?;
    for count in [concurrent, concurrent * 4] {
        let before = resident()?;
        let start = Instant::now();
        let reads = (0..count).map(|i| chains.read(&questions[i % questions.len()]));
        let (mut answered, mut busy) = (0, 0);
        for read in join_all(reads).await {
            match read {
                Ok(_) => answered += 1,
                Err(error) if error.code == Code::Busy => busy += 1,
                Err(error) => return Err(error.into()),
            }
        }
        println!(
            "| {count} | {answered} | {busy} | {:.0} | {:.1} | {:.1} |",
            millis(start.elapsed()),
            mebibytes(before),
            mebibytes(resident()?),
        );
        ensure!(answered > 0, "nothing was answered");
    }
    Ok(())
}

pub(crate) async fn soak(node: &Node, reads: usize) -> Result<()> {
    println!("\n### Memory over {reads} readings\n");
    println!("| readings | MiB | readings a second |");
    println!("|---|---|---|");
    let (chains, questions) = prepared(node).await?;
    let mut done = 0;
    let mut first = None;
    while done < reads {
        let step = STEP.min(reads - done);
        let start = Instant::now();
        let mut running = stream::iter(0..step)
            .map(|i| chains.read(&questions[i % questions.len()]))
            .buffer_unordered(AT_ONCE as usize);
        while let Some(read) = running.next().await {
            read?;
        }
        done += step;
        let now = resident()?;
        let first = *first.get_or_insert(now);
        println!(
            "| {done} | {:.1} | {:.0} |",
            mebibytes(now),
            step as f64 / start.elapsed().as_secs_f64()
        );
        eprintln!(
            "  {done} of {reads}; since the first step {:+.1} MiB",
            mebibytes(now) - mebibytes(first)
        );
    }
    Ok(())
}

/// Memory of this process that is in RAM, in bytes.
fn resident() -> Result<u64> {
    let status =
        fs::read_to_string("/proc/self/status").context("memory can be read on Linux only")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(kib.context("no VmRSS")?.trim().parse::<u64>()? * 1024)
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}
