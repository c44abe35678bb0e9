//! Who asks, and what they say about themselves. The two are kept apart: a credential authorises and
//! never labels, a label attributes and never authorises.

mod boundary;
mod instance;

use std::{borrow::Cow, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

pub use self::{
    boundary::{
        BoundaryAuthority, CurrentAgentTrust, MemoryAgentBoundary, NotARelation, Ownership,
        Relation, RowLabels, memory_agent_boundary,
    },
    instance::{NotAnInstanceLabel, instance_id_hash, offered_instance_id_hash},
};
pub use crate::hash::InstanceHash;
use crate::{ActorId, KeyId, Refusal, Scope, Scopes, limits};

/// The name of a credential: `key:<id>`, `env:<variable>`, or `local` for somebody who has the database itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PrincipalId(Cow<'static, str>);

impl PrincipalId {
    /// Somebody at the command line, with the database's file or URL in hand.
    pub const LOCAL: Self = Self(Cow::Borrowed("local"));
    /// The operator key that the environment variable `MCP_ACCESS_TOKEN` sets.
    pub const ACCESS_TOKEN: Self = Self(Cow::Borrowed("env:MCP_ACCESS_TOKEN"));

    /// The principal that a stored key stands for.
    #[must_use]
    pub fn key(id: &KeyId) -> Self {
        Self(Cow::Owned(format!("key:{id}")))
    }

    /// The name, as it stands in a deed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name read back from a deed.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl fmt::Display for PrincipalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// As whom a principal may act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authority {
    /// As any actor. The deed records that the actor was asserted.
    Operator,
    /// As this actor only. The deed records that the actor was authenticated.
    Actor(ActorId),
}

/// Whoever presented a valid credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Which credential.
    pub id: PrincipalId,
    /// As whom it may act.
    pub authority: Authority,
    /// What it may be used for.
    pub scopes: Scopes,
    /// The agent label that its key is bound to. Bears witness to that label when the caller sends it, and is for nothing else: whoever
    /// sends another, or none, may do the same.
    pub agent_label: Option<AgentLabel>,
}

impl Principal {
    /// Somebody at the command line who has the database itself, and with it every right.
    #[must_use]
    pub fn local() -> Self {
        Self {
            id: PrincipalId::LOCAL,
            authority: Authority::Operator,
            scopes: Scopes::all(),
            agent_label: None,
        }
    }

    /// Whether this principal may use `scope`.
    ///
    /// # Errors
    /// [`Refusal::MissingScope`] when it may not.
    pub fn require(&self, scope: Scope) -> Result<(), Refusal> {
        if self.scopes.contains(scope) {
            Ok(())
        } else {
            Err(Refusal::MissingScope { scope })
        }
    }
}

/// Why a text is not an agent label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be 1 to {} characters without control characters",
    limits::AGENT_LABEL_CHARS
)]
pub struct NotALabel;

/// What an agent calls itself. Never authorises anything.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct AgentLabel(String);

impl AgentLabel {
    /// Takes a label, trimmed of surrounding white space.
    ///
    /// # Errors
    /// [`NotALabel`] when nothing is left, it is too long, or it holds control characters.
    pub fn new(text: &str) -> Result<Self, NotALabel> {
        let text = text.trim();
        let fits = !text.is_empty()
            && text.chars().count() <= limits::AGENT_LABEL_CHARS
            && !text.contains(char::is_control);
        fits.then(|| Self(text.to_owned())).ok_or(NotALabel)
    }

    /// The label as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for AgentLabel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&Cow::<'de, str>::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// Everything about a request's origin that ends up in its deeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// Who presented a credential.
    pub principal: Principal,
    /// What the agent calls itself.
    pub agent_label: Option<AgentLabel>,
    /// Which installation it says it is.
    pub instance: Option<InstanceHash>,
    /// What was sent as a label, and was not taken. In no deed; told to who asks.
    pub ignored: Vec<IgnoredLabel>,
}

/// Something that was sent as a label, and is none. Says nothing of what was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IgnoredLabel {
    /// Where it stood: the name of a header.
    pub carried_in: Cow<'static, str>,
    /// Why it was not taken.
    pub reason: String,
}

impl Attribution {
    /// A principal without labels.
    #[must_use]
    pub const fn of(principal: Principal) -> Self {
        Self {
            principal,
            agent_label: None,
            instance: None,
            ignored: Vec::new(),
        }
    }

    /// Why the agent label is believed.
    #[must_use]
    pub fn trust(&self) -> CurrentAgentTrust {
        match &self.agent_label {
            Some(label) if self.principal.agent_label.as_ref() == Some(label) => {
                CurrentAgentTrust::CredentialBound
            }
            _ => CurrentAgentTrust::ClientAsserted,
        }
    }

    /// Whether this request may act as `actor`.
    ///
    /// # Errors
    /// [`Refusal::WrongActor`] when its key is bound to another.
    pub fn may_act_as(&self, actor: &ActorId) -> Result<(), Refusal> {
        match &self.principal.authority {
            Authority::Actor(own) if own != actor => Err(Refusal::WrongActor {
                bound: own.clone(),
                named: actor.clone(),
            }),
            Authority::Actor(_) | Authority::Operator => Ok(()),
        }
    }

    /// Whether this request may change actors and keys.
    ///
    /// # Errors
    /// [`Refusal::OperatorOnly`] when its key is bound to an actor.
    pub fn must_be_operator(&self) -> Result<(), Refusal> {
        match self.principal.authority {
            Authority::Operator => Ok(()),
            Authority::Actor(_) => Err(Refusal::OperatorOnly),
        }
    }
}
