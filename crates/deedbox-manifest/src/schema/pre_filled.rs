//! Values that a manifest puts into the arguments of whoever calls the tool (ERC-8257, "Schema `default` and `const`
//! Injection").

use std::ops::Range;

use serde::Serialize;

/// A value in `inputs` that a caller did not choose.
///
/// It is a *hint for display*. Nothing in this crate ever copies it into arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PreFilled {
    /// Where the value stands, as a JSON pointer into the manifest. Empty when the pointers to the values before it
    /// were unreasonably long already; `span` always tells.
    pub pointer: String,
    /// The same in bytes of the source.
    pub span: Range<usize>,
    /// The argument that it fills, like `recipient` or `order.lines[]`; empty for all arguments as a whole. `None`
    /// where that depends on who refers to the schema that it stands in.
    pub argument: Option<String>,
    /// What put it there.
    pub source: Source,
    /// The value as canonical JSON. Empty when it and the values before it make more than a megabyte together; then
    /// [`span`](Self::span) says where it is.
    pub value: String,
    /// What has to happen before the value may be sent.
    pub consent: Consent,
}

/// Which keyword fills in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// `default`: what is used when the caller says nothing.
    Default,
    /// `const`: the only value that is accepted.
    Const,
    /// `enum` with one choice, which is the same as `const` (reading V-11).
    OnlyChoice,
}

/// What has to happen before a pre-filled value may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Consent {
    /// It has to be shown.
    Show,
    /// It has to be shown and confirmed: the tool has a price, or nothing makes plain that it only reads.
    Confirm,
    /// It has to be shown and acknowledged, whatever the tool costs or does.
    Acknowledge,
}

impl Source {
    /// The keyword in the schema.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Const => "const",
            Self::OnlyChoice => "enum",
        }
    }

    pub(super) fn consent(self, confirm: bool) -> Consent {
        match self {
            Self::Const | Self::OnlyChoice => Consent::Acknowledge,
            Self::Default if confirm => Consent::Confirm,
            Self::Default => Consent::Show,
        }
    }
}

/// Words at the beginning of a description that say that a tool only reads.
const READING: &[&str] = &[
    "analyze",
    "analyzes",
    "answer",
    "answers",
    "check",
    "checks",
    "compare",
    "compares",
    "estimate",
    "estimates",
    "explain",
    "explains",
    "fetch",
    "fetches",
    "find",
    "finds",
    "get",
    "gets",
    "list",
    "lists",
    "lookup",
    "query",
    "queries",
    "read",
    "reads",
    "report",
    "reports",
    "retrieve",
    "retrieves",
    "return",
    "returns",
    "search",
    "searches",
    "show",
    "shows",
    "summarize",
    "summarizes",
    "view",
    "views",
];

/// Beginnings of words that say that a tool changes something.
const CHANGING: &[&str] = &[
    "add", "allow", "approv", "authori", "bid", "borrow", "bridg", "burn", "buy", "cancel",
    "change", "claim", "commit", "create", "creat", "delegat", "delet", "deploy", "deposit",
    "drain", "execut", "exchang", "grant", "insert", "invok", "issu", "launch", "lend", "liquidat",
    "mint", "modif", "move", "moving", "order", "own", "pay", "permit", "place", "post", "publish",
    "purchas", "put", "redeem", "register", "remov", "renounc", "repay", "revok", "sell", "send",
    "set", "sign", "spend", "stak", "submit", "supply", "swap", "trade", "trading", "transact",
    "transfer", "unstak", "updat", "upgrad", "vot", "withdraw", "wrap", "write", "writ",
];

/// Whether a description says plainly that the tool only reads: it begins with a word for reading and has no word
/// that could mean a change.
///
/// A stranger wrote the text, so that this can only ever spare a question, never prove anything; in doubt the answer
/// is no, and a text that is not English is in doubt.
#[must_use]
pub fn only_reads(description: &str) -> bool {
    let mut words = description
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase);
    let begins = words
        .next()
        .is_some_and(|word| READING.contains(&word.as_str()));
    begins
        && description.is_ascii()
        && !words.any(|word| CHANGING.iter().any(|change| word.starts_with(change)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_doubted_unless_it_plainly_reads() {
        assert!(only_reads(
            "Returns the estimated floor price for any NFT collection."
        ));
        for doubtful in [
            "",
            "Floor prices.",
            "Transfers tokens.",
            "Returns your tokens by transferring them.",
            "Reads a page; then approves the spender.",
            "Returns tokens (deployment included).",
            "Liefert den Preis.",
            "Returns the price: é",
        ] {
            assert!(!only_reads(doubtful), "{doubtful}");
        }
    }

    #[test]
    fn a_forced_value_is_always_acknowledged() {
        for source in [Source::Const, Source::OnlyChoice] {
            for confirm in [false, true] {
                assert_eq!(source.consent(confirm), Consent::Acknowledge);
            }
        }
        assert_eq!(Source::Default.consent(true), Consent::Confirm);
        assert_eq!(Source::Default.consent(false), Consent::Show);
    }
}
