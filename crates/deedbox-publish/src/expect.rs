//! What the chain has to say once a change is in it, and whether it does. Pure.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use deedbox_chain::{
    look::{Call as Look, Expects, Got, Wanted},
    send::Receipt,
};
use deedbox_core::publication::ReadBack;
use deedbox_registry::{
    Admission, Artifact, Call, Deployment, Entry, NewAgent,
    abi::{
        AllowlistPredicate as Allowlist, FixedSupplyAgentRegistry,
        MerkleAllowlistPredicate as Merkle, OpenAgentRegistry as Agents, ToolRegistry as Tools,
    },
    entry, event,
};
use serde_json::{Map, Value, json};

mod must;
mod predicate;
mod trace;

use must::Must;
pub(crate) use trace::Trace;

use crate::{change::Change, error::counted};

/// What has to be read, and what it has to say.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// What is new in the chain, by name: `agent_ids`, `tool_id`, `contract`.
    pub created: Map<String, Value>,
    facts: Vec<Fact>,
    code: Option<(Address, &'static Artifact)>,
    /// What the receipt itself lacks.
    missing: Vec<String>,
}

/// One answer that is expected.
#[derive(Clone, Debug)]
struct Fact {
    what: String,
    look: Look,
    must: Must,
}

impl Fact {
    fn new(what: impl Into<String>, to: Address, call: &impl SolCall, must: Must) -> Self {
        Self {
            what: what.into(),
            look: Look {
                to,
                data: call.abi_encode().into(),
                expects: Expects::Anything,
            },
            must,
        }
    }
}

impl Expected {
    /// What follows from a change that an account made with this nonce, given the receipt that says it took effect.
    #[must_use]
    pub fn of(change: &Change, from: Address, nonce: u64, receipt: &Receipt) -> Self {
        let mut expected = Self::default();
        match change {
            Change::Create(deployment) => {
                expected.creation(deployment, from.create(nonce), receipt);
            }
            Change::Call { to, call } => expected.call(*to, call, from, receipt),
        }
        expected
    }

    /// What has to be read for it, at the receipt's block.
    #[must_use]
    pub fn wanted(&self) -> Wanted {
        Wanted {
            codes: self.code.iter().map(|(address, _)| *address).collect(),
            calls: self.facts.iter().map(|fact| fact.look.clone()).collect(),
            ..Wanted::default()
        }
    }

    /// Whether that is what was read, and what is not.
    #[must_use]
    pub fn compare(&self, got: &Got) -> (ReadBack, Vec<String>) {
        let mut findings = self.missing.clone();
        findings.extend(self.differences(got));
        let read_back = if findings.is_empty() {
            ReadBack::Matches
        } else {
            ReadBack::Differs
        };
        (read_back, findings)
    }

    /// Whether the state says all of it, whatever the receipt tells. Never where nothing is expected of the state.
    pub(crate) fn holds(&self, got: &Got) -> bool {
        let is_something = self.code.is_some() || !self.facts.is_empty();
        is_something && self.differences(got).is_empty()
    }

    /// What the state does not say.
    fn differences(&self, got: &Got) -> Vec<String> {
        let mut findings = Vec::new();
        if let Some((address, artifact)) = self.code {
            let is_it = got.codes.first().is_some_and(|code| artifact.is_code(code));
            if !is_it {
                findings.push(format!(
                    "the code at {address} is not that of {}",
                    artifact.name
                ));
            }
        }
        let answers = got.calls.iter().map(Some).chain(std::iter::repeat(None));
        for (fact, said) in self.facts.iter().zip(answers) {
            if let Err(found) = fact.must.compare(said) {
                findings.push(format!("{}: {found}", fact.what));
            }
        }
        findings
    }

    fn fact(&mut self, what: impl Into<String>, to: Address, call: &impl SolCall, must: Must) {
        self.facts.push(Fact::new(what, to, call, must));
    }

