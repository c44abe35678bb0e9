//! Changes of tools.

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use deedbox_chain::{
    Block,
    look::{Said, Wanted},
};
use deedbox_registry::{Call, Inspection, abi::ToolRegistry as Tools, inspect::Kind};

use super::{Bench, Findings, invalid, manifest, predicate, registry, view};
use crate::{Action, PublishError, Teller};

/// How many of a registry's newest tools are compared, to tell of one that is there already.
const COMPARED: u64 = 200;

/// The call for an action on a registry of tools.
pub(super) async fn call(
    bench: &Bench<'_>,
    address: Address,
    action: &Action,
    findings: &mut Findings,
    teller: &mut dyn Teller,
) -> Result<Call, PublishError> {
    let found = registry::look(bench, address, Kind::ToolRegistry, findings).await?;
    let fetcher = bench.desk.fetcher;
    Ok(match action {
        Action::PublishTool {
            manifest: source,
            access_predicate,
            ..
        } => {
            predicate::check(bench, address, *access_predicate, findings).await?;
            let manifest =
                manifest::registered(fetcher, source, bench.from, findings, teller).await?;
            tell_of_same(bench, &found, &manifest, findings).await?;
            advise_creator(bench, findings).await?;
            Call::RegisterTool {
                metadata_uri: manifest.metadata_uri,
                manifest_hash: manifest.manifest_hash,
                access_predicate: *access_predicate,
            }
        }
        Action::UpdateTool {
            tool_id,
            manifest: source,
            ..
        } => {
            let config = must_be_creator(bench, &found, *tool_id, findings).await?;
            let manifest =
                manifest::registered(fetcher, source, bench.from, findings, teller).await?;
            if config.is_some_and(|config| {
                config.metadataURI == manifest.metadata_uri
                    && config.manifestHash == manifest.manifest_hash
            }) {
                return Err(invalid(format!(
                    "tool {tool_id} is registered with this URL and this hash already: there is nothing to update"
                )));
            }
            Call::UpdateToolMetadata {
                tool_id: *tool_id,
                metadata_uri: manifest.metadata_uri,
                manifest_hash: manifest.manifest_hash,
            }
        }
        Action::SetAccessPredicate {
            tool_id,
            access_predicate,
            ..
        } => {
            let config = must_be_creator(bench, &found, *tool_id, findings).await?;
            if config.is_some_and(|config| config.accessPredicate == *access_predicate) {
                return Err(invalid(format!(
                    "tool {tool_id} has this predicate already: nothing would change (ERC-8257 §1)"
                )));
            }
            predicate::check(bench, address, *access_predicate, findings).await?;
            if access_predicate.is_zero() {
                findings.warn(format!("everybody will have access to tool {tool_id}"));
            }
            Call::SetAccessPredicate {
                tool_id: *tool_id,
                access_predicate: *access_predicate,
            }
        }
        Action::DeregisterTool { tool_id, .. } => {
            must_be_creator(bench, &found, *tool_id, findings).await?;
            findings.warn(format!(
                "deregistering is FOR EVER. To pause tool {tool_id} instead, set a predicate that always denies"
            ));
            Call::DeregisterTool(*tool_id)
        }
        _ => return Err(invalid("this is no change of a tool registry")),
    })
}

/// What the registry holds about the tool, if it answers: then the account has to be its creator. What it does not answer, the simulation
/// names: a tool that never was, or one that is gone.
async fn must_be_creator(
    bench: &Bench<'_>,
    found: &Inspection,
    tool_id: U256,
    findings: &mut Findings,
) -> Result<Option<deedbox_registry::abi::ToolConfig>, PublishError> {
    let configs = configs(bench, found, vec![tool_id]).await?;
    let Some(config) = configs.into_iter().next().flatten() else {
        return Ok(None);
    };
    if config.creator != bench.from {
        return Err(PublishError::NotAllowed(format!(
            "tool {tool_id} was registered by {}, and only that account may change it; {} may not",
            config.creator, bench.from
        )));
    }
    findings.pass(format!("you are the creator of tool {tool_id}"));
    Ok(Some(config))
}

async fn configs(
    bench: &Bench<'_>,
    found: &Inspection,
    ids: Vec<U256>,
) -> Result<Vec<Option<deedbox_registry::abi::ToolConfig>>, PublishError> {
    let call = |id: U256| view(found.address, &Tools::getToolConfigCall { toolId: id });
    let wanted = Wanted {
        calls: ids.into_iter().map(call).collect(),
        ..Wanted::default()
    };
    let block = Block::Hash(found.provenance.block_hash);
    let looked = bench
        .desk
        .chains
        .look(bench.chain_id, block, wanted)
        .await?;
    let read = |said: &Said| match said {
        Said::Returned(data) => Tools::getToolConfigCall::abi_decode_returns(data).ok(),
        Said::Reverted(_) | Said::TooLong(_) => None,
    };
    Ok(looked.got.calls.iter().map(read).collect())
}

/// Among the newest tools it is cheap to see whether this one is there already.
async fn tell_of_same(
    bench: &Bench<'_>,
    found: &Inspection,
    manifest: &manifest::Registered,
    findings: &mut Findings,
) -> Result<(), PublishError> {
    let Some(count) = found.count.and_then(|count| u64::try_from(count).ok()) else {
        return Ok(());
    };
    let first = count.saturating_sub(COMPARED) + 1;
    let ids: Vec<_> = (first..=count).map(U256::from).collect();
    let configs = configs(bench, found, ids.clone()).await?;
    for (id, config) in ids.iter().zip(configs) {
        // One that is removed does not answer.
        let Some(config) = config.filter(|config| {
            config.creator == bench.from && config.metadataURI == manifest.metadata_uri
        }) else {
            continue;
        };
        findings.warn(if config.manifestHash == manifest.manifest_hash {
            format!(
                "this very tool is registered already, as tool {id}, by you, with the same URL and the same hash: there would be two of it"
            )
        } else {
            format!(
                "you registered the same URL before, as tool {id}: to register a new hash, update that tool instead"
            )
        });
    }
    Ok(())
}

/// ERC-8257, rule 8257-key-01.
async fn advise_creator(bench: &Bench<'_>, findings: &mut Findings) -> Result<(), PublishError> {
    let wanted = Wanted {
        codes: vec![bench.from],
        ..Wanted::default()
    };
    let looked = bench
        .desk
        .chains
        .look(bench.chain_id, Block::Latest, wanted)
        .await?;
    if looked.got.codes.first().is_some_and(|code| code.is_empty()) {
        findings.warn(
            "the creator of a tool never changes, and here it is an account with one key: whoever loses or leaks that key has lost the tool. A valuable tool is better registered from a contract wallet (use --dry-run)",
        );
    }
    Ok(())
}
