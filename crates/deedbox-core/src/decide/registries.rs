//! The rules of following registries; what following means stands in [`crate::registry`]. Whether a contract is a registry is no
//! rule: whoever follows one has looked.

use super::Decided;
use crate::{
    Body, Following, ManifestHash, Refusal, RegistryId, RegistryState, Sighting, Standard, State,
    ToolId, Trust,
    json::{self, MAX_EXACT},
    limits,
};

/// For the first time, or again.
pub(super) fn follow(state: &State, id: RegistryId, following: Box<Following>) -> Decided {
    if state.registry.as_ref().is_some_and(|one| one.followed) {
        return Err(Refusal::AlreadyFollowed(id));
    }
    exact("registry", id.chain_id)?;
    exact("from_block", following.from_block)?;
    seen("seen", &following.seen)?;
    let (from, looked) = (following.from_block, following.seen.block_number);
    if from > looked {
        return Err(Refusal::invalid(
            "from_block",
            format_args!(
                "{from} is after block {looked}, at which the registry was looked at: what it said before would be missing"
            ),
        ));
    }
    let head = state.registry.as_ref().map(|registry| registry.head);
    Ok((Body::RegistryFollowed(following), head))
}

pub(super) fn unfollow(state: &State, id: RegistryId) -> Decided {
    let registry = followed(state, id)?;
    Ok((Body::RegistryUnfollowed {}, Some(registry.head)))
}

pub(super) fn set_trust(state: &State, id: RegistryId, trust: Trust) -> Decided {
    let registry = followed(state, id)?;
    if registry.following.trust == trust {
        return unchanged(id, format!("is {trust}"));
    }
    Ok((Body::RegistryTrustSet { trust }, Some(registry.head)))
}

/// Other code than was accepted before. A later look at the same code is no decision.
pub(super) fn accept_code(state: &State, id: RegistryId, found: Box<Sighting>) -> Decided {
    let registry = followed(state, id)?;
    seen("seen", &found)?;
    if registry.following.seen.same_code(&found) {
        return unchanged(id, format!("has code {} accepted", found.code_hash));
    }
    Ok((Body::RegistryCodeAccepted(found), Some(registry.head)))
}

/// To a first manifest, or to another one.
pub(super) fn pin(
    state: &State,
    id: RegistryId,
    tool_id: ToolId,
    manifest_hash: ManifestHash,
) -> Decided {
    let registry = followed(state, id)?;
    if registry.following.standard != Standard::Erc8257 {
        return Err(Refusal::NotAToolRegistry(id));
    }
    match registry.pins.get(&tool_id) {
        Some(pinned) if *pinned == manifest_hash => {
            return unchanged(id, format!("has tool {tool_id} pinned to {manifest_hash}"));
        }
        None if registry.pins.len() >= limits::REGISTRY_PINS => return Err(Refusal::PinsFull(id)),
        Some(_) | None => {}
    }
    let body = Body::ToolPinned {
        tool_id,
        manifest_hash,
    };
    Ok((body, Some(registry.head)))
}

/// Also in a registry that is not followed any more: its pins stay until they are taken back.
pub(super) fn unpin(state: &State, registry: RegistryId, tool: ToolId) -> Decided {
    let pinned = state.registry.as_ref();
    match pinned.filter(|one| one.pins.contains_key(&tool)) {
        Some(one) => Ok((Body::ToolUnpinned { tool_id: tool }, Some(one.head))),
        None => Err(Refusal::ToolNotPinned { registry, tool }),
    }
}

fn followed(state: &State, id: RegistryId) -> Result<&RegistryState, Refusal> {
    let registry = state.registry.as_ref();
    registry
        .filter(|registry| registry.followed)
        .ok_or(Refusal::RegistryNotFollowed(id))
}

fn unchanged(registry: RegistryId, what: String) -> Decided {
    Err(Refusal::Unchanged { registry, what })
}

/// Whether every reader of JSON holds it exactly.
fn exact(field: &'static str, number: u64) -> Result<(), Refusal> {
    json::exact([number])
        .map_err(|_| Refusal::invalid(field, format_args!("{number} is above {MAX_EXACT}")))
}

fn seen(field: &'static str, found: &Sighting) -> Result<(), Refusal> {
    exact(field, found.block_number)?;
    let claims = found.claims.len();
    if claims > limits::REGISTRY_CLAIMS {
        let most = limits::REGISTRY_CLAIMS;
        return Err(Refusal::invalid(
            field,
            format_args!("names {claims} interfaces, at most {most} are accepted"),
        ));
    }
    Ok(())
}
