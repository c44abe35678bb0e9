//! Changes of agents and of their registries.

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolValue;
use deedbox_chain::look::Said;
use deedbox_registry::{
    Call, Entry, Inspection, NewAgent, abi::OpenAgentRegistry as Agents, entry, inspect::Kind,
};

use super::{
    Bench, Findings, invalid, look, registry,
    unchanged::{must_change, must_change_metadata, what},
    view,
};
use crate::{Action, PublishError, expect::last_of_each};

/// Of an agent without the one key that every list of agents shows.
const NAMELESS: &str = "the agent has no name, and should have one (ERC-8122)";

/// What an account is to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) owner: Address,
    pub(super) is_operator: bool,
    pub(super) allowance: U256,
}

/// The call for an action on a registry of agents.
pub(super) async fn call(
    bench: &Bench<'_>,
    address: Address,
    action: &Action,
    findings: &mut Findings,
) -> Result<Call, PublishError> {
    let found = registry::look(bench, address, Kind::AgentRegistry, findings).await?;
    let from = bench.from;
    Ok(match action {
        Action::RegisterAgent { agent, .. } => {
            may_register(&found, from, 1)?;
            check_agent(agent, findings)?;
            agent.clone().into_call()
        }
        Action::RegisterAgents { agents, .. } => {
            if agents.is_empty() {
                return Err(invalid("no agent was named"));
            }
            may_register(&found, from, agents.len())?;
            for (index, agent) in agents.iter().enumerate() {
                let mut of_one = Findings::default();
                check_agent(agent, &mut of_one)?;
                for warning in of_one.warnings {
                    findings.warn(format!(
                        "agent {} of {}: {warning}",
                        index + 1,
                        agents.len()
                    ));
                }
            }
            Call::RegisterBatch(agents.clone())
        }
        Action::SetAgentMetadata {
            agent_id, metadata, ..
        } => {
            let standing = standing(bench, &found, *agent_id).await?;
            may_write(&standing, from, *agent_id, findings)?;
            must_change_metadata(bench, &found, *agent_id, metadata, findings).await?;
            if last_of_each(metadata).any(|entry| is_name(entry) && entry.value.is_empty()) {
                findings.warn(NAMELESS);
            }
            for advice in entry::advice(metadata, &entry::AGENT_KEYS) {
                findings.warn(advice);
            }
            set(&found, *agent_id, metadata)?
        }
        Action::TransferAgent {
            agent_id, receiver, ..
        } => {
            let standing = standing(bench, &found, *agent_id).await?;
            hand_over(&standing, from, address, *agent_id, *receiver, findings)?
        }
        _ => of_rights(bench, &found, action, findings).await?,
    })
}

/// Changes of who may act, and of the registry itself.
async fn of_rights(
    bench: &Bench<'_>,
    found: &Inspection,
    action: &Action,
    findings: &mut Findings,
) -> Result<Call, PublishError> {
    let from = bench.from;
    Ok(match action {
        Action::ApproveSpender {
            agent_id,
            spender,
            amount,
            ..
        } => {
            let standing = standing(bench, found, *agent_id).await?;
            let call = approve(&standing, from, *agent_id, *spender, *amount, findings)?;
            let allowance = Agents::allowanceCall {
                owner: from,
                spender: *spender,
                id: *agent_id,
            };
            let already = if amount.is_zero() {
                format!("{spender} is not approved for agent {agent_id}")
            } else {
                format!("{spender} is approved for agent {agent_id} for exactly that already")
            };
            must_change(bench, found, &allowance, amount, &already).await?;
            call
        }
        Action::SetOperator {
            operator, approved, ..
        } => {
            if *operator == from || operator.is_zero() {
                return Err(invalid(
                    "an operator is somebody else; the zero address and the account itself are of no use",
                ));
            }
            let is_operator = Agents::isOperatorCall {
                owner: from,
                spender: *operator,
            };
            let already = if *approved {
                format!("{operator} is an operator of yours in this registry already")
            } else {
                format!("{operator} is no operator of yours in this registry")
            };
            must_change(bench, found, &is_operator, approved, &already).await?;
            if *approved {
                findings.warn(format!(
                    "{operator} may then give away every agent that you own in this registry, without asking"
                ));
            }
            Call::SetOperator {
                operator: *operator,
                approved: *approved,
            }
        }
        Action::SetRegistryMetadata { entry, .. } => {
            must_be_registrar(found, from)?;
            let key = entry.key.to_string();
            let already = format!("{} stands under {key} of the registry already", what(entry));
            let stands = Agents::contractMetadataCall { key };
            must_change(bench, found, &stands, &entry.value, &already).await?;
            for advice in entry::advice(std::slice::from_ref(entry), &entry::REGISTRY_KEYS) {
                findings.warn(advice);
            }
            Call::SetContractMetadata(entry.clone())
        }
        _ => of_registry(found, from, action, findings)?,
    })
}

