//! What is read without waiting for the writer.

use std::collections::BTreeMap;

use deedbox_core::{BlockHash, ChainAddress, Timestamp};
use deedbox_id::U256;
use deedbox_store::{
    StoreError,
    index::{
        Checkpoint, Cursor, Entry, Fact, FactName, Found, History, Look, NotARegistry, Only, Place,
        Query, RegistryId, Row, RowPlace, Search, SearchRun, Size, Subject, Survey, ToolEntry,
        WINDOW,
    },
};
use sqlx::SqliteConnection;

use super::rows::{EntryRow, FactRow, bound, json, numbers, parsed};
use crate::{error::failed, rows::Cause};

/// A registry's row.
#[derive(Debug)]
pub(super) struct RegistryRow {
    pub(super) id: i64,
    pub(super) cursor: String,
    pub(super) holder: String,
    pub(super) epoch: i64,
    pub(super) until: i64,
}

pub(super) async fn registry(
    connection: &mut SqliteConnection,
    registry: RegistryId,
) -> Result<Option<RegistryRow>, StoreError> {
    let registry = registry.to_string();
    sqlx::query_file_as!(RegistryRow, "queries-index/registry.sql", registry)
        .fetch_optional(connection)
        .await
        .map_err(failed)
}

pub(super) async fn cursors(connection: &mut SqliteConnection) -> Result<Vec<Cursor>, StoreError> {
    let rows = sqlx::query_file_scalar!("queries-index/registries.sql")
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let cursors = rows.iter().map(|row| parsed::<Cursor>("cursor", "", row));
    let mut cursors = cursors.collect::<Result<Vec<_>, _>>()?;
    cursors.sort_unstable_by_key(|cursor| cursor.registry);
    Ok(cursors)
}

pub(super) async fn entry(
    connection: &mut SqliteConnection,
    registry: RegistryId,
    subject: Subject,
) -> Result<Option<(i64, Entry)>, StoreError> {
    let (registry, key) = (registry.to_string(), subject.to_key());
    let row = sqlx::query_file!("queries-index/subject.sql", registry, key)
        .fetch_optional(connection)
        .await
        .map_err(failed)?;
    let Some(row) = row else { return Ok(None) };
    let Some(entry) = row.entry else {
        return Ok(None);
    };
    let (id, check) = (row.id, row.check);
    EntryRow { id, entry, check }.entry().map(Some)
}

pub(super) async fn history(
    connection: &mut SqliteConnection,
    query: &History,
) -> Result<Vec<Fact>, StoreError> {
    let (registry, key) = (query.registry.to_string(), query.subject.to_key());
    let subject = sqlx::query_file!("queries-index/subject.sql", registry, key)
        .fetch_optional(&mut *connection)
        .await
        .map_err(failed)?;
    let Some(subject) = subject.map(|row| row.id) else {
        return Ok(Vec::new());
    };
    let (block, log) = query.before.map_or((i64::MAX, i64::MAX), |before| {
        (bound(before.block), bound(before.log_index))
    });
    let limit = query.limit;
    let rows = match &query.name {
        Some(name) => {
            let name = name.as_bytes();
            let file = sqlx::query_file_as!(
                FactRow,
                "queries-index/facts_of_name.sql",
                subject,
                name,
                block,
                log,
                limit
            );
            file.fetch_all(connection).await
        }
        None => {
            let file = sqlx::query_file_as!(
                FactRow,
                "queries-index/facts_of_any_name.sql",
                subject,
                block,
                log,
                limit
            );
            file.fetch_all(connection).await
        }
    };
    let rows = rows.map_err(failed)?;
    rows.into_iter().map(FactRow::fact).collect()
}

pub(super) async fn predicates(
    connection: &mut SqliteConnection,
    of: RegistryId,
    after: Option<Place>,
    limit: u32,
) -> Result<Vec<(Place, ChainAddress)>, StoreError> {
    let Some(row) = registry(&mut *connection, of).await? else {
        return Ok(Vec::new());
    };
    let (block, log) = after.map_or((-1, -1), |place| {
        (bound(place.block), bound(place.log_index))
    });
    let Some((first, last)) = numbers_from(&mut *connection, row.id, block).await? else {
        return Ok(Vec::new());
    };
    let rows = sqlx::query_file!(
        "queries-index/predicates.sql",
        first,
        last,
        block,
        log,
        limit
    )
    .fetch_all(connection)
    .await
    .map_err(failed)?;
    let named = rows.into_iter().map(|row| {
        let named = || -> Result<_, Box<dyn std::error::Error + Send + Sync>> {
            let place = Place {
                block: row.block.try_into()?,
                log_index: row.log_index.try_into()?,
            };
            Ok((place, row.predicate.parse()?))
        };
        let at = || format!("{}:{}", row.block, row.log_index);
        named().map_err(|cause| StoreError::unreadable("fact", at(), cause))
    });
    named.collect()
}

