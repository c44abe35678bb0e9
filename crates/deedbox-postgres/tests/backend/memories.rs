//! Texts of memories that somebody with an SQL prompt changed are found.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what cannot be set up has failed"
)]

use deedbox_core::{Command, MemoryId, Stream, World as _};
use deedbox_store::{MemoryStore as _, Store as _, story};

use crate::{
    common::{Fixture, open},
    ledger::fault_after,
};

async fn said(fixture: &Fixture, command: Command) -> MemoryId {
    match fixture.ask(command).await.unwrap().unwrap().deed.stream {
        Stream::Memory(id) => id,
        stream => panic!("{stream} is no memory's"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_not_the_one_that_was_written_is_found() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let world = &*fixture.world;
    let home = || story::space("personal:alice");
    let mut kept = story::words("first");
    kept.key = Some("k".parse().unwrap());
    let id = said(&fixture, story::remember(world, home(), kept.clone())).await;
    kept.content = "second".parse().unwrap();
    said(&fixture, story::remember(world, home(), kept)).await;
    let gone = said(
        &fixture,
        story::remember(world, home(), story::words("third")),
    )
    .await;
    fixture.ask(story::redact(gone)).await.unwrap().unwrap();
    fixture.store.close().await;
    for (place, (change, found)) in [
        ("SELECT 1", "Sound"),
        (
            "UPDATE memory_texts SET text = replace(text, 'first', 'other') WHERE version = 1",
            "memory text memory:ID version 1",
        ),
        (
            "UPDATE memory_texts SET salt = decode(repeat('00', 32), 'hex') WHERE version = 2",
            "memory text memory:ID version 2",
        ),
        (
            "DELETE FROM memory_texts WHERE version = 1",
            "memory text memory:ID version 1",
        ),
        (
            "INSERT INTO memory_texts SELECT 'GONE', 1, salt, text FROM memory_texts LIMIT 1",
            "memory text memory:GONE version 1",
        ),
        (
            "UPDATE memories SET path = 'a' WHERE id = 'ID'",
            "row of memory:ID",
        ),
        (
            "UPDATE memories SET tags = '{x}' WHERE id = 'GONE'",
            "row of memory:GONE",
        ),
        (
            "UPDATE memories SET last_label = 'x' WHERE id = 'ID'",
            "row of memory:ID",
        ),
        ("UPDATE space_usage SET memories = 7", "space usage"),
    ]
    .into_iter()
    .enumerate()
    {
        let fill = |text: &str| {
            text.replace("GONE", &gone.to_string())
                .replace("ID", &id.to_string())
        };
        let fault = fault_after(&fixture, &fill(change), place).await;
        assert!(fault.starts_with(&fill(found)), "{change}: {fault}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_another_edition_are_made_anew_when_a_replica_starts() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let (world, home) = (&*fixture.world, story::space("personal:alice"));
    let remember = story::remember(world, home.clone(), story::words("second"));
    let id = said(&fixture, remember).await;
    for edition in [0, 99] {
        let old = format!("UPDATE memory_documents SET words = 'old', edition = {edition}");
        fixture.psql(&old);
        let starting = (0..2).map(|_| open(&fixture.url, &fixture.world));
        for store in futures::future::join_all(starting).await {
            let store = store.unwrap();
            let query = story::recall(&home, "second");
            let found = store.recall(&query, world.now()).await.unwrap();
            assert_eq!(found.found.len(), 1, "{edition}");
            assert_eq!(found.found[0].0.state.id, id);
            store.close().await;
        }
    }
}
