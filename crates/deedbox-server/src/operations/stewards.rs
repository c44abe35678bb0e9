//! What those who look after a space do: take it out, put it in, delete one author's rows, see who did what.

use std::collections::{HashMap, hash_map::Entry};

use deedbox_core::{
    Attribution, Command, Deed, Memory, MemoryId, MemoryStatus, Refusal, Scope, Space, SpaceId,
    memory::{MemoryAct, MemoryAuthor, MemoryCommand, Salt, rights},
};
use deedbox_store::{Accesses, Execute, MemoryHistory};

use super::{Answer, Fault, Operations, Reply, Tool};
use crate::{
    inputs::{AuditSpace, Audited, DeleteRows, ExportSpace, ImportMemories},
    memories::{
        AuditEntry, AuditPage, DeletedRow, DeletionReport, ExportPage, ExportedVersion,
        ImportReport, Imported, ImportedVersion, Look, MemorySource, Review, SpaceReview,
        StewardRequest, Target, Told, Wrote, command,
    },
};

/// How many bytes of texts one page of an export begins a memory with at most.
const EXPORT_BYTES: usize = 4 * 1024 * 1024;
/// How many memories one call of a deletion looks at.
const LOOKED_AT: u32 = 500;
/// How many memories are counted at a time.
const COUNTED: u32 = 1_000;

impl Operations {
    pub(super) async fn look_after(
        &self,
        by: &Attribution,
        request: StewardRequest,
    ) -> Result<Answer, Fault> {
        Ok(Answer::from(match request {
            StewardRequest::Export(input) => Reply::Export(self.export(by, input).await?),
            StewardRequest::Import(input) => Reply::Import(self.import(by, input).await?),
            StewardRequest::Delete(input) => Reply::Deletion(self.delete_rows(by, *input).await?),
            StewardRequest::Audit(input) => Reply::Audit(self.audit(by, input).await?),
            StewardRequest::Review(input) => Reply::Review(self.review(by, input.space).await?),
        }))
    }

    /// A space that the credential may take out.
    async fn exported(&self, by: &Attribution, id: &SpaceId) -> Result<Space, Fault> {
        let space = self.seen(by, Scope::MemoryExport, id).await?;
        rights::may_export(&by.principal, &space)?;
        Ok(space)
    }

    async fn export(&self, by: &Attribution, input: ExportSpace) -> Result<ExportPage, Fault> {
        self.exported(by, &input.space).await?;
        let limit = input.limit.unwrap_or_default().get();
        let now = self.world.now();
        let memories = self.store.export(&input.space, input.cursor, limit).await?;
        let full = usize::try_from(limit) == Ok(memories.len());
        let look = Look(by);
        let (mut versions, mut bytes, mut shown, mut last) = (Vec::new(), 0, Vec::new(), None);
        let mut is_cut = false;
        for memory in memories {
            if bytes > EXPORT_BYTES {
                is_cut = true;
                break;
            }
            last = Some(memory.state.id);
            bytes += usize::try_from(memory.state.bytes).unwrap_or(usize::MAX);
            let history = self.history(memory.state.id).await?;
            for (deed, text) in history.deeds {
                versions.push(ExportedVersion::new(&history.memory, deed, text, look)?);
            }
            shown.push(history.memory);
        }
        self.note_shown(by, Tool::ExportSpace, now, &shown).await?;
        Ok(ExportPage {
            space: input.space,
            at: now,
            versions,
            next_cursor: last.filter(|_| full || is_cut),
        })
    }

    /// A memory that was found, with its history.
    async fn history(&self, id: MemoryId) -> Result<MemoryHistory, Fault> {
        let history = self.store.memory(id).await?;
        Ok(history.ok_or(Refusal::MemoryNotFound(id))?)
    }

