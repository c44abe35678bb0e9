//! Refusals: the protocol's own way of saying no.

use serde::{Serialize, ser::SerializeStruct};

use crate::{
    ActorId, ChainAccount, ClaimProvenance, EvidenceId, KeyId, MemoryId, PublicationId,
    PublicationStatus, RegistryId, Scope, SpaceId, SpaceUsage, TakenNonce, TaskId, ToolId, limits,
};

/// A well-formed request that the rules do not allow. Data with a stable code, not a failure; a refused
/// command writes nothing.
///
/// Serialized as in OAP: `{"status": 404, "error": "…", "code": "task_not_found"}`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The input is malformed. `field` is a path into the arguments, empty for the whole.
    #[error("{}{reason}", if field.is_empty() { String::new() } else { format!("{field}: ") })]
    InvalidInput {
        /// Where.
        field: String,
        /// What is wrong and what is expected.
        reason: String,
    },
    /// No such task.
    #[error("Task not found: {0}")]
    TaskNotFound(TaskId),
    /// No such actor.
    #[error(
        "Actor not found: {0}. An operator adds one with: deedbox actor add {0} --kind agent (or human, service)"
    )]
    ActorNotFound(ActorId),
    /// No such key.
    #[error("Key not found: {0}")]
    KeyNotFound(KeyId),
    /// There is no such evidence: a claim cites it, or somebody asks for it.
    #[error("Evidence not found: {0}. No reading is recorded here under this id")]
    EvidenceNotFound(String),
    /// accept: somebody owns the task already, perhaps the caller.
    #[error(
        "Task {task} is already owned by {owner}; it can be accepted again only after a handoff"
    )]
    AlreadyOwned {
        /// The task.
        task: TaskId,
        /// Who owns it.
        owner: ActorId,
    },
    /// accept: the task was handed to somebody else and was created for recipients only.
    #[error("Task {task} was handed to {recipient}, and only its recipient may accept it")]
    NotRecipient {
        /// The task.
        task: TaskId,
        /// Who may accept it.
        recipient: ActorId,
    },
    /// complete: nobody owns the task.
    #[error("Task {0} has no current owner; accept it before reporting completion")]
    NoCurrentOwner(TaskId),
    /// complete, handoff: the named actor does not own the task.
    #[error(
        "{actor} does not own task {task}{}",
        owner.as_ref().map_or_else(|| "; nobody does".to_owned(), |owner| format!("; {owner} does"))
    )]
    NotOwner {
        /// The task.
        task: TaskId,
        /// Who was named.
        actor: ActorId,
        /// Who owns it, if anybody.
        owner: Option<ActorId>,
    },
    /// complete: a more certain claim without new evidence (invariant 4).
    #[error(
        "A claim that is {claimed} may replace one that is {latest} only with new evidence: give a sourceReference that is not blank and that no less certain claim on this task has cited"
    )]
    EvidenceRequired {
        /// The provenance of the task's latest claim.
        latest: ClaimProvenance,
        /// The provenance that was claimed.
        claimed: ClaimProvenance,
    },
    /// The task's history has reached the size at which it is closed for more.
    #[error(
        "Task {0} has a full history ({max} entries or {mib} MiB); create a follow-up task",
        max = limits::TASK_DEEDS,
        mib = limits::TASK_BYTES / (1024 * 1024)
    )]
    HistoryFull(TaskId),
    /// An actor with this id exists already.
    #[error("Actor {0} exists already; ids are never reused")]
    ActorExists(ActorId),
    /// The key was revoked before.
    #[error("Key {0} is revoked already")]
    KeyRevoked(KeyId),
    /// There is an operator key already; see `Command::IssueKey::only_first_operator`.
    #[error("An operator key exists already")]
    OperatorExists,
    /// No such publication.
    #[error("Publication not found: {0}. To see which there are: deedbox publication list")]
    PublicationNotFound(PublicationId),
    /// The account has a publication that is not settled, and that comes first.
    #[error(
        "Publication {id} of account {} on chain {} is not settled. To settle it: deedbox publication resume {id}",
        signer.account, signer.chain_id
    )]
    PublicationOpen {
        /// Which: of several, the one with the lowest nonce.
        id: PublicationId,
        /// Whose.
        signer: ChainAccount,
    },
    /// The publication is settled, so there is nothing to sign or to settle.
    #[error("Publication {id} is settled: {status}. To see how: deedbox publication show {id}")]
    PublicationSettled {
        /// Which.
        id: PublicationId,
        /// How.
        status: PublicationStatus,
    },
    /// A publication that is settled has this nonce, or a later one of the same account.
    #[error(
        "Nonce {nonce} of account {} on chain {} is not signed anew: publication {}, which is settled, has nonce {}. Either the block that settled it is gone from the chain, or the endpoint lags behind: to look at it again, deedbox publication resume {}. Or this is another chain with the same id, or one that began anew: it needs a ledger of its own, with another --data-dir",
        signer.account, signer.chain_id, used.publication, used.nonce, used.publication
    )]
    NonceUsed {
        /// Whose.
        signer: ChainAccount,
        /// What was to be signed.
        nonce: u64,
        /// What is settled.
        used: TakenNonce,
    },
    /// Every attempt at a publication does the same, and only one of them settles it.
    #[error(
        "Publication {id} has another {what}: all its transactions have the same chain, account, nonce, recipient and call, and one of them settles it. To go on with it: deedbox publication resume {id}"
    )]
    PublicationDiffers {
        /// Which.
        id: PublicationId,
        /// In what.
        what: &'static str,
    },
    /// follow: the registry is followed already.
    #[error("Registry {0} is followed already. To see how: deedbox registry show {0}")]
    AlreadyFollowed(RegistryId),
    /// Nobody follows the registry.
    #[error("Registry {0} is not followed. To follow it: deedbox registry add {0}")]
    RegistryNotFollowed(RegistryId),
    /// pin: the registry holds no tools.
    #[error("Registry {0} is followed as one of agents (ERC-8122), and holds no tools")]
    NotAToolRegistry(RegistryId),
    /// unpin: the tool is not pinned.
    #[error("Tool {tool} of registry {registry} is not pinned")]
    ToolNotPinned {
        /// The registry.
        registry: RegistryId,
        /// Its tool.
        tool: ToolId,
    },
    /// pin: the registry has as many as are accepted.
    #[error(
        "Registry {0} has {max} pinned tools, and no more are taken",
        max = limits::REGISTRY_PINS
    )]
    PinsFull(RegistryId),
    /// trust, accept, pin: it is so already, and nothing is recorded that changes nothing.
    #[error("Nothing would change: registry {registry} {what} already")]
    Unchanged {
        /// The registry.
        registry: RegistryId,
        /// What is so: `is trusted`.
        what: String,
    },
    /// There is no such space, or it is none of the caller's: the two are not told apart.
    #[error("Space not found: {0}")]
    SpaceNotFound(SpaceId),
    /// create: the space exists already.
    #[error("Space {0} exists already; ids are never reused")]
    SpaceExists(SpaceId),
    /// Only the space's owner or an operator may do this.
    #[error("Only the owner of space {0} or an operator may do this")]
    NotSpaceOwner(SpaceId),
    /// add: it is in the space already.
    #[error("{actor} is a member of space {space} already")]
    AlreadyMember {
        /// The space.
        space: SpaceId,
        /// Who.
        actor: ActorId,
    },
    /// remove: it is not in the space.
    #[error("{actor} is not a member of space {space}")]
    NotMember {
        /// The space.
        space: SpaceId,
        /// Who.
        actor: ActorId,
    },
    /// remove: it owns the space.
    #[error("{owner} owns space {space} and stays its member")]
    OwnerStays {
        /// The space.
        space: SpaceId,
        /// Its owner.
        owner: ActorId,
    },
    /// add: the space has as many members as are accepted.
    #[error(
        "Space {0} has {max} members, and no more are taken",
        max = limits::SPACE_MEMBERS
    )]
    MembersFull(SpaceId),
    /// remember, revise: the space has as much as is accepted.
    #[error(
        "Space {space} is full: it has {} of {max_memories} memories and {} of {max_bytes} bytes. Forgetting makes room for memories; redacting frees their bytes, too",
        usage.memories, usage.bytes, max_memories = limits::SPACE_MEMORIES, max_bytes = limits::SPACE_BYTES
    )]
    SpaceFull {
        /// The space.
        space: SpaceId,
        /// What it has.
        usage: SpaceUsage,
    },
    /// There is no such memory, or it is none of the caller's, or it was forgotten: these are not told apart.
    #[error("Memory not found: {0}")]
    MemoryNotFound(MemoryId),
    /// revise, forget: somebody else remembered it, in a space that is not the caller's.
    #[error(
        "Memory {memory} was remembered by somebody else; only its author, the owner of space {space} or an operator may change it"
    )]
    NotMemoryAuthor {
        /// The memory.
        memory: MemoryId,
        /// Its space.
        space: SpaceId,
    },
    /// redact: its texts are gone already.
    #[error("Memory {0} is redacted already")]
    MemoryRedacted(MemoryId),
    /// The memory's history has reached the size at which it is closed for more.
    #[error(
        "Memory {0} has a full history ({max} entries); redact it, or remember under another key",
        max = limits::MEMORY_DEEDS
    )]
    MemoryFull(MemoryId),
    /// The key is bound to another actor than the one named.
    #[error("This key acts only as {bound}, not as {named}")]
    WrongActor {
        /// Whose key it is.
        bound: ActorId,
        /// Who was named.
        named: ActorId,
    },
    /// The key may not be used for this.
    #[error("This key lacks the scope {scope}")]
    MissingScope {
        /// What it would need.
        scope: Scope,
    },
    /// Only an operator may do this.
    #[error("Only an operator may do this")]
    OperatorOnly,
    /// The idempotency key was used before, with other arguments.
    #[error(
        "This idempotency key was used within the last 24 hours with other arguments; use a new one"
    )]
    IdempotencyConflict,
}