/// Changes of the registry itself.
fn of_registry(
    found: &Inspection,
    from: Address,
    action: &Action,
    findings: &mut Findings,
) -> Result<Call, PublishError> {
    match action {
        Action::NominateRegistrar { nominee, .. } => {
            must_be_registrar(found, from)?;
            if *nominee == from {
                return Err(invalid("the account is the registrar already"));
            }
            if found.registrar_nominee == Some(*nominee) {
                let who = match *nominee {
                    Address::ZERO => "nobody".to_owned(),
                    nominee => nominee.to_string(),
                };
                return Err(invalid(format!(
                    "{who} is nominated as registrar already: nothing would change"
                )));
            }
            Ok(Call::NominateRegistrar(*nominee))
        }
        Action::AcceptRegistrar { .. } => match found.registrar_nominee {
            Some(nominee) if nominee != from => Err(PublishError::NotAllowed(format!(
                "{from} is not nominated as registrar of {}; {}",
                found.address,
                match nominee {
                    Address::ZERO => "nobody is".to_owned(),
                    nominee => format!("{nominee} is"),
                }
            ))),
            _ => Ok(Call::AcceptRegistrar),
        },
        Action::RenounceRegistrar { .. } => {
            must_be_registrar(found, from)?;
            findings.warn("this cannot be undone, by nobody");
            Ok(Call::RenounceRegistrar)
        }
        _ => Err(invalid("this is no change of an agent registry")),
    }
}

/// Where the registry says who its registrar is, the account has to be that.
fn must_be_registrar(found: &Inspection, from: Address) -> Result<(), PublishError> {
    let registry = found.address;
    match found.registrar {
        Some(Address::ZERO) => Err(PublishError::NotAllowed(format!(
            "{registry} has no registrar, and never will: nobody can do this"
        ))),
        Some(registrar) if registrar != from => Err(PublishError::NotAllowed(format!(
            "only the registrar of {registry} may do this, which is {registrar} and not {from}"
        ))),
        // A registry of somebody else may have other rules; the simulation tells.
        _ => Ok(()),
    }
}

/// In our own registries it is known who admits agents, and how many there can be.
fn may_register(found: &Inspection, from: Address, count: usize) -> Result<(), PublishError> {
    if !matches!(
        found.known_as,
        Some("CuratedAgentRegistry" | "FixedSupplyAgentRegistry")
    ) {
        return Ok(());
    }
    must_be_registrar(found, from)?;
    let (Some(registered), Some(most)) = (found.count, found.max_supply) else {
        return Ok(());
    };
    let free = most.saturating_sub(registered);
    if U256::from(count) > free {
        let agents = if free == U256::ONE { "agent" } else { "agents" };
        return Err(invalid(format!(
            "{} takes {free} more {agents}, and no more, ever: {registered} of {most} are registered",
            found.address
        )));
    }
    Ok(())
}

fn is_name(entry: &Entry) -> bool {
    entry.key.as_str() == "name"
}

fn check_agent(agent: &NewAgent, findings: &mut Findings) -> Result<(), PublishError> {
    if agent.owner.is_zero() {
        return Err(invalid("an agent cannot belong to the zero address"));
    }
    let has_name = |entry: &Entry| is_name(entry) && !entry.value.is_empty();
    if !agent.metadata.iter().any(has_name) {
        findings.warn(NAMELESS);
    }
    for advice in entry::advice(&agent.metadata, &entry::AGENT_KEYS) {
        findings.warn(advice);
    }
    Ok(())
}

/// One entry goes by the standard's function; several in one step only where the registry is known to take them so.
fn set(found: &Inspection, agent_id: U256, metadata: &[Entry]) -> Result<Call, PublishError> {
    match metadata {
        [] => Err(invalid("no metadata was named")),
        [entry] => Ok(Call::SetMetadata {
            agent_id,
            entry: entry.clone(),
        }),
        entries if found.known_as.is_some() => Ok(Call::SetMetadataBatch {
            agent_id,
            entries: entries.to_vec(),
        }),
        _ => Err(invalid(format!(
            "{} is not one of our registries, and the standard has no function for several entries at once; set them one by one",
            found.address
        ))),
    }
}

