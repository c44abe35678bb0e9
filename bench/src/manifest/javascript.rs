//! The npm packages `canonicalize` and `@noble/hashes`, on the same files.

use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result};
use deedbox_neighbours::tools;
use serde_json::Value;

use super::inputs::Input;

pub(crate) struct Measured {
    pub(crate) hash: String,
    pub(crate) nanoseconds: f64,
}

/// In the order of `inputs`.
pub(crate) fn measure(inputs: &[Input]) -> Result<Vec<Measured>> {
    let folder = tempfile::tempdir()?;
    let mut node = tools::node_command()?;
    node.arg(tools::root().join("bench/js/manifest.mjs"));
    let mut files = Vec::new();
    for (at, input) in inputs.iter().enumerate() {
        let file = folder.path().join(format!("{at}.json"));
        fs::write(&file, &input.bytes)?;
        node.arg(&file);
        files.push(file.display().to_string());
    }
    let output = node.output().context("Node.js could not be started")?;
    anyhow::ensure!(
        output.status.success(),
        "the npm packages failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let results: BTreeMap<String, Value> = serde_json::from_slice(&output.stdout)?;
    files
        .iter()
        .map(|file| {
            let result = results.get(file).context("a file was not measured")?;
            Ok(Measured {
                hash: result["hash"].as_str().context("no hash")?.to_owned(),
                nanoseconds: result["nanoseconds"].as_f64().context("no time")?,
            })
        })
        .collect()
}