impl Refusal {
    /// A malformed input at `field` (a path into the arguments; empty for the whole).
    pub fn invalid(field: impl Into<String>, reason: impl ToString) -> Self {
        Self::InvalidInput {
            field: field.into(),
            reason: reason.to_string(),
        }
    }

    /// Evidence that is not recorded here.
    #[must_use]
    pub fn no_evidence(id: EvidenceId) -> Self {
        Self::EvidenceNotFound(id.to_string())
    }

    /// The number that OAP gives this case; an HTTP status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::InvalidInput { .. } => 400,
            Self::NotOwner { .. }
            | Self::NotRecipient { .. }
            | Self::WrongActor { .. }
            | Self::MissingScope { .. }
            | Self::NotSpaceOwner(_)
            | Self::NotMemoryAuthor { .. }
            | Self::OperatorOnly => 403,
            Self::TaskNotFound(_)
            | Self::ActorNotFound(_)
            | Self::KeyNotFound(_)
            | Self::EvidenceNotFound(_)
            | Self::PublicationNotFound(_)
            | Self::RegistryNotFollowed(_)
            | Self::ToolNotPinned { .. }
            | Self::SpaceNotFound(_)
            | Self::NotMember { .. }
            | Self::MemoryNotFound(_) => 404,
            Self::AlreadyOwned { .. }
            | Self::NoCurrentOwner(_)
            | Self::EvidenceRequired { .. }
            | Self::HistoryFull(_)
            | Self::ActorExists(_)
            | Self::KeyRevoked(_)
            | Self::OperatorExists
            | Self::PublicationOpen { .. }
            | Self::PublicationSettled { .. }
            | Self::NonceUsed { .. }
            | Self::PublicationDiffers { .. }
            | Self::AlreadyFollowed(_)
            | Self::NotAToolRegistry(_)
            | Self::PinsFull(_)
            | Self::Unchanged { .. }
            | Self::SpaceExists(_)
            | Self::AlreadyMember { .. }
            | Self::OwnerStays { .. }
            | Self::MembersFull(_)
            | Self::SpaceFull { .. }
            | Self::MemoryRedacted(_)
            | Self::MemoryFull(_)
            | Self::IdempotencyConflict => 409,
        }
    }

    /// A name for programs that never changes.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidInput { .. } => "invalid_input",
            Self::TaskNotFound(_) => "task_not_found",
            Self::ActorNotFound(_) => "actor_not_found",
            Self::KeyNotFound(_) => "key_not_found",
            Self::EvidenceNotFound(_) => "evidence_not_found",
            Self::AlreadyOwned { .. } => "already_owned",
            Self::NotRecipient { .. } => "not_recipient",
            Self::NoCurrentOwner(_) => "no_current_owner",
            Self::NotOwner { .. } => "not_owner",
            Self::EvidenceRequired { .. } => "evidence_required",
            Self::HistoryFull(_) => "history_full",
            Self::ActorExists(_) => "actor_exists",
            Self::KeyRevoked(_) => "key_revoked",
            Self::OperatorExists => "operator_exists",
            Self::PublicationNotFound(_) => "publication_not_found",
            Self::PublicationOpen { .. } => "publication_open",
            Self::PublicationSettled { .. } => "publication_settled",
            Self::NonceUsed { .. } => "nonce_used",
            Self::PublicationDiffers { .. } => "publication_differs",
            Self::AlreadyFollowed(_) => "already_followed",
            Self::RegistryNotFollowed(_) => "registry_not_followed",
            Self::NotAToolRegistry(_) => "not_a_tool_registry",
            Self::ToolNotPinned { .. } => "tool_not_pinned",
            Self::PinsFull(_) => "pins_full",
            Self::Unchanged { .. } => "unchanged",
            Self::SpaceNotFound(_) => "space_not_found",
            Self::SpaceExists(_) => "space_exists",
            Self::NotSpaceOwner(_) => "not_space_owner",
            Self::AlreadyMember { .. } => "already_member",
            Self::NotMember { .. } => "not_a_member",
            Self::OwnerStays { .. } => "owner_stays",
            Self::MembersFull(_) => "members_full",
            Self::SpaceFull { .. } => "space_full",
            Self::MemoryNotFound(_) => "memory_not_found",
            Self::NotMemoryAuthor { .. } => "not_memory_author",
            Self::MemoryRedacted(_) => "memory_redacted",
            Self::MemoryFull(_) => "memory_full",
            Self::WrongActor { .. } => "wrong_actor",
            Self::MissingScope { .. } => "missing_scope",
            Self::OperatorOnly => "operator_only",
            Self::IdempotencyConflict => "idempotency_conflict",
        }
    }
}

impl Serialize for Refusal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Refusal", 3)?;
        object.serialize_field("status", &self.status())?;
        object.serialize_field("error", &self.to_string())?;
        object.serialize_field("code", self.code())?;
        object.end()
    }
}
