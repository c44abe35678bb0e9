//! The command line: what can be said. What it does stands in [`crate::commands`].

mod account;
mod agent;
mod asking;
mod dev;
mod evidence;
mod examples;
mod finding;
mod flags;
mod follow;
mod id;
mod labels;
mod lint;
mod memory;
mod policy;
mod predicate;
mod publication;
mod publishing;
mod read;
mod registry;
mod space;
mod tasks;
mod tool;

use std::path::PathBuf;

pub(crate) use account::{AccountCommand, NewAccount};
pub(crate) use agent::{AgentChange, AgentCommand, Approve};
pub(crate) use asking::{Access, Compare, Prove, Resolve, ToolLook, Verify};
use clap::{
    Args, Parser, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use clap_complete::Shell;
use deedbox_core::ActorKind;
pub(crate) use dev::{ChainCommand, Dev};
pub(crate) use evidence::EvidenceCommand;
pub(crate) use finding::{AccessKind, AgentLook, Page, Scope, ToolFinding};
pub(crate) use flags::{ChainFlags, ServerFlags};
pub(crate) use follow::{Add, FollowCommand, PinCommand, Sync};
pub(crate) use id::{Convert, Format, IdCommand, IdForm, IdKind, KeyForm, Standard};
pub(crate) use labels::InstanceCommand;
pub(crate) use lint::{LintCommand, LintTools};
pub(crate) use memory::{
    AsActor, DeleteRowsArgs, ListArgs, MemoryCommand, RecallArgs, RememberArgs, Spaces,
    StewardCommand, UpdateArgs,
};
pub(crate) use policy::{PolicyCommand, PolicyTest};
pub(crate) use predicate::{
    Common as PredicateCommon, Logic, PredicateCommand, PredicateKind, PredicateName,
};
pub(crate) use publication::PublicationCommand;
pub(crate) use publishing::{
    AgentName, OnChain, Publishing, RegistryName, Sending, SignerFlags, ToolName,
};
pub(crate) use read::{At, Common, ReadCommand};
pub(crate) use registry::{
    AgentRegistry, ContractCommand, Deploy, RegistrarCommand, RegistryCommand,
};
pub(crate) use space::{MemberCommand, SpaceCommand};
pub(crate) use tasks::TaskCommand;
pub(crate) use tool::{
    Check, Init, ManifestCommand, ManifestFile, Normalize, RegistrationCommand, ToolCommand,
};

use crate::settings::Flags;

/// A registrar for AI agents: who has accepted which task, and how they know that it is done.
///
/// Two rules: nobody owns a task until they accept it, and nobody reports completion without saying how they
/// know. Agents speak to Deedbox over MCP, programs over HTTP, people with these commands. The commands work
/// on the database itself, also while `deedbox serve` runs.
#[derive(Debug, Parser)]
#[command(
    name = "deedbox",
    version,
    max_term_width = 100,
    after_help = examples::TOP,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// Print results as one JSON value, and errors as {"error","code"} on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Configuration file [default: ./deedbox.toml, then ~/.config/deedbox/deedbox.toml]
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Folder of the embedded database [default: ~/.local/share/deedbox]
    #[arg(long, value_name = "DIR", global = true)]
    data_dir: Option<String>,
    /// Database: postgres://… or sqlite:///path [default: deedbox.sqlite in the data folder]
    #[arg(long, value_name = "URL", global = true)]
    database_url: Option<String>,
    /// What the agent that uses this program calls itself; attributes what is done, and permits nothing
    #[arg(long, value_name = "LABEL", global = true)]
    as_agent: Option<String>,
    /// Log lines as text or json [default: text on a terminal, else json]
    #[arg(long, value_name = "FORMAT", global = true)]
    log_format: Option<String>,
    /// Which log lines, like info or warn,deedbox_server=debug
    #[arg(long, value_name = "FILTER", global = true)]
    log_filter: Option<String>,
}

