//! Memories and spaces inside a group: loaded for decisions, changed by them, kept after them.

use std::collections::{BTreeSet, HashMap, HashSet};

use deedbox_core::{
    ActorId, Deed, Memory, MemoryId, MemoryKind, MemoryState, MemoryStatus, Needs, Space, SpaceId,
    SpaceUsage, State, TeamSpace, hash::ContentDigest,
};
use deedbox_store::{Access, MEMORY_EDITION, StoreError, document};
use sqlx::SqliteConnection;

use super::rows::{MemoryRow, SpaceRow, UsageRow, columns};
use crate::{
    error::failed,
    rows::{Batch, array, hex},
};

/// Carries out a statement that takes one JSON array.
macro_rules! run {
    ($connection:ident, $file:literal, $rows:ident) => {
        sqlx::query_file!($file, $rows)
            .execute(&mut *$connection)
            .await
            .map_err(failed)?
    };
}
/// What a group knows of memories and spaces, and what it has to write of them.
#[derive(Debug, Default)]
pub(crate) struct Held {
    memories: HashMap<MemoryId, Memory>,
    /// Contents of living memories, of those that are known.
    digests: HashMap<MemoryId, ContentDigest>,
    /// Of teams; a personal space is known when its actor is.
    spaces: HashMap<SpaceId, TeamSpace>,
    people: HashSet<ActorId>,
    usages: HashMap<SpaceId, SpaceUsage>,
    changed: HashSet<MemoryId>,
    changed_spaces: HashSet<SpaceId>,
    texts: Batch,
    /// Memories whose texts before a version are to go.
    redacted: HashMap<MemoryId, u64>,
}

impl Held {
    pub(crate) async fn read(
        connection: &mut SqliteConnection,
        needs: &[Needs],
    ) -> Result<Self, StoreError> {
        let mut held = Self::default();
        let ids: BTreeSet<MemoryId> = needs.iter().filter_map(|needs| needs.memory).collect();
        let named: BTreeSet<&SpaceId> = needs.iter().filter_map(|n| n.space.as_ref()).collect();
        if ids.is_empty() && named.is_empty() {
            return Ok(held);
        }
        let twins: Vec<(&SpaceId, MemoryKind, String)> = needs
            .iter()
            .filter_map(|needs| {
                let (kind, digest) = needs.twin?;
                Some((needs.space.as_ref()?, kind, hex(digest.as_bytes())))
            })
            .collect();
        let mut found = wanted(connection, ids).await?;
        if !twins.is_empty() {
            let twins =
                serde_json::to_string(&twins).map_err(|e| StoreError::Rejected(e.into()))?;
            let rows = sqlx::query_file_as!(MemoryRow, "queries/memories_twins.sql", twins)
                .fetch_all(&mut *connection)
                .await
                .map_err(failed)?;
            let rows = rows.into_iter().map(MemoryRow::memory);
            found.extend(rows.collect::<Result<Vec<_>, _>>()?);
        }
        let mut spaces: BTreeSet<SpaceId> = named.into_iter().cloned().collect();
        spaces.extend(found.iter().map(|memory| memory.state.space.clone()));
        for memory in found {
            held.learn(memory);
        }
        held.read_spaces(connection, &spaces).await?;
        Ok(held)
    }

    async fn read_spaces(
        &mut self,
        connection: &mut SqliteConnection,
        ids: &BTreeSet<SpaceId>,
    ) -> Result<(), StoreError> {
        let teams = teams(connection, ids).await?;
        self.spaces = teams
            .into_iter()
            .map(|team| (team.id.clone(), team))
            .collect();
        let people: BTreeSet<ActorId> = ids.iter().filter_map(SpaceId::person).collect();
        self.people = actors(connection, &people).await?;
        let wanted = array(ids);
        let rows = sqlx::query_file_as!(UsageRow, "queries/space_usage_wanted.sql", wanted)
            .fetch_all(connection)
            .await
            .map_err(failed)?;
        for row in rows {
            let (space, usage) = row.usage()?;
            self.usages.insert(space, usage);
        }
        Ok(())
    }

    fn learn(&mut self, memory: Memory) {
        let id = memory.state.id;
        let live = memory.state.status == MemoryStatus::Live;
        match memory.text.as_ref().filter(|_| live) {
            Some(text) => drop(self.digests.insert(id, text.digest())),
            None => drop(self.digests.remove(&id)),
        }
        self.memories.insert(id, memory);
    }

