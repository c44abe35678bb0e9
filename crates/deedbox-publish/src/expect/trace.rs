//! What the state has to say where a change took effect, and its receipt tells nothing of it.

use alloy_primitives::{Address, U256};
use deedbox_chain::{look::Call as Look, send::Receipt};
use deedbox_registry::{
    Call, NewAgent,
    abi::{OpenAgentRegistry as Agents, ToolRegistry as Tools},
};

use super::{Expected, Must, service_agent};
use crate::{change::Change, prepare::view};

/// Where to look for the effect of a change.
#[derive(Clone, Debug)]
pub(crate) enum Trace {
    /// This holds with it, and without it did not.
    State(Expected),
    /// Something is registered: this counts how many were, and [`Trace::registered`] says what one has to be.
    Registration(Look),
}

impl Trace {
    /// Of a change that an account made with this nonce.
    pub(crate) fn of(change: &Change, from: Address, nonce: u64, receipt: &Receipt) -> Self {
        let count = match change {
            Change::Call {
                to,
                call: Call::RegisterService { .. } | Call::Register(_) | Call::RegisterBatch(_),
            } => view(*to, &Agents::agentCountCall {}),
            Change::Call {
                to,
                call: Call::RegisterTool { .. },
            } => view(*to, &Tools::toolCountCall {}),
            _ => return Self::State(Expected::of(change, from, nonce, receipt)),
        };
        Self::Registration(count)
    }

    /// What has to be there when this registration got the ids from `first` on. Nothing for any other change.
    pub(crate) fn registered(change: &Change, from: Address, first: u64) -> Expected {
        let mut expected = Expected::default();
        let Change::Call { to, call } = change else {
            return expected;
        };
        let mut agents = |agents: &[NewAgent]| {
            for (id, agent) in (first..).zip(agents) {
                expected.agent(*to, U256::from(id), agent);
            }
        };
        match call {
            Call::RegisterService {
                owner,
                service_type,
                service,
                agent_account,
            } => {
                let (agent, values) = service_agent(*owner, service_type, service, *agent_account);
                agents(&[agent]);
                for (key, value) in &values {
                    expected.agent_metadata(*to, U256::from(first), key, value);
                }
            }
            Call::Register(agent) => agents(std::slice::from_ref(agent)),
            Call::RegisterBatch(all) => agents(all),
            Call::RegisterTool {
                metadata_uri,
                manifest_hash,
                access_predicate,
            } => {
                let metadata = Some((metadata_uri.clone(), *manifest_hash));
                let must = Must::Tool(Some(from), metadata, Some(*access_predicate));
                expected.tool(*to, U256::from(first), must);
            }
            _ => {}
        }
        expected
    }
}
