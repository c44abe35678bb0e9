//! The compiler among the npm packages, with the settings of `contracts/foundry.toml`: what forge tests is what we ship.

use std::{
    collections::BTreeMap,
    fs,
    io::{Seek, Write},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use deedbox_neighbours::tools;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::sources;
use crate::{
    command::{command, read},
    install,
};

/// The compiler, its version and our settings.
#[derive(Debug)]
pub(super) struct Compiler {
    version: String,
    profile: Profile,
}

/// Those of forge's settings that decide what the compiler makes. The others decide how forge works.
#[derive(Debug, Deserialize)]
struct Profile {
    evm_version: String,
    optimizer: bool,
    optimizer_runs: u32,
    #[serde(default)]
    via_ir: bool,
    bytecode_hash: String,
    cbor_metadata: bool,
}

#[derive(Debug, Deserialize)]
struct Foundry {
    profile: BTreeMap<String, Profile>,
}

/// One contract, as a program embeds it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact<'a> {
    name: &'a str,
    source: &'a str,
    compiler: &'a str,
    settings: Value,
    abi: &'a Value,
    bytecode: String,
    deployed_bytecode: String,
    /// Where the deployed code holds values that its constructor was given: the same contract on chain differs there and nowhere else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    immutable_references: Vec<Place>,
}

/// A stretch of code, in bytes.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
struct Place {
    start: usize,
    length: usize,
}

impl Profile {
    /// As Standard JSON has them.
    fn settings(&self) -> Value {
        json!({
            "evmVersion": self.evm_version,
            "metadata": {"appendCBOR": self.cbor_metadata, "bytecodeHash": self.bytecode_hash},
            "optimizer": {"enabled": self.optimizer, "runs": self.optimizer_runs},
            "viaIR": self.via_ir,
        })
    }
}

impl Compiler {
    /// Installs it, where it is not there yet, and reads the settings.
    ///
    /// # Errors
    /// When it cannot be had, or the settings lack one that we need.
    pub(super) fn new() -> Result<Self> {
        install::npm_packages()?;
        install::contract_packages()?;
        let text = fs::read_to_string(tools::contracts().join("foundry.toml"))?;
        let mut foundry: Foundry = toml::from_str(&text).context("contracts/foundry.toml")?;
        let profile = foundry.profile.remove("default");
        let said = read(solc()?.arg("--version"))?;
        let version = said.lines().find_map(|line| line.strip_prefix("Version: "));
        Ok(Self {
            version: version
                .and_then(|version| version.strip_suffix(".Linux.g++"))
                .with_context(|| format!("solc.mjs --version said {said:?}"))?
                .to_owned(),
            profile: profile.context("contracts/foundry.toml has no default profile")?,
        })
    }

    /// Every contract of `contracts/src` that can be deployed: its name, and its artifact as text.
    ///
    /// # Errors
    /// When the compiler complains, be it a warning, or two contracts have one name.
    pub(super) fn registries(&self) -> Result<BTreeMap<String, String>> {
        let settings = self.profile.settings();
        let output = compile(&sources("src")?, &settings, &["error", "warning"])?;
        let mut made = BTreeMap::new();
        for contract in output.deployable() {
            let references = contract.evm["deployedBytecode"]["immutableReferences"].as_object();
            let mut immutable_references = Vec::new();
            for places in references
                .into_iter()
                .flat_map(|references| references.values())
            {
                immutable_references.extend(Vec::<Place>::deserialize(places)?);
            }
            immutable_references.sort();
            let artifact = Artifact {
                name: contract.name,
                source: contract.source,
                compiler: &self.version,
                settings: settings.clone(),
                abi: contract.abi,
                bytecode: contract.code("bytecode")?,
                deployed_bytecode: contract.code("deployedBytecode")?,
                immutable_references,
            };
            let text = format!("{}\n", serde_json::to_string_pretty(&artifact)?);
            ensure!(
                made.insert(contract.name.to_owned(), text).is_none(),
                "two contracts are named {}",
                contract.name
            );
        }
        Ok(made)
    }

