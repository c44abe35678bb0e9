//! What has to be known to decide on a command.

use std::collections::BTreeSet;

use super::{Command, cited_evidence_id};
use crate::{
    Actor, ActorId, ChainAccount, EvidenceId, KeyId, KeyRecord, Memory, MemoryId, MemoryKind,
    PublicationId, PublicationState, RegistryId, RegistryState, Space, SpaceId, SpaceUsage,
    TakenNonce, TaskId, TaskState,
    deed::Head,
    hash::ContentDigest,
    memory::{MemoryAct, MemoryCommand},
};

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
    /// This memory with its text, and the space that it is in, under the space's lock.
    pub memory: Option<MemoryId>,
    /// This space, under a lock that everybody takes who changes anything of it or in it, and what it has.
    pub space: Option<SpaceId>,
    /// A living memory of [`Needs::space`] with this kind and content, the oldest.
    pub twin: Option<(MemoryKind, ContentDigest)>,
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
    /// The memory, if it was ever remembered.
    pub memory: Option<Memory>,
    /// The space that is named, or else the memory's, if there is such a one. A personal one is there when its actor is.
    pub space: Option<Space>,
    /// What that space has.
    pub usage: SpaceUsage,
    /// The memory that says the same already, if there is one.
    pub twin: Option<Memory>,
}

impl Command {
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
            Self::Memory(command) => of_memory(command),
            Self::CreateSpace { id, owner, .. } => Needs {
                space: Some(id.clone()),
                actors: vec![owner.clone()],
                ..none
            },
            Self::AddMember { space, actor } | Self::RemoveMember { space, actor } => Needs {
                space: Some(space.clone()),
                actors: vec![actor.clone()],
                ..none
            },
        }
    }
}

fn of_memory(command: &MemoryCommand) -> Needs {
    let needs = Needs {
        memory: Some(command.id),
        actors: command.actor.iter().cloned().collect(),
        ..Needs::default()
    };
    match &command.act {
        MemoryAct::Remember {
            space,
            about,
            text,
            merge,
        } => Needs {
            space: Some(space.clone()),
            twin: (*merge && text.text.key.is_none()).then(|| (about.kind, text.text.digest())),
            ..needs
        },
        MemoryAct::Revise { .. } | MemoryAct::Forget | MemoryAct::Redact { .. } => needs,
    }
}