    /// Adds to `state` what `needs` names, as it stands at this point of the group. `exists` says whether an actor is known.
    pub(crate) fn state(
        &self,
        needs: &Needs,
        state: &mut State,
        exists: impl Fn(&ActorId) -> bool,
    ) {
        state.memory = needs.memory.and_then(|id| self.memories.get(&id).cloned());
        let of_memory = state.memory.as_ref().map(|memory| &memory.state.space);
        let Some(space) = needs.space.as_ref().or(of_memory).cloned() else {
            return;
        };
        state.twin = needs.twin.and_then(|(kind, digest)| {
            let same = |memory: &&Memory| {
                memory.state.space == space
                    && memory.state.about.kind == kind
                    && self.digests.get(&memory.state.id) == Some(&digest)
            };
            let oldest = |memory: &&Memory| (memory.state.created_at, memory.state.id);
            self.memories
                .values()
                .filter(same)
                .min_by_key(oldest)
                .cloned()
        });
        state.usage = self.usages.get(&space).copied().unwrap_or_default();
        state.space = match space.person() {
            Some(actor) => {
                (self.people.contains(&actor) || exists(&actor)).then_some(Space::Personal(actor))
            }
            None => self
                .spaces
                .get(&space)
                .map(|team| Space::Team(Box::new(team.clone()))),
        };
    }

    /// Takes up what a decision made of a memory.
    pub(crate) fn remember(&mut self, state: MemoryState, deed: &Deed) -> Result<(), StoreError> {
        let id = state.id;
        let before = self.memories.remove(&id);
        let was = before.as_ref().map(|memory| memory.state.usage());
        let usage = self.usages.entry(state.space.clone()).or_default();
        *usage = moved(*usage, was.unwrap_or_default(), state.usage());
        if let Some(sealed) = deed.text() {
            let (salt, text) = (hex(&sealed.salt.0), sealed.text.canonical());
            self.texts.push(&(id, deed.version, salt, text))?;
        }
        if state.status == MemoryStatus::Redacted {
            self.redacted.insert(id, state.head.version);
        }
        let new = deed.text().map(|sealed| sealed.text.clone());
        let text = new.or_else(|| before.and_then(|memory| memory.text));
        let text = state.text.and(text);
        self.learn(Memory { state, text });
        self.changed.insert(id);
        Ok(())
    }

    /// Takes up what a decision made of a team's space.
    pub(crate) fn space(&mut self, space: TeamSpace) {
        self.changed_spaces.insert(space.id.clone());
        self.spaces.insert(space.id.clone(), space);
    }

    pub(crate) async fn write(self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        self.write_spaces(connection).await?;
        if self.changed.is_empty() {
            return Ok(());
        }
        let mut rows = Batch::default();
        let mut usages = Batch::default();
        let mut spaces: BTreeSet<&SpaceId> = BTreeSet::new();
        let memories = || self.changed.iter().filter_map(|id| self.memories.get(id));
        for memory in memories() {
            rows.push(&columns(memory))?;
            spaces.insert(&memory.state.space);
        }
        for space in spaces {
            let usage = self.usages.get(space).copied().unwrap_or_default();
            usages.push(&(space, usage.memories, usage.bytes))?;
        }
        // The words go first: the index finds them by the rows as they are.
        let changed = array(&self.changed);
        run!(connection, "queries/memory_words_forget.sql", changed);
        run!(connection, "queries/memory_documents_forget.sql", changed);
        let rows = rows.finish();
        run!(connection, "queries/memories_keep.sql", rows);
        if !self.texts.is_empty() {
            let texts = self.texts.finish();
            run!(connection, "queries/memory_texts_append.sql", texts);
        }
        if !self.redacted.is_empty() {
            let mut redacted = Batch::default();
            for place in &self.redacted {
                redacted.push(&place)?;
            }
            let redacted = redacted.finish();
            run!(connection, "queries/memory_texts_redact.sql", redacted);
        }
        if let Some(words) = keep_documents(connection, memories()).await? {
            run!(connection, "queries/memory_words_keep.sql", words);
        }
        let usages = usages.finish();
        run!(connection, "queries/space_usage_keep.sql", usages);
        Ok(())
    }

