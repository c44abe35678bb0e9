//! What a predicate says that it takes (ERC-8257 §1, `getRequirements`; *Predicate Introspection Hardening*).
//!
//! Advice: `hasAccess` decides. Whatever a predicate answers is read with the standard's ceilings, before anything of it is copied.

use alloy_primitives::{Address, U256, hex};
use deedbox_chain::{UntrustedText, look::Said};
use deedbox_core::ChainAddress;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Revert,
    view::{Unreadable, account},
    words::{self, word},
};

/// How many requirements are read.
pub const MOST_ENTRIES: usize = 256;
/// How many bytes of `data` one may have.
pub const MOST_DATA: usize = 4096;
/// How many bytes of `label` one may have.
pub const MOST_LABEL: usize = 256;

/// What a predicate says that it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Requirements {
    /// These, by its own account. It need not be true, nor all; a nested logic is lost in a composite's list.
    Read {
        /// How they combine.
        logic: Logic,
        /// The requirements.
        requirements: Vec<Requirement>,
        /// Whether something in it is unknown, so that meeting the rest may not suffice.
        incomplete: bool,
    },
    /// Nothing that can be used, and why. That says nothing about access (reading P-07).
    Unusable {
        /// Why.
        #[serde(flatten)]
        why: Unusable,
    },
}

/// How requirements combine: `RequirementLogic` of ERC-8257.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Logic {
    /// All of them.
    All,
    /// Any one.
    Any,
}

/// Why what a predicate says that it takes cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Unusable {
    /// It says more than the standard lets anybody read.
    OverLimit {
        /// Of what.
        of: Limit,
    },
    /// It refused, or ran out of gas.
    Reverted {
        /// With what reason.
        revert: Revert,
    },
    /// What it says is not in the form that the standard gives it, or it has no such function.
    Malformed,
    /// It is a term too deep in composites, or one too many, and was not asked.
    NotAsked,
}

/// The ceilings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// 256 requirements.
    Requirements,
    /// 4,096 bytes of `data` in one.
    Data,
    /// 256 bytes of `label` in one.
    Label,
    /// 128 KiB in all, which is how much of any answer is read.
    Answer,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Requirement {
    /// Its kind: the marker interface's id.
    pub kind: String,
    /// What the kind and the data mean, as far as the kind is known.
    pub meaning: Meaning,
    /// Its data, in hex.
    pub data: String,
    /// What it is for people. A stranger's text.
    pub label: UntrustedText,
}

/// What a requirement means. The first three kinds are the standard's, `erc20_balance`, `trait` and `wallet_attestation` are in use by
/// others, and the rest are of our predicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Meaning {
    /// Hold any token of an ERC-721 collection.
    Erc721Holding {
        /// The collection.
        collection: ChainAddress,
    },
    /// Hold a token of an ERC-1155 collection.
    Erc1155Holding {
        /// The collection.
        collection: ChainAddress,
        /// The token, in decimal.
        token_id: String,
    },
    /// Hold a subscription that has not expired.
    Subscription {
        /// The collection of subscriptions.
        collection: ChainAddress,
        /// The lowest tier that suffices; 0 for any.
        min_tier: u8,
    },
    /// Hold at least so much of an ERC-20 token.
    Erc20Balance {
        /// The token.
        token: ChainAddress,
        /// How much, in its smallest unit, in decimal.
        min_balance: String,
    },
    /// Own an agent of an ERC-8122 registry.
    AgentOwnership {
        /// The registry.
        registry: ChainAddress,
        /// Which agent, in decimal; null for any.
        agent_id: Option<String>,
    },
    /// Be on a list that the tool's creator keeps.
    AllowlistMembership {
        /// The contract that holds the list.
        predicate: ChainAddress,
    },
    /// Be a leaf of a Merkle tree.
    MerkleMembership {
        /// The tree's root, in hex.
        root: String,
    },
    /// Show an access proof that the account signed.
    SignedAccessProof {
        /// The contract in the proof's domain.
        verifying_contract: ChainAddress,
    },
    /// Pass another predicate, or fail it.
    CompositeTerm {
        /// The other predicate.
        predicate: ChainAddress,
        /// Whether it has to say no.
        negated: bool,
        /// What that one says that it takes.
        requirements: Box<Requirements>,
    },
    /// Nobody meets it.
    NeverGranted,
    /// A trait of a token (ERC-7496). Its data is not taken apart here.
    Trait,
    /// An attestation of the wallet. Its data is not taken apart here.
    WalletAttestation,
    /// Something that the composite could not read itself (kind 0x00000000).
    UnreadableTerm,
    /// The kind is known, and the data is not in its layout.
    Misencoded,
    /// Nothing is known of this kind.
    Unknown,
}

impl Requirements {
    /// Reads what `getRequirements` returned.
    pub(super) fn read(said: Option<&Said>) -> Self {
        match read(said) {
            Ok(read) => read,
            Err(why) => Self::Unusable { why },
        }
    }

    /// The terms in it whose own requirements were not read yet, each with the place for them.
    pub(super) fn open_terms(&mut self) -> Vec<(Address, &mut Self)> {
        let Self::Read { requirements, .. } = self else {
            return Vec::new();
        };
        requirements.iter_mut().filter_map(open_term).collect()
    }
}

fn open_term(requirement: &mut Requirement) -> Option<(Address, &mut Requirements)> {
    match &mut requirement.meaning {
        Meaning::CompositeTerm {
            predicate,
            requirements,
            ..
        } => Some((Address::from(predicate.0), requirements)),
        _ => None,
    }
}

