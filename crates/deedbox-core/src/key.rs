//! API keys: what one looks like, and what is kept of it.
//!
//! A key reads `dbx_<id>_<secret><checksum>`: `id` is 16, `secret` 52 and `checksum` 7 characters of
//! lower-case base32hex (RFC 4648 §7). The secret is 256 random bits. The checksum is CRC-32 over all
//! that stands before it, so that a scanner can tell a real key from a look-alike without asking anyone,
//! and a mistyped key is refused before any look-up. The id is no secret; it names the key in
//! lists and in deeds.

mod scope;

use std::{fmt, str::FromStr};

use data_encoding::BASE32_DNSSEC as BASE32;
use serde::Serialize;
use subtle::ConstantTimeEq;

pub use self::scope::{NotAScope, NotScopes, Scope, Scopes};
use crate::{
    ActorId, AgentLabel, Authority, Principal, PrincipalId, Timestamp, World, hash::SecretHash,
    json::json_text, text::Name,
};

const PREFIX: &str = "dbx_";
const ID_CHARS: usize = 16;
const SECRET_CHARS: usize = 52;
const CHECKSUM_CHARS: usize = 7;

/// The public name of a key: 16 characters of lower-case base32hex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct KeyId(String);

/// Why a text is not a [`KeyId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the 16 characters that `deedbox key list` shows, not the key itself")]
pub struct NotAKeyId;

impl KeyId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for KeyId {
    type Err = NotAKeyId;
    fn from_str(text: &str) -> Result<Self, NotAKeyId> {
        let fits = text.len() == ID_CHARS && BASE32.decode(text.as_bytes()).is_ok();
        let lower = !text.contains(|c: char| c.is_ascii_uppercase());
        (fits && lower)
            .then(|| Self(text.to_owned()))
            .ok_or(NotAKeyId)
    }
}

json_text!(KeyId);

/// Why a credential is not a key of ours. Says nothing of the text itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a Deedbox key: it does not have the form dbx_<id>_<secret>, or its checksum is wrong")]
pub struct NotAKey;

/// A whole key, as its holder has it. Shown once, by [`ApiKey::reveal`]; `Debug` shows only the id.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    id: KeyId,
    text: String,
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey(dbx_{}_…)", self.id)
    }
}

fn checksum(text: &str) -> String {
    BASE32.encode(&crc32fast::hash(text.as_bytes()).to_be_bytes())
}

impl ApiKey {
    /// Makes a key from 336 random bits.
    #[must_use]
    pub fn generate(world: &dyn World) -> Self {
        let (mut id, mut secret) = ([0; 10], [0; 32]);
        world.fill(&mut id);
        world.fill(&mut secret);
        let id = BASE32.encode(&id);
        let mut text = format!("{PREFIX}{id}_{}", BASE32.encode(&secret));
        text.push_str(&checksum(&text));
        Self {
            id: KeyId(id),
            text,
        }
    }

    /// Reads what a caller presents.
    ///
    /// # Errors
    /// [`NotAKey`] when the form or the checksum is wrong.
    pub fn parse(text: &str) -> Result<Self, NotAKey> {
        let rest = text.strip_prefix(PREFIX).ok_or(NotAKey)?;
        let (id, secret) = rest.split_once('_').ok_or(NotAKey)?;
        if !secret.is_ascii() || secret.len() != SECRET_CHARS + CHECKSUM_CHARS {
            return Err(NotAKey);
        }
        let (body, sum) = text.split_at(text.len() - CHECKSUM_CHARS);
        let known = checksum(body) == sum;
        let id = id.parse().map_err(|_| NotAKey)?;
        known
            .then(|| Self {
                id,
                text: text.to_owned(),
            })
            .ok_or(NotAKey)
    }

    /// The public part.
    #[must_use]
    pub const fn id(&self) -> &KeyId {
        &self.id
    }

    /// The whole key, to be shown once to its future holder.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What is stored: SHA-256 over the whole key. No salt and no slow hash: the secret has 256 random bits.
    #[must_use]
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(self.text.as_bytes())
    }
}

/// What is kept of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its public name.
    pub id: KeyId,
    /// SHA-256 over the whole key.
    pub secret_hash: SecretHash,
    /// The only actor it may act as; `None` for an operator key, which may name any.
    pub actor: Option<ActorId>,
    /// What it may be used for.
    pub scopes: Scopes,
    /// What its maker calls it.
    pub label: Option<Name>,
    /// The agent label that it bears witness to; see [`Principal::agent_label`].
    pub agent_label: Option<AgentLabel>,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
    /// When it was taken back.
    pub revoked_at: Option<Timestamp>,
}

