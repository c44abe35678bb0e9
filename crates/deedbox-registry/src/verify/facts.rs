//! What a manifest says, as it is shown: a stranger's texts, capped and flagged.

use deedbox_chain::UntrustedText;
use deedbox_core::ManifestHash;
use deedbox_fetch::Fetcher;
use deedbox_manifest::{
    Document, Limits, Report, Severity, Tier, Value, pricing::Pricing, schema::PreFilled,
    tier::Contradiction,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::checks::CheckReason;

/// The most characters that are shown of a text.
const MOST_CHARACTERS: usize = 512;
/// The most characters that are shown of a URL: it has so many bytes at most.
const MOST_OF_A_URL: usize = 2048;
/// How many of the inputs that are filled in are listed.
const MOST_FILLED: usize = 64;
/// How many tags a manifest may have.
const MOST_TAGS: usize = 16;

/// What a manifest says. Of one that is not verified it is for repairing it, and never to be acted upon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ManifestFacts {
    /// keccak256 over the canonical form of what was served.
    pub hash: ManifestHash,
    /// `name`.
    pub name: Option<UntrustedText>,
    /// `description`, of at most 512 characters.
    pub description: Option<UntrustedText>,
    /// `endpoint`. Whether it can be invoked from here: `not_invocable`.
    pub endpoint: Option<UntrustedText>,
    /// `version`; null when it has none.
    pub version: Option<UntrustedText>,
    /// `tags`, at most 16.
    pub tags: Vec<UntrustedText>,
    /// What it says about its price; null: nothing, which is not "free".
    pub pricing: Option<Vec<PriceFact>>,
    /// What it claims about where it runs.
    pub tier: TierFacts,
    /// `maxAge` in seconds.
    pub max_age: Option<u64>,
    /// JSON pointers of the inputs that it fills in by `default` or `const`, at most 64: each has to be confirmed.
    pub pre_filled: Vec<UntrustedText>,
    /// Why its endpoint cannot be invoked from here, judged by its text alone; null when nothing speaks against it. None of the four
    /// checks (reading V-13).
    pub not_invocable: Option<UntrustedText>,
    /// What the standard warns about, without rejecting the manifest.
    pub warnings: Vec<CheckReason>,
    /// The same as it was read, to be gone by and not to be shown.
    #[serde(skip)]
    pub stated: Stated,
}

/// What a manifest states, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// What it says about its price.
    pub pricing: Pricing,
    /// The tier for decisions.
    pub tier: Tier,
    /// The inputs that it fills in.
    pub pre_filled: Vec<PreFilled>,
}

/// A price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PriceFact {
    /// In the asset's smallest unit, in decimal. Zero is a declared free.
    pub amount: String,
    /// The asset (CAIP-19).
    pub asset: UntrustedText,
    /// Who is paid (CAIP-10).
    pub recipient: UntrustedText,
    /// How.
    pub protocol: UntrustedText,
}

/// What a manifest claims about where it runs (ERC-8257 §5). Nothing of it is checked by an attestation here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TierFacts {
    /// The tier that it declares, if it is one of the standard's.
    pub declared: Option<String>,
    /// The tier for decisions: the lower of that and what its fields support.
    pub effective: String,
    /// How the two contradict each other.
    pub inconsistencies: Vec<Inconsistency>,
}

/// A way in which a declared tier and the fields beside it contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Inconsistency {
    /// `verifiable` without `attestation` or without `reproducibleBuild`.
    VerifiableWithoutProof,
    /// `verifiable` on standard servers.
    VerifiableOnStandard,
    /// `hardware-attested` on standard servers.
    HardwareOnStandard,
    /// `hardware-attested` without `attestation`.
    HardwareWithoutAttestation,
    /// `self-attested` in an isolated environment.
    SelfAttestedInIsolation,
    /// `self-attested` with `attestation`.
    SelfAttestedWithAttestation,
}

impl From<Contradiction> for Inconsistency {
    fn from(found: Contradiction) -> Self {
        match found {
            Contradiction::VerifiableWithoutProof => Self::VerifiableWithoutProof,
            Contradiction::VerifiableOnStandard => Self::VerifiableOnStandard,
            Contradiction::HardwareOnStandard => Self::HardwareOnStandard,
            Contradiction::HardwareWithoutAttestation => Self::HardwareWithoutAttestation,
            Contradiction::SelfAttestedInIsolation => Self::SelfAttestedInIsolation,
            Contradiction::SelfAttestedWithAttestation => Self::SelfAttestedWithAttestation,
        }
    }
}

impl ManifestFacts {
    /// Reads what was served; none when it cannot be read.
    pub(super) fn read(body: &[u8], report: &Report, fetcher: &Fetcher) -> Option<Self> {
        let hash = report.hash?;
        let document = Document::read(body, &Limits::MANIFEST).ok()?;
        let root = document.root();
        let text = |name: &str| root.get(name).and_then(Value::as_str);
        let shown = |name: &str| text(name).map(of_text);
        let tags = root.get("tags").and_then(Value::elements);
        let tags = tags.into_iter().flatten().filter_map(Value::as_str);
        let warnings = report.of(Severity::Warning);
        let claims = report.claims;
        Some(Self {
            hash: ManifestHash(hash.0),
            name: shown("name"),
            description: shown("description"),
            endpoint: text("endpoint").map(of_url),
            version: shown("version"),
            tags: tags.take(MOST_TAGS).map(of_text).collect(),
            pricing: prices(&report.pricing),
            tier: TierFacts {
                declared: report.declared_tier().map(|tier| tier.to_string()),
                effective: report.effective_tier().to_string(),
                inconsistencies: claims
                    .map(|claims| claims.contradictions())
                    .unwrap_or_default()
                    .into_iter()
                    .map(Inconsistency::from)
                    .collect(),
            },
            max_age: report.max_age,
            pre_filled: report
                .pre_filled
                .iter()
                .take(MOST_FILLED)
                .map(|filled| of_url(&filled.pointer))
                .collect(),
            not_invocable: text("endpoint")
                .and_then(|endpoint| fetcher.judge(endpoint).err())
                .map(|error| of_text(&error.to_string())),
            warnings: warnings
                .map(|finding| CheckReason::new(finding.rule, &finding.message))
                .collect(),
            stated: Stated {
                pricing: report.pricing.clone(),
                tier: report.effective_tier(),
                pre_filled: report.pre_filled.clone(),
            },
        })
    }
}

fn of_text(text: &str) -> UntrustedText {
    UntrustedText::read_long(text.as_bytes(), MOST_CHARACTERS)
}

fn of_url(text: &str) -> UntrustedText {
    UntrustedText::read_long(text.as_bytes(), MOST_OF_A_URL)
}

fn prices(pricing: &Pricing) -> Option<Vec<PriceFact>> {
    let price = |price: &deedbox_manifest::pricing::Price| PriceFact {
        amount: price.amount.to_string(),
        asset: of_text(&price.asset),
        recipient: of_text(&price.recipient),
        protocol: of_text(&price.protocol),
    };
    let stated = pricing.is_stated();
    stated.then(|| pricing.entries().iter().map(price).collect())
}
