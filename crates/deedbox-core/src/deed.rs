//! Deeds: what was done, by whom, when, chained by hashes.
//!
//! A deed's hash is SHA-256 over the domain tag `deedbox/deed/v1` and a zero byte, followed by its fields
//! in this order, each as a presence byte (0 or 1) and, when present, its length in bytes as a
//! big-endian 64-bit number and the bytes themselves:
//!
//! 1. stream, 2. version (8 bytes, big-endian), 3. kind, 4. body (RFC 8785 canonical JSON), 5. time
//!    (milliseconds since the Unix epoch, 8 bytes, big-endian two's complement), 6. principal, 7. basis,
//!    8. agent label, 9. instance hash (32 bytes), 10. previous hash (32 bytes; absent at version 1).
//!
//! So a stream cannot be edited, reordered or cut in the middle without every later hash changing.

mod body;
mod stored;

use std::{fmt, str::FromStr, sync::OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    body::Body,
    stored::{BrokenDeed, StoredDeed},
};
pub use crate::hash::DeedHash;
use crate::{
    ActorId, AgentLabel, Attribution, Authority, EvidenceId, InstanceHash, KeyId, MemoryId,
    PrincipalId, PublicationId, RegistryId, SpaceId, TaskId, Timestamp, memory::SealedText,
};

/// What a chain of deeds is about. Prints as `task:<uuid>`, `actor:<id>`, `key:<id>`, `evidence:<uuid>`,
/// `memory:<uuid>`, `publication:<uuid>`, `registry:eip155:<chain>:<0x address>`, `space:<id>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// One actor.
    Actor(ActorId),
    /// One recorded reading.
    Evidence(EvidenceId),
    /// One API key.
    Key(KeyId),
    /// One memory.
    Memory(MemoryId),
    /// One change of a chain.
    Publication(PublicationId),
    /// One registry, as far as somebody decided on it.
    Registry(RegistryId),
    /// One space of a team.
    Space(SpaceId),
    /// One task.
    Task(TaskId),
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Actor(id) => write!(f, "actor:{id}"),
            Self::Evidence(id) => write!(f, "evidence:{id}"),
            Self::Key(id) => write!(f, "key:{id}"),
            Self::Memory(id) => write!(f, "memory:{id}"),
            Self::Publication(id) => write!(f, "publication:{id}"),
            Self::Registry(id) => write!(f, "registry:{id}"),
            Self::Space(id) => write!(f, "space:{id}"),
            Self::Task(id) => write!(f, "task:{id}"),
        }
    }
}

/// Why a text is not a stream's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be task:<uuid>, actor:<id>, key:<id>, evidence:<uuid>, memory:<uuid>, publication:<uuid>, registry:eip155:<chain>:<0x address> or space:<id>"
)]
pub struct NotAStream;

impl FromStr for Stream {
    type Err = NotAStream;
    fn from_str(text: &str) -> Result<Self, NotAStream> {
        let (kind, id) = text.split_once(':').ok_or(NotAStream)?;
        match kind {
            "actor" => id.parse().map(Self::Actor).map_err(|_| NotAStream),
            "evidence" => id.parse().map(Self::Evidence).map_err(|_| NotAStream),
            "key" => id.parse().map(Self::Key).map_err(|_| NotAStream),
            "memory" => id.parse().map(Self::Memory).map_err(|_| NotAStream),
            "publication" => id.parse().map(Self::Publication).map_err(|_| NotAStream),
            "registry" => id.parse().map(Self::Registry).map_err(|_| NotAStream),
            "space" => id.parse().map(Self::Space).map_err(|_| NotAStream),
            "task" => id.parse().map(Self::Task).map_err(|_| NotAStream),
            _ => Err(NotAStream),
        }
    }
}

/// Whether the named actor's own key was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Basis {
    /// An operator's credential named the actor.
    Asserted,
    /// The credential is bound to the actor.
    Authenticated,
}

impl Basis {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asserted => "asserted",
            Self::Authenticated => "authenticated",
        }
    }
}

/// Who did a deed, as far as it is known: the credential, and the labels that the caller gave itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorship {
    /// Which credential.
    pub principal: PrincipalId,
    /// Whether the credential is the actor's own.
    pub basis: Basis,
    /// What the agent calls itself.
    pub agent_label: Option<AgentLabel>,
    /// Which installation it says it is.
    pub instance_hash: Option<InstanceHash>,
}

