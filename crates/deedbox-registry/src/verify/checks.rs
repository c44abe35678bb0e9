//! The four checks of ERC-8257 §7 and the manifest's own rules, each with its outcome and its reasons.

use deedbox_chain::UntrustedText;
use deedbox_fetch::{FetchError, Stage, TlsFault};
use deedbox_manifest::{
    Verification, WellKnown,
    verify::{Reason, Step},
    well_known::UriFault,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most characters of a reason.
const MOST_CHARACTERS: usize = 512;

/// What is checked, in order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CheckName {
    /// Check 1: the manifest can be fetched from the registered URI, and from nowhere else.
    Fetch,
    /// Check 2: that URI is the well-known place of the endpoint's origin.
    Origin,
    /// Check 3: the bytes are in the form that is hashed, and their hash is the registered one.
    Hash,
    /// Check 4: the manifest names the creator who registered it.
    Creator,
    /// None of the four: the manifest keeps every other rule that it must be rejected for (reading M-08).
    Schema,
}

impl CheckName {
    /// Its number in ERC-8257 §7; none for the rules beside the four.
    #[must_use]
    pub const fn number(self) -> Option<u8> {
        match self {
            Self::Fetch => Some(1),
            Self::Origin => Some(2),
            Self::Hash => Some(3),
            Self::Creator => Some(4),
            Self::Schema => None,
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Origin => "origin",
            Self::Hash => "hash",
            Self::Creator => "creator",
            Self::Schema => "schema",
        }
    }

    const fn of(step: Step) -> Self {
        match step {
            Step::Origin => Self::Origin,
            Step::Bytes => Self::Hash,
            Step::Creator => Self::Creator,
            Step::Rules => Self::Schema,
        }
    }
}

/// How one check went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Which.
    pub check: CheckName,
    /// Its number in ERC-8257 §7; null for the rules beside the four.
    pub number: Option<u8>,
    /// How it went.
    pub outcome: CheckOutcome,
    /// Everything that speaks against it.
    pub reasons: Vec<CheckReason>,
}

/// How a check can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// Nothing speaks against it.
    Passed,
    /// Something does.
    Failed,
    /// It could not be judged, because of what failed elsewhere. It counts as not passed.
    NotReached,
}

/// Why a check failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckReason {
    /// A word or the number of a rule, for programs: `redirect_refused`, `hash_mismatch`, `8257-2-03`.
    pub code: String,
    /// A sentence for people. It may repeat what a manifest, a certificate or a server says, so it is kept as a stranger's text.
    pub message: UntrustedText,
}

impl CheckReason {
    /// A reason, of at most 512 characters.
    pub(super) fn new(code: &str, message: impl ToString) -> Self {
        Self {
            code: code.to_owned(),
            message: UntrustedText::read_long(message.to_string().as_bytes(), MOST_CHARACTERS),
        }
    }
}

/// What came of trying to have a manifest.
#[derive(Debug)]
pub(super) enum Had {
    /// It was not asked for: the URI is not where a manifest has to be, and nobody is asked for it there (reading M-05).
    BadUri(Vec<UriFault>),
    /// The URI is no text.
    NoUri,
    /// It could not be fetched.
    Failed(FetchError),
    /// It came, and was judged.
    Judged(Box<Verification>),
}

impl Had {
    pub(super) fn is_verified(&self) -> bool {
        matches!(self, Self::Judged(found) if found.is_verified())
    }

    /// Whether the hash is all that is wrong.
    pub(super) fn may_read_again(&self) -> bool {
        matches!(self, Self::Judged(found) if !found.is_verified() && found.may_read_again())
    }

    /// Whether nothing came because of the host: another manifest of it would not come, either.
    pub(super) fn is_the_hosts(&self) -> bool {
        matches!(
            self,
            Self::Failed(
                FetchError::NameNotFound
                    | FetchError::ConnectFailed(_)
                    | FetchError::Timeout { .. }
                    | FetchError::Status(429 | 503)
            )
        )
    }

