//! One group of commands inside one transaction: read what they need, decide on each, write what follows.
//!
//! The group reads once, for all its commands, and writes once. In between, decisions are made in
//! memory, each on the state that the ones before it have left; so they see each other exactly as if each had
//! had a transaction of its own, in this order.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    panic::{AssertUnwindSafe, catch_unwind},
};

use deedbox_core::{
    Actor, ActorId, AgentLabel, Deed, EvidenceId, KeyId, KeyRecord, Needs, Projection,
    PublicationId, PublicationState, Refusal, RegistryId, RegistryState, State, Stream, TaskId,
    TaskState, Timestamp, World, deed::Head, hash::RequestHash, limits, text::Name,
};
use deedbox_store::{Decided, Execute, Idempotency, Kept, Outcome, StoreError};
use sqlx::SqliteConnection;

use crate::{
    error::failed,
    memories, publications, registries,
    rows::{ActorRow, Batch, KeyRow, ReplayRow, TaskRow, array, integer},
};

/// What the group knows: what it has read, and what its own deeds have made of that.
#[derive(Debug, Default)]
struct Known {
    tasks: HashMap<TaskId, TaskState>,
    actors: HashMap<ActorId, (Actor, Head)>,
    keys: HashMap<KeyId, (KeyRecord, Head)>,
    evidence: HashSet<EvidenceId>,
    publications: HashMap<PublicationId, PublicationState>,
    registries: HashMap<RegistryId, RegistryState>,
    memories: memories::Held,
    /// By principal and key: what was asked, and what came of it.
    repeats: HashMap<(String, String), (RequestHash, Deed)>,
}

/// What the group has to write.
#[derive(Debug, Default)]
struct Changes {
    deeds: Batch,
    repeats: Batch,
    tasks: HashSet<TaskId>,
    actors: HashSet<ActorId>,
    keys: HashSet<KeyId>,
    evidence: Batch,
    publications: HashSet<PublicationId>,
    registries: HashSet<RegistryId>,
}

/// What came of a group.
#[derive(Debug)]
pub(crate) struct Done {
    /// One answer for each command, in their order.
    pub(crate) answers: Vec<Result<Outcome, StoreError>>,
    /// Whether there is anything to commit.
    pub(crate) wrote: bool,
}

/// Carries the commands out, up to but without the commit. The connection is in a transaction that may write.
///
/// An inner error concerns its command alone, and leaves the others as they are. After an outer error the
/// transaction must be rolled back.
pub(crate) async fn carry_out(
    connection: &mut SqliteConnection,
    group: &[&Execute],
    world: &dyn World,
) -> Result<Done, StoreError> {
    let mut known = Known::read(connection, group, world.now()).await?;
    let mut changes = Changes::default();
    let mut answers = Vec::with_capacity(group.len());
    for execute in group {
        answers.push(known.answer(execute, world.now(), &mut changes));
    }
    let wrote = !changes.deeds.is_empty();
    if wrote {
        known.write(connection, changes).await?;
    }
    Ok(Done { answers, wrote })
}

impl Known {
    /// Reads what all commands of the group need, with one statement for each kind of thing.
    async fn read(
        connection: &mut SqliteConnection,
        group: &[&Execute],
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let mut known = Self::default();
        let needs: Vec<Needs> = group.iter().map(|execute| execute.needs()).collect();

        let tasks: HashSet<TaskId> = needs
            .iter()
            .flat_map(|needs| [needs.task, needs.named_task])
            .flatten()
            .collect();
        known.read_tasks(connection, tasks).await?;

        let actors: BTreeSet<&ActorId> = needs
            .iter()
            .flat_map(|needs| needs.actors.iter().chain(&needs.actor))
            .collect();
        known.read_actors(connection, actors).await?;

        let keys: BTreeSet<&KeyId> = needs
            .iter()
            .filter_map(|needs| needs.key.as_ref())
            .collect();
        let operator = needs.iter().any(|needs| needs.operator);
        known.read_keys(connection, keys, operator).await?;

        let evidence: BTreeSet<EvidenceId> =
            needs.iter().filter_map(|needs| needs.evidence).collect();
        known.read_evidence(connection, evidence).await?;

        let publications = needs.iter().filter_map(|needs| needs.publication).collect();
        let nonces = needs.iter().filter_map(|needs| needs.signs).collect();
        let found = publications::wanted(connection, publications, nonces).await?;
        known.publications = found.into_iter().map(|one| (one.id, one)).collect();

        let registries = needs.iter().filter_map(|needs| needs.registry).collect();
        let found = registries::wanted(connection, registries).await?;
        known.registries = found.into_iter().map(|one| (one.id, one)).collect();

        known.memories = memories::Held::read(connection, &needs).await?;
        known.read_repeats(connection, group, now).await?;
        Ok(known)
    }

