//! Commands that ask the local index: `deedbox agent find` and `history`, `deedbox tool find` and `history`.

use clap::{Args, Subcommand, ValueEnum};

use super::{AgentName, ToolName, examples};

/// What is asked of the index about agents.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentLook {
    /// Find agents in the registries that are followed
    ///
    /// What is found are candidates, as the local index knows them: who owns one is asked with `deedbox agent resolve`. Words are found in
    /// names, descriptions and types of services, in any language.
    #[command(after_help = examples::AGENT_FIND)]
    Find(FindAgents),
    /// Show what was said of an agent before: owners, metadata, allowances
    #[command(after_help = examples::AGENT_HISTORY)]
    History {
        #[command(flatten)]
        agent: AgentName,
        /// Only what was said under this key of its metadata
        #[arg(long, value_name = "KEY")]
        key: Option<String>,
        #[command(flatten)]
        page: Page,
    },
}

/// What is asked of the index about tools.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolFinding {
    /// Find tools in the registries that are followed
    ///
    /// What is found are candidates, as the local index knows them: whether one is what it says is asked with `deedbox tool verify`. Without
    /// --unverified only tools whose manifest was verified are found.
    #[command(after_help = examples::TOOL_FIND)]
    Find(FindTools),
    /// Show what was said of a tool before: manifests and what changed in them, who decides on access
    #[command(after_help = examples::TOOL_HISTORY)]
    History {
        #[command(flatten)]
        tool: ToolName,
        #[command(flatten)]
        page: Page,
    },
}

/// `deedbox agent find`
#[derive(Args, Debug)]
pub(crate) struct FindAgents {
    /// Words that all have to be there
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Only agents of this owner
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) owner: Option<String>,
    /// Only agents with a service of this type, like mcp
    #[arg(long, value_name = "TYPE")]
    pub(crate) service: Option<String>,
    #[command(flatten)]
    pub(crate) scope: Scope,
}

/// `deedbox tool find`
#[derive(Args, Debug)]
pub(crate) struct FindTools {
    /// Words that all have to be there
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Only tools of this creator
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) creator: Option<String>,
    /// Only tools of this effective tier, by the standard's name
    #[arg(long, value_name = "TIER")]
    pub(crate) tier: Option<String>,
    /// Only tools that everybody may use, or only those that a predicate guards
    #[arg(long, value_enum)]
    pub(crate) access: Option<AccessKind>,
    /// Only tools with a price in this asset (CAIP-19)
    #[arg(long, value_name = "ASSET")]
    pub(crate) asset: Option<String>,
    /// Only tools with a price of at most this, in the asset's smallest unit
    #[arg(long, value_name = "AMOUNT", requires = "asset")]
    pub(crate) at_most: Option<String>,
    /// Also tools whose manifest was not verified
    #[arg(long)]
    pub(crate) unverified: bool,
    #[command(flatten)]
    pub(crate) scope: Scope,
}

/// Who may use a tool.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum AccessKind {
    /// Everybody
    Open,
    /// A predicate decides
    Gated,
}

impl AccessKind {
    /// Its name among the arguments of `find_tools`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Gated => "gated",
        }
    }
}

/// Where, and how much.
#[derive(Args, Debug)]
pub(crate) struct Scope {
    /// Only in this registry: eip155:1:0x… or 0x0001… (repeat it)
    #[arg(long = "registry", value_name = "REGISTRY")]
    pub(crate) registries: Vec<String>,
    /// Only on the chain with this id
    #[arg(long, value_name = "ID")]
    pub(crate) chain_id: Option<u64>,
    /// Only what changed at this time or later, like 2026-11-30T00:00:00Z
    #[arg(long, value_name = "WHEN")]
    pub(crate) updated_since: Option<String>,
    /// Also what is gone: burned or deregistered
    #[arg(long)]
    pub(crate) gone: bool,
    /// Also what is in blocked registries
    #[arg(long)]
    pub(crate) blocked: bool,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// How much of a list, and from where.
#[derive(Args, Debug)]
pub(crate) struct Page {
    /// How many at most, up to 100 [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Where the page before ended
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
}
