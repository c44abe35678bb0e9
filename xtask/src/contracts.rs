//! `cargo xtask contracts`: the contracts that tests deploy, compiled into one file. The tests need no compiler.

use std::{fs, path::PathBuf};

use anyhow::{Result, bail};
use deedbox_neighbours::tools;

use crate::{
    command::{command, read},
    install,
    progress::say,
};

/// Compiles `contracts/fixtures/*.sol` and writes `artifacts.json` beside them.
///
/// # Errors
/// When the compiler cannot be had, or refuses a source.
pub(crate) fn renew() -> Result<()> {
    let made = compile()?;
    if fs::read_to_string(kept()).is_ok_and(|kept| kept == made) {
        say("contracts: nothing to renew");
        return Ok(());
    }
    fs::write(kept(), made)?;
    say("contracts: renewed");
    Ok(())
}

/// Fails when [`renew`] would change something.
///
/// # Errors
/// Then, and as [`renew`].
pub(crate) fn check() -> Result<()> {
    if fs::read_to_string(kept())? != compile()? {
        bail!(
            "contracts/fixtures/artifacts.json is stale: run `cargo xtask contracts` and commit what it wrote"
        );
    }
    Ok(())
}

fn kept() -> PathBuf {
    tools::contracts().join("fixtures/artifacts.json")
}

fn compile() -> Result<String> {
    install::npm_packages()?;
    install::contract_packages()?;
    read(
        command(tools::node()?)
            .arg("compile.mjs")
            .current_dir(tools::contracts()),
    )
}
