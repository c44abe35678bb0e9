//! Whether an account may use a tool: the registry asked now, and its predicate looked at (ERC-8257 §1).

mod answer;
pub mod data;
pub mod endpoint;
pub mod proof;
pub mod requirements;

use alloy_primitives::{Address, Bytes};
use deedbox_chain::{
    Block, Chains, Code, ReadError,
    look::{Call, Expects, Said, Wanted},
};
use deedbox_id::ToolReference;

pub use self::{
    answer::{Access, AccessWarning, Answers, HasAccess, PredicateFacts, ToolAccess, TryHasAccess},
    endpoint::{Credential, EndpointProof},
    proof::AccessProof,
    requirements::{Logic, Meaning, Requirement, Requirements, Unusable},
};
use self::{
    answer::{decide, warnings},
    data::Suspicion,
};
use crate::{
    abi::{MerkleAllowlistPredicate as Predicates, ToolRegistry as Tools},
    inspect::{self, Kind, probe},
    tool::{Place, Registration},
    view::{self, account},
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

/// Asks whether an account may use a tool. Everything is read at one block.
///
/// # Errors
/// [`ReadError`]: then nothing is known. [`Code::InvalidArgument`] for `data` that looks like a secret, before anybody is asked anything.
pub async fn check_tool_access(
    chains: &Chains,
    request: &CheckToolAccess,
) -> Result<ToolAccess, ReadError> {
    request.check()?;
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

impl CheckToolAccess {
    /// Checks what can be known before anybody is asked.
    ///
    /// # Errors
    /// [`InvalidArgument`](Code::InvalidArgument): `data` is too long, or looks like a secret and is not said to be public.
    pub fn check(&self) -> Result<(), ReadError> {
        if self.data.len() > MOST_DATA {
            let form = format_args!("has more than {MOST_DATA} bytes");
            return Err(ReadError::invalid("data", form));
        }
        let suspicion = data::suspicion(&self.data, None);
        if !self.data_is_public && suspicion.is_some_and(Suspicion::is_secret) {
            return Err(ReadError::new(
                Code::InvalidArgument,
                "data looks like a private key, a token or a password, and everybody on the way to the chain can read it (ERC-8257, \
                 Sensitive Data); nothing was sent. If it is none, say that it is public",
            ));
        }
        Ok(())
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
