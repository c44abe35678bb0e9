//! What is remembered, as a text beside its deed, and what binds the two.

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization as _;
use uuid::Uuid;

use crate::{
    MemoryId, SpaceId, World,
    hash::{ContentDigest, TextCommitment},
    limits,
    text::{MemoryContent, MemoryKey, MemoryPath, MemoryTag},
};

/// Tags, each once, in their byte order. At most [`limits::MEMORY_TAGS`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryTags(BTreeSet<MemoryTag>);

/// Why tags were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("are {found}, at most {} are accepted", limits::MEMORY_TAGS)]
pub struct TooManyTags {
    /// How many there are.
    pub found: usize,
}

impl MemoryTags {
    /// These tags, each once.
    ///
    /// # Errors
    /// [`TooManyTags`] when there are more than [`limits::MEMORY_TAGS`].
    pub fn new(tags: impl IntoIterator<Item = MemoryTag>) -> Result<Self, TooManyTags> {
        let tags: BTreeSet<MemoryTag> = tags.into_iter().collect();
        let found = tags.len();
        if found > limits::MEMORY_TAGS {
            return Err(TooManyTags { found });
        }
        Ok(Self(tags))
    }

    /// Those of both.
    ///
    /// # Errors
    /// As [`MemoryTags::new`].
    pub fn and(&self, others: &Self) -> Result<Self, TooManyTags> {
        Self::new(self.iter().chain(others.iter()).cloned())
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &MemoryTag> {
        self.0.iter()
    }

    /// Whether this tag is among them.
    #[must_use]
    pub fn contains(&self, tag: &MemoryTag) -> bool {
        self.0.contains(tag)
    }
}

/// What is remembered, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryText {
    /// The note itself.
    pub content: MemoryContent,
    /// Where it belongs.
    pub path: Option<MemoryPath>,
    /// Under which words it is filed.
    pub tags: MemoryTags,
    /// What it is about, for whoever will say it anew.
    pub key: Option<MemoryKey>,
}

impl MemoryText {
    /// The RFC 8785 canonical form: what a commitment covers, and whose bytes are counted.
    #[must_use]
    pub fn canonical(&self) -> String {
        // Infallible: texts and lists of texts under text keys.
        serde_json_canonicalizer::to_string(self).unwrap_or_default()
    }

    /// By what equal contents are recognised: SHA-256 over `deedbox/memory-content/v1`, a zero byte, and the content in Unicode normal
    /// form C without surrounding white space. It says whether a guess is right, so it goes when the text goes.
    #[must_use]
    pub fn digest(&self) -> ContentDigest {
        let mut sha = Sha256::new_with_prefix(b"deedbox/memory-content/v1\0");
        let content = self.content.as_str().trim();
        if content.is_ascii() {
            sha.update(content);
        } else {
            sha.update(content.nfc().collect::<String>().trim());
        }
        ContentDigest(sha.finalize().into())
    }
}

/// 32 random bytes, so that nobody can tell from a commitment whether a guess at its text is right once the text is gone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt(pub [u8; 32]);

impl Salt {
    /// A new one.
    #[must_use]
    pub fn random(world: &dyn World) -> Self {
        let mut salt = [0; 32];
        world.fill(&mut salt);
        Self(salt)
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(…)")
    }
}

/// A text with its salt: what stands beside a deed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedText {
    /// The text.
    pub text: MemoryText,
    /// Its salt.
    pub salt: Salt,
    committed: Committed,
}

/// What a deed says of the text beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Committed {
    /// SHA-256 over `deedbox/memory-text/v1`, a zero byte, the salt, and the text in RFC 8785 canonical form.
    pub commitment: TextCommitment,
    /// How many bytes the canonical form has.
    pub bytes: u64,
}

impl SealedText {
    /// Binds a text to its salt.
    #[must_use]
    pub fn new(text: MemoryText, salt: Salt) -> Self {
        let canonical = text.canonical();
        let mut sha = Sha256::new_with_prefix(b"deedbox/memory-text/v1\0");
        sha.update(salt.0);
        sha.update(&canonical);
        let committed = Committed {
            commitment: TextCommitment(sha.finalize().into()),
            bytes: canonical.len() as u64,
        };
        Self {
            text,
            salt,
            committed,
        }
    }

    /// What its deed says of it.
    #[must_use]
    pub const fn committed(&self) -> Committed {
        self.committed
    }
}

