//! Somebody with an SQL prompt changes what they may not. It is found, and it hurts only what they changed.

use deedbox_core::{
    ClaimProvenance, Command, CompletionId, EvidenceId, World as _,
    text::{ClaimText, SourceReference},
};
use deedbox_store::{Store as _, StoreError, ledger, story};

use super::{Place, account, actor, by_operator, done, sql};
use crate::SqliteStore;

async fn fault(store: &SqliteStore) -> (&'static str, String) {
    let mut snapshot = store.snapshot().await.unwrap();
    let fault = ledger::check(&mut *snapshot, |_| {}).await.unwrap();
    let fault = fault.unwrap_err();
    (fault.table, fault.row)
}

#[tokio::test]
async fn a_changed_projection_is_found_by_its_name() {
    for (change, table) in [
        (
            "UPDATE tasks SET owner = 'alice' WHERE owner IS NULL",
            "task",
        ),
        (
            "UPDATE tasks SET bytes = bytes + 1 WHERE owner IS NULL",
            "task",
        ),
        (
            "UPDATE tasks SET status = 'finished' WHERE owner IS NULL",
            "task",
        ),
        ("DELETE FROM tasks WHERE owner IS NULL", "task"),
        ("UPDATE actors SET name = 'Mallory'", "actor"),
        (
            "INSERT INTO actors SELECT 'mallory', version, head_hash, head_at, kind, name, created_at FROM actors",
            "actor",
        ),
    ] {
        let place = Place::new();
        let store = place.with_alice().await;
        let (taken, create) = place.create("Taken");
        done(&store, create).await;
        done(&store, place.accept(taken)).await;
        let (free, create) = place.create("Free");
        done(&store, create).await;
        sql(&mut place.stranger().await, change).await.unwrap();
        let (found, row) = fault(&store).await;
        assert_eq!(found, table, "{change}");
        if table == "task" {
            assert_eq!(row, format!("task:{free}"), "{change}");
        }
    }
}

#[tokio::test]
async fn changed_evidence_is_found() {
    for (change, table) in [
        ("UPDATE evidence SET block_number = block_number + 1", "evidence"),
        ("UPDATE evidence SET chain_id = 10", "evidence"),
        ("UPDATE evidence SET digest = zeroblob(32)", "evidence"),
        ("UPDATE evidence SET tool = 'Not A Tool'", "evidence"),
        ("UPDATE evidence SET task = (SELECT id FROM tasks)", "evidence"),
        ("DELETE FROM evidence", "evidence"),
        (
            "DROP TRIGGER deeds_refuse_update; UPDATE deeds SET body = json_set(body, '$.data.raw_amount', '8')
             WHERE kind = 'reading_recorded'",
            "deed",
        ),
    ] {
        let place = Place::new();
        let store = place.with_alice().await;
        let (_, create) = place.create("Read something");
        done(&store, create).await;
        let (id, record) = place.record("7");
        done(&store, record).await;
        for one in change.split("; ") {
            sql(&mut place.stranger().await, one).await.unwrap();
        }
        let (found, row) = fault(&store).await;
        assert_eq!(found, table, "{change}");
        assert!(row.starts_with(&format!("evidence:{id}")), "{change}: {row}");
        if table == "deed" {
            refuses_to_open(&store, id).await;
        }
    }
}

#[tokio::test]
async fn a_changed_publication_is_found() {
    for (change, table) in [
        ("UPDATE publications SET status = 'replaced'", "publication"),
        ("UPDATE publications SET status = 'given up'", "publication"),
        ("UPDATE publications SET nonce = nonce + 1", "publication"),
        ("UPDATE publications SET recipient = NULL", "publication"),
        ("UPDATE publications SET max_fee_per_gas = '01'", "publication"),
        ("UPDATE publications SET attempts = '[]'", "publication"),
        ("DELETE FROM publications", "publication"),
        (
            "DROP TRIGGER deeds_refuse_update; UPDATE deeds SET body = json_set(body, '$.raw_transaction', '0x02')
             WHERE kind = 'publication_signed'",
            "deed",
        ),
    ] {
        let place = Place::new();
        let store = place.open().await;
        let (id, sign) = place.publish(0);
        done(&store, sign).await;
        for one in change.split("; ") {
            sql(&mut place.stranger().await, one).await.unwrap();
        }
        let (found, row) = fault(&store).await;
        assert_eq!(found, table, "{change}");
        assert!(row.starts_with(&format!("publication:{id}")), "{change}: {row}");
    }
}

