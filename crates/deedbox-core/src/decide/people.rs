//! The rules of actors and keys.

use super::{Decided, known};
use crate::{ActorId, ActorKind, Body, KeyId, Refusal, State, text::Name};

pub(super) fn add_actor(state: &State, id: ActorId, actor_kind: ActorKind, name: Name) -> Decided {
    if state.actor.is_some() {
        return Err(Refusal::ActorExists(id));
    }
    Ok((Body::ActorAdded { actor_kind, name }, None))
}

/// Whether a key may be made for `actor`, or for operators when it is none's.
pub(super) fn may_issue_key(
    state: &State,
    actor: Option<&ActorId>,
    only_first_operator: bool,
) -> Result<(), Refusal> {
    if let Some(actor) = actor {
        known(state, actor)?;
    }
    if only_first_operator && state.operator {
        return Err(Refusal::OperatorExists);
    }
    Ok(())
}

pub(super) fn revoke_key(state: &State, id: KeyId) -> Decided {
    let Some((record, head)) = &state.key else {
        return Err(Refusal::KeyNotFound(id));
    };
    if record.revoked_at.is_some() {
        return Err(Refusal::KeyRevoked(id));
    }
    Ok((Body::KeyRevoked {}, Some(*head)))
}
