//! The hash that a manifest is registered under: keccak256 over its canonical bytes (ERC-8257 §2 and §8).

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha3::{Digest as _, Keccak256};

use crate::{canonical::Sink, json::Document};

/// Why a text is not a [`struct@Hash`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 0x followed by 64 lower-case hexadecimal digits")]
pub struct NotAHash;

/// A keccak256 value. Prints and reads as `0x` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// keccak256 over `bytes`, as they are.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Keccak256::digest(bytes).into())
    }

    /// The 32 bytes, as `getToolConfig(toolId).manifestHash` holds them.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

impl FromStr for Hash {
    type Err = NotAHash;
    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let digits = text.strip_prefix("0x").ok_or(NotAHash)?.as_bytes();
        if digits.len() != 64 {
            return Err(NotAHash);
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Ok(Self(hash))
    }
}

fn nibble(digit: u8) -> Result<u8, NotAHash> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(NotAHash),
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// What canonicalising a document comes to, when nobody needs the bytes themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// keccak256 over the canonical bytes.
    pub hash: Hash,
    /// How many canonical bytes there are.
    pub canonical_len: usize,
}

impl Document<'_> {
    /// The hash over the canonical bytes of the whole document, and how many bytes those are.
    ///
    /// The bytes pass through a small buffer; the canonical form is never held in memory whole.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut hashing = Hashing::new();
        self.root().write_canonical(&mut hashing);
        hashing.finish()
    }
}

/// Nine blocks of keccak256. Handing the hash function whole blocks spares it a copy of its own.
const BUFFER: usize = 9 * 136;

/// Collects small writes into whole blocks, and hashes those.
struct Hashing {
    state: Keccak256,
    buffer: [u8; BUFFER],
    /// How much of the buffer is to be hashed.
    filled: usize,
    /// How much was hashed before.
    hashed: usize,
}

impl Hashing {
    fn new() -> Self {
        Self {
            state: Keccak256::new(),
            buffer: [0; BUFFER],
            filled: 0,
            hashed: 0,
        }
    }

    fn finish(mut self) -> Digest {
        self.hash_buffer();
        Digest {
            hash: Hash(self.state.finalize().into()),
            canonical_len: self.hashed,
        }
    }

    fn hash_buffer(&mut self) {
        self.state.update(&self.buffer[..self.filled]);
        self.hashed += self.filled;
        self.filled = 0;
    }

    #[cold]
    fn overflow(&mut self, bytes: &[u8]) {
        let (now, later) = bytes.split_at(BUFFER - self.filled);
        self.buffer[self.filled..].copy_from_slice(now);
        self.filled = BUFFER;
        self.hash_buffer();
        let (blocks, rest) = later.split_at(later.len() / BUFFER * BUFFER);
        self.state.update(blocks);
        self.hashed += blocks.len();
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }
}

impl Sink for Hashing {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let end = self.filled + bytes.len();
        if let Some(room) = self.buffer.get_mut(self.filled..end) {
            room.copy_from_slice(bytes);
            self.filled = end;
        } else {
            self.overflow(bytes);
        }
    }
}
