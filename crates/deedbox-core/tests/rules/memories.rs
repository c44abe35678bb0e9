//! Memories: who may do what with which, and what becomes of them.

use deedbox_core::{
    Basis, Memory, MemoryId, MemoryKind, MemoryState, MemoryStatus, MemoryText, Space, SpaceId,
    SpaceUsage, Stream,
    memory::{
        About, Changed, MemoryAct, MemoryChange, MemoryCommand, MemoryTags, Origin, Salt,
        SealedText,
    },
    replay,
};

use super::{
    spaces::{space_id, team},
    *,
};

pub(crate) fn fresh() -> MemoryId {
    "0198a1c2-0000-7000-8000-0000000000dd".parse().unwrap()
}

pub(crate) fn words(content: &str, key: Option<&str>) -> MemoryText {
    MemoryText {
        content: content.parse().unwrap(),
        path: None,
        tags: MemoryTags::default(),
        key: key.map(|key| key.parse().unwrap()),
    }
}

pub(crate) fn about(kind: MemoryKind) -> About {
    About {
        kind,
        todo_done: false,
        expires_at: None,
    }
}

pub(crate) fn remember(space: &str, about: About, text: MemoryText, merge: bool) -> MemoryCommand {
    let sealed = SealedText::new(text, Salt([7; 32]));
    MemoryCommand::remember(fresh(), None, space_id(space), about, sealed, merge)
}

pub(crate) fn note(space: &str) -> MemoryCommand {
    remember(space, about(MemoryKind::Note), words("a note", None), false)
}

pub(crate) fn act(act: MemoryAct) -> MemoryCommand {
    MemoryCommand {
        id: fresh(),
        actor: None,
        act,
        origin: None,
    }
}

pub(crate) fn revise(change: MemoryChange) -> MemoryCommand {
    let salt = Salt([8; 32]);
    act(MemoryAct::Revise {
        change: Box::new(change),
        salt,
    })
}

pub(crate) fn other_words() -> MemoryCommand {
    revise(MemoryChange {
        content: Some("another".parse().unwrap()),
        ..MemoryChange::default()
    })
}

pub(crate) fn done(done: bool) -> MemoryCommand {
    revise(MemoryChange {
        todo_done: Some(done),
        ..MemoryChange::default()
    })
}

pub(crate) fn redact() -> MemoryCommand {
    act(MemoryAct::Redact { reason: None })
}

/// Asks in a state where this memory, its twin and the command's own space are known: alice's personal one, or the team of alice and bob.
pub(crate) fn ask_memory(
    memory: Option<&Memory>,
    command: &MemoryCommand,
    by: &Attribution,
    now: i64,
) -> Result<Deed, Refusal> {
    in_state(memory, None, SpaceUsage::default(), command, by, now)
}

pub(crate) fn in_state(
    memory: Option<&Memory>,
    twin: Option<&Memory>,
    usage: SpaceUsage,
    command: &MemoryCommand,
    by: &Attribution,
    now: i64,
) -> Result<Deed, Refusal> {
    let space: Option<SpaceId> = match &command.act {
        MemoryAct::Remember { space, .. } => Some(space.clone()),
        _ => memory.map(|memory| memory.state.space.clone()),
    };
    let space = space.and_then(|id| match id.as_str() {
        "team" => Some(Space::Team(Box::new(team(&["bob"])))),
        "personal:alice" => Some(Space::Personal(actor("alice"))),
        _ => None,
    });
    let command = Command::Memory(Box::new(command.clone()));
    let state = State {
        memory: memory.cloned(),
        twin: twin.cloned(),
        space,
        usage,
        ..load(None, &command)
    };
    let mut deeds = decide(&state, command, by, at(now))?;
    let deed = deeds.remove(0);
    let before = memory.into_iter().chain(twin).map(|memory| &memory.state);
    let mut before = before.filter(|state| Stream::Memory(state.id) == deed.stream);
    let before = before
        .next()
        .map(|state| Projection::Memory(Box::new(state.clone())));
    assert_eq!(replay::justify(before.as_ref(), &deed), Ok(()));
    Ok(deed)
}

