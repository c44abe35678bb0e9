//! SHA-256 values, one type for each thing that is hashed.

use std::{fmt, str::FromStr};

use data_encoding::HEXLOWER;
use schemars::json_schema;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::json::json_text;

/// Why a text is not a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be sha256: followed by 64 lower-case hexadecimal digits")]
pub struct NotAHash;

macro_rules! hashes {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// SHA-256 over `bytes`.
            #[must_use]
            pub fn of(bytes: &[u8]) -> Self {
                Self(Sha256::digest(bytes).into())
            }

            /// The 32 bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl TryFrom<&[u8]> for $name {
            type Error = NotAHash;
            fn try_from(bytes: &[u8]) -> Result<Self, NotAHash> {
                bytes.try_into().map(Self).map_err(|_| NotAHash)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "sha256:{}", HEXLOWER.encode(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = NotAHash;
            fn from_str(text: &str) -> Result<Self, NotAHash> {
                let hex = text.strip_prefix("sha256:").ok_or(NotAHash)?;
                let bytes = HEXLOWER.decode(hex.as_bytes()).map_err(|_| NotAHash)?;
                Self::try_from(bytes.as_slice())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        json_text!(
            $name,
            json_schema!({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"})
        );
    )*};
}

hashes! {
    /// The hash of a deed, over everything else in it; see [`crate::deed`].
    DeedHash
    /// The hash of an API key's text: all that is ever stored of it.
    SecretHash
    /// The hash of an installation's label: all that is ever stored or shown of it.
    InstanceHash
    /// The hash of a request's tool and arguments, by which a repeat is recognised.
    RequestHash
    /// The digest of a reading; see [`crate::evidence`].
    ReadingDigest
    /// What binds a deed to the text that stands beside it; see [`crate::memory`].
    TextCommitment
    /// The hash by which equal contents of memories are recognised; see [`crate::memory::MemoryText::digest`].
    ContentDigest
    /// The hash of what all attempts at a publication call; see [`SignedTransaction::call`](crate::SignedTransaction::call).
    CallHash
}
