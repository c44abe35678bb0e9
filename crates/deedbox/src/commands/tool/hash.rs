//! `deedbox tool hash`, `deedbox tool canonical`

use std::process::ExitCode;

use deedbox_manifest::{Document, Limits, ReadError, Report, Severity, check_read};
use serde_json::json;

use super::{input::Input, output::exact, report};
use crate::{
    cli::ManifestFile,
    failure::Failure,
    render::{Lines, Mark, Output, Paint, WIDTH, line},
};

pub(super) fn hash(manifest: &ManifestFile, output: &Output) -> Result<ExitCode, Failure> {
    let input = Input::read(&manifest.file)?;
    let document = read(&input)?;
    let report = check_read(&document);
    let hash = document.digest().hash.to_string();
    let value = json!({
        "hash": hash,
        "canonicalLength": report.canonical_len,
        "verdict": report::verdict_name(report.verdict),
    });
    output.print(&value, |_| hash)?;
    unless_refused(&input, &report)
}

pub(super) fn canonical(manifest: &ManifestFile, output: &Output) -> Result<ExitCode, Failure> {
    let input = Input::read(&manifest.file)?;
    let document = read(&input)?;
    let report = check_read(&document);
    let bytes = document.canonical();
    if output.json {
        let value = json!({
            "canonical": String::from_utf8_lossy(&bytes),
            "hash": report.hash.map(|hash| hash.to_string()),
            "verdict": report::verdict_name(report.verdict),
        });
        output.print(&value, |_| String::new())?;
    } else {
        exact(&bytes)?;
    }
    unless_refused(&input, &report)
}

/// Reads a manifest's text.
///
/// # Errors
/// [`Failure::Manifest`], with the line.
pub(super) fn read(input: &Input) -> Result<Document<'_>, Failure> {
    Document::read(&input.bytes, &Limits::MANIFEST).map_err(|error| unreadable(input, &error))
}

pub(super) fn unreadable(input: &Input, error: &ReadError) -> Failure {
    let lines = Lines::of(&input.bytes);
    let (message, fix) = input.emptiness().map_or_else(
        || (line(&error.to_string()), error.fix().to_string()),
        |(message, fix)| (message.to_owned(), fix.to_owned()),
    );
    let rule = report::rule(error.rule(), error.section());
    let snippet = lines.snippet(&error.span(), WIDTH, Paint::off(), Mark::Bad);
    Failure::Manifest {
        file: input.name(),
        message,
        rule: error.rule(),
        place: lines.position(error.at),
        excerpt: format!("{snippet}  {rule}\n  fix: {fix}"),
    }
}

/// Says that what was printed is of a manifest that every consumer has to reject, so that no script registers it.
fn unless_refused(input: &Input, report: &Report) -> Result<ExitCode, Failure> {
    if !report.is_refused() {
        return Ok(ExitCode::SUCCESS);
    }
    let lines = Lines::of(&input.bytes);
    let findings = report.of(Severity::Refusal);
    Err(Failure::ManifestRefused {
        file: input.name(),
        findings: findings
            .map(|finding| report::finding_json(finding, &lines))
            .collect(),
    })
}
