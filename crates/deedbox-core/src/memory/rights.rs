//! Who may do what with which memories. Pure functions of the credential and the space; labels are not among their arguments.
//!
//! | who | sees | adds | revises, forgets, redacts | exports |
//! |---|---|---|---|---|
//! | an actor's key, its personal space | yes | yes | all of it | yes |
//! | an actor's key, a space that it is a member of | yes | yes | what it wrote; marks any to-do done | no |
//! | the same, and it owns the space | yes | yes | all of it | yes |
//! | an actor's key, any other space | as if there were none | | | |
//! | an operator's key | any space that it names | yes | all of it | yes |
//!
//! Each column needs its scope, too, for that space: `memory:read`, `memory:write`, for forgetting and redacting `memory:delete`, and
//! `memory:export`.

use super::MemoryState;
use crate::{ActorId, Authority, Principal, Refusal, Scope, Space, SpaceId};

/// Whether a space is there at all for this credential.
#[must_use]
pub fn sees(principal: &Principal, space: &Space) -> bool {
    match &principal.authority {
        Authority::Operator => true,
        Authority::Actor(actor) => space.has(actor),
    }
}

/// Whether the credential may use `scope` in a space.
///
/// # Errors
/// [`Refusal::SpaceNotFound`] when the space is not there for it; [`Refusal::MissingScope`] when its key is not for that.
pub fn may(principal: &Principal, scope: Scope, space: &Space) -> Result<(), Refusal> {
    let id = space.id();
    if !sees(principal, space) {
        return Err(Refusal::SpaceNotFound(id));
    }
    if principal.scopes.reaches(scope, &id) {
        Ok(())
    } else {
        Err(Refusal::MissingScope { scope })
    }
}

/// Whether the credential decides on all that is in a space: an operator's, or its owner's.
///
/// # Errors
/// [`Refusal::NotSpaceOwner`] when it does not.
pub fn must_own(principal: &Principal, space: &Space) -> Result<(), Refusal> {
    match &principal.authority {
        Authority::Actor(actor) if actor != space.owner() => {
            Err(Refusal::NotSpaceOwner(space.id()))
        }
        Authority::Actor(_) | Authority::Operator => Ok(()),
    }
}

/// Whether the credential may change or delete a memory of a space that it sees.
///
/// # Errors
/// [`Refusal::NotMemoryAuthor`] when somebody else remembered it, and the space is not the credential's.
pub fn may_change(
    principal: &Principal,
    space: &Space,
    memory: &MemoryState,
) -> Result<(), Refusal> {
    let wrote = |actor: &ActorId| memory.first_author.actor.as_ref() == Some(actor);
    match &principal.authority {
        Authority::Actor(actor) if actor != space.owner() && !wrote(actor) => {
            Err(Refusal::NotMemoryAuthor {
                memory: memory.id,
                space: space.id(),
            })
        }
        Authority::Actor(_) | Authority::Operator => Ok(()),
    }
}

/// Whether the credential may take a whole space out.
///
/// # Errors
/// As [`may`], for `memory:export`, and as [`must_own`].
pub fn may_export(principal: &Principal, space: &Space) -> Result<(), Refusal> {
    may(principal, Scope::MemoryExport, space)?;
    must_own(principal, space)
}

/// The spaces that a reading goes over: the one that is named, or else all that the credential may read.
///
/// `spaces` are those that may be meant: of an actor's key, all of its actor; of an operator's, the one that is named, if there is such
/// a one.
///
/// # Errors
/// [`Refusal::SpaceNotFound`] when the named one is not there for the credential; [`Refusal::MissingScope`] when its key may not read
/// there, or anywhere; [`Refusal::InvalidInput`] at `space` when an operator's key names none, because it has none of its own.
pub fn readable(
    principal: &Principal,
    spaces: &[Space],
    named: Option<&SpaceId>,
) -> Result<Vec<SpaceId>, Refusal> {
    let scope = Scope::MemoryRead;
    principal.require(scope)?;
    if let Some(named) = named {
        let space = spaces.iter().find(|space| space.id() == *named);
        let space = space.ok_or_else(|| Refusal::SpaceNotFound(named.clone()))?;
        may(principal, scope, space)?;
        return Ok(vec![named.clone()]);
    }
    if principal.authority == Authority::Operator {
        let reason = "an operator's key has no space of its own, and has to name one";
        return Err(Refusal::invalid("space", reason));
    }
    let may_read = |space: &&Space| may(principal, scope, space).is_ok();
    Ok(spaces.iter().filter(may_read).map(Space::id).collect())
}
