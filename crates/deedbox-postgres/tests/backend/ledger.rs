//! Deeds are only added, and what is changed behind our back is found.
#![expect(clippy::unwrap_used, reason = "what cannot be set up has failed")]

use crate::common::{Fixture, account, open};
use deedbox_core::{Command, text::SourceReference};
use deedbox_postgres::PostgresStore;
use deedbox_store::{Store, StoreError, ledger, story};

#[tokio::test(flavor = "multi_thread")]
async fn the_database_itself_refuses_to_change_a_deed() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    for change in [
        "UPDATE deeds SET principal = 'mallory'",
        "DELETE FROM deeds",
        "TRUNCATE deeds",
        "SET session_replication_role = replica; DELETE FROM deeds",
    ] {
        let error = fixture.cluster.psql(&fixture.url, change).unwrap_err();
        assert!(
            error.to_string().contains("deeds are only added"),
            "{error}"
        );
    }
    assert_eq!(fixture.psql("SELECT count(*) FROM deeds"), "1");
}

/// A store on a copy of the fixture's database after `change` by somebody who may do everything.
async fn after(fixture: &Fixture, change: &str, place: usize) -> PostgresStore {
    let (base, sound) = fixture.url.rsplit_once('/').unwrap();
    let copy = format!("{sound}_{place}");
    let postgres = format!("{base}/postgres");
    let create = format!("CREATE DATABASE {copy} TEMPLATE {sound}");
    fixture.cluster.psql(&postgres, &create).unwrap();
    let url = format!("{base}/{copy}");
    let change = format!("ALTER TABLE deeds DISABLE TRIGGER USER; {change}");
    fixture.cluster.psql(&url, &change).unwrap();
    open(&url, &fixture.world).await.unwrap()
}

/// The fault that is found then.
pub(crate) async fn fault_after(fixture: &Fixture, change: &str, place: usize) -> String {
    let store = after(fixture, change, place).await;
    let result = check(&store).await;
    store.close().await;
    match result {
        Ok(Ok(sound)) => format!("{sound:?}"),
        Ok(Err(fault)) => fault.to_string(),
        Err(error) => error.to_string(),
    }
}

