//! Why a request does not get through, as callers are told: problem JSON (RFC 9457) with a code that never changes.

use bytes::Bytes;
use deedbox_chain::ReadError;
use deedbox_registry::access::{
    Access,
    endpoint::{NotACredential, SCHEME},
};
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use serde_json::{Value, json};

/// Why a request does not get through. None of them holds anything that could be shown again, or that an endpoint of a chain said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No proof was shown.
    #[error("no proof was shown")]
    ProofMissing,
    /// What was shown cannot be read.
    #[error("the proof {0}")]
    ProofMalformed(NotACredential),
    /// There is more than one `Authorization`.
    #[error("more than one Authorization was sent")]
    ProofAmbiguous,
    /// It is for another tool, or for the same number in another registry or on another chain.
    #[error("the proof is for another tool")]
    WrongTool,
    /// It is for somebody else.
    #[error("the proof is for another audience")]
    WrongAudience,
    /// It says that it was signed later than now.
    #[error("the proof was signed in the future, by this server's clock")]
    ProofNotYetValid,
    /// Its deadline has passed.
    #[error("the proof's deadline has passed, by this server's clock")]
    ProofExpired,
    /// It counts for longer than is taken, or ends before it begins.
    #[error("the proof counts for too long")]
    ProofTooLong,
    /// The account did not sign it.
    #[error("the account did not sign the proof")]
    WrongSignature,
    /// It let a request in before.
    #[error("the proof was used before")]
    ProofUsed,
    /// It was signed before used proofs are remembered.
    #[error("the proof was signed before this server began to remember used proofs")]
    ProofTooOld,
    /// What is meant for the predicate looks like a secret, or is too long.
    #[error("data looks like a secret, or is too long, and was not sent to the chain")]
    DataRefused,
    /// The predicate says no.
    #[error("the tool's predicate says that the account has no access")]
    AccessDenied,
    /// The predicate does not answer: nobody says yes.
    #[error("the tool's predicate does not answer")]
    PredicateBroken,
    /// There is no code at the predicate's address: the tool is not available yet.
    #[error("there is no contract at the address of the tool's predicate yet")]
    PredicateNotDeployed,
    /// The registry contradicts itself, or answers in no form of the standard.
    #[error("the tool's registry does not answer as the standard has it")]
    RegistryBroken,
    /// The tool's creator removed it for ever.
    #[error("the tool was removed from its registry for ever")]
    ToolDeregistered,
    /// There is no such tool, or no such registry.
    #[error("the tool is not registered")]
    ToolNotFound,
    /// The chain, or the memory of used proofs, could not be read: nothing is known.
    #[error("it cannot be found out at the moment whether the account has access")]
    AccessUnknown,
    /// There is no room to remember the proof, or the answer.
    #[error("more callers are let in than can be remembered")]
    GateFull,
}

/// What callers are told to prove, and to whom.
#[derive(Clone, Debug)]
pub(crate) struct Challenge {
    pub(crate) tool: String,
    pub(crate) chain_id: u64,
    pub(crate) registry: String,
    pub(crate) tool_id: String,
    pub(crate) audience: String,
    pub(crate) longest: u64,
    /// `eth_signTypedData_v4`'s parameter, with what the caller puts in left empty.
    pub(crate) typed_data: Value,
}

impl Refusal {
    /// What a registry's answer comes to, when it is no grant.
    pub(crate) const fn of(access: Access) -> Option<Self> {
        match access {
            Access::Open | Access::Granted => None,
            Access::Denied => Some(Self::AccessDenied),
            Access::PredicateBroken => Some(Self::PredicateBroken),
            Access::PredicateHasNoCode => Some(Self::PredicateNotDeployed),
            Access::RegistryBroken => Some(Self::RegistryBroken),
            Access::Deregistered => Some(Self::ToolDeregistered),
            Access::NotFound | Access::WrongContract => Some(Self::ToolNotFound),
        }
    }

    /// What it comes to that there is no answer. The cause is logged, and not told to callers.
    pub(crate) fn unread(error: &ReadError) -> Self {
        if error.code == deedbox_chain::Code::InvalidArgument {
            return Self::DataRefused;
        }
        tracing::warn!(code = %error.code, cause = %error, "nobody knows whether an account has access");
        Self::AccessUnknown
    }

