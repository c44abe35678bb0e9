//! What is known of an account's access, and what is concluded from what was read.

use deedbox_core::{ChainAddress, ReadProvenance};
use schemars::JsonSchema;
use serde::Serialize;

use super::{data::Suspicion, requirements::Requirements};
use crate::{
    Inspection,
    inspect::Kind,
    tool::{Registration, RegistryCode},
    view::Unreadable,
};

/// What is known of an account's access to a tool, at one block.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolAccess {
    /// The chain, the block and the endpoint. Everything else was read at this block, too. It stands beside an answer, not in it.
    #[serde(skip)]
    pub provenance: ReadProvenance,
    /// The tool: `eip155:<chain>/erc8257:<registry>/<id>`.
    pub tool: String,
    /// The account that was asked about.
    pub account: ChainAddress,
    /// Always so: that this account has access says nothing about who is asking. Whoever lets somebody in on it has to bind the
    /// account to them first, with an access proof or otherwise.
    pub account_is_a_claim: bool,
    /// The answer.
    pub access: Access,
    /// What the registry said when it was asked; null when it was not.
    pub answers: Option<Answers>,
    /// What the registry says about the tool.
    pub registration: Registration,
    /// What is known of the registry itself.
    pub registry: RegistryCode,
    /// What decides; null where nothing does.
    pub predicate: Option<PredicateFacts>,
    /// What to know before it is relied upon.
    pub warnings: Vec<AccessWarning>,
}

/// Whether the account has access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// The tool has no predicate: everybody has.
    Open,
    /// The predicate says yes.
    Granted,
    /// The predicate says no.
    Denied,
    /// The predicate does not answer. That is a no, and not one of the account.
    PredicateBroken,
    /// There is no code at the predicate's address yet: the tool is not available yet, and not open.
    PredicateHasNoCode,
    /// The registry contradicts itself, or answers in no form of the standard. That is a no. A predicate that answers by the gas that
    /// it gets can make an honest registry look so.
    RegistryBroken,
    /// The creator removed the tool for ever.
    Deregistered,
    /// There never was such a tool.
    NotFound,
    /// What stands at the registry's address does not answer as a registry of tools does.
    WrongContract,
}

/// What the registry said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answers {
    /// `hasAccess`.
    pub has_access: HasAccess,
    /// `tryHasAccess`.
    pub try_has_access: TryHasAccess,
    /// Whether it was asked once more, with five times the gas, because a predicate that runs out of gas looks as one that is broken
    /// (reading R-09). Then these are the second answers.
    pub asked_again_with_more_gas: bool,
}

/// What `hasAccess` said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum HasAccess {
    /// One `bool`.
    Answered {
        /// Whether access is granted.
        granted: bool,
    },
    /// None.
    Unreadable {
        /// Why.
        #[serde(flatten)]
        cause: Unreadable,
    },
}

/// What `tryHasAccess` said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TryHasAccess {
    /// Two `bool`s.
    Answered {
        /// Whether the predicate answered.
        ok: bool,
        /// Whether access is granted.
        granted: bool,
    },
    /// None.
    Unreadable {
        /// Why.
        #[serde(flatten)]
        cause: Unreadable,
    },
}

/// What is known of a predicate.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PredicateFacts {
    /// What stands at its address.
    pub contract: Inspection,
    /// What it says that it takes. `access` decides, and not this.
    pub requirements: Requirements,
}

/// What to know before an answer about access is relied upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessWarning {
    /// The registry is a proxy (ERC-1967): what it says can be replaced.
    RegistryIsProxy,
    /// The predicate is a proxy (ERC-1967): whoever controls it can replace what it decides, and the registry says nothing then.
    PredicateIsProxy,
    /// The predicate is an account that delegates to a contract (EIP-7702): whoever has its key can replace what it decides.
    PredicateIsDelegated,
    /// The predicate claims even the interface that no contract may claim: it may have been made for anything.
    PredicateClaimsEverything,
    /// The predicate does not say that it is one. Another contract with a function of the same name may stand there.
    PredicateDoesNotClaimIt,
    /// What the predicate says that it takes is incomplete or cannot be used.
    RequirementsUnclear,
    /// `data` looks like a private key. It was sent because the request says that it is public.
    DataLooksLikeKey,
    /// `data` looks like a token or a password. It was sent because the request says that it is public.
    DataLooksLikeToken,
    /// `data` is a signature by itself, which whoever saw it can show again.
    DataIsBareSignature,
    /// `data` is an access proof that ends more than an hour from the block's time; whoever saw it can show it again until then.
    DataIsLongLivedProof,
}

