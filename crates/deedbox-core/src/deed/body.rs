//! What can be done: one kind of deed for each.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    AcceptanceId, ActorId, ActorKind, AgentLabel, ClaimProvenance, CompletionId, Following,
    HandoffId, ManifestHash, ReadProvenance, Scopes, Settlement, Sighting, SignedTransaction,
    SpaceId, TaskId, Timestamp, ToolId, ToolName, Trust,
    hash::{ReadingDigest, SecretHash},
    memory::{About, Changed, Committed, Origin},
    task::ContextSnapshot,
    text::{
        AuthorityScope, ClaimText, ContextNote, Description, Name, Reason, SourceReference, Title,
    },
};

/// What was done. Its `kind` is the variant's name in snake case; its JSON is in camel case, as on the wire;
/// what chains say keeps the spelling of the tools that read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    content = "body",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Body {
    /// A task was created; nobody owns it.
    TaskCreated {
        /// What it is called.
        title: Title,
        /// What it is about.
        description: Description,
        /// Who created it.
        injected_by: ActorId,
        /// Under whose authority.
        authority_scope: Option<AuthorityScope>,
        /// Whether, after a handoff, only the recipient may accept.
        recipient_only: bool,
    },
    /// An actor took ownership.
    TaskAccepted {
        /// This acceptance.
        id: AcceptanceId,
        /// The new owner.
        actor_id: ActorId,
        /// What it wants known.
        context_note: Option<ContextNote>,
    },
    /// The owner claimed completion.
    CompletionReported {
        /// This claim.
        id: CompletionId,
        /// The owner.
        actor_id: ActorId,
        /// How it knows.
        provenance: ClaimProvenance,
        /// What it claims.
        claim_text: ClaimText,
        /// Where the evidence is.
        source_reference: Option<SourceReference>,
    },
    /// The owner gave the task away; nobody owns it until somebody accepts.
    TaskHandedOff {
        /// This handoff.
        id: HandoffId,
        /// The owner until now.
        from_actor_id: ActorId,
        /// For whom it is meant.
        to_actor_id: ActorId,
        /// Why.
        reason: Option<Reason>,
        /// The task as it stood.
        context_snapshot: Box<ContextSnapshot>,
    },
    /// The server read a chain.
    ReadingRecorded {
        /// Which tool.
        tool: ToolName,
        /// What it was asked.
        arguments: Map<String, Value>,
        /// What it answered.
        data: Map<String, Value>,
        /// Where the answer came from.
        provenance: ReadProvenance,
        /// The digest of all that: see [`Reading::digest`](crate::Reading::digest).
        digest: ReadingDigest,
        /// For which task.
        task_id: Option<TaskId>,
    },
    /// The operator signed a transaction, and has not sent it yet.
    PublicationSigned(Box<SignedTransaction>),
    /// The chain says what has become of it.
    PublicationSettled(Box<Settlement>),
    /// The chain says so no more.
    PublicationUnsettled {
        /// What was seen.
        reason: Reason,
    },
    /// Somebody decided to follow a registry.
    RegistryFollowed(Box<Following>),
    /// And not to any more.
    RegistryUnfollowed {},
    /// How far it is trusted.
    RegistryTrustSet {
        /// How far.
        trust: Trust,
    },
    /// Somebody looked at its code again, and accepted it.
    RegistryCodeAccepted(Box<Sighting>),
    /// A tool is held to one manifest.
    ToolPinned {
        /// Which tool.
        tool_id: ToolId,
        /// The hash that its manifest has to have.
        manifest_hash: ManifestHash,
    },
    /// And not to any more.
    ToolUnpinned {
        /// Which tool.
        tool_id: ToolId,
    },
    /// Something was remembered, for the first time or again. The words stand beside the deed.
    MemoryRemembered {
        /// Where.
        space_id: SpaceId,
        /// By whom; nobody when an operator named none.
        actor_id: Option<ActorId>,
        /// What is said of it.
        about: About,
        /// What binds the words to this deed.
        text: Committed,
        /// Where it was written first, when it was imported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Box<Origin>>,
    },
    /// It was said anew, or something about it was.
    MemoryRevised {
        /// By whom; nobody when an operator named none.
        actor_id: Option<ActorId>,
        /// What is said of it now.
        about: About,
        /// What binds the words to this deed; none when they are as they were.
        text: Option<Committed>,
        /// What is another than before.
        changed: BTreeSet<Changed>,
        /// Whether somebody remembered the same, and this memory took it up.
        merged: bool,
        /// Where it was written first, when it was imported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Box<Origin>>,
    },
    /// It is not to be recalled any more.
    MemoryForgotten {
        /// By whom; nobody when an operator named none.
        actor_id: Option<ActorId>,
    },
    /// Its words, in all versions, are gone.
    MemoryRedacted {
        /// By whom; nobody when an operator named none.
        actor_id: Option<ActorId>,
        /// Why.
        reason: Option<Reason>,
    },
    /// A team got a space.
    SpaceCreated {
        /// How it is shown.
        name: Name,
        /// Who decides on it; its first member.
        owner: ActorId,
    },
    /// Somebody came in.
    SpaceMemberAdded {
        /// Who.
        actor_id: ActorId,
    },
    /// And went out.
    SpaceMemberRemoved {
        /// Who.
        actor_id: ActorId,
    },
    /// An actor became known.
    ActorAdded {
        /// What it is.
        actor_kind: ActorKind,
        /// How it is shown.
        name: Name,
    },
    /// A key was made.
    KeyIssued {
        /// SHA-256 over the whole key.
        secret_hash: SecretHash,
        /// The only actor it may act as; none for an operator key.
        actor_id: Option<ActorId>,
        /// What it may be used for.
        scopes: Scopes,
        /// What its maker calls it.
        label: Option<Name>,
        /// The agent label that it bears witness to. Absent where there is none, as in the deeds of keys before there were such.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_label: Option<AgentLabel>,
        /// From when on it is refused.
        expires_at: Option<Timestamp>,
    },
    /// A key was taken back.
    KeyRevoked {},
}

impl Body {
    /// The same deed of a memory, imported from there. No other deed comes from anywhere.
    pub(crate) fn coming_from(mut self, from: Option<Box<Origin>>) -> Self {
        if let Self::MemoryRemembered { origin, .. } | Self::MemoryRevised { origin, .. } =
            &mut self
        {
            *origin = from;
        }
        self
    }

    /// The kind and the fields, as a database keeps them.
    pub(crate) fn to_stored(&self) -> (String, Value) {
        // Infallible: text keys only, and no floating-point numbers.
        let body = serde_json::to_value(self).unwrap_or_default();
        let (kind, body) = match body {
            Value::Object(mut map) => (map.remove("kind"), map.remove("body")),
            _ => (None, None),
        };
        let kind = kind.as_ref().and_then(Value::as_str).unwrap_or_default();
        (kind.to_owned(), body.unwrap_or_default())
    }
}
