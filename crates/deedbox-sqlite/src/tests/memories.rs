//! Texts of memories that somebody with an SQL prompt changed are found, and redacted ones leave nothing in the file.

use std::{collections::BTreeSet, fs};

use deedbox_core::{
    Command, MemoryId, Stream, World as _,
    memory::{MemoryAct, MemoryChange, Salt},
};
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
async fn words_of_another_edition_are_made_anew_when_the_file_is_opened() {
    let place = Place::new();
    let (store, id, _) = remembering(&place).await;
    store.close().await;
    for edition in [0, 99] {
        let mut stranger = place.stranger().await;
        let old = format!("UPDATE memory_documents SET words = 'old', edition = {edition}");
        sql(&mut stranger, &old).await.unwrap();
        sql(
            &mut stranger,
            "INSERT INTO memory_words (memory_words) VALUES ('rebuild')",
        )
        .await
        .unwrap();
        let store = place.open().await;
        let query = story::recall(&story::space("personal:alice"), "second");
        let found = store.recall(&query, place.world.now()).await.unwrap();
        assert_eq!(found.found.len(), 1, "{edition}");
        assert_eq!(found.found[0].0.state.id, id);
        store.close().await;
        let is_old = "SELECT count(*) FROM memory_words WHERE memory_words MATCH 'old'";
        let is_old: i64 = sqlx::query_scalar(is_old)
            .fetch_one(&mut stranger)
            .await
            .unwrap();
        assert_eq!(is_old, 0, "the index has no old word");
        let check = "INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)";
        sql(&mut stranger, check).await.unwrap();
    }
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

/// Twelve letters that stand nowhere else, the same for the same number.
fn secret(number: u64) -> String {
    // SplitMix64 spreads the numbers.
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    (0..12)
        .map(|place| {
            char::from(b"abcdefghijklmnop"[usize::try_from(mixed >> (5 * place) & 0xf).unwrap()])
        })
        .collect()
}

/// So many secrets as a content, from a number on.
fn secrets(from: u64, count: u64) -> String {
    let all: Vec<_> = (from..from + count).map(secret).collect();
    all.join(" ")
}

#[tokio::test]
async fn of_many_that_are_redacted_no_version_leaves_a_word_while_the_store_is_open() {
    let place = Place::new();
    let store = place.with_alice().await;
    let (mut ids, mut number, mut told) = (Vec::new(), 0, BTreeSet::new());
    let mut some = |count: u64| {
        let from = number;
        number += count;
        told.extend((from..number).map(secret));
        secrets(from, count)
    };
    for n in 0..120_u64 {
        let mut text = story::words(&some(1 + n * 7 % 31));
        text.path = Some(some(1).parse().unwrap());
        let home = story::space("personal:alice");
        ids.push(said(&store, story::remember(&*place.world, home, text)).await);
        // Rows of other lengths move others to other pages, and the index merges its segments.
        let other = usize::try_from(n * 5 % (n + 1)).unwrap();
        for count in [1 + n * 11 % 400, 1 + n % 5] {
            let change = MemoryChange {
                content: Some(some(count).parse().unwrap()),
                path: Some(Some(some(1).parse().unwrap())),
                ..MemoryChange::default()
            };
            let (change, salt) = (Box::new(change), Salt::random(&*place.world));
            done(
                &store,
                story::act(ids[other], MemoryAct::Revise { change, salt }),
            )
            .await;
        }
    }
    done(&store, place.create("a task that is kept").1).await;
    for id in ids {
        done(&store, story::redact(id)).await;
    }
    is_sound(&store).await;
    for file in ["deedbox.sqlite", "deedbox.sqlite-wal"] {
        let file = fs::read(place.folder.path().join(file)).unwrap();
        // Words of an index may stand there without their beginnings.
        let tail = |word: &String| word.as_bytes()[4..].to_vec();
        let tails: BTreeSet<_> = told.iter().map(tail).collect();
        let left = file.windows(8).filter(|part| tails.contains(*part)).count();
        assert_eq!(left, 0, "of {} secrets", told.len());
    }
    store.close().await;
}
