//! What is printed and needs no database.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use serde_json::json;

use crate::{cli::Cli, failure::Failure, render::Output};

pub(super) fn completions(shell: Shell, output: &Output) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "deedbox", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let value = json!({"shell": shell.to_string(), "script": script});
    output.print(&value, |_| script)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn openapi(output: &Output) -> Result<ExitCode, Failure> {
    let document = deedbox_server::openapi_document();
    output.print(&document, |_| format!("{document:#}"))?;
    Ok(ExitCode::SUCCESS)
}
