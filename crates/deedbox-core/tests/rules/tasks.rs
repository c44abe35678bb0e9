//! Ownership: who may create, accept, complete and hand off, and when.

use super::*;

#[test]
fn every_state_gives_every_call_the_answer_that_the_protocol_states() {
    let (a, b) = ("alice", "bob");
    let open = [create(a, false), accept(a), handoff(a, b)];
    let reserved = [create(a, true), accept(a), handoff(a, b)];
    let states: [(&str, Option<TaskState>); 9] = [
        ("unknown", None),
        ("pending", after(&open[..1])),
        ("alice accepted", after(&open[..2])),
        (
            "alice completed",
            after(&[
                open[0].clone(),
                open[1].clone(),
                complete(a, "reported", None),
            ]),
        ),
        ("handed to bob", after(&open)),
        ("handed to bob only", after(&reserved)),
        (
            "bob accepted",
            after(&[open.as_slice(), &[accept(b)]].concat()),
        ),
        (
            "bob only accepted",
            after(&[reserved.as_slice(), &[accept(b)]].concat()),
        ),
        (
            "bob completed",
            after(&[open.as_slice(), &[accept(b), complete(b, "observed", None)]].concat()),
        ),
    ];
    let calls: [(&str, Command); 9] = [
        ("accept alice", accept(a)),
        ("accept bob", accept(b)),
        ("accept carol", accept("carol")),
        ("complete alice", complete(a, "reported", None)),
        ("complete bob", complete(b, "reported", None)),
        ("complete carol", complete("carol", "reported", None)),
        ("handoff alice>bob", handoff(a, b)),
        ("handoff bob>alice", handoff(b, a)),
        ("handoff bob>bob", handoff(b, b)),
    ];
    const OK: &str = "ok";
    const OWNED: &str = "409 already_owned";
    const NO_TASK: &str = "404 task_not_found";
    const UNOWNED: &str = "409 no_current_owner";
    const NOT_OWNER: &str = "403 not_owner";
    const RESERVED: &str = "403 not_recipient";
    // Columns in the order of `calls`, rows in the order of `states`.
    let expected: [[&str; 9]; 9] = [
        [NO_TASK; 9],
        [
            OK, OK, OK, UNOWNED, UNOWNED, UNOWNED, NOT_OWNER, NOT_OWNER, NOT_OWNER,
        ],
        [
            OWNED, OWNED, OWNED, OK, NOT_OWNER, NOT_OWNER, OK, NOT_OWNER, NOT_OWNER,
        ],
        [
            OWNED, OWNED, OWNED, OK, NOT_OWNER, NOT_OWNER, OK, NOT_OWNER, NOT_OWNER,
        ],
        [
            OK, OK, OK, UNOWNED, UNOWNED, UNOWNED, NOT_OWNER, NOT_OWNER, NOT_OWNER,
        ],
        [
            RESERVED, OK, RESERVED, UNOWNED, UNOWNED, UNOWNED, NOT_OWNER, NOT_OWNER, NOT_OWNER,
        ],
        [
            OWNED, OWNED, OWNED, NOT_OWNER, OK, NOT_OWNER, NOT_OWNER, OK, OK,
        ],
        [
            OWNED, OWNED, OWNED, NOT_OWNER, OK, NOT_OWNER, NOT_OWNER, OK, OK,
        ],
        [
            OWNED, OWNED, OWNED, NOT_OWNER, OK, NOT_OWNER, NOT_OWNER, OK, OK,
        ],
    ];
    for ((state, task), row) in states.iter().zip(expected) {
        for ((call, command), expected) in calls.iter().zip(row) {
            let found = answer(task.as_ref(), command.clone(), &operator());
            assert_eq!(found, expected, "{call} when {state}");
        }
    }
}

#[test]
fn a_deed_changes_the_state_as_the_protocol_draws_it() {
    let (a, b) = ("alice", "bob");
    let steps = [
        create(a, false),
        accept(a),
        complete(a, "reported", None),
        handoff(a, b),
        accept(b),
        handoff(b, a),
    ];
    let expected = [
        (TaskStatus::PendingAcceptance, None),
        (TaskStatus::Accepted, Some(a)),
        (TaskStatus::Completed, Some(a)),
        (TaskStatus::Transitioned, None),
        (TaskStatus::Accepted, Some(b)),
        (TaskStatus::Transitioned, None),
    ];
    for (n, (status, owner)) in (1..).zip(expected) {
        let task = after(&steps[..n]).unwrap();
        assert_eq!(
            (task.status, task.owner),
            (status, owner.map(actor)),
            "after {n} steps"
        );
    }
}

