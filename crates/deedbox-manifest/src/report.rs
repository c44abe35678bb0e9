//! What a check found: all of it, each finding with its rule, its place and what to do.

use std::{borrow::Cow, fmt, ops::Range};

use serde::{Serialize, Serializer, ser::SerializeStruct as _};

use crate::{
    address::Address,
    hash::Hash,
    pricing::Pricing,
    schema::PreFilled,
    tier::{Claims, Tier},
    url::Origin,
};

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing for the manifest's author; changes no verdict.
    Note,
    /// Not forbidden, but it will surprise somebody, or the standard leaves it open.
    Warning,
    /// The standard says that a consumer must reject the manifest.
    Refusal,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Refusal => "refused",
        })
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule, as `docs/conformance.md` lists it, for example `8257-2-04`. Where the standard leaves a
    /// question open, the decision that the crate's documentation lists: `8257-M-20`.
    pub rule: &'static str,
    /// The section of ERC-8257, for example `§2`.
    pub section: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// The place as a JSON pointer (RFC 6901), empty for the whole document.
    pub pointer: String,
    /// The place in the bytes that were checked. Empty where something is missing: it belongs there.
    pub span: Range<usize>,
    /// What is wrong, in one sentence without a full stop. Quotes at most a few words of the manifest.
    pub message: String,
    /// What to do about it, in one sentence.
    pub fix: Cow<'static, str>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} ({} {})",
            self.severity, self.message, self.rule, self.section
        )
    }
}

/// Findings of one rule that are counted and not listed, because there are too many like them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// The rule.
    pub rule: &'static str,
    /// How much they weigh.
    pub severity: Severity,
    /// How many more there are.
    pub count: usize,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every rule is kept. There may be notes.
    Valid,
    /// No consumer has to reject it, but there are warnings.
    ValidWithWarnings,
    /// A consumer must reject it.
    Refused,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Valid => "valid",
            Self::ValidWithWarnings => "valid, with warnings",
            Self::Refused => "refused",
        })
    }
}

/// Everything that a check found out about a manifest.
///
/// What a refused manifest claims (its price, its tier …) is filled in as far as it could be read, so that it
/// can be shown to the person who repairs it. It must not be acted upon.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The outcome. It takes every finding into account, the omitted ones too.
    pub verdict: Verdict,
    /// keccak256 over the canonical form of what was served. `None` only when the text could not be read.
    /// A refused manifest that could be read has a hash too, which then proves nothing.
    pub hash: Option<Hash>,
    /// How many bytes the canonical form has; 0 when the text could not be read.
    pub canonical_len: usize,
    /// All findings, in the order of the source. Of one rule at most [`Report::MOST_OF_A_RULE`].
    pub findings: Vec<Finding>,
    /// What exceeds that.
    pub omitted: Vec<Omitted>,
    /// `creatorAddress`, if it is 20 bytes in lower-case hex, zero or not.
    pub creator: Option<Address>,
    /// The origin of `endpoint`, if that is an HTTPS URL.
    pub origin: Option<Origin>,
    /// What the manifest says about its price.
    pub pricing: Pricing,
    /// What `verifiability` claims; `None` when there is no such object, which claims nothing.
    pub claims: Option<Claims>,
    /// The values that the manifest puts into the arguments of whoever calls the tool: each has to be shown
    /// before an invocation (ERC-8257, "Schema `default` and `const` Injection").
    pub pre_filled: Vec<PreFilled>,
    /// Top-level `maxAge` in seconds: the longest that a consumer should rely on a copy
    /// ("Manifest Freshness"). `None` when absent or unusable.
    pub max_age: Option<u64>,
}

impl Report {
    /// How many findings of one rule are listed. One fault made a hundred thousand times must neither
    /// hide the others nor fill the memory.
    pub const MOST_OF_A_RULE: usize = 32;

    /// The tier that is declared, if it is one of the standard's.
    #[must_use]
    pub fn declared_tier(&self) -> Option<Tier> {
        self.claims.and_then(|claims| claims.tier)
    }

    /// The tier to use for decisions, see [`Claims::effective`]. A manifest that claims nothing is
    /// self-attested at most, and so is this.
    #[must_use]
    pub fn effective_tier(&self) -> Tier {
        self.claims
            .map_or(Tier::SelfAttested, |claims| claims.effective())
    }

    /// Whether a consumer may go on.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.verdict == Verdict::Refused
    }

    /// The findings of one severity.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(move |finding| finding.severity == severity)
    }
}

/// As JSON: names in camel case, both tiers beside the findings, hash and address as `0x` text, spans as `start` and
/// `end` in bytes.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("Report", 12)?;
        report.serialize_field("verdict", &self.verdict)?;
        report.serialize_field("hash", &self.hash)?;
        report.serialize_field("canonicalBytes", &self.canonical_len)?;
        report.serialize_field("findings", &self.findings)?;
        report.serialize_field("omitted", &self.omitted)?;
        report.serialize_field("creator", &self.creator)?;
        report.serialize_field("origin", &self.origin)?;
        report.serialize_field("pricing", &self.pricing)?;
        report.serialize_field("declaredTier", &self.declared_tier())?;
        report.serialize_field("effectiveTier", &self.effective_tier())?;
        report.serialize_field("preFilled", &self.pre_filled)?;
        report.serialize_field("maxAge", &self.max_age)?;
        report.end()
    }
}
