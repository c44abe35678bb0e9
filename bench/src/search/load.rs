//! Searches, by one client and by eight.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use deedbox_bench::resident;
use deedbox_store::index::{Index, WindowPlace};
use hdrhistogram::Histogram;
use tokio::time::Instant;

use crate::agents::{MIX, World};

/// The kind that looks at a second page.
const SECOND_PAGE: usize = 6;

pub(crate) async fn searches(index: &Arc<dyn Index>, world: &World, count: usize) -> Result<()> {
    println!("| clients | search | p50, ms | p99, ms | a second | found, of 10 | ranked |");
    println!("|---|---|---|---|---|---|---|");
    let memory = || resident::mib(std::process::id(), "VmRSS");
    let before = memory()?;
    for clients in [1, 8] {
        let mut all = Histogram::<u64>::new(3)?;
        let mut took = Duration::ZERO;
        for (kind, name) in MIX.into_iter().enumerate() {
            let each = count.div_ceil(clients);
            let start = Instant::now();
            let tasks = (0..clients).map(|client| {
                let (index, world) = (Arc::clone(index), *world);
                let first = (client * each) as u64;
                tokio::spawn(async move { run(&*index, world, kind, first, each).await })
            });
            let tasks: Vec<_> = tasks.collect();
            let mut times = Histogram::<u64>::new(3)?;
            let (mut found, mut ranked) = (0, 0);
            for task in tasks {
                let (of_client, of_found, of_ranked) = task.await??;
                times.add(&of_client)?;
                found += of_found;
                ranked += of_ranked;
            }
            let of_kind = start.elapsed();
            took += of_kind;
            all.add(&times)?;
            let searches = (each * clients) as f64;
            println!(
                "| {clients} | {name} | {:.2} | {:.2} | {:.0} | {:.1} | {:.0} |",
                millis(times.value_at_quantile(0.5)),
                millis(times.value_at_quantile(0.99)),
                searches / of_kind.as_secs_f64(),
                found as f64 / searches,
                ranked as f64 / searches,
            );
        }
        println!(
            "| {clients} | **all together** | {:.2} | **{:.2}** | {:.0} | | |",
            millis(all.value_at_quantile(0.5)),
            millis(all.value_at_quantile(0.99)),
            all.len() as f64 / took.as_secs_f64(),
        );
    }
    println!(
        "\nMemory of the searching process: {:.0} MiB before, {:.0} MiB after.",
        before,
        memory()?
    );
    Ok(())
}

/// The times of so many searches in microseconds (a first page that a second one follows is not among them), how many agents were found, and how many ranked.
async fn run(
    index: &dyn Index,
    world: World,
    kind: usize,
    first: u64,
    count: usize,
) -> Result<(Histogram<u64>, u64, u64)> {
    let mut times = Histogram::<u64>::new(3)?;
    let (mut found, mut ranked) = (0, 0);
    for n in 0..count as u64 {
        let mut search = world.search(kind, first + n);
        if kind == SECOND_PAGE {
            search.after = first_page(index, &search).await?;
        }
        let start = Instant::now();
        let page = index.search_agents(&search).await?;
        times.record(micros(start.elapsed()))?;
        found += page.entries.len() as u64;
        ranked += u64::from(page.ranked);
    }
    Ok((times, found, ranked))
}

/// Where the first page ends.
async fn first_page(
    index: &dyn Index,
    search: &deedbox_store::index::Search<deedbox_store::index::OfAgents>,
) -> Result<Option<WindowPlace>> {
    Ok(index.search_agents(search).await?.next)
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn millis(micros: u64) -> f64 {
    micros as f64 / 1e3
}