#[test]
fn unknown_actors_are_named_and_404() {
    let owned = after(&[create("alice", false), accept("alice")]);
    let pending = after(&[create("alice", false)]);
    let rows = [
        (None, create("nobody", false)),
        (pending.as_ref(), accept("nobody")),
        (owned.as_ref(), complete("nobody", "reported", None)),
        (owned.as_ref(), handoff("nobody", "bob")),
        (owned.as_ref(), handoff("alice", "nobody")),
    ];
    for (task, command) in rows {
        let refusal = ask(task, command.clone(), &operator(), at(9_000)).unwrap_err();
        assert_eq!(
            (refusal.status(), refusal.code()),
            (404, "actor_not_found"),
            "{command:?}"
        );
        assert!(refusal.to_string().contains("nobody"), "{refusal}");
    }
}

#[test]
fn a_task_id_is_never_used_twice() {
    let pending = after(&[create("alice", false)]);
    assert_eq!(
        answer(pending.as_ref(), create("bob", false), &operator()),
        "400 invalid_input"
    );
}

#[test]
fn a_handoff_freezes_the_task_as_it_stood_in_its_own_moment() {
    let steps = [
        create("alice", false),
        accept("alice"),
        complete("alice", "reviewed", Some("ci/1")),
    ];
    let before = after(&steps).unwrap();
    // A clock that is behind the task's last deed: both times are the later one.
    for now in [5_000, 10] {
        let deed = ask(Some(&before), handoff("alice", "bob"), &operator(), at(now)).unwrap();
        let Body::TaskHandedOff {
            context_snapshot: snapshot,
            ..
        } = &deed.body
        else {
            panic!("{deed:?}");
        };
        assert_eq!(snapshot.captured_at, deed.at);
        assert_eq!(deed.at, at(now.max(3_000)));
        assert_eq!(snapshot.status, TaskStatus::Completed);
        let acceptance = snapshot.latest_acceptance.as_ref().unwrap();
        assert_eq!(acceptance.actor_id, actor("alice"));
        assert_eq!(acceptance.accepted_at, at(2_000));
        assert_eq!(acceptance.context_note.as_ref().unwrap().as_str(), "on it");
        let claim = snapshot.latest_completion.as_ref().unwrap();
        assert_eq!(claim.provenance, ClaimProvenance::Reviewed);
        assert_eq!(claim.source_reference.as_ref().unwrap().as_str(), "ci/1");
        assert_eq!(claim.reported_at, at(3_000));
    }
}

#[test]
fn a_full_history_is_closed_at_exactly_its_limit() {
    let base = after(&[create("alice", false), accept("alice")]).unwrap();
    let with = |version, bytes| {
        let head = Head {
            version,
            ..base.head
        };
        Some(TaskState {
            head,
            bytes,
            ..base.clone()
        })
    };
    let call = || handoff("alice", "bob");
    let size = {
        let deed = ask(with(5, 0).as_ref(), call(), &operator(), at(1_000_000)).unwrap();
        deed.canonical_body().len() as u64
    };
    let full = "409 history_full";
    for (task, expected) in [
        (with(limits::TASK_DEEDS - 1, 0), "ok"),
        (with(limits::TASK_DEEDS, 0), full),
        (with(5, limits::TASK_BYTES - size), "ok"),
        (with(5, limits::TASK_BYTES - size + 1), full),
    ] {
        assert_eq!(answer(task.as_ref(), call(), &operator()), expected);
    }
}

#[test]
fn identifiers_of_one_kind_are_not_those_of_another() {
    // Guards the helpers above: three ids that differ, so that a mixed-up field shows.
    let ids = [
        "0198a1c2-0000-7000-8000-00000000000a"
            .parse::<AcceptanceId>()
            .unwrap()
            .to_string(),
        "0198a1c2-0000-7000-8000-00000000000c"
            .parse::<CompletionId>()
            .unwrap()
            .to_string(),
        "0198a1c2-0000-7000-8000-000000000004"
            .parse::<HandoffId>()
            .unwrap()
            .to_string(),
    ];
    for (command, id) in [
        (accept("alice"), &ids[0]),
        (complete("alice", "reported", None), &ids[1]),
        (handoff("alice", "bob"), &ids[2]),
    ] {
        let prefix = [create("alice", false), accept("alice")];
        let task = after(
            &prefix[..if matches!(command, Command::AcceptTask { .. }) {
                1
            } else {
                2
            }],
        );
        let deed = ask(task.as_ref(), command, &operator(), at(9_000)).unwrap();
        assert_eq!(deed.to_stored().body["id"], **id);
    }
}
