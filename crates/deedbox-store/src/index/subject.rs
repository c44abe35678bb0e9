//! Of whom a fact speaks, and of what: one subject and one name for each statement.

use std::fmt;

use data_encoding::HEXLOWER;
use deedbox_core::ChainAddress;
use deedbox_id::U256;
use serde::{Deserialize, Serialize};

use super::{Kept, Statement, number};

/// Of whom something was said, within one registry. Ordered by kind, then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The registry itself.
    Registry,
    /// An agent of the registry.
    Agent(#[serde(with = "number")] U256),
    /// A tool of the registry.
    Tool(#[serde(with = "number")] U256),
    /// Whether the second may act for the first.
    Accounts(ChainAddress, ChainAddress),
    /// A contract that can be upgraded.
    Contract(ChainAddress),
}

impl Subject {
    /// Bytes that are ordered as subjects are; the same in every backend.
    #[must_use]
    pub fn to_key(self) -> Vec<u8> {
        fn numbered(kind: u8, id: U256) -> Vec<u8> {
            let bytes: [u8; 32] = id.to_be_bytes();
            let digits = bytes.iter().skip_while(|byte| **byte == 0);
            let mut key = vec![kind, 0];
            key.extend(digits);
            key[1] = u8::try_from(key.len() - 2).unwrap_or(32); // at most 32
            key
        }
        match self {
            Self::Registry => vec![0],
            Self::Agent(id) => numbered(1, id),
            Self::Tool(id) => numbered(2, id),
            Self::Accounts(owner, spender) => [&[3], &owner.0[..], &spender.0[..]].concat(),
            Self::Contract(address) => [&[4], &address.0[..]].concat(),
        }
    }

    /// The first and the last [key](Subject::to_key) of all that can be said of an owner and somebody who may act for them.
    #[must_use]
    pub fn operators_of(owner: ChainAddress) -> (Vec<u8>, Vec<u8>) {
        let with = |spender| Self::Accounts(owner, ChainAddress(spender)).to_key();
        (with([0; 20]), with([0xff; 20]))
    }

    /// The subject of a [key](Subject::to_key); `None` for bytes that are none.
    #[must_use]
    pub fn from_key(key: &[u8]) -> Option<Self> {
        let (kind, rest) = key.split_first()?;
        let number = || {
            let (length, digits) = rest.split_first()?;
            let minimal = digits.first() != Some(&0) && usize::from(*length) == digits.len();
            (minimal && digits.len() <= 32).then(|| U256::from_be_slice(digits))
        };
        match kind {
            0 if rest.is_empty() => Some(Self::Registry),
            1 => number().map(Self::Agent),
            2 => number().map(Self::Tool),
            3 if rest.len() == 40 => {
                let (owner, spender) = rest.split_at(20);
                Some(Self::Accounts(
                    owner.try_into().ok()?,
                    spender.try_into().ok()?,
                ))
            }
            4 => rest.try_into().ok().map(Self::Contract),
            _ => None,
        }
    }
}

/// What about a subject was said: the present is the last fact of each name.
///
/// Bytes, because a metadata key is what a stranger wrote; [`Display`](fmt::Display) is for people.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactName(Vec<u8>);

/// Metadata keys up to this long stand in names as they are, longer ones by their hash: a name has to fit into an index.
const KEY_BYTES: usize = 200;

impl FactName {
    /// Of an agent: whose it is.
    #[must_use]
    pub fn owner() -> Self {
        Self::plain("owner")
    }

    /// Of an agent or a tool: that it was registered. For a tool that also sets manifest and predicate for the first time.
    #[must_use]
    pub fn registered() -> Self {
        Self::plain("registered")
    }

    /// Of a tool: where its manifest is, and its hash.
    #[must_use]
    pub fn manifest() -> Self {
        Self::plain("manifest")
    }

    /// Of a tool: who decides on access.
    #[must_use]
    pub fn access_predicate() -> Self {
        Self::plain("access_predicate")
    }

    /// Of a tool: that it is gone.
    #[must_use]
    pub fn deregistered() -> Self {
        Self::plain("deregistered")
    }

    /// Of two accounts: whether the second may act for the first.
    #[must_use]
    pub fn operator() -> Self {
        Self::plain("operator")
    }

    /// Of a contract: its code.
    #[must_use]
    pub fn implementation() -> Self {
        Self::plain("implementation")
    }

    /// Of a contract: which beacon it asks for its code.
    #[must_use]
    pub fn beacon() -> Self {
        Self::plain("beacon")
    }

    /// Of an agent or a registry: what stands under a metadata key.
    #[must_use]
    pub fn metadata(key: &Kept) -> Self {
        if key.cut().is_none() && key.bytes().len() <= KEY_BYTES {
            return Self([b"metadata:", key.bytes()].concat());
        }
        Self(format!("metadata#{}", HEXLOWER.encode(&key.sha256())).into_bytes())
    }

    /// Of an agent: how many of it a spender may transfer for its owner.
    #[must_use]
    pub fn allowance(owner: ChainAddress, spender: ChainAddress) -> Self {
        Self(format!("allowance:{owner}:{spender}").into_bytes())
    }

    /// The first and the last of the names of all allowances of an owner.
    #[must_use]
    pub fn allowances_of(owner: ChainAddress) -> (Self, Self) {
        let with = |spender| Self::allowance(owner, ChainAddress(spender));
        (with([0; 20]), with([0xff; 20]))
    }

    fn plain(name: &str) -> Self {
        Self(name.as_bytes().to_vec())
    }

    /// The name as it is stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for FactName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.0))
    }
}

impl fmt::Debug for FactName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FactName({:?})", String::from_utf8_lossy(&self.0))
    }
}

impl Statement {
    /// Of whom it speaks.
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::Registered { agent, .. }
            | Self::Transferred { agent, .. }
            | Self::MetadataSet { agent, .. }
            | Self::Approved { agent, .. } => Subject::Agent(*agent),
            Self::OperatorSet { owner, spender, .. } => Subject::Accounts(*owner, *spender),
            Self::ContractMetadataSet { .. } => Subject::Registry,
            Self::ToolRegistered { tool, .. }
            | Self::ToolMetadataUpdated { tool, .. }
            | Self::AccessPredicateUpdated { tool, .. }
            | Self::ToolDeregistered { tool } => Subject::Tool(*tool),
            Self::Upgraded { contract, .. } | Self::BeaconUpgraded { contract, .. } => {
                Subject::Contract(*contract)
            }
        }
    }

    /// What about it was said. A transfer of another amount than one moves no agent (ERC-8122, *Transfer Restrictions*),
    /// so it has a name of its own and hides no owner.
    #[must_use]
    pub fn name(&self) -> FactName {
        match self {
            Self::Registered { .. } | Self::ToolRegistered { .. } => FactName::registered(),
            Self::Transferred { amount, .. } if *amount == U256::ONE => FactName::owner(),
            Self::Transferred { .. } => FactName::plain("odd_transfer"),
            Self::MetadataSet { key, .. } | Self::ContractMetadataSet { key, .. } => {
                FactName::metadata(key)
            }
            Self::Approved { owner, spender, .. } => FactName::allowance(*owner, *spender),
            Self::OperatorSet { .. } => FactName::operator(),
            Self::ToolMetadataUpdated { .. } => FactName::manifest(),
            Self::AccessPredicateUpdated { .. } => FactName::access_predicate(),
            Self::ToolDeregistered { .. } => FactName::deregistered(),
            Self::Upgraded { .. } => FactName::implementation(),
            Self::BeaconUpgraded { .. } => FactName::beacon(),
        }
    }
}
