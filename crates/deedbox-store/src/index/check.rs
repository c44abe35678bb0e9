//! What a check of a tool's manifest found (ERC-8257 §7).

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
