//! What is read without a lock.

use std::collections::BTreeMap;

use deedbox_core::{BlockHash, ChainAddress, ManifestHash, Timestamp};
use deedbox_id::U256;
use deedbox_store::{
    StoreError,
    index::{
        Checkpoint, Cursor, Entry, Fact, FactName, History, Look, Place, RegistryId, Row, RowPlace,
        Size, Subject, Survey, ToolEntry,
    },
};

use super::rows::{EntryRow, FactRow, bound, height, parsed, unreadable};
use crate::{
    pool::Pool,
    rows::{Cause, Micros},
};

pub(super) async fn cursors(pool: &Pool) -> Result<Vec<Cursor>, StoreError> {
    let rows = pool.read(|connection| {
        Box::pin(sqlx::query_file_scalar!("queries/index/registries.sql").fetch_all(connection))
    });
    let rows = rows.await?;
    let cursors = rows.iter().map(|row| parsed::<Cursor>("cursor", "", row));
    let mut cursors = cursors.collect::<Result<Vec<_>, _>>()?;
    cursors.sort_unstable_by_key(|cursor| cursor.registry);
    Ok(cursors)
}

pub(super) async fn entry(
    pool: &Pool,
    of: RegistryId,
    subject: Subject,
) -> Result<Option<Entry>, StoreError> {
    let (chain, address, key) = (height(of.chain_id)?, of.address.0, subject.to_key());
    let row = pool
        .read(|connection| {
            let file = sqlx::query_file!("queries/index/subject.sql", chain, &address[..], &key);
            Box::pin(file.fetch_optional(connection))
        })
        .await?;
    let Some(row) = row else { return Ok(None) };
    let (id, entry, check) = (row.id, row.entry, row.check);
    let (_, entry) = EntryRow { id, entry, check }.entry()?;
    Ok(Some(entry))
}

pub(super) async fn history(pool: &Pool, query: &History) -> Result<Vec<Fact>, StoreError> {
    let (chain, address) = (height(query.registry.chain_id)?, query.registry.address.0);
    let key = query.subject.to_key();
    let (block, log) = query.before.map_or((i64::MAX, i64::MAX), |before| {
        (bound(before.block), bound(before.log_index))
    });
    let limit = i64::from(query.limit);
    let rows = pool
        .read(|connection| match &query.name {
            Some(name) => {
                let file = sqlx::query_file_as!(
                    FactRow,
                    "queries/index/facts_of_name.sql",
                    chain,
                    &address[..],
                    &key,
                    name.as_bytes(),
                    block,
                    log,
                    limit
                );
                Box::pin(file.fetch_all(connection))
            }
            None => {
                let file = sqlx::query_file_as!(
                    FactRow,
                    "queries/index/facts_of_any_name.sql",
                    chain,
                    &address[..],
                    &key,
                    block,
                    log,
                    limit
                );
                Box::pin(file.fetch_all(connection))
            }
        })
        .await?;
    rows.into_iter().map(Fact::try_from).collect()
}

pub(super) async fn permissions(
    pool: &Pool,
    of: RegistryId,
    owner: ChainAddress,
    agent: U256,
    limit: u32,
) -> Result<Vec<Fact>, StoreError> {
    let (chain, address) = (height(of.chain_id)?, of.address.0);
    let (agent, limit) = (Subject::Agent(agent).to_key(), i64::from(limit));
    let (first, last) = FactName::allowances_of(owner);
    let mut rows = pool
        .read(|connection| {
            let file = sqlx::query_file_as!(
                FactRow,
                "queries/index/allowances.sql",
                chain,
                &address[..],
                &agent,
                first.as_bytes(),
                last.as_bytes(),
                limit
            );
            Box::pin(file.fetch_all(connection))
        })
        .await?;
    let (first, last) = Subject::operators_of(owner);
    let operators = pool.read(|connection| {
        let file = sqlx::query_file_as!(
            FactRow,
            "queries/index/operators.sql",
            chain,
            &address[..],
            &first,
            &last,
            limit
        );
        Box::pin(file.fetch_all(connection))
    });
    rows.extend(operators.await?);
    let facts = rows.into_iter().map(Fact::try_from);
    Ok(Fact::last_of_each_name(facts.collect::<Result<_, _>>()?))
}

pub(super) async fn counts(pool: &Pool) -> Result<BTreeMap<RegistryId, u64>, StoreError> {
    let rows = pool.read(|connection| {
        Box::pin(sqlx::query_file!("queries/index/counts.sql").fetch_all(connection))
    });
    let counted = rows.await?.into_iter().map(|row| {
        let address = ChainAddress::try_from(row.address.as_slice());
        let registry = RegistryId {
            chain_id: u64::try_from(row.chain_id).unwrap_or(0),
            address: address.map_err(|error| unreadable("registry", row.chain_id, error))?,
        };
        Ok((registry, u64::try_from(row.entries).unwrap_or(0)))
    });
    counted.collect()
}

pub(super) async fn manifest(
    pool: &Pool,
    hash: ManifestHash,
) -> Result<Option<Vec<u8>>, StoreError> {
    pool.read(|connection| {
        let file = sqlx::query_file_scalar!("queries/index/manifest.sql", &hash.0[..]);
        Box::pin(file.fetch_optional(connection))
    })
    .await
}

