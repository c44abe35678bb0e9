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