fn read(said: Option<&Said>) -> Result<Requirements, Unusable> {
    let data = match said {
        Some(Said::Returned(data)) => data,
        said => {
            return Err(match Unreadable::of(said) {
                Unreadable::Reverted { revert } => Unusable::Reverted { revert },
                Unreadable::TooLong => Unusable::OverLimit { of: Limit::Answer },
                Unreadable::NothingReturned | Unreadable::Malformed => Unusable::Malformed,
            });
        }
    };
    let logic = match words::flag(data, 1).ok_or(Unusable::Malformed)? {
        false => Logic::All,
        true => Logic::Any,
    };
    let list = words::tail(data, 0).ok_or(Unusable::Malformed)?;
    let count = words::small(list, 0).ok_or(Unusable::Malformed)?;
    let items = &list[32..];
    if count > items.len() / 32 {
        return Err(Unusable::Malformed);
    }
    if count > MOST_ENTRIES {
        let of = Limit::Requirements;
        return Err(Unusable::OverLimit { of });
    }
    let requirements: Vec<_> = (0..count)
        .map(|index| requirement(words::tail(items, index).ok_or(Unusable::Malformed)?))
        .collect::<Result<_, _>>()?;
    let is_unclear = |meaning: &Meaning| {
        matches!(
            meaning,
            Meaning::UnreadableTerm | Meaning::Misencoded | Meaning::Unknown
        )
    };
    Ok(Requirements::Read {
        logic,
        incomplete: requirements.iter().any(|one| is_unclear(&one.meaning)),
        requirements,
    })
}

fn requirement(tuple: &[u8]) -> Result<Requirement, Unusable> {
    let [a, b, c, d, rest @ ..] = word(tuple, 0).ok_or(Unusable::Malformed)?;
    let kind = [*a, *b, *c, *d];
    let data = words::bytes(tuple, 1).filter(|_| *rest == [0; 28]);
    let (Some(data), Some(label)) = (data, words::bytes(tuple, 2)) else {
        return Err(Unusable::Malformed);
    };
    if data.len() > MOST_DATA {
        return Err(Unusable::OverLimit { of: Limit::Data });
    }
    if label.len() > MOST_LABEL {
        return Err(Unusable::OverLimit { of: Limit::Label });
    }
    Ok(Requirement {
        kind: hex::encode_prefixed(kind),
        meaning: meaning(kind, data),
        data: hex::encode_prefixed(data),
        label: UntrustedText::read(label, false),
    })
}

fn meaning(kind: [u8; 4], data: &[u8]) -> Meaning {
    let known = match kind {
        [0xbd, 0xf8, 0xc4, 0x28] => one(data, |collection| Meaning::Erc721Holding { collection }),
        [0xcb, 0x42, 0x92, 0x30] => with_number(data, |collection, token_id| {
            Some(Meaning::Erc1155Holding {
                collection,
                token_id: token_id.to_string(),
            })
        }),
        [0x44, 0x38, 0x7c, 0xc2] => with_number(data, |collection, tier| {
            Some(Meaning::Subscription {
                collection,
                min_tier: tier.try_into().ok()?,
            })
        }),
        [0x81, 0x2b, 0x02, 0xee] => with_number(data, |token, least| {
            Some(Meaning::Erc20Balance {
                token,
                min_balance: least.to_string(),
            })
        }),
        [0x89, 0xe8, 0xf0, 0x97] => ownership(data),
        [0xf6, 0x11, 0xae, 0x64] => {
            one(data, |predicate| Meaning::AllowlistMembership { predicate })
        }
        [0xbf, 0x61, 0xb1, 0xe7] => (data.len() == 32).then(|| Meaning::MerkleMembership {
            root: hex::encode_prefixed(data),
        }),
        [0x9f, 0xf1, 0x59, 0x14] => one(data, |verifying_contract| Meaning::SignedAccessProof {
            verifying_contract,
        }),
        [0x50, 0xc8, 0x89, 0x9f] => with_number(data, |predicate, negated| {
            Some(Meaning::CompositeTerm {
                predicate,
                negated: match negated.try_into().ok()? {
                    0_u8 => false,
                    1 => true,
                    _ => return None,
                },
                requirements: Box::new(Requirements::Unusable {
                    why: Unusable::NotAsked,
                }),
            })
        }),
        [0x9c, 0x59, 0x86, 0xe7] => data.is_empty().then_some(Meaning::NeverGranted),
        [0x37, 0xd8, 0xdc, 0x22] => Some(Meaning::Trait),
        [0x7a, 0x11, 0x16, 0x40] => Some(Meaning::WalletAttestation),
        [0, 0, 0, 0] => Some(Meaning::UnreadableTerm),
        _ => Some(Meaning::Unknown),
    };
    known.unwrap_or(Meaning::Misencoded)
}

/// `abi.encode(address)` and nothing more.
fn one(data: &[u8], meaning: impl FnOnce(ChainAddress) -> Meaning) -> Option<Meaning> {
    let address = words::address(data, 0).filter(|_| data.len() == 32)?;
    Some(meaning(account(address)))
}

/// `abi.encode(address, uint)` and nothing more.
fn with_number(
    data: &[u8],
    meaning: impl FnOnce(ChainAddress, U256) -> Option<Meaning>,
) -> Option<Meaning> {
    let address = words::address(data, 0).filter(|_| data.len() == 64)?;
    meaning(account(address), U256::from_be_bytes(*word(data, 1)?))
}

/// `abi.encode(address registry, bool anyAgent, uint256 agentId)`.
fn ownership(data: &[u8]) -> Option<Meaning> {
    let registry = words::address(data, 0).filter(|_| data.len() == 96)?;
    let any = words::flag(data, 1)?;
    let agent_id = U256::from_be_bytes(*word(data, 2)?);
    Some(Meaning::AgentOwnership {
        registry: account(registry),
        agent_id: (!any).then(|| agent_id.to_string()),
    })
}

#[cfg(test)]
mod tests;
