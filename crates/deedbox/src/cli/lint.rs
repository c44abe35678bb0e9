//! `deedbox lint …`

use clap::{Args, Subcommand};

use super::examples;

/// `deedbox lint …`
#[derive(Debug, Subcommand)]
pub(crate) enum LintCommand {
    /// Say which of six statements the descriptions of a server's tools do not make
    ///
    /// A model that is not told something guesses it. Each description should say: what the tool answers and for what; each
    /// input, its form and default; units and precision; as of when; what it does not do, and which tool does; what
    /// failure looks like, how long it takes and how often to call it. They are recognised by English words, and the words
    /// that were found are shown. No tool is called.
    #[command(
        after_help = examples::LINT_TOOLS,
        override_usage = "deedbox lint tools [OPTIONS] <URL|FILE>\n       deedbox lint tools [OPTIONS] --stdio <COMMAND>"
    )]
    Tools(LintTools),
}

/// `deedbox lint tools`
#[derive(Args, Debug)]
pub(crate) struct LintTools {
    /// Where the tools are: http://… or https://… of an MCP server, or a file of JSON (- reads standard input)
    #[arg(
        value_name = "URL|FILE",
        required_unless_present = "stdio",
        conflicts_with = "stdio"
    )]
    pub(crate) target: Option<String>,
    /// A command that serves MCP over standard input and output, as a shell would read it
    #[arg(long, value_name = "COMMAND")]
    pub(crate) stdio: Option<String>,
    /// Count a statement that is made in part as missing
    #[arg(long)]
    pub(crate) strict: bool,
}
