//! `deedbox registry describe`: what stands at an address, and whether it can be changed under those who rely on it.

use std::{process::ExitCode, sync::Arc};

use alloy_primitives::Address;
use deedbox_chain::Block;
use deedbox_core::World;
use deedbox_id::StorageKey;
use deedbox_registry::{Inspection, inspect::Kind, inspect_keys};
use serde_json::Value;

use super::{contract, entries::storage_key, names::Contract};
use crate::{
    accounts::holds_key,
    chains,
    commands::read::shown::untrusted,
    failure::Failure,
    render::{Output, line, moment},
    settings::{Environment, Settings},
};

/// A contract that is to be looked at.
pub(in crate::commands) struct Describe {
    registry: Contract,
    block: Block,
    /// Keys of its metadata besides those of the standards.
    keys: Vec<StorageKey>,
}

impl Describe {
    /// Reads the block and the keys.
    ///
    /// # Errors
    /// [`Failure::Argument`].
    pub(super) fn of(registry: Contract, block: &str, keys: &[String]) -> Result<Self, Failure> {
        let block = block
            .parse()
            .map_err(|error| Failure::argument("--block", error))?;
        if keys.iter().any(|key| holds_key(key)) {
            let reason = "takes a key of metadata, like terms, and this looks like a private key. If it is one, move what it controls to another account, because \
                          it stands in the shell's history now";
            return Err(Failure::argument("--key", reason));
        }
        let keys = keys.iter().map(|key| storage_key("--key", key));
        Ok(Self {
            registry,
            block,
            keys: keys.collect::<Result<_, _>>()?,
        })
    }
}

/// Looks, and shows what is there.
///
/// # Errors
/// [`Failure::Unread`]; what is wrong with the settings.
pub(in crate::commands) async fn describe(
    settings: &Settings,
    environment: &Environment,
    world: Arc<dyn World>,
    output: &Output,
    describe: Describe,
) -> Result<ExitCode, Failure> {
    let Contract { chain_id, address } = describe.registry;
    let (chains, _) = chains::open(settings, environment, world)?;
    let found = inspect_keys(&chains, chain_id, describe.block, address, &describe.keys)
        .await
        .map_err(Failure::Unread)?;
    let failed = |error: serde_json::Error| Failure::io("writing the result", error.into());
    let mut value = serde_json::to_value(&found).map_err(failed)?;
    if let (Some(value), Ok(Value::Object(at))) = (
        value.as_object_mut(),
        serde_json::to_value(&found.provenance),
    ) {
        value.extend(at);
    }
    value["names"] = contract(chain_id, address);
    value["judgement"] = judgement(&found).into();
    output.print(&value, |output| text(&found, &value, output))?;
    Ok(ExitCode::from(u8::from(found.standard().is_none())))
}

/// What it is, in words.
pub(in crate::commands) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::NoCode => "no contract: there is no code",
        Kind::DelegatedAccount => "somebody's account, which delegates to a contract (EIP-7702)",
        Kind::AgentRegistry => "an agent registry (ERC-8122)",
        Kind::OlderDraftAgentRegistry => {
            "an agent registry after an older draft of ERC-8122; this program does not write to those"
        }
        Kind::ToolRegistry => "a tool registry (ERC-8257)",
        Kind::AccessPredicate => "an access predicate (ERC-8257)",
        Kind::OlderDraftAccessPredicate => "an access predicate after an older draft of ERC-8257",
        Kind::Other => "a contract that claims to be no registry",
    }
}

