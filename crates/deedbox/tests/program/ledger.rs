//! `deedbox ledger check` finds what was changed behind the program's back.

use crate::common::Home;
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};

struct Ledger {
    home: Home,
    task: String,
    other: String,
}

/// Two actors, one key, two tasks, one of them accepted and completed.
fn ledger() -> Ledger {
    let home = Home::new();
    home.run(&["actor", "add", "alice", "--kind", "human"])
        .expect(0);
    home.run(&["actor", "add", "codex", "--kind", "agent"])
        .expect(0);
    home.run(&["key", "new", "--actor", "codex"]).expect(0);
    let create = |title| {
        let task = home.json(&["task", "create", title, "--as", "alice"]);
        task["id"].as_str().unwrap().to_owned()
    };
    let (task, other) = (create("One"), create("Two"));
    home.run(&["task", "accept", &task, "--as", "codex"])
        .expect(0);
    let claim = ["--provenance", "observed", "--claim", "Done"];
    home.run(&[&["task", "complete", &task, "--as", "codex"], &claim[..]].concat())
        .expect(0);
    home.run(&["ledger", "check"]).expect(0);
    Ledger { home, task, other }
}

impl Ledger {
    /// Runs statements on the database as somebody would who has its file: the guards go first.
    fn tamper(&self, statements: &[&str]) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let options = SqliteConnectOptions::new()
                .filename(self.home.database())
                .foreign_keys(false);
            let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
            let guards = [
                "DROP TRIGGER deeds_refuse_update",
                "DROP TRIGGER deeds_refuse_delete",
                "DROP TRIGGER deeds_refuse_replace",
            ];
            let mut changed = 0;
            for statement in guards {
                sqlx::query(statement)
                    .execute(&mut connection)
                    .await
                    .unwrap();
            }
            for statement in statements {
                let statement = sqlx::AssertSqlSafe((*statement).to_owned());
                changed += sqlx::query(statement)
                    .execute(&mut connection)
                    .await
                    .unwrap()
                    .rows_affected();
            }
            assert!(changed > 0, "nothing was changed: {statements:?}");
            connection.close().await.unwrap();
        });
    }

    /// Checks, and expects this row to be named.
    fn expect(&self, table: &str, row: &str, fault: &str) {
        let found = self
            .home
            .run(&["ledger", "check", "--json"])
            .expect(1)
            .json();
        assert_eq!(found["sound"], false);
        assert_eq!(
            (found["table"].as_str(), found["row"].as_str()),
            (Some(table), Some(row)),
            "{found}"
        );
        assert!(found["fault"].as_str().unwrap().contains(fault), "{found}");
        let text = self.home.run(&["ledger", "check"]).expect(1).out;
        let table = if table == "deed" { table } else { "row of" };
        assert!(text.contains(&format!("Fault: {table} {row}: ")), "{text}");
    }
}

#[test]
fn a_sound_ledger_is_counted() {
    let ledger = ledger();
    let sound = ledger.home.json(&["ledger", "check"]);
    assert_eq!(
        sound,
        serde_json::json!({"sound": true, "deeds": 7, "streams": 5})
    );
}

#[test]
fn a_changed_body_is_found() {
    let ledger = ledger();
    let stream = format!("task:{}", ledger.task);
    ledger.tamper(&[&format!(
        "UPDATE deeds SET body = json_set(body, '$.claimText', 'Not done') WHERE stream = '{stream}' AND version = 3"
    )]);
    ledger.expect(
        "deed",
        &format!("{stream} version 3"),
        "do not have the hash",
    );
}

#[test]
fn a_body_that_reads_the_same_but_is_other_text_is_found() {
    let ledger = ledger();
    let stream = format!("task:{}", ledger.task);
    // The last of two equal names wins when it is read, so the hash is right.
    ledger.tamper(&[&format!(
        r#"UPDATE deeds SET body = replace(body, '{{"', '{{"claimText":"Not done","') WHERE stream = '{stream}' AND version = 3"#
    )]);
    ledger.expect("deed", &format!("{stream} version 3"), "canonical");
}

#[test]
fn a_changed_owner_is_found() {
    let ledger = ledger();
    ledger.tamper(&[&format!(
        "UPDATE tasks SET owner = 'alice' WHERE id = '{}'",
        ledger.task
    )]);
    ledger.expect("task", &format!("task:{}", ledger.task), "owner is");
}

#[test]
fn a_deed_missing_in_the_middle_is_found_at_the_one_after_it() {
    let ledger = ledger();
    let stream = format!("task:{}", ledger.task);
    ledger.tamper(&[&format!(
        "DELETE FROM deeds WHERE stream = '{stream}' AND version = 2"
    )]);
    ledger.expect("deed", &format!("{stream} version 3"), "missing or doubled");
}

