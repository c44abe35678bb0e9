//! Strangers' clients use the registries: `cast` and viem read and write every function, decode every event, and name what went wrong. What
//! there is to call is read from the contracts' interfaces, so that nothing is forgotten.

use std::{collections::BTreeSet, process::Command};

use alloy_primitives::{Address, hex, keccak256};
use anyhow::{Context, Result, bail, ensure};
use deedbox_neighbours::{
    anvil::{Anvil, artifact},
    tools,
};
use deedbox_tests::registries::{Contract, Entry};
use serde_json::{Value, json};

const URI: &str = "https://tools.example.com/.well-known/ai-tool/translate.json";
const HASH: &str = "0x1111111111111111111111111111111111111111111111111111111111111111";

/// A type, as signatures write it: `(string,bytes)[]` for an array of structures.
fn type_of(parameter: &Value) -> String {
    let kind = parameter["type"].as_str().unwrap_or_default();
    match kind.strip_prefix("tuple") {
        Some(array) => format!("{}{array}", types_of(&parameter["components"])),
        None => kind.to_owned(),
    }
}

fn types_of(parameters: &Value) -> String {
    let parameters = parameters.as_array().into_iter().flatten();
    let types: Vec<_> = parameters.map(type_of).collect();
    format!("({})", types.join(","))
}

/// `name(types)` of a function, an event or an error.
fn signature(item: &Value) -> String {
    let name = item["name"].as_str().unwrap_or_default();
    format!("{name}{}", types_of(&item["inputs"]))
}

/// What a contract's interface has of a kind: `function`, `event` or `error`.
fn items(contract: &str, kind: &str) -> Result<Vec<Value>> {
    let abi = artifact(contract)?["abi"].take();
    let items = abi.as_array().context("no interface")?.iter();
    Ok(items.filter(|item| item["type"] == kind).cloned().collect())
}

/// One call by cast: who sends it, the function, its arguments, and what is printed.
type Step<'a> = (usize, &'a str, Vec<String>, &'a str);

/// cast, beside a node.
struct Cast<'a> {
    node: &'a Anvil,
    contract: &'a str,
    address: String,
    used: BTreeSet<String>,
}

impl<'a> Cast<'a> {
    fn new(node: &'a Anvil, contract: &'a str, at: Address) -> Self {
        Self {
            node,
            contract,
            address: at.to_string(),
            used: BTreeSet::new(),
        }
    }

    fn command(&self, args: &[&str]) -> Result<Command> {
        let mut cast = tools::foundry_command("cast")?;
        cast.env("NO_COLOR", "1").args(args);
        Ok(cast)
    }

