//! Spaces: where memories are kept, and who sees them.
//!
//! Every actor has a **personal** space, `personal:<actor>`, from the moment it exists: no deed makes it, and it has no other member.
//! A **team**'s space is made by an operator; its owner and operators say who its members are. What a space has is seen by its members
//! only: to everybody else it does not exist.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ActorId, BrokenDeed, Deed, Head, SpaceId, Timestamp, deed::Body, text::Name, words::words,
};

const PERSONAL: &str = "personal:";

/// Whose a space is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SpaceKind {
    /// One actor's.
    Personal,
    /// Its members'.
    Team,
}

words! {
    SpaceKind, NotASpaceKind, "must be personal or team" {
        Personal = "personal",
        Team = "team",
    }
}

impl SpaceId {
    /// The personal space of an actor.
    #[must_use]
    pub fn personal(actor: &ActorId) -> Self {
        Self::well_formed(format!("{PERSONAL}{actor}"))
    }

    /// Whose it is, when it is a personal space.
    #[must_use]
    pub fn person(&self) -> Option<ActorId> {
        ActorId::new(self.as_str().strip_prefix(PERSONAL)?).ok()
    }

    /// Whether a team's space may have this id: none that begins as personal ones do, and none that is longer than an actor's.
    #[must_use]
    pub fn is_for_a_team(&self) -> bool {
        !self.as_str().starts_with(PERSONAL) && ActorId::new(self.as_str()).is_ok()
    }
}

/// A space, and who is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Space {
    /// The personal one of this actor.
    Personal(ActorId),
    /// A team's.
    Team(Box<TeamSpace>),
}

impl Space {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> SpaceId {
        match self {
            Self::Personal(actor) => SpaceId::personal(actor),
            Self::Team(team) => team.id.clone(),
        }
    }

    /// Whose it is.
    #[must_use]
    pub const fn kind(&self) -> SpaceKind {
        match self {
            Self::Personal(_) => SpaceKind::Personal,
            Self::Team(_) => SpaceKind::Team,
        }
    }

    /// Who decides on what others wrote in it.
    #[must_use]
    pub const fn owner(&self) -> &ActorId {
        match self {
            Self::Personal(actor) => actor,
            Self::Team(team) => &team.owner,
        }
    }

    /// Whether an actor is in it. Its owner is.
    #[must_use]
    pub fn has(&self, actor: &ActorId) -> bool {
        match self {
            Self::Personal(own) => own == actor,
            Self::Team(team) => team.members.contains(actor),
        }
    }
}

/// A team's space: a projection of its deeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamSpace {
    /// The space.
    pub id: SpaceId,
    /// Its last deed.
    pub head: Head,
    /// How it is shown.
    pub name: Name,
    /// Who decides on it.
    pub owner: ActorId,
    /// Who is in it, its owner too. At most [`limits::SPACE_MEMBERS`](crate::limits::SPACE_MEMBERS).
    pub members: BTreeSet<ActorId>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl TeamSpace {
    /// A new one.
    ///
    /// # Errors
    /// [`BrokenDeed::Misapplied`] when the deed makes none.
    pub(crate) fn created(id: SpaceId, deed: &Deed) -> Result<Self, BrokenDeed> {
        let Body::SpaceCreated { name, owner } = &deed.body else {
            return Err(BrokenDeed::Misapplied);
        };
        Ok(Self {
            id,
            head: deed.head(),
            name: name.clone(),
            owner: owner.clone(),
            members: BTreeSet::from([owner.clone()]),
            created_at: deed.at,
        })
    }

    /// The state after one more deed.
    ///
    /// # Errors
    /// [`BrokenDeed::Misapplied`] when the deed is of another kind.
    pub(crate) fn follow(mut self, deed: &Deed) -> Result<Self, BrokenDeed> {
        match &deed.body {
            Body::SpaceMemberAdded { actor_id } => {
                self.members.insert(actor_id.clone());
            }
            Body::SpaceMemberRemoved { actor_id } => {
                self.members.remove(actor_id);
            }
            _ => return Err(BrokenDeed::Misapplied),
        }
        self.head = deed.head();
        Ok(self)
    }
}

/// What a space has, of what [`limits`](crate::limits) count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SpaceUsage {
    /// Living memories.
    pub memories: u64,
    /// Texts that are kept, in bytes of canonical JSON; those of earlier versions and of forgotten memories too.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits;

    #[test]
    fn a_personal_space_is_named_after_its_actor_and_no_teams_is() {
        let alice = ActorId::new("alice").unwrap();
        let id = SpaceId::personal(&alice);
        assert_eq!(id.as_str(), "personal:alice");
        assert_eq!(id.person(), Some(alice));
        assert!(!id.is_for_a_team());
        let team = SpaceId::new("team-a").unwrap();
        assert_eq!((team.person(), team.is_for_a_team()), (None, true));
        for odd in ["personal:", "personal:-x"] {
            let odd = SpaceId::new(odd).unwrap();
            assert_eq!((odd.person(), odd.is_for_a_team()), (None, false));
        }
    }

    #[test]
    fn the_longest_actor_has_a_personal_space_too() {
        let long = ActorId::new("a".repeat(limits::ACTOR_ID_CHARS)).unwrap();
        let id = SpaceId::personal(&long);
        assert_eq!(SpaceId::new(id.as_str()), Ok(id.clone()));
        assert_eq!(id.person(), Some(long));
        let too_long = "a".repeat(limits::ACTOR_ID_CHARS + 1);
        assert!(!SpaceId::new(too_long).unwrap().is_for_a_team());
    }
}
