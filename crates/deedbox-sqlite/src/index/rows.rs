//! Rows of the index, and what they hold.

use deedbox_core::{BlockHash, Timestamp, TransactionHash};
use deedbox_store::{
    StoreError,
    index::{Entry, Fact, ManifestCheck, Origin, Place, Subject},
};
use serde::de::DeserializeOwned;

/// How many bits of a fact's number tell its place in its registry; those above are the registry's.
const FACT_BITS: u32 = 40;

/// The numbers that facts of a registry can have, without the first, which none has.
pub(super) fn numbers(registry: i64) -> (i64, i64) {
    (
        registry << FACT_BITS,
        (registry << FACT_BITS) | ((1 << FACT_BITS) - 1),
    )
}

/// A block's height as SQLite keeps it. No chain has one above 2^63.
pub(super) fn height(block: u64) -> Result<i64, StoreError> {
    i64::try_from(block).map_err(|error| StoreError::Rejected(error.into()))
}

/// The same where a bound is meant: what is above everything is above everything.
pub(super) fn bound(block: u64) -> i64 {
    i64::try_from(block).unwrap_or(i64::MAX)
}

/// Reads JSON that this program wrote.
pub(super) fn parsed<T: DeserializeOwned>(
    table: &'static str,
    row: impl ToString,
    json: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::unreadable(table, row, error))
}

/// Writes JSON. What is written has texts and numbers under text keys only, which does not fail.
pub(super) fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Rejected(error.into()))
}

/// A fact, with its block.
#[derive(Debug)]
pub(super) struct FactRow {
    pub(super) block: i64,
    pub(super) log_index: i64,
    pub(super) tx: Vec<u8>,
    pub(super) statement: String,
    pub(super) hash: Vec<u8>,
    pub(super) at: i64,
}

impl FactRow {
    pub(super) fn fact(self) -> Result<Fact, StoreError> {
        let row = format!("{}:{}", self.block, self.log_index);
        let bad = |error: Box<dyn std::error::Error + Send + Sync>| {
            StoreError::unreadable("fact", &row, error)
        };
        let origin = Origin {
            place: Place {
                block: u64::try_from(self.block).map_err(|e| bad(e.into()))?,
                log_index: u64::try_from(self.log_index).map_err(|e| bad(e.into()))?,
            },
            block_hash: BlockHash::try_from(self.hash.as_slice()).map_err(|e| bad(e.into()))?,
            block_timestamp: Timestamp::from_millis(self.at).map_err(|e| bad(e.into()))?,
            transaction: TransactionHash::try_from(self.tx.as_slice())
                .map_err(|e| bad(e.into()))?,
        };
        let statement = parsed("fact", &row, &self.statement)?;
        Ok(Fact { origin, statement })
    }
}

/// An entry, with the check of a tool's manifest.
#[derive(Debug)]
pub(super) struct EntryRow {
    pub(super) id: i64,
    pub(super) entry: String,
    pub(super) check: Option<String>,
}

impl EntryRow {
    pub(super) fn entry(self) -> Result<(i64, Entry), StoreError> {
        let mut entry = parsed("entry", self.id, &self.entry)?;
        attach(&mut entry, self.id, self.check.as_deref())?;
        Ok((self.id, entry))
    }
}

/// Puts the last check to a tool.
pub(super) fn attach(entry: &mut Entry, row: i64, check: Option<&str>) -> Result<(), StoreError> {
    if let (Entry::Tool(tool), Some(check)) = (entry, check) {
        tool.check = Some(Box::new(parsed::<ManifestCheck>("check", row, check)?));
    }
    Ok(())
}

/// When a tool's manifest has to be checked, as it is now; 0 when it was not yet, `None` when it need not be.
pub(super) fn due(entry: &Entry) -> Option<i64> {
    match entry {
        Entry::Tool(tool) if !tool.is_gone() => Some(
            tool.current_check()
                .map_or(0, |check| check.due().as_millis()),
        ),
        _ => None,
    }
}

/// The subject of a key that this program wrote.
pub(super) fn subject(key: &[u8]) -> Result<Subject, StoreError> {
    Subject::from_key(key)
        .ok_or_else(|| StoreError::unreadable("subject", format!("{key:?}"), "no subject's key"))
}
