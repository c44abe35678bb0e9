//! `cargo xtask contracts`: the contracts, compiled into files that are committed, so that no build and no test needs a compiler.

mod analysis;
mod answers;
mod compile;
mod coverage;
mod gas;
pub(crate) mod test;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::tools;

use self::compile::Compiler;
use crate::progress::say;

/// What is compiled and not committed yet, or no longer made: file to content, and nothing for a file that must go.
type Stale = BTreeMap<PathBuf, Option<String>>;

/// Compiles `contracts/src` into `crates/deedbox-registry/artifacts`, and `contracts/fixtures` into the one file beside them.
///
/// # Errors
/// When the compiler cannot be had, or complains about a source.
pub(crate) fn renew() -> Result<()> {
    let stale = stale()?;
    if stale.is_empty() {
        say("contracts: nothing to renew");
    }
    for (path, content) in &stale {
        match content {
            Some(content) => fs::write(path, content)?,
            None => fs::remove_file(path)?,
        }
        say(&format!("contracts: renewed {}", shown(path)));
    }
    Ok(())
}

/// Fails when [`renew`] would change something.
///
/// # Errors
/// Then, and as [`renew`].
pub(crate) fn check() -> Result<()> {
    let stale = stale()?;
    let names: Vec<_> = stale.keys().map(|path| shown(path)).collect();
    ensure!(
        names.is_empty(),
        "stale: {}; run `cargo xtask contracts` and commit what it wrote",
        names.join(", ")
    );
    Ok(())
}

fn stale() -> Result<Stale> {
    let compiler = Compiler::new()?;
    let folder = tools::registry_artifacts();
    fs::create_dir_all(&folder)?;
    let mut made: BTreeMap<PathBuf, String> = compiler
        .registries()?
        .into_iter()
        .map(|(name, text)| (folder.join(name).with_extension("json"), text))
        .collect();
    made.insert(
        tools::contracts().join("fixtures/artifacts.json"),
        compiler.fixtures()?,
    );

    let mut stale = Stale::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if !made.contains_key(&path) {
            stale.insert(path, None);
        }
    }
    for (path, text) in made {
        if !fs::read_to_string(&path).is_ok_and(|kept| kept == text) {
            stale.insert(path, Some(text));
        }
    }
    Ok(stale)
}

/// A path as somebody in the root of the repository would type it.
fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(tools::root()).unwrap_or(path);
    inside.display().to_string()
}

/// Every Solidity file below `folder`: its path from the folder of all contracts, with `/` between its parts, and its text.
fn sources(folder: &str) -> Result<BTreeMap<String, String>> {
    let root = tools::contracts();
    let (mut found, mut folders) = (BTreeMap::new(), vec![root.join(folder)]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| shown(&folder))?;
        for path in entries.map(|entry| entry.map(|entry| entry.path())) {
            let path = path?;
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "sol") {
                let parts = path.strip_prefix(&root)?.components();
                let parts: Vec<_> = parts
                    .map(|part| part.as_os_str().to_string_lossy())
                    .collect();
                found.insert(parts.join("/"), fs::read_to_string(&path)?);
            }
        }
    }
    Ok(found)
}
