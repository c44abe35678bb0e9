//! What only the index in SQLite has to promise.

use std::{path::PathBuf, sync::Arc};

use deedbox_core::ChainAddress;
use deedbox_store::{
    StoreError,
    index::{Index as _, RegistryId, Standard},
    story,
};
use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqliteConnection};
use tempfile::TempDir;

use crate::SqliteIndex;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deedbox-index.sqlite3");
    (folder, path)
}

async fn stranger(path: &std::path::Path) -> SqliteConnection {
    let url = format!("sqlite://{}", path.display());
    SqliteConnection::connect(&url).await.unwrap()
}

fn registry() -> RegistryId {
    RegistryId {
        chain_id: 1,
        address: ChainAddress([1; 20]),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_story_of_an_index_is_told_word_for_word() {
    let (_folder, path) = place();
    let index = Arc::new(SqliteIndex::open(&path).await.unwrap());
    story::index::tell(index, 40).await;
}

#[tokio::test]
async fn an_index_of_another_edition_is_emptied_and_no_error() {
    let (_folder, path) = place();
    let index = SqliteIndex::open(&path).await.unwrap();
    index.begin(registry(), Standard::Erc8122, 1).await.unwrap();
    index.close().await;
    let index = SqliteIndex::open(&path).await.unwrap();
    assert_eq!(
        index.cursors().await.unwrap().len(),
        1,
        "the same edition keeps it"
    );
    index.close().await;
    let mut stranger = stranger(&path).await;
    for statement in ["PRAGMA user_version = 7", "CREATE TABLE older (x)"] {
        sqlx::query(statement).execute(&mut stranger).await.unwrap();
    }
    stranger.close().await.unwrap();
    let index = SqliteIndex::open(&path).await.unwrap();
    assert_eq!(index.cursors().await.unwrap(), []);
    index.begin(registry(), Standard::Erc8122, 1).await.unwrap();
}

#[tokio::test]
async fn another_programs_file_and_the_ledgers_are_refused_as_an_index() {
    let (_folder, path) = place();
    std::fs::write(&path, "").unwrap();
    let mut stranger = stranger(&path).await;
    sqlx::query("PRAGMA application_id = 1684366692") // the ledger's
        .execute(&mut stranger)
        .await
        .unwrap();
    sqlx::query("CREATE TABLE deeds (x)")
        .execute(&mut stranger)
        .await
        .unwrap();
    stranger.close().await.unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = SqliteIndex::open(&path).await.unwrap_err();
    assert!(matches!(error, StoreError::Unsuitable(_)), "{error:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_closed_index_says_so() {
    let (_folder, path) = place();
    let index = SqliteIndex::open(&path).await.unwrap();
    index.close().await;
    let error = index.begin(registry(), Standard::Erc8122, 1).await;
    assert!(matches!(error, Err(StoreError::Closed)));
    assert!(matches!(index.cursors().await, Err(StoreError::Closed)));
}

/// Steps that read all of something because all of it is the answer, or because it is the statement's own input.
const WHOLE: [&str; 6] = [
    "SCAN wanted VIRTUAL TABLE",
    "SCAN json_each VIRTUAL TABLE",
    "SCAN CONSTANT ROW",                      // no table
    "SCAN registries",                        // the list of all registries
    "SCAN d VIRTUAL TABLE INDEX 192:M1<", // by words (M), up to a row (<), newest row first (192)
    "SCAN documents VIRTUAL TABLE INDEX 0:=", // by row number
];

#[tokio::test]
async fn no_statement_of_the_index_reads_a_table_from_end_to_end() {
    let (_folder, path) = place();
    let index = SqliteIndex::open(&path).await.unwrap();
    let mut stranger = stranger(&path).await;
    let mut seen = 0;
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/queries-index")).unwrap() {
        let file = file.unwrap().path();
        let statement = std::fs::read_to_string(&file).unwrap();
        let plan: Vec<String> =
            sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}")))
                .fetch_all(&mut stranger)
                .await
                .unwrap()
                .iter()
                .map(|row| row.get("detail"))
                .collect();
        for step in &plan {
            let whole = WHOLE.iter().any(|whole| step.starts_with(whole));
            let scans = step.starts_with("SCAN") && !whole;
            let sorts = step.contains("USE TEMP B-TREE");
            assert!(!scans && !sorts, "{}: {plan:?}", file.display());
        }
        seen += 1;
    }
    assert!(seen > 20, "only {seen} statements were found");
    index.close().await;
}