    /// Where a new contract stands follows from the account and its nonce, whatever a receipt says.
    fn creation(&mut self, deployment: &Deployment, contract: Address, receipt: &Receipt) {
        if receipt.contract != Some(contract) {
            let told = receipt.contract.map_or_else(
                || "no new contract".to_owned(),
                |told| format!("{told} as the new contract"),
            );
            self.missing.push(format!(
                "the receipt names {told}, and it has to be at {contract}"
            ));
        }
        self.created
            .insert("contract".to_owned(), contract.to_string().into());
        self.code = Some((contract, deployment.artifact()));
        let registry = match deployment {
            Deployment::Agents(registry) => registry,
            Deployment::Predicate(predicate) => {
                self.facts.extend(predicate::facts(contract, predicate));
                return;
            }
            Deployment::Tools => return,
        };
        let registrar = Must::Account(registry.registrar);
        self.fact("registrar", contract, &Agents::registrarCall {}, registrar);
        if let Admission::FixedSupply { max_supply } = registry.admission {
            let call = FixedSupplyAgentRegistry::maxSupplyCall {};
            self.fact("maxSupply", contract, &call, Must::Number(max_supply));
        }
        for entry in last_of_each(&registry.metadata) {
            self.contract_metadata(contract, entry);
        }
    }

    fn contract_metadata(&mut self, registry: Address, entry: &Entry) {
        let key = entry.key.to_string();
        let call = Agents::contractMetadataCall { key };
        let what = format!("registry metadata {}", entry.key);
        self.fact(what, registry, &call, Must::Bytes(entry.value.clone()));
    }

    fn agent_metadata(&mut self, registry: Address, agent: U256, key: &str, value: &[u8]) {
        let call = Agents::metadataCall {
            agentId: agent,
            key: key.to_owned(),
        };
        let must = Must::Bytes(Bytes::copy_from_slice(value));
        self.fact(format!("agent {agent}, {key}"), registry, &call, must);
    }

    fn owner(&mut self, registry: Address, agent: U256, owner: Address) {
        let call = Agents::ownerOfCall { agentId: agent };
        let what = format!("owner of agent {agent}");
        self.fact(what, registry, &call, Must::Account(owner));
    }

    /// Agents that were registered: their ids come from the receipt, everything else is read.
    fn agents(&mut self, registry: Address, agents: &[NewAgent], receipt: &Receipt) {
        let ids = event::registered_agents(registry, &receipt.logs);
        let owners: Vec<_> = agents.iter().map(|agent| agent.owner).collect();
        if ids.iter().map(|(_, owner)| *owner).ne(owners) {
            self.missing.push(format!(
                "the receipt tells of {} instead of {}, or of other owners",
                counted(
                    u64::try_from(ids.len()).unwrap_or(u64::MAX),
                    "registered agent"
                ),
                agents.len()
            ));
        }
        // Whatever contract was called says how many these are.
        let ids = ids.get(..agents.len()).unwrap_or(&ids);
        let told: Vec<_> = ids.iter().map(|(id, _)| id.to_string()).collect();
        self.created.insert("agent_ids".to_owned(), json!(told));
        for ((id, _), agent) in ids.iter().zip(agents) {
            self.agent(registry, *id, agent);
        }
    }

    /// Whose an agent is, and what stands under each of its keys.
    fn agent(&mut self, registry: Address, id: U256, agent: &NewAgent) {
        self.owner(registry, id, agent.owner);
        for entry in last_of_each(&agent.metadata) {
            self.agent_metadata(registry, id, entry.key.as_str(), &entry.value);
        }
    }

    fn call(&mut self, to: Address, call: &Call, from: Address, receipt: &Receipt) {
        match call {
            Call::RegisterService {
                owner,
                service_type,
                service,
                agent_account,
            } => {
                let (agent, values) = service_agent(*owner, service_type, service, *agent_account);
                self.agents(to, &[agent], receipt);
                for (id, _) in event::registered_agents(to, &receipt.logs).iter().take(1) {
                    for (key, value) in &values {
                        self.agent_metadata(to, *id, key, value);
                    }
                }
            }
            Call::Register(agent) => self.agents(to, std::slice::from_ref(agent), receipt),
            Call::RegisterBatch(agents) => self.agents(to, agents, receipt),
            Call::SetMetadata { agent_id, entry } => {
                self.agent_metadata(to, *agent_id, entry.key.as_str(), &entry.value);
            }
            Call::SetMetadataBatch { agent_id, entries } => {
                for entry in last_of_each(entries) {
                    self.agent_metadata(to, *agent_id, entry.key.as_str(), &entry.value);
                }
            }
            Call::Transfer { receiver, agent_id }
            | Call::TransferFrom {
                receiver, agent_id, ..
            } => self.owner(to, *agent_id, *receiver),
            Call::Approve {
                spender,
                agent_id,
                amount,
            } => {
                let call = Agents::allowanceCall {
                    owner: from,
                    spender: *spender,
                    id: *agent_id,
                };
                let what = format!("allowance of {spender} for agent {agent_id}");
                self.fact(what, to, &call, Must::Number(*amount));
            }
            Call::SetOperator { operator, approved } => {
                let call = Agents::isOperatorCall {
                    owner: from,
                    spender: *operator,
                };
                self.fact(
                    format!("operator {operator}"),
                    to,
                    &call,
                    Must::Yes(*approved),
                );
            }
            Call::SetContractMetadata(entry) => self.contract_metadata(to, entry),
            Call::NominateRegistrar(nominee) => {
                let call = Agents::nominatedRegistrarCall {};
                self.fact("nominatedRegistrar", to, &call, Must::Account(*nominee));
            }
            Call::AcceptRegistrar => {
                self.fact(
                    "registrar",
                    to,
                    &Agents::registrarCall {},
                    Must::Account(from),
                );
            }
            Call::RenounceRegistrar => {
                let nobody = Must::Account(Address::ZERO);
                self.fact("registrar", to, &Agents::registrarCall {}, nobody);
            }
            _ => self.tool_call(to, call, from, receipt),
        }
    }

