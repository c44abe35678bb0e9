//! What a check of a tool's manifest found (ERC-8257 §7).

use std::time::Duration;

use deedbox_core::{ManifestHash, Timestamp};
use deedbox_id::U256;
use serde::{Deserialize, Serialize};

use super::{Kept, number};

/// What a check of a tool's manifest found. It counts for the URI and the hash that it was made of, and for no others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestCheck {
    /// When.
    pub checked_at: Timestamp,
    /// The URI that was registered then.
    pub metadata_uri: Kept,
    /// The hash that was registered then.
    pub manifest_hash: ManifestHash,
    /// What came of it.
    pub outcome: CheckOutcome,
    /// The hash of the document that was served, if one was: under it the document itself is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<ManifestHash>,
    /// What the manifest says, when it was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ManifestSummary>,
    /// For how many seconds the creator says that it may be relied upon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<u64>,
}

/// A check that nobody asked for is not made again sooner than this, whatever a manifest says.
pub const CHECK_LEAST: Duration = Duration::from_secs(5 * 60);
/// A verified manifest is checked anew after this at the latest (ERC-8257, *Manifest Freshness*).
pub const CHECK_MOST: Duration = Duration::from_secs(24 * 60 * 60);
/// What was not verified is checked anew after this.
pub const CHECK_RETRY: Duration = Duration::from_secs(60 * 60);

impl ManifestCheck {
    /// When it is to be made anew: a verified one when its freshness ends, which is a day or the manifest's `maxAge`, and not before five
    /// minutes are over; another one after an hour. Up to a tenth sooner, so that what was checked together is not due together.
    #[must_use]
    pub fn due(&self) -> Timestamp {
        let after = match self.outcome {
            CheckOutcome::Verified => {
                let own = self.max_age.map_or(CHECK_MOST, Duration::from_secs);
                own.clamp(CHECK_LEAST, CHECK_MOST)
            }
            CheckOutcome::Failed { .. } | CheckOutcome::Unreachable { .. } => CHECK_RETRY,
        };
        let sooner = after / 1_000 * self.thousandths();
        let after = after.saturating_sub(sooner).max(CHECK_LEAST);
        let millis = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
        self.checked_at.plus_millis(millis)
    }

    /// From 0 to 100, evenly: from what was checked, so that both databases and every replica find the same.
    fn thousandths(&self) -> u32 {
        let mut mixed = self.checked_at.as_millis().cast_unsigned();
        for byte in self
            .metadata_uri
            .bytes()
            .iter()
            .chain(&self.manifest_hash.0)
        {
            // FNV-1a.
            mixed = (mixed ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        u32::try_from(mixed % 101).unwrap_or(0)
    }
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CheckOutcome {
    /// All four checks passed.
    Verified,
    /// One of them did not.
    Failed {
        /// Which.
        step: String,
        /// Why.
        reasons: Vec<String>,
    },
    /// The manifest could not be fetched: nothing is known.
    Unreachable {
        /// Why.
        reason: String,
    },
}

impl CheckOutcome {
    /// Whether all four checks passed.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        matches!(self, Self::Verified)
    }
}

/// What of a verified manifest is searched and compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ManifestSummary {
    /// The tool's name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its effective tier, by the standard's name.
    pub tier: Option<String>,
    /// What a call costs. Empty: the manifest says nothing, which is not "free".
    pub prices: Vec<Price>,
}

/// One price of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// The asset, in the manifest's spelling (CAIP-19).
    pub asset: String,
    /// How much, in the asset's smallest unit. Zero is declared free.
    #[serde(with = "number")]
    pub amount: U256,
    /// The protocol of payment.
    pub protocol: String,
    /// On which network, where the manifest says so (CAIP-2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
}

/// A manifest as it was served, kept under its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedManifest {
    /// Keccak-256 of its canonical form.
    pub hash: ManifestHash,
    /// The bytes.
    pub bytes: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(outcome: CheckOutcome, max_age: Option<u64>, uri: &str) -> ManifestCheck {
        ManifestCheck {
            checked_at: Timestamp::from_millis(1_796_000_000_000).unwrap(),
            metadata_uri: Kept::new(uri.as_bytes().to_vec()),
            manifest_hash: ManifestHash([1; 32]),
            outcome,
            served: None,
            manifest: None,
            max_age,
        }
    }

    /// Seconds from the check to when it is due.
    fn after(check: &ManifestCheck) -> i64 {
        (check.due().as_millis() - check.checked_at.as_millis()) / 1_000
    }

    #[test]
    fn a_check_is_due_within_a_day_sooner_by_max_age_and_never_within_five_minutes() {
        let failed = || CheckOutcome::Failed {
            step: "hash".to_owned(),
            reasons: vec![],
        };
        for (outcome, max_age, least, most) in [
            (CheckOutcome::Verified, None, 77_760, 86_400),
            (CheckOutcome::Verified, Some(999_999), 77_760, 86_400),
            (CheckOutcome::Verified, Some(1_000), 900, 1_000),
            (CheckOutcome::Verified, Some(0), 300, 300),
            (failed(), Some(1), 3_240, 3_600),
        ] {
            for tool in 0..100 {
                let after = after(&check(
                    outcome.clone(),
                    max_age,
                    &format!("https://a/{tool}"),
                ));
                assert!(
                    (least..=most).contains(&after),
                    "{outcome:?} {max_age:?}: {after}"
                );
            }
        }
    }

    #[test]
    fn what_was_checked_together_is_not_due_together() {
        let due = (0..100).map(|tool| {
            after(&check(
                CheckOutcome::Verified,
                None,
                &format!("https://a/{tool}"),
            ))
        });
        let different: std::collections::BTreeSet<_> = due.collect();
        assert!(different.len() > 40, "{}", different.len());
    }
}
