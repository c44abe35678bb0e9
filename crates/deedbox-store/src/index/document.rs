//! An entry as a set of words: those of its texts, and one for each thing that it can be filtered by.
//!
//! A filter is a word with a colon, which no text has: to a database it is a list of rows like any other, so a rare filter beside a
//! common word costs little. Every word begins with the [kind] of entry that it is of: that an entry is an agent needs no list of a million
//! rows, through which each search for something rare would have to go.

use std::collections::BTreeSet;

use deedbox_core::{ChainAddress, Timestamp};

use super::{AgentEntry, Card, Entry, RegistryId, ToolEntry, text::document_words};

/// How many words of its texts a document has; those of the name come first.
const WORDS: usize = 512;

/// Days of updates are looked up in blocks of 1, 16, 256 and 4,096 days.
const LEVELS: u32 = 4;
/// Later days count as this one, which is in the year 2149.
const LAST_DAY: i64 = 65_535;

/// Kinds of entries, as words begin with them.
pub(super) const AGENT: char = 'a';
pub(super) const TOOL: char = 't';

/// What every entry has.
pub(super) const ANY: &str = "k:any";
pub(super) const GONE: &str = "g:gone";
pub(super) const VERIFIED: &str = "v:verified";
pub(super) const OPEN: &str = "a:open";
pub(super) const GATED: &str = "a:gated";

/// A word of entries of a kind.
pub(super) fn of_kind(kind: char, word: &str) -> String {
    format!("{kind}{word}")
}

pub(super) fn in_registry(registry: RegistryId) -> String {
    format!("r:{registry}")
}

pub(super) fn on_chain(chain_id: u64) -> String {
    format!("c:{chain_id}")
}

pub(super) fn of_owner(owner: ChainAddress) -> String {
    format!("o:{owner}")
}

pub(super) fn of_service_type(kind: &str) -> String {
    format!("s:{}", plain(kind))
}

pub(super) fn of_tier(tier: &str) -> String {
    format!("t:{}", plain(tier))
}

pub(super) fn of_asset(asset: &str) -> String {
    format!("p:{}", plain(asset))
}

/// A filter's value as part of a word: lower case, at most 96 bytes, nothing in it that would end a word.
fn plain(value: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(value.len());
    for byte in super::text::folded(value).bytes().take(96) {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'/' | b':' => {
                out.push(char::from(byte));
            }
            _ => drop(write!(out, "%{byte:02x}")), // writing to a text does not fail
        }
    }
    out
}

fn day(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(86_400_000).clamp(0, LAST_DAY)
}

fn updated(at: Timestamp) -> impl Iterator<Item = String> {
    let day = day(at);
    (0..LEVELS).map(move |level| format!("u{level}:{}", day >> (4 * level)))
}

/// Words of which every entry that changed on this day or later has at least one, and no entry that changed before.
pub(super) fn updated_since(at: Timestamp) -> Vec<String> {
    let (mut words, mut block) = (Vec::new(), day(at));
    for level in 0..LEVELS - 1 {
        while block % 16 != 0 {
            words.push(format!("u{level}:{block}"));
            block += 1;
        }
        block /= 16;
    }
    let (top, last) = (LEVELS - 1, LAST_DAY >> (4 * (LEVELS - 1)));
    words.extend((block..=last).map(|block| format!("u{top}:{block}")));
    words
}

/// The texts of an entry that searches look into, and the words that it is filtered by.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    pub name: String,
    /// Tags, types of services, and other names.
    pub labels: Vec<String>,
    pub rest: Vec<String>,
    filters: Vec<String>,
}

impl Texts {
    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        [&self.name]
            .into_iter()
            .chain(&self.labels)
            .chain(&self.rest)
    }
}

impl AgentEntry {
    /// The types of its services, each once.
    fn service_types(&self) -> BTreeSet<String> {
        let services = self.services().listed.into_iter();
        services
            .filter_map(|service| Some(service.service_type?.value.lossy().into_owned()))
            .collect()
    }

    pub(super) fn texts(&self) -> Texts {
        let text = |key: &str| self.metadata.get(key).map(|kept| kept.lossy().into_owned());
        let mut labels: Vec<_> = self.service_types().into_iter().collect();
        let kinds = labels.iter().map(|kind| of_service_type(kind));
        let filters = self.owner.map(of_owner).into_iter().chain(kinds).collect();
        labels.extend(text("ens_name"));
        Texts {
            name: text("name").unwrap_or_default(),
            labels,
            rest: text("description").into_iter().collect(),
            filters,
        }
    }
}

impl ToolEntry {
    pub(super) fn texts(&self) -> Texts {
        let mut texts = Texts {
            rest: vec![self.metadata_uri.lossy().into_owned()],
            filters: self.filters(),
            ..Texts::default()
        };
        if let Some(manifest) = self.verified_manifest() {
            texts.name.clone_from(&manifest.name);
            texts.labels.clone_from(&manifest.tags);
            texts.rest.insert(0, manifest.description.clone());
        }
        texts
    }

    fn filters(&self) -> Vec<String> {
        let access = match self.access_predicate {
            None => OPEN,
            Some(_) => GATED,
        };
        let mut words = vec![of_owner(self.creator), access.to_owned()];
        if self.is_verified() {
            words.push(VERIFIED.to_owned());
        }
        if let Some(manifest) = self.verified_manifest() {
            words.extend(manifest.tier.as_deref().map(of_tier));
            words.extend(manifest.prices.iter().map(|price| of_asset(&price.asset)));
        }
        words
    }
}

impl Entry {
    pub(super) fn texts(&self) -> Texts {
        match self {
            Self::Agent(agent) => agent.texts(),
            Self::Tool(tool) => tool.texts(),
        }
    }

    /// The words that a database finds this entry by: those of its filters, and at most 512 of its texts. Each once, apart by spaces.
    #[must_use]
    pub fn document(&self) -> String {
        self.document_of(&self.texts())
    }

    /// What it is found by and what it is ranked by, its [document](Self::document) and its [card](Self::card): to make both takes little more
    /// than to make one.
    #[must_use]
    pub fn document_and_card(&self) -> (String, Card) {
        let texts = self.texts();
        (self.document_of(&texts), self.card_of(texts))
    }

    fn document_of(&self, texts: &Texts) -> String {
        let kind = match self {
            Self::Agent(_) => AGENT,
            Self::Tool(_) => TOOL,
        };
        let mut words = BTreeSet::new();
        for text in texts.all() {
            document_words(text, |word| {
                if words.len() < WORDS {
                    words.insert(word);
                }
            });
        }
        words.extend(texts.filters.iter().cloned());
        words.extend(updated(self.updated().block_timestamp));
        words.insert(ANY.to_owned());
        words.insert(in_registry(self.registry()));
        words.insert(on_chain(self.registry().chain_id));
        if self.is_gone() {
            words.insert(GONE.to_owned());
        }
        let mut document = String::with_capacity(words.iter().map(|word| word.len() + 2).sum());
        for word in &words {
            if !document.is_empty() {
                document.push(' ');
            }
            document.push(kind);
            document.push_str(word);
        }
        document
    }
}
