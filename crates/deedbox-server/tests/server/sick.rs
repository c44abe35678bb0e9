//! A store that fails on request.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use deedbox_core::{
    Actor, ActorId, ChainAccount, Evidence, EvidenceId, EvidenceState, KeyId, KeyRecord, MemoryId,
    Publication, PublicationId, PublicationState, RegistryId, RegistryState, Space, SpaceId,
    SpaceUsage, TakenNonce, TaskId, Timestamp,
    evidence::ReadingKey,
    task::{Status, Task},
};
use deedbox_store::{
    Access, AccessRow, Accesses, Execute, Memories, MemoryHistory, MemoryStore, Outcome,
    Publications, Recall, Recalled, Recorded, Snapshot, Store, StoreError, Unaccepted,
};

use deedbox_server::Options;

use crate::house::House;

pub(crate) const WELL: u8 = 0;
pub(crate) const UNAVAILABLE: u8 = 1;
pub(crate) const BROKEN: u8 = 2;
pub(crate) const PANICS: u8 = 3;
pub(crate) const HANGS: u8 = 4;
pub(crate) const SLOW: u8 = 5;
/// It does not find out who saw the evidence that claims cite; everything else goes on.
pub(crate) const CITES_NOTHING: u8 = 6;

/// A store that fails on request, in what operations use; keys are always read.
#[derive(Debug)]
pub(crate) struct Sick {
    inner: Arc<dyn Store>,
    how: Arc<AtomicU8>,
}

impl Sick {
    async fn suffer(&self) -> Result<(), StoreError> {
        let cause = || "SELECT secret_hash FROM keys: disk on fire".into();
        match self.how.load(Ordering::SeqCst) {
            UNAVAILABLE => Err(StoreError::Unavailable(cause())),
            BROKEN => Err(StoreError::Rejected(cause())),
            PANICS => panic!("SELECT secret_hash: index out of bounds"),
            HANGS => std::future::pending().await,
            SLOW => {
                tokio::time::sleep(Duration::from_millis(300)).await;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl MemoryStore for Sick {
    async fn memory(&self, id: MemoryId) -> Result<Option<MemoryHistory>, StoreError> {
        self.suffer().await?;
        self.inner.memory(id).await
    }
    async fn memories(&self, query: &Memories) -> Result<Vec<deedbox_core::Memory>, StoreError> {
        self.suffer().await?;
        self.inner.memories(query).await
    }
    async fn recall(&self, query: &Recall, now: Timestamp) -> Result<Recalled, StoreError> {
        self.suffer().await?;
        self.inner.recall(query, now).await
    }
    async fn space(&self, id: &SpaceId) -> Result<Option<Space>, StoreError> {
        self.suffer().await?;
        self.inner.space(id).await
    }
    async fn spaces(&self, of: &ActorId) -> Result<Vec<Space>, StoreError> {
        self.suffer().await?;
        self.inner.spaces(of).await
    }
    async fn space_usage(&self, id: &SpaceId) -> Result<SpaceUsage, StoreError> {
        self.suffer().await?;
        self.inner.space_usage(id).await
    }
    async fn export(
        &self,
        space: &SpaceId,
        after: Option<MemoryId>,
        limit: u32,
    ) -> Result<Vec<deedbox_core::Memory>, StoreError> {
        self.suffer().await?;
        self.inner.export(space, after, limit).await
    }
    async fn record_access(&self, access: Access) -> Result<(), StoreError> {
        self.suffer().await?;
        self.inner.record_access(access).await
    }
    async fn accesses(&self, query: &Accesses) -> Result<Vec<AccessRow>, StoreError> {
        self.suffer().await?;
        self.inner.accesses(query).await
    }
}

#[async_trait]
impl Store for Sick {
    async fn execute(&self, execute: Execute) -> Result<Outcome, StoreError> {
        self.suffer().await?;
        self.inner.execute(execute).await
    }
    async fn status(&self, task: TaskId) -> Result<Option<Status>, StoreError> {
        self.suffer().await?;
        self.inner.status(task).await
    }
    async fn unaccepted(&self, query: &Unaccepted) -> Result<Vec<Task>, StoreError> {
        self.suffer().await?;
        self.inner.unaccepted(query).await
    }
    async fn evidence(&self, id: EvidenceId) -> Result<Option<Evidence>, StoreError> {
        self.suffer().await?;
        self.inner.evidence(id).await
    }
    async fn readings(&self, of: &ReadingKey, limit: u32) -> Result<Vec<Evidence>, StoreError> {
        self.suffer().await?;
        self.inner.readings(of, limit).await
    }
    async fn recorded(&self, query: &Recorded) -> Result<Vec<EvidenceState>, StoreError> {
        self.suffer().await?;
        self.inner.recorded(query).await
    }
    async fn cited(&self, ids: &BTreeSet<EvidenceId>) -> Result<Vec<EvidenceState>, StoreError> {
        self.suffer().await?;
        if self.how.load(Ordering::SeqCst) == CITES_NOTHING {
            return Err(StoreError::Unavailable("SELECT: disk on fire".into()));
        }
        self.inner.cited(ids).await
    }
    async fn readings_for(&self, task: TaskId) -> Result<u64, StoreError> {
        self.suffer().await?;
        self.inner.readings_for(task).await
    }
    async fn open_publication(
        &self,
        of: ChainAccount,
    ) -> Result<Option<PublicationState>, StoreError> {
        self.suffer().await?;
        self.inner.open_publication(of).await
    }
    async fn used_nonce(
        &self,
        of: ChainAccount,
        nonce: u64,
    ) -> Result<Option<TakenNonce>, StoreError> {
        self.suffer().await?;
        self.inner.used_nonce(of, nonce).await
    }
    async fn registry(&self, id: RegistryId) -> Result<Option<RegistryState>, StoreError> {
        self.suffer().await?;
        self.inner.registry(id).await
    }
    async fn registries(&self) -> Result<Vec<RegistryState>, StoreError> {
        self.suffer().await?;
        self.inner.registries().await
    }
    async fn publication(&self, id: PublicationId) -> Result<Option<Publication>, StoreError> {
        self.suffer().await?;
        self.inner.publication(id).await
    }
    async fn publications(
        &self,
        query: &Publications,
    ) -> Result<Vec<PublicationState>, StoreError> {
        self.suffer().await?;
        self.inner.publications(query).await
    }
    async fn actor(&self, id: &ActorId) -> Result<Option<Actor>, StoreError> {
        self.inner.actor(id).await
    }
    async fn actors(&self) -> Result<Vec<Actor>, StoreError> {
        self.inner.actors().await
    }
    async fn key(&self, id: &KeyId) -> Result<Option<KeyRecord>, StoreError> {
        self.inner.key(id).await
    }
    async fn keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.inner.keys().await
    }
    async fn forget_idempotency(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.inner.forget_idempotency(before).await
    }
    async fn ping(&self) -> Result<(), StoreError> {
        self.suffer().await?;
        self.inner.ping().await
    }
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.inner.snapshot().await
    }
    async fn close(&self) {
        self.inner.close().await;
    }
}

pub(crate) async fn sick_house() -> (House, Arc<AtomicU8>) {
    sick_house_with(|_| ()).await
}

pub(crate) async fn sick_house_with(change: impl FnOnce(&mut Options)) -> (House, Arc<AtomicU8>) {
    let how = Arc::new(AtomicU8::new(WELL));
    let shared = Arc::clone(&how);
    let house = House::over(
        |options| {
            options.request_timeout = Duration::from_millis(500);
            change(options);
        },
        |inner| Arc::new(Sick { inner, how: shared }),
    )
    .await;
    (house, how)
}
