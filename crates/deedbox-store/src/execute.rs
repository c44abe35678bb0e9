//! One command on its way through a backend's transaction.

use std::{fmt, str::FromStr};

use deedbox_core::{
    Attribution, Command, Deed, Needs, Projection, Refusal, Space, State, Stream, Timestamp,
    decide, hash::RequestHash, limits,
};

use crate::StoreError;

/// A command, with all that a backend needs to carry it out.
#[derive(Clone, Debug)]
pub struct Execute {
    /// What is asked.
    pub command: Command,
    /// By whom.
    pub attribution: Attribution,
    /// How a repeat is recognised, if the caller wants that.
    pub idempotency: Option<Idempotency>,
}

/// A deed that is durable, or why there is none.
///
/// `replayed` deeds were kept by an earlier request with the same idempotency key.
pub type Outcome = Result<Kept, Refusal>;

/// A deed that is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The deed.
    pub deed: Deed,
    /// Whether an earlier request with the same idempotency key did it.
    pub replayed: bool,
}

/// How a repeat of a request is recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// What the caller calls this request. Belongs to its credential: two callers never meet.
    pub key: IdempotencyKey,
    /// What the request says. The same key with another hash is a conflict.
    pub request: RequestHash,
}

/// A caller's name for one request: 1 to [`limits::IDEMPOTENCY_KEY_CHARS`] visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

/// Why a text is not an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be 1 to {} visible ASCII characters",
    limits::IDEMPOTENCY_KEY_CHARS
)]
pub struct NotAnIdempotencyKey;

impl IdempotencyKey {
    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for IdempotencyKey {
    type Err = NotAnIdempotencyKey;
    fn from_str(text: &str) -> Result<Self, NotAnIdempotencyKey> {
        let fits = (1..=limits::IDEMPOTENCY_KEY_CHARS).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
            .ok_or(NotAnIdempotencyKey)
    }
}

/// What a backend has to write, in the transaction in which it loaded the state.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The deeds, in order, all of one stream.
    pub deeds: Vec<Deed>,
    /// The stream's state after them.
    pub projection: Projection,
}

impl Execute {
    /// What has to be loaded before [`Execute::decide`].
    #[must_use]
    pub fn needs(&self) -> Needs {
        self.command.needs()
    }

    /// Asks the rules. `state` is what [`Execute::needs`] named, read in the transaction that will write.
    ///
    /// # Errors
    /// The outer error is a failure (a deed that its own state cannot take: never expected); the inner is
    /// the protocol's refusal.
    pub fn decide(
        &self,
        mut state: State,
        now: Timestamp,
    ) -> Result<Result<Decided, Refusal>, StoreError> {
        let deeds = match decide(&state, self.command.clone(), &self.attribution, now) {
            Ok(deeds) => deeds,
            Err(refusal) => return Ok(Err(refusal)),
        };
        // What is remembered may be taken up by another memory than the command's.
        let stream = deeds.first().map(|deed| deed.stream.clone());
        let mut projection = match stream.unwrap_or_else(|| self.command.stream()) {
            Stream::Task(_) => state
                .task
                .take()
                .map(|task| Projection::Task(Box::new(task))),
            Stream::Key(_) => state
                .key
                .take()
                .map(|(key, head)| Projection::Key(key, head)),
            Stream::Publication(_) => state
                .publication
                .take()
                .map(|publication| Projection::Publication(Box::new(publication))),
            Stream::Registry(_) => state
                .registry
                .take()
                .map(|registry| Projection::Registry(Box::new(registry))),
            Stream::Memory(id) => [state.memory.take(), state.twin.take()]
                .into_iter()
                .flatten()
                .find(|memory| memory.state.id == id)
                .map(|memory| Projection::Memory(Box::new(memory.state))),
            Stream::Space(_) => match state.space.take() {
                Some(Space::Team(team)) => Some(Projection::Space(team)),
                Some(Space::Personal(_)) | None => None,
            },
            Stream::Actor(_) | Stream::Evidence(_) => None,
        };
        for deed in &deeds {
            let after = Projection::apply(projection, deed)
                .map_err(|broken| StoreError::unreadable("deed", &deed.stream, broken))?;
            projection = Some(after);
        }
        projection
            .map(|projection| Ok(Decided { deeds, projection }))
            .ok_or_else(|| StoreError::Unsuitable("a command led to no deed".to_owned()))
    }
}