pub(super) async fn permissions(
    connection: &mut SqliteConnection,
    registry: RegistryId,
    owner: ChainAddress,
    agent: U256,
    limit: u32,
) -> Result<Vec<Fact>, StoreError> {
    let (registry, key) = (registry.to_string(), Subject::Agent(agent).to_key());
    let subject = sqlx::query_file!("queries-index/subject.sql", registry, key)
        .fetch_optional(&mut *connection)
        .await
        .map_err(failed)?;
    let subject = subject.map(|row| row.id);
    let (first, last) = FactName::allowances_of(owner);
    let (first, last) = (first.as_bytes(), last.as_bytes());
    let mut rows = sqlx::query_file_as!(
        FactRow,
        "queries-index/allowances.sql",
        subject,
        first,
        last,
        limit
    )
    .fetch_all(&mut *connection)
    .await
    .map_err(failed)?;
    let (first, last) = Subject::operators_of(owner);
    let operators = sqlx::query_file_as!(
        FactRow,
        "queries-index/operators.sql",
        registry,
        first,
        last,
        limit
    )
    .fetch_all(connection)
    .await
    .map_err(failed)?;
    rows.extend(operators);
    let facts = rows.into_iter().map(FactRow::fact);
    Ok(Fact::last_of_each_name(facts.collect::<Result<_, _>>()?))
}

pub(super) async fn counts(
    connection: &mut SqliteConnection,
) -> Result<BTreeMap<RegistryId, u64>, StoreError> {
    let rows = sqlx::query_file!("queries-index/counts.sql")
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let counted = rows.into_iter().map(|row| {
        let registry = row.registry.parse();
        let registry = registry.map_err(|error: NotARegistry| {
            StoreError::unreadable("registry", row.registry, error)
        })?;
        Ok((registry, u64::try_from(row.entries).unwrap_or(0)))
    });
    counted.collect()
}

