//! `verifiability`: what a tool claims about where it runs and what it keeps (ERC-8257 §5).

use super::{
    extensions::whole_seconds,
    findings::{Findings, Place, Quoted},
    text::{self, HexLength, HexRules},
    urls::{self, UrlRules},
};
use crate::{
    json::Value,
    report::Severity,
    tier::{Claims, Contradiction, Execution, Tier},
    url::HttpsUrl,
};

/// Reports everything that is wrong with `verifiability`, and says what it claims.
pub(super) fn check(root: Value<'_>, findings: &mut Findings) -> Option<Claims> {
    let claimed = text::optional_object(root, "verifiability", "8257-5-01", findings)?;
    let tier = text::required_string(claimed, "tier", "8257-5-01", findings);
    let execution = text::required_string(claimed, "execution", "8257-5-01", findings);
    if let Some(tier) = tier {
        check_tier(tier, findings);
    }
    if let Some(execution) = execution {
        check_execution(execution, findings);
    }
    if let Some(found) = text::optional_string(claimed, "description", "8257-5-02", findings) {
        text::description(
            found,
            "verifiability.description",
            ["8257-5-02"; 2],
            findings,
        );
    }
    check_word(
        claimed,
        "dataRetention",
        &["full", "metadata-only", "ephemeral", "none"],
        "8257-5-15",
        findings,
    );
    check_word(
        claimed,
        "sourceVisibility",
        &["open-source", "audited", "proprietary"],
        "8257-5-17",
        findings,
    );
    let attestation = text::optional_object(claimed, "attestation", "8257-5-21", findings);
    if let Some(attestation) = attestation {
        check_attestation(root, attestation, findings);
    }
    let build = text::optional_object(claimed, "reproducibleBuild", "8257-5-35", findings);
    if let Some(build) = build {
        check_build(build, findings);
    }
    let claims = Claims {
        tier: tier.and_then(|(_, name)| Tier::named(name)),
        execution: execution.and_then(|(_, name)| Execution::named(name)),
        attestation: attestation.is_some(),
        attestation_endpoint: attestation
            .is_some_and(|attestation| attestation.get("endpoint").is_some()),
        reproducible_build: build.is_some(),
    };
    let place = tier.map_or(Place::At(claimed), |(value, _)| Place::At(value));
    check_consistency(claimed, &claims, &place, findings);
    Some(claims)
}

