//! Checks 2, 3 and 4 of ERC-8257 §7: whether a manifest is the one that a registration means.
//!
//! Check 1, the fetch, needs a network and is the caller's: from the `metadataURI` on chain and nowhere else, without
//! following redirects, stopping at 1 MiB. All that is decided *about* what came back is decided here, purely.

use std::fmt;

use crate::{
    address::Address,
    check::check,
    hash::Hash,
    report::{Finding, Report, Severity},
    url::HttpsUrl,
    well_known::{UriFault, WellKnown},
};

/// What the registry says about a tool: `getToolConfig(toolId)`, without its predicate.
#[derive(Clone, Copy, Debug)]
pub struct Registration<'r> {
    /// `metadataURI`.
    pub metadata_uri: &'r str,
    /// `manifestHash`.
    pub manifest_hash: Hash,
    /// `creator`.
    pub creator: Address,
}

/// What has to hold before a tool counts as verified, in the order in which it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Check 2: the manifest lies at the well-known path of its endpoint's origin.
    Origin,
    /// Check 3: UTF-8 without a byte-order mark, NFC, lower-case hex, and the hash that is on chain.
    Bytes,
    /// Check 4: the manifest names the creator that is on chain.
    Creator,
    /// Not one of the four: the manifest keeps every other rule that a consumer must reject it for (reading M-08).
    Rules,
}

impl Step {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Origin, Self::Bytes, Self::Creator, Self::Rules];

    /// The number of the check in ERC-8257 §7; `None` for the rules beside the four checks.
    #[must_use]
    pub fn number(self) -> Option<u8> {
        match self {
            Self::Origin => Some(2),
            Self::Bytes => Some(3),
            Self::Creator => Some(4),
            Self::Rules => None,
        }
    }

    /// The step that a rule about a manifest belongs to.
    #[must_use]
    pub fn of_rule(rule: &str) -> Self {
        match rule {
            "8257-2-08" | "8257-2-09" | "8257-2-10" => Self::Origin,
            "8257-7-01" => Self::Creator,
            "8257-parse-01" => Self::Bytes,
            _ if rule.starts_with("8257-2c-") => Self::Bytes,
            _ => Self::Rules,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Origin => "check 2 (origin)",
            Self::Bytes => "check 3 (bytes and hash)",
            Self::Creator => "check 4 (creator)",
            Self::Rules => "the manifest's own rules",
        })
    }
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The `metadataURI` is not where a manifest has to be.
    Uri(UriFault),
    /// The manifest breaks a rule.
    Manifest(Finding),
    /// More findings of that rule, which are not listed.
    MoreOf(&'static str),
    /// `endpoint` is on another origin than `metadataURI`.
    OtherOrigin {
        /// The origin of `metadataURI`.
        registered: String,
        /// The origin of `endpoint`.
        endpoint: String,
    },
    /// The hash of what was served is not the one on chain. That may be an attack, or an update that landed between
    /// two reads: the registry may be read once more, not oftener (ERC-8257 §7).
    OtherHash {
        /// The one on chain.
        registered: Hash,
        /// The one of what was served.
        served: Hash,
    },
    /// Somebody else registered this manifest.
    OtherCreator {
        /// The creator on chain.
        registered: Address,
        /// The one that the manifest names.
        named: Address,
    },
    /// The manifest could not be read, or lacks what this step compares.
    NothingToCompare,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uri(fault) => write!(f, "{fault}"),
            Self::Manifest(finding) => f.write_str(&finding.message),
            Self::MoreOf(rule) => write!(f, "there is more that breaks {rule}"),
            Self::OtherOrigin {
                registered,
                endpoint,
            } => {
                write!(
                    f,
                    "the manifest is registered at {registered}, and its endpoint is at {endpoint}"
                )
            }
            Self::OtherHash { registered, served } => {
                write!(
                    f,
                    "what was served hashes to {served}, and {registered} is registered"
                )
            }
            Self::OtherCreator { registered, named } => {
                write!(
                    f,
                    "{registered} registered a manifest that names {named} as its creator"
                )
            }
            Self::NothingToCompare => {
                f.write_str("the manifest does not say what has to be compared, or not in the form that it must have")
            }
        }
    }
}

/// How one step went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The step.
    pub step: Step,
    /// Everything that speaks against it.
    pub reasons: Vec<Reason>,
    /// Whether it could be judged. What needs a manifest that can be read is not reached without one; that it cannot be
    /// read is then a reason against [`Step::Bytes`].
    pub reached: bool,
}

impl Outcome {
    /// Whether it was judged and nothing speaks against it.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.reached && self.reasons.is_empty()
    }
}

