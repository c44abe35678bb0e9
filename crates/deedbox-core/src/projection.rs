//! Projections: the current state that deeds add up to.

use std::collections::BTreeMap;

use crate::{
    Actor, ActorId, AgentLabel, Body, BrokenDeed, ClaimProvenance, Deed, EvidenceId, KeyId,
    KeyRecord, MemoryId, MemoryState, PublicationId, PublicationState, RegistryId, RegistryState,
    SpaceId, Stream, TaskId, TaskState, TaskStatus, TeamSpace,
    deed::Head,
    evidence::EvidenceState,
    memory::MemoryAuthor,
    task::{AcceptanceSummary, CompletionSummary, cited_key},
};

/// The current state of one stream. Can always be computed again from its deeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Of `task:<uuid>`.
    Task(Box<TaskState>),
    /// Of `actor:<id>`.
    Actor(Actor, Head),
    /// Of `key:<id>`.
    Key(KeyRecord, Head),
    /// Of `evidence:<uuid>`.
    Evidence(Box<EvidenceState>),
    /// Of `publication:<uuid>`.
    Publication(Box<PublicationState>),
    /// Of `memory:<uuid>`, without its text.
    Memory(Box<MemoryState>),
    /// Of `registry:eip155:<chain>:<0x address>`.
    Registry(Box<RegistryState>),
    /// Of `space:<id>`.
    Space(Box<TeamSpace>),
}

impl Projection {
    /// The state after `deed`, which follows `before` in its stream. Trusts that the deed was decided
    /// rightly; it computes, and does not judge.
    ///
    /// # Errors
    /// [`BrokenDeed::Misapplied`] when the kind of the deed does not fit the state at all.
    pub fn apply(before: Option<Self>, deed: &Deed) -> Result<Self, BrokenDeed> {
        match &deed.stream {
            Stream::Task(id) => task(before, *id, deed),
            Stream::Actor(id) => actor(before, id, deed),
            Stream::Key(id) => key(before, id, deed),
            Stream::Evidence(id) => evidence(before, *id, deed),
            Stream::Publication(id) => publication(before, *id, deed),
            Stream::Memory(id) => memory(before, *id, deed),
            Stream::Registry(id) => registry(before, *id, deed),
            Stream::Space(id) => space(before, id, deed),
        }
    }

    /// The last deed that this state includes.
    #[must_use]
    pub const fn head(&self) -> Head {
        match self {
            Self::Task(task) => task.head,
            Self::Actor(_, head) | Self::Key(_, head) => *head,
            Self::Evidence(evidence) => evidence.head,
            Self::Publication(publication) => publication.head,
            Self::Memory(memory) => memory.head,
            Self::Registry(registry) => registry.head,
            Self::Space(space) => space.head,
        }
    }

    /// The stream whose state this is.
    #[must_use]
    pub fn stream(&self) -> Stream {
        match self {
            Self::Task(task) => Stream::Task(task.id),
            Self::Actor(actor, _) => Stream::Actor(actor.id.clone()),
            Self::Key(key, _) => Stream::Key(key.id.clone()),
            Self::Evidence(evidence) => Stream::Evidence(evidence.id),
            Self::Publication(publication) => Stream::Publication(publication.id),
            Self::Memory(memory) => Stream::Memory(memory.id),
            Self::Registry(registry) => Stream::Registry(registry.id),
            Self::Space(space) => Stream::Space(space.id.clone()),
        }
    }

