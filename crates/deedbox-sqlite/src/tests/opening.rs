use deedbox_store::{Store as _, StoreError, story};
use futures::future::join_all;
use sqlx::{Connection as _, SqliteConnection};

use super::{Place, add, done, is_sound, run, sql};
use crate::{SqliteStore, open};

async fn pragma<T>(connection: &mut SqliteConnection, name: &str) -> T
where
    T: for<'r> sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite> + Send + Unpin,
{
    sqlx::query_scalar(sqlx::AssertSqlSafe(format!("PRAGMA {name}")))
        .fetch_one(connection)
        .await
        .unwrap()
}

async fn refusal(place: &Place) -> StoreError {
    let world = place.world.clone();
    let error = SqliteStore::open(&place.path(), world).await.unwrap_err();
    let text = error.to_string();
    let folder = place.folder.path().display().to_string();
    for secret in [folder.as_str(), "SELECT", "PRAGMA", "code"] {
        assert!(!text.contains(secret), "{text:?} tells {secret:?}");
    }
    error
}

#[tokio::test]
async fn what_was_kept_is_there_after_closing_and_opening() {
    let place = Place::new();
    let store = place.with_alice().await;
    store.close().await;
    let left: Vec<_> = std::fs::read_dir(place.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["deedbox.sqlite"], "a closed store is one file");
    let store = place.open().await;
    assert_eq!(store.actors().await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_settings_that_the_promises_rest_on_are_in_force() {
    let place = Place::new();
    let mut writing = open::open(&place.path()).await.unwrap();
    let reading = open::reading(&place.path()).await.unwrap();
    assert_eq!(pragma::<String>(&mut writing, "journal_mode").await, "wal");
    assert_eq!(
        pragma::<i64>(&mut writing, "application_id").await,
        0x6465_6564
    );
    let again = open::writing(&place.path()).await.unwrap();
    for mut connection in [writing, reading, again] {
        for (name, value) in [
            ("synchronous", 2), // FULL
            ("foreign_keys", 1),
            ("busy_timeout", 5_000),
            ("temp_store", 2), // memory
            ("trusted_schema", 0),
        ] {
            assert_eq!(pragma::<i64>(&mut connection, name).await, value, "{name}");
        }
    }
}

#[tokio::test]
async fn a_reading_connection_cannot_write() {
    let place = Place::new();
    place.with_alice().await.close().await;
    let mut reading = open::reading(&place.path()).await.unwrap();
    let written = sql(&mut reading, "DELETE FROM actors").await;
    assert!(matches!(
        crate::error::failed(written.unwrap_err()),
        StoreError::Unavailable(_)
    ));
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let store = place.with_alice().await;
    for entry in std::fs::read_dir(place.folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?}", entry.file_name());
    }
    store.close().await;
}

#[tokio::test]
async fn a_database_of_a_newer_program_is_refused_and_left_as_it_is() {
    let place = Place::new();
    place.with_alice().await.close().await;
    let mut stranger = place.stranger().await;
    sql(
        &mut stranger,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (99, 'from the future', true, x'00', 0)",
    )
    .await
    .unwrap();
    let before = std::fs::read(place.path()).unwrap();
    assert!(matches!(
        refusal(&place).await,
        StoreError::Newer {
            found: 99,
            known: 15
        }
    ));
    assert_eq!(std::fs::read(place.path()).unwrap(), before);
}

/// Back to before there were memories, and labels of keys.
const NO_MEMORIES: &str = "ALTER TABLE keys DROP COLUMN agent_label; DROP TABLE memory_accesses; DROP TABLE memory_words; DROP TABLE memory_documents; DROP TABLE memory_texts; DROP TABLE memories; DROP TABLE space_usage; DROP TABLE space_members; DROP TABLE spaces";

#[tokio::test]
async fn a_database_of_an_older_version_keeps_its_deeds_and_takes_new_kinds() {
    for (version, drop) in [
        (
            1,
            "DROP TABLE registry_decisions; DROP TABLE publications; DROP TABLE evidence",
        ),
        (2, "DROP TABLE registry_decisions; DROP TABLE publications"),
        (
            3,
            "DROP TABLE registry_decisions; DROP INDEX publications_open; CREATE UNIQUE INDEX publications_open ON publications (chain_id, account) WHERE status = 'open'",
        ),
        (4, "DROP TABLE registry_decisions"),
    ] {
        let place = Place::new();
        let store = place.with_alice().await;
        let (task, create) = place.create("Older than evidence");
        done(&store, create).await;
        store.close().await;
        let back = format!(
            "{NO_MEMORIES}; {drop}; DELETE FROM _sqlx_migrations WHERE version > {version}"
        );
        for one in back.split("; ") {
            sql(&mut place.stranger().await, one).await.unwrap();
        }
        let store = place.open().await;
        assert!(store.status(task).await.unwrap().is_some());
        done(&store, place.record("7").1).await;
        done(&store, place.publish(0).1).await;
        done(&store, story::follow(story::registry(1, 1))).await;
        assert_eq!(is_sound(&store).await.deeds, 5);
    }
}

#[tokio::test]
async fn a_migration_that_reads_differently_now_is_refused() {
    let place = Place::new();
    place.with_alice().await.close().await;
    let mut stranger = place.stranger().await;
    sql(
        &mut stranger,
        "UPDATE _sqlx_migrations SET checksum = x'00'",
    )
    .await
    .unwrap();
    assert!(matches!(refusal(&place).await, StoreError::Migration(_)));
}

#[tokio::test]
async fn another_programs_database_is_refused_and_left_as_it_is() {
    let place = Place::new();
    std::fs::write(place.path(), "").unwrap();
    let mut stranger = place.stranger().await;
    sql(&mut stranger, "CREATE TABLE bookmarks (url TEXT)")
        .await
        .unwrap();
    stranger.close().await.unwrap();
    let before = std::fs::read(place.path()).unwrap();
    assert!(matches!(refusal(&place).await, StoreError::Unsuitable(_)));
    assert_eq!(std::fs::read(place.path()).unwrap(), before);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let place = Place::new();
    let letter = "Dear Sir or Madam, ".repeat(100);
    std::fs::write(place.path(), &letter).unwrap();
    assert!(matches!(refusal(&place).await, StoreError::Damaged(_)));
    assert_eq!(std::fs::read_to_string(place.path()).unwrap(), letter);
}

#[tokio::test]
async fn a_missing_folder_and_a_folder_in_the_files_place_are_refused() {
    let place = Place::new();
    std::fs::create_dir(place.path()).unwrap();
    assert!(matches!(refusal(&place).await, StoreError::Unsuitable(_)));
    let inside = place.path().join("missing").join("deedbox.sqlite");
    let error = SqliteStore::open(&inside, place.world.clone()).await;
    assert!(matches!(error.unwrap_err(), StoreError::Unsuitable(_)));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_cannot_be_written_is_refused() {
    // Nobody, root included, can make a file there.
    let path = std::path::Path::new("/sys/deedbox.sqlite");
    let error = SqliteStore::open(path, Place::new().world).await;
    assert!(matches!(error.unwrap_err(), StoreError::Unsuitable(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_processes_may_make_the_same_database_at_once() {
    let place = Place::new();
    let stores = join_all((0..6).map(|_| place.open())).await;
    let added = join_all(stores.iter().map(|store| run(store, add("alice")))).await;
    assert_eq!(added.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for store in stores {
        assert_eq!(store.actors().await.unwrap().len(), 1);
        store.close().await;
    }
}

#[tokio::test]
async fn a_store_beside_another_sees_what_that_one_keeps() {
    let place = Place::new();
    let (serving, at_hand) = (place.open().await, place.open().await);
    done(&at_hand, add("alice")).await;
    let (task, create) = place.create("Written by one, accepted by the other");
    done(&serving, create).await;
    done(&at_hand, place.accept(task)).await;
    let status = serving.status(task).await.unwrap().unwrap();
    assert_eq!(status.acceptances.len(), 1);
}
