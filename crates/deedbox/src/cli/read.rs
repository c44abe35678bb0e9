//! `deedbox read …`

use clap::{Args, Subcommand};

use super::{ChainFlags, examples};

/// `deedbox read …`
#[derive(Debug, Subcommand)]
pub(crate) enum ReadCommand {
    /// Read how much of a chain's native currency an address holds
    #[command(after_help = examples::READ_NATIVE_BALANCE)]
    NativeBalance {
        #[command(flatten)]
        at: At,
        /// Whose balance: 0x and 40 hex digits
        #[arg(long, value_name = "ADDRESS")]
        holder: String,
        #[command(flatten)]
        common: Common,
    },
    /// Read how much of an ERC-20 token an address holds
    #[command(after_help = examples::READ_ERC20_BALANCE)]
    Erc20Balance {
        #[command(flatten)]
        at: At,
        /// Whose balance: 0x and 40 hex digits
        #[arg(long, value_name = "ADDRESS")]
        holder: String,
        /// The token's contract: 0x and 40 hex digits
        #[arg(long, value_name = "ADDRESS")]
        token: String,
        #[command(flatten)]
        common: Common,
    },
    /// Read what a token says of itself: name, symbol, decimals, total supply
    #[command(after_help = examples::READ_TOKEN_METADATA)]
    TokenMetadata {
        #[command(flatten)]
        at: At,
        /// The token's contract: 0x and 40 hex digits
        #[arg(long, value_name = "ADDRESS")]
        token: String,
        #[command(flatten)]
        common: Common,
    },
    /// Read the reserves of a Uniswap V2 pool, or what a V3 pool has instead
    #[command(after_help = examples::READ_POOL_RESERVES)]
    PoolReserves {
        #[command(flatten)]
        at: At,
        /// The pool's contract: 0x and 40 hex digits
        #[arg(long, value_name = "ADDRESS")]
        pool: String,
        #[command(flatten)]
        common: Common,
    },
    /// Read the token transfers of an address, the newest first
    #[command(after_help = examples::READ_TRANSFERS)]
    Transfers {
        /// The chain's id (EIP-155)
        #[arg(long, value_name = "ID")]
        chain_id: u64,
        /// Whose transfers, in and out: 0x and 40 hex digits
        #[arg(long)]
        address: String,
        /// The first block: a height
        #[arg(long, value_name = "BLOCK")]
        from_block: String,
        /// The last block: a height, a hash, latest, safe or finalized
        #[arg(long, value_name = "BLOCK")]
        to_block: String,
        /// How many at most, 1 to 500
        #[arg(long, value_name = "N")]
        limit: u32,
        #[command(flatten)]
        common: Common,
    },
    /// List the chains that can be read, with the state of their endpoints
    #[command(after_help = examples::READ_CHAINS)]
    Chains {
        #[command(flatten)]
        chains: ChainFlags,
    },
}

/// On which chain and at which block.
#[derive(Args, Debug)]
pub(crate) struct At {
    /// The chain's id (EIP-155)
    #[arg(long, value_name = "ID")]
    pub(crate) chain_id: u64,
    /// At which block: a height, a hash, latest, safe or finalized
    #[arg(long)]
    pub(crate) block: String,
}

/// What rides beside the arguments of a reading.
#[derive(Args, Debug, Default)]
pub(crate) struct Common {
    /// The task that the reading is for: it is recorded with it, and counts for its policy
    #[arg(long)]
    pub(crate) task: Option<String>,
    #[command(flatten)]
    pub(crate) chains: ChainFlags,
}
