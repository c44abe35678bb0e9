//! `deedbox task …`: the same six operations that agents have, for somebody who has the database itself.

use std::{fmt::Display, io::Read as _, process::ExitCode, str::FromStr, sync::Arc};

use deedbox_core::task::{Record, Task};
use deedbox_server::{
    Extras, Operations,
    inputs::{
        AcceptTask, CreateTask, CursorText, GetTaskStatus, HandoffTask, ListUnacceptedTasks,
        PageLimit, ReportCompletion,
    },
    operations::{Operation, TaskPage},
};

use super::{Desk, answer};
use crate::{
    cli::TaskCommand,
    failure::Failure,
    render::{Output, cell, moment, table},
    settings::Settings,
};

/// Columns that a title may take in a list.
const TITLE_WIDTH: usize = 48;

/// A command with its arguments read.
pub(super) struct Prepared {
    operation: Operation,
    extras: Extras,
}

/// The most that is read from standard input: more than any text may have, so that a longer one is refused.
const MOST_INPUT: u64 = 2 * deedbox_core::limits::MEMORY_BYTES as u64;

/// A text as it was given, or, for `-`, what stands on standard input.
pub(super) fn given(what: &'static str, text: String) -> Result<String, Failure> {
    if text != "-" {
        return Ok(text);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MOST_INPUT)
        .read_to_end(&mut bytes)
        .map_err(|source| Failure::io("reading standard input", source))?;
    // The line break that ends a piped text belongs to the pipe.
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::argument(what, "standard input is not valid UTF-8"))?;
    Ok(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text))
}

fn read<T: FromStr<Err: Display>>(what: &'static str, text: String) -> Result<T, Failure> {
    given(what, text)?
        .parse()
        .map_err(|error: T::Err| Failure::argument(what, error))
}

fn read_some<T: FromStr<Err: Display>>(
    what: &'static str,
    text: Option<String>,
) -> Result<Option<T>, Failure> {
    text.map(|text| read(what, text)).transpose()
}

pub(super) fn prepare(command: TaskCommand) -> Result<Prepared, Failure> {
    let mut extras = Extras::default();
    let operation = match command {
        TaskCommand::Create(create) => {
            extras.recipient_only = create.recipient_only;
            Operation::CreateTask(CreateTask {
                title: read("TITLE", create.title)?,
                description: read("--description", create.description)?,
                injected_by: read("--as", create.actor)?,
                authority_scope: read_some("--authority-scope", create.authority_scope)?,
            })
        }
        TaskCommand::Accept { task, actor, note } => Operation::AcceptTask(AcceptTask {
            task_id: read("TASK", task)?,
            actor_id: read("--as", actor)?,
            context_note: read_some("--note", note)?,
        }),
        TaskCommand::Complete(complete) => Operation::ReportCompletion(ReportCompletion {
            task_id: read("TASK", complete.task)?,
            actor_id: read("--as", complete.actor)?,
            provenance: complete.provenance,
            claim_text: read("--claim", complete.claim)?,
            source_reference: read_some("--source", complete.source)?,
        }),
        TaskCommand::Handoff {
            task,
            actor,
            to,
            reason,
        } => Operation::HandoffTask(HandoffTask {
            task_id: read("TASK", task)?,
            from_actor_id: read("--as", actor)?,
            to_actor_id: read("--to", to)?,
            reason: read_some("--reason", reason)?,
        }),
        TaskCommand::Status { task } => Operation::GetTaskStatus(GetTaskStatus {
            task_id: read("TASK", task)?,
        }),
        TaskCommand::Unaccepted {
            injected_by,
            limit,
            cursor,
        } => Operation::ListUnacceptedTasks(ListUnacceptedTasks {
            actor_id: read_some("--injected-by", injected_by)?,
            limit: limit
                .map(|limit| PageLimit::new(limit).map_err(|e| Failure::argument("--limit", e)))
                .transpose()?,
            cursor: cursor.map(CursorText),
        }),
    };
    Ok(Prepared { operation, extras })
}

pub(super) async fn run(desk: &Desk<'_>, command: Prepared) -> Result<ExitCode, Failure> {
    let Prepared { operation, extras } = command;
    let operations = Operations::new(Arc::clone(&desk.store), Arc::clone(&desk.world));
    let by = desk.settings.attribution();
    let done = operations.perform(&by, operation.clone(), &extras).await;
    let answer = done.map_err(|fault| desk.failed(fault))?;
    answer::tell(desk, &operation, &answer)
}

/// What was done, and what comes next.
pub(super) fn told(record: &Record, settings: &Settings) -> String {
    match record {
        Record::Task(task) => format!(
            "Created task {}. Nobody owns it until somebody accepts it:\n  {}",
            task.id,
            settings.again(&format!("task accept {} --as ACTOR", task.id))
        ),
        Record::Acceptance(acceptance) => {
            format!(
                "{} accepted task {} and owns it.",
                acceptance.actor_id, acceptance.task_id
            )
        }
        Record::Completion(completion) => format!(
            "{} reported task {} complete ({}).",
            completion.actor_id, completion.task_id, completion.provenance
        ),
        Record::Handoff(handoff) => format!(
            "{} handed task {} off to {}. Nobody owns it until somebody accepts it:\n  {}",
            handoff.from_actor_id,
            handoff.task_id,
            handoff.to_actor_id,
            settings.again(&format!(
                "task accept {} --as {}",
                handoff.task_id, handoff.to_actor_id
            ))
        ),
    }
}

/// A page, with the command for the next one of the same `list`.
pub(super) fn listed(
    page: &TaskPage,
    list: &Operation,
    settings: &Settings,
    output: &Output,
) -> String {
    if page.tasks.is_empty() {
        return "There is no task that nobody owns.".to_owned();
    }
    let row = |task: &Task| {
        vec![
            task.id.to_string(),
            cell(task.title.as_str(), TITLE_WIDTH),
            task.status.to_string(),
            task.injected_by.to_string(),
            moment(task.created_at),
        ]
    };
    let rows = page.tasks.iter().map(row).collect();
    let mut text = table(
        output,
        &["TASK", "TITLE", "STATUS", "CREATED BY", "CREATED"],
        rows,
    );
    if let Some(cursor) = &page.next_cursor {
        let more = settings.again(&format!("{} --cursor {cursor}", again(list)));
        text.push_str(&format!("\nMore: {more}"));
    }
    text
}

/// The command that asked for a page, but for its cursor.
fn again(list: &Operation) -> String {
    let mut command = "task unaccepted".to_owned();
    if let Operation::ListUnacceptedTasks(list) = list {
        if let Some(actor) = &list.actor_id {
            command.push_str(&format!(" --injected-by {actor}"));
        }
        if let Some(limit) = list.limit {
            command.push_str(&format!(" --limit {}", limit.get()));
        }
    }
    command
}