    /// How each check went.
    pub(super) fn checks(&self) -> Vec<Check> {
        match self {
            Self::BadUri(faults) => {
                let reasons = faults
                    .iter()
                    .map(|fault| CheckReason::new(fault.rule(), fault));
                only(CheckName::Origin, reasons.collect())
            }
            Self::NoUri => {
                let message = "metadataURI is no text in UTF-8";
                only(
                    CheckName::Origin,
                    vec![CheckReason::new("not_utf8", message)],
                )
            }
            Self::Failed(error) => {
                only(CheckName::Fetch, vec![CheckReason::new(code(error), error)])
            }
            Self::Judged(found) => {
                let fetched = check(CheckName::Fetch, CheckOutcome::Passed, Vec::new());
                let others = found.outcomes.iter().map(|outcome| {
                    let went = match (outcome.passed(), outcome.reasons.is_empty()) {
                        (true, _) => CheckOutcome::Passed,
                        (false, true) => CheckOutcome::NotReached,
                        (false, false) => CheckOutcome::Failed,
                    };
                    let reasons = outcome.reasons.iter().map(of_manifest);
                    check(CheckName::of(outcome.step), went, reasons.collect())
                });
                [fetched].into_iter().chain(others).collect()
            }
        }
    }
}

/// The place where a manifest may be asked for.
pub(super) fn place(uri: Option<&str>) -> Result<&str, Had> {
    let uri = uri.ok_or(Had::NoUri)?;
    WellKnown::read(uri).map_err(Had::BadUri)?;
    Ok(uri)
}

fn check(check: CheckName, outcome: CheckOutcome, reasons: Vec<CheckReason>) -> Check {
    Check {
        check,
        number: check.number(),
        outcome,
        reasons,
    }
}

/// All checks when this one failed and none of the others could be judged.
fn only(failed: CheckName, reasons: Vec<CheckReason>) -> Vec<Check> {
    use CheckName::{Creator, Fetch, Hash, Origin, Schema};
    let of = |name| {
        if name == failed {
            check(name, CheckOutcome::Failed, reasons.clone())
        } else {
            check(name, CheckOutcome::NotReached, Vec::new())
        }
    };
    [Fetch, Origin, Hash, Creator, Schema].map(of).into()
}

fn of_manifest(found: &Reason) -> CheckReason {
    let code = match found {
        Reason::Uri(fault) => fault.rule(),
        Reason::Manifest(finding) => finding.rule,
        Reason::MoreOf(rule) => rule,
        Reason::OtherOrigin { .. } => "origin_mismatch",
        Reason::OtherHash { .. } => "hash_mismatch",
        Reason::OtherCreator { .. } => "creator_mismatch",
        Reason::NothingToCompare => "nothing_to_compare",
        _ => "other",
    };
    CheckReason::new(code, found)
}

/// A word for why nothing was fetched.
fn code(error: &FetchError) -> &'static str {
    match error {
        FetchError::UrlTooLong(_) => "url_too_long",
        FetchError::NotHttps => "not_https",
        FetchError::BadUrl(_) => "bad_url",
        FetchError::PortRefused => "port_refused",
        FetchError::NameNotFound => "name_not_found",
        FetchError::AddressRefused { .. } => "address_refused",
        FetchError::ConnectFailed(_) => "connect_failed",
        FetchError::Tls(fault) => match fault {
            TlsFault::Expired => "tls_expired",
            TlsFault::NotYetValid => "tls_not_yet_valid",
            TlsFault::WrongName => "tls_wrong_name",
            TlsFault::UnknownIssuer => "tls_unknown_issuer",
            TlsFault::Revoked => "tls_revoked",
            TlsFault::BadCertificate => "tls_bad_certificate",
            TlsFault::NotTls => "tls_not_spoken",
            TlsFault::NoAgreement => "tls_no_agreement",
        },
        FetchError::RedirectRefused { .. } => "redirect_refused",
        FetchError::Status(_) => "status",
        FetchError::Encoding(_) => "encoding",
        FetchError::BadGzip => "bad_gzip",
        FetchError::TooLarge { .. } => "too_large",
        FetchError::Timeout { stage, .. } => match stage {
            Stage::Connect => "timeout_connecting",
            Stage::Head => "timeout_waiting",
            Stage::Body => "timeout_receiving",
        },
        FetchError::Truncated => "truncated",
        FetchError::BadAnswer => "bad_answer",
    }
}
