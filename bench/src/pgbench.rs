//! The yardstick for PostgreSQL: what `pgbench` does on the same cluster in the same run.

use std::{io::Write as _, process::Command};

use anyhow::{Context, Result, ensure};

/// Scale factor: 5 million rows, so that 32 clients hardly ever meet on a row.
const SCALE: &str = "50";

/// Fills the pgbench tables of the database at `url`.
///
/// # Errors
/// When `pgbench` is not there, or fails.
pub fn prepare(url: &str) -> Result<()> {
    output(&["-i", "-q", "-s", SCALE, url]).map(drop)
}

/// Transactions per second of `pgbench -N -c 32 -j 2` over `seconds`.
///
/// # Errors
/// When `pgbench` fails.
pub fn run(url: &str, seconds: u64) -> Result<f64> {
    let seconds = seconds.to_string();
    let text = output(&["-n", "-N", "-c", "32", "-j", "2", "-T", &seconds, url])?;
    figure(&text, "tps = ")
}

/// Transactions per second, and the average of their milliseconds, of so many clients of which each inserts one row of `bytes` bytes
/// in each, over `seconds`. Leaves the table `bare` in the database at `url`, which has to be its own.
///
/// # Errors
/// When `pgbench` fails.
pub fn inserts(url: &str, clients: usize, bytes: usize, seconds: u64) -> Result<(f64, f64)> {
    let mut script = tempfile::NamedTempFile::new()?;
    writeln!(
        script,
        "INSERT INTO bare (words) VALUES (repeat('x', {bytes}));"
    )?;
    let script = script.path().display().to_string();
    let (clients, seconds) = (clients.to_string(), seconds.to_string());
    let text = output(&[
        "-n", "-f", &script, "-c", &clients, "-j", "1", "-T", &seconds, url,
    ])?;
    Ok((
        figure(&text, "tps = ")?,
        figure(&text, "latency average = ")?,
    ))
}

/// What stands after `name` in what pgbench printed.
fn figure(text: &str, name: &str) -> Result<f64> {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.split(' ').next()?.parse().ok())
        .with_context(|| format!("no {name} in what pgbench printed:\n{text}"))
}

fn output(args: &[&str]) -> Result<String> {
    let out = Command::new("pgbench").args(args).output();
    let out = out.context("pgbench is needed to measure beside (Debian: postgresql-contrib)")?;
    ensure!(
        out.status.success(),
        "pgbench: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}