    fn tool_call(&mut self, to: Address, call: &Call, from: Address, receipt: &Receipt) {
        match call {
            Call::RegisterTool {
                metadata_uri,
                manifest_hash,
                access_predicate,
            } => {
                let Some(id) = event::registered_tool(to, from, &receipt.logs) else {
                    self.missing
                        .push("the receipt does not tell of one registered tool".to_owned());
                    return;
                };
                self.created
                    .insert("tool_id".to_owned(), id.to_string().into());
                let metadata = Some((metadata_uri.clone(), *manifest_hash));
                let must = Must::Tool(Some(from), metadata, Some(*access_predicate));
                self.tool(to, id, must);
            }
            Call::UpdateToolMetadata {
                tool_id,
                metadata_uri,
                manifest_hash,
            } => {
                let metadata = Some((metadata_uri.clone(), *manifest_hash));
                self.tool(to, *tool_id, Must::Tool(Some(from), metadata, None));
            }
            Call::SetAccessPredicate {
                tool_id,
                access_predicate,
            } => {
                let must = Must::Tool(Some(from), None, Some(*access_predicate));
                self.tool(to, *tool_id, must);
            }
            Call::DeregisterTool(tool_id) => {
                if !event::is_deregistered(to, *tool_id, &receipt.logs) {
                    self.missing.push(format!(
                        "the receipt does not say that tool {tool_id} is gone"
                    ));
                }
                self.tool(to, *tool_id, Must::Refuse);
            }
            Call::SetAllowed {
                tool_id,
                accounts,
                allowed,
            } => {
                for account in accounts {
                    let call = Allowlist::isAllowedCall {
                        toolId: *tool_id,
                        account: *account,
                    };
                    let what = format!("{account} on the list of tool {tool_id}");
                    self.fact(what, to, &call, Must::Yes(*allowed));
                }
            }
            Call::SetRoot { tool_id, root } => {
                let call = Merkle::rootOfCall { toolId: *tool_id };
                self.fact(
                    format!("root of tool {tool_id}"),
                    to,
                    &call,
                    Must::Word(*root),
                );
            }
            // Those of agents are told in `call`.
            _ => {}
        }
    }

    fn tool(&mut self, registry: Address, id: U256, must: Must) {
        let call = Tools::getToolConfigCall { toolId: id };
        self.fact(format!("tool {id}"), registry, &call, must);
    }
}

/// The entries that are in force after all of them were written in order.
pub(crate) fn last_of_each(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    let is_last = |index: usize| {
        let later = &entries[index + 1..];
        later.iter().all(|later| later.key != entries[index].key)
    };
    let last = (0..entries.len()).filter(move |index| is_last(*index));
    last.map(|index| &entries[index])
}

/// What the registration of a service alone makes: the agent, and what stands under the standard's keys, nothing included.
fn service_agent(
    owner: Address,
    service_type: &str,
    service: &str,
    agent_account: Address,
) -> (NewAgent, [(&'static str, Vec<u8>); 3]) {
    let agent = NewAgent {
        owner,
        metadata: Vec::new(),
    };
    let account = (!agent_account.is_zero()).then(|| agent_account.to_vec());
    let values = [
        (entry::SERVICE_TYPE, service_type.as_bytes().to_vec()),
        (entry::SERVICE, service.as_bytes().to_vec()),
        (entry::AGENT_ACCOUNT, account.unwrap_or_default()),
    ];
    (agent, values)
}

#[cfg(test)]
mod tests;
