//! What the server sees of a caller.

use deedbox_core::{
    ActorId, Attribution, Authority, InstanceHash,
    attribution::{AgentLabel, CurrentAgentTrust, IgnoredLabel},
};
use schemars::JsonSchema;
use serde::Serialize;

/// As whom a credential acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ActsAs {
    /// As one actor, who is named.
    Actor,
    /// As any actor; deeds say that it was asserted.
    Operator,
}

/// What `get_identity` answers: the credential, which authorises, and the labels, which do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Identity {
    /// Which credential, by name: `key:<id>`, `env:<variable>`, or `local` for somebody at the command line.
    pub principal: String,
    /// As whom the credential acts.
    pub acts_as: ActsAs,
    /// The only actor that it may act as; null for an operator's.
    pub actor: Option<ActorId>,
    /// What it may be used for; a scope of memory may be followed by `@` and the only space that it is for.
    pub scopes: Vec<String>,
    /// What the caller calls itself; null when it sent no such label, or none that can be read.
    pub agent_label: Option<String>,
    /// The hash of the installation's label, as it stands in deeds. The label itself is not kept.
    pub instance_id_hash: Option<InstanceHash>,
    /// Why the agent label is believed.
    pub current_agent_trust: CurrentAgentTrust,
    /// The agent label that the key bears witness to, when the caller sends that label.
    pub key_agent_label: Option<String>,
    /// What was sent as a label, and not taken.
    pub ignored_labels: Vec<IgnoredLabel>,
    /// Always false: a label attributes, and never authorises.
    pub labels_authorise: bool,
}

impl From<&Attribution> for Identity {
    fn from(caller: &Attribution) -> Self {
        let text = |label: &AgentLabel| label.as_str().to_owned();
        let (acts_as, actor) = match &caller.principal.authority {
            Authority::Operator => (ActsAs::Operator, None),
            Authority::Actor(actor) => (ActsAs::Actor, Some(actor.clone())),
        };
        Self {
            principal: caller.principal.id.to_string(),
            acts_as,
            actor,
            scopes: caller.principal.scopes.to_texts(),
            agent_label: caller.agent_label.as_ref().map(text),
            instance_id_hash: caller.instance,
            current_agent_trust: caller.trust(),
            key_agent_label: caller.principal.agent_label.as_ref().map(text),
            ignored_labels: caller.ignored.clone(),
            labels_authorise: false,
        }
    }
}
