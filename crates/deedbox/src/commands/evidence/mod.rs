//! `deedbox evidence …`

mod export;
mod recheck;

use std::{fmt::Display, path::PathBuf, process::ExitCode, str::FromStr};

use deedbox_core::{Evidence, EvidenceId, EvidenceState, Refusal, TaskId, limits};
use deedbox_store::{EvidencePlace, Recorded};
use serde_json::{Map, Value, json};

use self::export::Exported;
pub(super) use self::export::verify;
use super::Desk;
use crate::{
    cli::EvidenceCommand,
    commands::tool::output::Existing,
    failure::Failure,
    render::{Output, labelled, line, moment, table},
    settings::{Environment, Flags},
};

/// A command with its arguments read.
pub(super) enum Prepared {
    List {
        task: Option<TaskId>,
        limit: u32,
        after: Option<EvidenceId>,
    },
    Show(EvidenceId),
    Export(Exported),
    Recheck(EvidenceId),
    /// Needs no database.
    Verify(PathBuf),
}

fn read<T: FromStr<Err: Display>>(what: &'static str, text: &str) -> Result<T, Failure> {
    text.parse()
        .map_err(|error: T::Err| Failure::argument(what, error))
}

pub(super) fn prepare(command: EvidenceCommand, flags: &mut Flags) -> Result<Prepared, Failure> {
    let task = |task: Option<String>| task.map(|id| read("--task", &id)).transpose();
    Ok(match command {
        EvidenceCommand::List {
            task: of,
            limit,
            after,
        } => {
            let limit = limit.unwrap_or(limits::PAGE_DEFAULT);
            if !(1..=limits::PAGE_MAX).contains(&limit) {
                let most = limits::PAGE_MAX;
                return Err(Failure::argument(
                    "--limit",
                    format_args!("must be 1 to {most}"),
                ));
            }
            Prepared::List {
                task: task(of)?,
                limit,
                after: after.map(|id| read("--after", &id)).transpose()?,
            }
        }
        EvidenceCommand::Show { evidence } => Prepared::Show(read("EVIDENCE", &evidence)?),
        EvidenceCommand::Recheck { evidence, chains } => {
            chains.add_to(flags);
            Prepared::Recheck(read("EVIDENCE", &evidence)?)
        }
        EvidenceCommand::Export(export) => Prepared::Export(Exported {
            evidence: export
                .evidence
                .iter()
                .map(|id| read("EVIDENCE", id))
                .collect::<Result<_, _>>()?,
            task: task(export.task)?,
            output: export.output,
            existing: if export.force {
                Existing::Replace
            } else {
                Existing::Keep
            },
        }),
        EvidenceCommand::Verify { file } => Prepared::Verify(file),
    })
}

pub(super) async fn run(
    desk: &Desk<'_>,
    command: Prepared,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    match command {
        Prepared::List { task, limit, after } => list(desk, task, limit, after).await?,
        Prepared::Show(id) => {
            let mut evidence = found(desk, id).await?;
            evidence.attribution.shown_to(&desk.settings.attribution());
            show(desk.output, &evidence)?;
        }
        Prepared::Export(exported) => export::export(desk, exported).await?,
        Prepared::Verify(file) => return verify(&file, desk.output),
        Prepared::Recheck(id) => return recheck::recheck(desk, environment, id).await,
    }
    Ok(ExitCode::SUCCESS)
}

async fn found(desk: &Desk<'_>, id: EvidenceId) -> Result<Evidence, Failure> {
    let evidence = desk.ask(desk.store.evidence(id)).await?;
    evidence.ok_or_else(|| Refusal::no_evidence(id).into())
}

/// Refuses a task that there is not: that nothing was read for it would be true, and misleading.
async fn known(desk: &Desk<'_>, task: TaskId) -> Result<(), Failure> {
    let status = desk.ask(desk.store.status(task)).await?;
    status
        .map(drop)
        .ok_or_else(|| Refusal::TaskNotFound(task).into())
}

async fn list(
    desk: &Desk<'_>,
    task: Option<TaskId>,
    limit: u32,
    after: Option<EvidenceId>,
) -> Result<(), Failure> {
    let after = match after {
        None => None,
        Some(id) => {
            let evidence = found(desk, id).await?;
            let recorded_at = evidence.recorded_at;
            Some(EvidencePlace { recorded_at, id })
        }
    };
    if let Some(task) = task {
        known(desk, task).await?;
    }
    let query = Recorded { task, after, limit };
    let page = desk.ask(desk.store.recorded(&query)).await?;
    let rest = |last: &EvidenceState| {
        let rest = Recorded {
            task,
            after: Some(EvidencePlace::from(last)),
            limit: 1,
        };
        async move { desk.ask(desk.store.recorded(&rest)).await }
    };
    let next = Desk::last_before_more(&page, limit, rest).await?;
    let next = next.map(|last| last.id);
    let value = json!({"evidence": page, "next": next});
    desk.output.print(&value, |output| {
        if page.is_empty() {
            return "Nothing was read.".to_owned();
        }
        let rows = page.iter().map(row).collect();
        let header = ["EVIDENCE", "TOOL", "CHAIN", "BLOCK", "TASK", "RECORDED"];
        let shown = table(output, &header, rows);
        match next {
            None => shown,
            Some(next) => {
                let of = task.map(|id| format!(" --task {id}")).unwrap_or_default();
                let more = format!("evidence list{of} --limit {limit} --after {next}");
                format!("{shown}\n\nMore: {}", desk.settings.again(&more))
            }
        }
    })
}

fn row(evidence: &EvidenceState) -> Vec<String> {
    vec![
        evidence.id.to_string(),
        evidence.tool.to_string(),
        evidence.chain_id.to_string(),
        evidence.block_number.to_string(),
        evidence
            .task
            .map_or_else(|| "-".to_owned(), |id| id.to_string()),
        moment(evidence.recorded_at),
    ]
}

fn show(output: &Output, evidence: &Evidence) -> Result<(), Failure> {
    let altered = evidence.verify().err().map(|altered| altered.to_string());
    let failed = |error: serde_json::Error| Failure::io("writing the result", error.into());
    let mut value = serde_json::to_value(evidence).map_err(failed)?;
    value["whole"] = altered.is_none().into();
    value["fault"] = altered.clone().into();
    output.print(&value, |output| {
        let at = &evidence.reading.provenance;
        let by = &evidence.attribution;
        let task = evidence.task.map(|id| format!("for task {id}\n")).unwrap_or_default();
        let whole = match &altered {
            None => output.paint.good("computed again, and the same"),
            Some(altered) => output.paint.bad(altered),
        };
        format!(
            "{}\n{} on chain {} at block {}\n{} of {}\nread by this server through endpoint {}, recorded {}\nasked by {}{}\n{task}\nasked\n{}\nanswered\n{}\n{}\n{whole}",
            output.paint.strong(&format!("evidence:{}", evidence.id)),
            evidence.reading.tool,
            at.chain_id,
            at.block_number,
            at.block_hash,
            moment(at.block_timestamp),
            at.endpoint_id,
            moment(evidence.recorded_at),
            line(&by.principal),
            labelled(by),
            fields(&evidence.reading.arguments),
            fields(&evidence.reading.data),
            evidence.digest,
        )
    })
}

/// A line for each number and text, with what a stranger wrote made harmless.
fn fields(map: &Map<String, Value>) -> String {
    let text = serde_json::to_string_pretty(map).unwrap_or_default();
    let inside = text.lines().filter(|one| !matches!(*one, "{" | "}" | "{}"));
    inside.map(|one| format!("{}\n", line(one))).collect()
}
