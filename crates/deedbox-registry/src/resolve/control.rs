//! Who owns an agent, and who may change what is written about it (ERC-6909, ERC-8122 *Agent Metadata*).

use alloy_primitives::{Address, U256};
use deedbox_chain::look::{Call, Expects, Said};
use deedbox_core::ChainAddress;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    abi::OpenAgentRegistry as Agents,
    inspect::probe,
    view::{self, Unreadable, account},
};

/// Who owns an agent. It says nothing about who runs its services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Owner {
    /// The view that it came from.
    pub source: String,
    /// What it said.
    #[serde(flatten)]
    pub found: OwnerFound,
}

/// What `ownerOf` said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum OwnerFound {
    /// An account.
    Found {
        /// Who owns the agent.
        address: ChainAddress,
    },
    /// The registry says by name that it has no such agent.
    AgentNotFound,
    /// The registry refused, for another reason or for none. ERC-8122 wants that for an agent that does not exist, and does not say
    /// with what reason; so most likely there is none.
    Refused {
        /// With what reason.
        revert: crate::Revert,
    },
    /// It is no answer that means an account; the zero address, which owns nothing, is none either.
    Unreadable {
        /// Why.
        #[serde(flatten)]
        cause: Unreadable,
    },
    /// There is no contract that could be asked.
    NotAsked,
}

impl OwnerFound {
    pub(super) fn of(said: Option<&Said>) -> Self {
        match view::address(said) {
            Ok(owner) if owner.is_zero() => Self::Unreadable {
                cause: Unreadable::Malformed,
            },
            Ok(owner) => Self::Found {
                address: account(owner),
            },
            Err(cause) if cause.is_error("AgentNotFound") => Self::AgentNotFound,
            Err(Unreadable::Reverted { revert }) => Self::Refused { revert },
            Err(cause) => Self::Unreadable { cause },
        }
    }

    /// The owner, where one was found.
    #[must_use]
    pub fn address(&self) -> Option<ChainAddress> {
        match self {
            Self::Found { address } => Some(*address),
            _ => None,
        }
    }
}

/// Who may change an agent's metadata and give the agent away: its owner, and those here that `may_act`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Control {
    /// The views that it came from.
    pub source: String,
    /// Of the accounts that were asked about, what each may do. A registry cannot be asked for all: there may be others.
    pub spenders: Vec<Spender>,
}

/// What an account may do with an agent that belongs to another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Spender {
    /// The account.
    pub address: ChainAddress,
    /// Whether it is an operator of the owner, who may act for all of the owner's agents.
    pub operator: Answer<bool>,
    /// How many transfers of this agent it may make, in decimal. At least one lets it write metadata too, and writing uses none up.
    pub allowance: Answer<String>,
    /// Whether it may change the agent's metadata; null when that is unknown.
    pub may_act: Option<bool>,
}

/// What a view said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Answer<T> {
    /// A value.
    Known {
        /// The value.
        value: T,
    },
    /// None.
    Unreadable {
        /// Why.
        #[serde(flatten)]
        cause: Unreadable,
    },
}

impl<T> From<Result<T, Unreadable>> for Answer<T> {
    fn from(said: Result<T, Unreadable>) -> Self {
        match said {
            Ok(value) => Self::Known { value },
            Err(cause) => Self::Unreadable { cause },
        }
    }
}

/// Asks what `spender` may do with the agent of `owner`: two calls.
pub(super) fn questions(
    registry: Address,
    agent_id: U256,
    owner: ChainAddress,
    spender: Address,
) -> [Call; 2] {
    let owner = Address::from(owner.0);
    let operator = Agents::isOperatorCall { owner, spender };
    let allowance = Agents::allowanceCall {
        owner,
        spender,
        id: agent_id,
    };
    [
        probe(registry, &operator, Expects::Anything),
        probe(registry, &allowance, Expects::Anything),
    ]
}

/// Reads what was said to the two.
pub(super) fn spender(address: Address, said: &[Said]) -> Spender {
    let operator = view::flag(said.first());
    let allowance = view::number(said.get(1));
    let may_act = match (&operator, &allowance) {
        (Ok(true), _) => Some(true),
        (_, Ok(amount)) if !amount.is_zero() => Some(true),
        (Ok(false), Ok(_)) => Some(false),
        _ => None,
    };
    Spender {
        address: account(address),
        operator: operator.into(),
        allowance: allowance.map(|amount| amount.to_string()).into(),
        may_act,
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Bytes, hex};
    use alloy_sol_types::SolError as _;

    use super::*;

    fn word(number: u64) -> Said {
        Said::Returned(U256::from(number).to_be_bytes_vec().into())
    }

    #[test]
    fn no_agent_is_told_apart_from_a_refusal_and_from_nonsense() {
        let named = Agents::AgentNotFound {
            agentId: U256::from(7),
        };
        // The same error of an older draft has no argument.
        for reason in [
            named.abi_encode(),
            alloy_primitives::keccak256("AgentNotFound()")[..4].to_vec(),
        ] {
            let said = Said::Reverted(reason.into());
            assert_eq!(OwnerFound::of(Some(&said)), OwnerFound::AgentNotFound);
        }
        let silent = OwnerFound::of(Some(&Said::Reverted(Bytes::new())));
        assert!(matches!(silent, OwnerFound::Refused { .. }));
        for nonsense in [
            word(0),
            Said::Returned(Bytes::new()),
            Said::Returned(hex!("ff").into()),
        ] {
            let found = OwnerFound::of(Some(&nonsense));
            assert!(matches!(found, OwnerFound::Unreadable { .. }), "{found:?}");
        }
        assert_eq!(
            OwnerFound::of(Some(&word(5))).address(),
            Some(account(Address::with_last_byte(5)))
        );
    }

    #[test]
    fn whether_somebody_may_act_is_unknown_when_a_deciding_answer_is_missing() {
        let broken = Said::Reverted(Bytes::new());
        for (operator, allowance, may_act) in [
            (word(1), word(0), Some(true)),
            (word(0), word(1), Some(true)),
            (word(0), word(0), Some(false)),
            (word(1), broken.clone(), Some(true)),
            (broken.clone(), word(1), Some(true)),
            (broken.clone(), word(0), None),
            (word(2), word(0), None),
            (word(0), broken, None),
        ] {
            let spender = spender(Address::ZERO, &[operator, allowance]);
            assert_eq!(spender.may_act, may_act, "{spender:?}");
        }
    }
}
