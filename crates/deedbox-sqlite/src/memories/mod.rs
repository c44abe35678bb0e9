//! Memories, their texts and their spaces: written in groups, listed, recalled, and who read them.

mod edition;
mod recall;
mod rows;
mod write;

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use deedbox_core::{
    ActorId, Memory, MemoryId, MemoryState, Space, SpaceId, SpaceUsage, Stream, TeamSpace,
    Timestamp,
    attribution::AgentLabel,
    text::{MemoryKey, MemoryPath, MemoryTag},
};
use deedbox_store::{
    Access, AccessRow, Accesses, KeptText, Memories, MemoryHistory, MemorySnapshot, MemoryStore,
    Recall, Recalled, StoreError, path_end,
};
use sqlx::{Connection as _, SqliteConnection};

pub(crate) use self::{
    edition::renew,
    write::{Held, note},
};
use self::{
    recall::Index,
    rows::{MemoryRow, ReadingRow, SpaceRow, TextRow, UsageRow},
};
use crate::{
    SqliteStore,
    error::failed,
    readers::Readers,
    rows::{DeedRow, array},
    snapshot::SqliteSnapshot,
};

#[async_trait]
impl MemoryStore for SqliteStore {
    async fn memory(&self, id: MemoryId) -> Result<Option<MemoryHistory>, StoreError> {
        history(&self.readers, id).await
    }

    async fn memories(&self, query: &Memories) -> Result<Vec<Memory>, StoreError> {
        let mut found = Vec::new();
        for space in &query.spaces {
            let mut reader = self.readers.get().await?;
            found.extend(listed(&mut reader, query, space).await?);
        }
        Ok(query.page(found))
    }

    async fn recall(&self, query: &Recall, now: Timestamp) -> Result<Recalled, StoreError> {
        let mut reader = self.readers.get().await?;
        deedbox_store::recall(&mut Index(&mut reader), query, now).await
    }

    async fn space(&self, id: &SpaceId) -> Result<Option<Space>, StoreError> {
        let mut reader = self.readers.get().await?;
        if let Some(actor) = id.person() {
            let found = write::actors(&mut reader, &BTreeSet::from([actor])).await?;
            return Ok(found.into_iter().next().map(Space::Personal));
        }
        let found = write::teams(&mut reader, &BTreeSet::from([id.clone()])).await?;
        Ok(found
            .into_iter()
            .next()
            .map(|team| Space::Team(Box::new(team))))
    }

    async fn spaces(&self, of: &ActorId) -> Result<Vec<Space>, StoreError> {
        let mut reader = self.readers.get().await?;
        let known = write::actors(&mut reader, &BTreeSet::from([of.clone()])).await?;
        let actor = of.as_str();
        let rows = sqlx::query_file_as!(SpaceRow, "queries/spaces_of.sql", actor)
            .fetch_all(&mut *reader)
            .await
            .map_err(failed)?;
        let mut spaces: Vec<Space> = known.into_iter().map(Space::Personal).collect();
        for row in rows {
            spaces.push(Space::Team(Box::new(row.space()?)));
        }
        Ok(spaces)
    }

    async fn space_usage(&self, id: &SpaceId) -> Result<SpaceUsage, StoreError> {
        let mut reader = self.readers.get().await?;
        let wanted = array([id]);
        let row = sqlx::query_file_as!(UsageRow, "queries/space_usage_wanted.sql", wanted)
            .fetch_optional(&mut *reader)
            .await
            .map_err(failed)?;
        let usage = row.map(UsageRow::usage).transpose()?;
        Ok(usage.map(|(_, usage)| usage).unwrap_or_default())
    }

    async fn export(
        &self,
        space: &SpaceId,
        after: Option<MemoryId>,
        limit: u32,
    ) -> Result<Vec<Memory>, StoreError> {
        let (space, after) = (space.as_str(), after_id(after));
        let mut reader = self.readers.get().await?;
        let file = sqlx::query_file_as!(
            MemoryRow,
            "queries/memories_export.sql",
            space,
            after,
            limit
        );
        let rows = file.fetch_all(&mut *reader).await.map_err(failed)?;
        rows.into_iter().map(MemoryRow::memory).collect()
    }

    async fn record_access(&self, access: Access) -> Result<(), StoreError> {
        self.inbox.note(access).await
    }

    async fn accesses(&self, query: &Accesses) -> Result<Vec<AccessRow>, StoreError> {
        let (space, before) = (query.space.as_str(), query.before.unwrap_or(i64::MAX));
        let limit = query.limit;
        let mut reader = self.readers.get().await?;
        let rows = if let Some(memory) = query.memory {
            let memory = memory.to_string();
            sqlx::query_file_as!(
                ReadingRow,
                "queries/memory_accesses_of.sql",
                space,
                before,
                limit,
                memory
            )
            .fetch_all(&mut *reader)
            .await
        } else {
            sqlx::query_file_as!(
                ReadingRow,
                "queries/memory_accesses_in.sql",
                space,
                before,
                limit
            )
            .fetch_all(&mut *reader)
            .await
        };
        let rows = rows.map_err(failed)?;
        rows.into_iter().map(ReadingRow::access).collect()
    }
}

