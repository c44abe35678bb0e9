//! Registries: which of them somebody decided to follow, how far each is trusted, and which manifests are pinned.
//!
//! What a registry says is read on its chain, and kept in an index that can be thrown away. What is here are decisions, and
//! decisions are deeds: an index that is made anew still knows whom to read and whom to believe.
//!
//! **Code that changed is accepted by somebody, or it is an alarm.** A registry is followed because of what stood at its address when
//! somebody looked ([`Sighting`]). Behind a proxy, something else may stand there tomorrow. What was looked at stays on record, so that
//! the difference is seen, and only another look that somebody accepts replaces it.
//!
//! **Pins outlast following.** Whoever stops following a registry and follows it again finds the manifests pinned that were: to lose
//! them quietly would be to trust anew what nobody looked at.

use std::{collections::BTreeMap, fmt, str::FromStr};

use ruint::aliases::U256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    BlockHash, Body, BrokenDeed, ChainAddress, Deed, Head, ManifestHash, Timestamp, hex::hex_bytes,
    json::json_text, quantity::decimals, text::Name, words::words,
};

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

json_text!(RegistryId);

/// Which standard a registry follows.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Standard {
    /// Agents: ERC-8122.
    Erc8122,
    /// Tools: ERC-8257.
    Erc8257,
}

words! {
    Standard, NotAStandard, "must be erc8122 or erc8257" {
        Erc8122 = "erc8122",
        Erc8257 = "erc8257",
    }
}

/// What is thought of a registry. One that nobody follows stands between known and blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// What it holds is shown first.
    Trusted,
    /// Shown next.
    Known,
    /// Shown on request only, and last.
    Blocked,
}

words! {
    Trust, NotATrust, "must be trusted, known or blocked" {
        Trusted = "trusted",
        Known = "known",
        Blocked = "blocked",
    }
}

hex_bytes! {
    /// The hash of a contract's code: Keccak-256, as `EXTCODEHASH` gives it (EIP-1052).
    CodeHash, NotACodeHash, 32, 64
}

decimals! {
    /// Which tool of a registry (ERC-8257).
    ToolId(U256), NotAToolId, 256
}

/// What stood at a registry's address when somebody looked and accepted it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sighting {
    /// The hash of its code.
    pub code_hash: CodeHash,
    /// Of a proxy, the contract that does what is called (ERC-1967).
    pub implementation: Option<ChainAddress>,
    /// Of a proxy, the contract that names the implementation (ERC-1967).
    pub beacon: Option<ChainAddress>,
    /// The interfaces that it claimed by ERC-165, of those that were asked for, by the names of their standards.
    pub claims: Vec<Name>,
    /// At which block.
    pub block_number: u64,
    /// That block's hash.
    pub block_hash: BlockHash,
}

impl Sighting {
    /// Whether the same code was seen. Claims may change with what a contract holds, and blocks do.
    #[must_use]
    pub fn same_code(&self, other: &Self) -> bool {
        let code = |seen: &Self| (seen.code_hash, seen.implementation, seen.beacon);
        code(self) == code(other)
    }
}

/// Why a registry is followed as it is: what somebody decided about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Following {
    /// What it holds: agents or tools.
    pub standard: Standard,
    /// What whoever follows it calls it.
    pub label: Option<Name>,
    /// What is thought of it.
    pub trust: Trust,
    /// The first block that can hold anything of it: where its contract was made, or later.
    pub from_block: u64,
    /// What was looked at.
    pub seen: Sighting,
}

/// What is known of a registry that somebody decided on: a projection of its deeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RegistryState {
    /// The registry.
    #[serde(rename = "registry")]
    pub id: RegistryId,
    /// Its last deed.
    #[serde(skip)]
    pub head: Head,
    /// Whether it is followed now.
    pub followed: bool,
    /// What was decided last; of a registry that is not followed any more, when it was.
    #[serde(flatten)]
    pub following: Following,
    /// When it was followed last.
    pub followed_at: Timestamp,
    /// The manifests that its tools are held to. At most [`limits::REGISTRY_PINS`](crate::limits::REGISTRY_PINS).
    pub pins: BTreeMap<ToolId, ManifestHash>,
}

