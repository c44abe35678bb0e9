//! Memories and spaces at the command line.

use std::fs;

use serde_json::Value;

use crate::common::{Home, redacted};

fn with_people() -> Home {
    let home = Home::new();
    for actor in ["alice", "codex"] {
        home.run(&["actor", "add", actor, "--kind", "agent"])
            .expect(0);
    }
    home.run(&[
        "space", "new", "atlas", "--owner", "alice", "--name", "Atlas",
    ])
    .expect(0);
    home.run(&["space", "member", "add", "atlas", "codex"])
        .expect(0);
    home
}

fn id(of: &Value) -> String {
    of["id"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_remembered_is_recalled_changed_and_forgotten() {
    let home = with_people();
    let words = "We deploy on Thursdays.\n\u{1b}[2J\u{202e}Not on Fridays.";
    let refused = home
        .run(&["memory", "remember", words, "--as", "alice"])
        .expect(2);
    assert!(refused.err.contains("control character"), "{}", refused.err);
    let remember = [
        "memory",
        "remember",
        "-",
        "--as",
        "alice",
        "--space",
        "atlas",
        "--kind",
        "decision",
        "--semantic-key",
        "deploy day",
        "--tag",
        "release",
        "--path",
        "projects/atlas",
    ];
    let done = home
        .run_with(
            &remember,
            &[],
            "We deploy on Thursdays.\nNot on Fridays \u{202e}.\n",
        )
        .expect(0);
    insta::assert_snapshot!(redacted(&done.out, &home), @"Remembered as memory TASK in atlas.");
    let found = home
        .run(&[
            "memory", "recall", "when", "do", "we", "deploy", "--space", "atlas",
        ])
        .expect(0);
    insta::assert_snapshot!(redacted(&found.out, &home), @r#"
    TASK decision in atlas as "deploy day" at projects/atlas
      We deploy on Thursdays.
      Not on Fridays ⟨U+202E⟩.
      #release
      by alice (asserted), MOMENT
      found for deploy in its words; deploy in its key
    "#);
    let found = home.json(&["memory", "recall", "deploy", "--space", "atlas"]);
    let memory = &found["memories"][0]["memory"];
    let id = id(memory);
    let again = home.run(&[
        "memory",
        "remember",
        "We deploy on Mondays.",
        "--as",
        "codex",
        "--space",
        "atlas",
        "--kind",
        "decision",
        "--semantic-key",
        "deploy day",
    ]);
    let again = again.expect(0);
    insta::assert_snapshot!(redacted(&again.out, &home), @"Revised memory TASK in atlas: content, tags, path. It is version 2.");
    let todo = home.json(&[
        "memory",
        "remember",
        "Rotate the keys",
        "--as",
        "codex",
        "--kind",
        "todo",
    ]);
    home.run(&[
        "memory",
        "update",
        &self::id(&todo),
        "--as",
        "codex",
        "--done",
    ])
    .expect(0);
    let listed = home.run(&["memory", "list", "--of", "codex"]).expect(0);
    insta::assert_snapshot!(redacted(&listed.out, &home), @r"
    TASK todo (done) in personal:codex
      Rotate the keys
      by codex (asserted), MOMENT; changed by codex (asserted), MOMENT
    ");
    home.run(&["memory", "forget", &id, "--as", "alice"])
        .expect(0);
    let nothing = home
        .run(&["memory", "recall", "deploy", "--space", "atlas"])
        .expect(0);
    assert_eq!(nothing.out, "Nothing was found.\n");
    let redact = home
        .run(&[
            "memory",
            "forget",
            &id,
            "--redact",
            "--reason",
            "on request",
        ])
        .expect(0);
    insta::assert_snapshot!(redacted(&redact.out, &home), @"Redacted memory TASK. The words of all its versions are gone.");
    let shown = home.run(&["memory", "show", &id]).expect(0);
    assert!(!shown.out.contains("deploy on"), "{}", shown.out);
    assert!(shown.out.contains("because: on request"), "{}", shown.out);
    let again = home
        .run(&["memory", "forget", &id, "--redact", "--json"])
        .expect(1);
    assert_eq!(again.error()["code"], "memory_redacted");
    home.run(&["ledger", "check"]).expect(0);
}

#[test]
fn a_page_says_how_the_next_one_is_asked_for() {
    let home = with_people();
    for n in 0..3 {
        home.run(&["memory", "remember", &format!("note {n}"), "--as", "alice"])
            .expect(0);
    }
    let first = home
        .run(&["memory", "list", "--of", "alice", "--limit", "2"])
        .expect(0);
    let more = first
        .out
        .lines()
        .last()
        .unwrap()
        .strip_prefix("More: deedbox ")
        .unwrap();
    let more: Vec<&str> = more.split(' ').collect();
    let second = home.run(&more).expect(0);
    assert!(
        second.out.contains("note 0") && !second.out.contains("note 1"),
        "{}",
        second.out
    );
    let spaces = home.run(&["space", "list"]).expect(0);
    insta::assert_snapshot!(spaces.out, @r"
    SPACE  NAME   OWNER  MEMBERS
    atlas  Atlas  alice  2
    ");
    let shown = home.run(&["space", "show", "atlas"]).expect(0);
    assert!(
        shown.out.contains("members   alice, codex"),
        "{}",
        shown.out
    );
    home.run(&["space", "member", "remove", "atlas", "codex"])
        .expect(0);
    let refused = home
        .run(&["space", "member", "remove", "atlas", "alice", "--json"])
        .expect(1);
    assert_eq!(refused.error()["code"], "owner_stays");
    for wrong in [
        &["memory", "remember", "no space"][..],
        &["memory", "recall", "no space"],
        &[
            "memory",
            "forget",
            "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b",
            "--reason",
            "why",
        ],
        &["space", "delete-rows", "atlas"],
    ] {
        home.run(wrong).expect(2);
    }
}

#[test]
fn an_export_is_whole_goes_on_and_is_imported_once() {
    let home = with_people();
    for n in 0..5 {
        let note = format!("note {n} of the quokka");
        home.run(&[
            "memory", "remember", &note, "--as", "codex", "--space", "atlas",
        ])
        .expect(0);
    }
    let gone = home.json(&[
        "memory", "remember", "gone", "--as", "codex", "--space", "atlas",
    ]);
    home.run(&["memory", "forget", &id(&gone)]).expect(0);
    let export = ["memory", "export", "atlas.jsonl", "--space", "atlas"];
    let done = home.json(&export);
    assert_eq!(done["versions"], 7);
    let file = home.path().join("atlas.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines.len(), 9);
    let manifest: Value = serde_json::from_str(lines[0]).unwrap();
    assert_eq!(manifest["format"], "deedbox.memories.v1");
    assert_eq!(
        (&manifest["space"], &manifest["versions"]),
        (&"atlas".into(), &7.into())
    );
    home.run(&export).expect(2);

    // What broke off in the middle of a line goes on with the memory before.
    let part = home.path().join("second.jsonl.part");
    let broken = format!("{}\n{}\n{}", lines[1], lines[2], &lines[3][..40]);
    fs::write(&part, broken).unwrap();
    let second = ["memory", "export", "second.jsonl", "--space", "atlas"];
    let refused = home.run(&second).expect(2);
    assert!(refused.err.contains("--resume"), "{}", refused.err);
    home.run(&[&second[..], &["--resume"]].concat()).expect(0);
    let again = fs::read_to_string(home.path().join("second.jsonl")).unwrap();
    let again: Vec<&str> = again.lines().collect();
    assert_eq!(again[1..8], lines[1..8]);
    assert!(!part.exists());

    home.run(&["space", "new", "copy", "--owner", "codex"])
        .expect(0);
    let import = ["memory", "import", "atlas.jsonl", "--space", "copy"];
    let dry = home.json(&[&import[..], &["--dry-run"]].concat());
    assert_eq!(dry["outcomes"]["remembered"], 5, "{dry}");
    assert_eq!(
        home.json(&["space", "show", "copy"])["usage"]["memories"],
        0
    );
    let done = home.run(&import).expect(0);
    insta::assert_snapshot!(done.out, @r"
    7 versions of memories of atlas into copy:
      2 not live
      5 remembered
    ");
    assert_eq!(home.json(&import)["outcomes"]["there_already"], 5);
    assert_eq!(
        home.json(&["space", "show", "copy"])["usage"]["memories"],
        5
    );

    // Nothing is taken of a file that is not whole.
    for (name, damaged) in [
        ("cut", lines[..8].join("\n") + "\n"),
        ("changed", whole.replace("note 3", "note 4")),
        ("empty", String::new()),
        (
            "other",
            "{\"format\":\"deedbox.evidence.v1\",\"evidence\":[]}\n".to_owned(),
        ),
    ] {
        fs::write(home.path().join(name), damaged).unwrap();
        let refused = home
            .run(&["memory", "import", name, "--space", "copy", "--json"])
            .expect(2);
        assert_eq!(refused.error()["code"], "cannot_read", "{name}");
    }
    home.run(&["ledger", "check"]).expect(0);
}

#[test]
fn one_persons_rows_go_with_a_report_and_the_ledger_is_whole() {
    let home = with_people();
    for (actor, note) in [
        ("codex", "a secret"),
        ("codex", "another secret"),
        ("alice", "stays"),
    ] {
        home.run(&[
            "memory", "remember", note, "--as", actor, "--space", "atlas",
        ])
        .expect(0);
    }
    home.run(&["memory", "recall", "secret", "--space", "atlas"])
        .expect(0);
    let delete = [
        "space",
        "delete-rows",
        "atlas",
        "--actor",
        "codex",
        "--redact",
        "--reason",
        "on request",
    ];
    let dry = home.run(&[&delete[..], &["--dry-run"]].concat()).expect(0);
    assert!(
        dry.out
            .ends_with("2 of 3 memories of atlas would be deleted so. Nothing was done.\n"),
        "{}",
        dry.out
    );
    let report = home.json(&delete);
    assert_eq!(report["rows"].as_array().unwrap().len(), 2);
    let none = home.run(&delete).expect(0);
    assert_eq!(
        none.out,
        "Looked at 3 memories of atlas: nothing is to be deleted.\n"
    );
    home.run(&["ledger", "check"]).expect(0);
    let files = fs::read(home.database()).unwrap();
    assert!(!String::from_utf8_lossy(&files).contains("another secret"));
    let review = home
        .run(&["memory", "review", "--space", "atlas"])
        .expect(0);
    assert!(
        review.out.starts_with(
            "atlas: 1 live memories, of which 0 have expired; 0 forgotten, 2 redacted.\n"
        ),
        "{}",
        review.out
    );
    let audit = home.json(&["memory", "audit", "--space", "atlas"]);
    assert_eq!(audit["entries"].as_array().unwrap().len(), 2);
    assert_eq!(audit["entries"][0]["source"]["principal"], "local");
    let changes = home
        .run(&["memory", "audit", "--space", "atlas", "--changes"])
        .expect(0);
    assert!(changes.out.contains("redacted"), "{}", changes.out);
}
