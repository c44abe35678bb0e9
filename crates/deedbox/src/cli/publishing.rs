//! What commands have in common that change a chain: who signs, and how the change is sent.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::ChainFlags;

/// Who signs. No flag takes a key: a command line stays in the shell's history.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Signing")]
pub(crate) struct SignerFlags {
    /// A keystore: its name, as `deedbox account list` shows it, or a file, named with its folder. Without this and
    /// --prompt-key the key in DEEDBOX_PRIVATE_KEY signs
    #[arg(
        long,
        value_name = "NAME|FILE",
        conflicts_with = "prompt_key",
        value_hint = ValueHint::FilePath
    )]
    pub(crate) keystore: Option<String>,
    /// The file whose first line is the keystore's password [default: DEEDBOX_KEYSTORE_PASSWORD, or asked for]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) password_file: Option<PathBuf>,
    /// Ask for the private key, without showing what is typed
    #[arg(long)]
    pub(crate) prompt_key: bool,
    /// Whose transaction or signature it is: what signs must be this account's key. With --dry-run, where there is one, no key is needed
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) from: Option<String>,
}

/// How a change is previewed, sent and waited for.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Publishing")]
pub(crate) struct Publishing {
    #[command(flatten)]
    pub(crate) signer: SignerFlags,
    /// Stop before signing, and print what a wallet or a multisig has to send: to, value, data
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) sending: Sending,
}

/// How a transaction is confirmed, paid and waited for.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Publishing")]
pub(crate) struct Sending {
    /// Do not ask before signing
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// The most that the transaction may cost, in the chain's currency: 0.002. One that may cost more is not signed
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) max_fee: Option<String>,
    /// How many blocks have to hold the change, its own included [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) confirmations: Option<u64>,
    /// How long to wait for the transaction [default: 5m]
    #[arg(long, value_name = "SPAN")]
    pub(crate) wait: Option<String>,
    #[command(flatten)]
    pub(crate) chains: ChainFlags,
}

/// A registry, in whatever notation.
#[derive(Args, Debug)]
pub(crate) struct RegistryName {
    /// The registry: 0x0001… (ERC-7930), eip155:1:0x… (CAIP-10), or its address or a preset's name with --chain-id
    #[arg(value_name = "REGISTRY")]
    pub(crate) registry: String,
    #[command(flatten)]
    pub(crate) on: OnChain,
}

/// The chain of an address that does not say it.
#[derive(Args, Debug, Default)]
pub(crate) struct OnChain {
    /// The chain's id (EIP-155), for names that do not say it
    #[arg(long, value_name = "ID")]
    pub(crate) chain_id: Option<u64>,
}

/// An agent, in whatever notation.
#[derive(Args, Debug)]
pub(crate) struct AgentName {
    /// The agent: 12@0x0001… (ERC-8127), 12@eip155:1:0x…, or 12@ and an address with --chain-id
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
    #[command(flatten)]
    pub(crate) on: OnChain,
}

/// A tool, in whatever notation.
#[derive(Args, Debug)]
pub(crate) struct ToolName {
    /// The tool: eip155:1/erc8257:0x…/7, or 7@ and its registry in any notation
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,
    #[command(flatten)]
    pub(crate) on: OnChain,
}
