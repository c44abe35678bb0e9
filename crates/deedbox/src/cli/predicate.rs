//! `deedbox predicate …`

use clap::{Args, Subcommand};

use super::{
    examples,
    publishing::{OnChain, Publishing},
    registry::Where,
};

/// `deedbox predicate …`
#[derive(Debug, Subcommand)]
pub(crate) enum PredicateCommand {
    /// Put an access predicate on a chain: a contract that says who may use a tool (ERC-8257)
    #[command(subcommand, after_help = examples::PREDICATE_DEPLOY)]
    Deploy(PredicateKind),
    /// Put accounts on a tool's list, or take them off; only the tool's creator may
    #[command(after_help = examples::PREDICATE_ALLOW)]
    Allow {
        #[command(flatten)]
        predicate: PredicateName,
        /// The tool's id in the registry that the predicate was made for
        #[arg(long, value_name = "ID")]
        tool_id: String,
        /// Whose access changes
        #[arg(value_name = "ADDRESS", required = true)]
        accounts: Vec<String>,
        /// Take them off the list
        #[arg(long)]
        revoke: bool,
        #[command(flatten)]
        publishing: Publishing,
    },
    /// Set the root of a tool's Merkle tree of accounts; only the tool's creator may
    #[command(after_help = examples::PREDICATE_SET_ROOT)]
    SetRoot {
        #[command(flatten)]
        predicate: PredicateName,
        /// The tool's id in the registry that the predicate was made for
        #[arg(long, value_name = "ID")]
        tool_id: String,
        /// The root: 0x and 64 hexadecimal digits; zeros let nobody in
        #[arg(value_name = "ROOT")]
        root: String,
        #[command(flatten)]
        publishing: Publishing,
    },
}

/// A predicate, in whatever notation.
#[derive(Args, Debug)]
pub(crate) struct PredicateName {
    /// The predicate: 0x0001… (ERC-7930), eip155:1:0x… (CAIP-10), or its address with --chain-id
    #[arg(value_name = "PREDICATE")]
    pub(crate) predicate: String,
    #[command(flatten)]
    pub(crate) on: OnChain,
}

/// What every deployment needs.
#[derive(Args, Debug)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) on: Where,
    #[command(flatten)]
    pub(crate) publishing: Publishing,
}

/// `deedbox predicate deploy …`
#[derive(Debug, Subcommand)]
pub(crate) enum PredicateKind {
    /// Nobody: what a tool is paused with
    #[command(after_help = examples::PREDICATE_ALWAYS_DENY)]
    AlwaysDeny {
        #[command(flatten)]
        common: Common,
    },
    /// Accounts that a tool's creator lists, and takes off the list, on chain
    #[command(after_help = examples::PREDICATE_ALLOWLIST)]
    Allowlist {
        /// The tool registry whose creators keep their lists in it
        #[arg(long, value_name = "ADDRESS")]
        registry: String,
        #[command(flatten)]
        common: Common,
    },
    /// Accounts of a Merkle tree of which a tool's creator sets the root
    #[command(after_help = examples::PREDICATE_MERKLE)]
    MerkleAllowlist {
        /// The tool registry whose creators set the roots
        #[arg(long, value_name = "ADDRESS")]
        registry: String,
        #[command(flatten)]
        common: Common,
    },
    /// Holders of any token of an ERC-721 collection
    #[command(after_help = examples::PREDICATE_ERC721)]
    Erc721 {
        /// The collection
        #[arg(long, value_name = "ADDRESS")]
        collection: String,
        #[command(flatten)]
        common: Common,
    },
    /// Holders of one token of an ERC-1155 collection
    #[command(after_help = examples::PREDICATE_ERC1155)]
    Erc1155 {
        /// The collection
        #[arg(long, value_name = "ADDRESS")]
        collection: String,
        /// The token
        #[arg(long, value_name = "ID")]
        token_id: String,
        #[command(flatten)]
        common: Common,
    },
    /// Holders of so much of an ERC-20 token
    #[command(after_help = examples::PREDICATE_ERC20)]
    Erc20 {
        /// The token
        #[arg(long, value_name = "ADDRESS")]
        token: String,
        /// The least that must be held, in the token's smallest unit
        #[arg(long, value_name = "AMOUNT")]
        min_balance: String,
        #[command(flatten)]
        common: Common,
    },
    /// Holders of a subscription that has not ended (ERC-5643)
    #[command(after_help = examples::PREDICATE_SUBSCRIPTION)]
    Subscription {
        /// The collection of subscriptions
        #[arg(long, value_name = "ADDRESS")]
        collection: String,
        /// The least tier; 0 for any
        #[arg(long, value_name = "N", default_value_t = 0)]
        min_tier: u8,
        #[command(flatten)]
        common: Common,
    },
    /// The owner of one agent of an agent registry (ERC-8122)
    #[command(after_help = examples::PREDICATE_AGENT_OWNER)]
    AgentOwner {
        /// The agent registry
        #[arg(long, value_name = "ADDRESS")]
        registry: String,
        /// The agent's id
        #[arg(long, value_name = "ID")]
        agent_id: String,
        #[command(flatten)]
        common: Common,
    },
    /// The owner of any agent of an agent registry (ERC-8122)
    #[command(after_help = examples::PREDICATE_ANY_AGENT_OWNER)]
    AnyAgentOwner {
        /// The agent registry
        #[arg(long, value_name = "ADDRESS")]
        registry: String,
        #[command(flatten)]
        common: Common,
    },
    /// Whoever shows a signature of their account over the tool and a deadline
    #[command(after_help = examples::PREDICATE_ACCESS_PROOF)]
    AccessProof {
        /// Who alone may ask it: the tool registry, or the composite above it
        #[arg(long, value_name = "ADDRESS")]
        caller: String,
        #[command(flatten)]
        common: Common,
    },
    /// Several predicates together: all of them, or any of them. A broken one can only deny
    #[command(after_help = examples::PREDICATE_COMPOSITE)]
    Composite {
        /// Who alone may ask it: the tool registry, or the composite above it. Needed where a term answers one caller only, as
        /// access-proof does, which must then have this composite for it [default: anybody may ask]
        #[arg(long, value_name = "ADDRESS")]
        caller: Option<String>,
        /// Whether every term must grant, or one is enough
        #[arg(long, value_name = "all|any", hide_possible_values = true)]
        logic: Logic,
        /// A predicate: its address, or not: and its address; with a comma and a number for the gas that it gets
        /// [default: 100000]. Repeat it, 8 at most
        #[arg(long = "term", value_name = "TERM", required = true)]
        terms: Vec<String>,
        #[command(flatten)]
        common: Common,
    },
}

impl PredicateKind {
    /// What every deployment needs.
    pub(crate) const fn common(&self) -> &Common {
        let (Self::AlwaysDeny { common }
        | Self::Allowlist { common, .. }
        | Self::MerkleAllowlist { common, .. }
        | Self::Erc721 { common, .. }
        | Self::Erc1155 { common, .. }
        | Self::Erc20 { common, .. }
        | Self::Subscription { common, .. }
        | Self::AgentOwner { common, .. }
        | Self::AnyAgentOwner { common, .. }
        | Self::AccessProof { common, .. }
        | Self::Composite { common, .. }) = self;
        common
    }
}

/// How the terms of a composite are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Logic {
    /// Every term must grant
    All,
    /// One is enough
    Any,
}
