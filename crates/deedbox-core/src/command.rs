//! What can be asked for, and what has to be known to decide on it.

mod needs;

use unicode_normalization::UnicodeNormalization as _;

pub use self::needs::{Needs, State};
use crate::{
    AcceptanceId, ActorId, ActorKind, AgentLabel, ClaimProvenance, CompletionId, EvidenceId,
    Following, HandoffId, KeyId, ManifestHash, PublicationId, Reading, RegistryId, Scope, Scopes,
    Settlement, Sighting, SignedTransaction, SpaceId, Stream, TaskId, Timestamp, ToolId, Trust,
    hash::SecretHash,
    memory::MemoryCommand,
    text::{
        AuthorityScope, ClaimText, ContextNote, Description, Name, Reason, SourceReference, Title,
    },
};

/// A request to do something. New identifiers are in it already, so that deciding needs no randomness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `create_task`.
    CreateTask {
        /// The new task.
        task: TaskId,
        /// What it is called.
        title: Title,
        /// What it is about.
        description: Description,
        /// Who creates it.
        injected_by: ActorId,
        /// Under whose authority.
        authority_scope: Option<AuthorityScope>,
        /// Whether, after a handoff, only the recipient may accept.
        recipient_only: bool,
    },
    /// `accept_task`.
    AcceptTask {
        /// The task.
        task: TaskId,
        /// The new acceptance.
        id: AcceptanceId,
        /// Who accepts.
        actor: ActorId,
        /// What it wants known.
        context_note: Option<ContextNote>,
    },
    /// `report_completion`.
    ReportCompletion {
        /// The task.
        task: TaskId,
        /// The new claim.
        id: CompletionId,
        /// Who claims.
        actor: ActorId,
        /// How it knows.
        provenance: ClaimProvenance,
        /// What it claims.
        claim_text: ClaimText,
        /// Where the evidence is.
        source_reference: Option<SourceReference>,
    },
    /// `handoff_task`.
    HandoffTask {
        /// The task.
        task: TaskId,
        /// The new handoff.
        id: HandoffId,
        /// Who gives it away.
        from: ActorId,
        /// For whom it is meant.
        to: ActorId,
        /// Why.
        reason: Option<Reason>,
    },
    /// What every tool that reads a chain does with its answer. No actor is named: the server is the witness, and
    /// the credential only asked.
    RecordReading {
        /// The new evidence.
        id: EvidenceId,
        /// What was read.
        reading: Box<Reading>,
        /// For which task.
        task: Option<TaskId>,
    },
    /// What publishing does before it sends a transaction: the first attempt, or another one with higher fees.
    SignPublication {
        /// The publication, new or open.
        id: PublicationId,
        /// What was signed.
        attempt: Box<SignedTransaction>,
    },
    /// What publishing does when the chain says what has become of it.
    SettlePublication {
        /// The publication.
        id: PublicationId,
        /// What the chain says.
        settlement: Box<Settlement>,
    },
    /// What publishing does when the block that settled it is not in the chain any more.
    UnsettlePublication {
        /// The publication.
        id: PublicationId,
        /// What was seen.
        reason: Reason,
    },
    /// `deedbox registry add`.
    FollowRegistry {
        /// The registry.
        id: RegistryId,
        /// What is decided about it.
        following: Box<Following>,
    },
    /// `deedbox registry remove`.
    UnfollowRegistry {
        /// The registry.
        id: RegistryId,
    },
    /// `deedbox registry trust`.
    SetTrust {
        /// The registry.
        id: RegistryId,
        /// How far it is trusted from now on.
        trust: Trust,
    },
    /// `deedbox registry accept-code`.
    AcceptCode {
        /// The registry.
        id: RegistryId,
        /// What was looked at.
        seen: Box<Sighting>,
    },
    /// `deedbox tool pin`.
    PinTool {
        /// The registry.
        registry: RegistryId,
        /// Its tool.
        tool: ToolId,
        /// The hash that the tool's manifest has to have.
        manifest_hash: ManifestHash,
    },
    /// `deedbox tool unpin`.
    UnpinTool {
        /// The registry.
        registry: RegistryId,
        /// Its tool.
        tool: ToolId,
    },
    /// What is asked of a memory.
    Memory(Box<MemoryCommand>),
    /// `deedbox space new`.
    CreateSpace {
        /// The new space, of a team.
        id: SpaceId,
        /// How it is shown.
        name: Name,
        /// Who decides on it; its first member.
        owner: ActorId,
    },
    /// `deedbox space add`.
    AddMember {
        /// The space.
        space: SpaceId,
        /// Who comes in.
        actor: ActorId,
    },
    /// `deedbox space remove`.
    RemoveMember {
        /// The space.
        space: SpaceId,
        /// Who goes out.
        actor: ActorId,
    },
    /// `deedbox actor add`.
    AddActor {
        /// The new actor.
        id: ActorId,
        /// What it is.
        kind: ActorKind,
        /// How it is shown.
        name: Name,
    },
    /// `deedbox key new`.
    IssueKey {
        /// The new key.
        id: KeyId,
        /// SHA-256 over the whole key.
        secret_hash: SecretHash,
        /// The only actor it may act as; none for an operator key.
        actor: Option<ActorId>,
        /// What it may be used for.
        scopes: Scopes,
        /// What its maker calls it.
        label: Option<Name>,
        /// The agent label that it bears witness to.
        agent_label: Option<AgentLabel>,
        /// From when on it is refused.
        expires_at: Option<Timestamp>,
        /// Refuse when an operator key exists: how several replicas that start at once make only one.
        only_first_operator: bool,
    },
    /// `deedbox key revoke`.
    RevokeKey {
        /// The key.
        id: KeyId,
    },
}

