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
        write(&arguments.file, &manifest, existing)?;
    } else if !output.json {
        exact(manifest.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let shown = render::path(&arguments.file);
    let missing = template.creator.is_none().then_some("creatorAddress");
    let value = json!({
        "file": (!to_standard).then_some(&shown),
        "manifest": manifest,
        "missing": missing.into_iter().collect::<Vec<_>>(),
    });
    output.print(&value, |_| {
        let creator = if missing.is_some() {
            " Put the address that will register it into creatorAddress, say what it takes and gives in inputs and \
             outputs,"
        } else {
            " Say what it takes and gives in inputs and outputs,"
        };
        format!("Wrote {shown}.{creator} then:\n  deedbox tool check {shown}")
    })?;
    Ok(ExitCode::SUCCESS)
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