impl From<&Attribution> for Authorship {
    fn from(from: &Attribution) -> Self {
        Self {
            principal: from.principal.id.clone(),
            basis: match from.principal.authority {
                Authority::Operator => Basis::Asserted,
                Authority::Actor(_) => Basis::Authenticated,
            },
            agent_label: from.agent_label.clone(),
            instance_hash: from.instance,
        }
    }
}

/// The last deed of a stream, as far as the next one needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its version; the stream's number of deeds.
    pub version: u64,
    /// Its hash.
    pub hash: DeedHash,
    /// Its time.
    pub at: Timestamp,
}

/// One deed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// What it is about.
    pub stream: Stream,
    /// Its place in the stream, from 1.
    pub version: u64,
    /// What was done.
    pub body: Body,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: Authorship,
    /// The hash of the deed before it in the stream; none at version 1.
    pub previous: Option<DeedHash>,
    /// Its own hash.
    pub hash: DeedHash,
    /// The fields of `body` in RFC 8785 canonical form, once somebody asked. Kept, because the hash, the size of a
    /// task's history and a database all need it when a deed is made, and making it costs more than all else here.
    canonical: Canonical,
    beside: Beside,
}

/// The text that is to be kept beside a deed that was just decided on. A deed that was read has none, and is the same deed.
#[derive(Clone, Debug, Default)]
struct Beside(Option<Box<SealedText>>);

impl PartialEq for Beside {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Beside {}

/// Says nothing that the body does not say, so that it makes no two deeds different.
#[derive(Clone, Debug, Default)]
struct Canonical(OnceLock<String>);

impl PartialEq for Canonical {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Canonical {}

impl From<String> for Canonical {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl Deed {
    /// Makes the deed that follows `head` in `stream`. Its time is `now`, or the head's time when that
    /// is later: clocks of several replicas may differ, but a stream's times never run backwards.
    #[must_use]
    pub fn seal(
        stream: Stream,
        head: Option<&Head>,
        body: Body,
        by: Authorship,
        now: Timestamp,
    ) -> Self {
        let mut deed = Self {
            stream,
            version: head.map_or(0, |head| head.version) + 1,
            body,
            at: head.map_or(now, |head| head.at.max(now)),
            by,
            previous: head.map(|head| head.hash),
            hash: DeedHash([0; 32]),
            canonical: Canonical::default(),
            beside: Beside::default(),
        };
        let stored = deed.to_stored();
        let canonical = stored.canonical_body();
        deed.hash = stored.hash_over(&canonical);
        deed.canonical = canonical.into();
        deed
    }

    /// The same deed with the text that its body commits to.
    pub(crate) fn beside(self, text: Option<Box<SealedText>>) -> Self {
        Self {
            beside: Beside(text),
            ..self
        }
    }

    /// The text that has to be kept beside it, in the same transaction. None of a deed that was read from a database.
    #[must_use]
    pub fn text(&self) -> Option<&SealedText> {
        self.beside.0.as_deref()
    }

    /// The deed as a database keeps it.
    #[must_use]
    pub fn to_stored(&self) -> StoredDeed {
        let (kind, body) = self.body.to_stored();
        StoredDeed {
            stream: self.stream.to_string(),
            version: i64::try_from(self.version).unwrap_or(i64::MAX),
            kind,
            body,
            at: self.at,
            principal: self.by.principal.to_string(),
            basis: self.by.basis.as_str().to_owned(),
            agent_label: self
                .by
                .agent_label
                .as_ref()
                .map(|label| label.as_str().to_owned()),
            instance_hash: self.by.instance_hash.map(|hash| hash.0.to_vec()),
            previous: self.previous.map(|hash| hash.0.to_vec()),
            hash: self.hash.0.to_vec(),
        }
    }

    /// The fields of the body in RFC 8785 canonical form: what the hash covers, and what counts against
    /// [`limits`](crate::limits).
    #[must_use]
    pub fn canonical_body(&self) -> &str {
        let make = || self.to_stored().canonical_body();
        self.canonical.0.get_or_init(make)
    }

    /// This deed as the head of its stream.
    #[must_use]
    pub const fn head(&self) -> Head {
        Head {
            version: self.version,
            hash: self.hash,
            at: self.at,
        }
    }
}

#[cfg(test)]
mod tests;
