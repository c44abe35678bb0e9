//! What goes wrong between asking an endpoint and knowing: one name for each thing that is treated differently.

use std::time::Duration;

use alloy_primitives::Bytes;
use deedbox_core::EndpointId;

use super::{value::Malformed, wire::ErrorObject};
use crate::{Code, ReadError, chains::Reason};

/// Why an endpoint's answer is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// No connection, or it broke before the answer was whole.
    Unreachable,
    /// No connection that can be trusted.
    Tls,
    /// No answer in time; also when the endpoint itself gave up.
    TimedOut,
    /// An answer that cannot be read.
    Malformed(&'static str),
    /// An answer larger than the endpoint gives, or than we take.
    ResponseTooLarge,
    /// It was asked too often.
    RateLimited { retry_after: Option<Duration> },
    /// It wants another key, or a plan that includes this.
    Unauthorized,
    /// `eth_getLogs` over more blocks than it takes; it may say how many it does.
    TooManyBlocks { suggested: Option<u64> },
    /// `eth_getLogs` with more logs (or more work) than it gives; it may say how many blocks would do.
    TooManyLogs { suggested: Option<u64> },
    /// It does not keep the state of the block.
    StateUnavailable,
    /// It does not know the block, although it was asked for one that it should know.
    BlockUnknown,
    /// The block is not part of the chain any more.
    NotCanonical,
    /// The contract refused, and gave this for a reason.
    Reverted(Bytes),
    /// The contract ran out of gas, or did what the machine does not do.
    ExecutionFailed,
    /// The account could not pay for what it would send.
    CannotPay,
    /// It takes no batches, or none of this size; it may say which size it takes.
    BatchRefused { at_most: Option<usize> },
    /// It does not offer the method.
    MethodMissing,
    /// It does not understand the parameters.
    BadParams,
    /// Something in it broke.
    Internal,
    /// It answers for another chain.
    WrongChain { answered: u64 },
    /// Too many reads wait for it already.
    Busy,
}

/// Trouble with what was said about it, for the few who look closer: at why a contract refused, and at why a transaction was
/// not taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) trouble: Trouble,
    /// The HTTP status, where there was an answer.
    pub(crate) status: Option<u16>,
    /// The endpoint's own words, where it answered in JSON-RPC. Never for a caller or a log as they are.
    pub(crate) words: Option<Box<ErrorObject>>,
}

impl From<Trouble> for Fault {
    fn from(trouble: Trouble) -> Self {
        Self {
            trouble,
            status: None,
            words: None,
        }
    }
}

impl From<Malformed> for Trouble {
    fn from(Malformed(what): Malformed) -> Self {
        Self::Malformed(what)
    }
}

impl Trouble {
    /// Whether the same request may well succeed at the same endpoint in a moment. Not after a time-out: that
    /// moment has been spent waiting.
    pub(crate) const fn passes(&self) -> bool {
        matches!(
            self,
            Self::Unreachable | Self::RateLimited { .. } | Self::Internal
        )
    }

    /// Why the endpoint as a whole should be tried last for a while; none when it should not.
    pub(crate) const fn reason(&self) -> Option<Reason> {
        Some(match self {
            Self::Unreachable => Reason::CannotBeReached,
            Self::Tls => Reason::CertificateNotTrusted,
            Self::TimedOut => Reason::Timeout,
            Self::Malformed(_) => Reason::AnswerNotReadable,
            Self::RateLimited { .. } => Reason::RateLimited,
            Self::Unauthorized => Reason::Unauthorized,
            Self::Internal => Reason::InternalError,
            Self::WrongChain { .. } => Reason::WrongChain,
            _ => return None,
        })
    }

    /// A word for it in a counter's label.
    pub(crate) const fn label(&self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Tls => "tls",
            Self::TimedOut => "timed_out",
            Self::Malformed(_) => "malformed",
            Self::ResponseTooLarge => "response_too_large",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unauthorized => "unauthorized",
            Self::TooManyBlocks { .. } => "too_many_blocks",
            Self::TooManyLogs { .. } => "too_many_logs",
            Self::StateUnavailable => "state_unavailable",
            Self::BlockUnknown => "block_unknown",
            Self::NotCanonical => "not_canonical",
            Self::Reverted(_) => "reverted",
            Self::ExecutionFailed => "execution_failed",
            Self::CannotPay => "cannot_pay",
            Self::BatchRefused { .. } => "batch_refused",
            Self::MethodMissing => "method_missing",
            Self::BadParams => "bad_params",
            Self::Internal => "internal",
            Self::WrongChain { .. } => "wrong_chain",
            Self::Busy => "busy",
        }
    }

    const fn code(&self) -> Code {
        match self {
            Self::Unreachable
            | Self::Tls
            | Self::Malformed(_)
            | Self::Unauthorized
            | Self::CannotPay
            | Self::BatchRefused { .. }
            | Self::MethodMissing
            | Self::BadParams
            | Self::Internal
            | Self::ResponseTooLarge => Code::EndpointUnavailable,
            Self::WrongChain { .. } => Code::WrongChain,
            Self::TimedOut => Code::Timeout,
            Self::RateLimited { .. } => Code::RateLimited,
            Self::TooManyBlocks { .. } | Self::TooManyLogs { .. } => Code::RangeTooLarge,
            Self::StateUnavailable => Code::ArchiveUnavailable,
            Self::BlockUnknown => Code::BlockNotFound,
            Self::NotCanonical => Code::Reorged,
            Self::Reverted(_) | Self::ExecutionFailed => Code::CallReverted,
            Self::Busy => Code::Busy,
        }
    }

    /// For a caller: what happened at which endpoint, in our words only.
    pub(crate) fn at(&self, endpoint: &EndpointId) -> ReadError {
        let what = match self {
            Self::Unreachable => "cannot be reached".to_owned(),
            Self::Tls => "has no certificate that is trusted".to_owned(),
            Self::TimedOut => "did not answer in time".to_owned(),
            Self::Malformed(what) => format!("answered with what cannot be read: {what}"),
            Self::ResponseTooLarge => "answered with more than is read".to_owned(),
            Self::RateLimited { .. } => "says that it was asked too often".to_owned(),
            Self::Unauthorized => "refuses its key, or its plan does not include this".to_owned(),
            Self::TooManyBlocks { .. } | Self::TooManyLogs { .. } => {
                "does not search so many blocks or logs".to_owned()
            }
            Self::StateUnavailable => "does not keep the state of that block".to_owned(),
            Self::BlockUnknown => "does not know that block".to_owned(),
            Self::NotCanonical => {
                "says that the block is not part of the chain any more".to_owned()
            }
            Self::Reverted(_) => "says that the contract refused the call".to_owned(),
            Self::ExecutionFailed => "says that the call ran out of gas or failed".to_owned(),
            Self::CannotPay => "says that the account cannot pay".to_owned(),
            Self::BatchRefused { .. } => "takes no batches".to_owned(),
            Self::MethodMissing => "does not offer a method that is needed".to_owned(),
            Self::BadParams => "does not understand a parameter, such as a block's hash".to_owned(),
            Self::Internal => "reports an error of its own".to_owned(),
            Self::WrongChain { answered } => format!(
                "answers for chain {answered}; the operator's configuration names the wrong endpoint"
            ),
            Self::Busy => "has too many reads waiting already".to_owned(),
        };
        ReadError::new(self.code(), format!("endpoint {endpoint} {what}"))
    }
}
