//! Accounts that sign transactions: where their keys lie, and how one comes into the program.
//!
//! A key is never an argument: what is typed stays in a shell's history, and everybody on the machine sees it while the
//! program runs. It comes from an encrypted file ([`keystore`], [`Folder`]), from the environment, or from a prompt that
//! does not echo ([`ask`]), and it is asked for only when something is to be signed ([`Signing`]).

pub(crate) mod ask;
mod folder;
mod key;
mod keystore;
mod looks;
mod misplaced;
mod signing;
mod terminal;

pub(crate) use folder::{Folder, Kept, taken};
pub(crate) use key::{Password, PrivateKey};
pub(crate) use keystore::{Keystore, Unreadable};
pub(crate) use looks::{holds_key, is_like_a_key, masked, redacted, refused_flag};
pub(crate) use misplaced::holds_misplaced_key;
pub(crate) use signing::Signing;
