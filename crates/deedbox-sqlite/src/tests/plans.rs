//! Each statement finds its rows by an index, and never by reading a table from end to end.

use deedbox_core::{ChainAccount, Command, PublicationId, World as _};
use deedbox_store::{Store as _, story};
use sqlx::{AssertSqlSafe, Row as _};

use super::{Place, account, done, sql};

/// Steps that read all of something because all of it is the answer, or because it is the statement's own input.
const WHOLE: [&str; 7] = [
    "SCAN member VIRTUAL TABLE", // the members that the caller gave
    "SCAN wanted VIRTUAL TABLE", // the ids that the caller gave
    "SCAN json_each VIRTUAL TABLE",
    "SCAN (subquery-", // the rows that the caller gave
    "SCAN 2 CONSTANT ROW",
    "SCAN keys USING INDEX keys_by_age", // the list of all keys, in its order
    "SCAN keys USING INDEX keys_operator", // an index of nothing but what is asked for
];

fn is_whole(step: &str) -> bool {
    // The index of words, asked for words.
    let is_match = step.starts_with("SCAN w VIRTUAL TABLE INDEX ") && step.contains(":M");
    is_match || WHOLE.iter().any(|whole| step.starts_with(whole))
}

async fn plan(place: &Place, statement: &str) -> Vec<String> {
    let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
    let mut connection = crate::open::writing(&place.path()).await.unwrap();
    sqlx::query(explain)
        .fetch_all(&mut connection)
        .await
        .unwrap()
        .iter()
        .map(|row| row.get::<String, _>("detail"))
        .collect()
}

#[tokio::test]
async fn no_statement_reads_a_table_from_end_to_end() {
    let place = Place::new();
    let store = place.with_alice().await;
    for i in 0..50 {
        let (task, create) = place.create(&format!("Task {i}"));
        done(&store, create).await;
        if i % 2 == 0 {
            done(&store, place.accept(task)).await;
        }
    }
    for nonce in 0..50 {
        let of = ChainAccount {
            chain_id: 1 + nonce,
            ..account()
        };
        let id = PublicationId(place.world.uuid());
        let attempt = story::signed(of, nonce, 1_000, b"call");
        done(&store, Command::SignPublication { id, attempt }).await;
    }
    let mut seen = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/queries")).unwrap() {
        let path = entry.unwrap().path();
        let plan = plan(&place, &std::fs::read_to_string(&path).unwrap()).await;
        for step in &plan {
            let scans = step.starts_with("SCAN") && !is_whole(step);
            let sorts = step.contains("USE TEMP B-TREE");
            assert!(!scans && !sorts, "{}: {plan:?}", path.display());
        }
        seen += 1;
    }
    assert!(seen > 20, "only {seen} statements were found");
}

#[tokio::test]
async fn a_scan_would_be_found() {
    let place = Place::new();
    place.with_alice().await;
    for (statement, finding) in [
        ("SELECT * FROM deeds WHERE kind = 'x'", "SCAN deeds"),
        (
            "SELECT * FROM tasks WHERE owner = 'x' ORDER BY id DESC",
            "SCAN tasks",
        ),
    ] {
        let plan = plan(&place, statement).await;
        assert!(plan[0].starts_with(finding), "{plan:?}");
        assert!(!is_whole(&plan[0]));
    }
}

#[tokio::test]
async fn deeds_can_be_appended_and_nothing_else() {
    let place = Place::new();
    place.with_alice().await.close().await;
    let mut stranger = place.stranger().await;
    for statement in [
        "UPDATE deeds SET principal = 'somebody else'",
        "UPDATE OR IGNORE deeds SET version = 2",
        "DELETE FROM deeds",
        "INSERT OR REPLACE INTO deeds SELECT * FROM deeds",
        "REPLACE INTO deeds SELECT seq + 1, stream, version, kind, body, at, principal, basis, agent_label,
             instance_hash, previous, hash FROM deeds",
    ] {
        let error = sql(&mut stranger, statement).await.unwrap_err();
        assert!(error.to_string().contains("append-only"), "{statement}: {error}");
    }
}
