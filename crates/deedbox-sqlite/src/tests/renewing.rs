//! An index that outlives its file.

use std::{
    fs,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use deedbox_core::{BlockHash, ChainAddress, World as _};
use deedbox_store::{
    StoreError,
    index::{Batch, Checkpoint, Index, Lease, RegistryId, Standard, Superseded},
    story::{self, StoryWorld},
};
use sqlx::{Connection as _, SqliteConnection};
use tempfile::TempDir;

use crate::{RenewingIndex, SqliteIndex};

struct Place {
    folder: TempDir,
    world: Arc<StoryWorld>,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            world: Arc::default(),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("index.sqlite")
    }

    async fn open(&self) -> RenewingIndex {
        let opened = RenewingIndex::open(&self.path(), self.world.clone()).await;
        opened.unwrap()
    }

    /// The names of the files that were set aside, without what stands beside a database.
    fn aside(&self) -> Vec<String> {
        let files = fs::read_dir(self.folder.path()).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let aside = names.filter(|name| name.contains(".damaged-"));
        aside.filter(|name| name.ends_with('Z')).collect()
    }
}

fn registry(n: u8) -> RegistryId {
    RegistryId {
        chain_id: 1,
        address: ChainAddress([n; 20]),
    }
}

async fn begin(index: &dyn Index, n: u8) {
    let begun = index.begin(registry(n), Standard::Erc8122, 1).await;
    begun.unwrap();
}

async fn count(index: &dyn Index) -> usize {
    index.cursors().await.unwrap().len()
}

