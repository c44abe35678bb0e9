//! An index that outlives its file.
//!
//! The file is a cache: whatever becomes of it, what registries said stands on their chains. So one that is damaged is set aside and another
//! one begun, and whoever found the damage is answered by the new one; and one that somebody deleted, replaced or cut while it was open, with
//! or without what SQLite keeps beside it, is noticed before the next thing is done with it. The new one is empty, and is filled as an
//! index of another edition is.
//!
//! What is wrong with the index is told as the index's: nobody shall look for the damage in the ledger.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use deedbox_core::{ChainAddress, ManifestHash, Timestamp, World};
use deedbox_id::U256;
use deedbox_store::{
    StoreError,
    index::{
        AgentEntry, Batch, Checkpoint, Cursor, Fact, Found, History, Index, Lease, Look,
        ManifestCheck, OfAgents, OfTools, Place, RegistryId, Row, RowPlace, Search, ServedManifest,
        Size, Standard, Superseded, Survey, ToolEntry,
    },
};
use tokio::sync::RwLock;

use super::{SqliteIndex, open::APPLICATION_ID};

/// What SQLite keeps beside a database, by what is added to its name.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// An index in a SQLite file that is begun anew when the file is damaged, deleted or replaced.
#[derive(Debug)]
pub struct RenewingIndex {
    path: PathBuf,
    world: Arc<dyn World>,
    opened: RwLock<Option<Arc<Opened>>>,
    /// Whether a file was set aside because of a row. Not a second time: a row that is not readable in a new file, too, is a fault of this program,
    /// and to read everything anew again and again would not mend it.
    misread: AtomicBool,
}

/// The index as it was opened last.
#[derive(Debug)]
struct Opened {
    index: SqliteIndex,
    file: FileId,
    beside: [FileId; BESIDE.len()],
    /// How long the file was when it was looked at last, in bytes. Nothing that this program does makes it shorter.
    length: AtomicU64,
    /// Whether something that was asked of it showed that the file is damaged.
    damaged: AtomicBool,
}

/// Which file it is, whatever its name; none where there is no file, or the system does not say.
type FileId = Option<(u64, u64)>;

/// What became of a file that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Became {
    AsItWas,
    /// Another file has its name, or none.
    Replaced,
    /// What is in it cannot be relied upon.
    Damaged,
}

impl RenewingIndex {
    /// Opens the index at `path`, and makes it if there is none. One that is damaged is set aside first, under a name with the time and in the same
    /// folder: a log line says where.
    ///
    /// # Errors
    /// As [`SqliteIndex::open`], but for [`StoreError::Damaged`], which is returned of a file only that is not an index of this
    /// program's, or cannot be moved.
    pub async fn open(path: &Path, world: Arc<dyn World>) -> Result<Self, StoreError> {
        let opened = open(path, &*world).await?;
        Ok(Self {
            path: path.to_owned(),
            world,
            opened: RwLock::new(Some(Arc::new(opened))),
            misread: AtomicBool::new(false),
        })
    }

    /// The index, of the file that is there now. To look which that is takes no disk's time, so nobody waits for it.
    async fn current(&self) -> Result<Arc<Opened>, StoreError> {
        let opened = self.opened.read().await.clone();
        let opened = opened.ok_or(StoreError::Closed)?;
        match opened.look(&self.path) {
            Became::AsItWas => Ok(opened),
            _ => self.renew().await.map_err(StoreError::of_index),
        }
    }