#[test]
fn a_deed_missing_at_the_end_is_found_by_its_projection() {
    let ledger = ledger();
    let stream = format!("task:{}", ledger.task);
    ledger.tamper(&[&format!(
        "DELETE FROM deeds WHERE stream = '{stream}' AND version = 3"
    )]);
    ledger.expect("task", &stream, "version is 3, should be 2");
}

#[test]
fn a_missing_projection_row_is_found() {
    let ledger = ledger();
    ledger.tamper(&[&format!("DELETE FROM tasks WHERE id = '{}'", ledger.other)]);
    ledger.expect("task", &format!("task:{}", ledger.other), "row is missing");
}

#[test]
fn a_projection_row_without_deeds_is_found() {
    let ledger = ledger();
    ledger.tamper(&[
        "INSERT INTO actors SELECT 'mallory', version, head_hash, head_at, kind, name, created_at FROM actors WHERE id = 'alice'",
    ]);
    ledger.expect("actor", "actor:mallory", "no deeds");
}

#[test]
fn a_changed_key_hash_is_found() {
    let ledger = ledger();
    let key = ledger.home.json(&["key", "list"])[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    ledger.tamper(&["UPDATE keys SET secret_hash = zeroblob(32)"]);
    ledger.expect("key", &format!("key:{key}"), "secret hash is");
}

#[test]
fn a_revoked_key_that_was_revived_is_found() {
    let ledger = ledger();
    let key = ledger.home.json(&["key", "list"])[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    ledger.home.run(&["key", "revoke", &key]).expect(0);
    ledger.tamper(&["UPDATE keys SET revoked_at = NULL"]);
    ledger.expect("key", &format!("key:{key}"), "revoked at is");
}

#[test]
fn a_row_that_cannot_be_read_is_named() {
    let ledger = ledger();
    ledger.tamper(&["UPDATE actors SET kind = 'ghost' WHERE id = 'codex'"]);
    ledger.expect("actor", "actor:codex", "cannot be read");
}

/// Rightly hashed and chained, and still no deed of this protocol: nobody may accept what somebody owns.
#[test]
fn a_forged_acceptance_of_an_owned_task_is_found() {
    use deedbox_core::{
        AcceptanceId, Attribution, Body, Deed, Head, Principal, Timestamp, deed::Authorship,
    };
    let ledger = ledger();
    let stream = format!("task:{}", ledger.task);
    let status = ledger.home.json(&["task", "status", &ledger.task]);
    let last = &status["latestCompletion"];
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let head = Head {
        version: 3,
        hash: text(&last["attribution"]["hash"]).parse().unwrap(),
        at: Timestamp::parse(&text(&last["reportedAt"])).unwrap(),
    };
    let body = Body::TaskAccepted {
        id: text(&last["id"]).parse::<AcceptanceId>().unwrap(),
        actor_id: "alice".parse().unwrap(),
        context_note: None,
    };
    let by = Authorship::from(&Attribution::of(Principal::local()));
    let deed = Deed::seal(stream.parse().unwrap(), Some(&head), body, by, head.at).to_stored();
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    ledger.tamper(&[&format!(
        "INSERT INTO deeds (stream, version, kind, body, at, principal, basis, previous, hash)
         VALUES ('{stream}', 4, '{}', '{}', {}, '{}', '{}', x'{}', x'{}')",
        deed.kind,
        deed.canonical_body(),
        deed.at.as_millis(),
        deed.principal,
        deed.basis,
        hex(deed.previous.as_ref().unwrap()),
        hex(&deed.hash),
    )]);
    ledger.expect(
        "deed",
        &format!("{stream} version 4"),
        "the rules do not lead to it",
    );
}

#[test]
fn a_deed_whose_columns_cannot_be_read_is_a_fault_and_not_a_failure() {
    let ledger = ledger();
    ledger.tamper(&["UPDATE deeds SET at = 9000000000000000000 WHERE stream = 'actor:codex'"]);
    let found = ledger
        .home
        .run(&["ledger", "check", "--json"])
        .expect(1)
        .json();
    assert_eq!(found["sound"], false, "{found}");
}

#[test]
fn a_database_of_a_newer_program_is_left_alone() {
    let ledger = ledger();
    ledger.tamper(&[
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99999999999999, 'later', 1, x'00', 0)",
    ]);
    for arguments in [
        &["ledger", "check"][..],
        &["serve", "--listen", "127.0.0.1:0"],
        &["task", "unaccepted"],
    ] {
        let done = ledger
            .home
            .run(&[arguments, &["--json"]].concat())
            .expect(3);
        assert_eq!(done.error()["code"], "database_newer", "{}", done.err);
        let text = done.error()["error"].as_str().unwrap().to_owned();
        assert!(
            text.contains("newer than this program") && text.contains("99999999999999"),
            "{text}"
        );
    }
}
