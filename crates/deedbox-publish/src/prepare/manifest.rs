//! Whether a manifest may be registered: it keeps the standard's rules, it is what its URL serves, and it names the signer.

use alloy_primitives::{Address, B256};
use deedbox_fetch::Fetcher;
use deedbox_manifest::{
    Finding, Report, Verdict, WellKnown,
    author::Template,
    check,
    verify::{Registration, verify},
};
use deedbox_registry::entry::odd_text;
use serde_json::Value;

use super::{Findings, invalid};
use crate::{ManifestSource, PublishError, Step, Teller};

/// What is registered of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Registered {
    pub(super) metadata_uri: String,
    pub(super) manifest_hash: B256,
}

/// Judges a manifest, fetches it from where it is to be registered, and compares (ERC-8257 §7, by the creator before anybody else).
pub(super) async fn registered(
    fetcher: &Fetcher,
    source: &ManifestSource,
    creator: Address,
    findings: &mut Findings,
    teller: &mut dyn Teller,
) -> Result<Registered, PublishError> {
    let metadata_uri = canonical(&source.metadata_uri)?;
    // What can be refused without the network is.
    let local = match &source.local {
        Some(bytes) => Some(judge(bytes, "your copy of the manifest", creator)?),
        None => None,
    };
    let served = fetcher.get(&metadata_uri).await?.body;
    let report = compare(&metadata_uri, &served, local.as_ref(), creator)?;
    for finding in &report.findings {
        findings.warn(format!("manifest: {}", said(finding)));
    }
    for warning in unfinished(&served) {
        findings.warn(format!("manifest: {warning}"));
    }
    let manifest_hash = hash(&report)?;
    teller.tell(&Step::ManifestServed {
        metadata_uri: metadata_uri.clone(),
        manifest_hash,
        bytes: served.len(),
    });
    Ok(Registered {
        metadata_uri,
        manifest_hash,
    })
}

/// What of a manifest its author seems not to have written, or not to see as others do: the template's own values, a host that is only ever an
/// example, and texts that look like others. Nothing of that breaks a rule.
fn unfinished(manifest: &[u8]) -> Vec<String> {
    let template = Template::default().manifest();
    let (Ok(manifest), Ok(template)) = (
        serde_json::from_slice::<Value>(manifest),
        serde_json::from_str::<Value>(&template),
    ) else {
        return Vec::new();
    };
    let members = ["name", "description", "tags", "inputs", "outputs"];
    let left = members
        .into_iter()
        .filter(|member| !template[member].is_null() && manifest[member] == template[member]);
    let left: Vec<_> = left.collect();
    let mut warnings = Vec::new();
    if !left.is_empty() {
        warnings.push(format!(
            "still as tool init writes it: {}; put in your own",
            left.join(", ")
        ));
    }
    let endpoint = manifest["endpoint"].as_str().unwrap_or_default();
    if let Some(host) = host(endpoint).filter(|host| is_for_examples(host)) {
        warnings.push(format!(
            "its endpoint is at {host}, a name for examples and tests (RFC 2606, RFC 6761), where nobody else finds it"
        ));
    }
    let texts = ["name", "description"].map(|member| (member, manifest[member].as_str()));
    warnings.extend(texts.iter().filter_map(|(member, text)| {
        let what = format!("its {member}");
        odd_text(&what, text.unwrap_or_default())
    }));
    warnings
}

/// The host of a URL that the rules let pass: no user information.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split(['/', ':', '?', '#']).next()
}

