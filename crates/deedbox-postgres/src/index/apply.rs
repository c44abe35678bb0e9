//! Appending what was read.

use std::collections::BTreeMap;

use deedbox_core::Timestamp;
use deedbox_store::{
    StoreError,
    index::{Batch, Cursor, Entry, Fact, Lease, RegistryId, Subject, Superseded},
};
use sqlx::PgConnection;

use super::{
    entries::{Entries, Row},
    leases::{keep_cursors, lock},
    rows::{EntryRow, Locked, height, json, subject},
};
use crate::{error::store_error, rows::Micros};

/// Appends batches, each to a registry that a lease lets its holder write.
pub(super) async fn apply(
    connection: &mut PgConnection,
    leases: &[Lease],
    batches: &[Batch],
    now: Timestamp,
) -> Result<Result<Vec<Cursor>, Superseded>, StoreError> {
    let registries: Vec<_> = batches.iter().map(|batch| batch.registry).collect();
    let mut locked = lock(&mut *connection, &registries).await?;
    let mut cursors = Vec::with_capacity(batches.len());
    for batch in batches {
        let lease = leases.iter().find(|lease| lease.registry == batch.registry);
        let held = match held(&mut locked, batch.registry, lease, now) {
            Ok(held) => held,
            Err(superseded) => return Ok(Err(superseded)),
        };
        if let Err(superseded) = held.cursor.advance(batch) {
            return Ok(Err(superseded));
        }
        cursors.push(held.cursor.clone());
    }
    let subjects = listen(&mut *connection, &locked, batches).await?;
    append(&mut *connection, &locked, batches, &subjects).await?;
    keep_cursors(connection, locked.values()).await?;
    Ok(Ok(cursors))
}

/// The registry, if a lease lets its holder write it.
pub(super) fn held<'a>(
    locked: &'a mut BTreeMap<RegistryId, Locked>,
    of: RegistryId,
    lease: Option<&Lease>,
    now: Timestamp,
) -> Result<&'a mut Locked, Superseded> {
    let held = locked.get_mut(&of).zip(lease);
    held.filter(|(locked, lease)| lease.is_current(&locked.lease, now))
        .map(|(locked, _)| locked)
        .ok_or(Superseded::Lease(of))
}

/// The row number of a registry and a subject of it.
type Key = (i64, Subject);

/// What was said of a subject.
struct Heard<'a> {
    registry: RegistryId,
    facts: Vec<&'a Fact>,
}

/// Folds facts into their subjects' entries, and keeps those. Returns the subjects' row numbers.
async fn listen(
    connection: &mut PgConnection,
    locked: &BTreeMap<RegistryId, Locked>,
    batches: &[Batch],
) -> Result<BTreeMap<Key, i64>, StoreError> {
    let mut heard: BTreeMap<Key, Heard<'_>> = BTreeMap::new();
    for batch in batches {
        let Some(row) = locked.get(&batch.registry) else {
            continue;
        };
        for fact in &batch.facts {
            let nothing = || Heard {
                registry: batch.registry,
                facts: Vec::new(),
            };
            let subject = heard.entry((row.id, fact.statement.subject()));
            subject.or_insert_with(nothing).facts.push(fact);
        }
    }
    let (mut rows, mut entries) = (BTreeMap::new(), Entries::default());
    for known in recall(&mut *connection, heard.keys()).await? {
        let row = known.row;
        let key = (row.registry, row.subject);
        let Some(heard) = heard.remove(&key) else {
            continue;
        };
        rows.insert(key, row.id);
        let after = Entry::fold(known.entry.clone(), heard.registry, heard.facts);
        if row.is_new || known.entry != after {
            entries.push(row, after.as_ref())?;
        }
    }
    entries.write(connection).await?;
    Ok(rows)
}

/// What is known of a subject.
struct Known {
    row: Row,
    entry: Option<Entry>,
}

/// What is known of subjects. New ones get their row numbers.
async fn recall(
    connection: &mut PgConnection,
    wanted: impl Iterator<Item = &Key>,
) -> Result<Vec<Known>, StoreError> {
    let (registries, keys): (Vec<_>, Vec<_>) = wanted
        .map(|(registry, subject)| (*registry, subject.to_key()))
        .unzip();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query_file!("queries/index/subjects_wanted.sql", &registries, &keys)
        .fetch_all(connection)
        .await
        .map_err(store_error)?;
    rows.into_iter()
        .map(|row| {
            let (id, check) = (row.id, row.check);
            let entry = row.entry.map(|entry| EntryRow { id, entry, check }.entry());
            Ok(Known {
                row: Row {
                    id,
                    registry: row.registry,
                    subject: subject(&row.key)?,
                    is_new: row.new,
                },
                entry: entry.transpose()?.map(|(_, entry)| entry),
            })
        })
        .collect()
}

/// Facts and their blocks as columns.
#[derive(Default)]
struct Facts<'a> {
    registry: Vec<i64>,
    block: Vec<i64>,
    log_index: Vec<i64>,
    subject: Vec<i64>,
    name: Vec<Vec<u8>>,
    tx: Vec<&'a [u8]>,
    statement: Vec<String>,
    block_registry: Vec<i64>,
    block_number: Vec<i64>,
    block_hash: Vec<&'a [u8]>,
    block_at: Vec<Micros>,
}

impl<'a> Facts<'a> {
    fn push(&mut self, registry: i64, subject: i64, fact: &'a Fact) -> Result<(), StoreError> {
        let (origin, statement) = (&fact.origin, &fact.statement);
        let block = height(origin.place.block)?;
        let last = self.block_registry.last().zip(self.block_number.last());
        if last != Some((&registry, &block)) {
            self.block_registry.push(registry);
            self.block_number.push(block);
            self.block_hash.push(&origin.block_hash.0);
            self.block_at.push(origin.block_timestamp.into());
        }
        self.registry.push(registry);
        self.block.push(block);
        self.log_index.push(height(origin.place.log_index)?);
        self.subject.push(subject);
        self.name.push(statement.name().as_bytes().to_vec());
        self.tx.push(&origin.transaction.0);
        self.statement.push(json(statement)?);
        Ok(())
    }
}

/// Appends facts, and the blocks that they are of.
async fn append(
    connection: &mut PgConnection,
    locked: &BTreeMap<RegistryId, Locked>,
    batches: &[Batch],
    subjects: &BTreeMap<Key, i64>,
) -> Result<(), StoreError> {
    let mut facts = Facts::default();
    for batch in batches {
        for fact in &batch.facts {
            let registry = locked.get(&batch.registry).map(|row| row.id);
            let subject = registry.and_then(|row| subjects.get(&(row, fact.statement.subject())));
            let (Some(registry), Some(subject)) = (registry, subject) else {
                return Err(StoreError::Rejected("a fact's subject has no row".into()));
            };
            facts.push(registry, *subject, fact)?;
        }
    }
    if facts.block.is_empty() {
        return Ok(());
    }
    sqlx::query_file!(
        "queries/index/facts_append.sql",
        &facts.registry,
        &facts.block,
        &facts.log_index,
        &facts.subject,
        &facts.name,
        &facts.tx as &[&[u8]],
        &facts.statement,
        &facts.block_registry,
        &facts.block_number,
        &facts.block_hash as &[&[u8]],
        &facts.block_at as &[Micros]
    )
    .execute(connection)
    .await
    .map(drop)
    .map_err(store_error)
}
