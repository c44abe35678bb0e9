//! What a transaction changes, read from what is signed: in words for people, and as values for the record.

use alloy_primitives::{Address, Bytes, U256, keccak256};
use deedbox_core::json;
use deedbox_registry::{Admission, Call, Deployment, Entry, Logic, NewAgent, Predicate, Term};
use serde_json::{Map, Value, json};

/// A change of one contract, or a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A call.
    Call {
        /// The contract.
        to: Address,
        /// The call.
        call: Call,
    },
    /// A new contract.
    Create(Deployment),
}

impl Change {
    /// Reads what is signed. None when it is nothing that this program makes.
    #[must_use]
    pub fn read(to: Option<Address>, data: &[u8]) -> Option<Self> {
        match to {
            Some(to) => Call::decode(data).ok().map(|call| Self::Call { to, call }),
            None => Deployment::decode(data).ok().map(Self::Create),
        }
    }

    /// The contract that is called; none where one is created.
    #[must_use]
    pub const fn to(&self) -> Option<Address> {
        match self {
            Self::Call { to, .. } => Some(*to),
            Self::Create(_) => None,
        }
    }

    /// What is signed.
    #[must_use]
    pub fn data(&self) -> Bytes {
        match self {
            Self::Call { call, .. } => call.encode(),
            Self::Create(deployment) => deployment.encode(),
        }
    }

    /// How many bytes of values it writes: each new 32 of them cost a slot of storage.
    #[must_use]
    pub fn value_bytes(&self) -> usize {
        let sum = |entries: &[Entry]| entries.iter().map(|entry| entry.value.len()).sum();
        match self {
            Self::Create(Deployment::Agents(registry)) => sum(&registry.metadata),
            Self::Create(_) => 0,
            Self::Call { call, .. } => match call {
                Call::Register(agent) => sum(&agent.metadata),
                Call::RegisterBatch(agents) => {
                    agents.iter().map(|agent| sum(&agent.metadata)).sum()
                }
                Call::SetMetadata { entry, .. } | Call::SetContractMetadata(entry) => {
                    entry.value.len()
                }
                Call::SetMetadataBatch { entries, .. } => sum(entries),
                Call::RegisterService {
                    service_type,
                    service,
                    ..
                } => service_type.len() + service.len(),
                Call::RegisterTool { metadata_uri, .. }
                | Call::UpdateToolMetadata { metadata_uri, .. } => metadata_uri.len(),
                _ => 0,
            },
        }
    }

