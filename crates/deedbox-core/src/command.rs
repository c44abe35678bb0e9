//! What can be asked for, and what has to be known to decide on it.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;

use crate::{
    AcceptanceId, Actor, ActorId, ActorKind, ChainAccount, ClaimProvenance, CompletionId,
    EvidenceId, Following, HandoffId, KeyId, KeyRecord, ManifestHash, PublicationId,
    PublicationState, Reading, RegistryId, RegistryState, Scope, Scopes, Settlement, Sighting,
    SignedTransaction, Stream, TakenNonce, TaskId, TaskState, Timestamp, ToolId, Trust,
    deed::Head,
    hash::SecretHash,
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

/// What a backend loads, inside the transaction, before [`crate::decide`] is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// This task's state, with its row locked.
    pub task: Option<TaskId>,
    /// Which of these actors exist. At most two.
    pub actors: Vec<ActorId>,
    /// Whether this evidence is recorded.
    pub evidence: Option<EvidenceId>,
    /// Whether this task exists. Its row is not locked.
    pub named_task: Option<TaskId>,
    /// The actor to be added, if it exists.
    pub actor: Option<ActorId>,
    /// This key's record and head, with its row locked.
    pub key: Option<KeyId>,
    /// Whether any operator key exists, under a lock that others who ask this take too.
    pub operator: bool,
    /// This publication's state, and which publication of the same account is open, under a lock that everybody takes who asks this of
    /// the account.
    pub publication: Option<PublicationId>,
    /// The account and the nonce that it is to use, when the publication may be new.
    pub signs: Option<(ChainAccount, u64)>,
    /// This registry's state, with its row locked.
    pub registry: Option<RegistryId>,
}

/// What was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The task, if it exists.
    pub task: Option<TaskState>,
    /// Those of [`Needs::actors`] that exist.
    pub actors: BTreeSet<ActorId>,
    /// Whether the evidence is recorded.
    pub evidence: bool,
    /// Whether the task that is only named exists.
    pub named_task: bool,
    /// The actor, if it exists.
    pub actor: Option<Actor>,
    /// The key and the head of its stream, if it exists.
    pub key: Option<(KeyRecord, Head)>,
    /// Whether any operator key exists that is neither revoked nor expired.
    pub operator: bool,
    /// The publication, if it exists.
    pub publication: Option<PublicationState>,
    /// Of the open publications of its account, or else of the one in [`Needs::signs`], the one with the lowest nonce. May be the same
    /// one.
    pub open_publication: Option<TakenNonce>,
    /// Of the settled publications of the account in [`Needs::signs`] that have its nonce or a higher one, the one with the
    /// lowest. Read after, and under the same lock as, what is open.
    pub used_nonce: Option<TakenNonce>,
    /// The registry, if somebody ever followed it.
    pub registry: Option<RegistryState>,
}

impl Command {
    /// The stream that this command's deeds go to.
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
        }
    }

    /// The scope that a key needs for this. None for what only operators may do.
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
            Self::AddActor { .. }
            | Self::IssueKey { .. }
            | Self::RevokeKey { .. }
            | Self::SignPublication { .. }
            | Self::SettlePublication { .. }
            | Self::UnsettlePublication { .. } => None,
        }
    }

    /// What has to be known to decide on it.
    #[must_use]
    pub fn needs(&self) -> Needs {
        let none = Needs::default();
        match self {
            // A new task's id is loaded too: an id that exists already must not start a second chain.
            Self::CreateTask {
                task, injected_by, ..
            } => Needs {
                task: Some(*task),
                actors: vec![injected_by.clone()],
                ..none
            },
            Self::AcceptTask { task, actor, .. } => Needs {
                task: Some(*task),
                actors: vec![actor.clone()],
                ..none
            },
            Self::ReportCompletion {
                task,
                actor,
                source_reference,
                ..
            } => Needs {
                task: Some(*task),
                actors: vec![actor.clone()],
                evidence: source_reference.as_ref().and_then(cited_evidence_id),
                ..none
            },
            Self::HandoffTask { task, from, to, .. } => Needs {
                task: Some(*task),
                actors: vec![from.clone(), to.clone()],
                ..none
            },
            // A new piece's id is looked for too, for the same reason as a new task's.
            Self::RecordReading { id, task, .. } => Needs {
                evidence: Some(*id),
                named_task: *task,
                ..none
            },
            Self::AddActor { id, .. } => Needs {
                actor: Some(id.clone()),
                ..none
            },
            Self::IssueKey {
                actor,
                only_first_operator,
                ..
            } => Needs {
                actors: actor.iter().cloned().collect(),
                operator: *only_first_operator,
                ..none
            },
            Self::RevokeKey { id } => Needs {
                key: Some(id.clone()),
                ..none
            },
            Self::SignPublication { id, attempt } => Needs {
                publication: Some(*id),
                signs: Some((attempt.signer(), attempt.nonce)),
                ..none
            },
            Self::SettlePublication { id, .. } | Self::UnsettlePublication { id, .. } => Needs {
                publication: Some(*id),
                ..none
            },
            Self::FollowRegistry { id, .. }
            | Self::UnfollowRegistry { id }
            | Self::SetTrust { id, .. }
            | Self::AcceptCode { id, .. }
            | Self::PinTool { registry: id, .. }
            | Self::UnpinTool { registry: id, .. } => Needs {
                registry: Some(*id),
                ..none
            },
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