    async fn write_spaces(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        if self.changed_spaces.is_empty() {
            return Ok(());
        }
        let (mut rows, mut members) = (Batch::default(), Batch::default());
        let changed = self.changed_spaces.iter();
        for space in changed.filter_map(|id| self.spaces.get(id)) {
            rows.push(&(
                &space.id,
                space.head.version,
                hex(space.head.hash.as_bytes()),
                space.head.at.as_millis(),
                &space.name,
                &space.owner,
                space.created_at.as_millis(),
            ))?;
            members.push(&(&space.id, &space.members))?;
        }
        let (rows, members) = (rows.finish(), members.finish());
        run!(connection, "queries/spaces_keep.sql", rows);
        run!(connection, "queries/space_members_forget.sql", members);
        run!(connection, "queries/space_members_keep.sql", members);
        Ok(())
    }
}

/// What a space has when one of its memories takes something else than before.
fn moved(usage: SpaceUsage, was: SpaceUsage, is: SpaceUsage) -> SpaceUsage {
    SpaceUsage {
        memories: (usage.memories + is.memories).saturating_sub(was.memories),
        bytes: (usage.bytes + is.bytes).saturating_sub(was.bytes),
    }
}

/// Keeps the words of these memories, of those that live, as this edition of the program makes them. Returns what was kept, as a JSON array of
/// [row, its words], for the index of words.
pub(super) async fn keep_documents<'a>(
    connection: &mut SqliteConnection,
    memories: impl Iterator<Item = &'a Memory> + Send,
) -> Result<Option<String>, StoreError> {
    let living: HashMap<String, &Memory> = memories
        .filter(|memory| memory.state.status == MemoryStatus::Live)
        .map(|memory| (memory.state.id.to_string(), memory))
        .collect();
    let ids = array(living.keys());
    let rows = sqlx::query_file!("queries/memory_rows.sql", ids)
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
    let mut words = Batch::default();
    for row in rows {
        if let Some(Memory { state, text }) = living.get(&row.id)
            && let Some(text) = text
        {
            words.push(&(row.row, document(row.row, state, text).join(" ")))?;
        }
    }
    if words.is_empty() {
        return Ok(None);
    }
    let words = words.finish();
    sqlx::query_file!("queries/memory_documents_keep.sql", words, MEMORY_EDITION)
        .execute(connection)
        .await
        .map_err(failed)?;
    Ok(Some(words))
}

pub(super) async fn wanted(
    connection: &mut SqliteConnection,
    ids: BTreeSet<MemoryId>,
) -> Result<Vec<Memory>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = array(ids);
    let rows = sqlx::query_file_as!(MemoryRow, "queries/memories_wanted.sql", ids)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    rows.into_iter().map(MemoryRow::memory).collect()
}

/// These spaces, those of teams that there are.
pub(super) async fn teams(
    connection: &mut SqliteConnection,
    ids: &BTreeSet<SpaceId>,
) -> Result<Vec<TeamSpace>, StoreError> {
    let ids = array(ids);
    let rows = sqlx::query_file_as!(SpaceRow, "queries/spaces_wanted.sql", ids)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    rows.into_iter().map(SpaceRow::space).collect()
}

/// Those of these actors that there are.
pub(super) async fn actors(
    connection: &mut SqliteConnection,
    ids: &BTreeSet<ActorId>,
) -> Result<HashSet<ActorId>, StoreError> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let ids = array(ids);
    let rows = sqlx::query_file_as!(crate::rows::ActorRow, "queries/actors_wanted.sql", ids)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let ids = rows.into_iter().map(|row| Ok(row.actor()?.0.id));
    ids.collect()
}

/// Appends who was shown what, in one statement that commits.
pub(crate) async fn note(
    connection: &mut SqliteConnection,
    accesses: &[Access],
) -> Result<(), StoreError> {
    let mut rows = Batch::default();
    for access in accesses {
        for (space, memory) in &access.shown {
            rows.push(&(
                access.at.as_millis(),
                &access.principal,
                &access.actor,
                &access.agent_label,
                access.instance.map(|hash| hex(hash.as_bytes())),
                &access.operation,
                space,
                memory,
            ))?;
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let rows = rows.finish();
    run!(connection, "queries/memory_accesses_append.sql", rows);
    Ok(())
}
