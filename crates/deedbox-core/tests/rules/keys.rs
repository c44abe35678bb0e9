//! Who may do what: bound keys, scopes, and the business of operators.

use super::*;

#[test]
fn a_bound_key_acts_only_as_its_actor_and_learns_nothing_else() {
    let bob = key_of("bob", "tasks:read tasks:write");
    let owned = after(&[create("alice", false), accept("alice")]);
    let wrong = "403 wrong_actor";
    // Also where the task or the actor does not exist: a key that may not act is not told.
    let rows = [
        (None, create("alice", false), wrong),
        (None, create("nobody", false), wrong),
        (None, accept("alice"), wrong),
        (owned.as_ref(), accept("alice"), wrong),
        (owned.as_ref(), complete("alice", "reported", None), wrong),
        (None, complete("alice", "reported", None), wrong),
        (owned.as_ref(), handoff("alice", "bob"), wrong),
        (owned.as_ref(), handoff("alice", "nobody"), wrong),
        (None, create("bob", false), "ok"),
        (owned.as_ref(), accept("bob"), "409 already_owned"),
        (owned.as_ref(), handoff("bob", "alice"), "403 not_owner"),
    ];
    for (task, command, expected) in rows {
        assert_eq!(answer(task, command.clone(), &bob), expected, "{command:?}");
    }
}

#[test]
fn a_key_without_the_write_scope_is_refused_before_anything_else() {
    for who in [key_of("alice", "tasks:read"), key_of("alice", ""), {
        let mut reader = operator();
        reader.principal.scopes = [Scope::TasksRead].into_iter().collect();
        reader
    }] {
        for command in [
            create("alice", false),
            accept("bob"),
            complete("alice", "reported", None),
            handoff("alice", "nobody"),
        ] {
            let refusal = ask(None, command, &who, at(1)).unwrap_err();
            assert_eq!((refusal.status(), refusal.code()), (403, "missing_scope"));
            assert!(refusal.to_string().contains("tasks:write"), "{refusal}");
        }
    }
    let writer = key_of("alice", "tasks:write");
    assert_eq!(
        answer(None, create("alice", false), &writer),
        "ok",
        "scopes are independent"
    );
}

#[test]
fn a_deed_says_which_credential_named_the_actor_and_whether_it_is_its_own() {
    let asserted = ask(None, create("alice", false), &operator(), at(1)).unwrap();
    assert_eq!(
        (asserted.by.basis, asserted.by.principal.as_str()),
        (Basis::Asserted, "key:operator")
    );
    let own = key_of("alice", "tasks:write");
    let authenticated = ask(None, create("alice", false), &own, at(1)).unwrap();
    assert_eq!(
        (authenticated.by.basis, authenticated.by.principal.as_str()),
        (Basis::Authenticated, "key:alice")
    );
}

fn issue(actor: Option<ActorId>, only_first_operator: bool) -> Command {
    let key = ApiKey::generate(&Seven);
    Command::IssueKey {
        id: key.id().clone(),
        secret_hash: key.hash(),
        actor,
        scopes: Scopes::all(),
        label: None,
        agent_label: None,
        expires_at: None,
        only_first_operator,
    }
}

fn add(id: &str) -> Command {
    Command::AddActor {
        id: actor(id),
        kind: ActorKind::Agent,
        name: Name::new(id).unwrap(),
    }
}

fn revoke() -> Command {
    Command::RevokeKey {
        id: ApiKey::generate(&Seven).id().clone(),
    }
}

fn issued(revoked_at: Option<Timestamp>) -> Option<(KeyRecord, Head)> {
    let key = ApiKey::generate(&Seven);
    let record = KeyRecord {
        id: key.id().clone(),
        secret_hash: key.hash(),
        actor: None,
        scopes: Scopes::all(),
        label: None,
        agent_label: None,
        created_at: at(1),
        expires_at: None,
        revoked_at,
    };
    Some((
        record,
        Head {
            version: 1,
            hash: DeedHash([1; 32]),
            at: at(1),
        },
    ))
}

#[test]
fn actors_and_keys_are_an_operators_business_and_each_exists_once() {
    let alice = deedbox_core::Actor {
        id: actor("alice"),
        kind: ActorKind::Human,
        name: Name::new("Alice").unwrap(),
        created_at: at(1),
    };
    let none = State::default;
    let known = || State {
        actors: [actor("alice")].into(),
        ..none()
    };
    let rows: Vec<(State, Command, &str)> = vec![
        (none(), add("alice"), "ok"),
        (
            State {
                actor: Some(alice),
                ..none()
            },
            add("alice"),
            "409 actor_exists",
        ),
        (known(), issue(Some(actor("alice")), false), "ok"),
        (
            none(),
            issue(Some(actor("alice")), false),
            "404 actor_not_found",
        ),
        (none(), issue(None, false), "ok"),
        (
            State {
                operator: true,
                ..none()
            },
            issue(None, false),
            "ok",
        ),
        (none(), issue(None, true), "ok"),
        (
            State {
                operator: true,
                ..none()
            },
            issue(None, true),
            "409 operator_exists",
        ),
        (none(), revoke(), "404 key_not_found"),
        (
            State {
                key: issued(None),
                ..none()
            },
            revoke(),
            "ok",
        ),
        (
            State {
                key: issued(Some(at(2))),
                ..none()
            },
            revoke(),
            "409 key_revoked",
        ),
    ];
    let show = |result: Result<Vec<Deed>, Refusal>| match result {
        Ok(_) => "ok".to_owned(),
        Err(refusal) => format!("{} {}", refusal.status(), refusal.code()),
    };
    let bound = key_of("alice", "tasks:read tasks:write");
    for (state, command, expected) in rows {
        let found = show(decide(&state, command.clone(), &operator(), at(5)));
        assert_eq!(found, expected, "{command:?}");
        let found = show(decide(&state, command, &bound, at(5)));
        assert_eq!(found, "403 operator_only");
    }
}
