//! cargo-deny, which judges the dependencies.

use std::process::Command;

use anyhow::Result;
use deedbox_neighbours::tools;

use crate::{
    command::{cargo, command, has_cargo_command, retry, run},
    progress::say,
};

const VERSION: &str = "0.20.2";

/// `cargo-deny`: the one on the `PATH`, else one that is built once into `.tools/`.
///
/// # Errors
/// When it does not build.
pub(crate) fn deny() -> Result<Command> {
    if has_cargo_command("deny") {
        let mut deny = cargo();
        deny.arg("deny");
        return Ok(deny);
    }
    let program = tools::tools().join("bin/cargo-deny");
    if !program.is_file() {
        say("building cargo-deny, once; this takes some minutes");
        retry(|| {
            run(cargo()
                .args(["install", "cargo-deny", "--locked", "--version", VERSION])
                .args(["--quiet", "--no-track", "--root"])
                .arg(tools::tools()))
        })?;
    }
    Ok(command(program))
}
