//! Whether a change changes anything. What does not is refused before anything is signed: it would cost its gas, and leave an event that says what
//! did not happen.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, SolType, SolValue};
use deedbox_core::BlockHash;
use deedbox_registry::{
    Entry, Inspection,
    abi::{AllowlistPredicate, MerkleAllowlistPredicate, OpenAgentRegistry as Agents},
};

use super::{Bench, Findings, invalid, look, says, view};
use crate::{PublishError, expect::last_of_each};

/// How a value is called that is there already.
pub(super) fn what(entry: &Entry) -> &'static str {
    if entry.value.is_empty() {
        "nothing"
    } else {
        "this value"
    }
}

/// What would change nothing is not signed: a view says what the change was to make it say.
pub(super) async fn must_change<V>(
    bench: &Bench<'_>,
    found: &Inspection,
    call: &impl SolCall,
    value: &V,
    already: &str,
) -> Result<(), PublishError>
where
    V: SolValue + PartialEq + From<<V::SolType as SolType>::RustType>,
{
    let calls = vec![view(found.address, call)];
    let said = look(bench, found.provenance.block_hash, calls).await?;
    if said.first().is_some_and(|said| says(said, value)) {
        return Err(invalid(format!("{already}: nothing would change")));
    }
    Ok(())
}

/// The same for the metadata of an agent, of which some may change and some not.
pub(super) async fn must_change_metadata(
    bench: &Bench<'_>,
    found: &Inspection,
    agent_id: U256,
    metadata: &[Entry],
    findings: &mut Findings,
) -> Result<(), PublishError> {
    let written: Vec<_> = last_of_each(metadata).collect();
    let calls = written.iter().map(|entry| {
        let call = Agents::metadataCall {
            agentId: agent_id,
            key: entry.key.to_string(),
        };
        view(found.address, &call)
    });
    let said = look(bench, found.provenance.block_hash, calls.collect()).await?;
    let same = written.iter().zip(&said);
    let same: Vec<_> = same
        .filter(|(entry, said)| says(said, &entry.value))
        .map(|(entry, _)| {
            format!(
                "{} stands under {} of agent {agent_id} already",
                what(entry),
                entry.key
            )
        })
        .collect();
    if !written.is_empty() && same.len() == written.len() {
        return Err(invalid(format!(
            "{}: nothing would change",
            same.join("; ")
        )));
    }
    for same in same {
        findings.warn(same);
    }
    Ok(())
}

/// Whether a change of a tool's list changes anything.
pub(super) async fn must_change_list(
    bench: &Bench<'_>,
    block: BlockHash,
    (predicate, tool_id): (Address, U256),
    accounts: &[Address],
    allowed: bool,
    findings: &mut Findings,
) -> Result<(), PublishError> {
    let calls = accounts.iter().map(|account| {
        let call = AllowlistPredicate::isAllowedCall {
            toolId: tool_id,
            account: *account,
        };
        view(predicate, &call)
    });
    let said = look(bench, block, calls.collect()).await?;
    let same = accounts.iter().zip(&said);
    let same = same.filter(|(_, said)| says(said, &allowed));
    let same: Vec<_> = same.map(|(account, _)| account.to_string()).collect();
    let word = if allowed { "has" } else { "has no" };
    if same.len() == accounts.len() {
        return Err(invalid(format!(
            "on the list of tool {tool_id}, {} {word} access already: nothing would change",
            same.join(", ")
        )));
    }
    for account in same {
        findings.warn(format!("{account} {word} access already"));
    }
    Ok(())
}

/// Whether another root changes anything.
pub(super) async fn must_change_root(
    bench: &Bench<'_>,
    block: BlockHash,
    predicate: Address,
    tool_id: U256,
    root: B256,
) -> Result<(), PublishError> {
    let call = MerkleAllowlistPredicate::rootOfCall { toolId: tool_id };
    let said = look(bench, block, vec![view(predicate, &call)]).await?;
    if said.first().is_some_and(|said| says(said, &root)) {
        return Err(invalid(format!(
            "tool {tool_id} has the root {root} already: nothing would change"
        )));
    }
    Ok(())
}
