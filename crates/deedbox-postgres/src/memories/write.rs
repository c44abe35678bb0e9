//! Memories and spaces in a transaction: loaded under the space's lock, and kept.

use deedbox_core::{
    ActorId, Deed, Memory, MemoryId, MemoryKind, MemoryState, MemoryStatus, MemoryText, Space,
    SpaceId, SpaceUsage, State, TeamSpace, hash::ContentDigest, memory::MemoryAuthor,
};
use deedbox_store::{Filed, MEMORY_EDITION, StoreError, document};
use sqlx::PgConnection;
use uuid::Uuid;

use super::rows::{MemoryRow, SpaceRow, UsageRow};
use crate::{
    error::Failure,
    rows::{Micros, signed},
};

/// Adds to `state` a space and what it has, a memory, and what says the same already; under a lock of the space, which whoever decides
/// on it or in it holds until it commits.
pub(crate) async fn load(
    connection: &mut PgConnection,
    state: &mut State,
    memory: Option<MemoryId>,
    named: Option<SpaceId>,
    twin: Option<(MemoryKind, ContentDigest)>,
) -> Result<(), Failure> {
    // Where a memory is never changes; everything else is read once the lock is held.
    let space = match (named, memory) {
        (Some(named), _) => Some(named),
        (None, Some(id)) => place_of(connection, id).await?,
        (None, None) => None,
    };
    let Some(space) = space else { return Ok(()) };
    lock(connection, &space).await?;
    state.space = find_space(connection, &space).await?;
    state.usage = usage(connection, &space).await?;
    if let Some(id) = memory {
        state.memory = wanted(connection, &[id.0]).await?.pop();
    }
    // It may be in another space than the one that is named, and is then not there for the rules to change.
    if let Some((kind, digest)) = twin {
        let row = sqlx::query_file_as!(
            MemoryRow,
            "queries/memory/twin.sql",
            space.as_str(),
            kind.as_str(),
            digest.as_bytes().as_slice()
        )
        .fetch_optional(connection)
        .await?;
        state.twin = row.map(MemoryRow::memory).transpose()?;
    }
    Ok(())
}

async fn place_of(connection: &mut PgConnection, id: MemoryId) -> Result<Option<SpaceId>, Failure> {
    let space = sqlx::query_scalar!("SELECT space FROM memories WHERE id = $1", id.0)
        .fetch_optional(connection)
        .await?;
    let space = space.map(|space| space.parse()).transpose();
    let row = || format!("memory:{id}");
    Ok(space.map_err(|cause: deedbox_core::id::NotASpaceId| {
        StoreError::unreadable("memory", row(), cause)
    })?)
}

async fn lock(connection: &mut PgConnection, space: &SpaceId) -> Result<(), Failure> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('deedbox: space ' || $1, 0))",
        space.as_str()
    )
    .fetch_one(connection)
    .await?;
    Ok(())
}

/// The space, if it is a team's that there is, or that of an actor that there is.
pub(super) async fn find_space(
    connection: &mut PgConnection,
    id: &SpaceId,
) -> Result<Option<Space>, Failure> {
    if let Some(actor) = id.person() {
        let known = sqlx::query_scalar!("SELECT id FROM actors WHERE id = $1", actor.as_str())
            .fetch_optional(connection)
            .await?;
        return Ok(known.map(|_| Space::Personal(actor)));
    }
    let row = sqlx::query_file_as!(SpaceRow, "queries/memory/space.sql", id.as_str())
        .fetch_optional(connection)
        .await?;
    let team = row.map(SpaceRow::space).transpose()?;
    Ok(team.map(|team| Space::Team(Box::new(team))))
}

pub(super) async fn usage(
    connection: &mut PgConnection,
    id: &SpaceId,
) -> Result<SpaceUsage, Failure> {
    let row = sqlx::query_as!(
        UsageRow,
        "SELECT space, memories, bytes FROM space_usage WHERE space = $1",
        id.as_str()
    )
    .fetch_optional(connection)
    .await?;
    let usage = row.map(UsageRow::usage).transpose()?;
    Ok(usage.map(|(_, usage)| usage).unwrap_or_default())
}

pub(super) async fn wanted(
    connection: &mut PgConnection,
    ids: &[Uuid],
) -> Result<Vec<Memory>, Failure> {
    let rows = sqlx::query_file_as!(MemoryRow, "queries/memory/wanted.sql", ids)
        .fetch_all(connection)
        .await?;
    let memories = rows.into_iter().map(MemoryRow::memory);
    Ok(memories.collect::<Result<_, _>>()?)
}

