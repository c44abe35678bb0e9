//! `cargo xtask ci`: what every submission must pass.

use std::{
    io::{BufReader, Read},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{
    command::{self, cargo},
    contracts, install,
    progress::{say, step},
    sqlx, test,
};

/// How long the advisory database may take to arrive.
const ADVISORIES: Duration = Duration::from_secs(90);

/// Checks formatting, queries, lints and dependencies, then runs all the tests.
///
/// # Errors
/// At the first thing that does not pass.
pub(crate) fn run() -> Result<()> {
    step("Formatting", || {
        command::run(cargo().args(["fmt", "--all", "--check"]))
    })?;
    // Before anything is built: with stale descriptions nothing builds, and the compiler's words do not say why.
    step("Queries", sqlx::check)?;
    step("Contracts", contracts::check)?;
    step("Lints", || {
        command::run(cargo().args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]))
    })?;
    step("Dependencies: licences, bans, sources", || {
        command::run(install::deny()?.args([
            "check",
            "--hide-inclusion-graph",
            "bans",
            "licenses",
            "sources",
        ]))
    })?;
    step("Dependencies: advisories", advisories)?;
    test::run(&[])
}

/// A published advisory fails the run; a database of advisories that cannot be reached from here does not.
fn advisories() -> Result<()> {
    let mut deny = install::deny()?;
    let (success, text) = read_within(deny.args(["check", "advisories"]), ADVISORIES)?;
    if success {
        return Ok(());
    }
    let unreachable = [
        "failed to fetch advisory database",
        "failed to load advisory database",
    ];
    if text.is_empty() || unreachable.iter().any(|words| text.contains(words)) {
        say("NOT CHECKED: the database of advisories cannot be reached from this machine");
        return Ok(());
    }
    bail!("{text}")
}

/// Whether a command succeeded, and what it wrote; it is ended after `limit`, and then has said nothing.
fn read_within(command: &mut Command, limit: Duration) -> Result<(bool, String)> {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let errors = child.stderr.take().context("no standard error")?;
    let reader = thread::spawn(move || {
        let mut text = String::new();
        // What it wrote up to a broken character is still worth showing.
        drop(BufReader::new(errors).read_to_string(&mut text));
        text
    });
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status.success(), reader.join().unwrap_or_default()));
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok((false, String::new()));
        }
        thread::sleep(Duration::from_millis(50));
    }
}
