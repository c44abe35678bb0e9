//! Entries and documents on their way into the tables.

use deedbox_id::U256;
use deedbox_store::{
    StoreError,
    index::{Entry, ManifestCheck, RegistryId, ServedManifest, Subject},
};
use sqlx::PgConnection;

use super::{
    leases::lock,
    rows::{EntryRow, due, height, json},
};
use crate::{error::store_error, rows::Micros};

/// Whose entry it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The subject's row number.
    pub(super) id: i64,
    /// The registry's.
    pub(super) registry: i64,
    pub(super) subject: Subject,
    /// Whether it has no row yet, and no document.
    pub(super) is_new: bool,
}

/// Entries and documents as columns, for one statement that writes them all.
#[derive(Debug, Default)]
pub(super) struct Entries {
    id: Vec<i64>,
    registry: Vec<i64>,
    key: Vec<Vec<u8>>,
    entry: Vec<Option<String>>,
    due: Vec<Option<Micros>>,
    is_new: Vec<bool>,
    document: Vec<i64>,
    words: Vec<String>,
    card: Vec<String>,
    is_new_document: Vec<bool>,
}

impl Entries {
    /// Adds a subject with what is known of it now.
    pub(super) fn push(&mut self, row: Row, entry: Option<&Entry>) -> Result<(), StoreError> {
        self.id.push(row.id);
        self.registry.push(row.registry);
        self.key.push(row.subject.to_key());
        self.entry.push(entry.map(json).transpose()?);
        self.due.push(entry.and_then(due));
        self.is_new.push(row.is_new);
        let Some(entry) = entry else {
            return Ok(());
        };
        let (mut words, card) = entry.document_and_card();
        for block in deedbox_store::blocks::words(row.id) {
            words.push(' ');
            words.push_str(&block);
        }
        self.document.push(row.id);
        self.words.push(words);
        self.card.push(json(&card)?);
        self.is_new_document.push(row.is_new);
        Ok(())
    }

    pub(super) async fn write(&self, connection: &mut PgConnection) -> Result<(), StoreError> {
        if self.id.is_empty() {
            return Ok(());
        }
        sqlx::query_file!(
            "queries/index/entries_keep.sql",
            &self.id,
            &self.registry,
            &self.key,
            &self.entry as &[Option<String>],
            &self.due as &[Option<Micros>],
            &self.is_new,
            &self.document,
            &self.words,
            &self.card,
            &self.is_new_document
        )
        .execute(&mut *connection)
        .await
        .map_err(store_error)?;
        if self.document.is_empty() {
            return Ok(());
        }
        sqlx::query_file_scalar!("queries/index/documents_settle.sql")
            .fetch_one(connection)
            .await
            .map(drop)
            .map_err(store_error)
    }
}

/// Keeps a check of a tool's manifest. Returns whether there is such a tool.
pub(super) async fn check(
    connection: &mut PgConnection,
    of: RegistryId,
    tool: U256,
    check: ManifestCheck,
    served: Option<ServedManifest>,
) -> Result<bool, StoreError> {
    // Or what is said of the tool meanwhile would be lost.
    lock(&mut *connection, &[of]).await?;
    let (chain, address) = (height(of.chain_id)?, of.address.0.as_slice());
    let subject = Subject::Tool(tool);
    let key = subject.to_key();
    let known = sqlx::query_file!("queries/index/subject.sql", chain, address, key)
        .fetch_optional(&mut *connection)
        .await
        .map_err(store_error)?;
    let Some(known) = known else {
        return Ok(false);
    };
    let row = Row {
        id: known.id,
        registry: known.registry,
        subject,
        is_new: false,
    };
    let (entry, old) = (known.entry, known.check);
    let kept = EntryRow {
        id: row.id,
        entry,
        check: old,
    };
    let (_, mut entry) = kept.entry()?;
    let body = json(&check)?;
    if let Entry::Tool(tool) = &mut entry {
        tool.check = Some(Box::new(check));
    }
    let served = served.as_ref();
    sqlx::query_file!(
        "queries/index/check_keep.sql",
        row.id,
        body,
        served.map(|served| served.bytes.as_slice()),
        served.map(|served| served.hash.0.as_slice())
    )
    .execute(&mut *connection)
    .await
    .map_err(store_error)?;
    let mut entries = Entries::default();
    entries.push(row, Some(&entry))?;
    entries.write(connection).await?;
    Ok(true)
}
