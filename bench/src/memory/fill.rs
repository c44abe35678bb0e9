//! A million notes, each a deed that the rules decided on.
//!
//! SQLite takes them as it takes everything, many in one transaction. In PostgreSQL each is a transaction of its own under its space's lock, which
//! would take an hour; there [`copy`](crate::copy) fills the tables with what the same rules decide.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use anyhow::{Context, Result};
use deedbox_bench::dice::Dice;
use deedbox_core::{
    Attribution, Command, MemoryId, Principal, Space, SpaceId, SpaceUsage, State, Timestamp, World,
    memory::{About, MemoryCommand, MemoryTags, MemoryText, Salt, SealedText},
};
use deedbox_sqlite::SqliteStore;
use deedbox_store::{Decided, Execute, Store as _};
use futures::{StreamExt as _, TryStreamExt as _, stream};

use crate::notes::{Note, World as Notes};

/// How many are on their way at once.
const AT_ONCE: usize = 1_024;

/// A clock that is set, and randomness that a seed repeats: both databases get the same notes.
#[derive(Debug)]
pub(crate) struct Filling {
    millis: AtomicI64,
    dice: Mutex<Dice>,
}

impl Filling {
    pub(crate) fn new(seed: u64, from: Timestamp) -> Self {
        Self {
            millis: AtomicI64::new(from.as_millis()),
            dice: Mutex::new(Dice::new(seed)),
        }
    }
}

impl World for Filling {
    fn now(&self) -> Timestamp {
        let millis = self.millis.load(Ordering::Relaxed);
        Timestamp::from_millis(millis).unwrap_or_else(|_| unreachable!("this century is a time"))
    }

    fn fill(&self, bytes: &mut [u8]) {
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        for chunk in bytes.chunks_mut(8) {
            let random = dice.bits().to_le_bytes();
            chunk.copy_from_slice(&random[..chunk.len()]);
        }
    }
}

/// What makes the notes.
#[derive(Clone, Debug)]
pub(crate) struct Filler {
    notes: Notes,
    count: u64,
    /// Milliseconds from one note to the next: all together take a year, up to now.
    step: i64,
    world: Arc<Filling>,
}

impl Filler {
    pub(crate) fn new(notes: Notes, seed: u64, count: u64) -> Result<Self> {
        const YEAR: i64 = 365 * 24 * 60 * 60 * 1_000;
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
        let now = i64::try_from(since.as_millis())?;
        let from = Timestamp::from_millis(now - YEAR)?;
        Ok(Self {
            notes,
            count,
            step: YEAR / i64::try_from(count.max(1))?,
            world: Arc::new(Filling::new(seed, from)),
        })
    }

    /// The command that remembers the n-th note; the clock goes on by one step.
    fn execute(&self, n: u64) -> Result<Execute> {
        self.world.millis.fetch_add(self.step, Ordering::Relaxed);
        let Note {
            space,
            kind,
            path,
            tags,
            content,
        } = self.notes.note(n);
        let tags = tags.iter().map(|tag| tag.parse());
        let text = MemoryText {
            content: content.parse()?,
            path: path.map(|path| path.parse()).transpose()?,
            tags: MemoryTags::new(tags.collect::<Result<Vec<_>, _>>()?)?,
            key: None,
        };
        let about = About {
            kind,
            todo_done: false,
            expires_at: None,
        };
        let sealed = SealedText::new(text, Salt::random(&*self.world));
        let id = MemoryId(self.world.uuid());
        let command = MemoryCommand::remember(id, None, SpaceId::new(space)?, about, sealed, false);
        Ok(Execute {
            command: Command::Memory(Box::new(command)),
            attribution: Attribution::of(Principal::local()),
            idempotency: None,
        })
    }

    /// What the rules decide on each note in turn, in these spaces, which are empty.
    pub(crate) fn decided(&self, spaces: &[Space]) -> impl Iterator<Item = Result<Decided>> {
        (0..self.count).map(|n| {
            let execute = self.execute(n)?;
            let wanted = execute.needs().space.context("a note has a space")?;
            let space = spaces.iter().find(|space| space.id() == wanted);
            let state = State {
                space: space.cloned(),
                usage: SpaceUsage::default(),
                actors: BTreeSet::new(),
                ..State::default()
            };
            Ok(execute.decide(state, self.world.now())??)
        })
    }

    /// Remembers all notes in the database at `path`.
    pub(crate) async fn sqlite(&self, path: &Path) -> Result<()> {
        let store = SqliteStore::open(path, Arc::<Filling>::clone(&self.world)).await?;
        let store = &store;
        stream::iter(0..self.count)
            .map(|n| async move {
                if n % 100_000 == 0 {
                    crate::progress(&format!("{n} of {} notes", self.count));
                }
                store.execute(self.execute(n)?).await??;
                anyhow::Ok(())
            })
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await?;
        store.close().await;
        Ok(())
    }
}
