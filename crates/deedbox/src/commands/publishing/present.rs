//! What a command about a tool leaves to be looked up: how the tool is registered at present.

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall as _;
use deedbox_chain::{
    Block, Chains,
    look::{Call, Expects, Said, Wanted},
};
use deedbox_publish::{Action, PublishError, Step, Teller};
use deedbox_registry::{
    abi::{ToolConfig, ToolRegistry},
    inspect,
};

use crate::failure::Failure;

/// The artifact that denies everybody, for ever.
const ALWAYS_DENIES: &str = "AlwaysDenyPredicate";

/// Fills in the URL of a manifest's update that names none: the one that the tool is registered with.
///
/// # Errors
/// [`Failure::Unread`]; [`Failure::Publish`] when the registry does not say.
pub(super) async fn fill_in(
    chains: &Chains,
    chain_id: u64,
    action: &mut Action,
) -> Result<(), Failure> {
    let Action::UpdateTool {
        registry,
        tool_id,
        manifest,
    } = action
    else {
        return Ok(());
    };
    if manifest.metadata_uri.is_empty() {
        let Some(config) = config(chains, chain_id, *registry, *tool_id).await? else {
            return Err(refused(format!(
                "the registry {registry} does not say where the manifest of tool {tool_id} is served. Is that the tool? If so, say it with --metadata-uri"
            )));
        };
        manifest.metadata_uri = config.metadataURI;
    }
    Ok(())
}

/// Makes sure that a pause is one: that the predicate denies everybody, by its code. Tells what opens the tool again.
///
/// # Errors
/// [`Failure::Unread`]; [`Failure::Publish`] when it is another contract.
pub(super) async fn check_pause(
    chains: &Chains,
    chain_id: u64,
    action: &Action,
    teller: &mut dyn Teller,
) -> Result<(), Failure> {
    let Action::SetAccessPredicate {
        registry,
        tool_id,
        access_predicate,
    } = action
    else {
        return Ok(());
    };
    let found = inspect(chains, chain_id, Block::Latest, *access_predicate).await;
    let known_as = found.map_err(Failure::Unread)?.known_as;
    if known_as != Some(ALWAYS_DENIES) {
        let is =
            known_as.unwrap_or("a contract of which nobody here knows what it grants, or none");
        return Err(Failure::Publish(Box::new(PublishError::WrongContract(
            format!(
                "{access_predicate} is no {ALWAYS_DENIES} but {is}, so it would not pause the tool. `deedbox predicate deploy always-deny` makes one; `deedbox tool set-predicate` takes any predicate"
            ),
        ))));
    }
    teller.tell(&Step::Checked(format!(
        "{access_predicate} is an {ALWAYS_DENIES}: nobody will have access to tool {tool_id}"
    )));
    if let Some(config) = config(chains, chain_id, *registry, *tool_id).await? {
        let now = match config.accessPredicate {
            Address::ZERO => "open".to_owned(),
            predicate => predicate.to_string(),
        };
        teller.tell(&Step::Checked(format!(
            "what opens it again as it is now: deedbox tool set-predicate {tool_id}@eip155:{chain_id}:{registry:#x} {now}"
        )));
    }
    Ok(())
}

/// How a tool is registered. None: the registry does not say.
///
/// # Errors
/// [`Failure::Unread`].
pub(in crate::commands) async fn config(
    chains: &Chains,
    chain_id: u64,
    registry: Address,
    tool_id: U256,
) -> Result<Option<ToolConfig>, Failure> {
    let call = ToolRegistry::getToolConfigCall { toolId: tool_id };
    let wanted = Wanted {
        calls: vec![Call {
            to: registry,
            data: call.abi_encode().into(),
            expects: Expects::Anything,
        }],
        ..Wanted::default()
    };
    let looked = chains.look(chain_id, Block::Latest, wanted).await;
    Ok(match looked.map_err(Failure::Unread)?.got.calls.first() {
        Some(Said::Returned(data)) => {
            ToolRegistry::getToolConfigCall::abi_decode_returns(data).ok()
        }
        _ => None,
    })
}

fn refused(reason: String) -> Failure {
    Failure::Publish(Box::new(PublishError::Invalid(reason)))
}
