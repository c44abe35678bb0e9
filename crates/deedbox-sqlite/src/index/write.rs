//! Appending what was read, and what checks found.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use deedbox_core::Timestamp;
use deedbox_id::U256;
use deedbox_store::{
    StoreError,
    index::{
        Batch, Cursor, Entry, Fact, Lease, Look, ManifestCheck, RegistryId, ServedManifest,
        Subject, Superseded,
    },
};
use sqlx::SqliteConnection;

use super::{
    bulk::{BLOCKS, DOCUMENTS, FACTS, SUBJECTS},
    leases::{held, keep_cursor},
    read,
    rows::{attach, due, height, json, numbers, parsed, subject},
};
use crate::error::failed;

/// Appends one batch. Nothing else writes in this transaction's time.
pub(super) async fn apply(
    connection: &mut SqliteConnection,
    leases: &[Lease],
    batch: &Batch,
    now: Timestamp,
) -> Result<Result<Cursor, Superseded>, StoreError> {
    let lease = leases.iter().find(|lease| lease.registry == batch.registry);
    let (registry, mut cursor) = match held(&mut *connection, batch.registry, lease, now).await? {
        Ok(held) => held,
        Err(superseded) => return Ok(Err(superseded)),
    };
    if let Err(superseded) = cursor.advance(batch) {
        return Ok(Err(superseded));
    }
    if !batch.facts.is_empty() {
        let subjects = listen(&mut *connection, registry, batch).await?;
        append(&mut *connection, registry, &batch.facts, &subjects).await?;
    }
    keep_cursor(connection, registry, &cursor).await?;
    Ok(Ok(cursor))
}

/// A subject of a batch, with what was said of it.
struct Heard<'a> {
    row: Option<i64>,
    entry: Option<Entry>,
    facts: Vec<&'a Fact>,
}

/// A new subject's row.
struct SubjectRow {
    id: i64,
    key: Vec<u8>,
    card: Option<String>,
    entry: Option<String>,
    due: Option<i64>,
}

/// Folds the facts of a batch into their subjects' entries, and keeps those. Returns the subjects' row numbers.
async fn listen(
    connection: &mut SqliteConnection,
    registry: i64,
    batch: &Batch,
) -> Result<BTreeMap<Subject, i64>, StoreError> {
    let mut heard: BTreeMap<Subject, Heard<'_>> = BTreeMap::new();
    for fact in &batch.facts {
        let subject = heard.entry(fact.statement.subject());
        let nothing = || Heard {
            row: None,
            entry: None,
            facts: Vec::new(),
        };
        subject.or_insert_with(nothing).facts.push(fact);
    }
    recall(&mut *connection, registry, &mut heard).await?;
    let mut last = sqlx::query_file_scalar!("queries-index/subjects_last.sql")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    let mut rows = BTreeMap::new();
    let (mut new, mut stale, mut documents) = (Vec::new(), Vec::new(), Vec::new());
    for (subject, heard) in heard {
        let before = heard.entry.clone();
        let after = Entry::fold(heard.entry, batch.registry, heard.facts);
        let id = heard.row.unwrap_or_else(|| {
            last += 1;
            last
        });
        rows.insert(subject, id);
        let changed = before != after;
        if heard.row.is_none() {
            new.push(SubjectRow {
                id,
                key: subject.to_key(),
                card: after
                    .as_ref()
                    .map(|after| json(&after.card()))
                    .transpose()?,
                entry: after.as_ref().map(json).transpose()?,
                due: after.as_ref().and_then(due),
            });
        } else if let (Some(after), true) = (&after, changed) {
            keep(&mut *connection, id, after).await?;
        }
        if let (Some(after), true) = (after, changed) {
            let words = after.document().join(" ");
            match before.map(|before| before.document().join(" ")) {
                Some(before) if before == words => {}
                before => {
                    stale.extend(before.map(|_| id));
                    documents.push((id, words));
                }
            }
        }
    }
    SUBJECTS
        .insert(&mut *connection, new, |insert, row| {
            insert
                .bind(row.id)
                .bind(registry)
                .bind(row.key)
                .bind(row.card)
                .bind(row.entry)
                .bind(row.due)
        })
        .await?;
    replace_documents(connection, &stale, documents).await?;
    Ok(rows)
}

/// What is known of the subjects of a batch.
async fn recall(
    connection: &mut SqliteConnection,
    registry: i64,
    heard: &mut BTreeMap<Subject, Heard<'_>>,
) -> Result<(), StoreError> {
    let keys: Vec<_> = heard
        .keys()
        .map(|subject| HEXLOWER.encode(&subject.to_key()))
        .collect();
    let keys = json(&keys)?;
    let known = sqlx::query_file!("queries-index/subjects_wanted.sql", registry, keys)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    for row in known {
        let Some(heard) = heard.get_mut(&subject(&row.key)?) else {
            continue;
        };
        heard.row = Some(row.id);
        if let Some(entry) = row.entry {
            let mut entry = parsed("entry", row.id, &entry)?;
            attach(&mut entry, row.id, row.check.as_deref())?;
            heard.entry = Some(entry);
        }
    }
    Ok(())
}

