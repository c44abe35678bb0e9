//! `deedbox id …`

use clap::{Args, Subcommand, ValueEnum};

use super::examples;

/// `deedbox id …`
#[derive(Debug, Subcommand)]
pub(crate) enum IdCommand {
    /// Say what a text is, what its parts are, and how else it is written
    ///
    /// Recognises ERC-7930 interoperable addresses, ERC-8127 token identifiers, ERC-8119 keys, ERC-8257 tool
    /// references, CAIP-2, CAIP-10 and CAIP-19, EVM addresses and Solana keys. A wrong text is shown with a caret
    /// under the wrong byte. Ends with exit code 1 when the text is wrong, or one of several lines is.
    #[command(after_help = examples::ID_PARSE)]
    Parse {
        /// The text; - reads one from each line of standard input
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// Read it as this, whatever it looks like
        #[arg(long = "as", value_name = "KIND")]
        kind: Option<IdKind>,
        /// The chain it is on: its EVM chain id, or CAIP-2. An address may then carry that chain's EIP-1191 checksum
        #[arg(long, value_name = "CHAIN")]
        chain: Option<String>,
    },
    /// Put an identifier together from its parts, and print its canonical text
    ///
    /// What is made follows from the parts: a token from --id and --registry, a key from --key-label, an address
    /// on a chain from --chain and --address. --as chooses where that is not enough.
    #[command(after_help = examples::ID_FORMAT)]
    Format(Box<Format>),
    /// Write an identifier in another form
    ///
    /// Ends with exit code 1 when the text is wrong or the conversion does not exist, and says why. What a
    /// conversion loses is said on standard error.
    #[command(after_help = examples::ID_CONVERT)]
    Convert(Convert),
}

/// What a text can be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IdKind {
    /// ERC-7930 interoperable address, in hex
    Interop,
    /// ERC-8127 token identifier, full or partial: [alias.]id@registry
    Token,
    /// ERC-8257 tool reference: eip155:<chain>/erc8257:<registry>/<id>
    Tool,
    /// ERC-8119 storage key: label/parameter, label:parameter, label[parameter]
    Key,
    /// CAIP-2 chain: namespace:reference
    Chain,
    /// CAIP-10 account: namespace:reference:address
    Account,
    /// CAIP-19 asset: chain/namespace:reference, with or without /token
    Asset,
    /// EVM address: 0x and 40 hex digits
    Address,
    /// 32 bytes in base58, as Solana writes keys
    Solana,
}

/// `deedbox id format`
#[derive(Args, Debug)]
pub(crate) struct Format {
    /// What to make
    #[arg(long = "as", value_name = "KIND")]
    pub(crate) kind: Option<IdKind>,
    /// The chain: its EVM chain id, or CAIP-2
    #[arg(long, value_name = "CHAIN", help_heading = "Parts")]
    pub(crate) chain: Option<String>,
    /// An account or contract: an EVM address, on Solana a base58 key
    #[arg(long, value_name = "ADDRESS", help_heading = "Parts")]
    pub(crate) address: Option<String>,
    /// The registry's contract on the chain, or its whole ERC-7930 address
    #[arg(
        long,
        value_name = "ADDRESS",
        help_heading = "Parts",
        conflicts_with = "address"
    )]
    pub(crate) registry: Option<String>,
    /// The number of the token or tool, in decimal
    #[arg(long, value_name = "NUMBER", help_heading = "Parts")]
    pub(crate) id: Option<String>,
    /// The token's label for people
    #[arg(long, value_name = "ALIAS", help_heading = "Parts")]
    pub(crate) alias: Option<String>,
    /// The asset's namespace in CAIP-19, like erc20
    #[arg(long, value_name = "NAMESPACE", help_heading = "Parts")]
    pub(crate) namespace: Option<String>,
    /// A key's label
    #[arg(
        long,
        value_name = "LABEL",
        help_heading = "Parts",
        conflicts_with_all = ["chain", "address", "registry", "id", "alias", "namespace"]
    )]
    pub(crate) key_label: Option<String>,
    /// A key's parameter; in bracket form there may be several
    #[arg(
        long = "param",
        value_name = "TEXT",
        help_heading = "Parts",
        requires = "key_label",
        allow_hyphen_values = true
    )]
    pub(crate) parameters: Vec<String>,
    /// How a key's parameters are attached [default: slash; bracket for several]
    #[arg(
        long,
        value_name = "FORM",
        help_heading = "Parts",
        requires = "key_label"
    )]
    pub(crate) form: Option<KeyForm>,
}

/// How a key's parameters are attached to its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyForm {
    /// label/parameter
    Slash,
    /// label:parameter
    Colon,
    /// label[parameter][parameter]
    Bracket,
}

/// `deedbox id convert`
#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// The text
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: String,
    /// The form that is wanted
    #[arg(long, value_name = "FORM")]
    pub(crate) to: IdForm,
    /// Read the text as this, whatever it looks like
    #[arg(long = "as", value_name = "KIND")]
    pub(crate) kind: Option<IdKind>,
    /// The chain, where the text names none: its EVM chain id, or CAIP-2
    #[arg(long, value_name = "CHAIN")]
    pub(crate) chain: Option<String>,
    /// By which standard the token's contract works, for caip19
    #[arg(long, value_name = "STANDARD")]
    pub(crate) standard: Option<Standard>,
}

/// What a text can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IdForm {
    /// ERC-7930 interoperable address, in hex
    Erc7930,
    /// ERC-8127 token identifier
    Erc8127,
    /// ERC-8257 tool reference
    Tool,
    /// CAIP-2 chain
    Caip2,
    /// CAIP-10 account
    Caip10,
    /// CAIP-19 asset
    Caip19,
    /// EVM address with its EIP-55 checksum
    Eip55,
    /// EVM address with its EIP-1191 checksum, which depends on the chain
    Eip1191,
    /// EVM address in lower case, without a checksum
    Lower,
    /// ERC-8119 key as label/parameter
    Slash,
    /// ERC-8119 key as label:parameter
    Colon,
    /// ERC-8119 key as label[parameter]
    Bracket,
}

/// By which standard a token's contract works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Standard {
    /// ERC-721
    Erc721,
    /// ERC-1155
    Erc1155,
}
