//! `ledger check`: is what the database says now what was done?
//!
//! Every hash is computed again, every stream's chain is followed, and every projection is rebuilt from
//! its deeds and compared with the row that answers are made from. Both are read in one snapshot and in one
//! order, so memory stays flat however many deeds there are.

mod texts;
mod vouched;

use std::{collections::VecDeque, fmt};

use deedbox_core::{
    Actor, ActorId, Body, BrokenDeed, Deed, EvidenceId, Head, KeyId, KeyRecord, MemoryId,
    Projection, PublicationId, Refusal, RegistryId, SpaceId, StoredDeed, TaskId, TeamSpace,
    command::cited_evidence_id, replay,
};

use self::texts::Texts;
pub use self::vouched::vouched;
use crate::{Snapshot, StoreError};

const PAGE: u32 = 1_000;
/// The projections, as streams sort.
const TABLES: [&str; 8] = [
    "actor",
    "evidence",
    "key",
    "memory",
    "publication",
    "registry",
    "space",
    "task",
];

/// A ledger without fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sound {
    /// How many deeds were checked.
    pub deeds: u64,
    /// How many streams, and with them projection rows, were compared.
    pub streams: u64,
}

/// The first row that is not as it should be, in the order: streams by name, deeds by version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// `deed`, `memory text`, `space usage`, or the projection's name: `actor`, `evidence`, `key`, `memory`, `publication`, `registry`,
    /// `space`, `task`.
    pub table: &'static str,
    /// The row's key: a stream and, for a deed, its version.
    pub row: String,
    /// What is wrong.
    pub what: Wrong,
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// The deed itself.
    #[error(transparent)]
    Deed(#[from] BrokenDeed),
    /// The projection does not say what the deeds add up to.
    #[error("it does not say what its deeds add up to: {0}")]
    Differs(String),
    /// The deeds are there, the projection's row is not.
    #[error("its row is missing")]
    Missing,
    /// The projection's row is there, its deeds are not.
    #[error("it has no deeds")]
    Unfounded,
    /// The row cannot be read at all.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.table {
            table @ ("deed" | "memory text" | "space usage") => {
                write!(f, "{table} {}: {}", self.row, self.what)
            }
            // A stream's name says already what it is of.
            _ => write!(f, "row of {}: {}", self.row, self.what),
        }
    }
}

/// Checks everything in `snapshot`. `progress` is told how many deeds are done.
///
/// The inner result is the answer; the outer error means that there is none.
///
/// # Errors
/// [`StoreError`] when the database could not be asked.
pub async fn check(
    snapshot: &mut dyn Snapshot,
    mut progress: impl FnMut(u64),
) -> Result<Result<Sound, Fault>, StoreError> {
    let mut rows = Rows::default();
    let mut texts = Texts::default();
    let mut sound = Sound {
        deeds: 0,
        streams: 0,
    };
    let mut current: Option<(String, Projection)> = None;
    let mut after: Option<(String, i64)> = None;
    let mut limit = PAGE;
    loop {
        let place = after
            .as_ref()
            .map(|(stream, version)| (stream.as_str(), *version));
        let page = match snapshot.deeds(place, limit).await {
            Ok(page) => page,
            // One row of this page cannot be read; those before it may have faults that come first.
            Err(StoreError::Unreadable { .. }) if limit > 1 => {
                limit = 1;
                continue;
            }
            Err(error) => return Ok(Err(unreadable(error)?)),
        };
        let Some(last) = page.last() else { break };
        after = Some((last.stream.clone(), last.version));
        for stored in page {
            if current
                .as_ref()
                .is_some_and(|(stream, _)| *stream != stored.stream)
                && let Some((stream, projection)) = current.take()
            {
                let ended = match texts.end(&projection) {
                    Ok(()) => rows.compare(snapshot, &stream, &projection).await?,
                    Err(fault) => Err(fault),
                };
                if let Err(fault) = ended {
                    return Ok(Err(fault));
                }
            }
            let (stream, version) = (stored.stream.clone(), stored.version);
            let (projection, deed) =
                match follow(current.take().map(|(_, projection)| projection), stored) {
                    Ok(followed) => followed,
                    Err(fault) => return Ok(Err(fault)),
                };
            if let Some(id) = cited(&deed)
                && !is_recorded(snapshot, id).await?
            {
                let missing = Refusal::EvidenceNotFound(id.to_string()).to_string();
                return Ok(Err(Fault {
                    table: "deed",
                    row: format!("{stream} version {version}"),
                    what: BrokenDeed::Forbidden(missing).into(),
                }));
            }
            if let Err(fault) = texts.deed(snapshot, &deed).await? {
                return Ok(Err(fault));
            }
            current = Some((stream, projection));
            sound.deeds += 1;
        }
        progress(sound.deeds);
    }
    if let Some((stream, projection)) = current.take() {
        let ended = match texts.end(&projection) {
            Ok(()) => rows.compare(snapshot, &stream, &projection).await?,
            Err(fault) => Err(fault),
        };
        if let Err(fault) = ended {
            return Ok(Err(fault));
        }
    }
    if let Err(fault) = texts.finish(snapshot).await? {
        return Ok(Err(fault));
    }
    if let Err(fault) = rows.finish(snapshot).await? {
        return Ok(Err(fault));
    }
    sound.streams = rows.compared;
    Ok(Ok(sound))
}

