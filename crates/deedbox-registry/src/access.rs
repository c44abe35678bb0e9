//! Whether an account may use a tool: the registry asked now, and its predicate looked at (ERC-8257 §1).

pub mod data;
pub mod proof;
pub mod requirements;

use alloy_primitives::{Address, Bytes};
use deedbox_chain::{
    Block, Chains, Code, ReadError,
    look::{Call, Expects, Said, Wanted},
};
use deedbox_core::{ChainAddress, ReadProvenance};
use deedbox_id::ToolReference;
use schemars::JsonSchema;
use serde::Serialize;

use self::data::Suspicion;
pub use self::{
    proof::AccessProof,
    requirements::{Logic, Meaning, Requirement, Requirements, Unusable},
};
use crate::{
    Inspection,
    abi::{MerkleAllowlistPredicate as Predicates, ToolRegistry as Tools},
    inspect::{self, Kind, probe},
    tool::{Place, Registration, RegistryCode},
    view::{self, Unreadable, account},
};

/// The most bytes of `data`.
const MOST_DATA: usize = 64 * 1024;
/// How deep composites are followed, and how many of their terms are asked in all.
const MOST_DEPTH: usize = 3;
const MOST_TERMS: usize = 32;

/// Whose access to what is asked.
#[derive(Clone, Debug)]
pub struct CheckToolAccess {
    /// Which tool.
    pub tool: ToolReference,
    /// Whose access.
    pub account: Address,
    /// What the predicate takes as evidence: a Merkle proof, a token's number, a signature. Everybody on the way can read it. Open tools
    /// are asked without it.
    pub data: Bytes,
    /// Whether `data` may be sent although it looks like a secret.
    pub data_is_public: bool,
    /// At which block.
    pub block: Block,
}

/// What is known of an account's access to a tool, at one block.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolAccess {
    /// The chain, the block and the endpoint. Everything else was read at this block, too.
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

/// Asks whether an account may use a tool. Everything is read at one block.
///
/// # Errors
/// [`ReadError`]: then nothing is known. [`Code::InvalidArgument`] for `data` that looks like a secret, before anybody is asked anything.
pub async fn check_tool_access(
    chains: &Chains,
    request: &CheckToolAccess,
) -> Result<ToolAccess, ReadError> {
    check(request)?;
    let place = Place::of(&request.tool)?;
    let seen = place.see(chains, request.block).await?;
    let asking = Asking {
        chains,
        place,
        block: Block::Hash(seen.provenance.block_hash),
    };
    let config = match &seen.registration {
        Registration::Registered { config } => Some(config),
        _ => None,
    };
    let predicate = match config.and_then(|config| config.access_predicate) {
        Some(predicate) => Some(asking.predicate(Address::from(predicate.0)).await?),
        None => None,
    };
    let answers = match config {
        Some(_) => Some(asking.answers(request, predicate.as_ref()).await?),
        None => None,
    };
    let access = match &seen.registration {
        Registration::NotFound => Access::NotFound,
        Registration::Deregistered => Access::Deregistered,
        Registration::WrongContract { .. } => Access::WrongContract,
        Registration::Registered { .. } => {
            let has_code = predicate
                .as_ref()
                .map(|predicate| predicate.contract.kind != Kind::NoCode);
            decide(answers.as_ref(), has_code)
        }
    };
    let seconds = seen.provenance.block_timestamp.as_millis() / 1000;
    // Open tools are asked without it.
    let sent = predicate
        .is_some()
        .then(|| data::suspicion(&request.data, seconds.try_into().ok()));
    Ok(ToolAccess {
        warnings: warnings(&seen.registry, predicate.as_ref(), sent.flatten()),
        provenance: seen.provenance,
        tool: request.tool.to_string(),
        account: account(request.account),
        account_is_a_claim: true,
        access,
        answers,
        registration: seen.registration,
        registry: seen.registry,
        predicate,
    })
}

fn check(request: &CheckToolAccess) -> Result<(), ReadError> {
    if request.data.len() > MOST_DATA {
        let form = format_args!("has more than {MOST_DATA} bytes");
        return Err(ReadError::invalid("data", form));
    }
    let suspicion = data::suspicion(&request.data, None);
    if !request.data_is_public && suspicion.is_some_and(Suspicion::is_secret) {
        return Err(ReadError::new(
            Code::InvalidArgument,
            "data looks like a private key, a token or a password, and everybody on the way to the chain can read it (ERC-8257, \
             Sensitive Data); nothing was sent. If it is none, say that it is public",
        ));
    }
    Ok(())
}