    fn run(&self, args: &[&str]) -> Result<String> {
        let output = self.command(args)?.output()?;
        let said = String::from_utf8(output.stdout)?;
        let complaints = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "cast {args:?}: {said}{complaints}");
        Ok(said.trim().to_owned())
    }

    /// Reads or writes, whichever the interface says that the function does.
    fn step(&mut self, (from, function, arguments, printed): Step<'_>) -> Result<()> {
        let functions = items(self.contract, "function")?;
        let item = functions.iter().find(|item| signature(item) == function);
        let item = item.with_context(|| format!("{} has no {function}", self.contract))?;
        let (url, from) = (self.node.url(), self.node.account(from));
        let is_view = matches!(item["stateMutability"].as_str(), Some("view" | "pure"));
        let full = format!("{function}{}", types_of(&item["outputs"]));
        let (verb, function_text) = if is_view {
            ("call", full.as_str())
        } else {
            ("send", function)
        };
        let mut args = vec![verb, "--rpc-url", &url, "--from", from];
        if !is_view {
            args.extend(["--unlocked", "--json"]);
        }
        args.extend([self.address.as_str(), function_text]);
        args.extend(arguments.iter().map(String::as_str));
        let said = self.run(&args)?;
        if is_view {
            ensure!(
                said == printed,
                "{function} printed {said:?}, not {printed:?}"
            );
        } else {
            let receipt: Value = serde_json::from_str(&said)?;
            ensure!(receipt["status"] == "0x1", "{function}: {receipt}");
        }
        self.used.insert(function.to_owned());
        Ok(())
    }

    /// Every function was called, and every event was logged and can be decoded.
    fn finish(&self) -> Result<()> {
        let functions = items(self.contract, "function")?;
        let missing: Vec<_> = functions
            .iter()
            .map(signature)
            .filter(|function| !self.used.contains(function))
            .collect();
        ensure!(missing.is_empty(), "cast never called {missing:?}");
        let url = self.node.url();
        for event in items(self.contract, "event")? {
            let full = signature(&event);
            let found = self.run(&[
                "logs",
                "--json",
                "--rpc-url",
                &url,
                "--from-block",
                "0",
                "--address",
                &self.address,
                &full,
            ])?;
            let logs: Value = serde_json::from_str(&found)?;
            let data = logs[0]["data"].as_str();
            let data = data.with_context(|| format!("{full} was never logged"))?;
            let inputs = event["inputs"].as_array().context("no parameters")?;
            let plain: Vec<_> = inputs
                .iter()
                .filter(|input| input["indexed"] == false)
                .collect();
            if !plain.is_empty() {
                let body = format!("Body{}", types_of(&json!(plain)));
                let decoded = self.run(&["decode-event", "--sig", &body, data])?;
                ensure!(decoded.lines().count() == plain.len(), "{full}: {decoded}");
            }
        }
        Ok(())
    }

    /// Decodes a revert with cast, by the error's name in the contract's interface.
    fn error(&self, data: &[u8]) -> Result<(String, String)> {
        for error in items(self.contract, "error")? {
            let signature = signature(&error);
            if keccak256(&signature)[..4] == data[..4] {
                let data = hex::encode_prefixed(data);
                let decoded = self.run(&["decode-error", "--sig", &signature, &data])?;
                return Ok((signature, decoded));
            }
        }
        bail!("{} knows no error {}", self.contract, hex::encode(data))
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn cast_reads_and_writes_every_function_of_an_agent_registry() -> Result<()> {
    let node = Anvil::start()?;
    let checksum =
        |index: usize| Ok::<_, anyhow::Error>(node.account(index).parse::<Address>()?.to_string());
    let (registrar, ann, bob) = (checksum(0)?, checksum(1)?, checksum(2)?);
    let none: Vec<Entry> = vec![];
    let arguments = (registrar.parse::<Address>()?, none);
    let at = Contract::deploy(&node, "OpenAgentRegistry", arguments)?;
    let mut cast = Cast::new(&node, "OpenAgentRegistry", at.address());
    let one = words(&["1"]);
    let zero = Address::ZERO.to_string();
    let steps: Vec<Step<'_>> = vec![
        (
            1,
            "register(address,string,string,address)",
            words(&[&ann, "mcp", "https://a.example", &ann]),
            "",
        ),
        (
            1,
            "register(address,(string,bytes)[])",
            words(&[&ann, "[(name,0x416e6e)]"]),
            "",
        ),
        (
            1,
            "registerBatch(address[],(string,bytes)[][])",
            words(&[&format!("[{ann},{bob}]"), "[[],[(name,0x426f62)]]"]),
            "",
        ),
        (0, "agentCount()", vec![], "4"),
        (0, "ownerOf(uint256)", one.clone(), &ann),
        (0, "balanceOf(address,uint256)", words(&[&ann, "1"]), "1"),
        (
            0,
            "metadata(uint256,string)",
            words(&["2", "name"]),
            "0x416e6e",
        ),
        (
            1,
            "setMetadata(uint256,string,bytes)",
            words(&["1", "name", "0x41"]),
            "",
        ),
        (
            1,
            "setMetadataBatch(uint256,(string,bytes)[])",
            words(&["1", "[(service,0x42),(service_type,0x43)]"]),
            "",
        ),
        (
            0,
            "metadata(uint256,string)",
            words(&["1", "service"]),
            "0x42",
        ),
        (
            1,
            "approve(address,uint256,uint256)",
            words(&[&bob, "1", "1"]),
            "",
        ),
        (
            0,
            "allowance(address,address,uint256)",
            words(&[&ann, &bob, "1"]),
            "1",
        ),
        (
            2,
            "transferFrom(address,address,uint256,uint256)",
            words(&[&ann, &bob, "1", "1"]),
            "",
        ),
        (
            2,
            "transfer(address,uint256,uint256)",
            words(&[&ann, "1", "1"]),
            "",
        ),
        (1, "setOperator(address,bool)", words(&[&bob, "true"]), ""),
        (
            0,
            "isOperator(address,address)",
            words(&[&ann, &bob]),
            "true",
        ),
        (
            0,
            "setContractMetadata(string,bytes)",
            words(&["name", "0x4167656e7473"]),
            "",
        ),
        (
            0,
            "contractMetadata(string)",
            words(&["name"]),
            "0x4167656e7473",
        ),
        (
            0,
            "supportsInterface(bytes4)",
            words(&["0x2bb55cdc"]),
            "true",
        ),
        (0, "registrar()", vec![], &registrar),
        (0, "nominateRegistrar(address)", words(&[&bob]), ""),
        (0, "nominatedRegistrar()", vec![], &bob),
        (2, "acceptRegistrar()", vec![], ""),
        (2, "renounceRegistrar()", vec![], ""),
        (0, "registrar()", vec![], &zero),
    ];
    for step in steps {
        cast.step(step)?;
    }
    cast.finish()?;

    let data = at.fault(
        0,
        "ownerOf(uint256)",
        (deedbox_tests::registries::number(9),),
    )?;
    assert_eq!(
        cast.error(&data)?,
        ("AgentNotFound(uint256)".to_owned(), "9".to_owned())
    );
    let data = at.fault(
        0,
        "setContractMetadata(string,bytes)",
        (String::new(), deedbox_tests::chain::bytes("")),
    )?;
    assert_eq!(
        cast.error(&data)?,
        ("NotRegistrar(address)".to_owned(), registrar)
    );
    Ok(())
}