/// Whether there is this evidence. That its row has its deed was found out before any task's deed was followed: streams of
/// evidence come first.
async fn is_recorded(snapshot: &mut dyn Snapshot, id: EvidenceId) -> Result<bool, StoreError> {
    let row = snapshot.evidence(id.before(), 1).await?;
    Ok(row.first().is_some_and(|evidence| evidence.id == id))
}

/// The evidence that a deed cites.
fn cited(deed: &Deed) -> Option<EvidenceId> {
    match &deed.body {
        Body::CompletionReported {
            source_reference: Some(reference),
            ..
        } => cited_evidence_id(reference),
        _ => None,
    }
}

/// The state after one more stored deed and the deed itself, or what is wrong with it.
fn follow(before: Option<Projection>, stored: StoredDeed) -> Result<(Projection, Deed), Fault> {
    let row = format!("{} version {}", stored.stream, stored.version);
    let head = before.as_ref().map(Projection::head);
    stored
        .verify(head.as_ref())
        .and_then(|deed: Deed| {
            replay::justify(before.as_ref(), &deed)?;
            Ok((Projection::apply(before, &deed)?, deed))
        })
        .map_err(|broken| Fault {
            table: "deed",
            row,
            what: broken.into(),
        })
}

/// The eight projection tables, read page by page beside the deeds. Streams sort by kind and then by id
/// (`actor:…` < `evidence:…` < `key:…` < `memory:…` < `publication:…` < `registry:…` < `space:…` < `task:…`), so each table is read exactly once, from front to back.
#[derive(Debug, Default)]
struct Rows {
    compared: u64,
    actors: Pages<ActorId>,
    evidence: Pages<EvidenceId>,
    keys: Pages<KeyId>,
    memories: Pages<MemoryId>,
    spaces: Pages<SpaceId>,
    publications: Pages<PublicationId>,
    registries: Pages<RegistryId>,
    tasks: Pages<TaskId>,
}

#[derive(Debug)]
struct Pages<Id> {
    waiting: VecDeque<Projection>,
    after: Option<Id>,
    done: bool,
}

impl<Id> Default for Pages<Id> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            after: None,
            done: false,
        }
    }
}

impl Rows {
    async fn compare(
        &mut self,
        snapshot: &mut dyn Snapshot,
        stream: &str,
        rebuilt: &Projection,
    ) -> Result<Result<(), Fault>, StoreError> {
        let table = table(rebuilt);
        let fault = |what| {
            Ok(Err(Fault {
                table,
                row: stream.to_owned(),
                what,
            }))
        };
        let row = match self.next(snapshot, table).await {
            Ok(row) => row,
            Err(error) => return Ok(Err(unreadable(error)?)),
        };
        let Some(row) = row else {
            return fault(Wrong::Missing);
        };
        let found = row.stream().to_string();
        if found.as_str() > stream {
            return fault(Wrong::Missing);
        }
        if found.as_str() < stream {
            return Ok(Err(Fault {
                table,
                row: found,
                what: Wrong::Unfounded,
            }));
        }
        if row != *rebuilt {
            return fault(Wrong::Differs(difference(&row, rebuilt)));
        }
        self.compared += 1;
        Ok(Ok(()))
    }

    /// After the last deed: any projection row that is left has no deeds.
    async fn finish(
        &mut self,
        snapshot: &mut dyn Snapshot,
    ) -> Result<Result<(), Fault>, StoreError> {
        for table in TABLES {
            match self.next(snapshot, table).await {
                Ok(None) => {}
                Ok(Some(row)) => {
                    let row = row.stream().to_string();
                    return Ok(Err(Fault {
                        table,
                        row,
                        what: Wrong::Unfounded,
                    }));
                }
                Err(error) => return Ok(Err(unreadable(error)?)),
            }
        }
        Ok(Ok(()))
    }

