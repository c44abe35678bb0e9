//! The deedbox program: command line, configuration, process start and stop.
//!
//! The top floor, and the only one that reads the environment, the terminal and the home directory. It turns
//! them into values once ([`settings`]), hands those to the rooms below, and turns what comes back
//! into text, JSON and an exit code ([`failure`]). It knows no rule of the protocol and no SQL.

mod accounts;
mod chains;
mod cli;
mod commands;
mod database;
mod duration;
mod failure;
mod files;
mod instances;
mod lint;
mod observe;
mod render;
mod serve;
mod settings;
mod world;

use std::process::ExitCode;

/// Runs the program as the process was asked to, and says with which code to end it.
#[must_use]
pub fn run() -> ExitCode {
    commands::run()
}
