//! How much memory a process takes.

use std::fs;

use anyhow::{Context, Result};

/// What `/proc/<pid>/status` says in this line, in MiB: `VmRSS` for what is in RAM now, `VmHWM` for the most that ever was.
///
/// # Errors
/// When there is no such process or line, as everywhere but on Linux.
pub fn mib(pid: u32, line: &str) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))
        .context("memory can be read on Linux only")?;
    let found = status
        .lines()
        .find_map(|text| text.strip_prefix(line)?.strip_prefix(':'))
        .and_then(|text| text.trim().strip_suffix(" kB"));
    let kib: u32 = found
        .with_context(|| format!("no {line} of process {pid}"))?
        .trim()
        .parse()?;
    Ok(f64::from(kib) / 1_024.0)
}