/// Keeps a team's space and its members.
pub(crate) async fn put_space(
    connection: &mut PgConnection,
    space: &TeamSpace,
) -> Result<(), Failure> {
    let members: Vec<&str> = space.members.iter().map(ActorId::as_str).collect();
    sqlx::query_file!(
        "queries/memory/space_keep.sql",
        space.id.as_str(),
        signed(space.head.version),
        space.head.hash.as_bytes().as_slice(),
        Micros::from(space.head.at) as Micros,
        space.name.as_str(),
        space.owner.as_str(),
        Micros::from(space.created_at) as Micros,
        &members as &[&str],
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Keeps a memory, the text beside its last deed, what its space has, and its words; and deletes what is redacted.
pub(crate) async fn put(
    connection: &mut PgConnection,
    state: &MemoryState,
    deeds: &[Deed],
) -> Result<(), Failure> {
    let last = deeds.iter().find(|deed| deed.hash == state.head.hash);
    let new = last.and_then(Deed::text);
    if let Some(sealed) = new {
        sqlx::query!(
            "INSERT INTO memory_texts (memory, version, salt, text) VALUES ($1, $2, $3, $4)",
            state.id.0,
            signed(state.head.version),
            sealed.salt.0.as_slice(),
            sealed.text.canonical(),
        )
        .execute(&mut *connection)
        .await?;
    }
    if state.status == MemoryStatus::Redacted {
        sqlx::query!("DELETE FROM memory_texts WHERE memory = $1", state.id.0)
            .execute(&mut *connection)
            .await?;
    }
    let text = match new {
        Some(sealed) => Some(sealed.text.clone()),
        None => text_of(connection, state).await?,
    };
    move_usage(connection, state).await?;
    let row = put_row(connection, state, text.as_ref()).await?;
    match text.filter(|_| state.status == MemoryStatus::Live) {
        Some(text) => {
            let words = document(row, state, &text);
            sqlx::query_file!(
                "queries/memory/document_keep.sql",
                row,
                &words,
                MEMORY_EDITION
            )
            .execute(connection)
            .await?;
        }
        None => {
            sqlx::query!("DELETE FROM memory_documents WHERE row = $1", row)
                .execute(connection)
                .await?;
        }
    }
    Ok(())
}

/// The text that a memory has had since an earlier deed.
async fn text_of(
    connection: &mut PgConnection,
    state: &MemoryState,
) -> Result<Option<MemoryText>, Failure> {
    let Some(version) = state.text else {
        return Ok(None);
    };
    let text = sqlx::query_scalar!(
        "SELECT text FROM memory_texts WHERE memory = $1 AND version = $2",
        state.id.0,
        signed(version)
    )
    .fetch_one(connection)
    .await?;
    let text = serde_json::from_str(&text);
    let unreadable = |cause| StoreError::unreadable("memory text", state.id, cause);
    Ok(Some(text.map_err(|cause: serde_json::Error| {
        unreadable(Box::new(cause))
    })?))
}

/// Counts what a memory takes of its space instead of what its row says that it took.
async fn move_usage(connection: &mut PgConnection, state: &MemoryState) -> Result<(), Failure> {
    let is = state.usage();
    sqlx::query!(
        "INSERT INTO space_usage AS old (space, memories, bytes)
         VALUES ($2, $3, $4)
         ON CONFLICT (space) DO UPDATE SET
             memories = old.memories + $3
                 - (SELECT count(*) FROM memories WHERE id = $1 AND status = 'live'),
             bytes = old.bytes + $4 - coalesce((SELECT m.bytes FROM memories AS m WHERE m.id = $1), 0)",
        state.id.0,
        state.space.as_str(),
        signed(is.memories),
        signed(is.bytes),
    )
    .execute(connection)
    .await?;
    Ok(())
}

struct Author<'a> {
    actor: Option<&'a str>,
    label: Option<&'a str>,
    instance: Option<&'a [u8]>,
}

impl<'a> From<&'a MemoryAuthor> for Author<'a> {
    fn from(author: &'a MemoryAuthor) -> Self {
        let by = &author.by;
        let label = by.agent_label.as_ref();
        let instance = by.instance_hash.as_ref();
        Self {
            actor: author.actor.as_ref().map(ActorId::as_str),
            label: label.map(deedbox_core::AgentLabel::as_str),
            instance: instance.map(|hash| hash.as_bytes().as_slice()),
        }
    }
}

async fn put_row(
    connection: &mut PgConnection,
    state: &MemoryState,
    text: Option<&MemoryText>,
) -> Result<i64, Failure> {
    let filed = text.map(Filed::from);
    let filed = filed.as_ref();
    let (first, last) = (&state.first_author, &state.last_author);
    let (a, b) = (Author::from(first), Author::from(last));
    let row = sqlx::query_file_scalar!(
        "queries/memory/keep.sql",
        state.id.0,
        signed(state.head.version),
        state.head.hash.as_bytes().as_slice(),
        Micros::from(state.head.at) as Micros,
        state.space.as_str(),
        state.about.kind.as_str(),
        state.about.todo_done,
        state.about.expires_at.map(Micros::from) as Option<Micros>,
        state.status.as_str(),
        Micros::from(state.created_at) as Micros,
        Micros::from(state.updated_at) as Micros,
        a.actor,
        first.by.principal.as_str(),
        first.by.basis.as_str(),
        a.label,
        a.instance,
        b.actor,
        last.by.principal.as_str(),
        last.by.basis.as_str(),
        b.label,
        b.instance,
        state.text.map(signed),
        signed(state.bytes),
        filed.and_then(|filed| filed.path.as_deref()),
        filed.and_then(|filed| filed.key.as_deref()),
        filed.map(|filed| filed.tags.as_slice()),
        filed.map(|filed| filed.digest.as_slice()),
    )
    .fetch_one(connection)
    .await?;
    Ok(row)
}