/// The memory after `deed`, with its text, as a store keeps it.
pub(crate) fn after_deed(memory: Option<&Memory>, deed: &Deed) -> Memory {
    let before = memory.map(|memory| Projection::Memory(Box::new(memory.state.clone())));
    let Ok(Projection::Memory(state)) = Projection::apply(before, deed) else {
        panic!("it is a memory");
    };
    let new = deed.text().map(|text| text.text.clone());
    let text = new.or_else(|| memory.and_then(|memory| memory.text.clone()));
    Memory {
        text: state.text.and(text),
        state: *state,
    }
}

pub(crate) fn lived(by: &Attribution, commands: &[MemoryCommand]) -> Memory {
    let mut memory = None;
    for command in commands {
        let deed = ask_memory(memory.as_ref(), command, by, 1_000).unwrap();
        memory = Some(after_deed(memory.as_ref(), &deed));
    }
    memory.unwrap()
}

pub(crate) fn usual(who: &str) -> Attribution {
    key_of(who, &Scopes::of_an_actor().to_string())
}

pub(crate) fn code(answer: Result<Deed, Refusal>) -> &'static str {
    answer.map_or_else(|refusal| refusal.code(), |_| "ok")
}

pub(crate) fn asked(
    memory: Option<&Memory>,
    command: &MemoryCommand,
    by: &Attribution,
) -> &'static str {
    code(ask_memory(memory, command, by, 2_000))
}

#[test]
fn an_imported_version_is_one_that_every_reader_of_json_holds() {
    let of = |version: u64| Origin {
        space_id: space_id("team"),
        memory_id: fresh(),
        version,
        at: at(500),
        actor_id: None,
        basis: Basis::Asserted,
        agent_label: None,
        instance_hash: None,
        hash: serde_json::from_value(serde_json::json!(format!("sha256:{}", "ab".repeat(32))))
            .unwrap(),
    };
    for (version, expected) in [
        (1, "ok"),
        ((1 << 53) - 1, "ok"),
        (0, "invalid_input"),
        (1 << 53, "invalid_input"),
        (u64::MAX, "invalid_input"),
    ] {
        let imported = note("team").imported(of(version));
        assert_eq!(
            asked(None, &imported, &usual("alice")),
            expected,
            "{version}"
        );
    }
}

#[test]
fn who_may_do_what_in_a_team() {
    let by_bob = lived(&usual("bob"), &[note("team")]);
    let todo = remember(
        "team",
        about(MemoryKind::Todo),
        words("ship it", None),
        false,
    );
    let todo = lived(&usual("bob"), &[todo]);
    // alice owns the team, bob is in it, carol is not.
    for (who, adds, revises, forgets, does) in [
        ("alice", "ok", "ok", "ok", "ok"),
        ("bob", "ok", "ok", "ok", "ok"),
        (
            "carol",
            "space_not_found",
            "memory_not_found",
            "memory_not_found",
            "memory_not_found",
        ),
    ] {
        let by = usual(who);
        assert_eq!(asked(None, &note("team"), &by), adds, "{who}");
        assert_eq!(asked(Some(&by_bob), &other_words(), &by), revises, "{who}");
        assert_eq!(
            asked(Some(&by_bob), &act(MemoryAct::Forget), &by),
            forgets,
            "{who}"
        );
        assert_eq!(asked(Some(&by_bob), &redact(), &by), forgets, "{who}");
        assert_eq!(asked(Some(&todo), &done(true), &by), does, "{who}");
    }
    let by_alice = lived(&usual("alice"), &[note("team")]);
    let todo = remember(
        "team",
        about(MemoryKind::Todo),
        words("ship it", None),
        false,
    );
    let todo = lived(&usual("alice"), &[todo]);
    let bob = usual("bob");
    for command in [other_words(), act(MemoryAct::Forget), redact()] {
        assert_eq!(asked(Some(&by_alice), &command, &bob), "not_memory_author");
        assert_eq!(asked(Some(&by_alice), &command, &operator()), "ok");
    }
    assert_eq!(asked(Some(&todo), &done(true), &bob), "ok");
    // Doing it is not a way to change more of it, or to reach what is no to-do.
    let both = revise(MemoryChange {
        todo_done: Some(true),
        content: Some("mine".parse().unwrap()),
        ..MemoryChange::default()
    });
    assert_eq!(asked(Some(&todo), &both, &bob), "not_memory_author");
    assert_eq!(
        asked(Some(&by_alice), &done(true), &bob),
        "not_memory_author"
    );
}

