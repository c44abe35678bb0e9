//! Node.js and the npm packages of the client tests.

use std::fs;

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
    let folder = tools::ts_clients();
    let stamp = Stamp::of("npm", &folder.join("package-lock.json"))?;
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
                .current_dir(&folder))
        })?;
        stamp.keep()?;
    }
    tools::node().context("the client tests need Node.js")?;
    Ok(())
}
