//! Texts of memories that somebody with an SQL prompt changed are found, and redacted ones leave nothing in the file.

use deedbox_core::{Command, MemoryId, Stream};
use deedbox_store::{MemoryStore as _, Store as _, ledger, story};

use super::{Place, done, is_sound, sql};
use crate::SqliteStore;

const WORDS: &str = "quokkas photograph beautifully";

/// A store with a memory under a key, revised once, and a second memory that is redacted.
async fn remembering(place: &Place) -> (SqliteStore, MemoryId, MemoryId) {
    let store = place.with_alice().await;
    let home = || story::space("personal:alice");
    let mut kept = story::words("first");
    kept.key = Some("k".parse().unwrap());
    let id = said(&store, story::remember(&*place.world, home(), kept.clone())).await;
    kept.content = "second".parse().unwrap();
    assert_eq!(
        said(&store, story::remember(&*place.world, home(), kept)).await,
        id
    );
    let gone = said(
        &store,
        story::remember(&*place.world, home(), story::words(WORDS)),
    )
    .await;
    done(&store, story::redact(gone)).await;
    (store, id, gone)
}

async fn said(store: &SqliteStore, command: Command) -> MemoryId {
    match done(store, command).await.stream {
        Stream::Memory(id) => id,
        stream => panic!("{stream} is no memory's"),
    }
}

#[tokio::test]
async fn a_text_that_is_not_the_one_that_was_written_is_found() {
    const LATEST: &str = "WHERE memory = 'ID' AND version = 2";
    const FIRST: &str = "WHERE memory = 'ID' AND version = 1";
    for (change, table) in [
        (
            "UPDATE memory_texts SET text = replace(text, 'first', 'third') FIRST",
            "memory text",
        ),
        (
            "UPDATE memory_texts SET salt = zeroblob(32) FIRST",
            "memory text",
        ),
        (
            "UPDATE memory_texts SET text = text || ' ' LATEST",
            "memory text",
        ),
        ("DELETE FROM memory_texts FIRST", "memory text"),
        ("DELETE FROM memory_texts LATEST", "memory text"),
        (
            "INSERT INTO memory_texts SELECT memory, 3, salt, text FROM memory_texts LATEST",
            "memory text",
        ),
        (
            "INSERT INTO memory_texts SELECT 'GONE', 1, salt, text FROM memory_texts LATEST",
            "memory text",
        ),
        (
            "INSERT INTO memory_texts SELECT '00000000-0000-7000-8000-000000000000', 1, salt, text FROM memory_texts LATEST",
            "memory text",
        ),
        ("UPDATE memories SET path = 'a' WHERE id = 'ID'", "memory"),
        (
            "UPDATE memories SET digest = zeroblob(32) WHERE id = 'ID'",
            "memory",
        ),
        ("UPDATE memories SET key = 'k' WHERE id = 'GONE'", "memory"),
        (
            "UPDATE memories SET first_actor = 'bob' WHERE id = 'ID'",
            "memory",
        ),
        (
            "UPDATE memories SET status = 'live' WHERE id = 'GONE'",
            "memory",
        ),
        (
            "UPDATE memories SET text_version = 1 WHERE id = 'ID'",
            "memory",
        ),
        ("UPDATE space_usage SET bytes = bytes - 1", "space usage"),
        ("DELETE FROM space_usage", "space usage"),
        (
            "INSERT INTO space_usage VALUES ('other', 1, 1)",
            "space usage",
        ),
    ] {
        let place = Place::new();
        let (store, id, gone) = remembering(&place).await;
        is_sound(&store).await;
        let change = change
            .replace("LATEST", LATEST)
            .replace("FIRST", FIRST)
            .replace("ID", &id.to_string())
            .replace("GONE", &gone.to_string());
        sql(&mut place.stranger().await, &change).await.unwrap();
        let mut snapshot = store.snapshot().await.unwrap();
        let fault = ledger::check(&mut *snapshot, |_| {}).await.unwrap();
        let fault = fault.expect_err(&change);
        assert_eq!(fault.table, table, "{change}: {fault}");
    }
}

#[tokio::test]
async fn a_member_that_no_deed_made_is_found() {
    let place = Place::new();
    let store = place.with_alice().await;
    done(&store, super::add("bob")).await;
    let create = Command::CreateSpace {
        id: story::space("team"),
        name: "The team".parse().unwrap(),
        owner: super::actor("alice"),
    };
    done(&store, create).await;
    let change = "INSERT INTO space_members VALUES ('team', 'bob')";
    sql(&mut place.stranger().await, change).await.unwrap();
    let mut snapshot = store.snapshot().await.unwrap();
    let fault = ledger::check(&mut *snapshot, |_| {}).await.unwrap();
    let fault = fault.unwrap_err().to_string();
    assert!(
        fault.contains("members") && fault.contains("bob"),
        "{fault}"
    );
}

#[tokio::test]
async fn what_is_redacted_is_in_no_page_of_the_file() {
    let place = Place::new();
    let (store, id, gone) = remembering(&place).await;
    let kept = store.memory(id).await.unwrap().unwrap();
    assert_eq!(kept.deeds.len(), 2);
    assert!(
        store
            .memory(gone)
            .await
            .unwrap()
            .unwrap()
            .memory
            .text
            .is_none()
    );
    // Its closing copies the log into the file.
    store.close().await;
    let file = std::fs::read(place.path()).unwrap();
    let has = |text: &str| file.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("second"), "what is kept is found so");
    for word in WORDS.split(' ') {
        assert!(!has(word), "{word} is in the file still");
    }
}
