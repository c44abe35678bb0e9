//! Running other programs.

use std::{
    env,
    ffi::OsStr,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use deedbox_neighbours::tools;

use crate::progress::say;

/// The pauses between the tries of something that needs the network.
const PAUSES: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(15)];

/// `program`, run in the repository's root, reading nothing from the terminal.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(tools::root()).stdin(Stdio::null());
    command
}

/// The cargo that runs us.
pub(crate) fn cargo() -> Command {
    command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command whose output is for the person who waits.
///
/// # Errors
/// When it cannot be run, or fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("{} could not be run", shown(command)))?;
    ensure!(status.success(), "{}: {status}", shown(command));
    Ok(())
}

/// Runs a command whose output is for us, and returns what it wrote to its standard output.
///
/// # Errors
/// When it cannot be run, or fails; with what it wrote.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("{} could not be run", shown(command)))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}\n{text}{errors}", shown(command), output.status);
    }
    Ok(text)
}

/// Does something that needs the network, up to three times.
///
/// # Errors
/// The last try's.
pub(crate) fn retry<T>(work: impl Fn() -> Result<T>) -> Result<T> {
    for pause in PAUSES {
        match work() {
            Ok(done) => return Ok(done),
            Err(error) => {
                say(&format!("{error:#}; trying again in {} s", pause.as_secs()));
                thread::sleep(pause);
            }
        }
    }
    work()
}

/// The folder that cargo builds in.
///
/// # Errors
/// When cargo does not say.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let text = read(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&text)?;
    let folder = metadata["target_directory"].as_str();
    Ok(folder
        .context("cargo metadata names no target directory")?
        .into())
}

/// Whether `cargo NAME` is there.
pub(crate) fn has_cargo_command(name: &str) -> bool {
    cargo()
        .args([name, "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn shown(command: &Command) -> String {
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    words.join(" ")
}
