//! Following registries: what is decided, what of it lasts, and what changes nothing.

use deedbox_core::{
    BlockHash, ChainAddress, CodeHash, Following, ManifestHash, RegistryId, RegistryState,
    Sighting, Standard, ToolId, Trust, replay,
};

use super::*;

fn id() -> RegistryId {
    "eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1"
        .parse()
        .unwrap()
}

fn code(byte: u8) -> Sighting {
    Sighting {
        code_hash: CodeHash([byte; 32]),
        implementation: None,
        beacon: None,
        claims: vec![Name::new("ERC-165").unwrap()],
        block_number: 100,
        block_hash: BlockHash([9; 32]),
    }
}

fn following(standard: Standard) -> Following {
    Following {
        standard,
        label: Some(Name::new("public").unwrap()),
        trust: Trust::Known,
        from_block: 40,
        seen: code(1),
    }
}

fn follow() -> Command {
    Command::FollowRegistry {
        id: id(),
        following: Box::new(following(Standard::Erc8257)),
    }
}

fn follow_agents() -> Command {
    Command::FollowRegistry {
        id: id(),
        following: Box::new(following(Standard::Erc8122)),
    }
}

fn unfollow() -> Command {
    Command::UnfollowRegistry { id: id() }
}

fn trust(trust: Trust) -> Command {
    Command::SetTrust { id: id(), trust }
}

fn accept_code(seen: Sighting) -> Command {
    Command::AcceptCode {
        id: id(),
        seen: Box::new(seen),
    }
}

fn tool(number: u64) -> ToolId {
    number.to_string().parse().unwrap()
}

fn pin(number: u64, byte: u8) -> Command {
    Command::PinTool {
        registry: id(),
        tool: tool(number),
        manifest_hash: ManifestHash([byte; 32]),
    }
}

fn unpin(number: u64) -> Command {
    Command::UnpinTool {
        registry: id(),
        tool: tool(number),
    }
}

/// The command's deed, in the state `before`.
fn ask_registry(
    before: Option<&RegistryState>,
    command: Command,
    by: &Attribution,
) -> Result<Deed, Refusal> {
    assert_eq!(command.needs().registry, Some(id()));
    let state = State {
        registry: before.cloned(),
        ..State::default()
    };
    let mut deeds = decide(&state, command, by, at(5_000))?;
    assert_eq!(deeds.len(), 1);
    Ok(deeds.remove(0))
}

/// What these commands, each of which is taken, add up to. Each deed is justified by a replay.
fn lived(commands: impl IntoIterator<Item = Command>) -> RegistryState {
    let mut state: Option<RegistryState> = None;
    for command in commands {
        let deed = ask_registry(state.as_ref(), command, &operator()).unwrap();
        let before = state.map(|state| Projection::Registry(Box::new(state)));
        assert_eq!(replay::justify(before.as_ref(), &deed), Ok(()));
        let Ok(Projection::Registry(after)) = Projection::apply(before, &deed) else {
            panic!("{deed:?} leads to no registry");
        };
        assert_eq!(after.head, deed.head());
        state = Some(*after);
    }
    state.unwrap()
}

#[test]
fn who_follows_a_registry_decides_on_it_and_what_changes_nothing_is_no_deed() {
    let agents = lived([follow_agents()]);
    let tools = lived([follow(), pin(7, 1)]);
    let gone = lived([follow(), pin(7, 1), unfollow()]);
    let proxied = Sighting {
        implementation: Some(ChainAddress([3; 20])),
        ..code(1)
    };
    let later = Sighting {
        block_number: 200,
        claims: vec![],
        ..code(1)
    };
    let rows = [
        (None, follow(), "ok"),
        (Some(&tools), follow(), "409 already_followed"),
        (Some(&gone), follow(), "ok"),
        (Some(&gone), follow_agents(), "ok"),
        (None, unfollow(), "404 registry_not_followed"),
        (Some(&gone), unfollow(), "404 registry_not_followed"),
        (Some(&tools), unfollow(), "ok"),
        (None, trust(Trust::Blocked), "404 registry_not_followed"),
        (
            Some(&gone),
            trust(Trust::Blocked),
            "404 registry_not_followed",
        ),
        (Some(&tools), trust(Trust::Blocked), "ok"),
        (Some(&tools), trust(Trust::Known), "409 unchanged"),
        (None, accept_code(code(2)), "404 registry_not_followed"),
        (Some(&tools), accept_code(code(2)), "ok"),
        (Some(&tools), accept_code(proxied), "ok"),
        (Some(&tools), accept_code(later), "409 unchanged"),
        (None, pin(7, 1), "404 registry_not_followed"),
        (Some(&gone), pin(8, 1), "404 registry_not_followed"),
        (Some(&agents), pin(7, 1), "409 not_a_tool_registry"),
        (Some(&tools), pin(7, 1), "409 unchanged"),
        (Some(&tools), pin(7, 2), "ok"),
        (Some(&tools), pin(8, 1), "ok"),
        (None, unpin(7), "404 tool_not_pinned"),
        (Some(&tools), unpin(8), "404 tool_not_pinned"),
        (Some(&tools), unpin(7), "ok"),
        (Some(&gone), unpin(7), "ok"),
    ];
    for (before, command, expected) in rows {
        let found = match ask_registry(before, command.clone(), &operator()) {
            Ok(_) => "ok".to_owned(),
            Err(refusal) => format!("{} {}", refusal.status(), refusal.code()),
        };
        assert_eq!(found, expected, "{command:?}");
    }
}

