//! `deedbox tool init`

use std::process::ExitCode;

use deedbox_manifest::{Finding, author::Template, check as check_bytes};
use serde_json::json;

use super::{
    check::creator,
    input,
    output::{Existing, exact, write},
};
use crate::{
    cli::Init,
    failure::Failure,
    render::{self, Output},
};

pub(super) fn init(arguments: &Init, output: &Output) -> Result<ExitCode, Failure> {
    let default = Template::default();
    let template = Template {
        name: arguments.name.as_deref().unwrap_or(default.name),
        description: arguments
            .description
            .as_deref()
            .unwrap_or(default.description),
        endpoint: arguments.endpoint.as_deref().unwrap_or(default.endpoint),
        creator: arguments.creator.as_deref().map(creator).transpose()?,
    };
    let manifest = template.manifest();
    for finding in check_bytes(manifest.as_bytes()).findings {
        refuse_argument(&finding)?;
    }
    let to_standard = input::is_standard(&arguments.file);
    if !to_standard {
        let existing = if arguments.force {
            Existing::Replace
        } else {
            Existing::Keep
        };
        write(&arguments.file, manifest.as_bytes(), existing)?;
    } else if !output.json {
        exact(manifest.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let shown = render::path(&arguments.file);
    let missing = missing(arguments);
    let value = json!({
        "file": (!to_standard).then_some(&shown),
        "manifest": manifest,
        "missing": missing,
    });
    output.print(&value, |_| {
        let creator = if arguments.creator.is_none() {
            " (the address that will register it)"
        } else {
            ""
        };
        format!(
            "Wrote {shown}. These are examples still; put in your own:\n  {}{creator}\nThen:\n  deedbox tool check {shown}",
            missing.join(", ")
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The members that nobody has said yet, in their order. Tags, inputs and outputs have no flag, so that they always are.
fn missing(arguments: &Init) -> Vec<&'static str> {
    let members = [
        ("name", arguments.name.is_none()),
        ("description", arguments.description.is_none()),
        ("endpoint", arguments.endpoint.is_none()),
        ("tags", true),
        ("inputs", true),
        ("outputs", true),
        ("creatorAddress", arguments.creator.is_none()),
    ];
    let left = members.into_iter().filter(|(_, is_missing)| *is_missing);
    left.map(|(name, _)| name).collect()
}

/// An argument that the rules find fault with is not written down.
fn refuse_argument(finding: &Finding) -> Result<(), Failure> {
    let argument = match finding.pointer.as_str() {
        "/name" => "--name",
        "/description" => "--description",
        "/endpoint" => "--endpoint",
        _ => return Ok(()),
    };
    Err(Failure::argument(
        argument,
        format_args!("{}. {}", finding.message, finding.fix),
    ))
}
