//! `deedbox tool pin`, `unpin` and `pins`: to which manifests tools are held.

use deedbox_core::{Command as Request, ManifestHash, RegistryId, RegistryState, ToolId};
use deedbox_store::index::manifest_since;
use serde_json::json;

use super::super::{
    Desk,
    publishing::{Numbered, config, read_tool},
};
use crate::{
    chains,
    cli::PinCommand,
    database,
    failure::Failure,
    render::{Output, table},
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

/// A pin, and the manifest that the index knows to be registered.
struct Seen<'a> {
    of: &'a RegistryState,
    tool: &'a ToolId,
    pinned: &'a ManifestHash,
    /// What is registered now, and since which block.
    now: Option<(ManifestHash, u64)>,
    /// In which block it was deregistered.
    gone: Option<u64>,
}

impl Seen<'_> {
    /// For programs: `same`, `changed`, `gone`, or null for what is not read.
    fn stands(&self) -> Option<&'static str> {
        let (registered, _) = self.now?;
        if self.gone.is_some() {
            return Some("gone");
        }
        Some(match registered == *self.pinned {
            true => "same",
            false => "changed",
        })
    }

    /// For people.
    fn told(&self, output: &Output) -> String {
        if let Some(block) = self.gone {
            return output.paint.bad(&format!("GONE since block {block}"));
        }
        match (self.stands(), self.now) {
            (Some("same"), _) => "same".to_owned(),
            (_, Some((_, block))) => output.paint.bad(&format!("CHANGED since block {block}")),
            _ => "not read yet".to_owned(),
        }
    }
}

async fn list(desk: &Desk<'_>) -> Result<(), Failure> {
    let registries = desk.ask(desk.store.registries()).await?;
    let index = database::open_index(desk.settings).await?;
    let mut pins = Vec::new();
    for of in &registries {
        for (tool, pinned) in &of.pins {
            let mut gone = None;
            let now = match desk.ask(index.tool(of.id, tool.0)).await? {
                Some(now) => {
                    gone = now.deregistered.map(|at| at.place.block);
                    let since = desk.ask(manifest_since(&*index, &now)).await?;
                    Some((now.manifest_hash, since))
                }
                None => None,
            };
            pins.push(Seen {
                of,
                tool,
                pinned,
                now,
                gone,
            });
        }
    }
    index.close().await;
    let values = pins.iter().map(|pin| {
        json!({
            "registry": pin.of.id,
            "followed": pin.of.followed,
            "tool_id": pin.tool,
            "manifest_hash": pin.pinned,
            "stands": pin.stands(),
            "registered": pin.now.map(|(registered, _)| registered),
            "since_block": pin.now.map(|(_, block)| block),
        })
    });
    let value = json!({"pins": values.collect::<Vec<_>>()});
    desk.output.print(&value, |output| {
        if pins.is_empty() {
            return "No tool is pinned.".to_owned();
        }
        let row = |pin: &Seen<'_>| {
            vec![
                pin.of.id.to_string(),
                pin.tool.to_string(),
                pin.pinned.to_string(),
                pin.told(output),
            ]
        };
        let rows = pins.iter().map(row).collect();
        table(
            output,
            &["REGISTRY", "TOOL", "MANIFEST", "REGISTERED NOW"],
            rows,
        )
    })
}
