//! Registries that somebody decided on: loaded for a decision, kept after it, and listed.

use std::collections::BTreeMap;

use deedbox_core::{Following, ManifestHash, RegistryId, RegistryState, Sighting, ToolId};
use deedbox_store::StoreError;
use sqlx::{PgConnection, types::Json};

use crate::{
    error::Failure,
    pool::Pool,
    rows::{Cause, Micros, head, signed},
};

/// A row of `registry_decisions`.
#[derive(Debug)]
pub(crate) struct RegistryRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: Micros,
    pub(crate) followed: bool,
    pub(crate) standard: String,
    pub(crate) label: Option<String>,
    pub(crate) trust: String,
    pub(crate) from_block: i64,
    pub(crate) seen: serde_json::Value,
    pub(crate) followed_at: Micros,
    pub(crate) pins: serde_json::Value,
}

impl RegistryRow {
    fn read(self) -> Result<RegistryState, Cause> {
        Ok(RegistryState {
            id: self.id.parse()?,
            head: head(self.version, &self.head_hash, self.head_at)?,
            followed: self.followed,
            following: Following {
                standard: self.standard.parse()?,
                label: self.label.map(|text| text.parse()).transpose()?,
                trust: self.trust.parse()?,
                from_block: self.from_block.try_into()?,
                seen: serde_json::from_value(self.seen)?,
            },
            followed_at: self.followed_at.timestamp()?,
            pins: serde_json::from_value(self.pins)?,
        })
    }
}

impl TryFrom<RegistryRow> for RegistryState {
    type Error = StoreError;
    fn try_from(row: RegistryRow) -> Result<Self, StoreError> {
        let name = format!("registry:{}", row.id);
        row.read()
            .map_err(|cause| StoreError::unreadable("registry", name, cause))
    }
}

/// What is decided about a registry, with its row locked: whoever decides next waits for this transaction, and finds what it left. Of
/// two that follow it for the first time, the second comes to grief at its deed, and asks the rules again.
pub(crate) async fn load(
    connection: &mut PgConnection,
    id: RegistryId,
) -> Result<Option<RegistryState>, Failure> {
    let row = sqlx::query_as!(
        RegistryRow,
        "SELECT * FROM registry_decisions WHERE id = $1 FOR UPDATE",
        id.to_string()
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(TryInto::try_into).transpose()?)
}

/// Keeps what is decided about a registry now.
pub(crate) async fn put(
    connection: &mut PgConnection,
    registry: &RegistryState,
) -> Result<(), Failure> {
    let (head, following) = (registry.head, &registry.following);
    sqlx::query!(
        "INSERT INTO registry_decisions (id, version, head_hash, head_at, followed, standard, label, trust, from_block, seen,
                                         followed_at, pins)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (id) DO UPDATE SET
             version = excluded.version, head_hash = excluded.head_hash, head_at = excluded.head_at,
             followed = excluded.followed, standard = excluded.standard, label = excluded.label,
             trust = excluded.trust, from_block = excluded.from_block, seen = excluded.seen,
             followed_at = excluded.followed_at, pins = excluded.pins",
        registry.id.to_string(),
        signed(head.version),
        head.hash.as_bytes().as_slice(),
        Micros::from(head.at),
        registry.followed,
        following.standard.as_str(),
        following.label.as_ref().map(deedbox_core::text::Name::as_str),
        following.trust.as_str(),
        signed(following.from_block),
        Json(&following.seen) as Json<&Sighting>,
        Micros::from(registry.followed_at),
        Json(&registry.pins) as Json<&BTreeMap<ToolId, ManifestHash>>,
    )
    .execute(connection)
    .await?;
    Ok(())
}

pub(crate) async fn one(pool: &Pool, id: RegistryId) -> Result<Option<RegistryState>, StoreError> {
    let id = id.to_string();
    let row = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(
                    RegistryRow,
                    "SELECT * FROM registry_decisions WHERE id = $1",
                    &id
                )
                .fetch_optional(connection),
            )
        })
        .await?;
    row.map(TryInto::try_into).transpose()
}

pub(crate) async fn all(pool: &Pool) -> Result<Vec<RegistryState>, StoreError> {
    let rows = pool
        .read(|connection| {
            Box::pin(
                sqlx::query_as!(RegistryRow, "SELECT * FROM registry_decisions ORDER BY id")
                    .fetch_all(connection),
            )
        })
        .await?;
    rows.into_iter().map(TryInto::try_into).collect()
}
