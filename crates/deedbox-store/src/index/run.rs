//! A search, without the database: what to ask it for, and what becomes of the rows that it gives.

use std::{cmp::Reverse, collections::BTreeMap};

use deedbox_id::U256;

use super::{
    Access, AgentEntry, Card, Entry, Found, OfAgents, OfTools, RegistryId, Search, ToolEntry,
    Trust, WindowPlace, document,
    text::{Sought, document_words, folded},
};

/// How many candidates are ranked at once. Newer ones come before older ones from one window to the next.
pub const WINDOW: u32 = 256;
/// How many windows one page looks at, so that a search for what is nearly nowhere ends.
const WINDOWS: u32 = 16;
/// How many words of a text are looked up; what follows them is not searched for.
const WORDS: usize = 32;
/// How many registries can be named in one question to a database. More are told apart when the rows come.
const REGISTRIES: usize = 64;

/// What a database is asked: rows that have all of `all`, one of each of `any`, and none of `none`; where `all` and `any` are empty,
/// those that have `every`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// What every row has that can be found, and each that has a word of `all` or `any`.
    pub every: String,
    /// All of these words.
    pub all: Vec<String>,
    /// One at least of each of these groups.
    pub any: Vec<Vec<String>>,
    /// None of these.
    pub none: Vec<String>,
}

impl Query {
    /// The same for entries of a kind.
    fn of_kind(mut self, kind: char) -> Self {
        let words = self.all.iter_mut().chain(self.any.iter_mut().flatten());
        for word in words.chain(&mut self.none).chain([&mut self.every]) {
            *word = document::of_kind(kind, word);
        }
        self
    }
}

/// What agents and tools differ in when they are searched.
pub trait Only: Sized {
    /// What is found.
    type Entry;
    /// What all words of its documents begin with.
    const KIND: char;
    /// What its documents have to have beside that.
    fn words(&self) -> Vec<String>;
    /// Takes what a row holds; `None` when it is of the other kind.
    fn entry(entry: Entry) -> Option<Self::Entry>;
    /// Whether it really fits.
    fn admits(&self, card: &Card) -> bool;
}

impl Only for OfAgents {
    type Entry = AgentEntry;
    const KIND: char = document::AGENT;

    fn words(&self) -> Vec<String> {
        let kind = self.service_type.as_deref();
        kind.map(document::of_service_type).into_iter().collect()
    }

    fn entry(entry: Entry) -> Option<AgentEntry> {
        match entry {
            Entry::Agent(agent) => Some(agent),
            Entry::Tool(_) => None,
        }
    }

    /// The words say it all.
    fn admits(&self, _: &Card) -> bool {
        true
    }
}

impl Only for OfTools {
    type Entry = ToolEntry;
    const KIND: char = document::TOOL;

    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if !self.unverified {
            words.push(document::VERIFIED.to_owned());
        }
        words.extend(self.tier.as_deref().map(document::of_tier));
        words.extend(self.asset.as_deref().map(document::of_asset));
        words.extend(self.access.map(|access| match access {
            Access::Open => document::OPEN.to_owned(),
            Access::Gated => document::GATED.to_owned(),
        }));
        words
    }

    fn entry(entry: Entry) -> Option<ToolEntry> {
        match entry {
            Entry::Tool(tool) => Some(tool),
            Entry::Agent(_) => None,
        }
    }

    fn admits(&self, card: &Card) -> bool {
        if !self.unverified && !card.verified {
            return false;
        }
        let (Some(asset), Some(most)) = (&self.asset, self.at_most) else {
            return true;
        };
        let mut prices = card.prices.iter();
        prices.any(|price| price.0.eq_ignore_ascii_case(asset) && price.1 <= most)
    }
}

/// Lower is better. Trust before words: to take a trusted agent's name costs nothing.
type Rank = (u8, Match, Reverse<i64>, RegistryId, U256);

/// Where the words that were searched for are. Lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    IsTheName,
    BeginsTheName,
    InTheName,
    InLabels,
    Somewhere,
}

/// A search that is going on. The caller asks it [what it wants](SearchRun::wants), gives it [the cards](SearchRun::take), and so on
/// until it wants nothing more; then it reads the entries that [are shown](SearchRun::shown), and gives it [those](SearchRun::found).
#[derive(Debug)]
pub struct SearchRun<'a, F: Only> {
    search: &'a Search<F>,
    sought: Sought,
    /// The rows to show, best first.
    shown: Vec<i64>,
    ranked: u32,
    windows: u32,
    /// The window to look at next; `None` when there is none.
    place: Option<WindowPlace>,
}

impl<'a, F: Only> SearchRun<'a, F> {
    /// Begins a search.
    #[must_use]
    pub fn new(search: &'a Search<F>) -> Self {
        let mut sought = Sought::read(&search.text);
        sought.words.truncate(WORDS);
        let all = WindowPlace {
            newest: i64::MAX,
            shown: Vec::new(),
        };
        // A text without a single word in it, like "!?", is nowhere.
        let vain = sought.words.is_empty() && !search.text.trim().is_empty();
        Self {
            search,
            sought,
            shown: Vec::new(),
            ranked: 0,
            windows: 0,
            place: (!vain).then(|| search.after.clone().unwrap_or(all)),
        }
    }