/// Why a presented key is refused. Callers are told only that it was; operators see which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefused {
    /// The secret is not the one that was issued under this id.
    #[error("the secret does not belong to this key id")]
    WrongSecret,
    /// Its time is over.
    #[error("the key has expired")]
    Expired,
    /// It was taken back.
    #[error("the key was revoked")]
    Revoked,
}

impl KeyRecord {
    /// Checks a presented key against this record, in time that does not depend on the secret.
    ///
    /// # Errors
    /// [`KeyRefused`] when the secret is another, or the key has expired or was revoked.
    pub fn admit(&self, presented: &ApiKey, now: Timestamp) -> Result<Principal, KeyRefused> {
        let same = self
            .secret_hash
            .as_bytes()
            .ct_eq(presented.hash().as_bytes());
        if !bool::from(same) || self.id != *presented.id() {
            return Err(KeyRefused::WrongSecret);
        }
        if self.revoked_at.is_some() {
            return Err(KeyRefused::Revoked);
        }
        if self.expires_at.is_some_and(|end| end <= now) {
            return Err(KeyRefused::Expired);
        }
        Ok(Principal {
            id: PrincipalId::key(&self.id),
            authority: self
                .actor
                .clone()
                .map_or(Authority::Operator, Authority::Actor),
            scopes: self.scopes.clone(),
            agent_label: self.agent_label.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Fixed(u8);
    impl World for Fixed {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(1_000).unwrap()
        }
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    fn record(key: &ApiKey) -> KeyRecord {
        KeyRecord {
            id: key.id().clone(),
            secret_hash: key.hash(),
            actor: None,
            scopes: Scopes::all(),
            label: None,
            agent_label: None,
            created_at: Fixed(0).now(),
            expires_at: None,
            revoked_at: None,
        }
    }

    #[test]
    fn a_key_has_the_form_that_scanners_look_for() {
        let key = ApiKey::generate(&Fixed(7));
        let text = key.reveal();
        assert_eq!(text.len(), 4 + 16 + 1 + 52 + 7);
        assert!(text.starts_with("dbx_"));
        assert!(
            text[4..]
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        );
        assert_eq!(ApiKey::parse(text), Ok(key));
    }

    #[test]
    fn one_changed_character_fails_the_checksum() {
        let key = ApiKey::generate(&Fixed(7));
        for i in 0..key.reveal().len() {
            let mut bytes = key.reveal().as_bytes().to_vec();
            bytes[i] = if bytes[i] == b'a' { b'b' } else { b'a' };
            assert_eq!(
                ApiKey::parse(std::str::from_utf8(&bytes).unwrap()),
                Err(NotAKey),
                "at {i}"
            );
        }
    }

    #[test]
    fn odd_texts_are_no_keys_and_cause_no_panic() {
        for text in [
            "",
            "dbx_",
            "dbx__",
            "dbx_é_é",
            "Bearer x",
            &"dbx_".repeat(100),
            "dbx_0123456789abcdef_ééééééééééééééééééééééééééééé0",
        ] {
            assert_eq!(ApiKey::parse(text), Err(NotAKey), "{text:?}");
        }
    }

    #[test]
    fn debug_never_shows_the_secret() {
        let key = ApiKey::generate(&Fixed(9));
        assert!(!format!("{key:?}").contains(&key.reveal()[21..]));
    }

    #[test]
    fn a_key_is_refused_when_wrong_expired_or_revoked() {
        let (key, now) = (ApiKey::generate(&Fixed(1)), Fixed(0).now());
        let good = record(&key);
        assert!(good.admit(&key, now).is_ok());
        let other = KeyRecord {
            secret_hash: SecretHash::of(b"another"),
            ..good.clone()
        };
        assert_eq!(other.admit(&key, now), Err(KeyRefused::WrongSecret));
        let expired = KeyRecord {
            expires_at: Some(now),
            ..good.clone()
        };
        assert_eq!(expired.admit(&key, now), Err(KeyRefused::Expired));
        let later = KeyRecord {
            expires_at: Some(now.plus_millis(1)),
            ..good.clone()
        };
        assert!(later.admit(&key, now).is_ok());
        let revoked = KeyRecord {
            revoked_at: Some(now),
            ..good
        };
        assert_eq!(revoked.admit(&key, now), Err(KeyRefused::Revoked));
    }
}