async fn check(store: &PostgresStore) -> Result<Result<ledger::Sound, ledger::Fault>, StoreError> {
    ledger::check(&mut *store.snapshot().await?, |_| {}).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_row_is_named() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let task = fixture.created().await;
    fixture.ask(fixture.accept(task)).await.unwrap().unwrap();
    let (_, issue) = fixture.issue(false);
    fixture.ask(issue).await.unwrap().unwrap();
    let (evidence, record) = fixture.record("7");
    fixture.ask(record).await.unwrap().unwrap();
    let mut cite = fixture.complete(task, "It holds 7.");
    if let Command::ReportCompletion {
        source_reference, ..
    } = &mut cite
    {
        *source_reference = Some(SourceReference::new(format!("evidence:{evidence}")).unwrap());
    }
    fixture.ask(cite).await.unwrap().unwrap();
    let (publication, sign) = fixture.publish(0);
    fixture.ask(sign).await.unwrap().unwrap();
    let registry = story::registry(8_453, 1);
    fixture.ask(story::follow(registry)).await.unwrap().unwrap();
    fixture
        .ask(story::pin(registry, "7", 1))
        .await
        .unwrap()
        .unwrap();
    let sound = check(&fixture.store).await.unwrap().unwrap();
    assert_eq!((sound.deeds, sound.streams), (9, 6));
    // A database can be copied when nobody is in it.
    fixture.store.close().await;
    let changes = [
        (
            "UPDATE deeds SET body = body || '{\"contextNote\": \"no\"}' WHERE kind = 'task_accepted'",
            "deed task:TASK version 2: its contents do not have the hash that it carries",
        ),
        (
            "UPDATE deeds SET at = at + interval '1 ms' WHERE kind = 'actor_added'",
            "deed actor:alice version 1: its contents do not have the hash that it carries",
        ),
        (
            "DELETE FROM deeds WHERE kind = 'task_created'",
            "deed task:TASK version 2",
        ),
        (
            "UPDATE tasks SET owner = NULL",
            "row of task:TASK: it does not say what its deeds add up to: owner is",
        ),
        (
            "UPDATE tasks SET bytes = bytes + 1",
            "row of task:TASK: it does not say what its deeds add up to: bytes is",
        ),
        (
            "UPDATE tasks SET cited = '{\"00\": \"reviewed\"}'",
            "row of task:TASK: it does not say",
        ),
        (
            "UPDATE tasks SET status = 'expired'",
            "row of task:TASK: it cannot be read",
        ),
        (
            "UPDATE tasks SET head_at = head_at + interval '1 us'",
            "row of task:TASK: it cannot be read: a time is not in whole milliseconds",
        ),
        (
            "ALTER TABLE tasks DROP CONSTRAINT tasks_created_at_check; UPDATE tasks SET created_at = 'infinity'",
            "row of task:TASK: it cannot be read",
        ),
        (
            "ALTER TABLE deeds DROP CONSTRAINT deeds_at_check; UPDATE deeds SET at = '-infinity' WHERE stream LIKE 'task:%' AND version = 2",
            "deed task:TASK version 2: it cannot be read",
        ),
        ("DELETE FROM tasks", "row of task:TASK: its row is missing"),
        (
            "UPDATE actors SET name = 'Mallory'",
            "row of actor:alice: it does not say what its deeds add up to: name is",
        ),
        (
            "INSERT INTO actors SELECT 'bob', version, head_hash, head_at, kind, name, created_at FROM actors",
            "row of actor:bob: it has no deeds",
        ),
        (
            "UPDATE evidence SET block_number = 2",
            "row of evidence:EVIDENCE: it does not say what its deeds add up to: block number is 2",
        ),
        (
            "UPDATE evidence SET digest = block_hash",
            "row of evidence:EVIDENCE: it does not say what its deeds add up to: digest is",
        ),
        (
            "UPDATE evidence SET tool = 'Not A Tool'",
            "row of evidence:EVIDENCE: it cannot be read",
        ),
        (
            "DELETE FROM evidence; DELETE FROM deeds WHERE stream LIKE 'evidence:%'",
            "deed task:TASK version 3: the rules do not lead to it: Evidence not found: EVIDENCE",
        ),
        (
            "DELETE FROM evidence",
            "row of evidence:EVIDENCE: its row is missing",
        ),
        (
            "UPDATE deeds SET body = jsonb_set(body, '{data,raw_amount}', '\"8\"') WHERE kind = 'reading_recorded'",
            "deed evidence:EVIDENCE version 1: its contents do not have the hash that it carries",
        ),
        (
            "UPDATE publications SET status = 'replaced'",
            "row of publication:PUBLICATION: it does not say what its deeds add up to: status is replaced, should be open",
        ),
        (
            "UPDATE publications SET recipient = NULL",
            "row of publication:PUBLICATION: it does not say what its deeds add up to: recipient is none",
        ),
        (
            "UPDATE publications SET max_fee_per_gas = '01'",
            "row of publication:PUBLICATION: it cannot be read",
        ),
        (
            "DELETE FROM publications",
            "row of publication:PUBLICATION: its row is missing",
        ),
        (
            "UPDATE deeds SET body = body || '{\"raw_transaction\": \"0x02\"}' WHERE kind = 'publication_signed'",
            "deed publication:PUBLICATION version 1: its contents do not have the hash that it carries",
        ),
        (
            "UPDATE registry_decisions SET trust = 'trusted'",
            "row of registry:REGISTRY: it does not say what its deeds add up to: trust is trusted, should be known",
        ),
        (
            "UPDATE registry_decisions SET followed = false",
            "row of registry:REGISTRY: it does not say what its deeds add up to: followed is false",
        ),
        (
            "UPDATE registry_decisions SET pins = '{}'",
            "row of registry:REGISTRY: it does not say what its deeds add up to: pins is {}",
        ),
        (
            "UPDATE registry_decisions SET seen = seen || '{\"implementation\": null}'",
            "row of registry:REGISTRY: it does not say what its deeds add up to: accepted code is",
        ),
        (
            "UPDATE registry_decisions SET trust = 'adored'",
            "row of registry:REGISTRY: it cannot be read",
        ),
        (
            "DELETE FROM registry_decisions",
            "row of registry:REGISTRY: its row is missing",
        ),
        (
            "UPDATE deeds SET body = body || '{\"toolId\": \"8\"}' WHERE kind = 'tool_pinned'",
            "deed registry:REGISTRY version 2: its contents do not have the hash that it carries",
        ),
        ("UPDATE keys SET scopes = 'tasks:admin'", "row of key:"),
        ("UPDATE keys SET expires_at = now()", "row of key:"),
    ];
    for (place, (change, found)) in changes.into_iter().enumerate() {
        let fault = fault_after(&fixture, change, place).await;
        let fault = fault
            .replace(&task.to_string(), "TASK")
            .replace(&evidence.to_string(), "EVIDENCE")
            .replace(&publication.to_string(), "PUBLICATION")
            .replace(&registry.to_string(), "REGISTRY");
        assert!(fault.starts_with(found), "{change}\n{fault}");
    }
}

/// Whatever it would have sent: the bytes on record are what `resume` sends.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_done_with_a_publication_that_was_changed() {
    let fixture = Fixture::new().await;
    let (id, sign) = fixture.publish(0);
    fixture.ask(sign).await.unwrap().unwrap();
    fixture.psql("CREATE TABLE before AS SELECT * FROM publications");
    let attempt = story::signed(account(), 0, 1_000, b"call");
    let settlement = story::included(&attempt, 10, true);
    let settle = Command::SettlePublication { id, settlement };
    fixture.ask(settle).await.unwrap().unwrap();
    fixture.store.close().await;
    let changes = [
        "UPDATE publications SET status = 'replaced'",
        "UPDATE publications SET status = 'open'",
        // As it stood before it was settled.
        "DELETE FROM publications; INSERT INTO publications SELECT * FROM before",
        "UPDATE publications SET nonce = nonce + 1",
        "UPDATE publications SET chain_id = 1",
        "UPDATE publications SET recipient = NULL",
        "UPDATE publications SET call = decode(repeat('00', 32), 'hex')",
        "UPDATE publications SET max_fee_per_gas = '1'",
        "UPDATE publications SET attempts = '[]'",
        "DELETE FROM publications",
        "UPDATE deeds SET body = body || '{\"nonce\": 9}' WHERE version = 1",
        "UPDATE deeds SET body = body || '{\"raw_transaction\": \"0x02\"}' WHERE version = 1",
        "UPDATE deeds SET body = body || '{\"block_number\": 11}' WHERE version = 2",
        "DELETE FROM deeds WHERE version = 2",
        "DELETE FROM deeds",
    ];
    for (place, change) in changes.into_iter().enumerate() {
        println!("{change}");
        let store = after(&fixture, change, place).await;
        story::refuses_an_altered_publication(&store, id, &attempt).await;
        store.close().await;
    }
}
