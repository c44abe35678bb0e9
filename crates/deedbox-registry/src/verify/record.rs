//! What the index keeps of a verification.

use deedbox_store::index::{
    CheckOutcome as Outcome, ENTRY_BYTES, Kept, ManifestCheck, ManifestSummary, Price,
    ServedManifest,
};

use super::{Check, CheckName, ManifestFacts, PriceFact, ToolVerification};
use crate::tool::Registration;

impl ToolVerification {
    /// What the index keeps of it: the check, and the document that was served. None where there is no registration that a check
    /// could be about.
    #[must_use]
    pub fn record(&self) -> Option<(ManifestCheck, Option<ServedManifest>)> {
        let Registration::Registered { config } = &self.registration else {
            return None;
        };
        let hash = self.manifest.as_ref().map(|manifest| manifest.hash);
        let served = hash.zip(self.served.clone());
        let verified = self.manifest.as_ref().filter(|_| self.verified);
        let check = ManifestCheck {
            checked_at: self.freshness.verified_at,
            // As the entry keeps it: otherwise it would count for another.
            metadata_uri: Kept::new(config.uri_bytes.to_vec()).at_most(ENTRY_BYTES),
            manifest_hash: config.manifest_hash,
            outcome: self.outcome(),
            served: hash,
            manifest: verified.map(summary),
            max_age: verified.and_then(|manifest| manifest.max_age),
        };
        let served = served.map(|(hash, bytes)| ServedManifest { hash, bytes });
        Some((check, served))
    }

    fn outcome(&self) -> Outcome {
        let failed = self
            .checks
            .iter()
            .find(|check| Some(check.check) == self.failed);
        match failed {
            Some(check) if check.check == CheckName::Fetch => Outcome::Unreachable {
                reason: reasons(check).join(" "),
            },
            Some(check) => Outcome::Failed {
                step: check.check.as_str().to_owned(),
                reasons: reasons(check),
            },
            None => Outcome::Verified,
        }
    }
}

fn reasons(check: &Check) -> Vec<String> {
    let reasons = check.reasons.iter();
    reasons
        .map(|reason| format!("{}: {}", reason.code, reason.message.text))
        .collect()
}

/// A verified manifest keeps to its limits, so that nothing of these texts was cut.
fn summary(manifest: &ManifestFacts) -> ManifestSummary {
    let text = |text: &Option<deedbox_chain::UntrustedText>| {
        text.as_ref()
            .map(|text| text.text.clone())
            .unwrap_or_default()
    };
    let tags = manifest.tags.iter().map(|tag| tag.text.clone());
    let prices = manifest.pricing.iter().flatten();
    ManifestSummary {
        name: text(&manifest.name),
        description: text(&manifest.description),
        tags: tags.collect(),
        tier: Some(manifest.tier.effective.clone()),
        prices: prices.filter_map(price).collect(),
    }
}

fn price(price: &PriceFact) -> Option<Price> {
    let asset = &price.asset.text;
    Some(Price {
        asset: asset.clone(),
        amount: price.amount.parse().ok()?,
        protocol: price.protocol.text.clone(),
        network: asset.split_once('/').map(|(chain, _)| chain.to_owned()),
    })
}