#[test]
fn a_personal_space_is_its_actors_alone() {
    let own = lived(&usual("alice"), &[note("personal:alice")]);
    let (bob, alice) = (usual("bob"), usual("alice"));
    assert_eq!(
        asked(None, &note("personal:alice"), &bob),
        "space_not_found"
    );
    assert_eq!(
        asked(None, &note("personal:nobody"), &alice),
        "space_not_found"
    );
    for command in [other_words(), act(MemoryAct::Forget), redact()] {
        assert_eq!(asked(Some(&own), &command, &bob), "memory_not_found");
        assert_eq!(asked(Some(&own), &command, &alice), "ok");
        assert_eq!(asked(Some(&own), &command, &operator()), "ok");
        assert_eq!(asked(None, &command, &alice), "memory_not_found");
    }
}

#[test]
fn each_act_needs_its_scope_in_that_space() {
    let own = lived(&usual("alice"), &[note("personal:alice")]);
    for (scopes, adds, deletes) in [
        ("memory:write", "ok", "missing_scope"),
        ("memory:delete", "missing_scope", "ok"),
        ("memory:write@personal:alice", "ok", "missing_scope"),
        (
            "memory:write@team memory:delete@team",
            "missing_scope",
            "missing_scope",
        ),
        (
            "tasks:write memory:read memory:export",
            "missing_scope",
            "missing_scope",
        ),
    ] {
        let by = key_of("alice", scopes);
        assert_eq!(asked(None, &note("personal:alice"), &by), adds, "{scopes}");
        assert_eq!(asked(Some(&own), &other_words(), &by), adds, "{scopes}");
        assert_eq!(
            asked(Some(&own), &act(MemoryAct::Forget), &by),
            deletes,
            "{scopes}"
        );
    }
}

#[test]
fn labels_decide_nothing() {
    let own = lived(&usual("alice"), &[note("personal:alice")]);
    let mut forged = usual("bob");
    forged.agent_label = Some(deedbox_core::AgentLabel::new("alice").unwrap());
    forged.instance = Some(deedbox_core::InstanceHash([1; 32]));
    assert_eq!(
        asked(Some(&own), &other_words(), &forged),
        "memory_not_found"
    );
    let mut labelled = usual("alice");
    labelled.agent_label = Some(deedbox_core::AgentLabel::new("mallory").unwrap());
    assert_eq!(asked(Some(&own), &other_words(), &labelled), "ok");
}

#[test]
fn a_key_acts_as_its_actor_and_an_operator_as_whom_it_names_or_nobody() {
    let author = |by: &Attribution, named: Option<&str>| {
        let command = MemoryCommand {
            actor: named.map(actor),
            ..note("team")
        };
        let deed = ask_memory(None, &command, by, 1_000)?;
        let memory = after_deed(None, &deed);
        Ok::<_, Refusal>((
            memory.state.first_author.actor,
            memory.state.first_author.by.basis,
        ))
    };
    let (bob, op) = (usual("bob"), operator());
    assert_eq!(
        author(&bob, None),
        Ok((Some(actor("bob")), Basis::Authenticated))
    );
    assert_eq!(author(&bob, Some("bob")), author(&bob, None));
    assert_eq!(
        author(&bob, Some("alice")).unwrap_err().code(),
        "wrong_actor"
    );
    assert_eq!(
        author(&op, Some("bob")),
        Ok((Some(actor("bob")), Basis::Asserted))
    );
    assert_eq!(author(&op, None), Ok((None, Basis::Asserted)));
    assert_eq!(
        author(&op, Some("nobody")).unwrap_err().code(),
        "actor_not_found"
    );
}

