//! What those who look after a space do: `deedbox memory export`, `import`, `audit` and `review`, `deedbox space delete-rows`.

use std::{collections::BTreeMap, io, path::PathBuf, process::ExitCode, sync::Arc};

use deedbox_core::MemoryStatus;
use deedbox_server::{
    Extras, Operation, Operations, Reply, Tool,
    inputs::{Audited, PageLimit},
    memories::{
        AuditEntry, AuditPage, DeletionReport, ExportPage, ImportReport, Imported, ReviewedSource,
        SpaceReview, StewardRequest,
    },
};
use serde_json::json;

use super::{
    Arguments, Desk, Prepared,
    file::{self, Export, Versions},
    shown::source,
};
use crate::{
    cli::{DeleteRowsArgs, StewardCommand},
    commands::finding::Line,
    failure::Failure,
    render::{Output, cell, moment, path, table},
    settings::Settings,
};

/// How many entries are imported at a time.
const AT_ONCE: usize = 200;
/// Columns that a label may take in a list.
const LABEL_WIDTH: usize = 32;

/// What takes more than one call.
pub(in crate::commands) enum Long {
    Export {
        space: String,
        file: PathBuf,
        resume: bool,
    },
    Import {
        space: String,
        file: PathBuf,
        dry_run: bool,
    },
    Delete(Arguments),
}

/// # Errors
/// Which argument is not what it should be.
pub(super) fn prepare(command: StewardCommand) -> Result<Prepared, Failure> {
    match command {
        StewardCommand::Export {
            space,
            file,
            resume,
        } => Ok(Prepared::Long(Long::Export {
            space,
            file,
            resume,
        })),
        StewardCommand::Import {
            space,
            file,
            dry_run,
        } => Ok(Prepared::Long(Long::Import {
            space,
            file,
            dry_run,
        })),
        StewardCommand::Audit {
            space,
            changes,
            memory,
            limit,
            cursor,
        } => Arguments::default()
            .with("space", Some(space))
            .with("of", changes.then_some("changes"))
            .with("memory_id", memory)
            .with("limit", limit)
            .with("cursor", cursor)
            .prepared(Tool::AuditSpace),
        StewardCommand::Review { space } => Arguments::default()
            .with("space", Some(space))
            .prepared(Tool::ReviewSpace),
    }
}

/// # Errors
/// Which argument is not what it should be.
pub(super) fn prepare_deletion(args: DeleteRowsArgs) -> Result<Prepared, Failure> {
    let arguments = Arguments::default()
        .with("space", Some(args.space))
        .with("actor_id", args.actor)
        .with("agent_label", args.agent_label)
        .with("redact", Some(args.redact))
        .with("reason", args.reason)
        .with("dry_run", Some(args.dry_run));
    // Whether they are right is known before a database is opened.
    arguments.clone().prepared(Tool::DeleteRows)?;
    Ok(Prepared::Long(Long::Delete(arguments)))
}

/// Asks for one operation of the same kind after the other.
struct Asking<'a> {
    desk: &'a Desk<'a>,
    operations: Operations,
}

impl Asking<'_> {
    async fn ask(&self, tool: Tool, arguments: Arguments) -> Result<Reply, Failure> {
        let operation =
            Operation::read(tool, arguments.0).map_err(|fault| self.desk.failed(fault))?;
        let by = self.desk.settings.attribution();
        let extras = Extras::default();
        let done = self.operations.perform(&by, operation, &extras).await;
        Ok(done.map_err(|fault| self.desk.failed(fault))?.reply)
    }
}

