//! What is asked of spaces, and of memories by those who look after them. None of it is a tool for models.

use deedbox_core::{ActorId, MemoryId, SpaceId, text::Name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PageLimit, present};

/// The arguments of `show_memory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowMemory {
    /// Id of the memory, a UUID in lower case.
    pub memory_id: MemoryId,
}

/// The arguments of `create_space`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSpace {
    /// Its id from then on: not beginning with `personal:`, and at most 128 characters.
    pub space: SpaceId,
    /// How it is shown: 1 to 200 characters.
    pub name: Name,
    /// Id of the actor that decides on it, its first member.
    pub owner: ActorId,
}

/// The arguments of `list_spaces`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSpaces {
    /// Only the spaces that this actor is in. With an actor's key that actor, also when absent; with an operator's, all teams' when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "ActorId")]
    pub actor_id: Option<ActorId>,
    /// How many of all teams' at most: 1 to 1,000; 100 when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "PageLimit")]
    pub limit: Option<PageLimit>,
    /// The `next_cursor` of the page before; the first page when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "SpaceId")]
    pub cursor: Option<SpaceId>,
}

/// The arguments of `show_space`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowSpace {
    /// Id of the space.
    pub space: SpaceId,
}

/// The arguments of `add_space_member` and `remove_space_member`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpaceMember {
    /// Id of the space, a team's.
    pub space: SpaceId,
    /// Id of the actor that comes in or goes out.
    pub actor_id: ActorId,
}
