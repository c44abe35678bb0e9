//! The rules of actors and keys.

use super::{Decided, known};
use crate::{
    ActorId, ActorKind, Body, KeyId, Refusal, Scopes, State, Timestamp, hash::SecretHash,
    text::Name,
};

pub(super) fn add_actor(state: &State, id: ActorId, actor_kind: ActorKind, name: Name) -> Decided {
    if state.actor.is_some() {
        return Err(Refusal::ActorExists(id));
    }
    Ok((Body::ActorAdded { actor_kind, name }, None))
}

pub(super) fn issue_key(
    state: &State,
    secret_hash: SecretHash,
    actor_id: Option<ActorId>,
    scopes: Scopes,
    label: Option<Name>,
    expires_at: Option<Timestamp>,
    only_first_operator: bool,
) -> Decided {
    if let Some(actor) = &actor_id {
        known(state, actor)?;
    }
    if only_first_operator && state.operator {
        return Err(Refusal::OperatorExists);
    }
    let body = Body::KeyIssued {
        secret_hash,
        actor_id,
        scopes,
        label,
        expires_at,
    };
    Ok((body, None))
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
