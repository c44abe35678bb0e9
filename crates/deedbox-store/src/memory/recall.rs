//! Recalling: from a question in words to the memories that help with it, the same in every backend.
//!
//! A question is no list of words that all have to be there, so one that fits is enough. With a million memories, though, some word of
//! nearly every question is in a large part of them. So the words are told apart by how many of the newest memories have them, and what is
//! looked up goes from what says most to what says least: memories with all words; with two of the rarest; with a rare one; with any,
//! the newest first. Each look-up is bounded, in what it finds and in [how far back it goes](super::sample), and so are the candidates;
//! [`rank`](super::rank) then puts them in order. Of a space with few memories nothing is looked up: all of them are looked at.

use std::collections::BTreeSet;

use async_trait::async_trait;
use deedbox_core::{
    Memory, MemoryId, MemoryKind, MemoryState, MemoryText, SpaceId, Timestamp,
    text::{MemoryPath, MemoryTag},
};

use super::{
    document::{of_kind, of_path, of_tag, prefix},
    everyday,
    rank::{self, Reasons},
    sample::{Document, Sample},
};
use crate::{StoreError, index::text::Sought};

/// How many memories are looked at closely for one question, of large spaces, and of small ones.
pub(super) const CANDIDATES: u32 = 128;
/// How many words of a question are looked up in one space, the longest; in many spaces fewer, but never less than four.
const TERMS: usize = 24;
/// How many of the newest memories say how common a word is, of all spaces together, and of each at least.
pub(super) const SAMPLE: usize = 256;
const SAMPLE_OF_EACH: usize = 32;
/// How many of a question's rarest words are combined.
const RARE: usize = 4;

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

/// What to look up: rows that have all words of one of these groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Groups of words; never empty, and no group is.
    pub groups: Vec<Vec<String>>,
    /// Only rows with greater numbers than this one.
    pub above: i64,
    /// How many row numbers are likely to have enough rows.
    pub likely: i64,
}

/// What a backend does for [`run`].
#[async_trait]
pub trait Probe: Send {
    /// The living memories of a space that were remembered last, at most `limit`, in any order.
    ///
    /// # Errors
    /// [`StoreError`] when the database could not be asked.
    async fn newest(&mut self, space: &SpaceId, limit: u32) -> Result<Vec<Document>, StoreError>;

