//! A fresh database and a store on it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::sync::Arc;

use deedbox_core::{
    AcceptanceId, ActorId, ActorKind, Attribution, ChainAccount, ChainAddress, Command,
    CompletionId, EvidenceId, Principal, PublicationId, Scopes, TaskId, World,
    hash::RequestHash,
    key::ApiKey,
    task::ClaimProvenance,
    text::{ClaimText, Description, Name, Title},
};
use deedbox_neighbours::postgres::Cluster;
use deedbox_postgres::{PostgresOptions, PostgresStore};
use deedbox_store::{
    Execute, Idempotency, Outcome, Store, StoreError,
    story::{self, StoryWorld},
};

pub(crate) struct Fixture {
    pub(crate) store: Arc<PostgresStore>,
    pub(crate) world: Arc<StoryWorld>,
    pub(crate) url: String,
    // Last, so that the server outlives its clients.
    pub(crate) cluster: Cluster,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::on(Cluster::for_tests().unwrap()).await
    }

    pub(crate) async fn on(cluster: Cluster) -> Self {
        let (url, world) = (cluster.url(), Arc::new(StoryWorld::default()));
        let store = Arc::new(open(&url, &world).await.unwrap());
        Self {
            store,
            world,
            url,
            cluster,
        }
    }

    pub(crate) fn psql(&self, sql: &str) -> String {
        self.cluster.psql(&self.url, sql).unwrap()
    }

    pub(crate) async fn add_actor(&self, name: &str) {
        let command = Command::AddActor {
            id: actor(name),
            kind: ActorKind::Agent,
            name: Name::new(name).unwrap(),
        };
        self.ask(command).await.unwrap().unwrap();
    }

    pub(crate) async fn ask(&self, command: Command) -> Result<Outcome, StoreError> {
        self.store.execute(plain(command)).await
    }

    pub(crate) fn create(&self) -> (TaskId, Command) {
        let task = TaskId(self.world.uuid());
        let command = Command::CreateTask {
            task,
            title: Title::new("Write the report").unwrap(),
            description: Description::new("").unwrap(),
            injected_by: actor("alice"),
            authority_scope: None,
            recipient_only: false,
        };
        (task, command)
    }

    pub(crate) async fn created(&self) -> TaskId {
        let (task, command) = self.create();
        self.ask(command).await.unwrap().unwrap();
        task
    }

    pub(crate) fn record(&self, raw: &str) -> (EvidenceId, Command) {
        let id = EvidenceId(self.world.uuid());
        let command = Command::RecordReading {
            id,
            reading: story::balance(raw, 100, 1),
            task: None,
        };
        (id, command)
    }

    /// The transaction of this nonce, signed by [`account`].
    pub(crate) fn publish(&self, nonce: u64) -> (PublicationId, Command) {
        let id = PublicationId(self.world.uuid());
        let attempt = story::signed(account(), nonce, 1_000, b"call");
        (id, Command::SignPublication { id, attempt })
    }

    pub(crate) fn accept(&self, task: TaskId) -> Command {
        Command::AcceptTask {
            task,
            id: AcceptanceId(self.world.uuid()),
            actor: actor("alice"),
            context_note: None,
        }
    }

    pub(crate) fn complete(&self, task: TaskId, text: &str) -> Command {
        Command::ReportCompletion {
            task,
            id: CompletionId(self.world.uuid()),
            actor: actor("alice"),
            provenance: ClaimProvenance::Observed,
            claim_text: ClaimText::new(text).unwrap(),
            source_reference: None,
        }
    }

    pub(crate) fn issue(&self, only_first_operator: bool) -> (ApiKey, Command) {
        let key = ApiKey::generate(&*self.world);
        let command = Command::IssueKey {
            id: key.id().clone(),
            secret_hash: key.hash(),
            actor: None,
            scopes: Scopes::all(),
            label: None,
            agent_label: None,
            expires_at: None,
            only_first_operator,
        };
        (key, command)
    }
}

pub(crate) async fn open(url: &str, world: &Arc<StoryWorld>) -> Result<PostgresStore, StoreError> {
    PostgresStore::open(url, PostgresOptions::default(), Arc::clone(world) as _).await
}

pub(crate) fn actor(name: &str) -> ActorId {
    ActorId::new(name).unwrap()
}

/// An account on a chain for tests.
pub(crate) fn account() -> ChainAccount {
    ChainAccount {
        chain_id: 31_337,
        account: ChainAddress([0xaa; 20]),
    }
}

pub(crate) fn plain(command: Command) -> Execute {
    Execute {
        command,
        attribution: Attribution::of(Principal::local()),
        idempotency: None,
    }
}

pub(crate) fn named(command: Command, key: &str) -> Execute {
    Execute {
        idempotency: Some(Idempotency {
            key: key.parse().unwrap(),
            request: RequestHash::of(key.as_bytes()),
        }),
        ..plain(command)
    }
}
