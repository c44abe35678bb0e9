//! Actors: the people, agents and services that act.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{ActorId, Timestamp, text::Name};

/// What an actor is. Says nothing about what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A person.
    Human,
    /// A program that decides by itself.
    Agent,
    /// A program that does as it is told: a pipeline, a timer.
    Service,
}

impl ActorKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Human, Self::Agent, Self::Service];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Agent => "agent",
            Self::Service => "service",
        }
    }
}

impl fmt::Display for ActorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is not an [`ActorKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be human, agent or service")]
pub struct NotAnActorKind;

impl FromStr for ActorKind {
    type Err = NotAnActorKind;
    fn from_str(text: &str) -> Result<Self, NotAnActorKind> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or(NotAnActorKind)
    }
}

/// Somebody who can be named as the one who did a deed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    /// Its id, unique and never reused.
    pub id: ActorId,
    /// What it is.
    pub kind: ActorKind,
    /// How it is shown.
    pub name: Name,
    /// When it was added.
    pub created_at: Timestamp,
}
