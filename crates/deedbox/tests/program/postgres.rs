//! The same commands on PostgreSQL, which `cargo xtask test` installs where it is missing.

use deedbox_neighbours::postgres::Cluster;

use crate::common::Home;

fn cluster() -> Cluster {
    Cluster::for_tests().expect("PostgreSQL is needed; `cargo xtask test` installs it")
}

#[test]
fn replicas_that_start_at_once_show_one_key_between_them() {
    let cluster = cluster();
    let url = cluster.url();
    let home = Home::new();
    let start = || home.serve(&["--database-url", &url], &[]);
    let replicas = std::thread::scope(|scope| {
        let starting = [scope.spawn(start), scope.spawn(start), scope.spawn(start)];
        starting.map(|replica| replica.join().unwrap())
    });
    let keys: Vec<&str> = replicas
        .iter()
        .filter_map(|replica| replica.key())
        .collect();
    assert_eq!(keys.len(), 1, "one key");
    for replica in &replicas {
        assert_eq!(
            replica
                .request("GET /api/tasks/unaccepted", Some(keys[0]), "")
                .0,
            200
        );
    }
    assert!(
        !home.path().join(".local").exists(),
        "a data folder was made for nothing"
    );
    for mut replica in replicas {
        replica.signal("TERM");
        assert!(replica.end().success(), "{}", replica.log);
    }
}

#[test]
fn ledger_check_names_what_was_changed_in_postgres_too() {
    let cluster = cluster();
    let url = cluster.url();
    let home = Home::new();
    let run =
        |arguments: &[&str]| home.run(&[arguments, &["--database-url", &url, "--json"]].concat());
    run(&["actor", "add", "alice", "--kind", "human"]).expect(0);
    let task = run(&["task", "create", "One", "--as", "alice"])
        .expect(0)
        .json();
    let id = task["id"].as_str().unwrap();
    run(&["task", "accept", id, "--as", "alice"]).expect(0);
    let sound = run(&["ledger", "check"]).expect(0).json();
    assert_eq!(
        sound,
        serde_json::json!({"sound": true, "deeds": 3, "streams": 2})
    );

    let faulty = |table: &str, row: &str, fault: &str| {
        let found = run(&["ledger", "check"]).expect(1).json();
        assert_eq!(
            (found["table"].as_str(), found["row"].as_str()),
            (Some(table), Some(row))
        );
        assert!(found["fault"].as_str().unwrap().contains(fault), "{found}");
    };
    let sql = |text: &str| cluster.psql(&url, text).unwrap();
    sql("UPDATE tasks SET owner = NULL");
    faulty(
        "task",
        &format!("task:{id}"),
        "owner is none, should be alice",
    );
    sql("UPDATE tasks SET owner = 'alice'");
    run(&["ledger", "check"]).expect(0);
    sql("ALTER TABLE deeds DISABLE TRIGGER only_added");
    sql("UPDATE deeds SET principal = 'key:0000000000000000' WHERE version = 2");
    faulty(
        "deed",
        &format!("task:{id} version 2"),
        "do not have the hash",
    );
}

#[test]
fn a_postgres_database_of_a_newer_program_is_left_alone() {
    let cluster = cluster();
    let url = cluster.url();
    let home = Home::new();
    let add = [
        "actor",
        "add",
        "alice",
        "--kind",
        "human",
        "--database-url",
        &url,
        "--json",
    ];
    home.run(&add).expect(0);
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (99999999999999, 'later', true, '', 0)";
    cluster.psql(&url, later).unwrap();
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--database-url",
        &url,
        "--json",
    ];
    let done = home.run(&serve).expect(3);
    assert_eq!(done.error()["code"], "database_newer", "{}", done.err);
}

#[test]
fn memories_live_in_postgres_too_and_go_from_one_database_to_the_other() {
    let cluster = cluster();
    let url = cluster.url();
    let (home, other) = (Home::new(), Home::new());
    let run =
        |arguments: &[&str]| home.run(&[arguments, &["--database-url", &url, "--json"]].concat());
    for actor in ["alice", "codex"] {
        run(&["actor", "add", actor, "--kind", "agent"]).expect(0);
        other
            .run(&["actor", "add", actor, "--kind", "agent"])
            .expect(0);
    }
    run(&["space", "new", "atlas", "--owner", "alice"]).expect(0);
    other
        .run(&["space", "new", "atlas", "--owner", "alice"])
        .expect(0);
    let note = [
        "memory",
        "remember",
        "キーは毎月更新する。",
        "--as",
        "codex",
        "--space",
        "atlas",
        "--semantic-key",
        "keys",
    ];
    run(&note).expect(0);
    run(&[
        "memory",
        "remember",
        "The quokka naps.",
        "--as",
        "alice",
        "--space",
        "atlas",
    ])
    .expect(0);
    let found = run(&["memory", "recall", "キーの更新", "--space", "atlas"])
        .expect(0)
        .json();
    assert_eq!(found["memories"][0]["memory"]["semantic_key"], "keys");
    let file = home.path().join("atlas.jsonl");
    let file = file.to_str().unwrap();
    let done = run(&["memory", "export", file, "--space", "atlas"])
        .expect(0)
        .json();
    assert_eq!(done["versions"], 2);
    for taken in ["remembered", "there_already"] {
        let imported = other.json(&["memory", "import", file, "--space", "atlas"]);
        assert_eq!(imported["outcomes"][taken], 2, "{imported}");
    }
    let report = run(&[
        "space",
        "delete-rows",
        "atlas",
        "--actor",
        "codex",
        "--redact",
    ])
    .expect(0)
    .json();
    assert_eq!(report["rows"].as_array().map(Vec::len), Some(1));
    let review = run(&["memory", "review", "--space", "atlas"])
        .expect(0)
        .json();
    assert_eq!(
        (&review["live"], &review["redacted"]),
        (&1.into(), &1.into())
    );
    let audit = run(&["memory", "audit", "--space", "atlas", "--changes"])
        .expect(0)
        .json();
    assert_eq!(audit["entries"].as_array().map(Vec::len), Some(3));
    // What went here is not brought back, not even from its own export.
    let back = run(&["memory", "import", file, "--space", "atlas"])
        .expect(0)
        .json();
    assert_eq!(back["outcomes"]["there_already"], 2, "{back}");
    run(&["ledger", "check"]).expect(0);
    other.run(&["ledger", "check"]).expect(0);
}