    /// What changes, one sentence each, without full stops.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        match self {
            Self::Create(deployment) => created(deployment),
            Self::Call { to, call } => called(*to, call),
        }
    }

    /// The same as values: what is recorded. Values that would be too long for a record stand there by their length and keccak256.
    #[must_use]
    pub fn arguments(&self) -> Map<String, Value> {
        let all = self.values(Entry::to_json);
        if json::canonical_len(&all) <= deedbox_core::limits::PUBLICATION_ARGUMENTS_BYTES {
            return all;
        }
        let short = self.values(|entry| {
            let value = &entry.value;
            json!({"key": entry.key.as_str(), "bytes": value.len(), "keccak256": keccak256(value)})
        });
        if json::canonical_len(&short) <= deedbox_core::limits::PUBLICATION_ARGUMENTS_BYTES {
            return short;
        }
        let data = self.data();
        object(json!({"data_bytes": data.len(), "data_keccak256": keccak256(&data)}))
    }

    fn values(&self, entry: impl Fn(&Entry) -> Value) -> Map<String, Value> {
        let entries = |entries: &[Entry]| -> Vec<_> { entries.iter().map(&entry).collect() };
        let agent =
            |agent: &NewAgent| json!({"owner": agent.owner, "metadata": entries(&agent.metadata)});
        let (to, call) = match self {
            Self::Create(deployment) => {
                let mut values = match deployment {
                    Deployment::Agents(registry) => {
                        json!({"registrar": registry.registrar, "metadata": entries(&registry.metadata)})
                    }
                    Deployment::Tools => json!({}),
                    Deployment::Predicate(predicate) => of_predicate(predicate),
                };
                values["contract"] = deployment.name().into();
                if let Deployment::Agents(registry) = deployment
                    && let Admission::FixedSupply { max_supply } = registry.admission
                {
                    values["max_supply"] = max_supply.to_string().into();
                }
                return object(values);
            }
            Self::Call { to, call } => (*to, call),
        };
        let mut values = match call {
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
            Call::SetMetadataBatch {
                agent_id,
                entries: all,
            } => {
                json!({"agent_id": agent_id.to_string(), "metadata": entries(all)})
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
            Call::AcceptRegistrar | Call::RenounceRegistrar => json!({}),
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
        };
        values["contract"] = to.to_string().into();
        object(values)
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn of_predicate(predicate: &Predicate) -> Value {
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
        Predicate::Composite { logic, terms } => {
            let logic = match logic {
                Logic::All => "all",
                Logic::Any => "any",
            };
            let term = |term: &Term| json!({"predicate": term.predicate, "negated": term.negated, "gas_limit": term.gas_limit});
            json!({"logic": logic, "terms": terms.iter().map(term).collect::<Vec<_>>()})
        }
    }
}

/// A value for people: text in quotes, anything else in hex, both cut.
fn shown(entry: &Entry) -> String {
    const MOST: usize = 120;
    if entry.value.is_empty() {
        return format!("{} is removed", entry.key);
    }
    match (entry.as_address(), std::str::from_utf8(&entry.value)) {
        (Some(address), _) if entry.key.as_str() == deedbox_registry::entry::AGENT_ACCOUNT => {
            format!("{} = {address}", entry.key)
        }
        (_, Ok(text)) if text.chars().count() <= MOST => format!("{} = {text:?}", entry.key),
        (_, Ok(text)) => {
            let head: String = text.chars().take(MOST).collect();
            format!("{} = {head:?}… ({} bytes)", entry.key, text.len())
        }
        (_, Err(_)) => format!(
            "{} = {} bytes that are no text",
            entry.key,
            entry.value.len()
        ),
    }
}

fn created(deployment: &Deployment) -> Vec<String> {
    let mut lines = vec![format!("a new {} is created", deployment.name())];
    match deployment {
        Deployment::Tools => lines.push("nobody owns it; its rules cannot be changed".to_owned()),
        Deployment::Predicate(predicate) => {
            if let Value::Object(map) = of_predicate(predicate) {
                lines.extend(map.iter().map(|(name, value)| match value {
                    Value::String(text) => format!("{name} = {text}"),
                    other => format!("{name} = {other}"),
                }));
            }
        }
        Deployment::Agents(registry) => {
            lines.push(match registry.admission {
                Admission::Open => "anybody may register agents".to_owned(),
                Admission::Curated => "only the registrar registers agents".to_owned(),
                Admission::FixedSupply { max_supply } => {
                    format!("only the registrar registers agents, {max_supply} at most")
                }
            });
            lines.push(match registry.registrar {
                Address::ZERO => "nobody is its registrar, ever: its metadata is final".to_owned(),
                registrar => format!("its registrar is {registrar}"),
            });
            lines.extend(registry.metadata.iter().map(shown));
        }
    }
    lines
}

fn agent_lines(agent: &NewAgent) -> Vec<String> {
    let owner = format!("a new agent is registered for {}", agent.owner);
    std::iter::once(owner)
        .chain(agent.metadata.iter().map(shown))
        .collect()
}

fn called(to: Address, call: &Call) -> Vec<String> {
    let predicate = |predicate: &Address| match *predicate {
        Address::ZERO => "everybody has access".to_owned(),
        predicate => format!("the contract {predicate} decides who has access"),
    };
    match call {
        Call::RegisterService {
            owner,
            service_type,
            service,
            agent_account,
        } => {
            let mut lines = vec![format!("a new agent is registered for {owner}")];
            if !service_type.is_empty() {
                lines.push(format!("service_type = {service_type:?}"));
            }
            if !service.is_empty() {
                lines.push(format!("service = {service:?}"));
            }
            if !agent_account.is_zero() {
                lines.push(format!("agent_account = {agent_account}"));
            }
            lines
        }
        Call::Register(agent) => agent_lines(agent),
        Call::RegisterBatch(agents) => {
            let mut lines = vec![format!("{} new agents, all of them or none", agents.len())];
            lines.extend(agents.iter().flat_map(agent_lines));
            lines
        }
        Call::SetMetadata { agent_id, entry } => {
            vec![format!("agent {agent_id}: {}", shown(entry))]
        }
        Call::SetMetadataBatch { agent_id, entries } => {
            let line = |entry| format!("agent {agent_id}: {}", shown(entry));
            entries.iter().map(line).collect()
        }
        Call::Transfer { receiver, agent_id } => {
            vec![format!(
                "agent {agent_id} belongs to {receiver} from then on"
            )]
        }
        Call::TransferFrom {
            sender,
            receiver,
            agent_id,
        } => vec![format!(
            "agent {agent_id} belongs to {receiver} from then on, and no more to {sender}"
        )],
        Call::Approve {
            spender,
            agent_id,
            amount,
        } => vec![match *amount {
            U256::ZERO => format!("{spender} may not act for agent {agent_id} any more"),
            U256::MAX => format!(
                "{spender} may write the metadata of agent {agent_id} and transfer it, until that is revoked"
            ),
            amount => format!(
                "{spender} may write the metadata of agent {agent_id}, and transfer it {amount} time(s)"
            ),
        }],
        Call::SetOperator { operator, approved } => vec![if *approved {
            format!(
                "{operator} may act for every agent that you own in this registry, also those to come"
            )
        } else {
            format!("{operator} may not act for your agents any more")
        }],
        Call::SetContractMetadata(entry) => vec![format!("the registry {to}: {}", shown(entry))],
        Call::NominateRegistrar(nominee) => vec![match *nominee {
            Address::ZERO => "nobody is nominated as registrar any more".to_owned(),
            nominee => format!(
                "{nominee} may become the registrar of {to} by accepting; until then nothing changes"
            ),
        }],
        Call::AcceptRegistrar => vec![format!("you become the registrar of {to}")],
        Call::RenounceRegistrar => vec![format!(
            "nobody is the registrar of {to} any more, for ever: its metadata is final, and where agents are admitted, none will be"
        )],
        Call::RegisterTool {
            metadata_uri,
            manifest_hash,
            access_predicate,
        } => vec![
            "a new tool is registered, and you are its creator for ever".to_owned(),
            format!("its manifest is at {metadata_uri}"),
            format!("its manifest's hash is {manifest_hash}"),
            predicate(access_predicate),
        ],
        Call::UpdateToolMetadata {
            tool_id,
            metadata_uri,
            manifest_hash,
        } => vec![
            format!("tool {tool_id}: its manifest is at {metadata_uri}"),
            format!("tool {tool_id}: its manifest's hash is {manifest_hash}"),
        ],
        Call::SetAccessPredicate {
            tool_id,
            access_predicate,
        } => vec![format!("tool {tool_id}: {}", predicate(access_predicate))],
        Call::DeregisterTool(tool_id) => vec![format!(
            "tool {tool_id} is removed FOR EVER: nobody, you included, can bring it back or use its id again"
        )],
        Call::SetAllowed {
            tool_id,
            accounts,
            allowed,
        } => {
            let word = if *allowed { "has" } else { "has no" };
            let line = |account| format!("tool {tool_id}: {account} {word} access");
            accounts.iter().map(line).collect()
        }
        Call::SetRoot { tool_id, root } => vec![format!(
            "tool {tool_id}: who has access is what the Merkle root {root} says"
        )],
    }
}