    async fn renew(&self) -> Result<Arc<Opened>, StoreError> {
        let mut now = self.opened.write().await;
        let before = now.as_ref().ok_or(StoreError::Closed)?;
        match before.look(&self.path) {
            // Somebody else was here in between.
            Became::AsItWas => return Ok(Arc::clone(before)),
            Became::Damaged => set_aside(&self.path, before.file, &*self.world)?,
            Became::Replaced => tracing::warn!(
                path = %self.path.display(),
                "the file of the index was deleted or replaced while it was open; what is there now is used, and what is missing is read anew"
            ),
        }
        let opened = Arc::new(open(&self.path, &*self.world).await?);
        // Who is still at the old file finishes there; its connections close with the last of them.
        *now = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// Whether an answer shows that the file is damaged; then the next one to ask finds a new one.
    fn is_of_damage<T>(&self, opened: &Opened, said: &Result<T, StoreError>) -> bool {
        let is_damaged = match said {
            Err(StoreError::Damaged(_)) => true,
            Err(StoreError::Unreadable { .. }) => !self.misread.swap(true, Ordering::AcqRel),
            // Statements were checked against the schema: one that is refused may be so because there is none any more.
            Err(_) => opened.look(&self.path) != Became::AsItWas,
            Ok(_) => false,
        };
        if is_damaged {
            opened.damaged.store(true, Ordering::Release);
        }
        is_damaged
    }
}

impl Opened {
    fn look(&self, path: &Path) -> Became {
        let (file, length) = look_at(path);
        if file != self.file {
            return Became::Replaced;
        }
        // Without its log a file has old pages beside new ones, and others who open it write another log.
        let beside = self.beside.iter().zip(BESIDE);
        let mut beside = beside.map(|(was, ending)| (was, look_at(&with_ending(path, ending)).0));
        let is_cut = length < self.length.fetch_max(length, Ordering::AcqRel);
        let is_alone = beside.any(|(was, is)| was.is_some() && *was != is);
        match is_cut || is_alone || self.damaged.load(Ordering::Acquire) {
            true => Became::Damaged,
            false => Became::AsItWas,
        }
    }
}

async fn open(path: &Path, world: &dyn World) -> Result<Opened, StoreError> {
    clear_away(path)?;
    let (file, _) = look_at(path);
    let index = match SqliteIndex::open(path).await {
        Err(StoreError::Damaged(cause)) => {
            if !may_be_set_aside(path) {
                return Err(StoreError::Damaged(cause));
            }
            set_aside(path, file, world)?;
            SqliteIndex::open(path).await?
        }
        opened => opened?,
    };
    let (file, length) = look_at(path);
    Ok(Opened {
        index,
        file,
        beside: BESIDE.map(|ending| look_at(&with_ending(path, ending)).0),
        length: AtomicU64::new(length),
        damaged: AtomicBool::new(false),
    })
}

/// Makes an empty file where there is none, without what was left beside a file that somebody deleted: SQLite would take it for a part of the new
/// one.
fn clear_away(path: &Path) -> Result<(), StoreError> {
    let _turn = turn(path);
    if path.exists() {
        return Ok(());
    }
    for ending in BESIDE {
        there(fs::remove_file(with_ending(path, ending)))?;
    }
    crate::open::make(path)
}

/// Gives a damaged file, if it is still this one, another name in its folder, with what SQLite keeps beside it.
fn set_aside(path: &Path, damaged: FileId, world: &dyn World) -> Result<(), StoreError> {
    let _turn = turn(path);
    if look_at(path).0 != damaged {
        return Ok(());
    }
    let time: String = world.now().to_string();
    let time: String = time.chars().filter(char::is_ascii_alphanumeric).collect();
    let aside = with_ending(path, &format!(".damaged-{time}"));
    fs::rename(path, &aside).map_err(|error| StoreError::Unavailable(error.into()))?;
    for ending in BESIDE {
        let moved = fs::rename(with_ending(path, ending), with_ending(&aside, ending));
        there(moved)?;
    }
    tracing::warn!(
        path = %path.display(),
        aside = %aside.display(),
        "the index of registries was damaged: its file is set aside and may be deleted, and what registries said is read anew"
    );
    Ok(())
}

/// What was done with a file that need not be there.
fn there(done: io::Result<()>) -> Result<(), StoreError> {
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::Unavailable(error.into()))
        }
        _ => Ok(()),
    }
}

/// Whether nothing says that the file is something else than an index. A damaged ledger may not be moved, whatever name it has.
fn may_be_set_aside(path: &Path) -> bool {
    // The file's header: what it is in the first bytes, and whose from byte 68 on.
    let mut header = [0; 72];
    let whole = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    if whole.is_err() || !header.starts_with(b"SQLite format 3\0") {
        return true;
    }
    let whose = header
        .last_chunk()
        .map_or(0, |whose| i32::from_be_bytes(*whose));
    whose == 0 || i64::from(whose) == APPLICATION_ID
}