impl Command {
    /// The stream that this command's deeds go to, unless what is remembered is remembered already: then they go to the stream of that.
    #[must_use]
    pub fn stream(&self) -> Stream {
        match self {
            Self::CreateTask { task, .. }
            | Self::AcceptTask { task, .. }
            | Self::ReportCompletion { task, .. }
            | Self::HandoffTask { task, .. } => Stream::Task(*task),
            Self::RecordReading { id, .. } => Stream::Evidence(*id),
            Self::AddActor { id, .. } => Stream::Actor(id.clone()),
            Self::IssueKey { id, .. } | Self::RevokeKey { id } => Stream::Key(id.clone()),
            Self::SignPublication { id, .. }
            | Self::SettlePublication { id, .. }
            | Self::UnsettlePublication { id, .. } => Stream::Publication(*id),
            Self::FollowRegistry { id, .. }
            | Self::UnfollowRegistry { id }
            | Self::SetTrust { id, .. }
            | Self::AcceptCode { id, .. }
            | Self::PinTool { registry: id, .. }
            | Self::UnpinTool { registry: id, .. } => Stream::Registry(*id),
            Self::Memory(command) => Stream::Memory(command.id),
            Self::CreateSpace { id, .. }
            | Self::AddMember { space: id, .. }
            | Self::RemoveMember { space: id, .. } => Stream::Space(id.clone()),
        }
    }

    /// The scope that a key needs for this; one of memory, for some space. None for what only operators may do.
    #[must_use]
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Self::CreateTask { .. }
            | Self::AcceptTask { .. }
            | Self::ReportCompletion { .. }
            | Self::HandoffTask { .. } => Some(Scope::TasksWrite),
            Self::RecordReading { reading, .. } => Some(reading.tool.scope()),
            Self::FollowRegistry { .. }
            | Self::UnfollowRegistry { .. }
            | Self::SetTrust { .. }
            | Self::AcceptCode { .. }
            | Self::PinTool { .. }
            | Self::UnpinTool { .. } => Some(Scope::RegistriesWrite),
            Self::Memory(command) => Some(command.scope()),
            Self::AddMember { .. } | Self::RemoveMember { .. } => Some(Scope::MemoryWrite),
            Self::CreateSpace { .. }
            | Self::AddActor { .. }
            | Self::IssueKey { .. }
            | Self::RevokeKey { .. }
            | Self::SignPublication { .. }
            | Self::SettlePublication { .. }
            | Self::UnsettlePublication { .. } => None,
        }
    }
}

/// The `<id>` of a reference that reads `evidence:<id>`, in any case: it promises evidence that is recorded here.
/// What leaves no mark is ignored, as are spaces and the form of letters and marks (Unicode's NFKC; other colons): a reader
/// would take it for the same.
#[must_use]
pub fn cited_evidence(reference: &SourceReference) -> Option<String> {
    const SCHEME: &str = "evidence:";
    let text = reference.comparable();
    let text: String = text
        .nfkc()
        .filter(|c| !c.is_whitespace())
        .map(|c| {
            if matches!(c, '∶' | '꞉' | '։' | '׃') {
                ':'
            } else {
                c
            }
        })
        .collect();
    let (scheme, id) = text.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| id.to_owned())
}

/// The evidence that a reference cites, when what it cites has the form of an id.
#[must_use]
pub fn cited_evidence_id(reference: &SourceReference) -> Option<EvidenceId> {
    cited_evidence(reference)?.parse().ok()
}