pub(super) async fn run(desk: &Desk<'_>, long: Long) -> Result<ExitCode, Failure> {
    let asking = Asking {
        desk,
        operations: Operations::new(Arc::clone(&desk.store), Arc::clone(&desk.world)),
    };
    match long {
        Long::Export {
            space,
            file,
            resume,
        } => export(&asking, space, file, resume).await?,
        Long::Import {
            space,
            file,
            dry_run,
        } => import(&asking, space, file, dry_run).await?,
        Long::Delete(arguments) => delete(&asking, arguments).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn export(
    asking: &Asking<'_>,
    space: String,
    file: PathBuf,
    resume: bool,
) -> Result<(), Failure> {
    let begun = if resume {
        Export::resume(&file)
    } else {
        Export::begin(&file)
    };
    let mut export = begun.map_err(|source| not_begun(&file, resume, source))?;
    let failed = |source| Failure::CannotWrite {
        path: file.clone(),
        source,
    };
    let mut cursor = export.last.map(|id| id.to_string());
    let id = loop {
        let arguments = Arguments::default()
            .with("space", Some(space.clone()))
            .with("cursor", cursor);
        let Reply::Export(page) = asking.ask(Tool::ExportSpace, arguments).await? else {
            return Ok(());
        };
        export.add(&page.versions).map_err(failed)?;
        match page.next_cursor {
            Some(next) => cursor = Some(next.to_string()),
            None => break page.space,
        }
    };
    let (versions, sha256) = export.end(id, asking.desk.world.now()).map_err(failed)?;
    let value = json!({"file": file, "space": space, "versions": versions, "sha256": sha256});
    asking.desk.output.print(&value, |_| {
        format!(
            "{versions} versions of memories of {space} written to {}.\nSHA-256 {sha256}",
            path(&file)
        )
    })
}

/// Why an export was not begun, or not gone on with.
fn not_begun(file: &std::path::Path, resume: bool, source: io::Error) -> Failure {
    let part = file::part(file);
    match source.kind() {
        io::ErrorKind::AlreadyExists if part.exists() => {
            let part = path(&part);
            let reason =
                format!("an export to it was begun: go on with --resume, or delete {part}");
            Failure::argument("FILE", reason)
        }
        io::ErrorKind::AlreadyExists => {
            Failure::argument("FILE", "it is there already, and is not written over")
        }
        io::ErrorKind::NotFound if resume => Failure::argument(
            "--resume",
            format!("no export to it was begun: there is no {}", path(&part)),
        ),
        _ => Failure::CannotWrite { path: part, source },
    }
}

async fn import(
    asking: &Asking<'_>,
    space: String,
    file: PathBuf,
    dry_run: bool,
) -> Result<(), Failure> {
    let failed = |source| Failure::CannotRead {
        path: file.clone(),
        source,
    };
    // Nothing is taken of a file that is not whole.
    let manifest = file::check(&file).map_err(failed)?;
    let mut versions = Versions::of(&file, &manifest).map_err(failed)?;
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let mut left_out = Vec::new();
    loop {
        let some = versions.next(AT_ONCE).map_err(failed)?;
        if some.is_empty() {
            break;
        }
        let arguments = Arguments::default()
            .with("space", Some(space.clone()))
            .with("dry_run", Some(dry_run))
            .with("versions", Some(json!(some)));
        let Reply::Import(report) = asking.ask(Tool::ImportMemories, arguments).await? else {
            return Ok(());
        };
        for version in report.versions {
            let word = json!(version.outcome);
            let word = word.as_str().unwrap_or_default().to_owned();
            *outcomes.entry(word).or_default() += 1;
            let taken = matches!(version.outcome, Imported::Remembered | Imported::Revised);
            if !taken && version.outcome != Imported::ThereAlready {
                left_out.push(version);
            }
        }
    }
    let value = json!({
        "file": file, "from": manifest.space, "space": space, "dry_run": dry_run,
        "versions": manifest.versions, "outcomes": outcomes, "left_out": left_out,
    });
    asking.desk.output.print(&value, |_| {
        let mut text = format!(
            "{} versions of memories of {}{} into {space}:",
            manifest.versions,
            manifest.space,
            if dry_run { " would come" } else { "" },
        );
        for (outcome, count) in &outcomes {
            text.push_str(&format!("\n  {count} {}", outcome.replace('_', " ")));
        }
        text
    })
}

async fn delete(asking: &Asking<'_>, arguments: Arguments) -> Result<(), Failure> {
    let mut whole: Option<DeletionReport> = None;
    let mut cursor = None;
    loop {
        let arguments = arguments.clone().with("cursor", cursor);
        let Reply::Deletion(report) = asking.ask(Tool::DeleteRows, arguments).await? else {
            return Ok(());
        };
        let next = report.next_cursor;
        match &mut whole {
            None => whole = Some(report),
            Some(whole) => {
                whole.looked_at += report.looked_at;
                whole.rows.extend(report.rows);
            }
        }
        match next {
            Some(next) => cursor = Some(next.to_string()),
            None => break,
        }
    }
    let Some(mut report) = whole else {
        return Ok(());
    };
    report.next_cursor = None;
    let output = asking.desk.output;
    output.print(&report, |output| deleted(&report, output))
}

/// A page of an export. The command line writes it to a file; this is for whoever asks as programs do.
pub(in crate::commands) fn page(page: &ExportPage) -> String {
    format!("{} versions", page.versions.len())
}

/// What an import came to. The command line counts several of them; this is for whoever asks as programs do.
pub(in crate::commands) fn imported(report: &ImportReport) -> String {
    let ImportReport {
        taken,
        there_already,
        left_out,
        ..
    } = report;
    format!("{taken} taken, {there_already} there already, {left_out} left out")
}

/// What a deletion came to.
pub(in crate::commands) fn deleted(report: &DeletionReport, output: &Output) -> String {
    let DeletionReport {
        looked_at, space, ..
    } = report;
    if report.rows.is_empty() {
        return format!("Looked at {looked_at} memories of {space}: nothing is to be deleted.");
    }
    let rows = report.rows.iter().map(|row| {
        let was = match row.status {
            MemoryStatus::Live => "live",
            MemoryStatus::Forgotten => "forgotten",
            MemoryStatus::Redacted => "redacted",
        };
        let others = if row.others_wrote { "yes" } else { "no" };
        vec![
            row.memory_id.to_string(),
            row.kind.to_string(),
            moment(row.created_at),
            was.to_owned(),
            row.outcome.as_str().to_owned(),
            others.to_owned(),
        ]
    });
    let head = [
        "MEMORY",
        "KIND",
        "REMEMBERED",
        "WAS",
        "IS",
        "OTHERS WROTE IT TOO",
    ];
    let text = table(output, &head, rows.collect());
    let count = report.rows.len();
    let end = if report.dry_run {
        format!("{count} of {looked_at} memories of {space} would be deleted so. Nothing was done.")
    } else {
        format!("{count} of {looked_at} memories of {space} were deleted so.")
    };
    format!("{text}\n{end}")
}

/// Who did what, with the command for the next page.
pub(in crate::commands) fn audit(
    page: &AuditPage,
    asked: &Operation,
    settings: &Settings,
    output: &Output,
) -> String {
    if page.entries.is_empty() {
        return "Nothing of that kind is on record.".to_owned();
    }
    let row = |entry: &AuditEntry| {
        let version = entry.version;
        vec![
            moment(entry.at),
            entry.operation.clone(),
            entry.memory_id.to_string(),
            version.map_or_else(|| "-".to_owned(), |version| version.to_string()),
            source(&entry.source),
            entry.source.principal.clone().unwrap_or_default(),
        ]
    };
    let head = ["AT", "WHAT", "MEMORY", "VERSION", "BY", "CREDENTIAL"];
    let mut text = table(output, &head, page.entries.iter().map(row).collect());
    if let Some(cursor) = &page.next_cursor {
        text.push_str(&format!(
            "\nMore: {}",
            settings.again(&again(asked, cursor))
        ));
    }
    text
}

/// The command that asked for a page of an audit, going on at this cursor; without the program's name.
fn again(asked: &Operation, cursor: &str) -> String {
    let mut command = Line::new("memory audit");
    if let Operation::Steward(StewardRequest::Audit(asked)) = asked {
        command.flag("--space", Some(&asked.space));
        command.switch("--changes", asked.of == Some(Audited::Changes));
        command.flag("--memory", asked.memory_id);
        command.flag("--limit", asked.limit.map(PageLimit::get));
    }
    command.flag("--cursor", Some(cursor));
    command.into_text()
}
/// What is in a space, and whom it comes from.
pub(in crate::commands) fn review(review: &SpaceReview, output: &Output) -> String {
    let row = |source: &ReviewedSource| {
        let actor = source.actor_id.as_ref();
        let label = source.agent_label.as_deref();
        let instance = source.instance_id_hash.map(|hash| hash.to_string());
        let short = instance.map(|hash| hash.chars().take("sha256:".len() + 8).collect());
        vec![
            actor.map_or_else(|| "-".to_owned(), ToString::to_string),
            label.map_or_else(|| "-".to_owned(), |label| cell(label, LABEL_WIDTH)),
            short.unwrap_or_else(|| "-".to_owned()),
            source.remembered.to_string(),
            source.live.to_string(),
            source.changed_last.to_string(),
            moment(source.last_activity),
        ]
    };
    let head = [
        "ACTOR",
        "AGENT",
        "INSTANCE",
        "REMEMBERED",
        "LIVE",
        "CHANGED LAST",
        "LAST ACTIVITY",
    ];
    let SpaceReview {
        space,
        live,
        expired,
        forgotten,
        redacted,
        ..
    } = review;
    let text = table(output, &head, review.sources.iter().map(row).collect());
    format!(
        "{space}: {live} live memories, of which {expired} have expired; {forgotten} forgotten, {redacted} redacted.\n\n{text}"
    )
}
