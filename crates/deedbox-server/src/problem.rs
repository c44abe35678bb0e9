//! What a caller is told when there is no answer. This is the one place where a refusal or a failure
//! becomes a status, a code and a text; MCP and HTTP only wrap it.

use std::{borrow::Cow, error::Error, fmt::Write as _, time::Duration};

use deedbox_chain::{Code, ReadError};
use deedbox_core::Refusal;
use deedbox_store::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    auth::NotAdmitted, finding::Candidate, guard::TurnedAway, inputs::clip, json::BadJson,
    operations::Fault, policy::PolicyRefused, rate::TooMany,
};

/// Why a request was not answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// An HTTP status.
    #[schemars(range(min = 400, max = 599))]
    pub status: u16,
    /// What is wrong, for people.
    pub error: Cow<'static, str>,
    /// A name for programs that never changes.
    pub code: &'static str,
    /// Whether to come back with the same request.
    #[serde(skip)]
    pub retry: Retry,
    /// Of a reading that names no agent, who may be meant.
    #[serde(skip)]
    pub candidates: Vec<Candidate>,
}

/// Whether the same request may well succeed later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retry {
    /// Not without a change.
    #[default]
    No,
    /// It may; nobody knows when.
    Later,
    /// It may, after so many seconds: `Retry-After` (RFC 9110 §10.2.3).
    After(u64),
}

impl Problem {
    /// A problem with a fixed or made text, which coming back does not help.
    pub fn new(status: u16, code: &'static str, error: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            error: error.into(),
            code,
            retry: Retry::No,
            candidates: Vec::new(),
        }
    }

    /// The same problem, with this about coming back.
    #[must_use]
    pub fn retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// Nobody is here under that path.
    #[must_use]
    pub const fn not_found() -> Self {
        Self::fixed(404, "not_found", "there is nothing under this path")
    }

    /// The path is known, the method is not.
    #[must_use]
    pub const fn wrong_method() -> Self {
        Self::fixed(
            405,
            "method_not_allowed",
            "this path does not answer to that method; see the Allow header",
        )
    }

    /// The request took too long.
    #[must_use]
    pub const fn timeout() -> Self {
        Self::fixed(
            504,
            "timeout",
            "this took too long; it is not known whether it was done. Look at the task, or repeat with the same idempotency key",
        )
    }

    /// A call that changes nothing took too long.
    #[must_use]
    pub fn read_timeout() -> Self {
        Self::fixed(
            504,
            "timeout",
            "this took too long; ask again later, or for less",
        )
        .retry(Retry::Later)
    }

    /// Something is wrong with this program; the log says what.
    #[must_use]
    pub const fn internal() -> Self {
        Self::fixed(
            500,
            "internal",
            "something went wrong inside the server; its log says what, under this request's id",
        )
    }

    /// The body is larger than [`deedbox_core::limits::BODY_BYTES`].
    #[must_use]
    pub fn body_too_large() -> Self {
        let limit = deedbox_core::limits::BODY_BYTES;
        Self::new(
            413,
            "body_too_large",
            format!("the request's body is too large: at most {limit} bytes are accepted"),
        )
    }

    const fn fixed(status: u16, code: &'static str, error: &'static str) -> Self {
        Self {
            status,
            error: Cow::Borrowed(error),
            code,
            retry: Retry::No,
            candidates: Vec::new(),
        }
    }
}

impl From<&Refusal> for Problem {
    fn from(refusal: &Refusal) -> Self {
        Self::new(refusal.status(), refusal.code(), refusal.to_string())
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::from(&refusal)
    }
}

impl From<&StoreError> for Problem {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::Unavailable(_)
            | StoreError::Busy(_)
            | StoreError::Closed
            | StoreError::Index { passes: true, .. } => {
                Self::new(503, "unavailable", error.to_string()).retry(Retry::Later)
            }
            StoreError::Newer { .. }
            | StoreError::Migration(_)
            | StoreError::Unsuitable(_)
            | StoreError::Damaged(_)
            | StoreError::Unreadable { .. }
            | StoreError::Altered { .. }
            | StoreError::Index { .. }
            | StoreError::Rejected(_) => Self::new(500, "internal", error.to_string()),
        }
    }
}

/// Logs the failure, once: this is the edge behind which nobody knows its cause any more.
impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = %chain(&error), "storage failed");
        Self::from(&error)
    }
}

