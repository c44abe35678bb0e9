//! `deedbox evidence export` and `deedbox evidence verify`

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use deedbox_core::{Evidence, EvidenceId, TaskId, limits};
use deedbox_server::json::parse;
use deedbox_store::{EvidencePlace, Recorded};
use serde::{Deserialize, Serialize};

use super::{Desk, found, known};
use crate::{
    commands::tool::output::{Existing, write},
    failure::Failure,
    render::{Output, json, path as shown_path},
};

/// What the file says that it is.
const FORMAT: &str = "deedbox.evidence.v1";
/// The most that is read of a file.
const MOST: u64 = 256 << 20;

/// What is exported, and where to.
pub(in crate::commands) struct Exported {
    pub(super) evidence: Vec<EvidenceId>,
    pub(super) task: Option<TaskId>,
    pub(super) output: Option<PathBuf>,
    pub(super) existing: Existing<'static>,
}

/// An exported file.
#[derive(Serialize, Deserialize)]
struct Package {
    format: String,
    evidence: Vec<Evidence>,
}

pub(super) async fn export(desk: &Desk<'_>, exported: Exported) -> Result<(), Failure> {
    let mut ids = exported.evidence;
    if let Some(task) = exported.task {
        known(desk, task).await?;
        ids = of_task(desk, task).await?;
    }
    let mut evidence = Vec::with_capacity(ids.len());
    for id in ids {
        evidence.push(found(desk, id).await?);
    }
    let package = Package {
        format: FORMAT.to_owned(),
        evidence,
    };
    let text = serde_json::to_string(&package)
        .map_err(|error| Failure::io("writing the result", error.into()))?;
    // Says the same, and shows nothing that a terminal obeys.
    let text = json(&text);
    let Some(file) = exported.output else {
        return desk.output.write(&text);
    };
    write(&file, format!("{text}\n").as_bytes(), exported.existing)?;
    let count = package.evidence.len();
    let value = serde_json::json!({"file": file, "evidence": count});
    desk.output.print(&value, |_| {
        let noun = if count == 1 { "reading" } else { "readings" };
        format!("{count} {noun} written to {}", shown_path(&file))
    })
}

/// All of a task's evidence, the oldest first.
async fn of_task(desk: &Desk<'_>, task: TaskId) -> Result<Vec<EvidenceId>, Failure> {
    let mut query = Recorded {
        task: Some(task),
        after: None,
        limit: limits::PAGE_MAX,
    };
    let mut ids = Vec::new();
    loop {
        let page = desk.ask(desk.store.recorded(&query)).await?;
        query.after = page.last().map(EvidencePlace::from);
        ids.extend(page.iter().map(|evidence| evidence.id));
        if usize::try_from(query.limit) != Ok(page.len()) {
            ids.reverse();
            return Ok(ids);
        }
    }
}

/// Computes everything again that a file says. Asks no database, so it shows that the file is whole, and not that it is
/// what was recorded.
pub(in crate::commands) fn verify(file: &Path, output: &Output) -> Result<ExitCode, Failure> {
    let package = read(file).map_err(|source| Failure::CannotRead {
        path: file.to_owned(),
        source,
    })?;
    let results: Vec<_> = package
        .evidence
        .iter()
        .map(|evidence| (evidence, evidence.verify().err()))
        .collect();
    let altered = results
        .iter()
        .filter(|(_, altered)| altered.is_some())
        .count();
    let each: Vec<_> = results
        .iter()
        .map(|(evidence, altered)| {
            serde_json::json!({
                "evidence_id": evidence.id,
                "whole": altered.is_none(),
                "fault": altered.map(|altered| altered.to_string()),
            })
        })
        .collect();
    let value = serde_json::json!({"whole": altered == 0, "evidence": each});
    output.print(&value, |output| {
        if results.is_empty() {
            return "No evidence is in it.".to_owned();
        }
        let lines = results.iter().map(|(evidence, altered)| match altered {
            None => format!("{} {}", output.paint.good("whole  "), evidence.id),
            Some(how) => format!("{} {}: {how}", output.paint.bad("altered"), evidence.id),
        });
        lines.collect::<Vec<_>>().join("\n")
    })?;
    Ok(ExitCode::from(u8::from(altered > 0)))
}

fn read(file: &Path) -> io::Result<Package> {
    let mut text = Vec::new();
    File::open(file)?
        .take(MOST.saturating_add(1))
        .read_to_end(&mut text)?;
    if u64::try_from(text.len()).is_ok_and(|length| length > MOST) {
        let reason = format!("it has more than {MOST} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    // A name that stands twice is read differently by different readers; what is not read is covered by no hash.
    let whole = parse(&text).map_err(|bad| invalid(bad.to_string()))?;
    let package = Package::deserialize(&whole)?;
    if package.format != FORMAT {
        return Err(invalid(format!("it is not a file of the format {FORMAT}")));
    }
    if serde_json::to_value(&package)? != whole {
        let reason =
            "it holds fields that no export has, or writes a value in another way than one";
        return Err(invalid(reason.to_owned()));
    }
    Ok(package)
}