#[tokio::test]
async fn a_changed_decision_about_a_registry_is_found() {
    for (change, table) in [
        ("UPDATE registry_decisions SET trust = 'trusted'", "registry"),
        ("UPDATE registry_decisions SET trust = 'adored'", "registry"),
        ("UPDATE registry_decisions SET followed = 0", "registry"),
        ("UPDATE registry_decisions SET from_block = from_block + 1", "registry"),
        ("UPDATE registry_decisions SET standard = 'erc8122'", "registry"),
        ("UPDATE registry_decisions SET label = 'Public'", "registry"),
        ("UPDATE registry_decisions SET pins = '{}'", "registry"),
        ("UPDATE registry_decisions SET pins = replace(pins, '0101', '0102')", "registry"),
        ("UPDATE registry_decisions SET seen = json_set(seen, '$.implementation', null)", "registry"),
        ("UPDATE registry_decisions SET seen = '{}'", "registry"),
        ("UPDATE registry_decisions SET followed_at = followed_at + 1", "registry"),
        ("DELETE FROM registry_decisions", "registry"),
        (
            "DROP TRIGGER deeds_refuse_update; UPDATE deeds SET body = json_set(body, '$.toolId', '8')
             WHERE kind = 'tool_pinned'",
            "deed",
        ),
    ] {
        let place = Place::new();
        let store = place.open().await;
        let id = story::registry(8_453, 1);
        done(&store, story::follow(id)).await;
        done(&store, story::pin(id, "7", 1)).await;
        for one in change.split("; ") {
            sql(&mut place.stranger().await, one).await.unwrap();
        }
        let (found, row) = fault(&store).await;
        assert_eq!(found, table, "{change}");
        assert!(row.starts_with(&format!("registry:{id}")), "{change}: {row}");
    }
}

/// Whatever it would have sent: the bytes on record are what `resume` sends.
#[tokio::test]
async fn nothing_is_done_with_a_publication_that_was_changed() {
    for change in [
        "UPDATE publications SET status = 'replaced'",
        "UPDATE publications SET nonce = nonce + 1",
        "UPDATE publications SET chain_id = 1",
        "UPDATE publications SET recipient = NULL",
        "UPDATE publications SET call = zeroblob(32)",
        "UPDATE publications SET max_fee_per_gas = '1'",
        "UPDATE publications SET attempts = '[]'",
        "UPDATE publications SET version = version + 1",
        "DELETE FROM publications",
        "DROP TRIGGER deeds_refuse_update; UPDATE deeds SET body = json_set(body, '$.nonce', 9)",
        "DROP TRIGGER deeds_refuse_update; UPDATE deeds SET body = json_set(body, '$.raw_transaction', '0x02')",
        "DROP TRIGGER deeds_refuse_update; UPDATE deeds SET hash = zeroblob(32)",
        "DROP TRIGGER deeds_refuse_delete; DELETE FROM deeds",
    ] {
        let place = Place::new();
        let store = place.open().await;
        let (id, sign) = place.publish(0);
        done(&store, sign).await;
        let attempt = story::signed(account(), 0, 1_000, b"call");
        for one in change.split("; ") {
            sql(&mut place.stranger().await, one).await.unwrap();
        }
        println!("{change}");
        story::refuses_an_altered_publication(&store, id, &attempt).await;
    }
}

/// Its row says open once more, and its deeds that it is settled: it would be sent again.
#[tokio::test]
async fn a_row_that_is_set_back_is_not_believed() {
    let place = Place::new();
    let store = place.open().await;
    let (id, sign) = place.publish(0);
    done(&store, sign).await;
    let mut stranger = place.stranger().await;
    sql(
        &mut stranger,
        "CREATE TABLE before AS SELECT * FROM publications",
    )
    .await
    .unwrap();
    let attempt = story::signed(account(), 0, 1_000, b"call");
    let settlement = story::included(&attempt, 10, true);
    done(&store, Command::SettlePublication { id, settlement }).await;
    let set_back = "DELETE FROM publications; INSERT INTO publications SELECT * FROM before";
    for one in set_back.split("; ") {
        sql(&mut stranger, one).await.unwrap();
    }
    story::refuses_an_altered_publication(&store, id, &attempt).await;
    let open = store.open_publication(account()).await;
    assert!(matches!(open, Err(StoreError::Altered { .. })), "{open:?}");
    // Neither is it a reason to refuse anything else by name: whoever signs next hears what is wrong.
    let (_, next) = place.publish(1);
    let next = store.execute(by_operator(next)).await;
    assert!(matches!(next, Err(StoreError::Altered { .. })), "{next:?}");
}