/// Keeps a changed entry.
pub(super) async fn keep(
    connection: &mut SqliteConnection,
    id: i64,
    entry: &Entry,
) -> Result<(), StoreError> {
    let (card, due) = (json(&entry.card())?, due(entry));
    let entry = json(entry)?;
    sqlx::query_file!("queries-index/subjects_change.sql", id, card, entry, due)
        .execute(connection)
        .await
        .map(drop)
        .map_err(failed)
}

/// Puts documents in the place of others, and of none.
pub(super) async fn replace_documents(
    connection: &mut SqliteConnection,
    stale: &[i64],
    documents: Vec<(i64, String)>,
) -> Result<(), StoreError> {
    if !stale.is_empty() {
        let stale = json(&stale)?;
        sqlx::query_file!("queries-index/documents_forget.sql", stale)
            .execute(&mut *connection)
            .await
            .map_err(failed)?;
    }
    DOCUMENTS
        .insert(connection, documents, |insert, (id, words)| {
            insert.bind(id).bind(words)
        })
        .await
}

/// A fact's row.
struct NewFact {
    id: i64,
    subject: i64,
    name: Vec<u8>,
    block: i64,
    log_index: i64,
    tx: Vec<u8>,
    statement: String,
}

/// Appends facts, and the blocks that they are of.
async fn append(
    connection: &mut SqliteConnection,
    registry: i64,
    facts: &[Fact],
    subjects: &BTreeMap<Subject, i64>,
) -> Result<(), StoreError> {
    let (first, last) = numbers(registry);
    let mut number = sqlx::query_file_scalar!("queries-index/facts_last.sql", first, last)
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    let (mut rows, mut blocks) = (Vec::with_capacity(facts.len()), Vec::new());
    let mut block = None;
    for fact in facts {
        number += 1;
        let (origin, statement) = (&fact.origin, &fact.statement);
        let at = height(origin.place.block)?;
        if block != Some(at) {
            block = Some(at);
            let time = origin.block_timestamp.as_millis();
            blocks.push((at, origin.block_hash.0.to_vec(), time, number));
        }
        rows.push(NewFact {
            id: number,
            subject: subjects.get(&statement.subject()).copied().unwrap_or(0),
            name: statement.name().as_bytes().to_vec(),
            block: at,
            log_index: height(origin.place.log_index)?,
            tx: origin.transaction.0.to_vec(),
            statement: json(statement)?,
        });
    }
    BLOCKS
        .insert(&mut *connection, blocks, |insert, row| {
            let (block, hash, at, first) = row;
            insert
                .bind(registry)
                .bind(block)
                .bind(hash)
                .bind(at)
                .bind(first)
        })
        .await?;
    FACTS
        .insert(connection, rows, |insert, row| {
            insert
                .bind(row.id)
                .bind(row.subject)
                .bind(row.name)
                .bind(row.block)
                .bind(row.log_index)
                .bind(row.tx)
                .bind(row.statement)
        })
        .await
}

pub(super) async fn check(
    connection: &mut SqliteConnection,
    registry: RegistryId,
    tool: U256,
    check: ManifestCheck,
    served: Option<ServedManifest>,
) -> Result<bool, StoreError> {
    let known = read::entry(&mut *connection, registry, Subject::Tool(tool)).await?;
    let Some((id, mut entry)) = known else {
        return Ok(false);
    };
    let before = entry.document();
    let body = json(&check)?;
    if let Entry::Tool(tool) = &mut entry {
        tool.check = Some(Box::new(check));
    }
    sqlx::query_file!("queries-index/checks_keep.sql", id, body)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    if let Some(served) = served {
        let hash = served.hash.0.as_slice();
        sqlx::query_file!("queries-index/manifests_keep.sql", hash, served.bytes)
            .execute(&mut *connection)
            .await
            .map_err(failed)?;
    }
    keep(&mut *connection, id, &entry).await?;
    let words = entry.document();
    if words != before {
        replace_documents(connection, &[id], vec![(id, words.join(" "))]).await?;
    }
    Ok(true)
}

pub(super) async fn look(
    connection: &mut SqliteConnection,
    look: &Look,
) -> Result<bool, StoreError> {
    let (registry, look) = (look.registry.to_string(), json(look)?);
    let done = sqlx::query_file!("queries-index/look_keep.sql", registry, look)
        .execute(connection)
        .await
        .map_err(failed)?;
    Ok(done.rows_affected() > 0)
}
