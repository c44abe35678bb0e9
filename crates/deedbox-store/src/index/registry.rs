//! Which registry: a contract on a chain.

use std::{fmt, str::FromStr};

use deedbox_core::ChainAddress;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A registry's place: the contract at an address of an EVM chain.
///
/// Prints and reads as a CAIP-10 account, in lower case: `eip155:8453:0x…`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegistryId {
    /// The chain's id (EIP-155).
    pub chain_id: u64,
    /// The contract.
    pub address: ChainAddress,
}

/// Why a text is not a [`RegistryId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a contract on a chain, like eip155:1:0x… (CAIP-10)")]
pub struct NotARegistry;

/// Which standard a registry follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standard {
    /// Agents: ERC-8122.
    Erc8122,
    /// Tools: ERC-8257.
    Erc8257,
}

impl Standard {
    /// Its name: `erc8122`, `erc8257`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Erc8122 => "erc8122",
            Self::Erc8257 => "erc8257",
        }
    }

    /// The standard of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Erc8122, Self::Erc8257]
            .into_iter()
            .find(|standard| standard.as_str() == name)
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for RegistryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "eip155:{}:{}", self.chain_id, self.address)
    }
}

impl fmt::Debug for RegistryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RegistryId({self})")
    }
}

impl FromStr for RegistryId {
    type Err = NotARegistry;

    /// Digits of the address may be of either case; the chain's id has no leading zeros.
    fn from_str(text: &str) -> Result<Self, NotARegistry> {
        let rest = text.strip_prefix("eip155:").ok_or(NotARegistry)?;
        let (chain, address) = rest.split_once(':').ok_or(NotARegistry)?;
        let plain = chain.bytes().all(|b| b.is_ascii_digit()) && !chain.starts_with('0');
        Ok(Self {
            chain_id: chain.parse().ok().filter(|_| plain).ok_or(NotARegistry)?,
            address: address.parse().map_err(|_| NotARegistry)?,
        })
    }
}

impl Serialize for RegistryId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RegistryId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::borrow::Cow::<'de, str>::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_has_one_spelling() {
        let text = "eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1";
        let id: RegistryId = text.parse().unwrap();
        assert_eq!((id.chain_id, id.to_string().as_str()), (8453, text));
        assert_eq!(
            "eip155:8453:0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1".parse(),
            Ok(id)
        );
        assert_eq!(serde_json::to_string(&id).unwrap(), format!("{text:?}"));
        for bad in [
            "",
            "eip155:1",
            "eip155:0:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1",
            "eip155:01:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1",
            "eip155:+1:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1",
            "solana:1:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1",
            "eip155:1:0x265bb2",
        ] {
            assert_eq!(bad.parse::<RegistryId>(), Err(NotARegistry), "{bad}");
        }
    }
}