/// Only one of several processes at a time makes or moves the file. Where a folder cannot be locked, nobody deletes files that are open either.
fn turn(path: &Path) -> Option<File> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new("."))).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// Which file it is, and how many bytes it has.
#[cfg(unix)]
fn look_at(path: &Path) -> (FileId, u64) {
    use std::os::unix::fs::MetadataExt as _;
    let file = fs::metadata(path);
    file.map_or((None, 0), |file| {
        (Some((file.dev(), file.ino())), file.len())
    })
}

/// A file that is open cannot be deleted there, nor replaced.
#[cfg(not(unix))]
fn look_at(path: &Path) -> (FileId, u64) {
    (None, fs::metadata(path).map_or(0, |file| file.len()))
}

/// Everything that is asked goes to the file that is there now, and once more to the next one where it shows that that is damaged. What
/// takes its arguments along is not asked again: it is answered as the new, empty index would.
macro_rules! passed_on {
    (
        $(fn $name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*
        $(once fn $once:ident($($given:ident: $given_kind:ty),*) -> $said:ty { $empty:expr })*
    ) => {
        #[async_trait]
        impl Index for RenewingIndex {
            $(
                async fn $name(&self, $($argument: $kind),*) -> Result<$answer, StoreError> {
                    let opened = self.current().await?;
                    let said = opened.index.$name($($argument),*).await;
                    if !self.is_of_damage(&opened, &said) {
                        return said.map_err(StoreError::of_index);
                    }
                    let opened = self.current().await?;
                    let said = opened.index.$name($($argument),*).await;
                    said.map_err(StoreError::of_index)
                }
            )*

            $(
                async fn $once(&self, $($given: $given_kind),*) -> Result<$said, StoreError> {
                    let opened = self.current().await?;
                    let empty = $empty;
                    let said = opened.index.$once($($given),*).await;
                    match self.is_of_damage(&opened, &said) {
                        false => said.map_err(StoreError::of_index),
                        true => Ok(empty),
                    }
                }
            )*

            async fn close(&self) {
                let opened = self.opened.write().await.take();
                if let Some(opened) = opened {
                    opened.index.close().await;
                }
            }
        }
    };
}

passed_on! {
    fn begin(registry: RegistryId, standard: Standard, from: u64) -> Cursor;
    fn cursors() -> Vec<Cursor>;
    fn claim(registries: &[RegistryId], holder: &str, now: Timestamp, ttl: Duration) -> Vec<Lease>;
    fn release(leases: &[Lease]) -> ();
    fn rewind(lease: &Lease, to: Option<Checkpoint>, now: Timestamp) -> Result<Cursor, Superseded>;
    fn forget(registry: RegistryId) -> ();
    fn agent(registry: RegistryId, id: U256) -> Option<AgentEntry>;
    fn tool(registry: RegistryId, id: U256) -> Option<ToolEntry>;
    fn history(query: &History) -> Vec<Fact>;
    fn predicates(registry: RegistryId, after: Option<Place>, limit: u32) -> Vec<(Place, ChainAddress)>;
    fn permissions(registry: RegistryId, owner: ChainAddress, agent: U256, limit: u32) -> Vec<Fact>;
    fn counts() -> BTreeMap<RegistryId, u64>;
    fn manifest(hash: ManifestHash) -> Option<Vec<u8>>;
    fn unchecked(registry: RegistryId, now: Timestamp, limit: u32) -> Vec<ToolEntry>;
    fn record_look(look: &Look) -> bool;
    fn looks() -> Vec<Look>;
    fn record_surveys(leases: &[Lease], surveys: &[Survey], now: Timestamp) -> ();
    fn surveys() -> Vec<Survey>;
    fn last_said(registry: RegistryId, upto: u64) -> Option<Checkpoint>;
    fn size(registry: RegistryId) -> Size;
    fn numbering() -> i64;
    fn search_agents(search: &Search<OfAgents>) -> Found<AgentEntry>;
    fn search_tools(search: &Search<OfTools>) -> Found<ToolEntry>;
    fn dump(registry: RegistryId, after: Option<RowPlace>, limit: u32) -> Vec<Row>;
    once fn apply(leases: &[Lease], batches: Vec<Batch>, now: Timestamp) -> Result<Vec<Cursor>, Superseded> {
        match batches.first() {
            Some(batch) => Err(Superseded::Lease(batch.registry)),
            None => Ok(Vec::new()),
        }
    }
    once fn record_check(registry: RegistryId, tool: U256, check: ManifestCheck, served: Option<ServedManifest>) -> bool { false }
}