    async fn read_tasks(
        &mut self,
        connection: &mut SqliteConnection,
        ids: HashSet<TaskId>,
    ) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        let ids = array(ids);
        let rows = sqlx::query_file_as!(TaskRow, "queries/tasks_wanted.sql", ids)
            .fetch_all(connection)
            .await
            .map_err(failed)?;
        for row in rows {
            let state = row.state()?;
            self.tasks.insert(state.id, state);
        }
        Ok(())
    }

    async fn read_actors(
        &mut self,
        connection: &mut SqliteConnection,
        ids: BTreeSet<&ActorId>,
    ) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        let ids = array(ids);
        let rows = sqlx::query_file_as!(ActorRow, "queries/actors_wanted.sql", ids)
            .fetch_all(connection)
            .await
            .map_err(failed)?;
        for row in rows {
            let (actor, head) = row.actor()?;
            self.actors.insert(actor.id.clone(), (actor, head));
        }
        Ok(())
    }

    async fn read_keys(
        &mut self,
        connection: &mut SqliteConnection,
        ids: BTreeSet<&KeyId>,
        operator: bool,
    ) -> Result<(), StoreError> {
        let mut rows = Vec::new();
        if operator {
            rows = sqlx::query_file_as!(KeyRow, "queries/keys_operator.sql")
                .fetch_all(&mut *connection)
                .await
                .map_err(failed)?;
        }
        if !ids.is_empty() {
            let ids = array(ids);
            let wanted = sqlx::query_file_as!(KeyRow, "queries/keys_wanted.sql", ids)
                .fetch_all(connection)
                .await
                .map_err(failed)?;
            rows.extend(wanted);
        }
        for row in rows {
            let (key, head) = row.key()?;
            self.keys.insert(key.id.clone(), (key, head));
        }
        Ok(())
    }

    async fn read_evidence(
        &mut self,
        connection: &mut SqliteConnection,
        ids: BTreeSet<EvidenceId>,
    ) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        let streams = array(ids.into_iter().map(Stream::Evidence));
        let found = sqlx::query_file_scalar!("queries/evidence_wanted.sql", streams)
            .fetch_all(connection)
            .await
            .map_err(failed)?;
        self.evidence
            .extend(found.iter().filter_map(|stream| match stream.parse() {
                Ok(Stream::Evidence(id)) => Some(id),
                _ => None,
            }));
        Ok(())
    }

    async fn read_repeats(
        &mut self,
        connection: &mut SqliteConnection,
        group: &[&Execute],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let pairs: Vec<(String, String)> = group.iter().filter_map(|e| pair(e)).collect();
        if pairs.is_empty() {
            return Ok(());
        }
        let wanted = serde_json::to_string(&pairs).map_err(|e| StoreError::Rejected(e.into()))?;
        let forgotten = now.plus_millis(-limits::IDEMPOTENCY_MILLIS).as_millis();
        let rows = sqlx::query_file_as!(
            ReplayRow,
            "queries/idempotency_wanted.sql",
            wanted,
            forgotten
        )
        .fetch_all(connection)
        .await
        .map_err(failed)?;
        for row in rows {
            let position = usize::try_from(row.position).ok();
            let Some(pair) = position.and_then(|at| pairs.get(at)) else {
                continue;
            };
            let request = RequestHash::try_from(row.request.as_slice())
                .map_err(|e| StoreError::unreadable("idempotency", &pair.1, e))?;
            self.repeats.insert(pair.clone(), (request, row.deed()?));
        }
        Ok(())
    }

    /// One command's answer, with what it changes noted in `self` and in `changes`.
    fn answer(
        &mut self,
        execute: &Execute,
        now: Timestamp,
        changes: &mut Changes,
    ) -> Result<Outcome, StoreError> {
        let pair = pair(execute);
        if let (Some(pair), Some(idempotency)) = (&pair, &execute.idempotency)
            && let Some((request, deed)) = self.repeats.get(pair)
        {
            return Ok(if *request == idempotency.request {
                Ok(Kept {
                    deed: deed.clone(),
                    replayed: true,
                })
            } else {
                Err(Refusal::IdempotencyConflict)
            });
        }
        let state = self.state(&execute.needs(), now);
        // A panic in the rules must not end the one writer that there is. Nothing is half-done after
        // one: `decide` owns all that it works on.
        let decided = catch_unwind(AssertUnwindSafe(|| execute.decide(state, now)))
            .map_err(|_| StoreError::Rejected("the rules panicked on this command".into()))??;
        let Decided { deeds, projection } = match decided {
            Ok(decided) => decided,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let Some(deed) = deeds.last().cloned() else {
            return Err(StoreError::Rejected("a command led to no deed".into()));
        };
        for deed in &deeds {
            changes.deeds.push_deed(deed)?;
        }
        self.follow(projection, &deed, changes)?;
        if let (Some(pair), Some(Idempotency { request, .. })) = (pair, &execute.idempotency) {
            changes.repeats.push_repeat(&pair, request, &deed, now)?;
            self.repeats.insert(pair, (*request, deed.clone()));
        }
        Ok(Ok(Kept {
            deed,
            replayed: false,
        }))
    }

    /// What [`Execute::decide`] wants to know, as it stands at this point of the group.
    fn state(&self, needs: &Needs, now: Timestamp) -> State {
        let live = |key: &KeyRecord| {
            key.actor.is_none()
                && key.revoked_at.is_none()
                && key.expires_at.is_none_or(|end| end > now)
        };
        let publication = needs.publication.and_then(|id| self.publications.get(&id));
        let own = publication.map(|one| one.signer);
        let signer = own.or(needs.signs.map(|(of, _)| of));
        let open = self
            .publications
            .values()
            .filter(|one| one.is_open() && Some(one.signer) == signer)
            .map(PublicationState::taken_nonce)
            .min();
        let settled = self.publications.values().filter(|one| !one.is_open());
        let used = needs.signs.and_then(|(of, nonce)| {
            settled
                .filter(|one| one.signer == of && one.nonce >= nonce)
                .map(PublicationState::taken_nonce)
                .min()
        });
        let mut state = State {
            used_nonce: used,
            publication: publication.cloned(),
            open_publication: open,
            registry: needs
                .registry
                .and_then(|id| self.registries.get(&id).cloned()),
            task: needs.task.and_then(|id| self.tasks.get(&id).cloned()),
            actors: needs
                .actors
                .iter()
                .filter(|id| self.actors.contains_key(id))
                .cloned()
                .collect(),
            evidence: needs.evidence.is_some_and(|id| self.evidence.contains(&id)),
            named_task: needs
                .named_task
                .is_some_and(|id| self.tasks.contains_key(&id)),
            actor: needs
                .actor
                .as_ref()
                .and_then(|id| self.actors.get(id))
                .map(|(actor, _)| actor.clone()),
            key: needs.key.as_ref().and_then(|id| self.keys.get(id).cloned()),
            operator: needs.operator && self.keys.values().any(|(key, _)| live(key)),
            ..State::default()
        };
        let exists = |actor: &ActorId| self.actors.contains_key(actor);
        self.memories.state(needs, &mut state, exists);
        state
    }

    fn follow(
        &mut self,
        projection: Projection,
        deed: &Deed,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        match projection {
            Projection::Task(task) => {
                changes.tasks.insert(task.id);
                self.tasks.insert(task.id, *task);
            }
            Projection::Actor(actor, head) => {
                changes.actors.insert(actor.id.clone());
                self.actors.insert(actor.id.clone(), (actor, head));
            }
            Projection::Key(key, head) => {
                changes.keys.insert(key.id.clone());
                self.keys.insert(key.id.clone(), (key, head));
            }
            Projection::Evidence(evidence) => {
                changes.evidence.push_evidence(&evidence)?;
                self.evidence.insert(evidence.id);
            }
            Projection::Publication(publication) => {
                changes.publications.insert(publication.id);
                self.publications.insert(publication.id, *publication);
            }
            Projection::Memory(memory) => self.memories.remember(*memory, deed)?,
            Projection::Space(space) => self.memories.space(*space),
            Projection::Registry(registry) => {
                changes.registries.insert(registry.id);
                self.registries.insert(registry.id, *registry);
            }
        }
        Ok(())
    }

    /// Writes the deeds, the projections as the last of them left them, and how to recognise repeats.
    async fn write(
        self,
        connection: &mut SqliteConnection,
        changes: Changes,
    ) -> Result<(), StoreError> {
        let deeds = changes.deeds.finish();
        sqlx::query_file!("queries/deeds_append.sql", deeds)
            .execute(&mut *connection)
            .await
            .map_err(failed)?;
        for (actor, head) in changes.actors.iter().filter_map(|id| self.actors.get(id)) {
            keep_actor(connection, actor, head).await?;
        }
        for (key, head) in changes.keys.iter().filter_map(|id| self.keys.get(id)) {
            keep_key(connection, key, head).await?;
        }
        if !changes.tasks.is_empty() {
            let mut tasks = Batch::default();
            for task in changes.tasks.iter().filter_map(|id| self.tasks.get(id)) {
                tasks.push_task(task)?;
            }
            let tasks = tasks.finish();
            sqlx::query_file!("queries/tasks_keep.sql", tasks)
                .execute(&mut *connection)
                .await
                .map_err(failed)?;
        }
        if !changes.evidence.is_empty() {
            let evidence = changes.evidence.finish();
            sqlx::query_file!("queries/evidence_keep.sql", evidence)
                .execute(&mut *connection)
                .await
                .map_err(failed)?;
        }
        let publications = changes.publications.iter();
        let publications = publications.filter_map(|id| self.publications.get(id));
        publications::keep(connection, publications.collect()).await?;
        let registries = changes.registries.iter();
        let registries = registries.filter_map(|id| self.registries.get(id));
        registries::keep(connection, registries.collect()).await?;
        self.memories.write(connection).await?;
        if !changes.repeats.is_empty() {
            let repeats = changes.repeats.finish();
            sqlx::query_file!("queries/idempotency_keep.sql", repeats)
                .execute(connection)
                .await
                .map_err(failed)?;
        }
        Ok(())
    }
}

