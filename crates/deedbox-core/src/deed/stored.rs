//! Deeds as databases keep them: how one is hashed, read again and found to be broken.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Authorship, Basis, Beside, Canonical, Deed, DeedHash, Head};
use crate::{AgentLabel, PrincipalId, Timestamp};

/// A deed as a database keeps it: every field in the type that both databases have. Only this crate turns
/// one into a [`Deed`] and back.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDeed {
    /// As [`Stream`](super::Stream) prints it.
    pub stream: String,
    /// From 1.
    pub version: i64,
    /// The variant of [`Body`](super::Body).
    pub kind: String,
    /// The fields of [`Body`](super::Body); any JSON that is equal will do.
    pub body: Value,
    /// When.
    pub at: Timestamp,
    /// As [`PrincipalId`] prints it.
    pub principal: String,
    /// As [`Basis`] prints it.
    pub basis: String,
    /// The label, if any.
    pub agent_label: Option<String>,
    /// 32 bytes, if any.
    pub instance_hash: Option<Vec<u8>>,
    /// 32 bytes; none at version 1.
    pub previous: Option<Vec<u8>>,
    /// 32 bytes.
    pub hash: Vec<u8>,
}

/// What is wrong with a stored deed, or with its place in its stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenDeed {
    /// The hash of the row's contents is not the hash that the row carries: something was changed.
    #[error("its contents do not have the hash that it carries")]
    HashDiffers,
    /// The row before it is missing, was replaced or is out of order.
    #[error("it does not follow the deed before it: {0}")]
    ChainBroken(&'static str),
    /// The contents hash right but do not read as a deed: it was written by something else.
    #[error("it does not read as a deed: its {0} is not understood")]
    Unreadable(&'static str),
    /// It reads, but cannot follow the state that the deeds before it add up to.
    #[error("a deed of this kind cannot follow the ones before it")]
    Misapplied,
    /// It reads and follows, but the rules do not allow it at this point, or would have written it otherwise.
    #[error("the rules do not lead to it: {0}")]
    Forbidden(String),
}

impl StoredDeed {
    /// The body in RFC 8785 canonical form.
    #[must_use]
    pub fn canonical_body(&self) -> String {
        // Infallible for a `Value`: its maps have text keys and its numbers are finite.
        serde_json_canonicalizer::to_string(&self.body).unwrap_or_default()
    }

    /// The hash that these contents should carry; see [the module's text](super) for what goes in.
    #[must_use]
    pub fn compute_hash(&self) -> DeedHash {
        self.hash_over(&self.canonical_body())
    }

    pub(super) fn hash_over(&self, canonical: &str) -> DeedHash {
        let mut sha = Sha256::new_with_prefix(b"deedbox/deed/v1\0");
        let mut field = |value: Option<&[u8]>| match value {
            None => sha.update([0]),
            Some(bytes) => {
                sha.update([1]);
                sha.update((bytes.len() as u64).to_be_bytes());
                sha.update(bytes);
            }
        };
        field(Some(self.stream.as_bytes()));
        field(Some(&self.version.to_be_bytes()));
        field(Some(self.kind.as_bytes()));
        field(Some(canonical.as_bytes()));
        field(Some(&self.at.as_millis().to_be_bytes()));
        field(Some(self.principal.as_bytes()));
        field(Some(self.basis.as_bytes()));
        field(self.agent_label.as_deref().map(str::as_bytes));
        field(self.instance_hash.as_deref());
        field(self.previous.as_deref());
        DeedHash(sha.finalize().into())
    }

    /// Reads the row as a deed, without computing its hash again.
    ///
    /// # Errors
    /// [`BrokenDeed::Unreadable`] when a field is not what this program writes.
    pub fn read(self) -> Result<Deed, BrokenDeed> {
        self.read_as(Canonical::default())
    }

    fn read_as(self, canonical: Canonical) -> Result<Deed, BrokenDeed> {
        let unreadable = BrokenDeed::Unreadable;
        let body = serde_json::json!({"kind": self.kind, "body": self.body});
        Ok(Deed {
            stream: self.stream.parse().map_err(|_| unreadable("stream"))?,
            version: u64::try_from(self.version).map_err(|_| unreadable("version"))?,
            body: serde_json::from_value(body).map_err(|_| unreadable("body"))?,
            at: self.at,
            by: Authorship {
                principal: PrincipalId::from_stored(self.principal),
                basis: match self.basis.as_str() {
                    "asserted" => Basis::Asserted,
                    "authenticated" => Basis::Authenticated,
                    _ => return Err(unreadable("basis")),
                },
                agent_label: match self.agent_label {
                    Some(text) => {
                        Some(AgentLabel::new(&text).map_err(|_| unreadable("agent label"))?)
                    }
                    None => None,
                },
                instance_hash: match self.instance_hash {
                    Some(b) => Some(
                        b.as_slice()
                            .try_into()
                            .map_err(|_| unreadable("instance hash"))?,
                    ),
                    None => None,
                },
            },
            previous: match self.previous {
                Some(b) => Some(
                    b.as_slice()
                        .try_into()
                        .map_err(|_| unreadable("previous hash"))?,
                ),
                None => None,
            },
            hash: self
                .hash
                .as_slice()
                .try_into()
                .map_err(|_| unreadable("hash"))?,
            canonical,
            beside: Beside::default(),
        })
    }

    /// Checks the row's own hash and that it follows `before`, then reads it.
    ///
    /// # Errors
    /// [`BrokenDeed`] says the first thing that is wrong.
    pub fn verify(self, before: Option<&Head>) -> Result<Deed, BrokenDeed> {
        let canonical = self.canonical_body();
        if self.hash_over(&canonical).as_bytes().as_slice() != self.hash.as_slice() {
            return Err(BrokenDeed::HashDiffers);
        }
        let deed = self.read_as(canonical.into())?;
        if deed.version != before.map_or(0, |head| head.version) + 1 {
            return Err(BrokenDeed::ChainBroken("a version is missing or doubled"));
        }
        if deed.previous != before.map(|head| head.hash) {
            return Err(BrokenDeed::ChainBroken("it names another predecessor"));
        }
        if before.is_some_and(|head| head.at > deed.at) {
            return Err(BrokenDeed::ChainBroken("it is older than its predecessor"));
        }
        Ok(deed)
    }
}
