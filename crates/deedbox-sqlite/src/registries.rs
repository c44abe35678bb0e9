//! Registries that somebody decided on: loaded for a decision, kept after it, and listed.

use std::collections::BTreeSet;

use deedbox_core::{Following, RegistryId, RegistryState, Timestamp};
use deedbox_store::StoreError;
use sqlx::SqliteConnection;

use crate::{
    error::failed,
    readers::Readers,
    rows::{Batch, Cause, Text, array, head, hex},
};

/// A row of `registry_decisions`.
#[derive(Debug)]
pub(crate) struct RegistryRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: i64,
    pub(crate) followed: i64,
    pub(crate) standard: String,
    pub(crate) label: Option<String>,
    pub(crate) trust: String,
    pub(crate) from_block: i64,
    pub(crate) seen: String,
    pub(crate) followed_at: i64,
    pub(crate) pins: String,
}

impl RegistryRow {
    pub(crate) fn state(self) -> Result<RegistryState, StoreError> {
        let row = format!("registry:{}", self.id);
        self.read()
            .map_err(|cause| StoreError::unreadable("registry", row, cause))
    }

    fn read(self) -> Result<RegistryState, Cause> {
        Ok(RegistryState {
            id: self.id.parse()?,
            head: head(self.version, &self.head_hash, self.head_at)?,
            followed: self.followed != 0,
            following: Following {
                standard: self.standard.parse()?,
                label: self.label.map(|text| text.parse()).transpose()?,
                trust: self.trust.parse()?,
                from_block: u64::try_from(self.from_block)?,
                seen: serde_json::from_str(&self.seen)?,
            },
            followed_at: Timestamp::from_millis(self.followed_at)?,
            pins: serde_json::from_str(&self.pins)?,
        })
    }
}

/// These registries, those of them that somebody decided on.
pub(crate) async fn wanted(
    connection: &mut SqliteConnection,
    ids: BTreeSet<RegistryId>,
) -> Result<Vec<RegistryState>, StoreError> {
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let ids = array(ids);
    let rows = sqlx::query_file_as!(RegistryRow, "queries/registry_decisions_wanted.sql", ids)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    states(rows)
}

/// Up to `limit` of them after this id, by the byte order of ids; all of them when `limit` is below zero.
pub(crate) async fn page(
    connection: &mut SqliteConnection,
    after: Option<RegistryId>,
    limit: i64,
) -> Result<Vec<RegistryState>, StoreError> {
    let after = after.map(|id| id.to_string()).unwrap_or_default();
    let rows = sqlx::query_file_as!(RegistryRow, "queries/registry_decisions.sql", after, limit)
        .fetch_all(connection)
        .await
        .map_err(failed)?;
    states(rows)
}

pub(crate) async fn one(
    readers: &Readers,
    id: RegistryId,
) -> Result<Option<RegistryState>, StoreError> {
    let mut reader = readers.get().await?;
    Ok(wanted(&mut reader, BTreeSet::from([id])).await?.pop())
}

pub(crate) async fn all(readers: &Readers) -> Result<Vec<RegistryState>, StoreError> {
    let mut reader = readers.get().await?;
    page(&mut reader, None, -1).await
}

/// Keeps what is decided about these registries now.
pub(crate) async fn keep(
    connection: &mut SqliteConnection,
    changed: Vec<&RegistryState>,
) -> Result<(), StoreError> {
    if changed.is_empty() {
        return Ok(());
    }
    let mut batch = Batch::default();
    for registry in changed {
        batch.push(&(
            registry.id,
            registry.head.version,
            hex(registry.head.hash.as_bytes()),
            registry.head.at.as_millis(),
            i64::from(registry.followed),
            registry.following.standard,
            &registry.following.label,
            registry.following.trust,
            registry.following.from_block,
            Text(&registry.following.seen),
            registry.followed_at.as_millis(),
            Text(&registry.pins),
        ))?;
    }
    let batch = batch.finish();
    sqlx::query_file!("queries/registry_decisions_keep.sql", batch)
        .execute(connection)
        .await
        .map_err(failed)?;
    Ok(())
}

fn states(rows: Vec<RegistryRow>) -> Result<Vec<RegistryState>, StoreError> {
    rows.into_iter().map(RegistryRow::state).collect()
}
