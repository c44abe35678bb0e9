//! Actors: the people, agents and services that act.

use serde::{Deserialize, Serialize};

use crate::{ActorId, Timestamp, text::Name, words::words};

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

words! {
    ActorKind, NotAnActorKind, "must be human, agent or service" {
        Human = "human",
        Agent = "agent",
        Service = "service",
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