fn check_tier((value, name): (Value<'_>, &str), findings: &mut Findings) {
    if Tier::named(name).is_none() {
        let message = format_args!(
            "tier is {}, which the standard does not define; it counts as self-attested",
            Quoted(name)
        );
        findings.warn(
            "8257-5-37",
            &Place::At(value),
            message,
            "Write self-attested, hardware-attested or verifiable.",
        );
    }
}

fn check_execution((value, name): (Value<'_>, &str), findings: &mut Findings) {
    if Execution::named(name).is_some() {
        return;
    }
    let label = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let place = Place::At(value);
    if name.contains('.') && name.split('.').all(label) {
        let message = format_args!(
            "execution {} is a vendor's own; most readers take it for standard",
            Quoted(name)
        );
        findings.note("8257-5-14", &place, message, "Nothing has to be done.");
    } else {
        let message = format_args!(
            "execution is {}, which the standard does not define; it counts as standard",
            Quoted(name)
        );
        let fix = "Write standard, tee or e2ee, or a vendor's value as a reversed domain name.";
        findings.warn("8257-5-14", &place, message, fix);
    }
}

/// A field with a fixed set of words. Another word is not forbidden, but says nothing to anybody.
fn check_word(
    object: Value<'_>,
    name: &'static str,
    words: &[&str],
    rule: &'static str,
    findings: &mut Findings,
) {
    if let Some((value, word)) = text::optional_string(object, name, rule, findings)
        && !words.contains(&word)
    {
        let message = format_args!(
            "{name} is {}, which the standard does not define",
            Quoted(word)
        );
        findings.warn(
            rule,
            &Place::At(value),
            message,
            format!("Write one of: {}.", words.join(", ")),
        );
    }
}

const HTTPS: UrlRules = UrlRules {
    https: "8257-5-22",
    normalised: ("8257-6-17", Severity::Warning),
};

fn check_attestation(root: Value<'_>, attestation: Value<'_>, findings: &mut Findings) {
    text::required_string(attestation, "type", "8257-5-21", findings);
    if let Some(found) = text::optional_string(attestation, "endpoint", "8257-5-22", findings) {
        urls::https(found, "attestation.endpoint", HTTPS, findings);
    }
    if let Some(found) = text::optional_string(attestation, "enclaveHash", "8257-5-24", findings) {
        const RULES: HexRules = HexRules {
            grammar: "8257-5-24",
            case: "8257-2c-14",
        };
        text::hex(found, "enclaveHash", HexLength::AtLeastOne, RULES, findings);
    }
    if let Some(value) = attestation.get("maxAge") {
        check_max_age(value, findings);
    }
    if let Some(found) =
        text::optional_string(attestation, "transparencyLogURI", "8257-5-28", findings)
    {
        let rules = UrlRules {
            https: "8257-5-28",
            ..HTTPS
        };
        let log = urls::https(found, "transparencyLogURI", rules, findings);
        let endpoint = root.get("endpoint").and_then(Value::as_str);
        let endpoint = endpoint.and_then(|text| HttpsUrl::read(text).origin());
        if log.is_some()
            && log.map(|origin| origin.host().to_owned())
                == endpoint.map(|origin| origin.host().to_owned())
        {
            findings.warn(
                "8257-5-29",
                &Place::At(found.0),
                format_args!(
                    "the transparency log is on the tool's own host, and then proves nothing"
                ),
                "Use a log that an independent third party runs.",
            );
        }
    }
}

/// Seconds. A negative number is an integer, but no age; the standard does not say what to make of it.
fn check_max_age(value: Value<'_>, findings: &mut Findings) {
    let number = value.as_f64();
    let place = Place::At(value);
    if number.is_none_or(|number| number.fract() != 0.0) {
        let message = format_args!("attestation.maxAge is not a whole number");
        findings.refuse(
            "8257-5-38",
            &place,
            message,
            "Write a whole number of seconds.",
        );
    } else if whole_seconds(value).is_none() {
        let message = format_args!("attestation.maxAge is not a number of seconds");
        findings.warn(
            "8257-5-38",
            &place,
            message,
            "Write a number of seconds, 0 or more.",
        );
    }
}

fn check_build(build: Value<'_>, findings: &mut Findings) {
    if let Some(found) = text::required_string(build, "sourceCodeURI", "8257-5-35", findings) {
        let rules = UrlRules {
            https: "8257-5-35",
            ..HTTPS
        };
        urls::https(found, "sourceCodeURI", rules, findings);
    }
    text::optional_string(build, "buildInstructions", "8257-5-35", findings);
    if let Some(found) = text::optional_string(build, "buildHash", "8257-5-36", findings) {
        const RULES: HexRules = HexRules {
            grammar: "8257-5-36",
            case: "8257-2c-14",
        };
        text::hex(found, "buildHash", HexLength::AtLeastOne, RULES, findings);
    }
}

/// Contradictions lower the effective tier and are flagged; they are no reason to refuse (reading V-08).
fn check_consistency(
    claimed: Value<'_>,
    claims: &Claims,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let lower = "Lower the tier, or add what it promises.";
    for contradiction in claims.contradictions() {
        let (rule, message, fix) = match contradiction {
            Contradiction::VerifiableWithoutProof => (
                "8257-5-06",
                "tier is verifiable, but attestation or reproducibleBuild is missing",
                lower,
            ),
            Contradiction::VerifiableOnStandard => (
                "8257-V-07",
                "tier is verifiable, but execution is not isolated",
                lower,
            ),
            Contradiction::HardwareOnStandard => (
                "8257-5-07",
                "tier is hardware-attested, but execution is not isolated",
                lower,
            ),
            Contradiction::HardwareWithoutAttestation => (
                "8257-5-08",
                "tier is hardware-attested, but attestation is missing",
                lower,
            ),
            Contradiction::SelfAttestedInIsolation => (
                "8257-5-09",
                "tier is self-attested, but execution claims hardware isolation",
                "Raise the tier if it can be proven, or write execution standard.",
            ),
            Contradiction::SelfAttestedWithAttestation => (
                "8257-5-10",
                "tier is self-attested, but there is an attestation",
                "Raise the tier if it can be proven, or leave the attestation out.",
            ),
        };
        findings.warn(rule, place, format_args!("{message}"), fix);
    }
    advise(claimed, claims, findings);
}

/// What the standard recommends (rules 5-18, 5-19) and what it leaves open (reading V-07).
fn advise(claimed: Value<'_>, claims: &Claims, findings: &mut Findings) {
    let isolated = claims.execution_to_assume().is_isolated();
    if isolated && !claims.attestation {
        let message = format_args!("a tool in an isolated environment should offer an attestation");
        findings.note(
            "8257-5-18",
            &Place::Missing(claimed, "attestation"),
            message,
            "Add attestation.",
        );
    }
    if claims.reproducible_build && claims.tier == Some(Tier::SelfAttested) {
        let message = format_args!(
            "a reproducible build does not raise a tool above self-attested by itself"
        );
        let place = Place::Missing(claimed, "reproducibleBuild");
        findings.note("8257-V-07", &place, message, "Nothing has to be done.");
    }
    let Some(attestation) = claimed.get("attestation") else {
        return;
    };
    let place = Place::At(attestation);
    if claims.attestation && claims.execution == Some(Execution::Standard) {
        let message = format_args!("readers ignore the attestation of a tool on standard servers");
        findings.note("8257-5-19", &place, message, "Leave attestation out.");
    }
    if claims.attestation
        && isolated
        && !claims.attestation_endpoint
        && claims.tier > Some(Tier::SelfAttested)
    {
        let message = format_args!(
            "attestation has no endpoint to fetch a report from, so the effective tier is self-attested"
        );
        findings.note("8257-V-07", &place, message, "Add attestation.endpoint.");
    }
}
