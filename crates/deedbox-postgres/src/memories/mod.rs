//! Memories, their texts and their spaces: loaded and kept in transactions, listed, recalled, and who read them.

mod edition;
mod recall;
mod rows;
mod write;

use std::collections::HashMap;

use async_trait::async_trait;
use deedbox_core::{
    ActorId, Deed, Memory, MemoryId, MemoryState, Space, SpaceId, SpaceUsage, Stream, TeamSpace,
    attribution::AgentLabel,
    text::{MemoryKey, MemoryPath, MemoryTag},
};
use deedbox_store::{
    Access, AccessRow, Accesses, KeptText, Memories, MemoryHistory, MemorySnapshot, MemoryStore,
    Recall, Recalled, StoreError, path_end,
};
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

pub(crate) use self::edition::renew;
pub(crate) use self::write::{load, put, put_space};
use self::{
    recall::Index,
    rows::{MemoryRow, ReadingRow, SpaceRow, TextRow, UsageRow},
};
use crate::{
    PostgresStore,
    error::store_error,
    pool::Pool,
    rows::{DeedRow, Micros, signed},
    snapshot::PostgresSnapshot,
};

#[async_trait]
impl MemoryStore for PostgresStore {
    async fn memory(&self, id: MemoryId) -> Result<Option<MemoryHistory>, StoreError> {
        history(&self.pool, id).await
    }

    async fn memories(&self, query: &Memories) -> Result<Vec<Memory>, StoreError> {
        let mut found = Vec::new();
        for space in &query.spaces {
            found.extend(listed(&self.pool, query, space).await?);
        }
        Ok(query.page(found))
    }

    async fn recall(
        &self,
        query: &Recall,
        now: deedbox_core::Timestamp,
    ) -> Result<Recalled, StoreError> {
        deedbox_store::recall(&mut Index(&self.pool), query, now).await
    }

    async fn space(&self, id: &SpaceId) -> Result<Option<Space>, StoreError> {
        let mut connection = self.pool.acquire().await?;
        Ok(write::find_space(&mut connection, id).await?)
    }

    async fn spaces(&self, of: &ActorId) -> Result<Vec<Space>, StoreError> {
        let own = SpaceId::personal(of);
        let mut spaces: Vec<Space> = self.space(&own).await?.into_iter().collect();
        let rows = self.pool.read(|connection| {
            let file = sqlx::query_file_as!(SpaceRow, "queries/memory/spaces_of.sql", of.as_str());
            Box::pin(file.fetch_all(connection))
        });
        for row in rows.await? {
            spaces.push(Space::Team(Box::new(row.space()?)));
        }
        Ok(spaces)
    }

    async fn space_usage(&self, id: &SpaceId) -> Result<SpaceUsage, StoreError> {
        let mut connection = self.pool.acquire().await?;
        Ok(write::usage(&mut connection, id).await?)
    }

    async fn export(
        &self,
        space: &SpaceId,
        after: Option<MemoryId>,
        limit: u32,
    ) -> Result<Vec<Memory>, StoreError> {
        let after = after_id(after);
        let rows = self.pool.read(|connection| {
            let file = sqlx::query_file_as!(
                MemoryRow,
                "queries/memory/export.sql",
                space.as_str(),
                after,
                i64::from(limit)
            );
            Box::pin(file.fetch_all(connection))
        });
        rows.await?.into_iter().map(MemoryRow::memory).collect()
    }

    async fn record_access(&self, access: Access) -> Result<(), StoreError> {
        if access.shown.is_empty() {
            return Ok(());
        }
        let spaces: Vec<&str> = access
            .shown
            .iter()
            .map(|(space, _)| space.as_str())
            .collect();
        let memories: Vec<Uuid> = access.shown.iter().map(|(_, memory)| memory.0).collect();
        let mut connection = self.pool.acquire().await?;
        sqlx::query_file!(
            "queries/memory/access_append.sql",
            Micros::from(access.at) as Micros,
            access.principal.as_str(),
            access.actor.as_ref().map(ActorId::as_str),
            access.agent_label.as_ref().map(AgentLabel::as_str),
            access
                .instance
                .as_ref()
                .map(|hash| hash.as_bytes().as_slice()),
            access.operation,
            &spaces as &[&str],
            &memories,
        )
        .execute(&mut *connection)
        .await
        .map_err(store_error)?;
        Ok(())
    }

    async fn accesses(&self, query: &Accesses) -> Result<Vec<AccessRow>, StoreError> {
        let before = query.before.unwrap_or(i64::MAX);
        let (space, limit) = (query.space.as_str(), i64::from(query.limit));
        let rows = match query.memory {
            Some(memory) => {
                let rows = self.pool.read(|connection| {
                    let file = sqlx::query_file_as!(
                        ReadingRow,
                        "queries/memory/accesses_of.sql",
                        memory.0,
                        before,
                        limit,
                        space
                    );
                    Box::pin(file.fetch_all(connection))
                });
                rows.await?
            }
            None => {
                let rows = self.pool.read(|connection| {
                    let file = sqlx::query_file_as!(
                        ReadingRow,
                        "queries/memory/accesses_in.sql",
                        space,
                        before,
                        limit
                    );
                    Box::pin(file.fetch_all(connection))
                });
                rows.await?
            }
        };
        rows.into_iter().map(ReadingRow::access).collect()
    }
}

/// The id after which to go on; below every other when there is none.
fn after_id(after: Option<MemoryId>) -> Uuid {
    after.map_or(Uuid::nil(), |id| id.0)
}