    /// Every field with its value, for telling people in which ones two states differ.
    #[must_use]
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        fn or_none(value: Option<impl ToString>) -> String {
            value.map_or_else(|| "none".to_owned(), |value| value.to_string())
        }
        fn json(value: &impl serde::Serialize) -> String {
            // Infallible: texts, numbers and times under text keys.
            serde_json::to_string(value).unwrap_or_default()
        }
        fn author(author: &MemoryAuthor) -> String {
            let (actor, by) = (or_none(author.actor.as_ref()), &author.by);
            let label = or_none(by.agent_label.as_ref().map(AgentLabel::as_str));
            let (basis, instance) = (by.basis.as_str(), or_none(by.instance_hash));
            format!("{actor} ({basis}) by {}, {label}, {instance}", by.principal)
        }
        let head = self.head();
        let mut fields = vec![
            ("version", head.version.to_string()),
            ("head hash", head.hash.to_string()),
            ("head time", head.at.to_string()),
        ];
        match self {
            Self::Task(task) => fields.extend([
                ("status", task.status.to_string()),
                ("owner", or_none(task.owner.as_ref())),
                ("injected by", task.injected_by.to_string()),
                ("created at", task.created_at.to_string()),
                ("reserved for", or_none(task.reserved_for.as_ref())),
                ("recipient only", task.recipient_only.to_string()),
                ("latest acceptance", json(&task.latest_acceptance)),
                ("latest completion", json(&task.latest_completion)),
                ("cited references", json(&task.cited)),
                ("bytes", task.bytes.to_string()),
            ]),
            Self::Actor(actor, _) => fields.extend([
                ("kind", actor.kind.to_string()),
                ("name", actor.name.to_string()),
                ("created at", actor.created_at.to_string()),
            ]),
            Self::Key(key, _) => fields.extend([
                ("secret hash", key.secret_hash.to_string()),
                ("actor", or_none(key.actor.as_ref())),
                ("scopes", key.scopes.to_string()),
                ("label", or_none(key.label.as_ref())),
                (
                    "agent label",
                    or_none(key.agent_label.as_ref().map(AgentLabel::as_str)),
                ),
                ("created at", key.created_at.to_string()),
                ("expires at", or_none(key.expires_at)),
                ("revoked at", or_none(key.revoked_at)),
            ]),
            Self::Evidence(evidence) => fields.extend([
                ("tool", evidence.tool.to_string()),
                ("chain id", evidence.chain_id.to_string()),
                ("block number", evidence.block_number.to_string()),
                ("block hash", evidence.block_hash.to_string()),
                ("digest", evidence.digest.to_string()),
                ("task", or_none(evidence.task)),
                ("recorded at", evidence.recorded_at.to_string()),
            ]),
            Self::Publication(publication) => fields.extend([
                ("operation", publication.operation.to_string()),
                ("chain id", publication.signer.chain_id.to_string()),
                ("account", publication.signer.account.to_string()),
                ("nonce", publication.nonce.to_string()),
                ("recipient", or_none(publication.to)),
                ("call", publication.call.to_string()),
                ("status", publication.status.to_string()),
                ("maximal fee", publication.max_fee_per_gas.to_string()),
                (
                    "maximal priority fee",
                    publication.max_priority_fee_per_gas.to_string(),
                ),
                ("attempts", json(&publication.attempts)),
                ("signed at", publication.signed_at.to_string()),
            ]),
            Self::Memory(memory) => fields.extend([
                ("space", memory.space.to_string()),
                ("about", json(&memory.about)),
                ("status", memory.status.to_string()),
                ("created at", memory.created_at.to_string()),
                ("updated at", memory.updated_at.to_string()),
                ("first author", author(&memory.first_author)),
                ("last author", author(&memory.last_author)),
                ("text", or_none(memory.text)),
                ("bytes", memory.bytes.to_string()),
            ]),
            Self::Space(space) => fields.extend([
                ("name", space.name.to_string()),
                ("owner", space.owner.to_string()),
                ("members", json(&space.members)),
                ("created at", space.created_at.to_string()),
            ]),
            Self::Registry(registry) => fields.extend([
                ("followed", registry.followed.to_string()),
                ("standard", registry.following.standard.to_string()),
                ("label", or_none(registry.following.label.as_ref())),
                ("trust", registry.following.trust.to_string()),
                ("from block", registry.following.from_block.to_string()),
                ("accepted code", json(&registry.following.seen)),
                ("followed at", registry.followed_at.to_string()),
                ("pins", json(&registry.pins)),
            ]),
        }
        fields
    }
}

fn task(before: Option<Projection>, id: TaskId, deed: &Deed) -> Result<Projection, BrokenDeed> {
    let task = match (before, &deed.body) {
        (
            None,
            Body::TaskCreated {
                injected_by,
                recipient_only,
                ..
            },
        ) => Box::new(TaskState {
            id,
            head: deed.head(),
            status: TaskStatus::PendingAcceptance,
            owner: None,
            injected_by: injected_by.clone(),
            created_at: deed.at,
            reserved_for: None,
            recipient_only: *recipient_only,
            latest_acceptance: None,
            latest_completion: None,
            cited: BTreeMap::new(),
            bytes: body_bytes(deed),
        }),
        (Some(Projection::Task(mut task)), body) => {
            change(&mut task, deed, body)?;
            task.head = deed.head();
            task.bytes += body_bytes(deed);
            task
        }
        _ => return Err(BrokenDeed::Misapplied),
    };
    Ok(Projection::Task(task))
}

fn actor(before: Option<Projection>, id: &ActorId, deed: &Deed) -> Result<Projection, BrokenDeed> {
    let (None, Body::ActorAdded { actor_kind, name }) = (before, &deed.body) else {
        return Err(BrokenDeed::Misapplied);
    };
    let actor = Actor {
        id: id.clone(),
        kind: *actor_kind,
        name: name.clone(),
        created_at: deed.at,
    };
    Ok(Projection::Actor(actor, deed.head()))
}