    /// Every contract of `contracts/fixtures`, in the one file that tests read.
    ///
    /// # Errors
    /// When the compiler refuses a source; some fixtures are odd on purpose, and it may warn of them.
    pub(super) fn fixtures(&self) -> Result<String> {
        let settings = json!({
            // Runs on every fork that the tests start.
            "evmVersion": "paris",
            "metadata": {"bytecodeHash": "none"},
            "optimizer": {"enabled": true, "runs": 200},
        });
        let output = compile(&sources("fixtures")?, &settings, &["error"])?;
        let mut lines = BTreeMap::new();
        for contract in output.deployable() {
            let artifact = json!({
                "abi": contract.abi,
                "bytecode": contract.code("bytecode")?,
                "runtime": contract.code("deployedBytecode")?,
            });
            lines.insert(
                contract.name,
                format!("  {}: {artifact}", json!(contract.name)),
            );
        }
        let lines: Vec<_> = lines.into_values().collect();
        Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
    }
}

/// What the compiler made of some sources.
#[derive(Debug)]
struct Output(Value);

/// One contract of an [`Output`].
#[derive(Debug)]
struct Contract<'a> {
    source: &'a str,
    name: &'a str,
    abi: &'a Value,
    evm: &'a Value,
}

impl Output {
    /// The contracts that are neither abstract nor an interface nor a library, by source and name.
    fn deployable(&self) -> impl Iterator<Item = Contract<'_>> {
        let sources = self.0["contracts"].as_object();
        let contracts = sources
            .into_iter()
            .flatten()
            .flat_map(|(source, contracts)| {
                let contracts = contracts.as_object().into_iter().flatten();
                contracts.map(move |(name, made)| (source.as_str(), name.as_str(), made))
            });
        contracts
            .filter(|(source, name, _)| self.is_deployable(source, name))
            .map(|(source, name, made)| Contract {
                source,
                name,
                abi: &made["abi"],
                evm: &made["evm"],
            })
    }

    fn is_deployable(&self, source: &str, name: &str) -> bool {
        let nodes = self.0["sources"][source]["ast"]["nodes"].as_array();
        nodes.into_iter().flatten().any(|node| {
            node["name"] == name && node["contractKind"] == "contract" && node["abstract"] == false
        })
    }
}

impl Contract<'_> {
    /// `bytecode` or `deployedBytecode`, in hex.
    fn code(&self, which: &str) -> Result<String> {
        let digits = self.evm[which]["object"].as_str();
        Ok(format!("0x{}", digits.context("no code was made")?))
    }
}

/// Compiles `sources` with `settings`, to which it adds what to tell. Complaints of the severities in `refused` are failures.
fn compile(
    sources: &BTreeMap<String, String>,
    settings: &Value,
    refused: &[&str],
) -> Result<Output> {
    let mut settings = settings.clone();
    settings["outputSelection"] = json!({"*": {"": ["ast"], "*": [
        "abi", "evm.bytecode.object", "evm.deployedBytecode.object", "evm.deployedBytecode.immutableReferences",
    ]}});
    let sources: BTreeMap<_, _> = sources
        .iter()
        .map(|(path, text)| (path, json!({"content": text})))
        .collect();
    let input = json!({"language": "Solidity", "sources": sources, "settings": settings});

    let mut file = tempfile::tempfile()?;
    write!(file, "{input}")?;
    file.rewind()?;
    let output: Value = serde_json::from_str(&read(solc()?.stdin(file))?)?;
    let complaints: Vec<_> = output["errors"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|complaint| {
            refused
                .iter()
                .any(|severity| complaint["severity"] == *severity)
        })
        .filter_map(|complaint| complaint["formattedMessage"].as_str())
        .collect();
    if !complaints.is_empty() {
        bail!("the compiler complains:\n{}", complaints.join("\n"));
    }
    Ok(Output(output))
}

/// The compiler, which reads Standard JSON from its input.
fn solc() -> Result<Command> {
    let mut solc = command(tools::node()?);
    solc.arg("solc.mjs").current_dir(tools::contracts());
    Ok(solc)
}