#[test]
fn what_is_said_under_a_key_again_revises_and_after_forgetting_begins_anew() {
    let alice = usual("alice");
    let say = |content: &str| {
        remember(
            "team",
            about(MemoryKind::Decision),
            words(content, Some("db")),
            false,
        )
    };
    let first = lived(&alice, &[say("SQLite")]);
    assert_eq!(
        first.state.id,
        MemoryId::of_key(&space_id("team"), &"db".parse().unwrap())
    );
    let deed = ask_memory(Some(&first), &say("PostgreSQL"), &alice, 2_000).unwrap();
    let Body::MemoryRevised {
        changed, merged, ..
    } = &deed.body
    else {
        panic!("{deed:?}");
    };
    assert_eq!(
        (changed.iter().copied().collect::<Vec<_>>(), *merged),
        (vec![Changed::Content], false)
    );
    let second = after_deed(Some(&first), &deed);
    assert_eq!(
        (second.state.text, second.state.created_at),
        (Some(2), at(1_000))
    );
    assert_eq!(second.text.as_ref().unwrap().content.as_str(), "PostgreSQL");
    // The key is the team's, and what alice decided is not bob's to decide.
    assert_eq!(
        asked(Some(&second), &say("MongoDB"), &usual("bob")),
        "not_memory_author"
    );
    // What alice forgot is still hers, and with a key its words would be bob's to read and to delete; of what is redacted nothing is left.
    for (delete, kept, by) in [
        (MemoryAct::Forget, second.state.bytes, "alice"),
        (MemoryAct::Redact { reason: None }, 0, "bob"),
    ] {
        let delete = MemoryCommand {
            id: second.state.id,
            ..act(delete)
        };
        let gone = ask_memory(Some(&second), &delete, &alice, 3_000).unwrap();
        let gone = after_deed(Some(&second), &gone);
        assert_eq!((gone.state.bytes, gone.state.usage().memories), (kept, 0));
        if by != "bob" {
            let taken = asked(Some(&gone), &say("Again"), &usual("bob"));
            assert_eq!(taken, "not_memory_author");
        }
        let again = ask_memory(Some(&gone), &say("Again"), &usual(by), 4_000).unwrap();
        assert_eq!(
            (again.stream.clone(), again.version),
            (deed.stream.clone(), 4)
        );
        let again = after_deed(Some(&gone), &again);
        assert_eq!(again.state.status, MemoryStatus::Live);
        assert_eq!(again.state.created_at, at(4_000));
        assert_eq!(again.state.first_author.actor, Some(actor(by)));
        assert!(again.state.bytes > kept);
    }
}

#[test]
fn the_same_content_is_taken_up_by_what_says_it_already_when_that_is_asked() {
    let alice = usual("alice");
    let text = |tags: &[&str]| MemoryText {
        tags: MemoryTags::new(tags.iter().map(|tag| tag.parse().unwrap())).unwrap(),
        ..words("Tests run in CI", None)
    };
    let first = remember("team", about(MemoryKind::Fact), text(&["ci"]), false);
    let twin = Memory {
        state: MemoryState {
            id: "0198a1c2-0000-7000-8000-0000000000ee".parse().unwrap(),
            ..lived(&alice, std::slice::from_ref(&first)).state
        },
        ..lived(&alice, &[first])
    };
    let none = SpaceUsage::default();
    let take_up = |tags: &[&str], about: About| {
        let command = remember("team", about, text(tags), true);
        // By another member: nothing of what was said is changed.
        in_state(None, Some(&twin), none, &command, &usual("bob"), 2_000).unwrap()
    };
    let deed = take_up(&["tests"], about(MemoryKind::Fact));
    assert_eq!(deed.stream.to_string(), format!("memory:{}", twin.state.id));
    let after = after_deed(Some(&twin), &deed);
    assert_eq!(after.text.as_ref().unwrap().tags.iter().count(), 2);
    assert_eq!(after.state.last_author.actor, Some(actor("bob")));
    assert_eq!(after.state.first_author.actor, Some(actor("alice")));
    // Nothing new: no second text, and yet a deed that says who said it too.
    let deed = take_up(&["ci"], about(MemoryKind::Fact));
    let Body::MemoryRevised {
        text: None,
        changed,
        merged: true,
        ..
    } = &deed.body
    else {
        panic!("{deed:?}");
    };
    assert!(changed.is_empty() && deed.text().is_none());
    // Unasked, there are two.
    let command = remember("team", about(MemoryKind::Fact), text(&[]), false);
    let deed = in_state(None, Some(&twin), none, &command, &alice, 2_000).unwrap();
    assert_eq!(deed.stream.to_string(), format!("memory:{}", fresh()));
}

