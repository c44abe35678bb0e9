//! The whole database at one moment: one reading transaction on a connection of its own.

use async_trait::async_trait;
use deedbox_core::{
    Actor, ActorId, EvidenceId, EvidenceState, KeyId, KeyRecord, PublicationId, PublicationState,
    RegistryId, RegistryState, StoredDeed, TaskId, TaskState, deed::Head,
};
use deedbox_store::{Snapshot, StoreError};
use sqlx::SqliteConnection;

use crate::{
    error::failed,
    publications::PublicationRow,
    registries,
    rows::{ActorRow, DeedRow, EvidenceRow, KeyRow, TaskRow},
};

/// Dropped, it closes its connection, and with it ends the transaction.
#[derive(Debug)]
pub(crate) struct SqliteSnapshot(pub(crate) SqliteConnection);

impl SqliteSnapshot {
    pub(crate) async fn begin(mut connection: SqliteConnection) -> Result<Self, StoreError> {
        sqlx::query("BEGIN")
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        let mut snapshot = Self(connection);
        // The moment is that of the first read, not of BEGIN.
        snapshot.count().await?;
        Ok(snapshot)
    }
}

#[async_trait]
impl Snapshot for SqliteSnapshot {
    async fn count(&mut self) -> Result<u64, StoreError> {
        let count = sqlx::query_file_scalar!("queries/deeds_count.sql")
            .fetch_one(&mut self.0)
            .await
            .map_err(failed)?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    async fn deeds(
        &mut self,
        after: Option<(&str, i64)>,
        limit: u32,
    ) -> Result<Vec<StoredDeed>, StoreError> {
        let (stream, version) = after.unwrap_or(("", 0));
        let rows = sqlx::query_file_as!(DeedRow, "queries/deeds.sql", stream, version, limit)
            .fetch_all(&mut self.0)
            .await
            .map_err(failed)?;
        rows.into_iter().map(DeedRow::stored).collect()
    }

    async fn tasks(
        &mut self,
        after: Option<TaskId>,
        limit: u32,
    ) -> Result<Vec<TaskState>, StoreError> {
        let after = after.map(|id| id.to_string()).unwrap_or_default();
        let rows = sqlx::query_file_as!(TaskRow, "queries/tasks.sql", after, limit)
            .fetch_all(&mut self.0)
            .await
            .map_err(failed)?;
        rows.into_iter().map(TaskRow::state).collect()
    }

    async fn actors(
        &mut self,
        after: Option<&ActorId>,
        limit: u32,
    ) -> Result<Vec<(Actor, Head)>, StoreError> {
        let after = after.map_or("", ActorId::as_str);
        let rows = sqlx::query_file_as!(ActorRow, "queries/actors.sql", after, limit)
            .fetch_all(&mut self.0)
            .await
            .map_err(failed)?;
        rows.into_iter().map(ActorRow::actor).collect()
    }

    async fn evidence(
        &mut self,
        after: Option<EvidenceId>,
        limit: u32,
    ) -> Result<Vec<EvidenceState>, StoreError> {
        let after = after.map(|id| id.to_string()).unwrap_or_default();
        let rows = sqlx::query_file_as!(EvidenceRow, "queries/evidence.sql", after, limit)
            .fetch_all(&mut self.0)
            .await
            .map_err(failed)?;
        rows.into_iter().map(EvidenceRow::state).collect()
    }

    async fn publications(
        &mut self,
        after: Option<PublicationId>,
        limit: u32,
    ) -> Result<Vec<PublicationState>, StoreError> {
        let after = after.map(|id| id.to_string()).unwrap_or_default();
        let rows = sqlx::query_file_as!(PublicationRow, "queries/publications.sql", after, limit)
            .fetch_all(&mut self.0)
            .await
            .map_err(failed)?;
        rows.into_iter().map(PublicationRow::state).collect()
    }

    async fn registries(
        &mut self,
        after: Option<RegistryId>,
        limit: u32,
    ) -> Result<Vec<RegistryState>, StoreError> {
        registries::page(&mut self.0, after, limit.into()).await
    }

    async fn keys(
        &mut self,
        after: Option<&KeyId>,
        limit: u32,
    ) -> Result<Vec<(KeyRecord, Head)>, StoreError> {
        let after = after.map_or("", KeyId::as_str);
        let rows = sqlx::query_file_as!(KeyRow, "queries/keys.sql", after, limit)
            .fetch_all(&mut self.0)
            .await
            .map_err(failed)?;
        rows.into_iter().map(KeyRow::key).collect()
    }
}