    /// The words to look up.
    #[must_use]
    pub fn query(&self) -> Query {
        let search = self.search;
        let mut query = Query {
            every: document::ANY.to_owned(),
            all: self.sought.words.clone(),
            ..Query::default()
        };
        query.all.extend(search.only.words());
        query.all.extend(search.chain_id.map(document::on_chain));
        query.all.extend(search.owner.map(document::of_owner));
        if (1..=REGISTRIES).contains(&search.registries.len()) {
            let registries = search.registries.iter();
            let words = registries.map(|registry| document::in_registry(*registry));
            query.any.push(words.collect());
        }
        query
            .any
            .extend(search.updated_since.map(document::updated_since));
        if !search.gone {
            query.none.push(document::GONE.to_owned());
        }
        if !search.blocked {
            let blocked = search.trust.iter();
            let blocked = blocked.filter(|(_, trust)| **trust == Trust::Blocked);
            let words = blocked.map(|(registry, _)| document::in_registry(*registry));
            query.none.extend(words.take(REGISTRIES));
        }
        query.of_kind(F::KIND)
    }

    /// The number of the newest row that the next window may have; `None` when the search is over. A window is the [`WINDOW`]
    /// newest rows that the query fits, from that one on; fewer only when there are no more.
    #[must_use]
    pub fn wants(&self) -> Option<i64> {
        let wanted = self.windows < WINDOWS && self.shown.len() < self.limit();
        let place = self.place.as_ref().filter(|_| wanted);
        place.map(|place| place.newest)
    }

    fn limit(&self) -> usize {
        usize::try_from(self.search.limit).unwrap_or(usize::MAX)
    }

    /// Takes the cards of the window that was wanted, newest first.
    pub fn take(&mut self, cards: &[(i64, Card)]) {
        let Some(place) = self.place.take() else {
            return;
        };
        self.windows += 1;
        let bounds = cards.first().zip(cards.last());
        let Some((newest, oldest)) = bounds.map(|(first, last)| (first.0, last.0)) else {
            return;
        };
        let is_last = cards.len() < WINDOW as usize;
        let mut shown = place.shown;
        let mut fitting: Vec<(Rank, i64)> = cards
            .iter()
            .filter(|(row, card)| shown.binary_search(row).is_err() && self.fits(card))
            .map(|(row, card)| (self.rank(card), *row))
            .collect();
        fitting.sort_unstable();
        let ranked = u32::try_from(fitting.len()).unwrap_or(u32::MAX);
        self.ranked = self.ranked.saturating_add(ranked);
        let room = self.limit() - self.shown.len();
        let is_whole = fitting.len() <= room;
        let page: Vec<i64> = fitting.into_iter().take(room).map(|(_, row)| row).collect();
        shown.extend(&page);
        shown.sort_unstable();
        self.shown.extend(page);
        // Row numbers begin at 1.
        let ends = is_whole && (is_last || oldest <= 1);
        self.place = (!ends).then(|| match is_whole {
            false => WindowPlace { newest, shown },
            true => {
                // A window that has more rows than it had ends higher up, and what was shown below stays shown.
                shown.retain(|row| *row < oldest);
                WindowPlace {
                    newest: oldest - 1,
                    shown,
                }
            }
        });
    }

    /// The rows whose entries are shown.
    #[must_use]
    pub fn shown(&self) -> &[i64] {
        &self.shown
    }

    /// What was found, with the entries of the rows that are shown, in any order. One that changed since its card was read, and does not fit
    /// any more, is left out, and so is one that is not there any more.
    #[must_use]
    pub fn found(self, entries: impl IntoIterator<Item = (i64, Entry)>) -> Found<F::Entry> {
        let fitting = entries
            .into_iter()
            .filter(|(_, entry)| self.fits(&entry.card()));
        let mut by_row: BTreeMap<i64, Entry> = fitting.collect();
        let entries = self.shown.iter();
        let entries = entries.filter_map(|row| F::entry(by_row.remove(row)?));
        Found {
            entries: entries.collect(),
            ranked: self.ranked,
            next: self.place,
        }
    }

    /// Whether it fits where words do not tell, or tell only in part.
    fn fits(&self, card: &Card) -> bool {
        let (search, registries) = (self.search, &self.search.registries);
        search.only.admits(card)
            && (registries.is_empty() || registries.contains(&card.registry))
            && search
                .chain_id
                .is_none_or(|chain| chain == card.registry.chain_id)
            && search.owner.is_none_or(|owner| card.owner == Some(owner))
            && search
                .updated_since
                .is_none_or(|since| card.changed_since(since))
            && (search.gone || !card.gone)
            && (search.blocked || search.trust.get(&card.registry) != Some(&Trust::Blocked))
            && self.sought.runs.iter().all(|run| card.runs.contains(run))
    }

    fn rank(&self, card: &Card) -> Rank {
        let standing = match self.search.trust.get(&card.registry) {
            Some(Trust::Trusted) => 0,
            Some(Trust::Known) => 1,
            None => 2,
            Some(Trust::Blocked) => 3,
        };
        let matched = matched(&self.sought, card);
        let newest = Reverse(card.updated);
        (standing, matched, newest, card.registry, card.id)
    }
}

fn matched(sought: &Sought, card: &Card) -> Match {
    if sought.words.is_empty() {
        return Match::Somewhere;
    }
    let name = folded(card.name.trim());
    if name == sought.text {
        return Match::IsTheName;
    }
    if name.starts_with(&sought.text) {
        return Match::BeginsTheName;
    }
    let mut missing: Vec<_> = sought.words.iter().collect();
    let mut strike = |text: &str| {
        document_words(text, |word| missing.retain(|one| **one != word));
        missing.is_empty()
    };
    if strike(&card.name) {
        return Match::InTheName;
    }
    match card.labels.iter().any(|label| strike(label)) {
        true => Match::InLabels,
        false => Match::Somewhere,
    }
}
