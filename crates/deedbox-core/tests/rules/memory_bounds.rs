//! Memories: how much a space and a history take, which deeds nobody could have done, and what may be read.

use deedbox_core::{
    AgentLabel, Memory, Space, SpaceUsage,
    memory::{About, Changed, MemoryAct, MemoryCommand, Origin, rights},
    replay,
};

use super::{
    memories::*,
    spaces::{space_id, team},
    *,
};

#[test]
fn a_full_space_takes_no_more_and_says_how_much_it_has() {
    let alice = usual("alice");
    let memory = lived(&alice, &[note("team")]);
    let ask = |memories, bytes, memory: Option<&Memory>, command: &MemoryCommand| {
        let usage = SpaceUsage { memories, bytes };
        in_state(memory, None, usage, command, &alice, 2_000)
    };
    let (full, most) = (limits::SPACE_MEMORIES, limits::SPACE_BYTES);
    let refused = ask(full, 9, None, &note("team")).unwrap_err();
    let usage = SpaceUsage {
        memories: full,
        bytes: 9,
    };
    assert_eq!(
        refused,
        Refusal::SpaceFull {
            space: space_id("team"),
            usage
        }
    );
    assert_eq!(code(ask(full - 1, 9, None, &note("team"))), "ok");
    assert_eq!(code(ask(full, 9, Some(&memory), &other_words())), "ok");
    assert_eq!(code(ask(1, most - 1, None, &note("team"))), "space_full");
    assert_eq!(
        code(ask(1, most - 1, Some(&memory), &other_words())),
        "space_full"
    );
    assert_eq!(
        code(ask(full, most, Some(&memory), &act(MemoryAct::Forget))),
        "ok"
    );
    assert_eq!(code(ask(full, most, Some(&memory), &redact())), "ok");
}

#[test]
fn a_full_history_can_only_be_deleted() {
    let alice = usual("alice");
    let mut memory = lived(&alice, &[note("team")]);
    memory.state.head.version = limits::MEMORY_DEEDS;
    assert_eq!(asked(Some(&memory), &other_words(), &alice), "memory_full");
    assert_eq!(asked(Some(&memory), &act(MemoryAct::Forget), &alice), "ok");
    assert_eq!(asked(Some(&memory), &redact(), &alice), "ok");
}

#[test]
fn forged_deeds_of_memories_are_not_justified() {
    let alice = usual("alice");
    let memory = lived(&alice, &[note("team")]);
    let before = Projection::Memory(Box::new(memory.state.clone()));
    let good = ask_memory(Some(&memory), &other_words(), &alice, 2_000).unwrap();
    let Body::MemoryRevised { about, text, .. } = good.body.clone() else {
        panic!("{good:?}");
    };
    let revised = |about, changed: &[Changed]| Body::MemoryRevised {
        actor_id: None,
        about,
        text,
        changed: changed.iter().copied().collect(),
        merged: false,
        origin: None,
    };
    let done = About {
        todo_done: true,
        ..about
    };
    let late = About {
        expires_at: Some(at(1)),
        ..about
    };
    for body in [
        Body::MemoryRemembered {
            space_id: space_id("team"),
            actor_id: None,
            about,
            text: text.unwrap(),
            origin: None,
        },
        revised(done, &[Changed::TodoDone]),
        revised(late, &[Changed::ExpiresAt]),
        revised(late, &[]),
        Body::KeyRevoked {},
    ] {
        let forged = Deed::seal(
            good.stream.clone(),
            Some(&memory.state.head),
            body,
            good.by.clone(),
            at(2_000),
        );
        let judged = replay::justify(Some(&before), &forged);
        assert!(judged.is_err(), "{forged:?}");
    }
    // Once it is gone, it moves to no other space.
    let gone = lived(&alice, &[note("team"), redact()]);
    let elsewhere = asked(Some(&gone), &note("personal:alice"), &alice);
    assert_eq!(elsewhere, "invalid_input");
}

#[test]
fn readings_go_over_what_the_key_may_read() {
    let spaces = [
        Space::Personal(actor("bob")),
        Space::Team(Box::new(team(&["bob"]))),
    ];
    let read = |by: &Attribution, spaces: &[Space], named: Option<&str>| {
        rights::readable(&by.principal, spaces, named.map(space_id).as_ref())
            .map(|ids| {
                ids.iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .map_err(|refusal| refusal.code())
    };
    for (scopes, named, expected) in [
        ("memory:read", None, Ok("personal:bob team")),
        ("memory:read", Some("team"), Ok("team")),
        ("memory:read", Some("other"), Err("space_not_found")),
        ("memory:read@team", None, Ok("team")),
        (
            "memory:read@team",
            Some("personal:bob"),
            Err("missing_scope"),
        ),
        ("memory:write", None, Err("missing_scope")),
    ] {
        let found = read(&key_of("bob", scopes), &spaces, named);
        assert_eq!(found, expected.map(ToOwned::to_owned), "{scopes} {named:?}");
    }
    // Even if somebody looked up more than the actor is in.
    assert_eq!(
        read(&usual("carol"), &spaces, Some("team")),
        Err("space_not_found")
    );
    assert_eq!(read(&usual("carol"), &spaces, None), Ok(String::new()));
    assert_eq!(
        read(&operator(), &spaces, Some("team")),
        Ok("team".to_owned())
    );
    assert_eq!(read(&operator(), &spaces, None), Err("invalid_input"));
    let team = &spaces[1];
    let export = |by: &Attribution| rights::may_export(&by.principal, team).map_err(|no| no.code());
    assert_eq!(export(&operator()), Ok(()));
    assert_eq!(export(&key_of("alice", "memory:export")), Ok(()));
    assert_eq!(export(&usual("alice")), Err("missing_scope"));
    assert_eq!(
        export(&key_of("bob", "memory:export")),
        Err("not_space_owner")
    );
    assert_eq!(
        export(&key_of("carol", "memory:export")),
        Err("space_not_found")
    );
}

#[test]
fn what_is_imported_says_where_it_was_written_first_and_keeps_all_other_rules() {
    let alice = usual("alice");
    let origin = Origin {
        space_id: space_id("elsewhere"),
        memory_id: fresh(),
        version: 3,
        at: at(5),
        actor_id: Some(actor("mallory")),
        basis: Basis::Asserted,
        agent_label: Some(AgentLabel::new("codex").unwrap()),
        instance_hash: None,
        hash: DeedHash([7; 32]),
    };
    let import = note("team").imported(origin.clone());
    let deed = ask_memory(None, &import, &alice, 1_000).unwrap();
    let Body::MemoryRemembered {
        actor_id,
        origin: kept,
        ..
    } = &deed.body
    else {
        panic!("{deed:?}");
    };
    assert_eq!(kept.as_deref(), Some(&origin));
    // It stands there as data: who did the deed is whoever imported it.
    assert_eq!(actor_id.as_ref(), Some(&actor("alice")));
    assert_eq!(deed.by.agent_label, None);
    let memory = after_deed(None, &deed);
    let forget = act(MemoryAct::Forget).imported(origin.clone());
    let forgotten = ask_memory(Some(&memory), &forget, &alice, 2_000).unwrap();
    assert_eq!(
        forgotten.body,
        Body::MemoryForgotten {
            actor_id: Some(actor("alice"))
        }
    );
    let foreign = note("nowhere").imported(origin);
    assert_eq!(asked(None, &foreign, &usual("carol")), "space_not_found");
    // A deed that was not imported has no word of it, as before there were imports.
    let plain = ask_memory(None, &note("team"), &alice, 1_000).unwrap();
    assert!(!plain.canonical_body().contains("origin"));
}
