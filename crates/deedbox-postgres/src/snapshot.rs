//! Everything at one moment.

use async_trait::async_trait;
use deedbox_core::{
    Actor, ActorId, EvidenceId, EvidenceState, Head, KeyId, KeyRecord, PublicationId,
    PublicationState, RegistryId, RegistryState, StoredDeed, TaskId, TaskState,
};
use deedbox_store::{Snapshot, StoreError};
use sqlx::{Executor, Postgres, SqlSafeStr, pool::PoolConnection};

use crate::{
    error::{is_gone, store_error},
    pool::{LOST, Pool},
    publications::PublicationRow,
    registries::RegistryRow,
    rows::{ActorRow, DeedRow, EvidenceRow, KeyRow, TaskRow},
};

/// A connection in a transaction that sees one moment and writes nothing. Dropping it ends that transaction.
#[derive(Debug)]
pub(crate) struct PostgresSnapshot {
    pub(crate) transaction: sqlx::Transaction<'static, Postgres>,
}

impl PostgresSnapshot {
    pub(crate) async fn begin(pool: &Pool) -> Result<Self, StoreError> {
        let mut lost = 0;
        loop {
            match Self::begin_on(pool.acquire().await?).await {
                Ok(snapshot) => return Ok(snapshot),
                Err(error) if is_gone(&error) && lost < LOST => {
                    lost += 1;
                    pool.suspect();
                }
                Err(error) => return Err(store_error(error)),
            }
        }
    }

    async fn begin_on(connection: PoolConnection<Postgres>) -> Result<Self, sqlx::Error> {
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".into_sql_str();
        let mut transaction = sqlx::Transaction::begin(connection, Some(begin)).await?;
        // Whoever reads may think between pages; and the moment is that of the first query, so ask one.
        transaction
            .execute(
                "SET LOCAL idle_in_transaction_session_timeout = 0; SELECT 1 FROM deeds LIMIT 0",
            )
            .await?;
        Ok(Self { transaction })
    }
}

/// Below every id.
const FIRST: &str = "";

#[async_trait]
impl Snapshot for PostgresSnapshot {
    async fn count(&mut self) -> Result<u64, StoreError> {
        let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM deeds"#)
            .fetch_one(&mut *self.transaction)
            .await
            .map_err(store_error)?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    async fn deeds(
        &mut self,
        after: Option<(&str, i64)>,
        limit: u32,
    ) -> Result<Vec<StoredDeed>, StoreError> {
        let (stream, version) = after.unwrap_or((FIRST, 0));
        let rows = sqlx::query_as!(
            DeedRow,
            "SELECT * FROM deeds WHERE (stream, version) > ($1, $2)
             ORDER BY stream, version LIMIT $3",
            stream,
            version,
            i64::from(limit)
        )
        .fetch_all(&mut *self.transaction)
        .await
        .map_err(store_error)?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    async fn tasks(
        &mut self,
        after: Option<TaskId>,
        limit: u32,
    ) -> Result<Vec<TaskState>, StoreError> {
        let limit = i64::from(limit);
        let rows = match after {
            None => {
                sqlx::query_as!(TaskRow, "SELECT * FROM tasks ORDER BY id LIMIT $1", limit)
                    .fetch_all(&mut *self.transaction)
                    .await
            }
            Some(after) => {
                sqlx::query_as!(
                    TaskRow,
                    "SELECT * FROM tasks WHERE id > $1 ORDER BY id LIMIT $2",
                    after.0,
                    limit
                )
                .fetch_all(&mut *self.transaction)
                .await
            }
        };
        let rows = rows.map_err(store_error)?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    async fn actors(
        &mut self,
        after: Option<&ActorId>,
        limit: u32,
    ) -> Result<Vec<(Actor, Head)>, StoreError> {
        let rows = sqlx::query_as!(
            ActorRow,
            "SELECT * FROM actors WHERE id > $1 ORDER BY id LIMIT $2",
            after.map_or(FIRST, ActorId::as_str),
            i64::from(limit)
        )
        .fetch_all(&mut *self.transaction)
        .await
        .map_err(store_error)?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    async fn evidence(
        &mut self,
        after: Option<EvidenceId>,
        limit: u32,
    ) -> Result<Vec<EvidenceState>, StoreError> {
        let limit = i64::from(limit);
        let rows = match after {
            None => {
                sqlx::query_as!(
                    EvidenceRow,
                    "SELECT * FROM evidence ORDER BY id LIMIT $1",
                    limit
                )
                .fetch_all(&mut *self.transaction)
                .await
            }
            Some(after) => {
                sqlx::query_as!(
                    EvidenceRow,
                    "SELECT * FROM evidence WHERE id > $1 ORDER BY id LIMIT $2",
                    after.0,
                    limit
                )
                .fetch_all(&mut *self.transaction)
                .await
            }
        };
        let rows = rows.map_err(store_error)?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    async fn publications(
        &mut self,
        after: Option<PublicationId>,
        limit: u32,
    ) -> Result<Vec<PublicationState>, StoreError> {
        let limit = i64::from(limit);
        let rows = match after {
            None => {
                sqlx::query_as!(
                    PublicationRow,
                    "SELECT * FROM publications ORDER BY id LIMIT $1",
                    limit
                )
                .fetch_all(&mut *self.transaction)
                .await
            }
            Some(after) => {
                sqlx::query_as!(
                    PublicationRow,
                    "SELECT * FROM publications WHERE id > $1 ORDER BY id LIMIT $2",
                    after.0,
                    limit
                )
                .fetch_all(&mut *self.transaction)
                .await
            }
        };
        let rows = rows.map_err(store_error)?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    async fn registries(
        &mut self,
        after: Option<RegistryId>,
        limit: u32,
    ) -> Result<Vec<RegistryState>, StoreError> {
        let rows = sqlx::query_as!(
            RegistryRow,
            "SELECT * FROM registry_decisions WHERE id > $1 ORDER BY id LIMIT $2",
            after.map_or_else(String::new, |id| id.to_string()),
            i64::from(limit)
        )
        .fetch_all(&mut *self.transaction)
        .await
        .map_err(store_error)?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    async fn keys(
        &mut self,
        after: Option<&KeyId>,
        limit: u32,
    ) -> Result<Vec<(KeyRecord, Head)>, StoreError> {
        let rows = sqlx::query_as!(
            KeyRow,
            "SELECT * FROM keys WHERE id > $1 ORDER BY id LIMIT $2",
            after.map_or(FIRST, KeyId::as_str),
            i64::from(limit)
        )
        .fetch_all(&mut *self.transaction)
        .await
        .map_err(store_error)?;
        rows.into_iter().map(TryInto::try_into).collect()
    }
}