/// Names that are reserved, and lead nowhere or to this machine.
fn is_for_examples(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let within = |domain: &str| {
        let before = host.strip_suffix(domain);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    [
        "example",
        "test",
        "invalid",
        "localhost",
        "example.com",
        "example.net",
        "example.org",
    ]
    .into_iter()
    .any(within)
}

/// The one spelling of a metadata URI that belongs on chain.
fn canonical(uri: &str) -> Result<String, PublishError> {
    match WellKnown::read(uri) {
        Ok(well_known) => Ok(well_known.to_string()),
        Err(faults) => {
            let faults = faults
                .iter()
                .map(|fault| format!("{fault} ({}). {}", fault.rule(), fault.fix()));
            Err(invalid(faults.collect::<Vec<_>>().join(" ")))
        }
    }
}

/// A finding: where, what, by which rule, and what to do.
fn said(finding: &Finding) -> String {
    let Finding {
        pointer,
        message,
        rule,
        fix,
        ..
    } = finding;
    format!("{pointer}: {message} ({rule}). {fix}")
}

/// A manifest by itself: its rules, and its creator.
fn judge(bytes: &[u8], whose: &str, creator: Address) -> Result<Report, PublishError> {
    let report = check(bytes);
    if report.verdict == Verdict::Refused {
        let refusals = report
            .findings
            .iter()
            .filter(|finding| finding.severity == deedbox_manifest::Severity::Refusal);
        let refusals: Vec<_> = refusals.map(said).collect();
        return Err(PublishError::Manifest(format!(
            "{whose} breaks rules that consumers must refuse it for. {}",
            refusals.join(" ")
        )));
    }
    let named = report.creator.map(|creator| Address::from(creator.0));
    if named != Some(creator) {
        let named = named.map_or_else(|| "nobody".to_owned(), |named| named.to_string());
        return Err(PublishError::Manifest(format!(
            "{whose} names {named} as its creator, and {creator} signs. They have to be the same, or everybody must refuse the tool (ERC-8257 §7)"
        )));
    }
    Ok(report)
}

/// What is served, against the copy and against what will be registered.
fn compare(
    metadata_uri: &str,
    served: &[u8],
    local: Option<&Report>,
    creator: Address,
) -> Result<Report, PublishError> {
    let report = judge(served, "what the URL serves", creator)?;
    if let Some(local) = local
        && local.hash != report.hash
    {
        return Err(PublishError::Manifest(format!(
            "what {metadata_uri} serves is not your copy of the manifest: their hashes are {} and {}. Upload your copy, or leave it out to register what is served",
            shown(&report),
            shown(local)
        )));
    }
    // All four checks of §7, as every consumer will make them.
    let registration = Registration {
        metadata_uri,
        manifest_hash: deedbox_manifest::Hash(hash(&report)?.0),
        creator: deedbox_manifest::Address(creator.0.0),
    };
    let verification = verify(served, &registration);
    match verification.failed() {
        None => Ok(report),
        Some(outcome) => {
            let reasons = outcome.reasons.iter().map(ToString::to_string);
            Err(PublishError::Manifest(format!(
                "what {metadata_uri} serves fails {} of ERC-8257 §7, so every consumer must refuse it: {}",
                outcome.step,
                reasons.collect::<Vec<_>>().join("; ")
            )))
        }
    }
}

fn hash(report: &Report) -> Result<B256, PublishError> {
    let hash = report
        .hash
        .ok_or_else(|| invalid("the manifest cannot be read"))?;
    Ok(B256::from(hash.0))
}

fn shown(report: &Report) -> String {
    report
        .hash
        .map_or_else(|| "none".to_owned(), |hash| hash.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tool_init_wrote_and_nobody_changed_is_told() {
        let example = Template::default().manifest();
        let told = unfinished(example.as_bytes());
        assert_eq!(
            told,
            [
                "still as tool init writes it: name, description, tags, inputs, outputs; put in your own",
                "its endpoint is at tools.example.com, a name for examples and tests (RFC 2606, RFC 6761), where nobody else finds it",
            ]
        );
        let own = r#"{"name": "Weather", "description": "p\u0430ypal", "tags": ["weather"],
            "inputs": {}, "outputs": {}, "endpoint": "https://weather.com/run"}"#;
        let told = unfinished(own.as_bytes());
        assert_eq!(told.len(), 1);
        assert!(
            told[0].starts_with("its description holds letters of scripts"),
            "{told:?}"
        );
        assert_eq!(
            unfinished(own.replace("\\u0430", "a").as_bytes()),
            Vec::<String>::new()
        );
    }

    #[test]
    fn hosts_that_are_only_ever_examples_are_known_by_their_whole_labels() {
        for (url, is_so) in [
            ("https://example.com/run", true),
            ("https://a.example.org:8443/run", true),
            ("https://weather.example", true),
            ("https://localhost:1/run", true),
            ("https://tool.test./x", true),
            ("https://myexample.com/run", false),
            ("https://example.com.evil.io/run", false),
            ("https://latest/run", false),
        ] {
            assert_eq!(host(url).is_some_and(is_for_examples), is_so, "{url}");
        }
    }
}