#[test]
fn cast_reads_and_writes_every_function_of_a_tool_registry_and_of_a_predicate() -> Result<()> {
    let node = Anvil::start()?;
    let creator = node.account(1).parse::<Address>()?.to_string();
    let at = Contract::deploy(&node, "ToolRegistry", ())?;
    let deny = Contract::deploy(&node, "AlwaysDenyPredicate", ())?;
    let (zero, predicate) = (Address::ZERO.to_string(), deny.address().to_string());
    let config = format!("({creator}, \"{URI}\", {HASH}, {predicate})");
    let ask = words(&["1", &creator, "0x"]);
    let mut cast = Cast::new(&node, "ToolRegistry", at.address());
    let steps: Vec<Step<'_>> = vec![
        (
            1,
            "registerTool(string,bytes32,address)",
            words(&["https://old.example", HASH, &zero]),
            "",
        ),
        (0, "toolCount()", vec![], "1"),
        (0, "hasAccess(uint256,address,bytes)", ask.clone(), "true"),
        (
            1,
            "updateToolMetadata(uint256,string,bytes32)",
            words(&["1", URI, HASH]),
            "",
        ),
        (
            1,
            "setAccessPredicate(uint256,address)",
            words(&["1", &predicate]),
            "",
        ),
        (0, "getToolConfig(uint256)", words(&["1"]), &config),
        (
            0,
            "tryHasAccess(uint256,address,bytes)",
            ask.clone(),
            "true\nfalse",
        ),
        (1, "deregisterTool(uint256)", words(&["1"]), ""),
        (0, "name()", vec![], "\"DeedboxToolRegistry\""),
        (0, "version()", vec![], "\"1.0\""),
        (
            0,
            "supportsInterface(bytes4)",
            words(&["0xf1dc8075"]),
            "true",
        ),
    ];
    for step in steps {
        cast.step(step)?;
    }
    cast.finish()?;
    let data = at.fault(
        0,
        "deregisterTool(uint256)",
        (deedbox_tests::registries::number(1),),
    )?;
    assert_eq!(
        cast.error(&data)?,
        ("ToolIsDeregistered(uint256)".to_owned(), "1".to_owned())
    );

    let mut cast = Cast::new(&node, "AlwaysDenyPredicate", deny.address());
    let kind = items("AlwaysDenyPredicate", "function")?;
    ensure!(kind.len() == 4, "a predicate of four functions: {kind:?}");
    let required = deny.call(
        0,
        "getRequirements(uint256)",
        (deedbox_tests::registries::number(1),),
    )?;
    ensure!(required.is_ok(), "getRequirements reverts");
    let steps: Vec<Step<'_>> = vec![
        (0, "hasAccess(uint256,address,bytes)", ask, "false"),
        (0, "name()", vec![], "\"AlwaysDenyPredicate\""),
        (
            0,
            "supportsInterface(bytes4)",
            words(&["0xbdf9dc18"]),
            "true",
        ),
    ];
    for step in steps {
        cast.step(step)?;
    }
    let url = node.url();
    let full = "getRequirements(uint256)((bytes4,bytes,string)[],uint8)";
    let said = cast.run(&["call", "--rpc-url", &url, &predicate, full, "1"])?;
    assert!(said.starts_with("[(0x"), "{said}");
    cast.used.insert("getRequirements(uint256)".to_owned());
    cast.finish()
}

#[test]
fn viem_reads_and_writes_every_function_through_typed_contracts() -> Result<()> {
    let node = Anvil::start()?;
    let output = Command::new(tools::node()?)
        .current_dir(tools::contracts())
        .args(["clients/registries.mjs", &node.url()])
        .arg(tools::registry_artifacts())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{said}{complaints}");
    // Each contract, with as many functions as its interface has.
    for contract in ["OpenAgentRegistry", "ToolRegistry", "AlwaysDenyPredicate"] {
        let functions = items(contract, "function")?.len();
        let line = format!("{contract}: {functions} functions");
        ensure!(said.contains(&line), "no {line:?} in {said}");
    }
    Ok(())
}
