//! From what somebody wants to what would be signed: every check that can be made before a simulation, each told in words.
//!
//! The chain would refuse most of what is refused here, too, but not all of it, and not in words. What is read is read at one block; what is
//! concluded from it is a pure function of what was read.

mod agents;
mod manifest;
mod predicate;
mod registry;
mod tools;
mod unchanged;

use alloy_primitives::Address;
use alloy_sol_types::{SolType, SolValue};
use deedbox_chain::{
    Block,
    look::{Call as Look, Expects, Said, Wanted},
};
use deedbox_core::BlockHash;
use deedbox_registry::{Admission, AgentRegistry, Call, Deployment, entry, limits};

use crate::{Action, Confirmation, Desk, Options, PublishError, Step, Teller, change::Change};

/// What would be signed, and what somebody should know first.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// What changes.
    pub(crate) change: Change,
    /// What to think about, one sentence each.
    pub(crate) warnings: Vec<String>,
    /// How to ask.
    pub(crate) confirmation: Confirmation,
}

/// Where a change is prepared: on this chain, for this account.
pub(crate) struct Bench<'a> {
    pub(crate) desk: Desk<'a>,
    pub(crate) chain_id: u64,
    pub(crate) from: Address,
    pub(crate) options: &'a Options,
}

/// What a group of checks came to.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) passed: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl Findings {
    pub(crate) fn pass(&mut self, text: impl Into<String>) {
        self.passed.push(text.into());
    }

    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }
}

/// Checks an action and says what would be signed. Sends nothing.
///
/// # Errors
/// [`PublishError`], of the kinds after which nothing was signed.
pub(crate) async fn prepare(
    bench: &Bench<'_>,
    action: &Action,
    teller: &mut dyn Teller,
) -> Result<Prepared, PublishError> {
    let mut findings = Findings::default();
    let change = change(bench, action, &mut findings, teller).await?;
    check_size(&change)?;
    for passed in findings.passed {
        teller.tell(&Step::Checked(passed));
    }
    Ok(Prepared {
        confirmation: confirmation(&change),
        warnings: findings.warnings,
        change,
    })
}

async fn change(
    bench: &Bench<'_>,
    action: &Action,
    findings: &mut Findings,
    teller: &mut dyn Teller,
) -> Result<Change, PublishError> {
    let (to, call) = match action {
        Action::Deploy(deployment) => {
            if let Deployment::Predicate(predicate) = deployment {
                predicate::check_what_it_asks(bench, predicate).await?;
            }
            check_deployment(bench.from, deployment, findings)?;
            return Ok(Change::Create(deployment.clone()));
        }
        Action::PublishTool { registry, .. }
        | Action::UpdateTool { registry, .. }
        | Action::SetAccessPredicate { registry, .. }
        | Action::DeregisterTool { registry, .. } => (
            *registry,
            tools::call(bench, *registry, action, findings, teller).await?,
        ),
        Action::SetAllowed {
            predicate,
            tool_id,
            accounts,
            allowed,
        } => {
            if accounts.is_empty() {
                return Err(invalid("no account was named"));
            }
            let wanted = "AllowlistPredicate";
            let block = predicate::check_list(bench, *predicate, wanted, findings).await?;
            let list = (*predicate, *tool_id);
            unchanged::must_change_list(bench, block, list, accounts, *allowed, findings).await?;
            let call = Call::SetAllowed {
                tool_id: *tool_id,
                accounts: accounts.clone(),
                allowed: *allowed,
            };
            (*predicate, call)
        }
        Action::SetRoot {
            predicate,
            tool_id,
            root,
        } => {
            let wanted = "MerkleAllowlistPredicate";
            let block = predicate::check_list(bench, *predicate, wanted, findings).await?;
            unchanged::must_change_root(bench, block, *predicate, *tool_id, *root).await?;
            let call = Call::SetRoot {
                tool_id: *tool_id,
                root: *root,
            };
            (*predicate, call)
        }
        Action::SetRegistryMetadata { registry, .. }
        | Action::NominateRegistrar { registry, .. }
        | Action::AcceptRegistrar { registry }
        | Action::RenounceRegistrar { registry }
        | Action::RegisterAgent { registry, .. }
        | Action::RegisterAgents { registry, .. }
        | Action::SetAgentMetadata { registry, .. }
        | Action::TransferAgent { registry, .. }
        | Action::ApproveSpender { registry, .. }
        | Action::SetOperator { registry, .. } => (
            *registry,
            agents::call(bench, *registry, action, findings).await?,
        ),
    };
    Ok(Change::Call { to, call })
}

