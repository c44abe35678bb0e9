//! Whether a manifest may be registered: it keeps the standard's rules, it is what its URL serves, and it names the signer.

use alloy_primitives::{Address, B256};
use deedbox_fetch::Fetcher;
use deedbox_manifest::{
    Finding, Report, Verdict, WellKnown, check,
    verify::{Registration, verify},
};

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