pub(super) async fn predicates(
    pool: &Pool,
    of: RegistryId,
    after: Option<Place>,
    limit: u32,
) -> Result<Vec<(Place, ChainAddress)>, StoreError> {
    let (chain, address) = (height(of.chain_id)?, of.address.0);
    let (block, log) = after.map_or((-1, -1), |place| {
        (bound(place.block), bound(place.log_index))
    });
    let rows = pool
        .read(|connection| {
            let file = sqlx::query_file!(
                "queries/index/predicates.sql",
                chain,
                &address[..],
                block,
                log,
                i64::from(limit)
            );
            Box::pin(file.fetch_all(connection))
        })
        .await?;
    let named = rows.into_iter().map(|row| {
        let named = || -> Result<_, Cause> {
            let place = Place {
                block: row.block.try_into()?,
                log_index: row.log_index.try_into()?,
            };
            Ok((place, row.predicate.parse()?))
        };
        let at = || format!("{}:{}", row.block, row.log_index);
        named().map_err(|cause| unreadable("fact", at(), cause))
    });
    named.collect()
}

pub(super) async fn unchecked(
    pool: &Pool,
    of: RegistryId,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<ToolEntry>, StoreError> {
    let (chain, address) = (height(of.chain_id)?, of.address.0);
    let rows = pool
        .read(|connection| {
            let file = sqlx::query_file_as!(
                EntryRow,
                "queries/index/unchecked.sql",
                chain,
                &address[..],
                Micros::from(now) as Micros,
                i64::from(limit)
            );
            Box::pin(file.fetch_all(connection))
        })
        .await?;
    let mut tools = Vec::with_capacity(rows.len());
    for row in rows {
        if let (_, Entry::Tool(tool)) = row.entry()? {
            tools.push(tool);
        }
    }
    Ok(tools)
}

pub(super) async fn looks(pool: &Pool) -> Result<Vec<Look>, StoreError> {
    let rows = pool.read(|connection| {
        Box::pin(sqlx::query_file_scalar!("queries/index/looks.sql").fetch_all(connection))
    });
    let rows = rows.await?;
    let looks = rows.iter().map(|row| parsed::<Look>("look", "", row));
    let mut looks = looks.collect::<Result<Vec<_>, _>>()?;
    looks.sort_unstable_by_key(|look| look.registry);
    Ok(looks)
}

pub(super) async fn surveys(pool: &Pool) -> Result<Vec<Survey>, StoreError> {
    let rows = pool.read(|connection| {
        Box::pin(sqlx::query_file_scalar!("queries/index/surveys.sql").fetch_all(connection))
    });
    let rows = rows.await?;
    let surveys = rows.iter().map(|row| parsed::<Survey>("survey", "", row));
    let mut surveys = surveys.collect::<Result<Vec<_>, _>>()?;
    surveys.sort_unstable_by_key(|survey| survey.registry);
    Ok(surveys)
}

pub(super) async fn last_said(
    pool: &Pool,
    of: RegistryId,
    upto: u64,
) -> Result<Option<Checkpoint>, StoreError> {
    let (chain, address, upto) = (height(of.chain_id)?, of.address.0, bound(upto));
    let row = pool
        .read(|connection| {
            let file =
                sqlx::query_file!("queries/index/blocks_last.sql", chain, &address[..], upto);
            Box::pin(file.fetch_optional(connection))
        })
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let read = || -> Result<Checkpoint, Cause> {
        Ok(Checkpoint {
            block: row.block.try_into()?,
            hash: BlockHash::try_from(row.hash.as_slice())?,
        })
    };
    let kept = read().map_err(|cause| StoreError::unreadable("block", row.block, cause))?;
    Ok(Some(kept))
}

pub(super) async fn size(pool: &Pool, of: RegistryId) -> Result<Size, StoreError> {
    let (chain, address) = (height(of.chain_id)?, of.address.0);
    let counted = pool
        .read(|connection| {
            let file = sqlx::query_file!("queries/index/size.sql", chain, &address[..]);
            Box::pin(file.fetch_optional(connection))
        })
        .await?;
    // A count is never negative.
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    Ok(counted.map_or_else(Size::default, |counted| Size {
        facts: count(counted.facts),
        entries: count(counted.entries),
    }))
}

pub(super) async fn dump(
    pool: &Pool,
    of: RegistryId,
    after: Option<RowPlace>,
    limit: u32,
) -> Result<Vec<Row>, StoreError> {
    let (chain, address) = (height(of.chain_id)?, of.address.0);
    let (place, key) = match after {
        None => (Some((-1, -1)), Vec::new()),
        Some(RowPlace::Fact(place)) => {
            let place = (bound(place.block), bound(place.log_index));
            (Some(place), Vec::new())
        }
        Some(RowPlace::Entry(subject)) => (None, subject.to_key()),
    };
    let mut rows = Vec::new();
    if let Some((block, log)) = place {
        let facts = pool
            .read(|connection| {
                let file = sqlx::query_file_as!(
                    FactRow,
                    "queries/index/facts_dump.sql",
                    chain,
                    &address[..],
                    block,
                    log,
                    i64::from(limit)
                );
                Box::pin(file.fetch_all(connection))
            })
            .await?;
        for fact in facts {
            rows.push(Row::Fact(fact.try_into()?));
        }
    }
    let left = i64::from(limit) - i64::try_from(rows.len()).unwrap_or(i64::MAX);
    let entries = pool
        .read(|connection| {
            let file = sqlx::query_file!(
                "queries/index/entries_dump.sql",
                chain,
                &address[..],
                &key,
                left
            );
            Box::pin(file.fetch_all(connection))
        })
        .await?;
    for row in entries {
        rows.push(Row::Entry(parsed("entry", row.id, &row.entry)?));
    }
    Ok(rows)
}