    async fn next(
        &mut self,
        snapshot: &mut dyn Snapshot,
        table: &str,
    ) -> Result<Option<Projection>, StoreError> {
        match table {
            "actor" => {
                let page =
                    async |after: Option<ActorId>| snapshot.actors(after.as_ref(), PAGE).await;
                let id = |(actor, _): &(Actor, Head)| actor.id.clone();
                let row = |(actor, head)| Projection::Actor(actor, head);
                self.actors.next(page, id, row).await
            }
            "evidence" => {
                let page = async |after| snapshot.evidence(after, PAGE).await;
                let row = |evidence| Projection::Evidence(Box::new(evidence));
                self.evidence.next(page, |evidence| evidence.id, row).await
            }
            "key" => {
                let page = async |after: Option<KeyId>| snapshot.keys(after.as_ref(), PAGE).await;
                let id = |(key, _): &(KeyRecord, Head)| key.id.clone();
                let row = |(key, head)| Projection::Key(key, head);
                self.keys.next(page, id, row).await
            }
            "memory" => {
                let page = async |after| snapshot.memories(after, PAGE).await;
                let row = |memory| Projection::Memory(Box::new(memory));
                self.memories.next(page, |memory| memory.id, row).await
            }
            "space" => {
                let page =
                    async |after: Option<SpaceId>| snapshot.spaces(after.as_ref(), PAGE).await;
                let id = |space: &TeamSpace| space.id.clone();
                let row = |space| Projection::Space(Box::new(space));
                self.spaces.next(page, id, row).await
            }
            "publication" => {
                let page = async |after| snapshot.publications(after, PAGE).await;
                let row = |publication| Projection::Publication(Box::new(publication));
                let pages = &mut self.publications;
                pages.next(page, |publication| publication.id, row).await
            }
            "registry" => {
                let page = async |after| snapshot.registries(after, PAGE).await;
                let row = |registry| Projection::Registry(Box::new(registry));
                let pages = &mut self.registries;
                pages.next(page, |registry| registry.id, row).await
            }
            _ => {
                let page = async |after| snapshot.tasks(after, PAGE).await;
                let row = |task| Projection::Task(Box::new(task));
                self.tasks.next(page, |task| task.id, row).await
            }
        }
    }
}

impl<Id: Clone> Pages<Id> {
    /// The next row. `page` is asked when none is waiting: for those after an id, which `id` says of a row.
    async fn next<Row>(
        &mut self,
        page: impl AsyncFnOnce(Option<Id>) -> Result<Vec<Row>, StoreError>,
        id: impl FnOnce(&Row) -> Id,
        row: impl FnMut(Row) -> Projection,
    ) -> Result<Option<Projection>, StoreError> {
        if self.waiting.is_empty() && !self.done {
            let page = page(self.after.clone()).await?;
            self.after = page.last().map(id);
            self.waiting.extend(page.into_iter().map(row));
            self.done = self.waiting.len() < PAGE as usize;
        }
        Ok(self.waiting.pop_front())
    }
}

/// A row that cannot be read is a fault of the ledger; any other error says nothing about it.
fn unreadable(error: StoreError) -> Result<Fault, StoreError> {
    match error {
        StoreError::Unreadable { table, row, cause } => {
            let what = Wrong::Unreadable(cause.to_string());
            Ok(Fault { table, row, what })
        }
        error => Err(error),
    }
}

const fn table(projection: &Projection) -> &'static str {
    match projection {
        Projection::Actor(..) => "actor",
        Projection::Evidence(_) => "evidence",
        Projection::Key(..) => "key",
        Projection::Publication(_) => "publication",
        Projection::Memory(_) => "memory",
        Projection::Registry(_) => "registry",
        Projection::Space(_) => "space",
        Projection::Task(_) => "task",
    }
}

/// Names the fields in which two projections of one stream differ, with both values.
fn difference(row: &Projection, rebuilt: &Projection) -> String {
    let (row, rebuilt) = (row.fields(), rebuilt.fields());
    let differing: Vec<String> = row
        .iter()
        .zip(&rebuilt)
        .filter(|((_, found), (_, expected))| found != expected)
        .map(|((name, found), (_, expected))| format!("{name} is {found}, should be {expected}"))
        .collect();
    differing.join("; ")
}