/// Reads what an account is to an agent, at the block of the inspection.
async fn standing(
    bench: &Bench<'_>,
    found: &Inspection,
    agent_id: U256,
) -> Result<Standing, PublishError> {
    let (registry, from) = (found.address, bench.from);
    let owner_of = Agents::ownerOfCall { agentId: agent_id };
    let said = look(
        bench,
        found.provenance.block_hash,
        vec![view(registry, &owner_of)],
    )
    .await?;
    let owner = match said.first() {
        Some(Said::Reverted(_)) => {
            return Err(invalid(format!(
                "there is no agent {agent_id} in {registry}"
            )));
        }
        said => value::<Address>(said, "ownerOf")?,
    };
    let is_operator = Agents::isOperatorCall {
        owner,
        spender: from,
    };
    let allowance = Agents::allowanceCall {
        owner,
        spender: from,
        id: agent_id,
    };
    let calls = vec![view(registry, &is_operator), view(registry, &allowance)];
    let said = look(bench, found.provenance.block_hash, calls).await?;
    Ok(Standing {
        owner,
        is_operator: value(said.first(), "isOperator")?,
        allowance: value(said.get(1), "allowance")?,
    })
}

fn value<V>(said: Option<&Said>, function: &str) -> Result<V, PublishError>
where
    V: SolValue + From<<V::SolType as alloy_sol_types::SolType>::RustType>,
{
    let read = match said {
        Some(Said::Returned(data)) => V::abi_decode(data).ok(),
        _ => None,
    };
    read.ok_or_else(|| {
        PublishError::WrongContract(format!(
            "the registry's answer to {function} cannot be read"
        ))
    })
}

fn may_write(
    standing: &Standing,
    from: Address,
    agent_id: U256,
    findings: &mut Findings,
) -> Result<(), PublishError> {
    findings.pass(if standing.owner == from {
        format!("you own agent {agent_id}")
    } else if standing.is_operator {
        format!(
            "you are an operator of {}, who owns agent {agent_id}",
            standing.owner
        )
    } else if !standing.allowance.is_zero() {
        format!(
            "{}, who owns agent {agent_id}, approved you",
            standing.owner
        )
    } else {
        return Err(PublishError::NotAllowed(format!(
            "agent {agent_id} belongs to {}, and {from} is neither an operator nor approved for it",
            standing.owner
        )));
    });
    Ok(())
}

fn hand_over(
    standing: &Standing,
    from: Address,
    registry: Address,
    agent_id: U256,
    receiver: Address,
    findings: &mut Findings,
) -> Result<Call, PublishError> {
    may_write(standing, from, agent_id, findings)?;
    if receiver.is_zero() {
        return Err(invalid(
            "an agent cannot be given to the zero address; there is no way to remove one",
        ));
    }
    if receiver == standing.owner {
        return Err(invalid(format!(
            "agent {agent_id} belongs to {receiver} already"
        )));
    }
    if receiver == registry {
        return Err(invalid(
            "the registry itself could never give the agent away again",
        ));
    }
    findings.warn(format!(
        "you cannot undo this: from then on agent {agent_id} is {receiver}'s, and only they can give it back"
    ));
    findings.warn(
        "its metadata stays as it is: services and agent_account may still be the old owner's until the new one changes them",
    );
    findings.warn(
        "approvals that the old owner gave do not bind the new one, and count again if the agent comes back",
    );
    Ok(if standing.owner == from {
        Call::Transfer { receiver, agent_id }
    } else {
        Call::TransferFrom {
            sender: standing.owner,
            receiver,
            agent_id,
        }
    })
}

fn approve(
    standing: &Standing,
    from: Address,
    agent_id: U256,
    spender: Address,
    amount: U256,
    findings: &mut Findings,
) -> Result<Call, PublishError> {
    if standing.owner != from {
        return Err(PublishError::NotAllowed(format!(
            "agent {agent_id} belongs to {}; an approval by {from} would have no effect",
            standing.owner
        )));
    }
    if spender.is_zero() || spender == from {
        return Err(invalid(
            "a spender is somebody else; the zero address and the owner itself are of no use",
        ));
    }
    if !amount.is_zero() {
        findings.warn(format!(
            "{spender} may then give agent {agent_id} away, without asking"
        ));
    }
    Ok(Call::Approve {
        spender,
        agent_id,
        amount,
    })
}