/// Logs nothing: for whoever still has the fault.
impl From<&Fault> for Problem {
    fn from(fault: &Fault) -> Self {
        match fault {
            Fault::Refused(refusal) => Self::from(refusal),
            Fault::Failed(error) => Self::from(error),
            Fault::Policy(refused) => Self::from(refused),
            Fault::Unread(error) => Self::from(error),
            Fault::Unclear { error, candidates } => Self {
                candidates: candidates.clone(),
                ..Self::from(error)
            },
        }
    }
}

/// Logs what an operator should know of, once.
impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Failed(error) => Self::from(error),
            Fault::Unread(error) => Self::from(error),
            other => Self::from(&other),
        }
    }
}

impl From<&PolicyRefused> for Problem {
    fn from(refused: &PolicyRefused) -> Self {
        let (status, retry) = match refused.wait {
            Some(wait) => (429, Retry::After(seconds(wait))),
            None => (403, Retry::No),
        };
        Self::new(status, "policy_refused", refused.to_string()).retry(retry)
    }
}

/// Logs what is the endpoints' fault.
impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        let problem = Self::from(&error);
        if problem.status >= 500 {
            tracing::warn!(
                code = error.code.as_str(),
                error = error.message,
                "no reading"
            );
        }
        problem
    }
}

impl From<&ReadError> for Problem {
    fn from(error: &ReadError) -> Self {
        let status = read_status(error.code);
        let retry = match status {
            503 => Retry::After(ENDPOINT_PAUSE),
            _ if error.code.retryable() => Retry::Later,
            _ => Retry::No,
        };
        Self::new(status, error.code.as_str(), clip(error.message.clone())).retry(retry)
    }
}

/// How many seconds endpoints are left alone that have more to do than they can. They say for how long in ways of
/// their own, if at all; this is as long as most of them count.
const ENDPOINT_PAUSE: u64 = 5;

/// The status of each reason for which there is no reading.
const fn read_status(code: Code) -> u16 {
    match code {
        Code::InvalidArgument => 400,
        Code::ChainNotConfigured | Code::BlockNotFound => 404,
        Code::Reorged => 409,
        Code::NotAContract
        | Code::DelegatedAccount
        | Code::CallReverted
        | Code::InvalidResponse
        | Code::UnsupportedPool
        | Code::ArchiveUnavailable
        | Code::RangeTooLarge => 422,
        Code::EndpointUnavailable | Code::EndpointLagging | Code::WrongChain => 502,
        Code::Busy | Code::RateLimited => 503,
        Code::Timeout => 504,
    }
}

impl From<NotAdmitted> for Problem {
    fn from(reason: NotAdmitted) -> Self {
        match reason {
            NotAdmitted::TwoCredentials => Self::new(400, "two_credentials", reason.to_string()),
            NotAdmitted::Unauthenticated => Self::new(401, "unauthenticated", reason.to_string()),
            NotAdmitted::Failed(error) => Self::from(error),
        }
    }
}

impl From<TooMany> for Problem {
    fn from(too_many: TooMany) -> Self {
        let seconds = seconds(too_many.wait);
        Self::new(
            429,
            "rate_limited",
            format!("too many requests with this key; come back in {seconds} s"),
        )
        .retry(Retry::After(seconds))
    }
}

impl From<TurnedAway> for Problem {
    fn from(reason: TurnedAway) -> Self {
        let (status, code) = match reason {
            TurnedAway::NoHost => (400, "host_missing"),
            TurnedAway::Host => (421, "host_not_allowed"),
            TurnedAway::Origin => (403, "origin_not_allowed"),
        };
        Self::new(status, code, reason.to_string())
    }
}

impl From<BadJson> for Problem {
    fn from(bad: BadJson) -> Self {
        Self::new(400, "invalid_input", bad.to_string())
    }
}

/// A wait in whole seconds, rounded up, as `Retry-After` has it.
pub(crate) fn seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// An error with its causes, for the operator's log.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        // Infallible: writing to a String.
        let _ = write!(text, ": {inner}");
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_failure_tells_the_caller_is_not_its_cause() {
        let cause = "SELECT secret FROM keys: connection to db.internal refused";
        for error in [
            StoreError::Unavailable(cause.into()),
            StoreError::Busy(cause.into()),
            StoreError::Migration(cause.into()),
            StoreError::Rejected(cause.into()),
            StoreError::unreadable("deed", "task:x", cause),
        ] {
            let problem = Problem::from(error);
            assert!(!problem.error.contains("SELECT"), "{problem:?}");
            assert!(problem.status >= 500);
        }
    }
}