impl Global {
    /// The configuration file that was named, and the flags that were given.
    pub(crate) fn into_flags(self) -> (Option<PathBuf>, Flags) {
        let given = [
            ("data_dir", self.data_dir),
            ("database_url", self.database_url),
            ("agent_id", self.as_agent),
            ("log_format", self.log_format),
            ("log_filter", self.log_filter),
        ];
        let flags = given
            .into_iter()
            .filter_map(|(name, text)| Some((name, vec![text?])))
            .collect();
        (self.config, flags)
    }
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve MCP and HTTP
    ///
    /// On its first run it creates the data folder, the database and one operator key, which is shown once,
    /// and prints configuration that is ready to paste. SIGTERM and Ctrl-C let requests in flight finish.
    #[command(after_help = examples::SERVE)]
    Serve(ServerFlags),
    /// Serve one MCP client over standard input and output
    ///
    /// The client starts this command itself. The key is read from the environment variable DEEDBOX_KEY, and
    /// says as whom the client acts. Log lines go to standard error.
    #[command(after_help = examples::MCP)]
    Mcp {
        /// Which tools to offer, separated by commas [default: all]
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        toolsets: Option<Vec<String>>,
        #[command(flatten)]
        chains: ChainFlags,
    },
    /// Create, accept, complete, hand off and look at tasks
    #[command(subcommand, after_help = examples::TASK)]
    Task(TaskCommand),
    /// Remember, recall and forget what agents and people note down for each other
    #[command(subcommand, after_help = examples::MEMORY)]
    Memory(MemoryCommand),
    /// Make spaces for teams' memories, and say who is in them
    #[command(subcommand, after_help = examples::SPACE)]
    Space(SpaceCommand),
    /// Add and list the people, agents and services that act
    #[command(subcommand, after_help = examples::ACTOR)]
    Actor(ActorCommand),
    /// Make, list and revoke keys
    #[command(subcommand, after_help = examples::KEY)]
    Key(KeyCommand),
    /// Give an agent's installation a label, by which others see what it wrote
    #[command(subcommand, after_help = examples::INSTANCE)]
    Instance(InstanceCommand),
    /// Say as whom you act here, and with which labels
    #[command(after_help = examples::WHOAMI)]
    Whoami,
    /// Check that the ledger says what was done
    #[command(subcommand, after_help = examples::LEDGER)]
    Ledger(LedgerCommand),
    /// Read chains so that the answer can be checked
    ///
    /// Each reading is taken at one block and recorded as evidence, under the same policy as those of agents. Nothing
    /// has a default. Chains are named in deedbox.toml, DEEDBOX_CHAINS or --chain.
    #[command(subcommand, after_help = examples::READ)]
    Read(ReadCommand),
    /// Show and try what may be read
    #[command(subcommand, after_help = examples::POLICY)]
    Policy(PolicyCommand),
    /// List, show, export and check again what was read of chains
    #[command(subcommand, after_help = examples::EVIDENCE)]
    Evidence(EvidenceCommand),
    /// Read and write identifiers of tokens, tools, accounts, chains and keys
    #[command(subcommand, after_help = examples::ID)]
    Id(IdCommand),
    /// Put registries on a chain, look at them, follow and trust them
    #[command(subcommand, after_help = examples::REGISTRY)]
    Registry(RegistryCommand),
    /// Find agents, ask who owns one; register them, set metadata, give them away (ERC-8122)
    #[command(subcommand, after_help = examples::AGENT)]
    Agent(AgentCommand),
    /// Put access predicates on a chain: who may use a tool
    #[command(subcommand, after_help = examples::PREDICATE)]
    Predicate(PredicateCommand),
    /// Find and verify tools, ask who may use them; check manifests, register and pin tools
    #[command(subcommand, after_help = examples::TOOL)]
    Tool(ToolCommand),
    /// List what was changed on chains, and go on with what is not settled
    #[command(subcommand, after_help = examples::PUBLICATION)]
    Publication(PublicationCommand),
    /// Keep the keys that sign transactions, encrypted
    #[command(subcommand, after_help = examples::ACCOUNT)]
    Account(AccountCommand),
    /// Start a chain of your own, to try things on
    #[command(subcommand, after_help = examples::CHAIN)]
    Chain(ChainCommand),
    /// Say what the descriptions of an MCP server's tools leave unsaid
    #[command(subcommand, after_help = examples::LINT)]
    Lint(LintCommand),
    /// Show the settings that are in force
    #[command(subcommand, after_help = examples::CONFIG)]
    Config(ConfigCommand),
    /// Print a completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// For which shell
        shell: Shell,
    },
    /// Print the OpenAPI document of the HTTP API
    #[command(after_help = examples::OPENAPI)]
    Openapi,
}

