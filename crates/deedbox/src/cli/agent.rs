//! `deedbox agent …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::{
    asking::Resolve,
    examples,
    finding::AgentLook,
    publishing::{AgentName, Publishing, RegistryName},
};

/// `deedbox agent …`
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Ask a registry who owns an agent, and where it says that it is reached
    ///
    /// Owner and services are two facts from two views, and neither follows from the other. Everything is read at one block and
    /// recorded as evidence.
    #[command(after_help = examples::AGENT_RESOLVE)]
    Resolve(Resolve),
    #[command(flatten)]
    Look(AgentLook),
    #[command(flatten)]
    Change(AgentChange),
}

/// What changes a registry of agents.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentChange {
    /// Register an agent in a registry (ERC-8122)
    #[command(after_help = examples::AGENT_REGISTER)]
    Register(Register),
    /// Register many agents in one transaction, from a file
    ///
    /// All of them or none. In JSON an array of objects, in CSV a line for each with the keys in the first line; `owner` is
    /// whose the agent becomes [default: the account that signs].
    #[command(after_help = examples::AGENT_REGISTER_BATCH)]
    RegisterBatch {
        #[command(flatten)]
        registry: RegistryName,
        /// The agents: a .json or .csv file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// Set an agent's metadata; its owner may, and whoever they approved
    ///
    /// Several entries are set in one transaction, so that a service and its type never stand there half.
    #[command(after_help = examples::AGENT_SET)]
    Set {
        #[command(flatten)]
        agent: AgentName,
        /// What to set. @FILE as a value reads a file, an empty value removes the entry
        #[arg(value_name = "KEY=VALUE", required = true)]
        entries: Vec<String>,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// Give an agent to another owner, with its metadata and its id
    #[command(after_help = examples::AGENT_TRANSFER)]
    Transfer {
        #[command(flatten)]
        agent: AgentName,
        /// The new owner
        #[arg(value_name = "ADDRESS")]
        to: String,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// Let somebody act for you, or no longer
    #[command(subcommand, after_help = examples::AGENT_APPROVE)]
    Approve(Approve),
}

/// `deedbox agent register`
#[derive(Args, Debug)]
pub(crate) struct Register {
    #[command(flatten)]
    pub(crate) registry: RegistryName,
    /// Metadata: name=…, description=…, service=… (see docs/publishing.md). @FILE as a value reads a file
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) entries: Vec<String>,
    /// Whose the agent becomes [default: the account that signs]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) owner: Option<String>,
    #[command(flatten)]
    pub(crate) publishing: Publishing,
}

/// `deedbox agent approve …`
#[derive(Debug, Subcommand)]
pub(crate) enum Approve {
    /// Somebody who may transfer one agent and set its metadata
    #[command(after_help = examples::AGENT_APPROVE_SPENDER)]
    Spender {
        #[command(flatten)]
        agent: AgentName,
        /// Who
        #[arg(value_name = "ADDRESS")]
        spender: String,
        /// Take it back
        #[arg(long)]
        revoke: bool,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// Somebody who may do so with every agent that you have, or will have, in a registry
    #[command(after_help = examples::AGENT_APPROVE_OPERATOR)]
    Operator {
        #[command(flatten)]
        registry: RegistryName,
        /// Who
        #[arg(value_name = "ADDRESS")]
        operator: String,
        /// Take it back
        #[arg(long)]
        revoke: bool,
        #[command(flatten)]
        publishing: Publishing,
    },
}