/// Under what a repeat of this command would be found.
fn pair(execute: &Execute) -> Option<(String, String)> {
    execute.idempotency.as_ref().map(|idempotency| {
        (
            execute.attribution.principal.id.to_string(),
            idempotency.key.to_string(),
        )
    })
}

async fn keep_actor(
    connection: &mut SqliteConnection,
    actor: &Actor,
    head: &Head,
) -> Result<(), StoreError> {
    let (id, kind, name) = (actor.id.as_str(), actor.kind.as_str(), actor.name.as_str());
    let (version, hash, at) = (
        integer(head.version),
        head.hash.as_bytes().as_slice(),
        head.at.as_millis(),
    );
    let created = actor.created_at.as_millis();
    sqlx::query_file!(
        "queries/actor_keep.sql",
        id,
        version,
        hash,
        at,
        kind,
        name,
        created
    )
    .execute(connection)
    .await
    .map_err(failed)?;
    Ok(())
}

async fn keep_key(
    connection: &mut SqliteConnection,
    key: &KeyRecord,
    head: &Head,
) -> Result<(), StoreError> {
    let (version, hash, at) = (
        integer(head.version),
        head.hash.as_bytes().as_slice(),
        head.at.as_millis(),
    );
    let (id, secret, scopes) = (
        key.id.as_str(),
        key.secret_hash.as_bytes().as_slice(),
        key.scopes.to_string(),
    );
    let (actor, label, agent_label) = (
        key.actor.as_ref().map(ActorId::as_str),
        key.label.as_ref().map(Name::as_str),
        key.agent_label.as_ref().map(AgentLabel::as_str),
    );
    let created = key.created_at.as_millis();
    let (expires, revoked) = (
        key.expires_at.map(Timestamp::as_millis),
        key.revoked_at.map(Timestamp::as_millis),
    );
    sqlx::query_file!(
        "queries/key_keep.sql",
        id,
        version,
        hash,
        at,
        secret,
        actor,
        scopes,
        label,
        agent_label,
        created,
        expires,
        revoked
    )
    .execute(connection)
    .await
    .map_err(failed)?;
    Ok(())
}