pub(crate) fn invalid(text: impl Into<String>) -> PublishError {
    PublishError::Invalid(text.into())
}

/// What a contract is asked while preparing.
pub(crate) fn view(to: Address, call: &impl alloy_sol_types::SolCall) -> Look {
    Look {
        to,
        data: call.abi_encode().into(),
        expects: Expects::Anything,
    }
}

/// What contracts say to these calls, at the block that was looked at before.
async fn look(
    bench: &Bench<'_>,
    block: BlockHash,
    calls: Vec<Look>,
) -> Result<Vec<Said>, PublishError> {
    let wanted = Wanted {
        calls,
        ..Wanted::default()
    };
    let chains = bench.desk.chains;
    let looked = chains
        .look(bench.chain_id, Block::Hash(block), wanted)
        .await?;
    Ok(looked.got.calls)
}

/// Whether a contract says exactly this. One that does not answer says nothing else either: the simulation tells.
fn says<V>(said: &Said, value: &V) -> bool
where
    V: SolValue + PartialEq + From<<V::SolType as SolType>::RustType>,
{
    matches!(said, Said::Returned(data) if V::abi_decode(data).is_ok_and(|found| found == *value))
}

/// What is known to be too much before anything is asked.
fn check_size(change: &Change) -> Result<(), PublishError> {
    let gas = limits::least_gas(change.value_bytes());
    // A new contract's code costs besides, but not by slots.
    if gas > limits::TRANSACTION_GAS {
        return Err(PublishError::TooMuchGas { gas });
    }
    let (length, most) = match change {
        Change::Call { .. } => (change.data().len(), limits::CALL_DATA_BYTES),
        Change::Create(_) => (change.data().len(), limits::INIT_CODE_BYTES),
    };
    if length > most {
        return Err(invalid(format!(
            "this is {length} bytes of data, and one transaction takes {most} at most. Split it up: shorter values, or fewer agents at once"
        )));
    }
    Ok(())
}

/// What cannot be undone is not confirmed in passing.
fn confirmation(change: &Change) -> Confirmation {
    match change {
        Change::Call {
            call: Call::DeregisterTool(tool_id),
            ..
        } => Confirmation::Typed(tool_id.to_string()),
        Change::Call {
            call: Call::RenounceRegistrar,
            ..
        } => Confirmation::Typed("renounce".to_owned()),
        _ => Confirmation::Plain,
    }
}

fn check_deployment(
    from: Address,
    deployment: &Deployment,
    findings: &mut Findings,
) -> Result<(), PublishError> {
    let Deployment::Agents(registry) = deployment else {
        return Ok(());
    };
    let AgentRegistry {
        admission,
        registrar,
        metadata,
    } = registry;
    if *admission != Admission::Open && registrar.is_zero() {
        return Err(invalid(
            "a registry where somebody admits agents needs a registrar; with none, nobody could ever register one",
        ));
    }
    if let Admission::FixedSupply { max_supply } = admission
        && max_supply.is_zero()
    {
        return Err(invalid(
            "a registry for no agents at all is of no use; name at least 1",
        ));
    }
    if registrar.is_zero() {
        findings.warn(
            "nobody will be its registrar, ever: what is set now of its own metadata is final",
        );
    } else if *registrar != from {
        findings.warn(format!(
            "its registrar will be {registrar}, and not the account that deploys it"
        ));
    }
    for key in ["name", "description", "image"] {
        if !metadata.iter().any(|entry| entry.key.as_str() == key) {
            findings.warn(format!("{key} is not set, and should be (ERC-8122)"));
        }
    }
    for advice in entry::advice(metadata, &entry::REGISTRY_KEYS) {
        findings.warn(advice);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
