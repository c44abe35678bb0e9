//! CAIP-2 chains, CAIP-10 accounts and CAIP-19 assets: text forms for every kind of chain.
//!
//! These standards fix characters and lengths, and leave the meaning to each namespace. So a text that parses here
//! is well-formed and no more: `eip155:01` is a CAIP-2 text, and no EVM chain. Case is part of all three; the
//! helpers that read an EVM chain or address out of them, or lower the case of hex, are asked for by name.

mod account;
mod asset;
mod chain;
mod scan;

pub use account::AccountId;
pub use asset::Asset;
pub(crate) use asset::Cut as AssetCut;
pub use chain::ChainId;

/// What types that are one checked text have in common.
macro_rules! one_text {
    ($name:ident) => {
        impl $name {
            /// The whole text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.text
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.text
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.text)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.text)
            }
        }
    };
}
use one_text;