pub(super) async fn unchecked(
    connection: &mut SqliteConnection,
    of: RegistryId,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<ToolEntry>, StoreError> {
    let (of, now) = (of.to_string(), now.as_millis());
    let rows = sqlx::query_file_as!(EntryRow, "queries-index/unchecked.sql", of, now, limit)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let mut tools = Vec::with_capacity(rows.len());
    for row in rows {
        if let (_, Entry::Tool(tool)) = row.entry()? {
            tools.push(tool);
        }
    }
    Ok(tools)
}

pub(super) async fn looks(connection: &mut SqliteConnection) -> Result<Vec<Look>, StoreError> {
    let rows = sqlx::query_file_scalar!("queries-index/looks.sql")
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let looks = rows.iter().map(|row| parsed::<Look>("look", "", row));
    let mut looks = looks.collect::<Result<Vec<_>, _>>()?;
    looks.sort_unstable_by_key(|look| look.registry);
    Ok(looks)
}

pub(super) async fn surveys(connection: &mut SqliteConnection) -> Result<Vec<Survey>, StoreError> {
    let rows = sqlx::query_file_scalar!("queries-index/surveys.sql")
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let surveys = rows.iter().map(|row| parsed::<Survey>("survey", "", row));
    let mut surveys = surveys.collect::<Result<Vec<_>, _>>()?;
    surveys.sort_unstable_by_key(|survey| survey.registry);
    Ok(surveys)
}

pub(super) async fn last_said(
    connection: &mut SqliteConnection,
    of: RegistryId,
    upto: u64,
) -> Result<Option<Checkpoint>, StoreError> {
    let (of, upto) = (of.to_string(), i64::try_from(upto).unwrap_or(i64::MAX));
    let row = sqlx::query_file!("queries-index/blocks_last.sql", of, upto)
        .fetch_optional(connection)
        .await
        .map_err(failed)?;
    let Some(row) = row else {
        return Ok(None);
    };
    let read = || -> Result<Checkpoint, Cause> {
        Ok(Checkpoint {
            block: row.block.try_into()?,
            hash: BlockHash::try_from(row.hash.as_slice())?,
        })
    };
    let kept = read().map_err(|cause| StoreError::unreadable("block", row.block, cause))?;
    Ok(Some(kept))
}

pub(super) async fn size(
    connection: &mut SqliteConnection,
    of: RegistryId,
) -> Result<Size, StoreError> {
    let Some(row) = registry(&mut *connection, of).await? else {
        return Ok(Size::default());
    };
    let (first, last) = numbers(row.id);
    let counted = sqlx::query_file!("queries-index/size.sql", row.id, first, last)
        .fetch_one(connection)
        .await
        .map_err(failed)?;
    // A count is never negative.
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    Ok(Size {
        facts: count(counted.facts),
        entries: count(counted.entries),
    })
}

pub(super) async fn search<F: Only + Sync>(
    connection: &mut SqliteConnection,
    search: &Search<F>,
) -> Result<Found<F::Entry>, StoreError>
where
    F::Entry: Send,
{
    let mut run = SearchRun::new(search);
    let wanted = expression(&run.query());
    while let Some(newest) = run.wants() {
        let found = sqlx::query_file!("queries-index/documents_found.sql", wanted, newest, WINDOW)
            .fetch_all(&mut *connection)
            .await
            .map_err(failed)?;
        let cards = found
            .iter()
            .map(|row| Ok((row.id, parsed("card", row.id, &row.card)?)));
        run.take(&cards.collect::<Result<Vec<_>, StoreError>>()?);
    }
    if run.shown().is_empty() {
        return Ok(run.found([]));
    }
    let shown = json(&run.shown())?;
    let rows = sqlx::query_file_as!(EntryRow, "queries-index/entries_shown.sql", shown)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    let entries = rows.into_iter().map(EntryRow::entry);
    Ok(run.found(entries.collect::<Result<Vec<_>, _>>()?))
}

/// A query in FTS5's own words. No word has a quotation mark in it, but nothing depends on that.
fn expression(query: &Query) -> String {
    let quoted = |word: &String| format!("\"{}\"", word.replace('"', "\"\""));
    let one_of = |words: &Vec<String>| {
        let words: Vec<_> = words.iter().map(quoted).collect();
        format!("({})", words.join(" OR "))
    };
    let mut parts: Vec<_> = query.all.iter().map(quoted).collect();
    parts.extend(query.any.iter().map(one_of));
    if parts.is_empty() {
        parts.push(quoted(&query.every));
    }
    let all = parts.join(" AND ");
    if query.none.is_empty() {
        return all;
    }
    format!("({all}) NOT {}", one_of(&query.none))
}

pub(super) async fn dump(
    connection: &mut SqliteConnection,
    of: RegistryId,
    after: Option<RowPlace>,
    limit: u32,
) -> Result<Vec<Row>, StoreError> {
    let Some(row) = registry(&mut *connection, of).await? else {
        return Ok(Vec::new());
    };
    let mut rows = Vec::new();
    let key = match after {
        Some(RowPlace::Entry(subject)) => subject.to_key(),
        Some(RowPlace::Fact(place)) => {
            let (block, log) = (bound(place.block), bound(place.log_index));
            rows = facts(&mut *connection, row.id, (block, log), limit).await?;
            Vec::new()
        }
        None => {
            rows = facts(&mut *connection, row.id, (-1, -1), limit).await?;
            Vec::new()
        }
    };
    let left = limit.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    let entries = sqlx::query_file!("queries-index/entries_dump.sql", row.id, key, left)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    for row in entries {
        rows.push(Row::Entry(parsed("entry", row.id, &row.entry)?));
    }
    Ok(rows)
}

/// Facts of a registry after a block and a log.
async fn facts(
    connection: &mut SqliteConnection,
    registry: i64,
    (block, log): (i64, i64),
    limit: u32,
) -> Result<Vec<Row>, StoreError> {
    let Some((first, last)) = numbers_from(&mut *connection, registry, block).await? else {
        return Ok(Vec::new());
    };
    let rows = sqlx::query_file_as!(
        FactRow,
        "queries-index/facts_dump.sql",
        first,
        last,
        block,
        log,
        limit
    )
    .fetch_all(connection)
    .await
    .map_err(failed)?;
    rows.into_iter()
        .map(|row| row.fact().map(Row::Fact))
        .collect()
}

/// The numbers that facts of a registry have from a block on; `None` when there are none.
async fn numbers_from(
    connection: &mut SqliteConnection,
    registry: i64,
    block: i64,
) -> Result<Option<(i64, i64)>, StoreError> {
    let (_, last) = numbers(registry);
    let first = sqlx::query_file_scalar!("queries-index/blocks_from.sql", registry, block)
        .fetch_optional(connection)
        .await
        .map_err(failed)?;
    Ok(first.map(|first| (first, last)))
}
