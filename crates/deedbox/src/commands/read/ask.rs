//! From the commands that ask registries to the readings that they are.

use deedbox_registry::AgentId;
use deedbox_server::{Operation, Tool};
use serde_json::{Value, json};

use super::Prepared;
use crate::{
    accounts::holds_key,
    cli::{Access, Common, Compare, OnChain, Resolve, ToolLook, ToolName, Verify},
    commands::publishing::{agent_identifier, tool_reference},
    failure::Failure,
    settings::Flags,
};

/// `deedbox agent resolve`
///
/// # Errors
/// Which argument is not what it should be.
pub(in crate::commands) fn agent(resolve: Resolve, flags: &mut Flags) -> Result<Prepared, Failure> {
    resolve.keys.iter().try_for_each(|key| no_key(key))?;
    let mut arguments = json!({
        "agent": agent_identifier(&resolve.agent)?,
        "block": resolve.at.block,
        "keys": resolve.keys,
        "spenders": resolve.spenders,
    });
    add(&mut arguments, "ipfs_gateway", resolve.gateway);
    let named = arguments["agent"].as_str().unwrap_or_default();
    if named.parse::<AgentId>().is_err() {
        // Who may be meant is told by whoever has the index.
        return Prepared::of(Tool::ResolveAgent, arguments, resolve.common, flags);
    }
    checked(Tool::ResolveAgent, arguments, resolve.common, flags)
}

/// `deedbox tool verify`, `access` and `compare`
///
/// # Errors
/// Which argument is not what it should be.
pub(in crate::commands) fn tool(look: ToolLook, flags: &mut Flags) -> Result<Prepared, Failure> {
    match look {
        ToolLook::Verify(verify) => self::verify(verify, flags),
        ToolLook::Access(access) => self::access(access, flags),
        ToolLook::Compare(compare) => self::compare(compare, flags),
    }
}

/// That what should be a key of metadata is no private key.
///
/// # Errors
/// [`Failure::Argument`], which does not repeat it.
pub(in crate::commands) fn no_key(key: &str) -> Result<(), Failure> {
    if !holds_key(key) {
        return Ok(());
    }
    let reason = "takes a key of metadata, like terms, and this looks like a private key. If it is one, move what it controls to another account, because \
                  it stands in the shell's history now";
    Err(Failure::argument("--key", reason))
}

fn verify(verify: Verify, flags: &mut Flags) -> Result<Prepared, Failure> {
    let mut arguments = json!({
        "tool": tool_reference(&verify.tool)?.to_string(),
        "block": verify.at.block,
        "purpose": verify.purpose.as_str(),
    });
    add(&mut arguments, "window_seconds", verify.window);
    let prepared = checked(Tool::VerifyTool, arguments, verify.common, flags)?;
    Ok(Prepared {
        save: verify.save,
        ..prepared
    })
}

fn access(access: Access, flags: &mut Flags) -> Result<Prepared, Failure> {
    let mut arguments = json!({
        "tool": tool_reference(&access.tool)?.to_string(),
        "account": access.account,
        "block": access.at.block,
        "data_is_public": access.data_is_public,
    });
    add(&mut arguments, "data", access.data);
    checked(Tool::CheckToolAccess, arguments, access.common, flags)
}

fn compare(compare: Compare, flags: &mut Flags) -> Result<Prepared, Failure> {
    let chain_id = compare.on.chain_id;
    let tools = compare.tools.into_iter().map(|tool| {
        let on = OnChain { chain_id };
        Ok(tool_reference(&ToolName { tool, on })?.to_string())
    });
    let mut arguments = json!({
        "tools": tools.collect::<Result<Vec<_>, Failure>>()?,
        "block": compare.at.block,
    });
    add(&mut arguments, "account", compare.account);
    add(&mut arguments, "asset", compare.asset);
    if !compare.protocols.is_empty() {
        add(&mut arguments, "protocols", Some(compare.protocols));
    }
    checked(Tool::CompareTools, arguments, compare.common, flags)
}

fn add(arguments: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        arguments[name] = value.into();
    }
}

/// A reading that is known to be right before a database is opened.
pub(super) fn checked(
    tool: Tool,
    arguments: Value,
    common: Common,
    flags: &mut Flags,
) -> Result<Prepared, Failure> {
    let prepared = Prepared::of(tool, arguments, common, flags)?;
    if let Operation::Reading(request) = &prepared.operation {
        request.check().map_err(Failure::Unread)?;
    }
    Ok(prepared)
}
