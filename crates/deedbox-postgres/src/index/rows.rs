//! Rows of the index, and what they hold.

use deedbox_core::{BlockHash, ChainAddress, TransactionHash};
use deedbox_store::{
    StoreError,
    index::{Cursor, Entry, Fact, Lease, ManifestCheck, Origin, Place, RegistryId, Subject},
};
use serde::de::DeserializeOwned;

use crate::rows::{Cause, Micros};

/// A row that is not what this program writes. It is the index's: the ledger has nothing to do with it.
pub(super) fn unreadable(
    table: &'static str,
    row: impl ToString,
    cause: impl Into<Cause>,
) -> StoreError {
    StoreError::unreadable(table, row, cause).of_index()
}

/// A block's height, a log's index or a chain's id as PostgreSQL keeps it. No chain has one above 2^63 (EIP-2294 for ids).
pub(super) fn height(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|error| StoreError::Rejected(error.into()))
}

/// The same where a bound is meant: what is above everything is above everything.
pub(super) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reads JSON that this program wrote.
pub(super) fn parsed<T: DeserializeOwned>(
    table: &'static str,
    row: impl ToString,
    json: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| unreadable(table, row, error))
}

/// Writes JSON. What is written has texts and numbers under text keys only, which does not fail.
pub(super) fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Rejected(error.into()))
}

/// A registry, with who holds it.
#[derive(Debug)]
pub(super) struct RegistryRow {
    pub(super) id: i64,
    pub(super) chain_id: i64,
    pub(super) address: Vec<u8>,
    pub(super) cursor: String,
    pub(super) holder: String,
    pub(super) epoch: i64,
    pub(super) until: Micros,
}

/// A registry whose row is locked.
#[derive(Debug)]
pub(super) struct Locked {
    pub(super) id: i64,
    /// The lease that is known of it.
    pub(super) lease: Lease,
    pub(super) cursor: Cursor,
}

impl TryFrom<RegistryRow> for Locked {
    type Error = StoreError;
    fn try_from(row: RegistryRow) -> Result<Self, StoreError> {
        let read = || -> Result<Self, Cause> {
            let registry = RegistryId {
                chain_id: row.chain_id.try_into()?,
                address: ChainAddress::try_from(row.address.as_slice())?,
            };
            let lease = Lease {
                registry,
                holder: row.holder,
                epoch: row.epoch.try_into()?,
                until: row.until.timestamp()?,
            };
            let cursor = serde_json::from_str(&row.cursor)?;
            let id = row.id;
            Ok(Self { id, lease, cursor })
        };
        read().map_err(|cause| unreadable("registry", row.id, cause))
    }
}

/// A fact, with its block.
#[derive(Debug)]
pub(super) struct FactRow {
    pub(super) block: i64,
    pub(super) log_index: i64,
    pub(super) tx: Vec<u8>,
    pub(super) statement: String,
    pub(super) hash: Vec<u8>,
    pub(super) at: Micros,
}

impl TryFrom<FactRow> for Fact {
    type Error = StoreError;
    fn try_from(row: FactRow) -> Result<Self, StoreError> {
        let read = || -> Result<Self, Cause> {
            let origin = Origin {
                place: Place {
                    block: row.block.try_into()?,
                    log_index: row.log_index.try_into()?,
                },
                block_hash: BlockHash::try_from(row.hash.as_slice())?,
                block_timestamp: row.at.timestamp()?,
                transaction: TransactionHash::try_from(row.tx.as_slice())?,
            };
            let statement = serde_json::from_str(&row.statement)?;
            Ok(Self { origin, statement })
        };
        read()
            .map_err(|cause| unreadable("fact", format!("{}:{}", row.block, row.log_index), cause))
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

/// When a tool's manifest has to be checked, as it is now; before every time when it was not yet, `None` when it need not be.
pub(super) fn due(entry: &Entry) -> Option<Micros> {
    match entry {
        Entry::Tool(tool) if !tool.is_gone() => Some(
            tool.current_check()
                .map_or(Micros::MINUS_INFINITY, |check| check.due().into()),
        ),
        _ => None,
    }
}

/// The subject of a key that this program wrote.
pub(super) fn subject(key: &[u8]) -> Result<Subject, StoreError> {
    Subject::from_key(key)
        .ok_or_else(|| unreadable("subject", format!("{key:?}"), "no subject's key"))
}
