//! The yardstick for PostgreSQL: what `pgbench -N` does on the same cluster in the same run.

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Scale factor: 5 million rows, so that 32 clients hardly ever meet on a row.
const SCALE: &str = "50";

/// Fills the pgbench tables of the database at `url`.
pub(crate) fn prepare(url: &str) -> Result<()> {
    let out = Command::new("pgbench")
        .args(["-i", "-q", "-s", SCALE, url])
        .output();
    let out = out.context("pgbench is needed to measure beside (Debian: postgresql-contrib)")?;
    ensure!(
        out.status.success(),
        "pgbench -i: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    Ok(())
}

/// Transactions per second of `pgbench -N -c 32 -j 2` over `seconds`.
pub(crate) fn run(url: &str, seconds: u64) -> Result<f64> {
    let seconds = seconds.to_string();
    let out = Command::new("pgbench")
        .args(["-n", "-N", "-c", "32", "-j", "2", "-T", &seconds, url])
        .output()?;
    let text = String::from_utf8_lossy(&out.stdout);
    ensure!(
        out.status.success(),
        "pgbench: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    text.lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok())
        .with_context(|| format!("no tps in what pgbench printed:\n{text}"))
}
