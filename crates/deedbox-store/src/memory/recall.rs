//! Recalling: from a question in words to the memories that help with it, the same in every backend.
//!
//! A question is no list of words that all have to be there, so one that fits is enough. With a million memories, though, some word of
//! nearly every question is in a large part of them. So the words are told apart by how many of the newest memories have them, and what is
//! looked up goes from what says most to what says least: memories with all words; with two of the rarest; with a rare one; with any,
//! the newest first. Each look-up is bounded, and so are the candidates; [`rank`](super::rank) then puts them in order.

use std::collections::BTreeSet;

use async_trait::async_trait;
use deedbox_core::{
    Memory, MemoryId, MemoryKind, MemoryState, MemoryText, SpaceId, Timestamp,
    hash::RequestHash,
    text::{MemoryPath, MemoryTag},
};

use super::rank::{self, Reasons};
use crate::{
    StoreError,
    index::text::{Sought, document_words},
};

/// How many memories are looked at closely for one question.
pub(super) const CANDIDATES: usize = 256;
/// How many words of a question are looked up, the longest.
const TERMS: usize = 24;
/// How many of the newest rows say how common a word is.
pub(super) const SAMPLE: u32 = 2_048;
/// How many of a question's rarest words are combined.
const RARE: usize = 4;
/// How many levels of a path are looked up.
const LEVELS: usize = 16;

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    /// In these spaces, and in no others.
    pub spaces: Vec<SpaceId>,
    /// In words, in any language.
    pub question: String,
    /// Only these kinds; any when there are none.
    pub kinds: BTreeSet<MemoryKind>,
    /// Only at this path, or below it.
    pub path: Option<MemoryPath>,
    /// Only with all of these tags.
    pub tags: Vec<MemoryTag>,
    /// Also what has expired.
    pub expired: bool,
    /// How many at most.
    pub limit: usize,
    /// How many tokens their contents may have together, as [`rank::tokens`] estimates them.
    pub token_budget: Option<usize>,
}

/// What helps with a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// Best first, each with why.
    pub found: Vec<(Memory, Reasons)>,
    /// How many fitted the question and not the token budget.
    pub over_budget: usize,
}

/// A memory that may help, as far as it takes to rank it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What its deeds add up to.
    pub state: MemoryState,
    /// Its text; content that is longer than [`Candidate::EXCERPT`] is cut there, for ranking only.
    pub text: MemoryText,
}

impl Candidate {
    /// Characters of a content that are ranked.
    pub const EXCERPT: u32 = 8_192;
}

/// What to look up: rows of any of these spaces, with all of these words, and all words of one of these groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Words for spaces, of which a row has one.
    pub spaces: Vec<String>,
    /// Words that a row has to have.
    pub all: Vec<String>,
    /// Groups of words, of which a row has to have one; never empty, and no group is.
    pub groups: Vec<Vec<String>>,
}

/// What a backend does for [`run`].
#[async_trait]
pub trait Probe: Send {
    /// Of each word, how many of the newest rows have it, and how many rows these are: at most `newest`.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn frequencies(
        &mut self,
        words: &[String],
        newest: u32,
    ) -> Result<(Vec<u32>, u32), StoreError>;

    /// The numbers of rows that fit, the newest first, at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn look_up(&mut self, wanted: &Wanted, limit: u32) -> Result<Vec<i64>, StoreError>;

    /// The rows with these numbers, in any order.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn candidates(&mut self, rows: &[i64]) -> Result<Vec<Candidate>, StoreError>;

    /// These memories, whole, in any order.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn whole(&mut self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError>;
}

/// A word that no text has, because it has a colon, for something that is looked up as a whole.
fn reserved(letter: char, of: &str) -> String {
    let hash = RequestHash::of(of.as_bytes());
    format!("{letter}:{}", data_encoding::HEXLOWER.encode(&hash.0[..8]))
}

