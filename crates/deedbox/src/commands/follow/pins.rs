//! `deedbox tool pin`, `unpin` and `pins`: to which manifests tools are held.

use deedbox_core::{Command as Request, ManifestHash, RegistryId, ToolId};
use serde_json::json;

use super::super::{
    Desk,
    publishing::{Numbered, config, read_tool},
};
use crate::{
    chains,
    cli::PinCommand,
    failure::Failure,
    render::table,
    settings::{Environment, Flags},
};

/// A command with its arguments read.
pub(in crate::commands) enum Prepared {
    /// Without a hash, to the manifest that is registered now.
    Pin(Numbered, Option<ManifestHash>),
    Unpin(Numbered),
    List,
}

pub(in crate::commands) fn prepare(
    command: PinCommand,
    flags: &mut Flags,
) -> Result<Prepared, Failure> {
    Ok(match command {
        PinCommand::Pin { tool, hash, chains } => {
            chains.add_to(flags);
            let hash = hash.map(|text| {
                text.parse()
                    .map_err(|error| Failure::argument("--hash", error))
            });
            Prepared::Pin(read_tool(&tool)?, hash.transpose()?)
        }
        PinCommand::Unpin { tool } => Prepared::Unpin(read_tool(&tool)?),
        PinCommand::Pins => Prepared::List,
    })
}

pub(in crate::commands) async fn run(
    desk: &Desk<'_>,
    environment: &Environment,
    command: Prepared,
) -> Result<(), Failure> {
    match command {
        Prepared::Pin(tool, hash) => pin(desk, environment, tool, hash).await,
        Prepared::Unpin(tool) => {
            let (registry, tool) = place(tool);
            desk.execute(Request::UnpinTool { registry, tool }).await?;
            let value = json!({"registry": registry, "tool_id": tool, "manifest_hash": null});
            desk.output.print(&value, |_| {
                format!("Tool {tool} of {registry} is not pinned any more.")
            })
        }
        Prepared::List => list(desk).await,
    }
}

const fn place(tool: Numbered) -> (RegistryId, ToolId) {
    (tool.registry.id(), ToolId(tool.id))
}

async fn pin(
    desk: &Desk<'_>,
    environment: &Environment,
    named: Numbered,
    hash: Option<ManifestHash>,
) -> Result<(), Failure> {
    let (registry, tool) = place(named);
    let manifest_hash = match hash {
        Some(hash) => hash,
        None => {
            let (chains, _) = chains::open(desk.settings, environment, desk.world.clone())?;
            let at = named.registry;
            let found = config(&chains, at.chain_id, at.address, named.id).await?;
            let found = found.ok_or(Failure::NoSuchTool { registry, tool })?;
            ManifestHash(found.manifestHash.0)
        }
    };
    let command = Request::PinTool {
        registry,
        tool,
        manifest_hash,
    };
    desk.execute(command).await?;
    let value = json!({"registry": registry, "tool_id": tool, "manifest_hash": manifest_hash});
    desk.output.print(&value, |_| {
        format!("Tool {tool} of {registry} is pinned to {manifest_hash}.")
    })
}

async fn list(desk: &Desk<'_>) -> Result<(), Failure> {
    let registries = desk.ask(desk.store.registries()).await?;
    let pins: Vec<_> = registries
        .iter()
        .flat_map(|one| one.pins.iter().map(move |(tool, hash)| (one, tool, hash)))
        .collect();
    let values = pins.iter().map(|(one, tool, hash)| {
        json!({
            "registry": one.id,
            "followed": one.followed,
            "tool_id": tool,
            "manifest_hash": hash,
        })
    });
    let value = json!({"pins": values.collect::<Vec<_>>()});
    desk.output.print(&value, |output| {
        if pins.is_empty() {
            return "No tool is pinned.".to_owned();
        }
        let row = |(one, tool, hash): &(&deedbox_core::RegistryState, &ToolId, &ManifestHash)| {
            vec![one.id.to_string(), tool.to_string(), hash.to_string()]
        };
        let rows = pins.iter().map(row).collect();
        table(output, &["REGISTRY", "TOOL", "MANIFEST"], rows)
    })
}
