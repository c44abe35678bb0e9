//! Commands that ask registries: `deedbox agent resolve`, `deedbox tool verify`, `access`, `compare` and `prove`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::{AgentName, Common, OnChain, SignerFlags, ToolName, examples};

/// `deedbox agent resolve`
#[derive(Args, Debug)]
pub(crate) struct Resolve {
    #[command(flatten)]
    pub(crate) agent: AgentName,
    /// A key of its metadata to read besides those of the standards (repeat it)
    #[arg(long = "key", value_name = "KEY")]
    pub(crate) keys: Vec<String>,
    /// An account that may have been approved to act for the owner: what may it do? (repeat it)
    #[arg(long = "spender", value_name = "ADDRESS")]
    pub(crate) spenders: Vec<String>,
    /// Where to say ipfs:// addresses at, like https://gateway.example; nothing is fetched
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) gateway: Option<String>,
    #[command(flatten)]
    pub(crate) at: AtBlock,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// At which block.
#[derive(Args, Debug)]
pub(crate) struct AtBlock {
    /// At which block: a height, a hash, latest, safe or finalized
    #[arg(long, default_value = "latest")]
    pub(crate) block: String,
}

/// What is asked about a tool.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolLook {
    /// Verify a tool: is the manifest that is served the registered one? (ERC-8257)
    ///
    /// Reads the registration, fetches the manifest from where it is registered and from nowhere else, and makes the four
    /// checks of §7. A tool that is not verified must not be used.
    #[command(after_help = examples::TOOL_VERIFY)]
    Verify(Verify),
    /// Ask whether an account may use a tool
    ///
    /// The answer is about the account, and says nothing about who is asking.
    #[command(after_help = examples::TOOL_ACCESS)]
    Access(Access),
    /// Set tools side by side, for choosing one
    ///
    /// Verifies each, reads the decimals of what it costs, and offers an order with its reasons. What is in another asset is
    /// said, and not converted. Nothing is paid or called.
    #[command(after_help = examples::TOOL_COMPARE)]
    Compare(Compare),
}

/// `deedbox tool compare`
#[derive(Args, Debug)]
pub(crate) struct Compare {
    /// The tools, two to ten: eip155:1/erc8257:0x…/7, or 7@ and its registry in any notation
    #[arg(value_name = "TOOL", required = true, num_args = 2..=10)]
    pub(crate) tools: Vec<String>,
    #[command(flatten)]
    pub(crate) on: OnChain,
    /// Whose access to ask for: 0x and 40 hex digits
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) account: Option<String>,
    /// In which asset to compare prices (CAIP-19) [default: the one that all of them are in, if they are]
    #[arg(long, value_name = "ASSET")]
    pub(crate) asset: Option<String>,
    /// A payment protocol that you can pay by, as manifests name it (repeat it)
    #[arg(long = "protocol", value_name = "NAME")]
    pub(crate) protocols: Vec<String>,
    #[command(flatten)]
    pub(crate) at: AtBlock,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `deedbox tool verify`
#[derive(Args, Debug)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) tool: ToolName,
    /// What for: how long the answer counts depends on it
    #[arg(long, value_enum, default_value = "interactive")]
    pub(crate) purpose: VerifyPurpose,
    /// For how many seconds it would be relied upon; the purpose and the manifest may allow less [default: 300]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) window: Option<u32>,
    /// Keep what was served in a new file, byte by byte, whether or not it is verified
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) save: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) at: AtBlock,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What a verification is for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum VerifyPurpose {
    /// To show the tool to somebody: at most five minutes
    Interactive,
    /// To invoke it: at most a day
    Invocation,
    /// To pay or to sign: for this one use
    Payment,
}

impl VerifyPurpose {
    /// Its name among the arguments of `verify_tool`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Invocation => "invocation",
            Self::Payment => "payment",
        }
    }
}

/// `deedbox tool access`
#[derive(Args, Debug)]
pub(crate) struct Access {
    #[command(flatten)]
    pub(crate) tool: ToolName,
    /// Whose access: 0x and 40 hex digits
    #[arg(value_name = "ACCOUNT")]
    pub(crate) account: String,
    /// What the predicate takes as evidence, in hex. It is sent to the chain's endpoint and recorded: no secret belongs in it
    #[arg(long, value_name = "0x…")]
    pub(crate) data: Option<String>,
    /// Send the data although it looks like a key or a password
    #[arg(long, requires = "data")]
    pub(crate) data_is_public: bool,
    #[command(flatten)]
    pub(crate) at: AtBlock,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `deedbox tool prove`
#[derive(Args, Debug)]
pub(crate) struct Prove {
    #[command(flatten)]
    pub(crate) tool: ToolName,
    /// For one request at the tool's endpoint: its origin, like https://tool.example. Prints the value of Authorization, with
    /// the access proof in it where the predicate takes one
    #[arg(long = "for", value_name = "ORIGIN", value_hint = ValueHint::Url)]
    pub(crate) audience: Option<String>,
    /// When it ends, from now [default: 10m, with --for 5m]
    #[arg(long, value_name = "SPAN")]
    pub(crate) expires_in: Option<String>,
    /// Let it count for more than an hour
    #[arg(long, conflicts_with = "audience")]
    pub(crate) long_lived: bool,
    /// The predicate that takes the proof, where the tool's predicate combines several that do
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) predicate: Option<String>,
    #[command(flatten)]
    pub(crate) signer: SignerFlags,
    #[command(flatten)]
    pub(crate) common: Common,
}
