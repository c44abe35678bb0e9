//! Node.js and the npm packages of the client tests.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::tools;

use super::Stamp;
use crate::command::{command, retry, run};

/// Installs exactly what `tests/clients/ts/package-lock.json` lists; on 64-bit Linux that brings a Node.js
/// of its own.
///
/// # Errors
/// When there is no npm, or it fails three times, or the Node.js at hand is too old.
pub(crate) fn npm_packages() -> Result<()> {
    install("npm", &tools::ts_clients())?;
    tools::node().context("the client tests need Node.js")?;
    Ok(())
}

/// Installs what `bench/js/package-lock.json` lists, besides the Node.js that runs it.
///
/// # Errors
/// As [`npm_packages`].
pub(crate) fn benchmark_packages() -> Result<()> {
    npm_packages()?;
    install("npm-bench", &tools::root().join("bench/js"))
}

/// Installs what `contracts/package-lock.json` lists: a Solidity compiler, foundry's programs and a client.
///
/// # Errors
/// When there is no npm, or it fails three times.
pub(crate) fn contract_packages() -> Result<()> {
    install("npm-contracts", &tools::contracts())
}

fn install(name: &str, folder: &Path) -> Result<()> {
    let stamp = Stamp::of(name, &folder.join("package-lock.json"))?;
    if !(stamp.is_current() && fs::exists(folder.join("node_modules"))?) {
        ensure!(
            tools::on_path("npm").is_some(),
            "npm was not found: install Node.js 20 or newer, which brings it"
        );
        stamp.forget()?;
        retry(|| {
            run(command("npm")
                .args([
                    "ci",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    "--loglevel=error",
                ])
                .current_dir(folder))
        })?;
        stamp.keep()?;
    }
    Ok(())
}
