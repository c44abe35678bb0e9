//! `cargo xtask contracts test`: the contracts' own tests, what those reach, what the contracts cost, and what an analyser says of them.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::tools;
use serde_json::Value;

use super::{analysis, coverage, gas, shown};
use crate::{
    command::{read, run as shown_run},
    install,
    progress::{say, step},
};

/// Runs of a fuzz test and of an invariant where only what they reach counts: the code is not optimised then, and slow.
const REACHING: [(&str, &str); 2] = [("FOUNDRY_FUZZ_RUNS", "32"), ("FOUNDRY_INVARIANT_RUNS", "4")];

/// Checks all of it. With `renew_gas`, what the contracts cost now is written down as what they may cost.
///
/// # Errors
/// At the first thing that does not pass.
pub(crate) fn run(renew_gas: bool) -> Result<()> {
    install::npm_packages()?;
    install::contract_packages()?;
    step("Contracts: formatting", || {
        shown_run(forge()?.args(["fmt", "--check", "src", "test"]))
    })?;
    step("Contracts: lints and sizes", || {
        shown_run(forge()?.args(["build", "--sizes", "--skip", "test"]))
    })?;
    step("Contracts: tests", || {
        say("the seed is in contracts/foundry.toml; FOUNDRY_FUZZ_SEED=0x… chooses another");
        shown_run(forge()?.args(["test", "--no-match-path", gas::TESTS]))
    })?;
    step("Contracts: what was tested is what is committed", same_code)?;
    step("Contracts: coverage", || coverage::check(&reached()?))?;
    step("Contracts: gas", || gas::check(&spent()?, renew_gas))?;
    step("Contracts: analysis", || analysis::check(&analysed()?))
}

/// Compares the code that forge compiled together with the tests with the committed one.
fn same_code() -> Result<()> {
    let mut compared = 0_u32;
    for entry in fs::read_dir(tools::registry_artifacts())? {
        let path = entry?.path();
        let kept: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        let text = |key: &str| {
            kept[key]
                .as_str()
                .with_context(|| format!("{key} of {}", shown(&path)))
        };
        let file = Path::new(text("source")?)
            .file_name()
            .context("a source has a name")?;
        let made = tools::contracts()
            .join("out")
            .join(file)
            .join(text("name")?)
            .with_extension("json");
        let made: Value =
            serde_json::from_str(&fs::read_to_string(&made).with_context(|| shown(&made))?)?;
        for code in ["bytecode", "deployedBytecode"] {
            ensure!(
                made[code]["object"] == kept[code],
                "forge makes another {code} of {} than the committed one; is it stale? `cargo xtask contracts` renews it",
                text("name")?
            );
        }
        compared += 1;
    }
    ensure!(compared > 0, "no contract is committed");
    say(&format!("{compared} contracts have the same code"));
    Ok(())
}

/// What the tests reach, as LCOV writes it.
fn reached() -> Result<String> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("lcov.info");
    read(
        forge()?
            .envs(REACHING)
            .args([
                "coverage",
                "--exclude-tests",
                "--report",
                "lcov",
                "--report-file",
            ])
            .arg(&file)
            .args(["--no-match-path", gas::TESTS]),
    )?;
    Ok(fs::read_to_string(file)?)
}

/// What the calls of the gas tests cost, each as a transaction of its own: group to name to gas.
fn spent() -> Result<Value> {
    let folder = tools::contracts().join("cache/gas");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    read(forge()?.env("FOUNDRY_SNAPSHOTS", &folder).args([
        "test",
        "--isolate",
        "--match-path",
        gas::TESTS,
    ]))?;
    let mut groups = serde_json::Map::new();
    for entry in fs::read_dir(&folder).context("no gas test measured anything")? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let costs = serde_json::from_str(&fs::read_to_string(&path)?)?;
        groups.insert(name.into_owned(), costs);
    }
    Ok(groups.into())
}

/// What slither finds, in its own JSON.
fn analysed() -> Result<Value> {
    let slither = install::slither()?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("findings.json");
    // It ends with a failure when it found anything; whether that is one is ours to say.
    let output = with_foundry(slither)?
        .args([".", "--filter-paths", "test/", "--json"])
        .arg(&file)
        .output()?;
    let text = fs::read_to_string(&file)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok(serde_json::from_str(&text)?)
}

fn forge() -> Result<Command> {
    tools::foundry_command("forge")
}

/// `command` in the folder of the contracts, with forge and a Node.js where it looks for programs.
fn with_foundry(mut command: Command) -> Result<Command> {
    let forge = forge()?;
    let forge_folder = Path::new(forge.get_program()).parent().map(Path::to_owned);
    let path = forge.get_envs().find(|(name, _)| *name == "PATH");
    let path = path.and_then(|(_, value)| value).context("a PATH")?;
    let folders = forge_folder.into_iter().chain(std::env::split_paths(path));
    command
        .current_dir(tools::contracts())
        .env("PATH", std::env::join_paths(folders)?);
    Ok(command)
}