    async fn import(&self, by: &Attribution, input: ImportMemories) -> Result<ImportReport, Fault> {
        let space = self.seen(by, Scope::MemoryWrite, &input.space).await?;
        rights::must_own(&by.principal, &space)?;
        let mut report = ImportReport {
            space: input.space.clone(),
            dry_run: input.dry_run,
            taken: 0,
            there_already: 0,
            left_out: 0,
            versions: Vec::with_capacity(input.versions.len()),
        };
        let mut targets: HashMap<MemoryId, Target> = HashMap::new();
        for entry in &input.versions {
            let into = entry.into_memory(&input.space);
            let target = match targets.entry(into) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let history = self.store.memory(into).await?;
                    new.insert(Target::new(into, history.as_ref()))
                }
            };
            let mut outcome = target.judge(entry, self.world.now());
            let salt = Salt::random(&*self.world);
            let mut code = None;
            if let Some(command) = command(entry, &input.space, outcome, salt) {
                let kept = match input.dry_run {
                    true => Ok(()),
                    false => self.keep_imported(by, command).await?,
                };
                match kept {
                    Ok(()) => target.take(entry),
                    Err(refusal) => {
                        outcome = Imported::Refused;
                        code = Some(refusal.code().to_owned());
                    }
                }
            }
            match outcome {
                Imported::Remembered | Imported::Revised => report.taken += 1,
                Imported::ThereAlready => report.there_already += 1,
                _ => report.left_out += 1,
            }
            report.versions.push(ImportedVersion {
                memory_id: entry.memory_id,
                version: entry.version,
                into,
                outcome,
                code,
            });
        }
        Ok(report)
    }

    /// Keeps what is imported, for the credential, but not with its labels: who imports something has not written it.
    async fn keep_imported(
        &self,
        by: &Attribution,
        command: MemoryCommand,
    ) -> Result<Result<(), Refusal>, Fault> {
        let execute = Execute {
            command: Command::Memory(Box::new(command)),
            attribution: Attribution::of(by.principal.clone()),
            idempotency: None,
        };
        Ok(self.store.execute(execute).await?.map(|_| ()))
    }

    async fn delete_rows(
        &self,
        by: &Attribution,
        input: DeleteRows,
    ) -> Result<DeletionReport, Fault> {
        if input.actor_id.is_some() == input.agent_label.is_some() {
            let reason = "name either an actor_id or an agent_label";
            return Err(Refusal::invalid("", reason).into());
        }
        if input.reason.is_some() && !input.redact {
            let reason = "is kept of a redaction only; leave it out, or give redact";
            return Err(Refusal::invalid("reason", reason).into());
        }
        let space = self.seen(by, Scope::MemoryDelete, &input.space).await?;
        rights::must_own(&by.principal, &space)?;
        // Who asks for a person's rows to be deleted must not be told that there are none because the name was misspelled.
        if let Some(actor) = &input.actor_id
            && self.store.actor(actor).await?.is_none()
        {
            return Err(Refusal::ActorNotFound(actor.clone()).into());
        }
        let memories = self
            .store
            .export(&input.space, input.cursor, LOOKED_AT)
            .await?;
        let full = usize::try_from(LOOKED_AT) == Ok(memories.len());
        let mut report = DeletionReport {
            space: input.space.clone(),
            dry_run: input.dry_run,
            at: self.world.now(),
            looked_at: memories.len() as u64,
            rows: Vec::new(),
            next_cursor: memories.last().filter(|_| full).map(|last| last.state.id),
        };
        for memory in memories {
            let goes = match memory.state.status {
                MemoryStatus::Live => true,
                MemoryStatus::Forgotten => input.redact,
                MemoryStatus::Redacted => false,
            };
            if !goes {
                continue;
            }
            let (wrote, others_wrote) = wrote(self.history(memory.state.id).await?, &input);
            if wrote {
                let row = self.delete(by, memory, &input, others_wrote).await?;
                report.rows.extend(row);
            }
        }
        Ok(report)
    }

    /// What became of one memory; nothing when somebody else deleted it in between.
    async fn delete(
        &self,
        by: &Attribution,
        memory: Memory,
        input: &DeleteRows,
        others_wrote: bool,
    ) -> Result<Option<DeletedRow>, Fault> {
        let state = memory.state;
        let (act, outcome) = match input.redact {
            true => {
                let reason = input.reason.clone();
                (MemoryAct::Redact { reason }, Wrote::Redacted)
            }
            false => (MemoryAct::Forget, Wrote::Forgotten),
        };
        let mut hash = None;
        if !input.dry_run {
            let command = MemoryCommand {
                id: state.id,
                actor: None,
                act,
                origin: None,
            };
            match self
                .keep(by, Command::Memory(Box::new(command)), None)
                .await
            {
                Ok(kept) => hash = Some(kept.deed.hash),
                Err(Fault::Refused(Refusal::MemoryNotFound(_) | Refusal::MemoryRedacted(_))) => {
                    return Ok(None);
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(Some(DeletedRow {
            memory_id: state.id,
            kind: state.about.kind,
            status: state.status,
            outcome,
            created_at: state.created_at,
            updated_at: state.updated_at,
            others_wrote,
            hash,
        }))
    }

    async fn audit(&self, by: &Attribution, input: AuditSpace) -> Result<AuditPage, Fault> {
        self.exported(by, &input.space).await?;
        let limit = input.limit.unwrap_or_default().get();
        let cursor = input.cursor.as_ref().map(|cursor| cursor.0.as_str());
        let foreign = || {
            Refusal::invalid(
                "cursor",
                "must be the next_cursor of a page of the same audit",
            )
        };
        if input.of.unwrap_or_default() == Audited::Reads {
            // `i64::from_str` would also take a sign.
            let number = |text: &str| {
                let plain = text.bytes().all(|b| b.is_ascii_digit());
                plain
                    .then(|| text.parse::<i64>().ok())
                    .flatten()
                    .ok_or_else(foreign)
            };
            let before = cursor.map(number);
            let query = Accesses {
                space: input.space.clone(),
                memory: input.memory_id,
                before: before.transpose()?,
                limit,
            };
            let rows = self.store.accesses(&query).await?;
            let full = usize::try_from(limit) == Ok(rows.len());
            let last = rows.last().filter(|_| full);
            return Ok(AuditPage {
                next_cursor: last.map(|row| row.number.to_string()),
                entries: rows.into_iter().map(AuditEntry::from).collect(),
                space: input.space,
            });
        }
        let after = cursor.map(|text| text.parse::<MemoryId>().map_err(|_| foreign()));
        let (memories, full) = match input.memory_id {
            Some(id) => (vec![self.of_space(id, &input.space).await?], false),
            None => {
                let page = self
                    .store
                    .export(&input.space, after.transpose()?, limit)
                    .await?;
                let full = usize::try_from(limit) == Ok(page.len());
                (page, full)
            }
        };
        let last = memories.last().filter(|_| full);
        let next_cursor = last.map(|last| last.state.id.to_string());
        let mut entries = Vec::new();
        for memory in memories {
            let history = self.history(memory.state.id).await?;
            for (deed, _) in history.deeds {
                entries.push(changed(deed)?);
            }
        }
        Ok(AuditPage {
            space: input.space,
            entries,
            next_cursor,
        })
    }

    /// A memory of this space and of no other.
    async fn of_space(&self, id: MemoryId, space: &SpaceId) -> Result<Memory, Fault> {
        let memory = self.history(id).await?.memory;
        if memory.state.space == *space {
            Ok(memory)
        } else {
            Err(Refusal::MemoryNotFound(id).into())
        }
    }

    async fn review(&self, by: &Attribution, id: SpaceId) -> Result<SpaceReview, Fault> {
        self.exported(by, &id).await?;
        let mut review = Review::new(id.clone(), self.world.now());
        let mut after = None;
        loop {
            let page = self.store.export(&id, after, COUNTED).await?;
            page.iter().for_each(|memory| review.count(memory));
            match page.last() {
                Some(last) if usize::try_from(COUNTED) == Ok(page.len()) => {
                    after = Some(last.state.id);
                }
                _ => return Ok(review.done()),
            }
        }
    }
}

/// Whether the one who is named wrote words of a memory, and whether somebody else did.
fn wrote(history: MemoryHistory, input: &DeleteRows) -> (bool, bool) {
    let (mut named, mut others) = (false, false);
    for (deed, _) in history.deeds {
        // A deed that cannot be read is one of others, and what others wrote is only told.
        let Ok(told) = Told::of(deed) else {
            continue;
        };
        if told.commitment.is_none() {
            continue;
        }
        let MemoryAuthor { actor, by } = &told.author;
        let is_named = match (&input.actor_id, &input.agent_label) {
            (Some(named), _) => actor.as_ref() == Some(named),
            (None, label) => by.agent_label == *label,
        };
        named |= is_named;
        others |= !is_named;
    }
    (named, others)
}

/// A deed, for whoever audits.
fn changed(deed: Deed) -> Result<AuditEntry, Fault> {
    let told = Told::of(deed)?;
    Ok(AuditEntry {
        at: told.at,
        operation: told.outcome.as_str().to_owned(),
        memory_id: told.memory,
        version: Some(told.version),
        // Whoever audits is told by which key.
        source: MemorySource::new(&told.author, true),
    })
}
