//! In which order memories answer a question, and why. Pure functions.
//!
//! The words count most: each by how rare it is and how often a memory has it, as BM25 weighs them (k₁ 1.2, b 0.75), and by half of its rarity
//! again when a path, a tag or the key has it. A long piece of a language without spaces counts again when it is there as it was written.
//! That sum is multiplied by what is known beside the words: what was said lately counts up to a quarter more, halved every thirty days;
//! what was decided or is wanted counts a tenth more than a note, a fact and an open to-do a twentieth more, and what is done less.

use std::{cmp::Ordering, collections::HashMap};

use deedbox_core::{
    Memory, MemoryKind, MemoryState, Timestamp,
    text::{MemoryKey, MemoryPath},
};

use super::recall::{Candidate, Recalled};
use crate::index::text::{document_words, folded};

/// Milliseconds in which recency halves.
const HALF_LIFE: f64 = 30.0 * 24.0 * 3_600_000.0;
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Why a memory answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Reasons {
    /// How well it does: greater is better. Comparable within one answer only.
    pub score: f64,
    /// Which words of the question are in its content.
    pub words: Vec<String>,
    /// Which are in its path.
    pub in_path: Vec<String>,
    /// Which are in its tags.
    pub in_tags: Vec<String>,
    /// Which are in its key.
    pub in_key: Vec<String>,
    /// By how much its age multiplies: 1 to 1.25.
    pub recency: f64,
    /// By how much its kind does: 0.8 to 1.1.
    pub kind: f64,
}

/// The words of a question, and how much each says.
#[derive(Clone, Debug)]
pub struct Terms {
    words: HashMap<String, f64>,
    runs: Vec<String>,
}

impl Terms {
    /// Words, each with how many of `of` memories have it, and pieces that are looked for as they are.
    #[must_use]
    pub fn new(words: Vec<(String, u32)>, of: u32, runs: Vec<String>) -> Self {
        let weight = |count: u32| {
            let (count, of) = (f64::from(count), f64::from(of.max(count)));
            (1.0 + (of - count + 0.5) / (count + 0.5)).ln()
        };
        let words = words.into_iter().map(|(word, count)| (word, weight(count)));
        Self {
            words: words.collect(),
            runs,
        }
    }
}

/// What was found of the question in a text.
#[derive(Default)]
struct Counted {
    counts: HashMap<String, u32>,
    length: u32,
}

fn count(terms: &Terms, text: &str) -> Counted {
    let mut counted = Counted::default();
    document_words(text, |word| {
        counted.length = counted.length.saturating_add(1);
        if terms.words.contains_key(&word) {
            *counted.counts.entry(word).or_default() += 1;
        }
    });
    counted
}

impl Counted {
    fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.counts.keys().cloned().collect();
        words.sort_unstable();
        words
    }
}

/// Puts candidates in order, best first; among equals the one that changed last. Those in which no word is found are left out.
#[must_use]
pub fn rank(
    candidates: Vec<Candidate>,
    terms: &Terms,
    now: Timestamp,
) -> Vec<(Candidate, Reasons)> {
    let counted = candidates.into_iter().map(|one| {
        let content = count(terms, one.text.content.as_str());
        (one, content)
    });
    let counted: Vec<(Candidate, Counted)> = counted.collect();
    let lengths: f64 = counted.iter().map(|(_, one)| f64::from(one.length)).sum();
    let number = u32::try_from(counted.len()).unwrap_or(u32::MAX).max(1);
    let average = (lengths / f64::from(number)).max(1.0);
    let mut ranked: Vec<(Candidate, Reasons)> = counted
        .into_iter()
        .map(|(one, content)| {
            let reasons = reasons(&one, &content, terms, average, now);
            (one, reasons)
        })
        .filter(|(_, reasons)| reasons.score > 0.0)
        .collect();
    ranked.sort_by(|(one, a), (other, b)| {
        let best = b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal);
        let latest = |one: &Candidate| (one.state.updated_at, one.state.id);
        best.then_with(|| latest(other).cmp(&latest(one)))
    });
    ranked
}

fn reasons(
    one: &Candidate,
    content: &Counted,
    terms: &Terms,
    average: f64,
    now: Timestamp,
) -> Reasons {
    let weight = |word: &String| terms.words.get(word).copied().unwrap_or(0.0);
    let longer = 1.0 - B + B * f64::from(content.length) / average;
    let in_content: f64 = content
        .counts
        .iter()
        .map(|(word, count)| {
            let count = f64::from(*count);
            weight(word) * count * (K1 + 1.0) / (count + K1 * longer)
        })
        .sum();
    let text = &one.text;
    let named = |text: Option<&str>| {
        text.map(|text| count(terms, text).words())
            .unwrap_or_default()
    };
    let in_path = named(text.path.as_ref().map(MemoryPath::as_str));
    let in_key = named(text.key.as_ref().map(MemoryKey::as_str));
    let mut in_tags: Vec<String> = text
        .tags
        .iter()
        .flat_map(|tag| count(terms, tag.as_str()).words())
        .collect();
    in_tags.sort_unstable();
    in_tags.dedup();
    let names = in_path.iter().chain(&in_key).chain(&in_tags);
    let in_names: f64 = names.map(|word| weight(word) / 2.0).sum();
    let as_written = if terms.runs.is_empty() {
        0.0
    } else {
        let folded = folded(text.content.as_str());
        let there = terms
            .runs
            .iter()
            .filter(|run| folded.contains(run.as_str()));
        f64::from(u32::try_from(there.count()).unwrap_or(u32::MAX))
    };
    let (recency, kind) = (recency(&one.state, now), kind(&one.state));
    Reasons {
        score: (in_content + in_names + as_written) * recency * kind,
        words: content.words(),
        in_path,
        in_tags,
        in_key,
        recency,
        kind,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a span in milliseconds is far below 2^53"
)]
fn recency(state: &MemoryState, now: Timestamp) -> f64 {
    let age = now.as_millis() - state.updated_at.as_millis();
    1.0 + 0.25 * (-(age.max(0) as f64) / HALF_LIFE).exp2()
}

fn kind(state: &MemoryState) -> f64 {
    match state.about.kind {
        MemoryKind::Decision | MemoryKind::Preference => 1.1,
        MemoryKind::Todo if state.about.todo_done => 0.8,
        MemoryKind::Fact | MemoryKind::Todo => 1.05,
        MemoryKind::Note => 1.0,
    }
}

/// How many tokens a text has for a language model, estimated without one: a quarter of its ASCII characters, and one for each other
/// character. That is close for English and for Chinese, Japanese and Korean, and too many for accented letters.
#[must_use]
pub fn tokens(text: &str) -> usize {
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    let ascii = text.bytes().filter(u8::is_ascii).count();
    others + ascii.div_ceil(4)
}

/// As many of what was found as are wanted and fit the budget, in their order. One that does not fit is left out, and shorter ones behind
/// it are not.
#[must_use]
pub fn within(ranked: Vec<(Memory, Reasons)>, limit: usize, budget: Option<usize>) -> Recalled {
    let mut recalled = Recalled::default();
    let mut left = budget.unwrap_or(usize::MAX);
    for (memory, reasons) in ranked {
        if recalled.found.len() >= limit {
            break;
        }
        let content = memory
            .text
            .as_ref()
            .map_or("", |text| text.content.as_str());
        match left.checked_sub(tokens(content)) {
            Some(rest) => {
                left = rest;
                recalled.found.push((memory, reasons));
            }
            None => recalled.over_budget += 1,
        }
    }
    recalled
}
