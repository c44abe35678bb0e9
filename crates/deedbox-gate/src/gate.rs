//! The four questions, in order.

use std::{sync::Arc, time::Duration};

use alloy_primitives::{Address, B256, Bytes, U256};
use deedbox_chain::{Block, Chains, ReadError};
use deedbox_core::{Timestamp, World};
use deedbox_registry::{
    CheckToolAccess, Credential, EndpointProof, ToolAccess,
    access::{Access, endpoint::SCHEME},
    check_tool_access,
};
use http::{HeaderMap, header};

use crate::{
    BadConfig, Config, InMemory, Refusal, Taken, Taking, UsedProofs,
    answers::{self, Answers, Grant, Known, Question},
    refusal::Challenge,
    signature,
    used::seconds,
};

/// By how many seconds a caller's clock may run ahead.
const AHEAD: u64 = 5;
/// For how long it is not asked again what could not be answered.
const UNKNOWN_AGE: Duration = Duration::from_secs(1);
/// How many proofs are remembered, unless somebody else remembers them.
const MOST_PROOFS: usize = 100_000;

/// Whom a request got in for: an extension of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The account, which whoever asks has proved to be.
    pub account: Address,
    /// Why it may: [`Access::Open`] or [`Access::Granted`].
    pub access: Access,
    /// The block at which the registry said so.
    pub block_number: u64,
    /// When it was asked.
    pub asked_at: Timestamp,
}

/// A tool's gate. Shared by everything that serves the tool.
#[derive(Debug)]
pub struct Gate {
    config: Config,
    chain_id: u64,
    chains: Arc<Chains>,
    world: Arc<dyn World>,
    used: Arc<dyn UsedProofs>,
    answers: Answers,
    challenge: Challenge,
}

impl Gate {
    /// A gate that remembers used proofs in this process. Asks nobody yet.
    ///
    /// # Errors
    /// [`BadConfig`].
    pub fn new(
        config: Config,
        chains: Arc<Chains>,
        world: Arc<dyn World>,
    ) -> Result<Self, BadConfig> {
        config.check()?;
        let chain_id = config.tool.chain().to_u64().ok_or(BadConfig::Chain)?;
        let used = Arc::new(InMemory::new(world.now(), MOST_PROOFS));
        Ok(Self {
            challenge: challenge(&config, chain_id),
            answers: Answers::new(config.most_answers),
            config,
            chain_id,
            chains,
            world,
            used,
        })
    }

    /// The same with used proofs remembered elsewhere, as where several replicas serve the tool.
    #[must_use]
    pub fn with_used_proofs(self, used: Arc<dyn UsedProofs>) -> Self {
        Self { used, ..self }
    }

    pub(crate) const fn challenge(&self) -> &Challenge {
        &self.challenge
    }

    /// Whom these headers let in. A proof that does is used from then on.
    ///
    /// # Errors
    /// [`Refusal`]; the proof can be shown again then, unless it was used before.
    pub async fn admit(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        let credential = shown(headers)?;
        let Credential {
            proof,
            signature,
            data,
        } = &credential;
        self.fits(proof)?;
        let (account, digest) = (proof.account, proof.digest());
        let is_signed =
            signature::is_signed(&self.chains, self.chain_id, account, digest, signature).await;
        if !is_signed.map_err(|error| Refusal::unread(&error))? {
            return Err(Refusal::WrongSignature);
        }
        let grant = self.access(account, data).await?;
        // Once more: asking took its time.
        self.fits(proof)?;
        self.take(proof, digest).await?;
        Ok(Caller {
            account,
            access: grant.access,
            block_number: grant.block_number,
            asked_at: grant.asked_at,
        })
    }

    fn now(&self) -> u64 {
        seconds(self.world.now())
    }

    /// Whether the proof is for here and for now.
    fn fits(&self, proof: &EndpointProof) -> Result<(), Refusal> {
        if proof.tool() != Some(self.config.tool) {
            return Err(Refusal::WrongTool);
        }
        if proof.audience != self.config.audience {
            return Err(Refusal::WrongAudience);
        }
        let now = self.now();
        let lasts = proof.deadline.checked_sub(proof.issued_at);
        if lasts.is_none_or(|lasts| lasts > self.config.longest_proof.as_secs()) {
            return Err(Refusal::ProofTooLong);
        }
        if proof.issued_at > now.saturating_add(AHEAD) {
            return Err(Refusal::ProofNotYetValid);
        }
        if proof.deadline < now {
            return Err(Refusal::ProofExpired);
        }
        Ok(())
    }

