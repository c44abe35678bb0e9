//! Commands that change a tool's registration: from the command to the action that it asks for.

use std::path::Path;

use alloy_primitives::Address;
use deedbox_publish::{Action, ManifestSource};

use super::{
    Change,
    change::{ADDRESS, one},
    names::{self, Contract, Numbered},
};
use crate::{
    cli::{self, Publishing, RegistrationCommand},
    failure::Failure,
    files,
    settings::Flags,
};

const PREDICATE: &str = "--predicate";
/// The most of a manifest that is read: a larger one is refused by everybody (ERC-8257, Manifest Parser Hardening).
const MOST: u64 = 1 << 20;

/// Reads a command that changes a tool's registration.
///
/// # Errors
/// [`Failure::Argument`], [`Failure::CannotRead`].
pub(in crate::commands) fn tool(
    command: RegistrationCommand,
    flags: &mut Flags,
) -> Result<Box<Change>, Failure> {
    Ok(match command {
        RegistrationCommand::Publish(publish) => {
            let Contract { chain_id, address } = names::registry(&publish.registry)?;
            let predicate = publish.predicate.as_deref();
            let action = Action::PublishTool {
                registry: address,
                manifest: ManifestSource {
                    metadata_uri: publish.metadata_uri,
                    local: publish.file.as_deref().map(manifest).transpose()?,
                },
                access_predicate: predicate.map_or(Ok(Address::ZERO), |text| {
                    names::somebody(PREDICATE, text, chain_id)
                })?,
            };
            let mut change = one(chain_id, publish.publishing, flags, action)?;
            change.how.predicate_without_code = publish.unchecked.predicate_without_code;
            change
        }
        RegistrationCommand::Update(update) => {
            let Numbered { registry, id } = names::tool(&update.tool)?;
            let action = Action::UpdateTool {
                registry: registry.address,
                tool_id: id,
                manifest: ManifestSource {
                    // Where none is said, that of the registration is looked up.
                    metadata_uri: update.metadata_uri.unwrap_or_default(),
                    local: update.file.as_deref().map(manifest).transpose()?,
                },
            };
            one(registry.chain_id, update.publishing, flags, action)?
        }
        RegistrationCommand::SetPredicate {
            tool,
            predicate,
            unchecked,
            publishing,
        } => {
            let predicate = Some(predicate.as_str()).filter(|text| *text != "open");
            let mut change = set_predicate(&tool, ADDRESS, predicate, publishing, flags)?;
            change.how.predicate_without_code = unchecked.predicate_without_code;
            change
        }
        RegistrationCommand::Pause {
            tool,
            predicate,
            publishing,
        } => {
            let Some(predicate) = predicate else {
                let chain_id = names::tool(&tool)?.registry.chain_id;
                let reason = format!(
                    "names the AlwaysDenyPredicate that denies everybody. `deedbox predicate deploy always-deny --chain-id {chain_id}` puts one on the chain, which does for all tools there"
                );
                return Err(Failure::argument(PREDICATE, reason));
            };
            let predicate = Some(predicate.as_str());
            let mut change = set_predicate(&tool, PREDICATE, predicate, publishing, flags)?;
            change.how.pauses = true;
            change
        }
        RegistrationCommand::Deregister {
            tool,
            forever,
            publishing,
        } => {
            let Numbered { registry, id } = names::tool(&tool)?;
            let action = Action::DeregisterTool {
                registry: registry.address,
                tool_id: id,
            };
            let mut change = one(registry.chain_id, publishing, flags, action)?;
            change.how.yes_for_ever = forever.yes_for_ever;
            change
        }
    })
}

/// A predicate of `None` is everybody.
fn set_predicate(
    tool: &cli::ToolName,
    what: &'static str,
    predicate: Option<&str>,
    publishing: Publishing,
    flags: &mut Flags,
) -> Result<Box<Change>, Failure> {
    let Numbered { registry, id } = names::tool(tool)?;
    let action = Action::SetAccessPredicate {
        registry: registry.address,
        tool_id: id,
        access_predicate: predicate.map_or(Ok(Address::ZERO), |text| {
            names::somebody(what, text, registry.chain_id)
        })?,
    };
    one(registry.chain_id, publishing, flags, action)
}

/// The author's own copy of a manifest.
fn manifest(file: &Path) -> Result<Vec<u8>, Failure> {
    files::read(file, MOST).map_err(|source| Failure::CannotRead {
        path: file.to_owned(),
        source,
    })
}
