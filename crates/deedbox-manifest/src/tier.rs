//! How much of what a tool says about itself could be checked (ERC-8257 §5).
//!
//! Everything here is a claim of the creator. The *effective* tier is the lower of what is claimed and
//! what the structured fields would support; it says how far the claim is consistent, never that it is
//! true. Whoever has not fetched and verified an attestation report treats every tool as self-attested.

use std::fmt;

use serde::Serialize;

/// The trust tiers, lowest first (ERC-8257 §5, *Trust Tiers*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Every claim rests on trust.
    SelfAttested,
    /// A trusted execution environment with remote attestation.
    HardwareAttested,
    /// That, and a build that anyone can reproduce.
    Verifiable,
}

impl Tier {
    /// The tier of that name; `None` for a name that the standard does not define.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "self-attested" => Some(Self::SelfAttested),
            "hardware-attested" => Some(Self::HardwareAttested),
            "verifiable" => Some(Self::Verifiable),
            _ => None,
        }
    }

    /// The name in a manifest.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SelfAttested => "self-attested",
            Self::HardwareAttested => "hardware-attested",
            Self::Verifiable => "verifiable",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a tool runs (ERC-8257 §5, *Execution Tiers*). A value that is not known counts as standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Execution {
    /// On conventional servers: the operator may see everything.
    Standard,
    /// In a trusted execution environment.
    Tee,
    /// End-to-end encrypted into a trusted execution environment.
    E2ee,
}

impl Execution {
    /// The execution environment of that name; `None` for one that the standard does not define, which
    /// for trust decisions is [`Execution::Standard`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "standard" => Some(Self::Standard),
            "tee" => Some(Self::Tee),
            "e2ee" => Some(Self::E2ee),
            _ => None,
        }
    }

    /// The name in a manifest.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Tee => "tee",
            Self::E2ee => "e2ee",
        }
    }

    /// Whether hardware is claimed to keep the operator out.
    #[must_use]
    pub fn is_isolated(self) -> bool {
        self != Self::Standard
    }
}

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the `verifiability` object of a manifest claims, as far as the tier rules look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// `tier`; `None` when the name is not one of the standard's.
    pub tier: Option<Tier>,
    /// `execution`; `None` when the name is not one of the standard's.
    pub execution: Option<Execution>,
    /// Whether there is an `attestation` object.
    pub attestation: bool,
    /// Whether that object names an `endpoint` to fetch a report from.
    pub attestation_endpoint: bool,
    /// Whether there is a `reproducibleBuild` object.
    pub reproducible_build: bool,
}

/// A way in which a declared tier and the fields beside it contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contradiction {
    /// `verifiable` without `attestation` or without `reproducibleBuild` (rule 8257-5-06).
    VerifiableWithoutProof,
    /// `verifiable` on standard servers; the standard leaves it out of its list (reading V-07).
    VerifiableOnStandard,
    /// `hardware-attested` on standard servers (rule 8257-5-07).
    HardwareOnStandard,
    /// `hardware-attested` without `attestation` (rule 8257-5-08).
    HardwareWithoutAttestation,
    /// `self-attested` in an isolated environment (rule 8257-5-09).
    SelfAttestedInIsolation,
    /// `self-attested` with `attestation` (rule 8257-5-10).
    SelfAttestedWithAttestation,
}

impl Claims {
    /// The execution environment to assume: the claimed one, or standard when it is not known.
    #[must_use]
    pub fn execution_to_assume(&self) -> Execution {
        self.execution.unwrap_or(Execution::Standard)
    }

    /// The highest tier that the structured fields would support (ERC-8257 §5; reading V-07: an
    /// attestation that cannot be fetched supports nothing).
    #[must_use]
    pub fn supported(&self) -> Tier {
        if !self.execution_to_assume().is_isolated() || !self.attestation_endpoint {
            Tier::SelfAttested
        } else if self.reproducible_build {
            Tier::Verifiable
        } else {
            Tier::HardwareAttested
        }
    }

    /// The tier to use for decisions: the lower of the declared and the supported one. An unknown tier
    /// is self-attested.
    #[must_use]
    pub fn effective(&self) -> Tier {
        self.tier
            .unwrap_or(Tier::SelfAttested)
            .min(self.supported())
    }

    /// Every contradiction between the declared tier and the fields, in the order of the standard's list.
    #[must_use]
    pub fn contradictions(&self) -> Vec<Contradiction> {
        use Contradiction as C;
        let isolated = self.execution_to_assume().is_isolated();
        let found = match self.tier {
            None => [None, None],
            Some(Tier::Verifiable) => [
                (!self.attestation || !self.reproducible_build)
                    .then_some(C::VerifiableWithoutProof),
                (!isolated).then_some(C::VerifiableOnStandard),
            ],
            Some(Tier::HardwareAttested) => [
                (!isolated).then_some(C::HardwareOnStandard),
                (!self.attestation).then_some(C::HardwareWithoutAttestation),
            ],
            Some(Tier::SelfAttested) => [
                isolated.then_some(C::SelfAttestedInIsolation),
                self.attestation.then_some(C::SelfAttestedWithAttestation),
            ],
        };
        found.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination that the fields can be in.
    fn all() -> impl Iterator<Item = Claims> {
        let tiers = [
            None,
            Some("self-attested"),
            Some("hardware-attested"),
            Some("verifiable"),
        ];
        let executions = [None, Some("standard"), Some("tee"), Some("e2ee")];
        tiers.into_iter().flat_map(move |tier| {
            executions.into_iter().flat_map(move |execution| {
                (0..8u8)
                    .filter(|bits| bits & 3 != 2)
                    .map(move |bits| Claims {
                        tier: tier.and_then(Tier::named),
                        execution: execution.and_then(Execution::named),
                        attestation: bits & 1 != 0,
                        attestation_endpoint: bits & 2 != 0,
                        reproducible_build: bits & 4 != 0,
                    })
            })
        })
    }

    #[test]
    fn the_effective_tier_is_never_above_the_declared_or_the_supported_one() {
        for claims in all() {
            let declared = claims.tier.unwrap_or(Tier::SelfAttested);
            assert_eq!(
                claims.effective(),
                declared.min(claims.supported()),
                "{claims:?}"
            );
        }
    }

    #[test]
    fn above_self_attested_stands_only_an_isolated_tool_whose_report_can_be_fetched() {
        for claims in all().filter(|claims| claims.effective() > Tier::SelfAttested) {
            assert!(claims.attestation_endpoint, "{claims:?}");
            assert!(
                matches!(claims.execution, Some(Execution::Tee | Execution::E2ee)),
                "{claims:?}"
            );
        }
        assert!(all().any(|claims| claims.effective() == Tier::Verifiable));
    }

    #[test]
    fn a_tier_whose_fields_contradict_it_upwards_is_lowered() {
        for claims in all().filter(|claims| claims.tier > Some(Tier::SelfAttested)) {
            if !claims.contradictions().is_empty() {
                assert!(Some(claims.effective()) < claims.tier, "{claims:?}");
            }
        }
    }

    #[test]
    fn names_are_read_and_printed_alike_and_exactly() {
        for name in ["self-attested", "hardware-attested", "verifiable"] {
            assert_eq!(Tier::named(name).map(Tier::as_str), Some(name));
        }
        for name in ["standard", "tee", "e2ee"] {
            assert_eq!(Execution::named(name).map(Execution::as_str), Some(name));
        }
        assert_eq!(Tier::named("gold"), None);
        assert_eq!(Tier::named("Verifiable"), None);
        assert_eq!(Execution::named("TEE"), None);
    }
}
