//! Registries, and who may write them.

use std::collections::BTreeMap;

use deedbox_core::Timestamp;
use deedbox_store::{
    StoreError,
    index::{Cursor, Lease, Look, RegistryId, Standard, Survey},
};
use sqlx::PgConnection;

use super::{
    edition,
    rows::{Locked, RegistryRow, height, json, parsed},
};
use crate::{error::store_error, rows::Micros};

pub(super) async fn begin(
    connection: &mut PgConnection,
    of: RegistryId,
    standard: Standard,
    from: u64,
) -> Result<Cursor, StoreError> {
    edition::still_ours(&mut *connection).await?;
    let (chain, address) = (height(of.chain_id)?, of.address.0.as_slice());
    let new = Cursor::new(of, standard, from);
    sqlx::query_file!(
        "queries/index/registry_begin.sql",
        chain,
        address,
        json(&new)?
    )
    .execute(&mut *connection)
    .await
    .map_err(store_error)?;
    let cursor = sqlx::query_file_scalar!("queries/index/registry_cursor.sql", chain, address)
        .fetch_optional(connection)
        .await
        .map_err(store_error)?;
    // Another process may have dropped it in between.
    cursor.map_or(Ok(new), |cursor| parsed("cursor", of, &cursor))
}

/// Locks those of these registries that are in the index, until the transaction ends: who locks one later sees what was done
/// under this lock.
pub(super) async fn lock(
    connection: &mut PgConnection,
    registries: &[RegistryId],
) -> Result<BTreeMap<RegistryId, Locked>, StoreError> {
    let chains = registries.iter().map(|registry| height(registry.chain_id));
    let chains = chains.collect::<Result<Vec<_>, _>>()?;
    let addresses: Vec<_> = registries
        .iter()
        .map(|registry| registry.address.0.as_slice())
        .collect();
    let rows = sqlx::query_file_as!(
        RegistryRow,
        "queries/index/registries_lock.sql",
        &chains,
        &addresses as &[&[u8]]
    )
    .fetch_all(connection)
    .await
    .map_err(store_error)?;
    rows.into_iter()
        .map(|row| {
            let locked = Locked::try_from(row)?;
            Ok((locked.lease.registry, locked))
        })
        .collect()
}

pub(super) async fn claim(
    connection: &mut PgConnection,
    registries: &[RegistryId],
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<Lease>, StoreError> {
    edition::still_ours(&mut *connection).await?;
    let locked = lock(&mut *connection, registries).await?;
    let (mut ids, mut epochs, mut leases) = (Vec::new(), Vec::new(), Vec::new());
    for of in registries {
        let Some(known) = locked.get(of) else {
            continue;
        };
        if let Some(lease) = known.lease.claimed(holder, now, until) {
            ids.push(known.id);
            epochs.push(height(lease.epoch)?);
            leases.push(lease);
        }
    }
    sqlx::query_file!(
        "queries/index/registries_lease.sql",
        &ids,
        holder,
        &epochs,
        Micros::from(until) as Micros
    )
    .execute(connection)
    .await
    .map_err(store_error)?;
    Ok(leases)
}

/// Gives back what is theirs still.
pub(super) async fn release(
    connection: &mut PgConnection,
    leases: &[Lease],
) -> Result<(), StoreError> {
    let registries: Vec<_> = leases.iter().map(|lease| lease.registry).collect();
    let locked = lock(&mut *connection, &registries).await?;
    let ids = leases.iter().filter_map(|of| {
        let known = locked.get(&of.registry)?;
        let same = known.lease.holder == of.holder && known.lease.epoch == of.epoch;
        same.then_some(known.id)
    });
    let ids: Vec<_> = ids.collect();
    sqlx::query_file!("queries/index/registries_release.sql", &ids)
        .execute(connection)
        .await
        .map(drop)
        .map_err(store_error)
}

/// Keeps how far registries are read.
pub(super) async fn keep_cursors<'a>(
    connection: &mut PgConnection,
    locked: impl IntoIterator<Item = &'a Locked>,
) -> Result<(), StoreError> {
    let (mut ids, mut cursors) = (Vec::new(), Vec::new());
    for one in locked {
        ids.push(one.id);
        cursors.push(json(&one.cursor)?);
    }
    sqlx::query_file!("queries/index/registries_keep.sql", &ids, &cursors)
        .execute(connection)
        .await
        .map(drop)
        .map_err(store_error)
}

/// Keeps the last look at a registry.
pub(super) async fn look(connection: &mut PgConnection, look: &Look) -> Result<bool, StoreError> {
    let of = look.registry;
    let (chain, address) = (height(of.chain_id)?, of.address.0.as_slice());
    let look = json(look)?;
    sqlx::query_file!("queries/index/look_keep.sql", chain, address, look)
        .execute(connection)
        .await
        .map(|done| done.rows_affected() > 0)
        .map_err(store_error)
}

/// Keeps what was seen of chains, of registries that a lease lets its holder write.
pub(super) async fn keep_surveys(
    connection: &mut PgConnection,
    leases: &[Lease],
    surveys: &[Survey],
    now: Timestamp,
) -> Result<(), StoreError> {
    let (mut chains, mut addresses) = (Vec::new(), Vec::new());
    let (mut holders, mut epochs, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for survey in surveys {
        let lease = leases.iter().find(|one| one.registry == survey.registry);
        let Some(lease) = lease else { continue };
        chains.push(height(survey.registry.chain_id)?);
        addresses.push(survey.registry.address.0.as_slice());
        holders.push(lease.holder.as_str());
        epochs.push(height(lease.epoch)?);
        kept.push(json(survey)?);
    }
    sqlx::query_file!(
        "queries/index/surveys_keep.sql",
        &chains,
        &addresses as &[&[u8]],
        &holders as &[&str],
        &epochs,
        &kept,
        Micros::from(now) as Micros
    )
    .execute(connection)
    .await
    .map(drop)
    .map_err(store_error)
}
