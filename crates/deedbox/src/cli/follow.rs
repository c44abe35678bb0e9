//! `deedbox registry …` and `deedbox tool …`, as far as they record what somebody decides and change no chain.

use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use deedbox_core::Trust;

use super::{
    ChainFlags, examples,
    publishing::{RegistryName, ToolName},
};

/// Following registries.
#[derive(Debug, Subcommand)]
pub(crate) enum FollowCommand {
    /// Follow a registry, after it was looked at
    ///
    /// Its code, the interfaces that it claims, whether it claims everything, and who could replace it are read at one block,
    /// shown, and recorded. What is no registry is refused. Nothing on the chain changes.
    #[command(after_help = examples::REGISTRY_ADD)]
    Add(Add),
    /// List the registries that are followed
    #[command(after_help = examples::REGISTRY_LIST)]
    List {
        /// Also those that are not followed any more
        #[arg(long)]
        all: bool,
    },
    /// Show what is recorded of a registry, and whether its code is still what was accepted
    ///
    /// Ends with exit code 1 when something else stands at its address now, or its chain went back on what was final.
    #[command(after_help = examples::REGISTRY_SHOW)]
    Show {
        #[command(flatten)]
        registry: RegistryName,
        #[command(flatten)]
        chains: ChainFlags,
    },
    /// Read what registries say into the index, up to the head of their chains
    ///
    /// Registries of several chains are read at once. Whatever was read stays, so that a later run goes on where this one ended. A server
    /// does the same in the background: each registry is read by one of them at a time.
    #[command(after_help = examples::REGISTRY_SYNC)]
    Sync(Sync),
    /// Say how far a registry is trusted
    #[command(after_help = examples::REGISTRY_TRUST)]
    Trust {
        #[command(flatten)]
        registry: RegistryName,
        /// trusted: shown first; known; blocked: shown on request only
        #[arg(value_name = "LEVEL", value_parser = levels(), hide_possible_values = true)]
        level: Trust,
    },
    /// Accept the code that stands at a registry's address now, after it changed
    #[command(after_help = examples::REGISTRY_ACCEPT_CODE)]
    AcceptCode {
        #[command(flatten)]
        registry: RegistryName,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
        #[command(flatten)]
        chains: ChainFlags,
    },
    /// Follow a registry no more; what is pinned in it stays pinned
    #[command(after_help = examples::REGISTRY_REMOVE)]
    Remove {
        #[command(flatten)]
        registry: RegistryName,
    },
    /// List public registries that have a name here
    #[command(after_help = examples::REGISTRY_PRESETS)]
    Presets,
}

/// `deedbox registry add`
#[derive(Args, Debug)]
pub(crate) struct Add {
    #[command(flatten)]
    pub(crate) registry: RegistryName,
    /// The first block to read [default: where the contract was made, which endpoints with an archive can tell]
    #[arg(long, value_name = "N")]
    pub(crate) from_block: Option<u64>,
    /// How far it is trusted: trusted, known or blocked
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "known",
        value_parser = levels(),
        hide_possible_values = true
    )]
    pub(crate) trust: Trust,
    /// What you call it
    #[arg(long)]
    pub(crate) label: Option<String>,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) chains: ChainFlags,
}

/// `deedbox registry sync`
#[derive(Args, Debug)]
pub(crate) struct Sync {
    /// Registries that are followed, in any notation [default: all that are]
    #[arg(value_name = "REGISTRY")]
    pub(crate) registries: Vec<String>,
    /// Only registries of this chain; and the chain of names that do not say it
    #[arg(long, value_name = "ID")]
    pub(crate) chain_id: Option<u64>,
    /// Go on reading until Ctrl-C, also registries that are followed later
    #[arg(long)]
    pub(crate) follow: bool,
    /// Drop what was read of the named registries first, and read them again from the beginning
    ///
    /// For an index and a chain that contradict each other for good, as after a chain went back on what was final. Until it is read
    /// again, less is found; checks of its tools are made again. Another process that reads it takes part.
    #[arg(long, requires = "registries")]
    pub(crate) anew: bool,
    #[command(flatten)]
    pub(crate) chains: ChainFlags,
}

/// Holding tools to their manifests.
#[derive(Debug, Subcommand)]
pub(crate) enum PinCommand {
    /// Hold a tool of a followed registry to one manifest
    ///
    /// Another manifest is an alarm from then on, until somebody pins that one. Nothing on the chain changes.
    #[command(after_help = examples::TOOL_PIN)]
    Pin {
        #[command(flatten)]
        tool: ToolName,
        /// The manifest's hash: 0x and 64 digits [default: the one that is registered now]
        #[arg(long, value_name = "HASH")]
        hash: Option<String>,
        #[command(flatten)]
        chains: ChainFlags,
    },
    /// Hold a tool to no manifest any more
    #[command(after_help = examples::TOOL_UNPIN)]
    Unpin {
        #[command(flatten)]
        tool: ToolName,
    },
    /// List the tools that are pinned, and to what
    #[command(after_help = examples::TOOL_PINS)]
    Pins,
}

/// Reads how far something is trusted, and lets shells complete it.
fn levels() -> impl TypedValueParser<Value = Trust> {
    let levels = Trust::ALL.map(Trust::as_str);
    PossibleValuesParser::new(levels).try_map(|text| text.parse::<Trust>())
}
