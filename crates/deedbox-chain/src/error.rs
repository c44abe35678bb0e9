//! Why there is no reading.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// What went wrong, in a word that programs may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Code {
    /// An argument is missing, malformed, or carries a wrong checksum.
    InvalidArgument,
    /// The chain is not configured here.
    ChainNotConfigured,
    /// There is no such block (yet): every endpoint of the chain says so.
    BlockNotFound,
    /// There is no code at the address at that block.
    NotAContract,
    /// The address is an account that delegates to a contract (EIP-7702): neither an EOA nor a contract.
    DelegatedAccount,
    /// The contract refused the call.
    CallReverted,
    /// The contract's answer does not have the form that the standard gives it.
    InvalidResponse,
    /// A pool whose numbers would mean something else than reserves.
    UnsupportedPool,
    /// The block is not part of the chain any more: it was there when the reading began and was replaced, or was gone, when it
    /// ended; or it had been replaced before, when it was asked for by its hash.
    Reorged,
    /// An endpoint does not keep the state of that block, and no other one failed in a way that may pass.
    ArchiveUnavailable,
    /// There are more logs in the range than can be read, and no other endpoint failed in a way that may pass.
    RangeTooLarge,
    /// No endpoint answered, and one says that it was asked too often. Not the same as a caller who asks too often here.
    #[serde(rename = "endpoint_rate_limited")]
    RateLimited,
    /// The endpoints that answered do not have the block yet, and another one that may have it did not answer. When all
    /// answered, it is [`BlockNotFound`](Self::BlockNotFound).
    EndpointLagging,
    /// No endpoint answered, or none with an answer that can be read.
    EndpointUnavailable,
    /// Every endpoint answers for another chain: the operator's configuration names the wrong ones.
    WrongChain,
    /// The answer did not come in time.
    Timeout,
    /// Too many reads wait already.
    Busy,
}

impl Code {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArgument => "invalid_argument",
            Self::ChainNotConfigured => "chain_not_configured",
            Self::BlockNotFound => "block_not_found",
            Self::NotAContract => "not_a_contract",
            Self::DelegatedAccount => "delegated_account",
            Self::CallReverted => "call_reverted",
            Self::InvalidResponse => "invalid_response",
            Self::UnsupportedPool => "unsupported_pool",
            Self::Reorged => "reorged",
            Self::ArchiveUnavailable => "archive_unavailable",
            Self::RangeTooLarge => "range_too_large",
            Self::RateLimited => "endpoint_rate_limited",
            Self::EndpointLagging => "endpoint_lagging",
            Self::EndpointUnavailable => "endpoint_unavailable",
            Self::WrongChain => "wrong_chain",
            Self::Timeout => "timeout",
            Self::Busy => "busy",
        }
    }

    /// Whether the same request may well succeed a little later.
    #[must_use]
    pub const fn retryable(self) -> bool {
        matches!(
            self,
            Self::BlockNotFound
                | Self::Reorged
                | Self::RateLimited
                | Self::EndpointLagging
                | Self::EndpointUnavailable
                | Self::Timeout
                | Self::Busy
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why there is no reading. Its text is for the caller: it holds no URL, and nothing that an endpoint or a contract
/// wrote.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    /// What went wrong.
    pub code: Code,
    /// What went wrong and what to do about it, in a sentence.
    pub message: String,
}

impl ReadError {
    /// An error with its sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// An argument that cannot be used.
    pub fn invalid(argument: &str, reason: impl fmt::Display) -> Self {
        Self::new(Code::InvalidArgument, format!("{argument} {reason}"))
    }
}