/// What follows from what the registry said. `predicate_has_code` is none where there is no predicate.
pub(super) fn decide(answers: Option<&Answers>, predicate_has_code: Option<bool>) -> Access {
    let Some(Answers {
        has_access: HasAccess::Answered { granted: has },
        try_has_access: TryHasAccess::Answered { ok, granted },
        ..
    }) = answers
    else {
        return Access::RegistryBroken;
    };
    match (predicate_has_code, ok, granted, has) {
        (None, true, true, true) => Access::Open,
        (Some(true), true, true, true) => Access::Granted,
        (Some(true), true, false, false) => Access::Denied,
        (Some(true), false, false, false) => Access::PredicateBroken,
        (Some(false), false, false, false) => Access::PredicateHasNoCode,
        _ => Access::RegistryBroken,
    }
}

pub(super) fn warnings(
    registry: &RegistryCode,
    predicate: Option<&PredicateFacts>,
    suspicion: Option<Suspicion>,
) -> Vec<AccessWarning> {
    use AccessWarning as W;
    let of_predicate = predicate.map(
        |PredicateFacts {
             contract,
             requirements,
         }| {
            let has_code = contract.kind != Kind::NoCode;
            let claims = contract
                .interfaces
                .iter()
                .any(|claimed| claimed.id == crate::interface::ACCESS_PREDICATE);
            let clear = matches!(
                requirements,
                Requirements::Read {
                    incomplete: false,
                    ..
                }
            );
            [
                (contract.proxy.is_some(), W::PredicateIsProxy),
                (
                    contract.kind == Kind::DelegatedAccount,
                    W::PredicateIsDelegated,
                ),
                (contract.claims_everything, W::PredicateClaimsEverything),
                (has_code && !claims, W::PredicateDoesNotClaimIt),
                (has_code && !clear, W::RequirementsUnclear),
            ]
        },
    );
    let of_data = suspicion.map(|suspicion| match suspicion {
        Suspicion::PrivateKey => W::DataLooksLikeKey,
        Suspicion::Token => W::DataLooksLikeToken,
        Suspicion::BareSignature => W::DataIsBareSignature,
        Suspicion::LongLivedProof => W::DataIsLongLivedProof,
    });
    let of_registry = (registry.proxy.is_some(), W::RegistryIsProxy);
    let all = [of_registry]
        .into_iter()
        .chain(of_predicate.into_iter().flatten());
    all.filter_map(|(is_so, warning)| is_so.then_some(warning))
        .chain(of_data)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_registry_says_is_taken_only_when_both_views_say_the_same() {
        let flags = [false, true];
        for predicate in [None, Some(false), Some(true)] {
            for (ok, granted) in flags
                .iter()
                .flat_map(|ok| flags.map(|granted| (*ok, granted)))
            {
                for has in flags {
                    let answers = Answers {
                        has_access: HasAccess::Answered { granted: has },
                        try_has_access: TryHasAccess::Answered { ok, granted },
                        asked_again_with_more_gas: false,
                    };
                    let access = decide(Some(&answers), predicate);
                    let lets_in = matches!(access, Access::Open | Access::Granted);
                    assert_eq!(
                        lets_in,
                        ok && granted && has && predicate != Some(false),
                        "{answers:?}"
                    );
                    let agree = has == granted && (ok || !granted);
                    if !agree {
                        assert_eq!(access, Access::RegistryBroken, "{answers:?}");
                    }
                }
            }
        }
        assert_eq!(decide(None, None), Access::RegistryBroken);
    }

    #[test]
    fn an_answer_in_another_form_is_never_a_grant() {
        let answers = Answers {
            has_access: HasAccess::Answered { granted: true },
            try_has_access: TryHasAccess::Unreadable {
                cause: Unreadable::Malformed,
            },
            asked_again_with_more_gas: true,
        };
        assert_eq!(decide(Some(&answers), Some(true)), Access::RegistryBroken);
    }
}