    /// The numbers of rows that fit, the newest first, at most `limit`. Some older than what is wanted may be among them.
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
        // A path that is too deep to be looked up is asked of each candidate.
        let path = self.path.as_ref().and_then(of_path);
        path.into_iter()
            .chain(self.tags.iter().map(of_tag))
            .collect()
    }

    /// Groups of words of which an answer has to have one: each with all words that are required, and with each of the kinds that are wanted.
    fn filtered(&self, groups: &[Vec<String>]) -> Vec<Vec<String>> {
        let required = self.required();
        let kinds: Vec<Option<String>> = match self.kinds.is_empty() {
            true => vec![None],
            false => self.kinds.iter().map(|kind| Some(of_kind(*kind))).collect(),
        };
        let with = |group: &Vec<String>| {
            let group = [group.as_slice(), &required].concat();
            let kinds = kinds.iter();
            let each = move |kind: &Option<String>| group.iter().chain(kind).cloned().collect();
            kinds.map(each).collect::<Vec<Vec<String>>>()
        };
        groups.iter().flat_map(with).collect()
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
    let mut words = everyday::without(sought.words.clone());
    words.sort_by_key(|word| (std::cmp::Reverse(word.chars().count()), word.clone()));
    words.truncate((TERMS * 2 / recall.spaces.len().max(2)).max(RARE));
    if words.is_empty() || recall.spaces.is_empty() {
        return Ok(Recalled::default());
    }
    let (sample, large) = sample(probe, recall, &words).await?;
    words.sort_by_key(|word| sample.count(word));
    let rows = look_up(probe, recall, &words, &sample, &large).await?;
    if rows.is_empty() {
        return Ok(Recalled::default());
    }
    let candidates = probe.candidates(&rows).await?;
    let candidates = candidates.into_iter().filter(|one| recall.wants(one, now));
    let counted = words.into_iter().map(|word| {
        let count = sample.count(&word);
        (word, count)
    });
    let terms = rank::Terms::new(counted.collect(), sample.len(), sought.runs);
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

/// The newest memories of the spaces, with what is to be known of these words and of the filters; and what the words of those spaces begin with
/// that have more.
async fn sample(
    probe: &mut dyn Probe,
    recall: &Recall,
    words: &[String],
) -> Result<(Sample, Vec<String>), StoreError> {
    let of_each = (SAMPLE / recall.spaces.len().max(1)).max(SAMPLE_OF_EACH);
    let limit = u32::try_from(of_each).unwrap_or(u32::MAX);
    let (mut whole, mut newest, mut large) = (Vec::new(), Vec::new(), Vec::new());
    for space in &recall.spaces {
        let documents = probe.newest(space, limit).await?;
        if documents.len() < of_each {
            whole.extend(documents);
        } else {
            newest.push(documents);
            large.push(prefix(space));
        }
    }
    let filters = recall.filtered(&[Vec::new()]).into_iter().flatten();
    let asked: Vec<String> = words.iter().cloned().chain(filters).collect();
    Ok((Sample::new(whole, newest, asked.iter()), large))
}

/// The numbers of the rows to look at, from what says most to what says least. `words` are ordered so, too. Rows of small spaces come from the
/// sample, in the same rounds, and those of large ones from the index.
async fn look_up(
    probe: &mut dyn Probe,
    recall: &Recall,
    words: &[String],
    sample: &Sample,
    large: &[String],
) -> Result<Vec<i64>, StoreError> {
    let mut rows = Rows::default();
    for (groups, _) in rounds(words) {
        rows.add(sample.rows(&recall.filtered(&groups)));
    }
    let small = rows.finish();
    if large.is_empty() {
        return Ok(small);
    }
    let wanted = |groups: &[Vec<String>], limit: u32| {
        let groups = recall.filtered(groups);
        let (above, likely) = (sample.depth(&groups), sample.likely(&groups, limit));
        let of_space = |prefix: &String| {
            let with = |group: &Vec<String>| -> Vec<String> {
                group.iter().map(|word| format!("{prefix}{word}")).collect()
            };
            groups.iter().map(with).collect::<Vec<_>>()
        };
        Wanted {
            groups: large.iter().flat_map(of_space).collect(),
            above,
            likely,
        }
    };
    if !recall.required().is_empty() {
        // What is at a path, or has a tag, is often so little that its words need not be looked up: with them, a look-up does not go farther
        // back.
        let filters = wanted(&[Vec::new()], CANDIDATES);
        let found = probe.look_up(&filters, CANDIDATES).await?;
        if found.len() < CANDIDATES as usize {
            return Ok([small, found].concat());
        }
    }
    let mut rows = Rows::default();
    for (groups, limit) in rounds(words) {
        let limit = limit.min(rows.room());
        if limit == 0 {
            break;
        }
        rows.add(probe.look_up(&wanted(&groups, limit), limit).await?);
    }
    Ok([small, rows.finish()].concat())
}

/// Rows in the order in which they were found, each once.
#[derive(Default)]
struct Rows {
    rows: Vec<i64>,
    seen: BTreeSet<i64>,
}

impl Rows {
    fn add(&mut self, rows: Vec<i64>) {
        let seen = &mut self.seen;
        self.rows
            .extend(rows.into_iter().filter(|row| seen.insert(*row)));
    }

    /// How many more are looked at.
    fn room(&self) -> u32 {
        CANDIDATES.saturating_sub(u32::try_from(self.rows.len()).unwrap_or(CANDIDATES))
    }

    fn finish(mut self) -> Vec<i64> {
        self.rows.truncate(CANDIDATES as usize);
        self.rows
    }
}

/// Which groups of words to look up, and how many rows of each round to take at most. A round takes the newest rows of any of its groups, so that
/// a rare word must not stand in one with common words only.
fn rounds(words: &[String]) -> Vec<(Vec<Vec<String>>, u32)> {
    let alone = |words: &[String]| words.iter().map(|word| vec![word.clone()]).collect();
    let rare = words.get(..RARE.min(words.len())).unwrap_or_default();
    if words.len() == 1 {
        return vec![(alone(words), CANDIDATES)];
    }
    let mut rounds = vec![(vec![words.to_vec()], 32)];
    if words.len() > 2 {
        // One of the rarest two, with any of the others.
        let pairs = rare.iter().enumerate().take(2).flat_map(|(i, one)| {
            let later = rare.iter().skip(i + 1);
            later.map(move |other| vec![one.clone(), other.clone()])
        });
        rounds.push((pairs.collect(), 32));
    }
    for word in rare.chunks(1).take(2) {
        rounds.push((alone(word), 24));
    }
    rounds.push((alone(rare), 32));
    if words.len() > RARE {
        rounds.push((alone(words), 24));
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
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
