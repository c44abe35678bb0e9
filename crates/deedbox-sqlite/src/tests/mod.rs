//! What only SQLite has to promise. What every backend has to is in [`deedbox_store::story`].

mod index;
mod memories;
mod opening;
mod plans;
#[cfg(unix)]
mod renewing;
mod repeats;
mod tampering;
mod writing;

use std::{path::PathBuf, sync::Arc};

use deedbox_core::{
    AcceptanceId, ActorId, ActorKind, Attribution, ChainAccount, ChainAddress, Command, Deed,
    EvidenceId, Principal, PublicationId, TaskId, World as _,
    text::{Description, Name, Title},
};
use deedbox_store::{
    Execute, Outcome, Store as _, ledger,
    story::{self, StoryWorld},
};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, SqliteConnection};
use tempfile::TempDir;

use crate::SqliteStore;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_story_is_told_word_for_word() {
    let place = Place::new();
    let store = Arc::new(place.open().await);
    story::tell(store, Arc::clone(&place.world)).await;
}

/// A folder with one database, and the world it lives in.
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
        self.folder.path().join("deedbox.sqlite")
    }

    async fn open(&self) -> SqliteStore {
        let world = Arc::clone(&self.world);
        SqliteStore::open(&self.path(), world).await.unwrap()
    }

    /// A store in which the actor "alice" exists.
    async fn with_alice(&self) -> SqliteStore {
        let store = self.open().await;
        done(&store, add("alice")).await;
        store
    }

    /// Somebody else's connection, without any of this program's settings.
    async fn stranger(&self) -> SqliteConnection {
        let url = format!("sqlite://{}", self.path().display());
        SqliteConnection::connect(&url).await.unwrap()
    }

    fn create(&self, title: &str) -> (TaskId, Command) {
        let task = TaskId(self.world.uuid());
        let command = Command::CreateTask {
            task,
            title: Title::new(title).unwrap(),
            description: Description::new("").unwrap(),
            injected_by: actor("alice"),
            authority_scope: None,
            recipient_only: false,
        };
        (task, command)
    }

    fn record(&self, raw: &str) -> (EvidenceId, Command) {
        let id = EvidenceId(self.world.uuid());
        let command = Command::RecordReading {
            id,
            reading: story::balance(raw, 100, 1),
            task: None,
        };
        (id, command)
    }

    /// The transaction of this nonce, signed.
    fn publish(&self, nonce: u64) -> (PublicationId, Command) {
        let id = PublicationId(self.world.uuid());
        let attempt = story::signed(account(), nonce, 1_000, b"call");
        (id, Command::SignPublication { id, attempt })
    }

    fn accept(&self, task: TaskId) -> Command {
        Command::AcceptTask {
            task,
            id: AcceptanceId(self.world.uuid()),
            actor: actor("alice"),
            context_note: None,
        }
    }
}

fn actor(name: &str) -> ActorId {
    ActorId::new(name).unwrap()
}

/// An account on a chain for tests.
fn account() -> ChainAccount {
    ChainAccount {
        chain_id: 31_337,
        account: ChainAddress([0xaa; 20]),
    }
}

fn add(name: &str) -> Command {
    Command::AddActor {
        id: actor(name),
        kind: ActorKind::Agent,
        name: Name::new(name).unwrap(),
    }
}

fn by_operator(command: Command) -> Execute {
    Execute {
        command,
        attribution: Attribution::of(Principal::local()),
        idempotency: None,
    }
}

async fn run(store: &SqliteStore, command: Command) -> Outcome {
    store.execute(by_operator(command)).await.unwrap()
}

async fn done(store: &SqliteStore, command: Command) -> Deed {
    run(store, command).await.unwrap().deed
}

/// Runs statements that the program itself never would.
async fn sql(connection: &mut SqliteConnection, statements: &str) -> Result<(), sqlx::Error> {
    let statements = AssertSqlSafe(statements.to_owned());
    connection.execute(statements).await.map(drop)
}

async fn is_sound(store: &SqliteStore) -> ledger::Sound {
    let mut snapshot = store.snapshot().await.unwrap();
    ledger::check(&mut *snapshot, |_| {})
        .await
        .unwrap()
        .unwrap()
}
