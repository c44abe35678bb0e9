//! `deedbox account …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::examples;

/// `deedbox account …`
#[derive(Debug, Subcommand)]
pub(crate) enum AccountCommand {
    /// Make an account, and keep its key in an encrypted file
    ///
    /// Web3 Secret Storage, version 3, which other wallets read. There is no second copy: keep one of the file, and the
    /// password. Nobody can make up for the loss of either.
    #[command(after_help = examples::ACCOUNT_NEW)]
    New(NewAccount),
    /// Encrypt a private key that you have into a file
    ///
    /// The key is asked for without echo, or read from DEEDBOX_PRIVATE_KEY or a file; it is never an argument.
    #[command(after_help = examples::ACCOUNT_IMPORT)]
    Import {
        #[command(flatten)]
        account: NewAccount,
        /// The file in which the key stands; - reads it from standard input
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        key_file: Option<PathBuf>,
    },
    /// List the keystores, with their accounts
    #[command(after_help = examples::ACCOUNT_LIST)]
    List,
}

/// A keystore that is to be made.
#[derive(Args, Debug)]
pub(crate) struct NewAccount {
    /// What to call it [default: its address]
    pub(crate) name: Option<String>,
    /// The file whose first line is the password [default: DEEDBOX_KEYSTORE_PASSWORD, or asked for twice]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) password_file: Option<PathBuf>,
}