/// A memory's row, its deeds, and the texts beside them as (version, salt, text).
type Found = (Option<MemoryRow>, Vec<DeedRow>, Vec<(i64, Vec<u8>, String)>);

async fn find_at_once(connection: &mut PgConnection, id: MemoryId) -> sqlx::Result<Found> {
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    let mut moment = connection.begin_with(begin).await?;
    let row = sqlx::query_file_as!(MemoryRow, "queries/memory/wanted.sql", &[id.0])
        .fetch_optional(&mut *moment)
        .await?;
    let deeds = sqlx::query_as!(
        DeedRow,
        "SELECT * FROM deeds WHERE stream = $1 ORDER BY version",
        Stream::Memory(id).to_string()
    )
    .fetch_all(&mut *moment)
    .await?;
    let texts = sqlx::query!(
        "SELECT version, salt, text FROM memory_texts WHERE memory = $1 ORDER BY version",
        id.0
    )
    .fetch_all(&mut *moment)
    .await?;
    moment.rollback().await?;
    let texts = texts
        .into_iter()
        .map(|row| (row.version, row.salt, row.text));
    Ok((row, deeds, texts.collect()))
}

/// The memory, its deeds and its texts at one moment.
async fn history(pool: &Pool, id: MemoryId) -> Result<Option<MemoryHistory>, StoreError> {
    let found = pool.read(|connection| Box::pin(find_at_once(connection, id)));
    let (row, rows, texts) = found.await?;
    let Some(row) = row else { return Ok(None) };
    let memory = row.memory()?;
    let mut kept = HashMap::new();
    for (version, salt, text) in texts {
        let text = KeptText::read(id, version, &salt, &text)?;
        kept.insert(text.version, text.sealed.text);
    }
    let mut deeds = Vec::with_capacity(rows.len());
    for row in rows {
        let deed: Deed = row.read()?;
        let text = kept.remove(&deed.version);
        deeds.push((deed, text));
    }
    Ok(Some(MemoryHistory { memory, deeds }))
}

async fn listed(pool: &Pool, query: &Memories, space: &SpaceId) -> Result<Vec<Memory>, StoreError> {
    let (at, id) = query.after.map_or_else(
        // Before everything: no memory is newer than this.
        || (Micros::INFINITY, Uuid::max()),
        |place| (place.created_at.into(), place.id.0),
    );
    let path = query.path.as_ref().map(MemoryPath::as_str);
    let end = query.path.as_ref().map(path_end);
    let instance = query.instance.as_ref();
    let instance = instance.map(|hash| hash.as_bytes().as_slice());
    let (expired, now) = query.expired.unzip();
    let rows = pool.read(|connection| {
        let file = sqlx::query_file_as!(
            MemoryRow,
            "queries/memory/listed.sql",
            space.as_str(),
            query.status.as_str(),
            at as Micros,
            id,
            i64::from(query.limit),
            query.kind.map(deedbox_core::MemoryKind::as_str),
            path,
            end,
            query.tag.as_ref().map(MemoryTag::as_str),
            query.key.as_ref().map(MemoryKey::as_str),
            query.agent_label.as_ref().map(AgentLabel::as_str),
            instance,
            query.author.as_ref().map(ActorId::as_str),
            now.map(Micros::from) as Option<Micros>,
            expired
        );
        Box::pin(file.fetch_all(connection))
    });
    rows.await?.into_iter().map(MemoryRow::memory).collect()
}

#[async_trait]
impl MemorySnapshot for PostgresSnapshot {
    async fn memories(
        &mut self,
        after: Option<MemoryId>,
        limit: u32,
    ) -> Result<Vec<MemoryState>, StoreError> {
        let after = after_id(after);
        let rows = sqlx::query_file_as!(
            MemoryRow,
            "queries/memory/bare.sql",
            after,
            i64::from(limit)
        )
        .fetch_all(&mut *self.transaction)
        .await
        .map_err(store_error)?;
        rows.into_iter().map(MemoryRow::bare).collect()
    }

    async fn texts(
        &mut self,
        after: Option<(MemoryId, u64)>,
        limit: u32,
    ) -> Result<Vec<KeptText>, StoreError> {
        let (memory, version) = after.unzip();
        let rows = sqlx::query_file_as!(
            TextRow,
            "queries/memory/texts.sql",
            after_id(memory),
            version.map_or(0, signed),
            i64::from(limit)
        )
        .fetch_all(&mut *self.transaction)
        .await
        .map_err(store_error)?;
        rows.into_iter().map(TextRow::kept).collect()
    }

    async fn spaces(
        &mut self,
        after: Option<&SpaceId>,
        limit: u32,
    ) -> Result<Vec<TeamSpace>, StoreError> {
        let after = after.map_or("", SpaceId::as_str);
        let rows = sqlx::query_file_as!(
            SpaceRow,
            "queries/memory/spaces.sql",
            after,
            i64::from(limit)
        )
        .fetch_all(&mut *self.transaction)
        .await
        .map_err(store_error)?;
        rows.into_iter().map(SpaceRow::space).collect()
    }

    async fn usages(
        &mut self,
        after: Option<&SpaceId>,
        limit: u32,
    ) -> Result<Vec<(SpaceId, SpaceUsage)>, StoreError> {
        let after = after.map_or("", SpaceId::as_str);
        let rows = sqlx::query_as!(
            UsageRow,
            "SELECT space, memories, bytes FROM space_usage WHERE space > $1 ORDER BY space LIMIT $2",
            after,
            i64::from(limit)
        )
        .fetch_all(&mut *self.transaction)
        .await
        .map_err(store_error)?;
        rows.into_iter().map(UsageRow::usage).collect()
    }
}