impl RegistryState {
    /// The state after this registry is followed, with the pins that it had.
    pub(crate) fn followed(
        id: RegistryId,
        deed: &Deed,
        following: &Following,
        pins: BTreeMap<ToolId, ManifestHash>,
    ) -> Self {
        Self {
            id,
            head: deed.head(),
            followed: true,
            following: following.clone(),
            followed_at: deed.at,
            pins,
        }
    }

    /// The state after one more deed; its head is the caller's.
    ///
    /// # Errors
    /// [`BrokenDeed::Misapplied`] when the deed is of another kind.
    pub(crate) fn follow(self, deed: &Deed) -> Result<Self, BrokenDeed> {
        let mut after = self;
        match &deed.body {
            Body::RegistryFollowed(following) => {
                return Ok(Self::followed(after.id, deed, following, after.pins));
            }
            Body::RegistryUnfollowed {} => after.followed = false,
            Body::RegistryTrustSet { trust } => after.following.trust = *trust,
            Body::RegistryCodeAccepted(seen) => after.following.seen = (**seen).clone(),
            Body::ToolPinned {
                tool_id,
                manifest_hash,
            } => {
                after.pins.insert(*tool_id, *manifest_hash);
            }
            Body::ToolUnpinned { tool_id } => {
                after.pins.remove(tool_id);
            }
            _ => return Err(BrokenDeed::Misapplied),
        }
        after.head = deed.head();
        Ok(after)
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
        assert_eq!(
            serde_json::from_str::<RegistryId>(&format!("{text:?}")).unwrap(),
            id
        );
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

    #[test]
    fn a_tool_has_one_spelling_up_to_the_greatest_number_of_256_bits() {
        // 2^256 - 1, computed elsewhere.
        let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        for good in ["0", "7", "18446744073709551616", most] {
            assert_eq!(good.parse::<ToolId>().unwrap().to_string(), good);
        }
        let above = most.replace("9935", "9936");
        for bad in ["", "007", "+7", "-7", "0x7", "7_0", "7.0", " 7", &above] {
            assert_eq!(bad.parse::<ToolId>(), Err(NotAToolId), "{bad:?}");
        }
        // Pins are ordered by number, and stand in JSON under texts.
        let hash = ManifestHash([1; 32]);
        let pins: BTreeMap<_, _> = ["9", "10", most]
            .map(|id| (id.parse::<ToolId>().unwrap(), hash))
            .into();
        let ids: Vec<_> = pins.keys().map(ToString::to_string).collect();
        assert_eq!(ids, ["9", "10", most]);
        let text = serde_json::to_value(&pins).unwrap();
        assert_eq!(
            serde_json::from_value::<BTreeMap<ToolId, ManifestHash>>(text).unwrap(),
            pins
        );
    }

    #[test]
    fn code_is_another_when_its_hash_its_implementation_or_its_beacon_is() {
        let seen = Sighting {
            code_hash: CodeHash([1; 32]),
            implementation: None,
            beacon: None,
            claims: vec![],
            block_number: 1,
            block_hash: BlockHash([2; 32]),
        };
        let later = Sighting {
            claims: vec![Name::new("ERC-165").unwrap()],
            block_number: 2,
            block_hash: BlockHash([3; 32]),
            ..seen.clone()
        };
        assert!(seen.same_code(&later));
        let address = Some(ChainAddress([4; 20]));
        for other in [
            Sighting {
                code_hash: CodeHash([5; 32]),
                ..seen.clone()
            },
            Sighting {
                implementation: address,
                ..seen.clone()
            },
            Sighting {
                beacon: address,
                ..seen.clone()
            },
        ] {
            assert!(!seen.same_code(&other), "{other:?}");
        }
    }
}