#[test]
fn pins_outlast_following_and_trust_is_decided_anew() {
    let again = lived([
        follow(),
        trust(Trust::Trusted),
        pin(7, 1),
        pin(8, 2),
        pin(7, 3),
        unpin(8),
        accept_code(code(2)),
        unfollow(),
        follow(),
    ]);
    assert!(again.followed);
    assert_eq!(again.following, following(Standard::Erc8257));
    assert_eq!(again.pins, [(tool(7), ManifestHash([3; 32]))].into());
    assert_eq!(again.head.version, 9);
}

#[test]
fn accepted_code_takes_the_place_of_what_was_seen_before() {
    let accepted = lived([follow(), trust(Trust::Trusted), accept_code(code(2))]);
    assert_eq!(accepted.following.seen, code(2));
    assert_eq!(accepted.following.trust, Trust::Trusted);
    assert_eq!(accepted.following.from_block, 40);
}

#[test]
fn what_no_chain_could_have_said_is_not_recorded() {
    let sound = following(Standard::Erc8257);
    let many = vec![Name::new("x").unwrap(); limits::REGISTRY_CLAIMS + 1];
    let inexact = deedbox_core::json::MAX_EXACT + 1;
    for (field, wrong) in [
        (
            "from_block",
            Following {
                from_block: 101,
                ..sound.clone()
            },
        ),
        (
            "seen",
            Following {
                seen: Sighting {
                    claims: many,
                    ..code(1)
                },
                ..sound.clone()
            },
        ),
        (
            "seen",
            Following {
                seen: Sighting {
                    block_number: inexact,
                    ..code(1)
                },
                ..sound.clone()
            },
        ),
    ] {
        let following = Box::new(wrong);
        let command = Command::FollowRegistry {
            id: id(),
            following,
        };
        let refusal = ask_registry(None, command, &operator()).unwrap_err();
        assert!(
            matches!(&refusal, Refusal::InvalidInput { field: at, .. } if at == field),
            "{refusal:?}"
        );
    }
    // The block at which it was looked at may be the one that made it.
    let edge = Following {
        from_block: 100,
        ..sound
    };
    let command = Command::FollowRegistry {
        id: id(),
        following: Box::new(edge),
    };
    assert!(ask_registry(None, command, &operator()).is_ok());
}

#[test]
fn no_more_tools_are_pinned_than_a_row_holds_and_those_that_are_may_move() {
    let most = u64::try_from(limits::REGISTRY_PINS).unwrap();
    let pins = (0..most).map(|number| pin(number, 1));
    let full = lived([follow()].into_iter().chain(pins));
    let refused = ask_registry(Some(&full), pin(most, 1), &operator());
    assert_eq!(refused, Err(Refusal::PinsFull(id())));
    assert!(ask_registry(Some(&full), pin(0, 2), &operator()).is_ok());
}

#[test]
fn only_a_key_with_the_scope_decides_whom_everybody_believes() {
    let tools = lived([follow()]);
    let usual = Scopes::of_an_actor().to_string();
    for command in [
        unfollow(),
        trust(Trust::Trusted),
        accept_code(code(2)),
        pin(7, 1),
    ] {
        let refused = ask_registry(Some(&tools), command.clone(), &key_of("bob", &usual));
        let scope = Scope::RegistriesWrite;
        assert_eq!(refused, Err(Refusal::MissingScope { scope }));
        let by = key_of("bob", "registries:write");
        let deed = ask_registry(Some(&tools), command, &by).unwrap();
        assert_eq!(deed.by.basis, Basis::Authenticated);
    }
}

#[test]
fn a_forged_deed_about_a_registry_is_not_justified() {
    let tools = lived([follow(), pin(7, 1)]);
    let before = Projection::Registry(Box::new(tools.clone()));
    let deed = ask_registry(Some(&tools), pin(7, 2), &operator()).unwrap();
    for body in [
        Body::ToolUnpinned { tool_id: tool(8) },
        Body::RegistryTrustSet {
            trust: Trust::Known,
        },
        Body::RegistryFollowed(Box::new(following(Standard::Erc8257))),
    ] {
        let forged = Deed::seal(
            deed.stream.clone(),
            Some(&tools.head),
            body,
            deed.by.clone(),
            at(6_000),
        );
        assert!(forged.to_stored().verify(Some(&tools.head)).is_ok());
        let judged = replay::justify(Some(&before), &forged);
        assert!(judged.is_err(), "{forged:?}");
    }
}