/// What [`verify`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// The outcome of each step, in the order of [`Step::ALL`]. Every step is judged even after one failed, so that a
    /// person sees everything at once.
    pub outcomes: [Outcome; 4],
    /// The check of the manifest by itself.
    pub report: Report,
}

impl Verification {
    /// Whether every step passed. If not, the tool is *unverified*: it must not be invoked for a user nor shown to an
    /// agent, and there is no weaker set of rules to try it against (ERC-8257 §7).
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.outcomes.iter().all(Outcome::passed)
    }

    /// The first step that something speaks against: the one to report.
    #[must_use]
    pub fn failed(&self) -> Option<&Outcome> {
        self.outcomes
            .iter()
            .find(|outcome| !outcome.reasons.is_empty())
    }

    /// Whether the hash is all that is wrong: then, and only then, the registry may be read once more, and the same
    /// bytes be verified against what it says now.
    #[must_use]
    pub fn may_read_again(&self) -> bool {
        self.outcomes.iter().all(|outcome| {
            outcome.passed() || matches!(outcome.reasons.as_slice(), [Reason::OtherHash { .. }])
        })
    }
}

/// Judges what was served at `metadataURI` against the registration: checks 2, 3 and 4 of ERC-8257 §7, and the rules
/// that a manifest has to keep by itself. Pure: the same arguments give the same answer, and nothing is fetched.
#[must_use]
pub fn verify(source: &[u8], registration: &Registration<'_>) -> Verification {
    let report = check(source);
    let readable = report.hash.is_some();
    let outcomes = Step::ALL.map(|step| Outcome {
        step,
        reasons: reasons(step, &report, registration),
        reached: readable || step == Step::Bytes,
    });
    Verification { outcomes, report }
}

fn reasons(step: Step, report: &Report, registration: &Registration<'_>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = match step {
        Step::Origin => origin(report, registration),
        Step::Bytes | Step::Creator | Step::Rules => Vec::new(),
    };
    let broken = report
        .of(Severity::Refusal)
        .filter(|finding| step_of(finding, report) == step);
    reasons.extend(broken.cloned().map(Reason::Manifest));
    let more = report
        .omitted
        .iter()
        .filter(|omitted| omitted.severity == Severity::Refusal);
    reasons.extend(
        more.filter(|more| Step::of_rule(more.rule) == step)
            .map(|more| Reason::MoreOf(more.rule)),
    );
    match step {
        Step::Bytes => match report.hash {
            Some(served) if served != registration.manifest_hash => {
                reasons.push(Reason::OtherHash {
                    registered: registration.manifest_hash,
                    served,
                });
            }
            // What kept it from being read is among the reasons already.
            Some(_) | None => {}
        },
        Step::Creator => match report.creator {
            Some(named) if named != registration.creator => reasons.push(Reason::OtherCreator {
                registered: registration.creator,
                named,
            }),
            Some(_) => {}
            None if report.hash.is_some() => reasons.push(Reason::NothingToCompare),
            None => {}
        },
        Step::Origin | Step::Rules => {}
    }
    reasons
}

/// A finding about the endpoint's host is one about the origin; the same rule elsewhere is not. What cannot be read has
/// no hash, whatever the rule is that it breaks.
fn step_of(finding: &Finding, report: &Report) -> Step {
    match finding.rule {
        _ if report.hash.is_none() => Step::Bytes,
        "8257-6-11" if finding.pointer == "/endpoint" => Step::Origin,
        rule => Step::of_rule(rule),
    }
}

fn origin(report: &Report, registration: &Registration<'_>) -> Vec<Reason> {
    let registered = match WellKnown::read(registration.metadata_uri) {
        Ok(well_known) => Some(well_known.origin),
        Err(faults) => {
            let mut reasons: Vec<Reason> = faults.into_iter().map(Reason::Uri).collect();
            let origin = HttpsUrl::read(registration.metadata_uri).origin();
            reasons.extend(other_origin(origin.as_ref(), report));
            return reasons;
        }
    };
    match other_origin(registered.as_ref(), report) {
        Some(reason) => vec![reason],
        None if report.origin.is_none() && report.hash.is_some() => vec![Reason::NothingToCompare],
        None => Vec::new(),
    }
}

fn other_origin(registered: Option<&crate::url::Origin>, report: &Report) -> Option<Reason> {
    let (registered, endpoint) = (registered?, report.origin.as_ref()?);
    (registered != endpoint).then(|| Reason::OtherOrigin {
        registered: registered.to_string(),
        endpoint: endpoint.to_string(),
    })
}
