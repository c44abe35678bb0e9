//! Which registries are read, how far, and who may write them.

use deedbox_core::Timestamp;
use deedbox_store::{
    StoreError,
    index::{Cursor, Lease, RegistryId, Standard, Superseded, Survey},
};
use sqlx::SqliteConnection;

use super::{
    read::{RegistryRow, registry},
    rows::{height, json, parsed},
};
use crate::error::failed;

pub(super) async fn begin(
    connection: &mut SqliteConnection,
    of: RegistryId,
    standard: Standard,
    from: u64,
) -> Result<Cursor, StoreError> {
    let (name, cursor) = (of.to_string(), json(&Cursor::new(of, standard, from))?);
    sqlx::query_file!("queries-index/registry_begin.sql", name, cursor)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    match registry(connection, of).await? {
        Some(row) => parsed("cursor", of, &row.cursor),
        // Another process dropped it in between.
        None => Ok(Cursor::new(of, standard, from)),
    }
}

/// The lease that is known of a registry.
fn known(registry: RegistryId, row: &RegistryRow) -> Result<Lease, StoreError> {
    let bad = |error: &'static str| StoreError::unreadable("registry", registry, error);
    Ok(Lease {
        registry,
        holder: row.holder.clone(),
        epoch: u64::try_from(row.epoch).map_err(|_| bad("a negative epoch"))?,
        until: Timestamp::from_millis(row.until).map_err(|_| bad("no time"))?,
    })
}

pub(super) async fn claim(
    connection: &mut SqliteConnection,
    registries: &[RegistryId],
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<Lease>, StoreError> {
    let mut leases = Vec::new();
    for of in registries {
        let Some(row) = registry(&mut *connection, *of).await? else {
            continue;
        };
        let Some(lease) = known(*of, &row)?.claimed(holder, now, until) else {
            continue;
        };
        let (epoch, until) = (height(lease.epoch)?, until.as_millis());
        sqlx::query_file!(
            "queries-index/registry_lease.sql",
            row.id,
            holder,
            epoch,
            until
        )
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
        leases.push(lease);
    }
    Ok(leases)
}

pub(super) async fn release(
    connection: &mut SqliteConnection,
    leases: &[Lease],
) -> Result<(), StoreError> {
    for lease in leases {
        let (registry, epoch) = (lease.registry.to_string(), height(lease.epoch)?);
        sqlx::query_file!(
            "queries-index/registry_release.sql",
            registry,
            lease.holder,
            epoch
        )
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    }
    Ok(())
}

/// A registry that a lease lets its holder write: the number of its row, and its cursor.
pub(super) async fn held(
    connection: &mut SqliteConnection,
    of: RegistryId,
    lease: Option<&Lease>,
    now: Timestamp,
) -> Result<Result<(i64, Cursor), Superseded>, StoreError> {
    let superseded = Ok(Err(Superseded::Lease(of)));
    let (Some(row), Some(lease)) = (registry(connection, of).await?, lease) else {
        return superseded;
    };
    if !lease.is_current(&known(of, &row)?, now) {
        return superseded;
    }
    Ok(Ok((row.id, parsed("cursor", of, &row.cursor)?)))
}

pub(super) async fn keep_cursor(
    connection: &mut SqliteConnection,
    registry: i64,
    cursor: &Cursor,
) -> Result<(), StoreError> {
    let cursor = json(cursor)?;
    sqlx::query_file!("queries-index/registry_keep.sql", registry, cursor)
        .execute(connection)
        .await
        .map(drop)
        .map_err(failed)
}

/// Keeps what was seen of chains, of registries that a lease lets its holder write.
pub(super) async fn keep_surveys(
    connection: &mut SqliteConnection,
    leases: &[Lease],
    surveys: &[Survey],
    now: Timestamp,
) -> Result<(), StoreError> {
    let held = surveys.iter().filter_map(|survey| {
        let lease = leases.iter().find(|one| one.registry == survey.registry)?;
        Some((lease, survey))
    });
    let rows = held.map(|(lease, survey)| {
        let epoch = height(lease.epoch)?;
        Ok((lease.registry, &lease.holder, epoch, json(survey)?))
    });
    let rows = rows.collect::<Result<Vec<_>, StoreError>>()?;
    if rows.is_empty() {
        return Ok(());
    }
    let (rows, now) = (json(&rows)?, now.as_millis());
    sqlx::query_file!("queries-index/surveys_keep.sql", rows, now)
        .execute(connection)
        .await
        .map(drop)
        .map_err(failed)
}