    /// The name for programs; it never changes.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ProofMissing => "proof_missing",
            Self::ProofMalformed(_) => "proof_malformed",
            Self::ProofAmbiguous => "proof_ambiguous",
            Self::WrongTool => "wrong_tool",
            Self::WrongAudience => "wrong_audience",
            Self::ProofNotYetValid => "proof_not_yet_valid",
            Self::ProofExpired => "proof_expired",
            Self::ProofTooLong => "proof_too_long",
            Self::WrongSignature => "wrong_signature",
            Self::ProofUsed => "proof_used",
            Self::ProofTooOld => "proof_too_old",
            Self::DataRefused => "data_refused",
            Self::AccessDenied => "access_denied",
            Self::PredicateBroken => "predicate_broken",
            Self::PredicateNotDeployed => "predicate_not_deployed",
            Self::RegistryBroken => "registry_broken",
            Self::ToolDeregistered => "tool_deregistered",
            Self::ToolNotFound => "tool_not_found",
            Self::AccessUnknown => "access_unknown",
            Self::GateFull => "gate_full",
        }
    }

    /// The HTTP status: 401 for the proof, 403 for a no, 410 for a tool that is gone, 502 for contracts that are broken, 503 for what
    /// may be known a little later.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        match self {
            Self::ProofMissing
            | Self::ProofMalformed(_)
            | Self::ProofAmbiguous
            | Self::WrongTool
            | Self::WrongAudience
            | Self::ProofNotYetValid
            | Self::ProofExpired
            | Self::ProofTooLong
            | Self::WrongSignature
            | Self::ProofUsed
            | Self::ProofTooOld => StatusCode::UNAUTHORIZED,
            Self::DataRefused => StatusCode::BAD_REQUEST,
            Self::AccessDenied => StatusCode::FORBIDDEN,
            Self::ToolDeregistered => StatusCode::GONE,
            Self::PredicateBroken
            | Self::PredicateNotDeployed
            | Self::RegistryBroken
            | Self::ToolNotFound => StatusCode::BAD_GATEWAY,
            Self::AccessUnknown | Self::GateFull => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// What the caller can do.
    const fn what_to_do(&self) -> &'static str {
        match self {
            Self::ProofMissing | Self::ProofMalformed(_) | Self::ProofAmbiguous => {
                "Sign the challenge's typed data with the account's key, and send it once as Authorization: DeedboxAccess, or take \
                 what `deedbox tool prove --for` prints."
            }
            Self::WrongTool | Self::WrongAudience => {
                "Sign a proof for the tool and the audience in the challenge; before that, make sure that this is the tool that you mean."
            }
            Self::ProofNotYetValid => "Set the clock, and sign a new proof.",
            Self::ProofExpired | Self::ProofUsed | Self::ProofTooOld => {
                "Sign a new proof, with a new nonce: each lets one request in."
            }
            Self::ProofTooLong => {
                "Sign a proof whose deadline is no more seconds after issuedAt than the challenge's longest_seconds."
            }
            Self::WrongSignature => {
                "Sign the challenge's typed data, with exactly the values that are sent, with the key of the account that is sent. A key's \
                 signature has 65 bytes, the lower s, and v 27 or 28."
            }
            Self::DataRefused => {
                "Send what the predicate takes, like a Merkle proof or an access proof, and never a key, a token or a password."
            }
            Self::AccessDenied => {
                "Find out what the tool's predicate takes (`deedbox tool access`), and meet it; or use another account."
            }
            Self::PredicateBroken
            | Self::PredicateNotDeployed
            | Self::RegistryBroken
            | Self::ToolNotFound => "Nothing, as a caller: tell the tool's creator.",
            Self::ToolDeregistered => "Look for another tool: this one does not come back.",
            Self::AccessUnknown | Self::GateFull => {
                "Send the same request again after the seconds in Retry-After: its proof was not used."
            }
        }
    }

    /// The answer.
    pub(crate) fn response(&self, challenge: &Challenge) -> Response<Full<Bytes>> {
        let status = self.status();
        let mut problem = json!({
            "type": format!("urn:deedbox:gate:{}", self.code()),
            "title": status.canonical_reason(),
            "status": status.as_u16(),
            "detail": format!("{}.", capital(&self.to_string())),
            "code": self.code(),
            "what_to_do": self.what_to_do(),
            "tool": challenge.tool,
        });
        if status == StatusCode::UNAUTHORIZED {
            problem["challenge"] = json!({
                "scheme": SCHEME,
                "chain_id": challenge.chain_id,
                "registry": challenge.registry,
                "tool_id": challenge.tool_id,
                "audience": challenge.audience,
                "longest_seconds": challenge.longest,
                "typed_data": challenge.typed_data,
            });
        }
        let mut response = Response::new(Full::from(problem.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, json);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if status == StatusCode::UNAUTHORIZED {
            // The audience was checked when the gate was made, and a tool is letters, digits and a few signs.
            let Challenge {
                audience,
                tool,
                longest,
                ..
            } = challenge;
            let value = format!(
                r#"{SCHEME} realm="{audience}", tool="{tool}", longest_seconds="{longest}", error="{}""#,
                self.code()
            );
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(header::WWW_AUTHENTICATE, value);
            }
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
        }
        response
    }
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(rest).collect()
}