/// Puts a file to the disk whole, so that what is overwritten in it is what is read.
async fn settle(path: &Path) {
    let index = SqliteIndex::open(path).await.unwrap();
    index.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_story_of_an_index_is_told_word_for_word_through_one_that_is_renewed() {
    let place = Place::new();
    story::index::tell(Arc::new(place.open().await), 5).await;
}

#[tokio::test]
async fn a_file_that_was_deleted_while_it_was_open_is_begun_anew() {
    let place = Place::new();
    let (index, other) = (place.open().await, place.open().await);
    begin(&index, 1).await;
    assert_eq!(count(&other).await, 1);
    // What SQLite keeps beside it stays, as when somebody deletes one file.
    fs::remove_file(place.path()).unwrap();
    assert_eq!(count(&index).await, 0);
    begin(&index, 2).await;
    begin(&other, 3).await;
    for index in [&index, &other] {
        assert_eq!(count(index).await, 2);
        index.close().await;
    }
    assert!(matches!(index.cursors().await, Err(StoreError::Closed)));
    // It is whole afterwards, for whoever opens it.
    assert_eq!(count(&place.open().await).await, 2);
    assert_eq!(place.aside(), [] as [String; 0]);
}

#[tokio::test]
async fn a_file_that_was_replaced_while_it_was_open_is_read_as_it_is() {
    let place = Place::new();
    let index = place.open().await;
    begin(&index, 1).await;
    let elsewhere = place.folder.path().join("elsewhere.sqlite");
    let other = SqliteIndex::open(&elsewhere).await.unwrap();
    begin(&other, 2).await;
    begin(&other, 3).await;
    other.close().await;
    for beside in ["-wal", "-shm"] {
        let path = format!("{}{beside}", place.path().display());
        fs::remove_file(path).unwrap();
    }
    fs::rename(&elsewhere, place.path()).unwrap();
    assert_eq!(count(&index).await, 2);
}

#[tokio::test]
async fn a_file_that_is_damaged_before_it_is_opened_is_set_aside() {
    let place = Place::new();
    let mut headed = vec![0xee; 8_192];
    headed[..16].copy_from_slice(b"SQLite format 3\0");
    headed[68..72].copy_from_slice(b"deei");
    for before in [b"no database at all".repeat(400), headed] {
        fs::write(place.path(), &before).unwrap();
        let index = place.open().await;
        assert_eq!(count(&index).await, 0);
        begin(&index, 1).await;
        index.close().await;
        let aside = place.aside();
        let [aside] = &aside[..] else {
            panic!("{aside:?}")
        };
        let aside = place.folder.path().join(aside);
        assert_eq!(fs::read(&aside).unwrap(), before);
        fs::remove_file(aside).unwrap();
    }
}

/// An index of sixty registries, all in the file, of which all but the first page was overwritten.
async fn damaged_in_the_middle(place: &Place) {
    let index = place.open().await;
    for n in 1..=60 {
        begin(&index, n).await;
    }
    index.close().await;
    settle(&place.path()).await;
    let length = fs::metadata(place.path()).unwrap().len();
    let file = fs::OpenOptions::new()
        .write(true)
        .open(place.path())
        .unwrap();
    // All but the first page, in which its tables stand.
    let rest = usize::try_from(length).unwrap() - 4_096;
    file.write_all_at(&vec![0xee; rest], 4_096).unwrap();
}

#[tokio::test]
async fn who_finds_damage_that_only_reading_shows_is_answered_by_a_new_file() {
    let place = Place::new();
    damaged_in_the_middle(&place).await;
    let index = place.open().await;
    assert_eq!(count(&index).await, 0, "the first to ask");
    begin(&index, 1).await;
    assert_eq!(count(&index).await, 1);
    assert_eq!(place.aside().len(), 1);
}

#[tokio::test]
async fn who_finds_damage_when_writing_holds_nothing_any_more() {
    let place = Place::new();
    damaged_in_the_middle(&place).await;
    let (index, of) = (place.open().await, registry(7));
    let batch = Batch {
        registry: of,
        after: None,
        facts: vec![],
        upto: Checkpoint {
            block: 1,
            hash: BlockHash([1; 32]),
        },
        upto_at: None,
        final_upto: None,
    };
    let lease = Lease {
        registry: of,
        holder: "somebody".to_owned(),
        epoch: 1,
        until: place.world.now(),
    };
    let said = index.apply(&[lease], vec![batch], place.world.now()).await;
    assert_eq!(said.unwrap(), Err(Superseded::Lease(of)));
    assert_eq!(count(&index).await, 0);
    assert_eq!(place.aside().len(), 1);
}

#[tokio::test]
async fn a_file_that_was_cut_or_lost_its_log_while_it_was_open_is_set_aside() {
    for ending in ["", "-wal", "-shm"] {
        let place = Place::new();
        let (index, other) = (place.open().await, place.open().await);
        for n in 1..=60 {
            begin(&index, n).await;
        }
        assert_eq!(count(&other).await, 60);
        let path = format!("{}{ending}", place.path().display());
        match ending {
            "" => fs::File::create(path).map(drop).unwrap(),
            _ => fs::remove_file(path).unwrap(),
        }
        assert_eq!(count(&index).await, 0, "{ending}");
        begin(&other, 1).await;
        assert_eq!(count(&index).await, 1, "{ending}");
        assert_eq!(place.aside().len(), 1, "{ending}");
        index.close().await;
        other.close().await;
        assert_eq!(count(&place.open().await).await, 1, "{ending}");
    }
}

#[tokio::test]
async fn a_row_that_is_not_readable_is_damage_once_and_then_the_indexs_fault_and_never_the_ledgers()
{
    let place = Place::new();
    let index = place.open().await;
    let spoil = async || {
        begin(&index, 1).await;
        let url = format!("sqlite://{}", place.path().display());
        let mut stranger = SqliteConnection::connect(&url).await.unwrap();
        let spoilt = "UPDATE registries SET cursor = '{\"registry\": 7}'";
        sqlx::query(spoilt).execute(&mut stranger).await.unwrap();
    };
    spoil().await;
    assert_eq!(count(&index).await, 0);
    assert_eq!(place.aside().len(), 1);
    spoil().await;
    let error = index.cursors().await.unwrap_err();
    assert!(
        matches!(error, StoreError::Index { passes: false, .. }),
        "{error:?}"
    );
    let said = error.to_string();
    assert!(said.contains("registry sync --anew"), "{said}");
    assert!(!said.contains("ledger check"), "{said}");
    assert_eq!(place.aside().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn an_index_that_cannot_be_begun_anew_says_that_it_is_the_index() {
    let place = Place::new();
    let index = place.open().await;
    begin(&index, 1).await;
    fs::remove_file(place.path()).unwrap();
    fs::create_dir(place.path()).unwrap();
    let error = index.cursors().await.unwrap_err();
    assert!(error.to_string().contains("index of registries"), "{error}");
}

#[tokio::test]
async fn a_damaged_ledger_under_an_indexs_name_is_left_as_it_is() {
    let place = Place::new();
    let mut bytes = vec![0xee; 8_192];
    bytes[..16].copy_from_slice(b"SQLite format 3\0");
    bytes[68..72].copy_from_slice(b"deed");
    fs::write(place.path(), &bytes).unwrap();
    let error = RenewingIndex::open(&place.path(), place.world.clone()).await;
    assert!(matches!(error, Err(StoreError::Damaged(_))), "{error:?}");
    assert_eq!(fs::read(place.path()).unwrap(), bytes);
    assert_eq!(place.aside(), [] as [String; 0]);
}
