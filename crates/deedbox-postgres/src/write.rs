//! What a group of commands leaves behind: deeds, projections and idempotency records.

use deedbox_core::{
    Actor, Deed, KeyRecord, Projection, TaskState, Timestamp, deed::Head, hash::RequestHash,
};
use deedbox_store::{Idempotency, StoreError};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    error::Failure,
    evidence, memories, publications, registries,
    rows::{AcceptanceJson, CitedJson, CompletionJson, DeedColumns, Micros, TaskColumns, signed},
};

/// Which deed answered a request that its caller had named.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) request: RequestHash,
    principal: String,
    key: String,
    stream: String,
    version: i64,
    at: Micros,
}

impl Record {
    pub(crate) fn new(
        (principal, key): &(String, String),
        idempotency: &Idempotency,
        deed: &Deed,
        now: Timestamp,
    ) -> Self {
        Self {
            request: idempotency.request,
            principal: principal.clone(),
            key: key.clone(),
            stream: deed.stream.to_string(),
            version: signed(deed.version),
            at: now.into(),
        }
    }
}

/// Writes everything, in one statement for all tasks. Records made before `expired` are replaced.
pub(crate) async fn write<'a>(
    connection: &mut PgConnection,
    deeds: &[Deed],
    tasks: impl Iterator<Item = &'a TaskState>,
    others: &[Projection],
    records: &[Record],
    expired: Timestamp,
) -> Result<(), Failure> {
    let mut d = DeedColumns::default();
    deeds.iter().for_each(|deed| d.push(deed.to_stored()));
    let mut t = TaskColumns::default();
    tasks.for_each(|task| t.push(task));
    let recorded = sqlx::query_file_scalar!(
        "queries/write.sql",
        &d.stream,
        &d.version,
        &d.kind,
        &d.body,
        &d.at as &[Micros],
        &d.principal,
        &d.basis,
        &d.agent_label as &[Option<String>],
        &d.instance_hash as &[Option<Vec<u8>>],
        &d.previous_hash as &[Option<Vec<u8>>],
        &d.hash,
        &t.id as &[Uuid],
        &t.version,
        &t.head_hash as &[&[u8]],
        &t.head_at as &[Micros],
        &t.status as &[&str],
        &t.owner as &[Option<&str>],
        &t.injected_by as &[&str],
        &t.created_at as &[Micros],
        &t.reserved_for as &[Option<&str>],
        &t.recipient_only,
        &t.latest_acceptance as &[Option<AcceptanceJson<'_>>],
        &t.latest_completion as &[Option<CompletionJson<'_>>],
        &t.cited as &[CitedJson<'_>],
        &t.bytes,
        &column(records, |r| r.principal.as_str()) as &[&str],
        &column(records, |r| r.key.as_str()) as &[&str],
        &column(records, |r| r.request.as_bytes().as_slice()) as &[&[u8]],
        &column(records, |r| r.stream.as_str()) as &[&str],
        &column(records, |r| r.version),
        &column(records, |r| r.at) as &[Micros],
        Micros::from(expired),
    )
    .fetch_one(&mut *connection)
    .await?;
    if usize::try_from(recorded) != Ok(records.len()) {
        return Err(Failure::Conflict(StoreError::Busy(
            "another request used the same idempotency key at the same moment".into(),
        )));
    }
    for other in others {
        match other {
            Projection::Actor(actor, head) => add_actor(connection, actor, head).await?,
            Projection::Key(key, head) => put_key(connection, key, head).await?,
            Projection::Evidence(state) => evidence::add(connection, state).await?,
            Projection::Publication(state) => publications::put(connection, state).await?,
            Projection::Registry(state) => registries::put(connection, state).await?,
            Projection::Memory(state) => memories::put(connection, state, deeds).await?,
            Projection::Space(space) => memories::put_space(connection, space).await?,
            // Written above, with all the others.
            Projection::Task(_) => {}
        }
    }
    Ok(())
}

fn column<'a, T>(records: &'a [Record], field: impl Fn(&'a Record) -> T) -> Vec<T> {
    records.iter().map(field).collect()
}

async fn add_actor(
    connection: &mut PgConnection,
    actor: &Actor,
    head: &Head,
) -> Result<(), Failure> {
    sqlx::query!(
        "INSERT INTO actors (id, version, head_hash, head_at, kind, name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        actor.id.as_str(),
        signed(head.version),
        head.hash.as_bytes().as_slice(),
        Micros::from(head.at),
        actor.kind.as_str(),
        actor.name.as_str(),
        Micros::from(actor.created_at),
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn put_key(
    connection: &mut PgConnection,
    key: &KeyRecord,
    head: &Head,
) -> Result<(), Failure> {
    sqlx::query!(
        "INSERT INTO keys (id, version, head_hash, head_at, secret_hash, actor, scopes, label,
                           agent_label, created_at, expires_at, revoked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (id) DO UPDATE SET
             version = excluded.version, head_hash = excluded.head_hash,
             head_at = excluded.head_at, revoked_at = excluded.revoked_at",
        key.id.as_str(),
        signed(head.version),
        head.hash.as_bytes().as_slice(),
        Micros::from(head.at),
        key.secret_hash.as_bytes().as_slice(),
        key.actor.as_ref().map(deedbox_core::ActorId::as_str),
        key.scopes.to_string(),
        key.label.as_ref().map(deedbox_core::text::Name::as_str),
        key.agent_label
            .as_ref()
            .map(deedbox_core::AgentLabel::as_str),
        Micros::from(key.created_at),
        key.expires_at.map(Micros::from),
        key.revoked_at.map(Micros::from),
    )
    .execute(connection)
    .await?;
    Ok(())
}