fn after_id(after: Option<MemoryId>) -> String {
    after.map(|id| id.to_string()).unwrap_or_default()
}

/// The memory, its deeds and its texts, in one transaction: at one moment.
async fn history(readers: &Readers, id: MemoryId) -> Result<Option<MemoryHistory>, StoreError> {
    let stream = Stream::Memory(id).to_string();
    let memory_id = id.to_string();
    let mut reader = readers.get().await?;
    let mut moment = reader.begin().await.map_err(failed)?;
    let memory = write::wanted(&mut moment, BTreeSet::from([id]))
        .await?
        .pop();
    let Some(memory) = memory else {
        return Ok(None);
    };
    let rows = sqlx::query_file_as!(DeedRow, "queries/status.sql", stream)
        .fetch_all(&mut *moment)
        .await
        .map_err(failed)?;
    let texts = sqlx::query_file!("queries/memory_texts_of.sql", memory_id)
        .fetch_all(&mut *moment)
        .await
        .map_err(failed)?;
    moment.rollback().await.map_err(failed)?;
    let mut kept = HashMap::new();
    for row in texts {
        let text = KeptText::read(id, row.version, &row.salt, &row.text)?;
        kept.insert(text.version, text.sealed.text);
    }
    let mut deeds = Vec::with_capacity(rows.len());
    for row in rows {
        let deed = row.deed()?;
        let text = kept.remove(&deed.version);
        deeds.push((deed, text));
    }
    Ok(Some(MemoryHistory { memory, deeds }))
}

async fn listed(
    connection: &mut SqliteConnection,
    query: &Memories,
    space: &SpaceId,
) -> Result<Vec<Memory>, StoreError> {
    let (space, status) = (space.as_str(), query.status.as_str());
    let (at, id) = query.after.map_or_else(
        // Before everything: no memory is newer than this.
        || (i64::MAX, String::new()),
        |place| (place.created_at.as_millis(), place.id.to_string()),
    );
    let kind = query.kind.map(deedbox_core::MemoryKind::as_str);
    let path = query.path.as_ref().map(MemoryPath::as_str);
    let end = query.path.as_ref().map(path_end);
    let tag = query.tag.as_ref().map(MemoryTag::as_str);
    let key = query.key.as_ref().map(MemoryKey::as_str);
    let label = query.agent_label.as_ref().map(AgentLabel::as_str);
    let instance = query
        .instance
        .as_ref()
        .map(|hash| hash.as_bytes().as_slice());
    let author = query.author.as_ref().map(ActorId::as_str);
    let (expired, now) = query.expired.unzip();
    let (expired, now) = (expired.map(i64::from), now.map(Timestamp::as_millis));
    let rows = sqlx::query_file_as!(
        MemoryRow,
        "queries/memories_listed.sql",
        space,
        status,
        at,
        id,
        query.limit,
        kind,
        path,
        end,
        tag,
        key,
        label,
        instance,
        author,
        now,
        expired
    )
    .fetch_all(connection)
    .await
    .map_err(failed)?;
    rows.into_iter().map(MemoryRow::memory).collect()
}

#[async_trait]
impl MemorySnapshot for SqliteSnapshot {
    async fn memories(
        &mut self,
        after: Option<MemoryId>,
        limit: u32,
    ) -> Result<Vec<MemoryState>, StoreError> {
        let after = after_id(after);
        let rows = sqlx::query_file_as!(MemoryRow, "queries/memories.sql", after, limit)
            .fetch_all(&mut self.0)
            .await
            .map_err(failed)?;
        rows.into_iter().map(MemoryRow::bare).collect()
    }

    async fn texts(
        &mut self,
        after: Option<(MemoryId, u64)>,
        limit: u32,
    ) -> Result<Vec<KeptText>, StoreError> {
        let (memory, version) = after.map_or_else(
            || (String::new(), 0),
            |(memory, version)| (memory.to_string(), crate::rows::integer(version)),
        );
        let rows =
            sqlx::query_file_as!(TextRow, "queries/memory_texts.sql", memory, version, limit)
                .fetch_all(&mut self.0)
                .await
                .map_err(failed)?;
        rows.into_iter().map(TextRow::kept).collect()
    }

    async fn spaces(
        &mut self,
        after: Option<&SpaceId>,
        limit: u32,
    ) -> Result<Vec<TeamSpace>, StoreError> {
        let after = after.map_or("", SpaceId::as_str);
        let rows = sqlx::query_file_as!(SpaceRow, "queries/spaces.sql", after, limit)
            .fetch_all(&mut self.0)
            .await
            .map_err(failed)?;
        rows.into_iter().map(SpaceRow::space).collect()
    }

    async fn usages(
        &mut self,
        after: Option<&SpaceId>,
        limit: u32,
    ) -> Result<Vec<(SpaceId, SpaceUsage)>, StoreError> {
        let after = after.map_or("", SpaceId::as_str);
        let rows = sqlx::query_file_as!(UsageRow, "queries/space_usage.sql", after, limit)
            .fetch_all(&mut self.0)
            .await
            .map_err(failed)?;
        rows.into_iter().map(UsageRow::usage).collect()
    }
}
