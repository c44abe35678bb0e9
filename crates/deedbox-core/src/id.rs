//! Identifiers: one type for each, so that no two can be mistaken for each other.

use std::{fmt, str::FromStr};

use schemars::json_schema;
use serde::Serialize;
use uuid::Uuid;

use crate::{json::json_text, limits};

/// Why a text is not a UUID as this protocol writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a UUID in lower case with hyphens, like 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b")]
pub struct NotAUuid;

/// Reads the one accepted spelling. `Uuid::parse_str` also takes upper case, braces and `urn:uuid:`;
/// OAP does not, because two spellings of one id would be two keys to everyone who compares texts.
fn parse_uuid(text: &str) -> Result<Uuid, NotAUuid> {
    let id = Uuid::parse_str(text).map_err(|_| NotAUuid)?;
    let mut buffer = Uuid::encode_buffer();
    (id.hyphenated().encode_lower(&mut buffer) == text)
        .then_some(id)
        .ok_or(NotAUuid)
}

macro_rules! uuids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = NotAUuid;
            fn from_str(text: &str) -> Result<Self, NotAUuid> {
                parse_uuid(text).map(Self)
            }
        }

        json_text!($name, json_schema!({
            "type": "string",
            "format": "uuid",
            "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
        }));
    )*};
}

uuids! {
    /// A task.
    TaskId
    /// One acceptance of a task.
    AcceptanceId
    /// One completion claim on a task.
    CompletionId
    /// One handoff of a task.
    HandoffId
    /// One recorded reading that a claim can cite as `evidence:<id>`.
    EvidenceId
    /// One publication: a change of a chain, from before it is sent until it is settled.
    PublicationId
    /// One memory: a note, a decision, a to-do that several agents and people share.
    MemoryId
}

impl SpaceId {
    /// An id that is known to be well-formed.
    pub(crate) const fn well_formed(text: String) -> Self {
        Self(text)
    }
}

impl EvidenceId {
    /// The id before this one, in the order of ids: pages that begin behind it begin with this one.
    #[must_use]
    pub fn before(self) -> Option<Self> {
        let before = self.0.as_u128().checked_sub(1)?;
        Some(Self(Uuid::from_u128(before)))
    }
}

/// Makes a type for each kind of id that people choose: ASCII only, so that no two ids look alike.
macro_rules! chosen_ids {
    ($($(#[$doc:meta])* $name:ident, $error:ident, $most:expr)*) => {$(
        #[doc = concat!("Why a text is not a [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        #[error(
            "must be 1 to {} characters: ASCII letters, digits and . _ - : @ / +, starting with a letter or digit",
            $most
        )]
        pub struct $error;

        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes an id as it is.
            ///
            /// # Errors
            #[doc = concat!("[`", stringify!($error), "`] when it has another form.")]
            pub fn new(text: impl Into<String>) -> Result<Self, $error> {
                let text = text.into();
                is_chosen_id(&text, $most).then_some(Self(text)).ok_or($error)
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = $error;
            fn from_str(text: &str) -> Result<Self, $error> {
                Self::new(text)
            }
        }

        json_text!($name, json_schema!({
            "type": "string",
            "minLength": 1,
            "maxLength": $most,
            "pattern": "^[A-Za-z0-9][A-Za-z0-9._:@/+-]*$"
        }));
    )*};
}

fn is_chosen_id(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-:@/+".contains(c))
}

chosen_ids! {
    /// The name by which an actor (a person, an agent, a service) is known in every deed.
    ///
    /// See [`NotAnActorId`] for the form.
    ActorId, NotAnActorId, limits::ACTOR_ID_CHARS
    /// A space of shared memory: `personal:<actor>`, or the name that an operator gave to a team's.
    ///
    /// See [`NotASpaceId`] for the form; what a space is stands in [`crate::space`].
    SpaceId, NotASpaceId, limits::SPACE_ID_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lower_case_hyphenated_uuid_is_read() {
        let good = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";
        assert_eq!(good.parse::<TaskId>().unwrap().to_string(), good);
        for bad in [
            "0198A1C2-7B3D-7E4F-8A9B-0C1D2E3F4A5B",
            "0198a1c27b3d7e4f8a9b0c1d2e3f4a5b",
            "{0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b}",
            "urn:uuid:0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b",
            " 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b",
            "",
        ] {
            assert_eq!(bad.parse::<TaskId>(), Err(NotAUuid), "{bad:?}");
        }
    }

    #[test]
    fn an_actor_id_has_no_look_alikes() {
        for good in ["alice", "codex-1", "eip155:1/0xAb+c", "a@b.c", "7"] {
            assert!(ActorId::new(good).is_ok(), "{good:?}");
        }
        for bad in ["", " alice", "al ice", "аlice", "-a", "a\n", "a\0"] {
            assert_eq!(ActorId::new(bad), Err(NotAnActorId), "{bad:?}");
        }
        assert!(ActorId::new("a".repeat(128)).is_ok());
        assert!(ActorId::new("a".repeat(129)).is_err());
    }
}
