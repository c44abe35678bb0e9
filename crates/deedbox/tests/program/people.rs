//! Actors, keys and tasks at the command line.

use crate::common::{Home, redacted};
use serde_json::{Value, json};

fn with_actors() -> Home {
    let home = Home::new();
    home.run(&[
        "actor", "add", "alice", "--kind", "human", "--name", "Alice",
    ])
    .expect(0);
    home.run(&["actor", "add", "codex", "--kind", "agent"])
        .expect(0);
    home
}

fn task(home: &Home, title: &str) -> String {
    let task = home.json(&["task", "create", title, "--as", "alice"]);
    task["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_whole_life_is_drawn_as_a_timeline() {
    let home = with_actors();
    let create = [
        "task",
        "create",
        "Check the rollback plan",
        "--as",
        "alice",
        "--description",
        "-",
        "--authority-scope",
        "on call",
    ];
    let done = home
        .run_with(
            &create,
            &[],
            "Restore the backup of last night.\nTime it.\n",
        )
        .expect(0);
    insta::assert_snapshot!(redacted(&done.out, &home), @r#"
    Created task TASK. Nobody owns it until somebody accepts it:
      deedbox task accept TASK --as ACTOR
    "#);
    let listed = home.run(&["task", "unaccepted"]).expect(0);
    insta::assert_snapshot!(redacted(&listed.out, &home), @r#"
    TASK                                  TITLE                    STATUS              CREATED BY  CREATED
    TASK  Check the rollback plan  pending_acceptance  alice       MOMENT
    "#);
    let id = home.json(&["task", "unaccepted"])["tasks"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let id = id.as_str();

    home.run(&[
        "task",
        "accept",
        id,
        "--as",
        "codex",
        "--note",
        "starting with staging",
    ])
    .expect(0);
    let report = ["task", "complete", id, "--as", "codex", "--provenance"];
    home.run(
        &[
            &report[..],
            &["reported", "--claim", "The night shift says so"],
        ]
        .concat(),
    )
    .expect(0);
    let done = home
        .run(&[&report[..], &["observed", "--claim", "Seen"]].concat())
        .expect(1);
    assert!(done.err.contains("sourceReference"), "{}", done.err);
    let evidence = [
        "reviewed",
        "--claim",
        "Restored in 4 minutes",
        "--source",
        "https://ci.example.org/17",
    ];
    home.run(&[&report[..], &evidence].concat()).expect(0);
    home.run(&[
        "task",
        "handoff",
        id,
        "--as",
        "codex",
        "--to",
        "alice",
        "--reason",
        "needs a person",
    ])
    .expect(0);
    let done = home.run(&["task", "accept", id, "--as", "alice"]).expect(0);
    insta::assert_snapshot!(redacted(&done.out, &home), @r#"alice accepted task TASK and owns it."#);
    let done = home.run(&["task", "status", id]).expect(0);
    insta::assert_snapshot!(redacted(&done.out, &home), @r#"
    Check the rollback plan
    TASK · accepted · owned by alice

    ○ MOMENT  created by alice  (asserted by local)
    │   Restore the backup of last night.
    │   Time it.
    │   authority: on call
    │
    ● MOMENT  accepted by codex  (asserted by local)
    │   starting with staging
    │
    ✓ MOMENT  reported complete by codex, reported  (asserted by local)
    │   The night shift says so
    │
    ✓ MOMENT  reported complete by codex, reviewed  (asserted by local)
    │   Restored in 4 minutes
    │   source: https://ci.example.org/17
    │
    ⇢ MOMENT  handed off by codex to alice  (asserted by local)
    │   needs a person
    │
    ● MOMENT  accepted by alice  (asserted by local)
    "#);

    let status = home.json(&["task", "status", id]);
    let keys: Vec<&String> = status.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "acceptances",
            "completions",
            "handoffs",
            "latestAcceptance",
            "latestCompletion",
            "task"
        ]
    );
    assert_eq!(
        status["task"]["description"],
        "Restore the backup of last night.\nTime it."
    );
    assert_eq!(status["completions"].as_array().unwrap().len(), 2);
    assert_eq!(status["task"]["currentOwnerActorId"], "alice");
}

#[test]
fn what_strangers_write_cannot_move_the_cursor_or_turn_the_text_around() {
    let home = with_actors();
    let title = "USDC \u{1b}[2J\u{202e}rekcatta\u{2069} \u{200b}".to_owned() + &"x".repeat(200);
    let id = task(&home, &title);
    home.run(&[
        "task",
        "accept",
        &id,
        "--as",
        "codex",
        "--note",
        "\u{1b}]0;owned\u{7}",
    ])
    .expect(0);
    for (arguments, narrow) in [
        (&["task", "status", &id][..], true),
        (&["task", "unaccepted"], true),
    ] {
        let out = home.run(arguments).expect(0).out;
        let hidden =
            |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2069}\u{200b}".contains(c);
        assert!(!out.contains(hidden), "{out:?}");
        assert!(
            !narrow || out.lines().all(|line| line.chars().count() <= 140),
            "{out}"
        );
    }
    let status = home.run(&["task", "status", &id]).expect(0).out;
    assert!(status.contains("⟨U+202E⟩rekcatta"), "{status}");
    // JSON keeps every character, as an escape.
    let json = home.run(&["task", "status", &id, "--json"]).expect(0);
    assert!(json.out.contains("\\u202e") && !json.out.contains('\u{202e}'));
    assert_eq!(json.json()["task"]["title"], title.as_str());
}

#[test]
fn colours_are_for_terminals_only() {
    let home = with_actors();
    let id = task(&home, "Colours");
    let coloured = |variables: &[(&str, &str)]| {
        let out = home
            .run_with(&["task", "status", &id], variables, "")
            .expect(0)
            .out;
        out.contains('\u{1b}')
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn a_long_list_comes_in_pages() {
    let home = with_actors();
    for i in 0..3 {
        task(&home, &format!("Task {i}"));
    }
    let first = home.json(&[
        "task",
        "unaccepted",
        "--limit",
        "2",
        "--injected-by",
        "alice",
    ]);
    assert_eq!(first["tasks"].as_array().unwrap().len(), 2);
    let cursor = first["nextCursor"].as_str().unwrap();
    let arguments = [
        "task",
        "unaccepted",
        "--limit",
        "2",
        "--injected-by",
        "alice",
    ];
    let text = home.run(&arguments).expect(0).out;
    assert!(
        text.contains(&format!("--injected-by alice --limit 2 --cursor {cursor}")),
        "{text}"
    );
    let second = home.json(&[&arguments[..], &["--cursor", cursor]].concat());
    assert_eq!(second["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(second["nextCursor"], Value::Null);
    // The cursor belongs to its filter.
    let foreign = home
        .run(&["task", "unaccepted", "--cursor", cursor, "--json"])
        .expect(2);
    assert_eq!(foreign.error()["code"], "invalid_input");
}

#[test]
fn only_the_recipient_may_accept_when_that_was_asked_for() {
    let home = with_actors();
    let task = home.json(&[
        "task",
        "create",
        "Mine",
        "--as",
        "alice",
        "--recipient-only",
    ]);
    let id = task["id"].as_str().unwrap();
    home.run(&["task", "accept", id, "--as", "alice"]).expect(0);
    home.run(&["task", "handoff", id, "--as", "alice", "--to", "codex"])
        .expect(0);
    let done = home
        .run(&["task", "accept", id, "--as", "alice", "--json"])
        .expect(1);
    assert_eq!(done.error()["code"], "not_recipient");
    home.run(&["task", "accept", id, "--as", "codex"]).expect(0);
}

#[test]
fn a_key_is_shown_once_and_listed_without_its_secret() {
    let home = with_actors();
    let new = [
        "key",
        "new",
        "--actor",
        "codex",
        "--scopes",
        "tasks:read",
        "--expires",
        "30d",
        "--label",
        "lap",
    ];
    let made = home.json(&new);
    let key = made["key"].as_str().unwrap();
    let id = made["id"].as_str().unwrap();
    assert!(key.starts_with(&format!("dbx_{id}_")));
    assert_eq!(made["actor"], "codex");
    assert_eq!(made["scopes"], json!(["tasks:read"]));
    let operator = home.run(&["key", "new", "--operator"]).expect(0);
    insta::assert_snapshot!(redacted(&operator.out, &home), @r#"
    An operator key; it may name any actor, for tasks:read tasks:write chain:read registries:read registries:write memory:read memory:write memory:delete memory:export. Shown once; only its hash is kept:
    KEY
    "#);

    // Whom everybody believes is no actor's business unless somebody says so.
    let usual = home.json(&["key", "new", "--actor", "codex"]);
    let scopes = [
        "tasks:read",
        "tasks:write",
        "chain:read",
        "registries:read",
        "memory:read",
        "memory:write",
        "memory:delete",
    ];
    assert_eq!(usual["scopes"], json!(scopes));

    let listed = home.run(&["key", "list", "--json"]).expect(0);
    assert!(!listed.out.contains(&key[21..]));
    assert_eq!(listed.json().as_array().unwrap().len(), 3);
    let table = redacted(
        &home.run(&["key", "list"]).expect(0).out.replace(id, "ID"),
        &home,
    );
    assert!(
        table.contains("ID") && table.contains("codex") && table.contains("MOMENT"),
        "{table}"
    );

    let revoked = home.json(&["key", "revoke", id]);
    assert_eq!(revoked["id"], id);
    let again = home.run(&["key", "revoke", id, "--json"]).expect(1);
    assert_eq!(again.error()["code"], "key_revoked");
    assert_eq!(
        home.json(&["actor", "show", "codex"])["keys"][0]["state"],
        "revoked"
    );
}

#[test]
fn bad_input_ends_with_2_and_a_refusal_with_1() {
    let home = with_actors();
    let id = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";
    let upper = id.to_uppercase();
    for (arguments, code, named) in [
        (
            &["actor", "add", "a b", "--kind", "human"][..],
            2,
            "bad_argument",
        ),
        (&["actor", "add", "bob", "--kind", "Human"], 2, "bad_usage"),
        (
            &["actor", "add", "bob", "--kind", "human", "--name", ""],
            2,
            "bad_argument",
        ),
        (
            &["actor", "add", "alice", "--kind", "human"],
            1,
            "actor_exists",
        ),
        (&["actor", "show", "bob"], 1, "actor_not_found"),
        (&["key", "new", "--actor", "bob"], 1, "actor_not_found"),
        (
            &["key", "new", "--actor", "codex", "--scopes", "tasks:admin"],
            2,
            "bad_argument",
        ),
        (
            &["key", "new", "--actor", "codex", "--expires", "yesterday"],
            2,
            "bad_argument",
        ),
        (
            &["key", "new", "--actor", "codex", "--operator"],
            2,
            "bad_usage",
        ),
        (&["key", "revoke", "0000000000000000"], 1, "key_not_found"),
        (&["key", "revoke", "dbx_whole"], 2, "bad_argument"),
        (&["task", "status", id], 1, "task_not_found"),
        (&["task", "status", &upper], 2, "bad_argument"),
        (&["task", "create", "", "--as", "alice"], 2, "bad_argument"),
        (
            &["task", "create", "T", "--as", "bob"],
            1,
            "actor_not_found",
        ),
        (&["task", "unaccepted", "--limit", "0"], 2, "bad_argument"),
        (
            &["task", "unaccepted", "--limit", "1001"],
            2,
            "bad_argument",
        ),
        (
            &["task", "unaccepted", "--cursor", "made-up"],
            2,
            "invalid_input",
        ),
        (
            &["task", "accept", id, "--as", "codex"],
            1,
            "task_not_found",
        ),
    ] {
        let done = home.run(&[arguments, &["--json"]].concat()).expect(code);
        assert_eq!(done.error()["code"], named, "{arguments:?}");
        assert_eq!(done.out, "", "{arguments:?}");
        let plain = home.run(arguments).expect(code);
        assert!(plain.err.starts_with("error: "), "{}", plain.err);
    }
    assert_eq!(home.json(&["actor", "list"]).as_array().unwrap().len(), 2);
    assert_eq!(home.json(&["key", "list"]), json!([]));
}

#[test]
fn a_piped_text_over_the_limit_is_refused_whole() {
    let home = with_actors();
    let create = [
        "task",
        "create",
        "Long",
        "--as",
        "alice",
        "--description",
        "-",
        "--json",
    ];
    let done = home.run_with(&create, &[], &"x".repeat(65_537)).expect(2);
    assert!(done.err.contains("too long"), "{}", done.err);
    home.run_with(&create, &[], &"x".repeat(65_536)).expect(0);
}

#[test]
fn reading_where_there_is_no_database_makes_none() {
    let home = Home::new();
    for arguments in [
        &["task", "unaccepted"][..],
        &["ledger", "check"],
        &["key", "list"],
    ] {
        let done = home.run(&[arguments, &["--json"]].concat()).expect(3);
        assert_eq!(done.error()["code"], "no_database");
    }
    assert!(!home.path().join(".local").exists());
}