/// `deedbox actor …`
#[derive(Debug, Subcommand)]
pub(crate) enum ActorCommand {
    /// Add an actor
    #[command(after_help = examples::ACTOR_ADD)]
    Add {
        /// Its id, used in every deed and never reused: ASCII letters, digits and . _ - : @ / +
        id: String,
        /// What it is: human, agent or service
        #[arg(long, value_name = "KIND", value_parser = kinds(), hide_possible_values = true)]
        kind: ActorKind,
        /// How it is shown to people [default: its id]
        #[arg(long)]
        name: Option<String>,
    },
    /// List all actors
    #[command(after_help = examples::ACTOR_LIST)]
    List,
    /// Show one actor and its keys
    #[command(after_help = examples::ACTOR_SHOW)]
    Show {
        /// Its id
        id: String,
    },
}

/// `deedbox key …`
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key; it is shown once
    #[command(after_help = examples::KEY_NEW)]
    New(NewKey),
    /// List all keys, without their secrets
    #[command(after_help = examples::KEY_LIST)]
    List,
    /// Take a key back; it is refused from the next request on
    #[command(after_help = examples::KEY_REVOKE)]
    Revoke {
        /// Its id, as `deedbox key list` shows it
        id: String,
    },
}

/// `deedbox key new`
#[derive(Args, Debug)]
pub(crate) struct NewKey {
    #[command(flatten)]
    pub(crate) holder: KeyHolder,
    /// What the key may be used for: tasks:read, tasks:write, chain:read, registries:read, registries:write, memory:read, memory:write,
    /// memory:delete, memory:export; one of memory is for one space only when @ and the space stand behind it
    /// [default: all; for an actor's key all but registries:write, which decides whom everybody believes, and memory:export]
    #[arg(long, value_name = "SCOPES")]
    pub(crate) scopes: Option<String>,
    /// Until when it is valid: a span like 30d or 12h, or a time like 2027-01-31T00:00:00Z [default: for ever]
    #[arg(long, value_name = "WHEN")]
    pub(crate) expires: Option<String>,
    /// What you call it
    #[arg(long)]
    pub(crate) label: Option<String>,
    /// The agent label that the key bears witness to: readers then see that it is more than what the agent says of itself. It permits
    /// nothing, and who sends another label may do the same
    #[arg(long, value_name = "LABEL")]
    pub(crate) agent_label: Option<String>,
}

/// Whose a key is: exactly one of the two. A group, so that who gives neither is told of both.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct KeyHolder {
    /// The only actor that the key may act as
    #[arg(long, value_name = "ID")]
    pub(crate) actor: Option<String>,
    /// A key that may name any actor; deeds record that the actor was asserted
    #[arg(long)]
    pub(crate) operator: bool,
}

/// Reads a kind of actor, and lets shells complete it.
fn kinds() -> impl TypedValueParser<Value = ActorKind> {
    let kinds = ActorKind::ALL.map(ActorKind::as_str);
    PossibleValuesParser::new(kinds).try_map(|text| text.parse::<ActorKind>())
}

/// `deedbox ledger …`
#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Recompute every hash, rebuild every projection, and compare
    ///
    /// Reads everything as it is at one moment; writers go on meanwhile. Names the first row that is not as it
    /// should be, and ends with exit code 1.
    #[command(after_help = examples::LEDGER_CHECK)]
    Check,
}

/// `deedbox config …`
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every setting with its value and where it came from; secrets are masked
    #[command(after_help = examples::CONFIG_SHOW)]
    Show(ServerFlags),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        fn walk(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string);
            assert!(
                help.as_deref()
                    .is_some_and(|help| help.contains("deedbox ")),
                "{} has no example",
                command.get_name()
            );
            let wide = |line: &&str| line.chars().count() > 98;
            let wide = help.as_deref().and_then(|help| help.lines().find(wide));
            assert_eq!(wide, None, "would be broken in the middle of a command");
            command.get_subcommands().for_each(walk);
        }
        walk(&Cli::command());
    }
}