/// Every word under which a memory is found, in their order. No word has a space in it.
#[must_use]
pub fn document(state: &MemoryState, text: &MemoryText) -> Vec<String> {
    let mut words = vec![
        reserved('s', state.space.as_str()),
        format!("k:{}", state.about.kind),
    ];
    let mut each = |word| words.push(word);
    document_words(text.content.as_str(), &mut each);
    if let Some(key) = &text.key {
        document_words(key.as_str(), &mut each);
    }
    for tag in text.tags.iter() {
        document_words(tag.as_str(), &mut each);
        each(reserved('t', tag.as_str()));
    }
    if let Some(path) = &text.path {
        let path = path.as_str();
        document_words(path, &mut each);
        let ends = path.match_indices('/').map(|(at, _)| at);
        for end in ends.chain([path.len()]).take(LEVELS) {
            each(reserved('p', path.get(..end).unwrap_or_default()));
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// The path after the last one below `path`, in byte order: the character after `/`.
#[must_use]
pub fn path_end(path: &MemoryPath) -> String {
    format!("{path}0")
}

fn is_below(of: Option<&MemoryPath>, path: &MemoryPath) -> bool {
    let rest = of.and_then(|of| of.as_str().strip_prefix(path.as_str()));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Recall {
    /// The words that every answer has.
    fn required(&self) -> Vec<String> {
        let path = self.path.as_ref().filter(|path| {
            // Deeper ones are not looked up; each candidate is asked.
            path.as_str().matches('/').count() < LEVELS
        });
        let path = path.map(|path| reserved('p', path.as_str()));
        let tags = self.tags.iter().map(|tag| reserved('t', tag.as_str()));
        path.into_iter().chain(tags).collect()
    }

    /// Groups of words of which an answer has to have one, each with each of the kinds that are wanted.
    fn of_kinds(&self, groups: Vec<Vec<String>>) -> Vec<Vec<String>> {
        if self.kinds.is_empty() {
            return groups;
        }
        let with_each = |group: Vec<String>| {
            let with = move |kind: &MemoryKind| {
                let mut group = group.clone();
                group.push(format!("k:{kind}"));
                group
            };
            self.kinds.iter().map(with)
        };
        groups.into_iter().flat_map(with_each).collect()
    }

    fn wants(&self, candidate: &Candidate, now: Timestamp) -> bool {
        let (state, text) = (&candidate.state, &candidate.text);
        self.spaces.contains(&state.space)
            && (self.expired || !state.has_expired(now))
            && (self.kinds.is_empty() || self.kinds.contains(&state.about.kind))
            && self.tags.iter().all(|tag| text.tags.contains(tag))
            && (self.path.as_ref()).is_none_or(|path| is_below(text.path.as_ref(), path))
    }
}

/// Answers a question with what a backend can look up.
///
/// # Errors
/// [`StoreError`] when the database could not be asked.
pub async fn run(
    probe: &mut dyn Probe,
    recall: &Recall,
    now: Timestamp,
) -> Result<Recalled, StoreError> {
    let sought = Sought::read(&recall.question);
    let mut words = sought.words.clone();
    words.sort_by_key(|word| (std::cmp::Reverse(word.chars().count()), word.clone()));
    words.truncate(TERMS);
    if words.is_empty() || recall.spaces.is_empty() {
        return Ok(Recalled::default());
    }
    let (counts, of) = probe.frequencies(&words, SAMPLE).await?;
    let mut terms: Vec<(String, u32)> = words.into_iter().zip(counts).collect();
    terms.sort_by_key(|(_, count)| *count);
    let rows = look_up(probe, recall, &terms).await?;
    let candidates = probe.candidates(&rows).await?;
    let candidates = candidates.into_iter().filter(|one| recall.wants(one, now));
    let terms = rank::Terms::new(terms, of, sought.runs);
    let mut ranked = rank::rank(candidates.collect(), &terms, now);
    // Twice what is wanted: some may be over the budget.
    ranked.truncate(recall.limit.saturating_mul(2));
    let ids: Vec<MemoryId> = ranked.iter().map(|(one, _)| one.state.id).collect();
    let mut whole = probe.whole(&ids).await?;
    let mut found = Vec::with_capacity(ranked.len());
    for (candidate, reasons) in ranked {
        // One that was deleted in between is not shown.
        let at = whole
            .iter()
            .position(|one| one.state.id == candidate.state.id);
        if let Some(at) = at {
            found.push((whole.swap_remove(at), reasons));
        }
    }
    Ok(rank::within(found, recall.limit, recall.token_budget))
}

/// The numbers of the rows to look at, from what says most to what says least. `terms` are ordered so, too.
async fn look_up(
    probe: &mut dyn Probe,
    recall: &Recall,
    terms: &[(String, u32)],
) -> Result<Vec<i64>, StoreError> {
    let all = recall.required();
    let spaces: Vec<String> = recall
        .spaces
        .iter()
        .map(|space| reserved('s', space.as_str()))
        .collect();
    let mut rows: Vec<i64> = Vec::new();
    for (groups, limit) in rounds(terms) {
        let room = CANDIDATES.saturating_sub(rows.len());
        let limit = limit.min(u32::try_from(room).unwrap_or(0));
        if limit == 0 {
            break;
        }
        let wanted = Wanted {
            spaces: spaces.clone(),
            all: all.clone(),
            groups: recall.of_kinds(groups),
        };
        for row in probe.look_up(&wanted, limit).await? {
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// Which groups of words to look up, and how many rows of each round to take at most.
fn rounds(terms: &[(String, u32)]) -> Vec<(Vec<Vec<String>>, u32)> {
    let word = |(word, _): &(String, u32)| word.clone();
    let alone = |terms: &[(String, u32)]| terms.iter().map(|term| vec![word(term)]).collect();
    let every: Vec<String> = terms.iter().map(word).collect();
    let rare = terms.get(..RARE.min(terms.len())).unwrap_or_default();
    if terms.len() == 1 {
        return vec![(alone(terms), 256)];
    }
    let mut rounds = vec![(vec![every], 64)];
    if terms.len() > 2 {
        let pairs = rare.iter().enumerate().flat_map(|(i, one)| {
            let later = rare.iter().skip(i + 1);
            later.map(move |other| vec![word(one), word(other)])
        });
        rounds.push((pairs.collect(), 96));
    }
    rounds.push((alone(rare.get(..1).unwrap_or_default()), 64));
    rounds.push((alone(rare), 96));
    if terms.len() > RARE {
        rounds.push((alone(terms), 64));
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(words: &[&str]) -> Vec<(String, u32)> {
        words.iter().map(|word| ((*word).to_owned(), 1)).collect()
    }

    #[test]
    fn what_says_most_is_looked_up_first_and_no_round_is_empty() {
        for n in 1..8 {
            let names: Vec<String> = (0..n).map(|i| format!("w{i}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let rounds = rounds(&terms(&names));
            assert_eq!(rounds[0].0[0].len(), n, "all words first");
            let groups = rounds.iter().flat_map(|(groups, _)| groups);
            assert!(groups.clone().all(|group| !group.is_empty()));
            assert!(
                rounds
                    .iter()
                    .all(|(groups, limit)| !groups.is_empty() && *limit > 0)
            );
        }
        let three = rounds(&terms(&["a", "b", "c"]));
        let pairs =
            [["a", "b"], ["a", "c"], ["b", "c"]].map(|pair| pair.map(str::to_owned).to_vec());
        assert_eq!(three[1].0, pairs);
    }

    #[test]
    fn a_path_has_what_is_below_it_and_nothing_beside_it() {
        let path = |text: &str| text.parse::<MemoryPath>().unwrap();
        for (of, below, expected) in [
            ("a/b", "a", true),
            ("a/b", "a/b", true),
            ("a/bc", "a/b", false),
            ("a", "a/b", false),
        ] {
            assert_eq!(
                is_below(Some(&path(of)), &path(below)),
                expected,
                "{of} {below}"
            );
            let (from, to) = (format!("{below}/"), path_end(&path(below)));
            let ranged = of == below || (of >= from.as_str() && of < to.as_str());
            assert_eq!(ranged, expected, "{of} {below}");
        }
        assert!(!is_below(None, &path("a")));
    }
}