#[test]
fn a_todo_is_done_and_nothing_else_is() {
    let alice = usual("alice");
    let todo = remember(
        "team",
        about(MemoryKind::Todo),
        words("ship it", None),
        false,
    );
    let todo = lived(&alice, &[todo, done(true)]);
    assert!(todo.state.about.todo_done);
    assert_eq!(todo.state.text, Some(1), "the words stay where they were");
    let into_note = revise(MemoryChange {
        kind: Some(MemoryKind::Note),
        ..MemoryChange::default()
    });
    let deed = ask_memory(Some(&todo), &into_note, &alice, 2_000).unwrap();
    assert!(!after_deed(Some(&todo), &deed).state.about.todo_done);
    let fact = lived(&alice, &[note("team")]);
    let refused = ask_memory(Some(&fact), &done(true), &alice, 2_000).unwrap_err();
    assert!(refused.to_string().starts_with("todo_done: "), "{refused}");
    let nothing = ask_memory(Some(&fact), &revise(MemoryChange::default()), &alice, 2_000);
    assert_eq!(code(nothing), "invalid_input");
}

#[test]
fn what_expires_does_so_in_the_future() {
    let alice = usual("alice");
    let until = |end: i64| About {
        expires_at: Some(at(end)),
        ..about(MemoryKind::Note)
    };
    let say = |end| remember("team", until(end), words("x", None), false);
    for (end, expected) in [
        (1_999, "invalid_input"),
        (2_000, "invalid_input"),
        (2_001, "ok"),
    ] {
        assert_eq!(asked(None, &say(end), &alice), expected, "{end}");
    }
    let memory = lived(&alice, &[say(1_500)]);
    assert!(memory.state.has_expired(at(1_500)) && !memory.state.has_expired(at(1_499)));
    // What has expired is there still, and its end can be put off.
    assert_eq!(asked(Some(&memory), &other_words(), &alice), "ok");
    let put_off = |end| {
        revise(MemoryChange {
            expires_at: Some(end),
            ..MemoryChange::default()
        })
    };
    assert_eq!(
        asked(Some(&memory), &put_off(Some(at(1_600))), &alice),
        "invalid_input"
    );
    assert_eq!(
        asked(Some(&memory), &put_off(Some(at(3_000))), &alice),
        "ok"
    );
    assert_eq!(asked(Some(&memory), &put_off(None), &alice), "ok");
}

#[test]
fn what_is_forgotten_is_not_found_and_can_be_redacted_once() {
    let alice = usual("alice");
    let forgotten = lived(&alice, &[note("team"), act(MemoryAct::Forget)]);
    assert!(forgotten.text.is_some(), "its text is kept");
    for command in [other_words(), act(MemoryAct::Forget)] {
        assert_eq!(
            asked(Some(&forgotten), &command, &alice),
            "memory_not_found"
        );
    }
    assert_eq!(asked(Some(&forgotten), &note("team"), &alice), "ok");
    let redacted = lived(&alice, &[note("team"), act(MemoryAct::Forget), redact()]);
    assert_eq!((redacted.text.clone(), redacted.state.bytes), (None, 0));
    assert_eq!(asked(Some(&redacted), &redact(), &alice), "memory_redacted");
    assert_eq!(
        asked(Some(&redacted), &act(MemoryAct::Forget), &alice),
        "memory_not_found"
    );
}