    async fn access(&self, account: Address, data: &Bytes) -> Result<Grant, Refusal> {
        let ask = self.ask(account, data);
        // Nothing that could be kept, or nobody who wants it kept.
        if answers::ends(data).is_none() || self.config.grant_age.is_zero() {
            return ask.await.answer;
        }
        let question = Question::new(account, data);
        self.answers.get(question, || self.world.now(), ask).await
    }

    async fn ask(&self, account: Address, data: &Bytes) -> Known {
        let asked_at = self.world.now();
        let request = CheckToolAccess {
            tool: self.config.tool,
            account,
            data: data.clone(),
            data_is_public: false,
            block: Block::Latest,
        };
        let found = Box::pin(check_tool_access(&self.chains, &request)).await;
        let known = conclude(&self.config, &found, asked_at);
        let ends = answers::ends(data).unwrap_or(asked_at);
        Known {
            until: known.until.min(ends),
            ..known
        }
    }

    async fn take(&self, proof: &EndpointProof, digest: B256) -> Result<(), Refusal> {
        let taking = Taking {
            digest,
            issued_at: proof.issued_at,
            deadline: proof.deadline,
            now: self.now(),
        };
        match self.used.take(taking).await {
            Ok(Taken::First) => Ok(()),
            Ok(Taken::Before) => Err(Refusal::ProofUsed),
            Ok(Taken::TooOld) => Err(Refusal::ProofTooOld),
            Ok(Taken::Full) => Err(Refusal::GateFull),
            Err(error) => {
                tracing::warn!(%error, "nobody is let in");
                Err(Refusal::AccessUnknown)
            }
        }
    }
}

/// The credential in the headers.
fn shown(headers: &HeaderMap) -> Result<Credential, Refusal> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (first, second) = (all.next(), all.next());
    if second.is_some() {
        return Err(Refusal::ProofAmbiguous);
    }
    let text = first.and_then(|value| value.to_str().ok());
    let parts = text.and_then(|text| text.split_once(' '));
    match parts {
        // Schemes are compared without their case (RFC 9110 §11.1).
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(SCHEME) => {
            Credential::read(token.trim_start_matches(' ')).map_err(Refusal::ProofMalformed)
        }
        _ => Err(Refusal::ProofMissing),
    }
}

/// What follows from what was found, and for how long.
fn conclude(config: &Config, found: &Result<ToolAccess, ReadError>, asked_at: Timestamp) -> Known {
    let answer = match found {
        Err(error) => Err(Refusal::unread(error)),
        Ok(found) if is_stale(config, found, asked_at) => {
            tracing::warn!(
                block = found.provenance.block_number,
                "the newest block that an endpoint has is too old to go by"
            );
            Err(Refusal::AccessUnknown)
        }
        Ok(found) => match Refusal::of(found.access) {
            Some(refusal) => Err(refusal),
            None => Ok(Grant {
                access: found.access,
                block_number: found.provenance.block_number,
                asked_at,
            }),
        },
    };
    let age = match &answer {
        Ok(_) => config.grant_age,
        Err(Refusal::AccessUnknown) => config.denial_age.min(UNKNOWN_AGE),
        Err(_) => config.denial_age,
    };
    // At most five minutes: it was checked.
    let millis = i64::try_from(age.as_millis()).unwrap_or_default();
    Known {
        answer,
        until: asked_at.plus_millis(millis),
    }
}

fn is_stale(config: &Config, found: &ToolAccess, now: Timestamp) -> bool {
    let age = now.as_millis() - found.provenance.block_timestamp.as_millis();
    let is_older = |oldest: Duration| u128::from(age.max(0).unsigned_abs()) > oldest.as_millis();
    config.oldest_block.is_some_and(is_older)
}

/// What is asked of callers, in a form that a wallet can sign when its gaps are filled.
fn challenge(config: &Config, chain_id: u64) -> Challenge {
    let registry = Address::from(config.tool.registry().0);
    let template = EndpointProof {
        chain_id,
        registry,
        tool_id: config.tool.tool_id(),
        account: Address::ZERO,
        audience: config.audience.clone(),
        issued_at: 0,
        deadline: 0,
        nonce: B256::ZERO,
    };
    let mut typed_data = template.typed_data();
    let gaps = [
        ("account", "your account"),
        ("issuedAt", "now, in seconds since 1970"),
        ("deadline", "issuedAt and at most longest_seconds"),
        ("nonce", "0x and 64 random hex digits"),
    ];
    for (name, gap) in gaps {
        typed_data["message"][name] = format!("<{gap}>").into();
    }
    let tool_id: U256 = config.tool.tool_id();
    Challenge {
        tool: config.tool.to_string(),
        chain_id,
        registry: format!("{registry:#x}"),
        tool_id: tool_id.to_string(),
        audience: config.audience.clone(),
        longest: config.longest_proof.as_secs(),
        typed_data,
    }
}