/// What whoever relies on it should know, one sentence each.
pub(in crate::commands) fn judgement(found: &Inspection) -> Vec<String> {
    let mut says = Vec::new();
    if let Some(proxy) = &found.proxy {
        let who = [proxy.admin, proxy.beacon].into_iter().flatten().next();
        let who = who.map_or_else(
            || "whoever its implementation lets".to_owned(),
            |who| who.to_string(),
        );
        says.push(format!(
            "It is a proxy (ERC-1967): what it does can be replaced by {who}."
        ));
    }
    match found.known_as {
        Some(name) => says.push(format!(
            "Its code is the {name} that this program deploys, byte by byte: nobody can change it."
        )),
        None if found.code_hash.is_some() => says.push(
            "Its code is none of those that this program deploys; who may change what is for its source to tell.".to_owned(),
        ),
        None => {}
    }
    if found.claims_everything {
        says.push("It claims every interface there is, so its claims say nothing.".to_owned());
    }
    if matches!(found.kind, Kind::AgentRegistry) {
        says.push(match found.registrar {
            Some(Address::ZERO) => {
                "It has no registrar, for ever: its metadata is final.".to_owned()
            }
            Some(registrar) => format!(
                "Its registrar, {registrar}, sets its metadata{}.",
                match found.known_as {
                    Some("OpenAgentRegistry") => "; everybody registers agents",
                    Some("CuratedAgentRegistry" | "FixedSupplyAgentRegistry") =>
                        " and alone admits agents",
                    _ => "",
                }
            ),
            None => "It names no registrar.".to_owned(),
        });
    }
    says
}

/// Of an agent registry, the keys that were asked for and that it has nothing under. What else there is, it cannot be asked.
fn unset(found: &Inspection) -> Option<String> {
    if found.kind != Kind::AgentRegistry {
        return None;
    }
    let is_set = |key: &&String| found.metadata.iter().any(|(set, _)| set == *key);
    let unset = found.metadata_keys.iter().filter(|key| !is_set(key));
    let unset: Vec<String> = unset.map(|key| line(key)).collect();
    let unset = if unset.is_empty() {
        "none of what was asked for".to_owned()
    } else {
        unset.join(", ")
    };
    Some(format!("{unset}; --key asks for others"))
}

fn text(found: &Inspection, value: &Value, output: &Output) -> String {
    let mut rows: Vec<(&str, String)> = vec![
        ("kind", kind(found.kind).to_owned()),
        ("address", found.address.to_string()),
    ];
    for key in ["caip10", "erc7930"] {
        if let Some(name) = value["names"][key].as_str() {
            rows.push(("", name.to_owned()));
        }
    }
    let said = |text: &Value| (!text.is_null()).then(|| untrusted(text, output));
    let mut add = |name, value: Option<String>| rows.extend(value.map(|value| (name, value)));
    add(
        "code",
        found
            .code_hash
            .map(|hash| format!("{} bytes, keccak256 {hash}", found.code_bytes)),
    );
    add("known as", found.known_as.map(str::to_owned));
    add("name", said(&value["name"]));
    add("version", said(&value["version"]));
    let claims = found.interfaces.iter().map(|claimed| claimed.name);
    let claims = claims.collect::<Vec<_>>().join(", ");
    add("claims", Some(claims).filter(|claims| !claims.is_empty()));
    add("registered", found.count.map(|count| count.to_string()));
    add("at most", found.max_supply.map(|most| most.to_string()));
    let nobody = |address: Address| match address {
        Address::ZERO => "nobody".to_owned(),
        address => address.to_string(),
    };
    add("registrar", found.registrar.map(nobody));
    let nominee = found.registrar_nominee.filter(|nominee| !nominee.is_zero());
    add("nominee", nominee.map(nobody));
    add(
        "serves",
        found.serves.map(|caller| format!("{caller} only")),
    );
    for (index, entry) in value["metadata"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let key = line(entry[0].as_str().unwrap_or_default());
        let name = if index == 0 { "metadata" } else { "" };
        add(
            name,
            Some(format!("{key}: {}", untrusted(&entry[1], output))),
        );
    }
    add("not set", unset(found));
    let at = &found.provenance;
    add("chain", Some(at.chain_id.to_string()));
    add(
        "block",
        Some(format!("{} {}", at.block_number, at.block_hash)),
    );
    add("block time", Some(moment(at.block_timestamp)));
    add("endpoint", Some(at.endpoint_id.to_string()));
    let mut lines: Vec<String> = rows
        .into_iter()
        .map(|(name, value)| format!("{} {value}", output.paint.faint(&format!("{name:<10}"))))
        .collect();
    lines.push(String::new());
    lines.extend(judgement(found));
    lines.join("\n")
}
