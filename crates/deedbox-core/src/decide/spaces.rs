//! The rules of teams' spaces: who makes them, and who is in them.

use super::{Decided, known};
use crate::{
    ActorId, Body, Principal, Refusal, Scope, Space, SpaceId, State, TeamSpace, limits,
    memory::rights, text::Name,
};

pub(super) fn create(state: &State, id: SpaceId, name: Name, owner: ActorId) -> Decided {
    if !id.is_for_a_team() {
        let most = limits::ACTOR_ID_CHARS;
        return Err(Refusal::invalid(
            "space",
            format_args!("must not begin with personal: and have at most {most} characters"),
        ));
    }
    if state.space.is_some() {
        return Err(Refusal::SpaceExists(id));
    }
    known(state, &owner)?;
    Ok((Body::SpaceCreated { name, owner }, None))
}

pub(super) fn add(state: &State, by: &Principal, space: SpaceId, actor_id: ActorId) -> Decided {
    let team = team(state, by, &space)?;
    known(state, &actor_id)?;
    if team.members.contains(&actor_id) {
        let actor = actor_id;
        return Err(Refusal::AlreadyMember { space, actor });
    }
    if team.members.len() >= limits::SPACE_MEMBERS {
        return Err(Refusal::MembersFull(space));
    }
    Ok((Body::SpaceMemberAdded { actor_id }, Some(team.head)))
}

pub(super) fn remove(state: &State, by: &Principal, space: SpaceId, actor_id: ActorId) -> Decided {
    let team = team(state, by, &space)?;
    if team.owner == actor_id {
        let owner = actor_id;
        return Err(Refusal::OwnerStays { space, owner });
    }
    if !team.members.contains(&actor_id) {
        let actor = actor_id;
        return Err(Refusal::NotMember { space, actor });
    }
    Ok((Body::SpaceMemberRemoved { actor_id }, Some(team.head)))
}

/// The team's space, if the caller may say who is in it.
fn team<'a>(state: &'a State, by: &Principal, id: &SpaceId) -> Result<&'a TeamSpace, Refusal> {
    let space = state.space.as_ref();
    let space = space.ok_or_else(|| Refusal::SpaceNotFound(id.clone()))?;
    rights::may(by, Scope::MemoryWrite, space)?;
    rights::must_own(by, space)?;
    match space {
        Space::Team(team) => Ok(team),
        Space::Personal(_) => Err(Refusal::invalid(
            "space",
            "a personal space has no members but its owner",
        )),
    }
}
