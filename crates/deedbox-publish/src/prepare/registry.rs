//! Whether what stands at an address is the registry that it is taken for.

use alloy_primitives::Address;
use deedbox_chain::Block;
use deedbox_registry::{Inspection, inspect, inspect::Kind};

use super::{Bench, Findings};
use crate::PublishError;

/// Looks at what stands at an address and judges it.
pub(super) async fn look(
    bench: &Bench<'_>,
    registry: Address,
    wanted: Kind,
    findings: &mut Findings,
) -> Result<Inspection, PublishError> {
    let found = inspect(bench.desk.chains, bench.chain_id, Block::Latest, registry).await?;
    judge(&found, wanted, findings)?;
    Ok(found)
}

/// Whether it is what is wanted, and what to think about first. Pure.
pub(super) fn judge(
    found: &Inspection,
    wanted: Kind,
    findings: &mut Findings,
) -> Result<(), PublishError> {
    let address = found.address;
    let what = match wanted {
        Kind::ToolRegistry => "a tool registry (ERC-8257)",
        Kind::AccessPredicate => "an access predicate (ERC-8257)",
        _ => "an agent registry (ERC-8122)",
    };
    let wrong = |text: String| Err(PublishError::WrongContract(text));
    match found.kind {
        Kind::NoCode => {
            return wrong(format!(
                "there is no contract at {address} on chain {}; check the address and the chain",
                found.provenance.chain_id
            ));
        }
        Kind::DelegatedAccount => {
            return wrong(format!("{address} is somebody's account, and not {what}"));
        }
        Kind::OlderDraftAgentRegistry if wanted == Kind::AgentRegistry => {
            return wrong(format!(
                "{address} is an agent registry after an older draft of ERC-8122 (it has getMetadata, which was renamed); what is written there, readers of the standard do not find. It is not broken, but this program does not write to it"
            ));
        }
        kind if kind != wanted => {
            return wrong(format!(
                "{address} is not {what}: it does not say by ERC-165 that it is one. Its code has {} bytes",
                found.code_bytes
            ));
        }
        _ => {}
    }
    if found.claims_everything {
        return wrong(format!(
            "{address} says yes to every interface, even to 0xffffffff, which no contract may claim (ERC-165); so nothing shows that it is {what}"
        ));
    }
    findings.pass(match found.known_as {
        Some(name) => {
            format!("{address} is {what}: {name}, byte by byte as this program deploys it")
        }
        None => format!("{address} says that it is {what}"),
    });
    if let Some(proxy) = found.proxy {
        let leads = proxy.implementation.or(proxy.beacon);
        let leads = leads.map_or_else(String::new, |to| format!(" to {to}"));
        findings.warn(format!(
            "{address} is a proxy (ERC-1967) that leads{leads}: whoever controls it can replace what it does, and what it holds"
        ));
    }
    Ok(())
}