impl MemoryId {
    /// The memory of `key` in `space`: a UUID version 8 (RFC 9562 §5.8) made of SHA-256 over `deedbox/memory-key/v1`, a zero byte, the
    /// length of the space's id in bytes as a big-endian 64-bit number, the id, and the key in Unicode normal form C without surrounding
    /// white space.
    ///
    /// So whoever says something anew needs not look for what was said before, and two who do so at once meet in one stream. The id
    /// outlives the text: a key is a name, and no place for a secret.
    #[must_use]
    pub fn of_key(space: &SpaceId, key: &MemoryKey) -> Self {
        let mut sha = Sha256::new_with_prefix(b"deedbox/memory-key/v1\0");
        sha.update((space.as_str().len() as u64).to_be_bytes());
        sha.update(space.as_str());
        sha.update(key.as_str().nfc().collect::<String>().trim());
        let hash: [u8; 32] = sha.finalize().into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// Whether it has the form of one that [`MemoryId::of_key`] made: no other memory may have it.
    #[must_use]
    pub fn is_of_a_key(self) -> bool {
        self.0.get_version_num() == 8
    }
}

impl From<Uuid> for MemoryId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> MemoryText {
        MemoryText {
            content: content.parse().unwrap(),
            path: None,
            tags: MemoryTags::default(),
            key: None,
        }
    }

    #[test]
    fn a_commitment_covers_the_salt_and_every_word() {
        let full = MemoryText {
            content: "We use PostgreSQL 17.".parse().unwrap(),
            path: Some("deedbox/db".parse().unwrap()),
            tags: MemoryTags::new(["ü", "db"].map(|tag| tag.parse().unwrap())).unwrap(),
            key: Some("database".parse().unwrap()),
        };
        let canonical = r#"{"content":"We use PostgreSQL 17.","key":"database","path":"deedbox/db","tags":["db","ü"]}"#;
        assert_eq!(full.canonical(), canonical);
        let sealed = SealedText::new(full.clone(), Salt([7; 32]));
        // Computed with Python's hashlib.
        assert_eq!(
            sealed.committed().commitment.to_string(),
            "sha256:d8db80fd8bbe60d776ad2f8679af615746da097b4b8802e9661c6a9b2fc2ab53"
        );
        assert_eq!(sealed.committed().bytes, 91);
        let other = MemoryText { path: None, ..full };
        assert_ne!(
            SealedText::new(other.clone(), Salt([7; 32])).committed(),
            sealed.committed()
        );
        assert_ne!(
            SealedText::new(other.clone(), Salt([8; 32])).committed(),
            SealedText::new(other, Salt([7; 32])).committed()
        );
    }

    #[test]
    fn contents_are_the_same_in_any_normal_form_and_with_space_around() {
        let digest = |content| text(content).digest();
        assert_eq!(digest("caf\u{e9}"), digest(" cafe\u{301}\n"));
        assert_ne!(digest("café"), digest("Café"));
        assert_ne!(digest("a b"), digest("a  b"));
    }

    #[test]
    fn a_key_names_one_memory_of_one_space() {
        let id = |space: &str, key: &str| {
            MemoryId::of_key(&SpaceId::new(space).unwrap(), &key.parse().unwrap())
        };
        // Computed with Python's hashlib and uuid.
        assert_eq!(
            id("team", "database").to_string(),
            "1bb9cbef-5bb9-8a2b-8f87-f8b04c9a34db"
        );
        assert_eq!(id("team", "caf\u{e9}"), id("team", " cafe\u{301} "));
        assert_ne!(id("team", "database"), id("tea", "mdatabase"));
        assert_ne!(id("team", "database"), id("team", "Database"));
        assert!(id("team", "database").is_of_a_key());
        assert!(!MemoryId(Uuid::nil()).is_of_a_key());
    }

    #[test]
    fn tags_are_a_set_of_at_most_thirty_two() {
        let tags = |n: usize| (0..n).map(|i| format!("t{i}").parse().unwrap());
        let most = MemoryTags::new(tags(32).chain(tags(3))).unwrap();
        assert_eq!(most.iter().count(), 32);
        assert_eq!(MemoryTags::new(tags(33)), Err(TooManyTags { found: 33 }));
        let one = MemoryTags::new(["x".parse().unwrap()]).unwrap();
        assert_eq!(most.and(&one), Err(TooManyTags { found: 33 }));
        assert_eq!(one.and(&one).unwrap(), one);
    }
}
