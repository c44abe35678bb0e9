//! `deedbox tool …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::{
    asking::{Prove, ToolLook},
    examples,
    finding::ToolFinding,
    follow::PinCommand,
    publishing::{Publishing, RegistryName, ToolName},
    registry::ForEver,
};

/// `deedbox tool …`
#[derive(Debug, Subcommand)]
pub(crate) enum ToolCommand {
    #[command(flatten)]
    Manifest(ManifestCommand),
    #[command(flatten)]
    Look(ToolLook),
    #[command(flatten)]
    Finding(ToolFinding),
    /// Sign an access proof: the account is you, for one tool, for some minutes
    ///
    /// Signed here; no transaction is made. Prints the `data` for the tool. Whoever sees it can use it until it ends.
    #[command(after_help = examples::TOOL_PROVE)]
    Prove(Prove),
    #[command(flatten)]
    Registration(RegistrationCommand),
    #[command(flatten)]
    Pin(PinCommand),
}

/// What is done with a manifest alone, on this machine.
#[derive(Debug, Subcommand)]
pub(crate) enum ManifestCommand {
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

/// What changes a tool's registration.
#[derive(Debug, Subcommand)]
pub(crate) enum RegistrationCommand {
    /// Register a tool in a registry (ERC-8257), after its manifest was fetched back from where it is served
    ///
    /// The manifest is checked, fetched from its metadata URI and compared; its creatorAddress must be the account that signs.
    /// Nothing is sent before all of that holds.
    #[command(after_help = examples::TOOL_PUBLISH)]
    Publish(Publish),
    /// Point a tool's registration at the manifest as it is now served
    #[command(after_help = examples::TOOL_UPDATE)]
    Update(Update),
    /// Change who may use a tool: another predicate, or everybody
    #[command(after_help = examples::TOOL_SET_PREDICATE)]
    SetPredicate {
        #[command(flatten)]
        tool: ToolName,
        /// The predicate, or open for everybody
        #[arg(value_name = "ADDRESS|open")]
        predicate: String,
        #[command(flatten)]
        unchecked: Unchecked,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// Shut a tool off until further notice, with a predicate that denies everybody
    ///
    /// `set-predicate TOOL open`, or the predicate that it had, opens it again.
    #[command(after_help = examples::TOOL_PAUSE)]
    Pause {
        #[command(flatten)]
        tool: ToolName,
        /// An AlwaysDenyPredicate that stands on the chain: `deedbox predicate deploy always-deny` makes one, for all tools.
        /// No other predicate is taken
        #[arg(long, value_name = "ADDRESS")]
        predicate: Option<String>,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// Take a tool out of its registry, for ever; its id is never used again
    #[command(after_help = examples::TOOL_DEREGISTER)]
    Deregister {
        #[command(flatten)]
        tool: ToolName,
        #[command(flatten)]
        forever: ForEver,
        #[command(flatten)]
        publishing: Publishing,
    },
}

/// `deedbox tool publish`
#[derive(Args, Debug)]
pub(crate) struct Publish {
    #[command(flatten)]
    pub(crate) registry: RegistryName,
    /// The manifest; what is served must be the same. Without it, what is served is the manifest
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Where the manifest is served: https://HOST/.well-known/ai-tool/SLUG.json
    #[arg(long, value_name = "URI", value_hint = ValueHint::Url)]
    pub(crate) metadata_uri: String,
    /// Who may use the tool: a predicate's address [default: everybody]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) predicate: Option<String>,
    #[command(flatten)]
    pub(crate) unchecked: Unchecked,
    #[command(flatten)]
    pub(crate) publishing: Publishing,
}

/// `deedbox tool update`
#[derive(Args, Debug)]
pub(crate) struct Update {
    #[command(flatten)]
    pub(crate) tool: ToolName,
    /// The manifest; what is served must be the same. Without it, what is served is the manifest
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Where the manifest is served from now on: https://HOST/.well-known/ai-tool/SLUG.json [default: where it is
    /// registered to be]
    #[arg(long, value_name = "URI", value_hint = ValueHint::Url)]
    pub(crate) metadata_uri: Option<String>,
    #[command(flatten)]
    pub(crate) publishing: Publishing,
}

/// Consent to a predicate of which nothing can be known.
#[derive(Args, Debug)]
pub(crate) struct Unchecked {
    /// Take a predicate at whose address there is no code yet; until there is, nobody has access
    #[arg(long)]
    pub(crate) predicate_without_code: bool,
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