/// Whoever goes past the rules is held up by the database.
#[tokio::test]
async fn the_database_itself_refuses_a_second_publication_with_a_nonce() {
    let place = Place::new();
    let store = place.open().await;
    let (id, sign) = place.publish(0);
    done(&store, sign).await;
    let copy = format!(
        "INSERT INTO publications
         SELECT '0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b', version, head_hash, head_at, operation, chain_id, account, nonce,
             recipient, call, status, max_fee_per_gas, max_priority_fee_per_gas, attempts, signed_at
         FROM publications WHERE id = '{id}'"
    );
    let error = sql(&mut place.stranger().await, &copy).await.unwrap_err();
    assert!(error.to_string().contains("UNIQUE"), "{error}");
}

/// Neither is a changed reading shown, nor does a claim find support in it.
async fn refuses_to_open(store: &SqliteStore, id: EvidenceId) {
    let broken = store.evidence(id).await.unwrap_err();
    assert!(matches!(broken, StoreError::Unreadable { .. }), "{broken}");
    let claim = |id: Option<EvidenceId>| {
        serde_json::json!({
            "claim": "The raw amount is 8", "tool": "get_erc20_balance", "chain_id": 1, "block": "19000000",
            "evidence_id": id,
        })
    };
    let conclusion = serde_json::json!({
        "conclusion": "The raw amount is 8", "evidence": [claim(Some(id)), claim(None)], "unknown": [],
    });
    let conclusion = serde_json::from_value(conclusion).unwrap();
    let checked = deedbox_store::conclusion::check(store, &conclusion).await;
    assert!(matches!(checked, Err(StoreError::Unreadable { .. })));
}

#[tokio::test]
async fn evidence_that_is_gone_is_missed_by_the_claim_that_cites_it() {
    let place = Place::new();
    let store = place.with_alice().await;
    let (task, create) = place.create("Read something");
    done(&store, create).await;
    done(&store, place.accept(task)).await;
    let (id, record) = place.record("7");
    done(&store, record).await;
    let cite = Command::ReportCompletion {
        task,
        id: CompletionId(place.world.uuid()),
        actor: actor("alice"),
        provenance: ClaimProvenance::Observed,
        claim_text: ClaimText::new("It holds 7.").unwrap(),
        source_reference: Some(SourceReference::new(format!("evidence:{id}")).unwrap()),
    };
    done(&store, cite).await;
    let mut snapshot = store.snapshot().await.unwrap();
    assert!(ledger::check(&mut *snapshot, |_| {}).await.unwrap().is_ok());
    drop(snapshot);
    for change in [
        "DROP TRIGGER deeds_refuse_delete",
        "DELETE FROM evidence",
        "DELETE FROM deeds WHERE kind = 'reading_recorded'",
    ] {
        sql(&mut place.stranger().await, change).await.unwrap();
    }
    let cited = ("deed", format!("task:{task} version 3"));
    assert_eq!(fault(&store).await, cited);
}

#[tokio::test]
async fn a_changed_deed_is_found_by_its_stream_and_version() {
    for change in [
        "UPDATE deeds SET principal = 'key:mallory' WHERE kind = 'task_accepted'",
        "UPDATE deeds SET at = at - 1 WHERE kind = 'task_accepted'",
        "UPDATE deeds SET body = json_set(body, '$.actorId', 'mallory') WHERE kind = 'task_accepted'",
    ] {
        let place = Place::new();
        let store = place.with_alice().await;
        let (task, create) = place.create("Who accepted it?");
        done(&store, create).await;
        done(&store, place.accept(task)).await;
        let mut stranger = place.stranger().await;
        sql(&mut stranger, "DROP TRIGGER deeds_refuse_update")
            .await
            .unwrap();
        sql(&mut stranger, change).await.unwrap();
        let (table, row) = fault(&store).await;
        assert_eq!(
            (table, row),
            ("deed", format!("task:{task} version 2")),
            "{change}"
        );
    }
}

#[tokio::test]
async fn a_task_that_cannot_be_read_fails_alone() {
    let place = Place::new();
    let store = place.with_alice().await;
    let (spoiled, create) = place.create("Spoiled");
    done(&store, create).await;
    let (good, create) = place.create("Good");
    done(&store, create).await;
    sql(
        &mut place.stranger().await,
        &format!("UPDATE tasks SET status = 'nonsense' WHERE id = '{spoiled}'"),
    )
    .await
    .unwrap();
    let (one, other) = tokio::join!(
        store.execute(by_operator(place.accept(spoiled))),
        store.execute(by_operator(place.accept(good)))
    );
    let error = one.unwrap_err();
    assert!(matches!(
        error,
        StoreError::Unreadable { table: "task", .. }
    ));
    assert!(error.to_string().contains("ledger check"), "{error}");
    assert!(other.unwrap().is_ok());
    let listed = store
        .unaccepted(&deedbox_store::Unaccepted::default())
        .await;
    assert!(matches!(
        listed.unwrap_err(),
        StoreError::Unreadable { table: "task", .. }
    ));
}
