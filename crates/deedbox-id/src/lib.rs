#![doc = include_str!("../README.md")]

pub mod address;
mod base58;
pub mod caip;
mod chain;
mod convert;
pub mod decimal;
pub mod error;
pub mod hex;
pub mod interop;
pub mod key;
#[cfg(feature = "serde")]
mod serde;
mod solana;
pub mod token;
mod tool;

pub use address::{Address, Checksum};
pub use caip::{AccountId, Asset, ChainId};
pub use chain::EvmChain;
pub use convert::TokenStandard;
pub use error::Error;
pub use interop::{ChainType, InteropAddress, Reach};
pub use key::{Form, LooseKey, Oddity, StorageKey};
/// The number behind token, tool and chain ids: an unsigned integer of 256 bits.
pub use ruint::aliases::U256;
pub use solana::Base58Key;
pub use token::{Alias, Found, PartialIdentifier, Registry, TokenIdentifier};
pub use tool::ToolReference;
