//! A change as values.

use deedbox_registry::{Admission, Call, Deployment, Entry, Logic, NewAgent, Predicate, Term};
use serde_json::{Map, Value, json};

use super::Change;

/// The values of a change, with its entries in the form that `entry` gives them.
pub(super) fn of(change: &Change, entry: impl Fn(&Entry) -> Value) -> Map<String, Value> {
    let (mut values, contract) = match change {
        Change::Create(deployment) => (
            of_deployment(deployment, &entry),
            deployment.name().to_owned(),
        ),
        Change::Call { to, call } => {
            let values = of_agents(call, &entry).unwrap_or_else(|| of_tools(call));
            (values, to.to_string())
        }
    };
    values["contract"] = contract.into();
    object(values)
}

pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn list(entries: &[Entry], entry: &impl Fn(&Entry) -> Value) -> Value {
    entries.iter().map(entry).collect()
}

fn of_deployment(deployment: &Deployment, entry: &impl Fn(&Entry) -> Value) -> Value {
    let registry = match deployment {
        Deployment::Tools => return json!({}),
        Deployment::Predicate(predicate) => return of_predicate(predicate),
        Deployment::Agents(registry) => registry,
    };
    let mut values =
        json!({"registrar": registry.registrar, "metadata": list(&registry.metadata, entry)});
    if let Admission::FixedSupply { max_supply } = registry.admission {
        values["max_supply"] = max_supply.to_string().into();
    }
    values
}

/// Calls of a registry of agents; none for any other.
fn of_agents(call: &Call, entry: &impl Fn(&Entry) -> Value) -> Option<Value> {
    let agent =
        |agent: &NewAgent| json!({"owner": agent.owner, "metadata": list(&agent.metadata, entry)});
    Some(match call {
        Call::RegisterService {
            owner,
            service_type,
            service,
            agent_account,
        } => {
            json!({"owner": owner, "service_type": service_type, "service": service, "agent_account": agent_account})
        }
        Call::Register(new) => agent(new),
        Call::RegisterBatch(agents) => {
            json!({"agents": agents.iter().map(agent).collect::<Vec<_>>()})
        }
        Call::SetMetadata { agent_id, entry: e } => {
            json!({"agent_id": agent_id.to_string(), "metadata": [entry(e)]})
        }
        Call::SetMetadataBatch { agent_id, entries } => {
            json!({"agent_id": agent_id.to_string(), "metadata": list(entries, entry)})
        }
        Call::Transfer { receiver, agent_id } => {
            json!({"agent_id": agent_id.to_string(), "receiver": receiver})
        }
        Call::TransferFrom {
            sender,
            receiver,
            agent_id,
        } => {
            json!({"agent_id": agent_id.to_string(), "sender": sender, "receiver": receiver})
        }
        Call::Approve {
            spender,
            agent_id,
            amount,
        } => {
            json!({"agent_id": agent_id.to_string(), "spender": spender, "amount": amount.to_string()})
        }
        Call::SetOperator { operator, approved } => {
            json!({"operator": operator, "approved": approved})
        }
        Call::SetContractMetadata(e) => json!({"metadata": [entry(e)]}),
        Call::NominateRegistrar(nominee) => json!({"nominee": nominee}),
        _ => return None,
    })
}

/// Calls of a registry of tools and of predicates, and those without arguments.
fn of_tools(call: &Call) -> Value {
    match call {
        Call::RegisterTool {
            metadata_uri,
            manifest_hash,
            access_predicate,
        } => {
            json!({"metadata_uri": metadata_uri, "manifest_hash": manifest_hash, "access_predicate": access_predicate})
        }
        Call::UpdateToolMetadata {
            tool_id,
            metadata_uri,
            manifest_hash,
        } => {
            json!({"tool_id": tool_id.to_string(), "metadata_uri": metadata_uri, "manifest_hash": manifest_hash})
        }
        Call::SetAccessPredicate {
            tool_id,
            access_predicate,
        } => {
            json!({"tool_id": tool_id.to_string(), "access_predicate": access_predicate})
        }
        Call::DeregisterTool(tool_id) => json!({"tool_id": tool_id.to_string()}),
        Call::SetAllowed {
            tool_id,
            accounts,
            allowed,
        } => {
            json!({"tool_id": tool_id.to_string(), "accounts": accounts, "allowed": allowed})
        }
        Call::SetRoot { tool_id, root } => {
            json!({"tool_id": tool_id.to_string(), "root": root})
        }
        _ => json!({}),
    }
}

pub(super) fn of_predicate(predicate: &Predicate) -> Value {
    match predicate {
        Predicate::AlwaysDeny => json!({}),
        Predicate::Allowlist { registry } | Predicate::MerkleAllowlist { registry } => {
            json!({"registry": registry})
        }
        Predicate::Erc721Holder { collection } => json!({"collection": collection}),
        Predicate::Erc1155Holder {
            collection,
            token_id,
        } => json!({"collection": collection, "token_id": token_id.to_string()}),
        Predicate::Erc20Balance { token, min_balance } => {
            json!({"token": token, "min_balance": min_balance.to_string()})
        }
        Predicate::Subscription {
            collection,
            min_tier,
        } => json!({"collection": collection, "min_tier": min_tier}),
        Predicate::AgentOwner { agents, agent_id } => {
            json!({"agents": agents, "agent_id": agent_id.to_string()})
        }
        Predicate::AnyAgentOwner { agents } => json!({"agents": agents}),
        Predicate::AccessProof { caller } => json!({"caller": caller}),
        Predicate::Composite {
            caller,
            logic,
            terms,
        } => {
            let logic = match logic {
                Logic::All => "all",
                Logic::Any => "any",
            };
            let term = |term: &Term| json!({"predicate": term.predicate, "negated": term.negated, "gas_limit": term.gas_limit});
            json!({"caller": caller, "logic": logic, "terms": terms.iter().map(term).collect::<Vec<_>>()})
        }
    }
}
