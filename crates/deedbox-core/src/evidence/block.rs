//! Blocks: how one is named, and its hash.

use std::{fmt, str::FromStr};

use schemars::json_schema;
use serde::{Serialize, Serializer};

use crate::{
    hex::hex_bytes,
    json::{MAX_EXACT, json_text},
};

hex_bytes! {
    /// A block's hash: 0x and 64 lower-case hex digits. Read with digits of either case: a hash carries no checksum.
    BlockHash, NotABlockHash, 32, 64
}

/// At which block to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    /// A height.
    Number(u64),
    /// A block's hash.
    Hash(BlockHash),
    /// The newest block that the endpoint knows.
    Latest,
    /// The newest that is unlikely to be replaced.
    Safe,
    /// The newest that is final.
    Finalized,
}

/// A block that is the same one tomorrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FixedBlock {
    /// The block at this height. A chain that is reorganised puts another one there.
    Number(u64),
    /// The block with this hash.
    Hash(BlockHash),
}

impl Block {
    /// The block, unless it is named by a tag: `latest`, `safe` and `finalized` are other blocks tomorrow.
    #[must_use]
    pub const fn fixed(self) -> Option<FixedBlock> {
        match self {
            Self::Number(number) => Some(FixedBlock::Number(number)),
            Self::Hash(hash) => Some(FixedBlock::Hash(hash)),
            Self::Latest | Self::Safe | Self::Finalized => None,
        }
    }
}

/// Why a text is not a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be a decimal height like \"19000000\", a block hash (0x and 64 hex digits), \"latest\", \"safe\" or \"finalized\""
)]
pub struct NotABlock;

/// A decimal number without sign, leading zeros or spaces, at most [`MAX_EXACT`].
fn height(text: &str) -> Option<u64> {
    let plain = !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|n| plain && *n <= MAX_EXACT)
}

impl FromStr for Block {
    type Err = NotABlock;
    fn from_str(text: &str) -> Result<Self, NotABlock> {
        match text {
            "latest" => Ok(Self::Latest),
            "safe" => Ok(Self::Safe),
            "finalized" => Ok(Self::Finalized),
            _ if text.starts_with("0x") => text.parse().map(Self::Hash).map_err(|_| NotABlock),
            _ => height(text).map(Self::Number).ok_or(NotABlock),
        }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Hash(hash) => hash.fmt(f),
            Self::Latest => f.write_str("latest"),
            Self::Safe => f.write_str("safe"),
            Self::Finalized => f.write_str("finalized"),
        }
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

json_text!(
    Block,
    json_schema!({
        "type": "string",
        "pattern": "^(0|[1-9][0-9]{0,15}|0x[0-9a-fA-F]{64}|latest|safe|finalized)$"
    })
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_hash_has_32_bytes() {
        let text = format!("0x{}", "Ab".repeat(32));
        let hash: BlockHash = text.parse().unwrap();
        assert_eq!(hash.to_string(), text.to_lowercase());
        for bad in ["", "0x", &text[..65], &text[2..], &format!("{text}00")] {
            assert_eq!(bad.parse::<BlockHash>(), Err(NotABlockHash), "{bad:?}");
        }
    }
}