/// What follows from what the registry said. `predicate_has_code` is none where there is no predicate.
fn decide(answers: Option<&Answers>, predicate_has_code: Option<bool>) -> Access {
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

/// Asking about access at the block that was settled.
struct Asking<'a> {
    chains: &'a Chains,
    place: Place,
    block: Block,
}

impl Asking<'_> {
    async fn probes(&self, probes: Vec<Call>) -> Result<Vec<Said>, ReadError> {
        let wanted = Wanted {
            probes,
            ..Wanted::default()
        };
        let looked = self
            .chains
            .look(self.place.chain_id, self.block, wanted)
            .await?;
        Ok(looked.got.probes)
    }

    async fn answers(
        &self,
        request: &CheckToolAccess,
        predicate: Option<&PredicateFacts>,
    ) -> Result<Answers, ReadError> {
        let data = predicate.map(|_| request.data.clone()).unwrap_or_default();
        let first = self.ask(request, &data, Expects::Anything).await?;
        let has_code = predicate.map(|predicate| predicate.contract.kind != Kind::NoCode);
        let may_be_gas = has_code == Some(true)
            && !matches!(
                first.try_has_access,
                TryHasAccess::Answered { ok: true, .. }
            );
        if !may_be_gas {
            return Ok(first);
        }
        let again = self.ask(request, &data, Expects::Dear).await?;
        Ok(Answers {
            asked_again_with_more_gas: true,
            ..again
        })
    }

    async fn ask(
        &self,
        request: &CheckToolAccess,
        data: &Bytes,
        expects: Expects,
    ) -> Result<Answers, ReadError> {
        let Place {
            registry, tool_id, ..
        } = self.place;
        let (account, data) = (request.account, data.clone());
        let has = Tools::hasAccessCall {
            toolId: tool_id,
            account,
            data: data.clone(),
        };
        let try_has = Tools::tryHasAccessCall {
            toolId: tool_id,
            account,
            data,
        };
        let probes = vec![
            probe(registry, &has, expects),
            probe(registry, &try_has, expects),
        ];
        let said = self.probes(probes).await?;
        Ok(Answers {
            has_access: match view::flag(said.first()) {
                Ok(granted) => HasAccess::Answered { granted },
                Err(cause) => HasAccess::Unreadable { cause },
            },
            try_has_access: match view::flags(said.get(1)) {
                Ok((ok, granted)) => TryHasAccess::Answered { ok, granted },
                Err(cause) => TryHasAccess::Unreadable { cause },
            },
            asked_again_with_more_gas: false,
        })
    }

    async fn predicate(&self, address: Address) -> Result<PredicateFacts, ReadError> {
        let contract =
            inspect::inspect(self.chains, self.place.chain_id, self.block, address).await?;
        let mut requirements = Requirements::Unusable {
            why: Unusable::NotAsked,
        };
        if contract.kind != Kind::NoCode {
            self.requirements(address, &mut requirements).await?;
        }
        Ok(PredicateFacts {
            contract,
            requirements,
        })
    }

    /// Reads what a predicate takes, and what the terms of composites in it take: a round trip for each level.
    async fn requirements(
        &self,
        address: Address,
        root: &mut Requirements,
    ) -> Result<(), ReadError> {
        let mut level = vec![(address, root)];
        let mut asked = 0;
        for _ in 0..=MOST_DEPTH {
            level.truncate(MOST_TERMS - asked);
            if level.is_empty() {
                return Ok(());
            }
            asked += level.len();
            let call = Predicates::getRequirementsCall {
                toolId: self.place.tool_id,
            };
            let calls = level.iter().map(|(at, _)| probe(*at, &call, Expects::Dear));
            let said = self.probes(calls.collect()).await?;
            let mut next = Vec::new();
            for ((_, place), said) in level.into_iter().zip(&said) {
                *place = Requirements::read(Some(said));
                next.extend(place.open_terms());
            }
            level = next;
        }
        Ok(())
    }
}

fn warnings(
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
