//! Whether the descriptions of an MCP server's tools say what a model needs to know before it calls them.
//!
//! What is left unsaid, a model fills with a guess. So each description should make six statements ([`Statement`]).
//! Whether it makes one is judged by words: the patterns stand in [`words`], the reasoning in [`judge`]. Every judgement carries
//! what it rests on, the words that were found or what was looked for in vain, so that a reader can disagree with it.
//! It is a reader of English; of another language it says that it cannot judge.
//!
//! [`judge`] is pure. [`listing`] reads a list of tools in the forms in which people have it, [`client`] asks a server for it.

pub(crate) mod client;
pub(crate) mod judge;
pub(crate) mod listing;
mod words;

pub(crate) use judge::{Judged, Verdict, judge};
pub(crate) use listing::Listed;

/// One of the six statements that a tool's description makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// What it answers, and for what.
    Purpose,
    /// Each input, its form, and its default or that it has none.
    Inputs,
    /// Units and precision of what comes back.
    Units,
    /// As of when.
    AsOf,
    /// What it does not do or return, and which tool does.
    Limits,
    /// What failure looks like, how long it takes, how often to call it.
    Failure,
}

impl Statement {
    /// All six, in their order.
    pub(crate) const ALL: [Self; 6] = [
        Self::Purpose,
        Self::Inputs,
        Self::Units,
        Self::AsOf,
        Self::Limits,
        Self::Failure,
    ];

    /// Its name for programs, which never changes.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Purpose => "purpose",
            Self::Inputs => "inputs",
            Self::Units => "units",
            Self::AsOf => "as_of",
            Self::Limits => "limits",
            Self::Failure => "failure",
        }
    }

    /// What it tells a model.
    pub(crate) const fn tells(self) -> &'static str {
        match self {
            Self::Purpose => "what it answers, and for what",
            Self::Inputs => "each input, its form, and its default",
            Self::Units => "units and precision of what comes back",
            Self::AsOf => "as of when",
            Self::Limits => "what it does not do, and which tool does",
            Self::Failure => "what failure looks like, how long it takes, how often to call it",
        }
    }

    /// What to write, for whoever has to.
    pub(crate) const fn advice(self) -> &'static str {
        match self {
            Self::Purpose => {
                "Begin with what it returns or does, and end that sentence with \"for …\" or \"Use it when …\"."
            }
            Self::Inputs => {
                "Describe each input in the schema or the text, and say of each optional one what happens without it."
            }
            Self::Units => {
                "Name the unit of every number and the format of every time or text: bytes, RFC 3339 in UTC, UTF-8."
            }
            Self::AsOf => {
                "Say which moment the answer is of: the time of the call, of the record, or how old a cache may be."
            }
            Self::Limits => {
                "Say \"Does not …\" of what a reader might expect, and name the tool that does it."
            }
            Self::Failure => {
                "Say what an error looks like, whether it takes milliseconds or minutes, and when to call again."
            }
        }
    }
}
