//! Spaces as callers see them.

use deedbox_core::{
    ActorId, Body, Deed, Space, SpaceId, SpaceKind, SpaceUsage, Stream, Timestamp, deed::DeedHash,
    limits, text::Name,
};
use deedbox_store::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

/// A space, and who is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Space")]
pub struct ShownSpace {
    /// The space.
    pub id: SpaceId,
    /// Whose it is.
    pub kind: SpaceKind,
    /// How it is shown; null for a personal one.
    pub name: Option<Name>,
    /// Who decides on what others wrote in it.
    pub owner: ActorId,
    /// Who is in it, its owner too.
    pub members: Vec<ActorId>,
    /// When it was made; null for a personal one, which nobody made.
    pub created_at: Option<Timestamp>,
}

impl From<Space> for ShownSpace {
    fn from(space: Space) -> Self {
        let (id, kind) = (space.id(), space.kind());
        match space {
            Space::Personal(actor) => Self {
                id,
                kind,
                name: None,
                members: vec![actor.clone()],
                owner: actor,
                created_at: None,
            },
            Space::Team(team) => Self {
                id,
                kind,
                name: Some(team.name),
                owner: team.owner,
                members: team.members.into_iter().collect(),
                created_at: Some(team.created_at),
            },
        }
    }
}

/// How much there is in a space, and how much there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownUsage {
    /// Living memories.
    pub memories: u64,
    /// How many of them there may be.
    pub max_memories: u64,
    /// Texts that are kept, in bytes; those of earlier versions and of forgotten memories too.
    pub bytes: u64,
    /// How many of these there may be.
    pub max_bytes: u64,
}

impl From<SpaceUsage> for ShownUsage {
    fn from(usage: SpaceUsage) -> Self {
        Self {
            memories: usage.memories,
            max_memories: limits::SPACE_MEMORIES,
            bytes: usage.bytes,
            max_bytes: limits::SPACE_BYTES,
        }
    }
}

/// One space, and how full it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpaceStatus {
    /// The space.
    pub space: ShownSpace,
    /// How full it is.
    pub usage: ShownUsage,
}

/// One page of spaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpaceList {
    /// By id; an actor's personal one first.
    pub spaces: Vec<ShownSpace>,
    /// What to give as `cursor` for the next page; null when this is the last.
    pub next_cursor: Option<SpaceId>,
}

/// What became of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SpaceOutcome {
    /// It is new.
    Created,
    /// Somebody came in.
    MemberAdded,
    /// Somebody went out.
    MemberRemoved,
}

/// What became of a space that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpaceReceipt {
    /// The space.
    pub space: SpaceId,
    /// What became of it.
    pub outcome: SpaceOutcome,
    /// Who owns it, came in or went out.
    pub actor_id: ActorId,
    /// When.
    pub at: Timestamp,
    /// How many deeds its history has.
    pub version: u64,
    /// The hash of the deed that records this.
    pub hash: DeedHash,
}

impl SpaceReceipt {
    /// What a deed of a space says.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] when the deed is none of a space.
    pub(crate) fn new(deed: Deed) -> Result<Self, StoreError> {
        let (space, outcome, actor_id) = match (deed.stream, deed.body) {
            (Stream::Space(space), Body::SpaceCreated { owner, .. }) => {
                (space, SpaceOutcome::Created, owner)
            }
            (Stream::Space(space), Body::SpaceMemberAdded { actor_id }) => {
                (space, SpaceOutcome::MemberAdded, actor_id)
            }
            (Stream::Space(space), Body::SpaceMemberRemoved { actor_id }) => {
                (space, SpaceOutcome::MemberRemoved, actor_id)
            }
            (stream, _) => {
                return Err(StoreError::unreadable(
                    "deed",
                    stream,
                    "it is none of a space",
                ));
            }
        };
        Ok(Self {
            space,
            outcome,
            actor_id,
            at: deed.at,
            version: deed.version,
            hash: deed.hash,
        })
    }
}