fn key(before: Option<Projection>, id: &KeyId, deed: &Deed) -> Result<Projection, BrokenDeed> {
    let record = match (before, &deed.body) {
        (
            None,
            Body::KeyIssued {
                secret_hash,
                actor_id,
                scopes,
                label,
                agent_label,
                expires_at,
            },
        ) => KeyRecord {
            id: id.clone(),
            secret_hash: *secret_hash,
            actor: actor_id.clone(),
            scopes: scopes.clone(),
            label: label.clone(),
            agent_label: agent_label.clone(),
            created_at: deed.at,
            expires_at: *expires_at,
            revoked_at: None,
        },
        (Some(Projection::Key(record, _)), Body::KeyRevoked {}) => KeyRecord {
            revoked_at: Some(deed.at),
            ..record
        },
        _ => return Err(BrokenDeed::Misapplied),
    };
    Ok(Projection::Key(record, deed.head()))
}

fn evidence(
    before: Option<Projection>,
    id: EvidenceId,
    deed: &Deed,
) -> Result<Projection, BrokenDeed> {
    let (
        None,
        Body::ReadingRecorded {
            tool,
            provenance,
            digest,
            task_id,
            ..
        },
    ) = (before, &deed.body)
    else {
        return Err(BrokenDeed::Misapplied);
    };
    Ok(Projection::Evidence(Box::new(EvidenceState {
        id,
        head: deed.head(),
        tool: tool.clone(),
        chain_id: provenance.chain_id,
        block_number: provenance.block_number,
        block_hash: provenance.block_hash,
        digest: *digest,
        task: *task_id,
        recorded_at: deed.at,
    })))
}

fn publication(
    before: Option<Projection>,
    id: PublicationId,
    deed: &Deed,
) -> Result<Projection, BrokenDeed> {
    let publication = match (before, &deed.body) {
        (None, Body::PublicationSigned(attempt)) => {
            Box::new(PublicationState::new(id, deed.head(), attempt))
        }
        (Some(Projection::Publication(mut publication)), body) => {
            publication.follow(body)?;
            publication.head = deed.head();
            publication
        }
        _ => return Err(BrokenDeed::Misapplied),
    };
    Ok(Projection::Publication(publication))
}

fn registry(
    before: Option<Projection>,
    id: RegistryId,
    deed: &Deed,
) -> Result<Projection, BrokenDeed> {
    let registry = match (before, &deed.body) {
        (None, Body::RegistryFollowed(following)) => {
            RegistryState::followed(id, deed, following, BTreeMap::new())
        }
        (Some(Projection::Registry(registry)), _) => registry.follow(deed)?,
        _ => return Err(BrokenDeed::Misapplied),
    };
    Ok(Projection::Registry(Box::new(registry)))
}

fn memory(before: Option<Projection>, id: MemoryId, deed: &Deed) -> Result<Projection, BrokenDeed> {
    let before = match before {
        None => None,
        Some(Projection::Memory(memory)) => Some(*memory),
        Some(_) => return Err(BrokenDeed::Misapplied),
    };
    let after = MemoryState::after(before, id, deed)?;
    Ok(Projection::Memory(Box::new(after)))
}

fn space(before: Option<Projection>, id: &SpaceId, deed: &Deed) -> Result<Projection, BrokenDeed> {
    let space = match before {
        None => TeamSpace::created(id.clone(), deed)?,
        Some(Projection::Space(space)) => space.follow(deed)?,
        Some(_) => return Err(BrokenDeed::Misapplied),
    };
    Ok(Projection::Space(Box::new(space)))
}

fn body_bytes(deed: &Deed) -> u64 {
    deed.canonical_body().len() as u64
}

fn change(task: &mut TaskState, deed: &Deed, body: &Body) -> Result<(), BrokenDeed> {
    match body {
        Body::TaskAccepted {
            id,
            actor_id,
            context_note,
        } => {
            task.status = TaskStatus::Accepted;
            task.owner = Some(actor_id.clone());
            task.reserved_for = None;
            task.latest_acceptance = Some(AcceptanceSummary {
                id: *id,
                actor_id: actor_id.clone(),
                accepted_at: deed.at,
                context_note: context_note.clone(),
            });
        }
        Body::CompletionReported {
            id,
            actor_id,
            provenance,
            claim_text,
            source_reference,
        } => {
            task.status = TaskStatus::Completed;
            if let Some(reference) = source_reference
                && *provenance < ClaimProvenance::Observed
                && !reference.comparable().is_empty()
            {
                let weakest = task
                    .cited
                    .entry(cited_key(reference))
                    .or_insert(*provenance);
                *weakest = (*weakest).min(*provenance);
            }
            task.latest_completion = Some(CompletionSummary {
                id: *id,
                actor_id: actor_id.clone(),
                provenance: *provenance,
                claim_text: claim_text.clone(),
                source_reference: source_reference.clone(),
                reported_at: deed.at,
            });
        }
        Body::TaskHandedOff { to_actor_id, .. } => {
            task.status = TaskStatus::Transitioned;
            task.owner = None;
            task.reserved_for = task.recipient_only.then(|| to_actor_id.clone());
        }
        _ => return Err(BrokenDeed::Misapplied),
    }
    Ok(())
}
