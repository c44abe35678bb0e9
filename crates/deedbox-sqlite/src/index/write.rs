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
    bulk::{BLOCKS, FACTS, SUBJECTS},
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
    /// None for what has no entry.
    written: Option<Written>,
}

/// An entry as it is kept.
pub(super) struct Written {
    card: String,
    entry: String,
    due: Option<i64>,
}

impl Written {
    /// The words that an entry is found by, and what is kept of it.
    pub(super) fn of(entry: &Entry) -> Result<(String, Self), StoreError> {
        let (words, card) = entry.document_and_card();
        let written = Self {
            card: json(&card)?,
            entry: json(entry)?,
            due: due(entry),
        };
        Ok((words, written))
    }
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
    let (mut rows, mut new) = (BTreeMap::new(), Vec::new());
    let mut documents = Documents::default();
    for (subject, heard) in heard {
        let id = heard.row.unwrap_or_else(|| {
            last += 1;
            last
        });
        rows.insert(subject, id);
        match heard.row {
            Some(_) => change(&mut *connection, batch, (id, heard), &mut documents).await?,
            None => new.push((id, subject, heard.facts)),
        }
    }
    let new = new.into_iter().map(|(id, subject, facts)| {
        let entry = Entry::fold(None, batch.registry, facts);
        let written = entry.as_ref().map(Written::of).transpose()?;
        let written = written.map(|(words, written)| {
            documents.new.insert(id, words);
            written
        });
        let key = subject.to_key();
        Ok(SubjectRow { id, key, written })
    });
    SUBJECTS
        .insert(&mut *connection, new, |insert, row| {
            let insert = insert.bind(row.id).bind(registry).bind(row.key);
            let (card, entry, due) = match row.written {
                Some(written) => (Some(written.card), Some(written.entry), written.due),
                None => (None, None, None),
            };
            insert.bind(card).bind(entry).bind(due)
        })
        .await?;
    replace_documents(connection, &documents.stale, documents.new).await?;
    Ok(rows)
}

/// The words of a batch.
#[derive(Default)]
struct Documents {
    /// Rows that had others.
    stale: Vec<i64>,
    new: BTreeMap<i64, String>,
}

/// Folds what was said of a subject that has a row into what is known of it.
async fn change(
    connection: &mut SqliteConnection,
    batch: &Batch,
    (id, heard): (i64, Heard<'_>),
    documents: &mut Documents,
) -> Result<(), StoreError> {
    let before = heard.entry.clone();
    let after = Entry::fold(heard.entry, batch.registry, heard.facts);
    let Some(after) = after.filter(|after| before.as_ref() != Some(after)) else {
        return Ok(());
    };
    let (words, written) = Written::of(&after)?;
    keep(connection, id, written).await?;
    let before = before.map(|before| before.document());
    if before.as_ref() != Some(&words) {
        documents.stale.extend(before.map(|_| id));
        documents.new.insert(id, words);
    }
    Ok(())
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
    written: Written,
) -> Result<(), StoreError> {
    let Written { card, entry, due } = written;
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
    documents: BTreeMap<i64, String>,
) -> Result<(), StoreError> {
    if !stale.is_empty() {
        let stale = json(&stale)?;
        sqlx::query_file!("queries-index/documents_forget.sql", stale)
            .execute(&mut *connection)
            .await
            .map_err(failed)?;
    }
    if documents.is_empty() {
        return Ok(());
    }
    let documents = json(&documents)?;
    sqlx::query_file!("queries-index/documents_keep.sql", documents)
        .execute(connection)
        .await
        .map(drop)
        .map_err(failed)
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

impl NewFact {
    fn of(fact: &Fact, id: i64, subjects: &BTreeMap<Subject, i64>) -> Result<Self, StoreError> {
        let (origin, statement) = (&fact.origin, &fact.statement);
        Ok(Self {
            id,
            subject: subjects.get(&statement.subject()).copied().unwrap_or(0),
            name: statement.name().as_bytes().to_vec(),
            block: height(origin.place.block)?,
            log_index: height(origin.place.log_index)?,
            tx: origin.transaction.0.to_vec(),
            statement: json(statement)?,
        })
    }
}

/// A block's row.
struct NewBlock {
    block: i64,
    hash: Vec<u8>,
    at: i64,
    /// Its first fact's number.
    first: i64,
}

/// Appends facts, and the blocks that they are of.
async fn append(
    connection: &mut SqliteConnection,
    registry: i64,
    facts: &[Fact],
    subjects: &BTreeMap<Subject, i64>,
) -> Result<(), StoreError> {
    let (first, last) = numbers(registry);
    let before = sqlx::query_file_scalar!("queries-index/facts_last.sql", first, last)
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    let mut blocks: Vec<NewBlock> = Vec::new();
    for (fact, id) in facts.iter().zip(before + 1..) {
        let origin = &fact.origin;
        let block = height(origin.place.block)?;
        if blocks.last().is_none_or(|last| last.block != block) {
            blocks.push(NewBlock {
                block,
                hash: origin.block_hash.0.to_vec(),
                at: origin.block_timestamp.as_millis(),
                first: id,
            });
        }
    }
    BLOCKS
        .insert(
            &mut *connection,
            blocks.into_iter().map(Ok),
            |insert, row| {
                let insert = insert.bind(registry).bind(row.block).bind(row.hash);
                insert.bind(row.at).bind(row.first)
            },
        )
        .await?;
    let mut id = before;
    let rows = facts.iter().map(|fact| {
        id += 1;
        NewFact::of(fact, id, subjects)
    });
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
    let (words, written) = Written::of(&entry)?;
    keep(&mut *connection, id, written).await?;
    if words != before {
        replace_documents(connection, &[id], BTreeMap::from([(id, words)])).await?;
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
