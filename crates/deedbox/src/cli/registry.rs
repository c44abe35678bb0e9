//! `deedbox registry …`

use clap::{Args, Subcommand};

use super::{
    ChainFlags, examples,
    follow::FollowCommand,
    publishing::{Publishing, RegistryName},
};

/// `deedbox registry …`
#[derive(Debug, Subcommand)]
pub(crate) enum RegistryCommand {
    #[command(flatten)]
    Contract(ContractCommand),
    #[command(flatten)]
    Follow(FollowCommand),
}

/// What is done with a registry's contract.
#[derive(Debug, Subcommand)]
pub(crate) enum ContractCommand {
    /// Put a registry of your own on a chain
    #[command(subcommand, after_help = examples::REGISTRY_DEPLOY)]
    Deploy(Deploy),
    /// Show what a registry is: its code, its standards, who may admit, its metadata
    ///
    /// Everything is read at one block. Says whether the contract can be changed under those who rely on it.
    #[command(after_help = examples::REGISTRY_DESCRIBE)]
    Describe {
        #[command(flatten)]
        registry: RegistryName,
        /// At which block: a height, a hash, latest, safe or finalized
        #[arg(long, default_value = "latest")]
        block: String,
        /// A key of its metadata to ask for besides those of the standards (repeat it)
        #[arg(long = "key", value_name = "KEY")]
        keys: Vec<String>,
        #[command(flatten)]
        chains: ChainFlags,
    },
    /// Set metadata of an agent registry (ERC-8049); only its registrar may
    #[command(after_help = examples::REGISTRY_SET)]
    Set {
        #[command(flatten)]
        registry: RegistryName,
        /// What to set. @FILE as a value reads a file, an empty value removes the entry
        #[arg(value_name = "KEY=VALUE", required = true)]
        entries: Vec<String>,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// Hand the registrar's role over, or end it for ever
    #[command(subcommand, after_help = examples::REGISTRY_REGISTRAR)]
    Registrar(RegistrarCommand),
}

/// `deedbox registry deploy …`
#[derive(Debug, Subcommand)]
pub(crate) enum Deploy {
    /// An agent registry in which everybody may register (ERC-8122)
    #[command(after_help = examples::REGISTRY_DEPLOY_OPEN)]
    Open(AgentRegistry),
    /// An agent registry in which only the registrar registers agents
    #[command(after_help = examples::REGISTRY_DEPLOY_CURATED)]
    Curated(AgentRegistry),
    /// A curated agent registry that never has more than so many agents
    #[command(after_help = examples::REGISTRY_DEPLOY_FIXED)]
    FixedSupply {
        /// The most agents that it will ever have
        #[arg(long, value_name = "N")]
        max_supply: String,
        #[command(flatten)]
        registry: AgentRegistry,
    },
    /// A tool registry (ERC-8257): no owner, no fee, nobody can change it
    #[command(after_help = examples::REGISTRY_DEPLOY_TOOLS)]
    Tools {
        #[command(flatten)]
        on: Where,
        #[command(flatten)]
        publishing: Publishing,
    },
}

/// An agent registry that is to be made.
#[derive(Args, Debug)]
pub(crate) struct AgentRegistry {
    #[command(flatten)]
    pub(crate) on: Where,
    /// Who sets the registry's metadata, and admits where not everybody may: self, nobody, or an address. There is no
    /// default: nobody is for ever
    #[arg(long, value_name = "WHO")]
    pub(crate) registrar: String,
    /// Its metadata from the start: name=…, description=…, image=… (repeat it). @FILE as a value reads a file
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) entries: Vec<String>,
    #[command(flatten)]
    pub(crate) publishing: Publishing,
}

/// On which chain something is made.
#[derive(Args, Debug)]
pub(crate) struct Where {
    /// The chain's id (EIP-155)
    #[arg(long, value_name = "ID")]
    pub(crate) chain_id: u64,
}

/// `deedbox registry registrar …`
#[derive(Debug, Subcommand)]
pub(crate) enum RegistrarCommand {
    /// Name who may take the role over; they have to accept
    #[command(after_help = examples::REGISTRAR_NOMINATE)]
    Nominate {
        #[command(flatten)]
        registry: RegistryName,
        /// Who may accept; nobody withdraws a nomination
        #[arg(value_name = "ADDRESS|nobody")]
        nominee: String,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// Take the role over that one was nominated for
    #[command(after_help = examples::REGISTRAR_ACCEPT)]
    Accept {
        #[command(flatten)]
        registry: RegistryName,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// End the role for ever: metadata is final then, and a curated registry takes no more agents
    #[command(after_help = examples::REGISTRAR_RENOUNCE)]
    Renounce {
        #[command(flatten)]
        registry: RegistryName,
        #[command(flatten)]
        forever: ForEver,
        #[command(flatten)]
        publishing: Publishing,
    },
}

/// Consent to what cannot be undone.
#[derive(Args, Debug)]
pub(crate) struct ForEver {
    /// Do not ask before what cannot be undone; --yes alone is not enough
    #[arg(long)]
    pub(crate) yes_for_ever: bool,
}
