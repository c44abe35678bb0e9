//! `deedbox tool …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::examples;

/// `deedbox tool …`
#[derive(Debug, Subcommand)]
pub(crate) enum ToolCommand {
    /// Check a manifest against every rule of ERC-8257, and show each finding in its place
    ///
    /// Prints the verdict, the hash to register, the effective trust tier, values that the manifest fills in for
    /// its callers, and every finding with its line, its rule and what to do.
    #[command(after_help = examples::TOOL_CHECK)]
    Check(Check),
    /// Print the hash that a manifest is registered under
    ///
    /// keccak256 over the canonical bytes of what the file holds. A manifest that `tool check` refuses still
    /// has its hash printed, with a complaint on standard error and exit code 1.
    #[command(after_help = examples::TOOL_HASH)]
    Hash(ManifestFile),
    /// Print a manifest's canonical bytes (RFC 8785), without a line break at their end
    #[command(after_help = examples::TOOL_CANONICAL)]
    Canonical(ManifestFile),
    /// Write a manifest to start from
    #[command(after_help = examples::TOOL_INIT)]
    Init(Init),
    /// Rewrite what a manifest's author may write in one way only
    ///
    /// Strings in Unicode NFC, hexadecimal in lower case, URLs normalised, no byte-order mark; everything else
    /// stays as it is, to the byte. Says on standard error what changed and why. The hash changes with it.
    #[command(after_help = examples::TOOL_NORMALIZE)]
    Normalize(Normalize),
}

/// A manifest to read.
#[derive(Args, Debug)]
pub(crate) struct ManifestFile {
    /// The manifest; - reads it from standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

/// `deedbox tool check`
#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The manifests; - reads one from standard input
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Refuse what is only worth a warning, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Check that the manifest belongs to this metadata URI: its well-known form and its origin (§7, check 2)
    #[arg(
        long,
        value_name = "URI",
        help_heading = "As it is registered",
        value_hint = ValueHint::Url
    )]
    pub(crate) metadata_uri: Option<String>,
    /// Check that the manifest has this hash (§7, check 3)
    #[arg(long, value_name = "HASH", help_heading = "As it is registered")]
    pub(crate) hash: Option<String>,
    /// Check that the manifest names this creator (§7, check 4)
    #[arg(long, value_name = "ADDRESS", help_heading = "As it is registered")]
    pub(crate) creator: Option<String>,
}

/// `deedbox tool init`
#[derive(Args, Debug)]
pub(crate) struct Init {
    /// Where to; - prints it
    #[arg(value_name = "FILE", default_value = "tool.json", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// What the tool is called
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// What it does, for models and for people
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Where it is called: an HTTPS URL
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) endpoint: Option<String>,
    /// The address that will register it
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) creator: Option<String>,
    /// Overwrite the file
    #[arg(long)]
    pub(crate) force: bool,
}

/// `deedbox tool normalize`
#[derive(Args, Debug)]
pub(crate) struct Normalize {
    #[command(flatten)]
    pub(crate) manifest: ManifestFile,
    /// Replace the file's content, whole or not at all
    #[arg(long, conflicts_with = "check")]
    pub(crate) write: bool,
    /// Print nothing but what would change, and end with exit code 1 if something would
    #[arg(long)]
    pub(crate) check: bool,
    /// Print what changes and why, instead of the manifest
    #[arg(long)]
    pub(crate) diff: bool,
}
