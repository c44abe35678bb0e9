//! What the newest memories of the asked spaces say of all of them: how common each word is, and how far back a look-up may go.

use std::collections::{HashMap, HashSet};

use super::document::without_space;

/// The words of a memory, as its backend keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The number of its row. Newer memories have greater ones.
    pub row: i64,
    /// What [`document`](super::document()) made, with a space between each two.
    pub words: String,
}

/// What one look-up may cost, in steps from one row that has a word to the next. A step takes about a tenth of a microsecond.
const STEPS: f64 = 30_000.0;
/// What it costs to leap over rows of a word that fit no other word, in such steps.
const LEAP: f64 = 100.0;

/// The newest memories of some spaces.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// Of spaces that have no others.
    whole: Vec<Document>,
    /// Of each space that has more.
    newest: Vec<Vec<Document>>,
    /// In how many each of the words is that were asked for.
    counts: HashMap<String, u32>,
}

/// The words of a document without their space.
fn words(document: &Document) -> impl Iterator<Item = &str> {
    document.words.split(' ').map(without_space)
}

impl Sample {
    /// `whole` has all memories of some spaces, `newest` only the newest of each of the others. Counts these words.
    pub(super) fn new<'a>(
        mut whole: Vec<Document>,
        mut newest: Vec<Vec<Document>>,
        of: impl Iterator<Item = &'a String>,
    ) -> Self {
        let mut counts: HashMap<String, u32> = of.map(|word| (word.clone(), 0)).collect();
        for document in whole.iter().chain(newest.iter().flatten()) {
            for word in words(document) {
                if let Some(count) = counts.get_mut(word) {
                    *count += 1;
                }
            }
        }
        for documents in newest.iter_mut().chain([&mut whole]) {
            documents.sort_unstable_by_key(|document| std::cmp::Reverse(document.row));
        }
        Self {
            whole,
            newest,
            counts,
        }
    }

    pub(super) fn len(&self) -> u32 {
        let newest: usize = self.newest.iter().map(Vec::len).sum();
        u32::try_from(self.whole.len() + newest).unwrap_or(u32::MAX)
    }

    /// How many of the memories have a word.
    pub(super) fn count(&self, word: &str) -> u32 {
        self.counts.get(word).copied().unwrap_or(0)
    }

    /// The rows of whole spaces that have all words of one of these groups, the newest first.
    pub(super) fn rows(&self, groups: &[Vec<String>]) -> Vec<i64> {
        let fits = |document: &&Document| {
            let words: HashSet<&str> = words(document).collect();
            let all = |group: &Vec<String>| group.iter().all(|word| words.contains(word.as_str()));
            groups.iter().any(all)
        };
        let fitting = self.whole.iter().filter(fits);
        fitting.map(|document| document.row).collect()
    }

    /// The row down to which a look-up of these groups goes, that one not included: zero where it can afford to go through all.
    pub(super) fn depth(&self, groups: &[Vec<String>]) -> i64 {
        let steps: f64 = groups.iter().map(|group| self.steps(group)).sum();
        let first = self.newest.iter().filter_map(|newest| newest.first());
        let newest = first.map(|newest| newest.row).max().unwrap_or(0);
        (newest - self.numbers(STEPS / steps)).max(0)
    }

    /// How many row numbers are likely to have so many rows with all words of one of these groups, when words know nothing of each other.
    pub(super) fn likely(&self, groups: &[Vec<String>], wanted: u32) -> i64 {
        let of_group = |group: &Vec<String>| group.iter().map(|word| self.share(word)).product();
        let share: f64 = groups
            .iter()
            .map(of_group)
            .map(|share: f64| share.min(1.0))
            .sum();
        self.numbers(f64::from(wanted) * 1.25 / share.min(1.0))
    }

    /// How many row numbers have so many rows of the spaces that have more, by how near to each other the newest of each space are.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "an estimate; what does not fit is all there is"
    )]
    fn numbers(&self, rows: f64) -> i64 {
        let density = |newest: &Vec<Document>| {
            let ends = newest.first().zip(newest.last());
            let apart = ends.map_or(1, |(newest, oldest)| newest.row - oldest.row + 1);
            newest.len() as f64 / apart.max(1) as f64
        };
        let density: f64 = self.newest.iter().map(density).sum();
        (rows / density.max(f64::MIN_POSITIVE)) as i64
    }

    /// Which part of the memories has a word. What was not seen is as likely as half of what was seen once.
    fn share(&self, word: &str) -> f64 {
        let (count, of) = (f64::from(self.count(word)), f64::from(self.len()));
        count.max(0.5) / of.max(1.0)
    }

    /// What it costs to find the rows of one space that have all of these words, for each row of the space. The rarest word leads from row
    /// to row; each of the others is followed step by step, or leaps after it, whatever costs less.
    fn steps(&self, group: &[String]) -> f64 {
        let shares = group.iter().map(|word| self.share(word));
        let rarest = shares.clone().fold(1.0, f64::min);
        shares.map(|share| share.min(LEAP * rarest)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(documents: &[(i64, &str)], of: &[&str]) -> Sample {
        let documents = documents.iter().map(|(row, words)| Document {
            row: *row,
            words: (*words).to_owned(),
        });
        let of: Vec<String> = of.iter().map(|word| (*word).to_owned()).collect();
        Sample::new(Vec::new(), vec![documents.collect()], of.iter())
    }

    fn groups(groups: &[&[&str]]) -> Vec<Vec<String>> {
        let owned = |group: &&[&str]| group.iter().map(|word| (*word).to_owned()).collect();
        groups.iter().map(owned).collect()
    }

    #[test]
    fn words_are_counted_without_their_space_and_rows_are_those_of_whole_spaces() {
        let document = |row, words: &str| Document {
            row,
            words: words.to_owned(),
        };
        let whole = vec![
            document(7, "abcde:k:note abcde:owl b10:7"),
            document(9, "fghij:owl fghij:yak b10:9"),
        ];
        let newest = vec![vec![document(8, "klmno:yak klmno:k:fact")]];
        let of = ["owl", "yak", "k:note", "emu"].map(str::to_owned);
        let sample = Sample::new(whole, newest, of.iter());
        let counts = of.map(|word| sample.count(&word));
        assert_eq!((counts, sample.len()), ([2, 2, 1, 0], 3));
        assert_eq!(sample.rows(&groups(&[&["owl"]])), [9, 7]);
        assert_eq!(sample.rows(&groups(&[&["owl", "yak"], &["k:fact"]])), [9]);
    }

    #[test]
    fn a_look_up_goes_as_far_back_as_its_words_are_rare() {
        let rows: Vec<(i64, &str)> = (0..256)
            .map(|n| {
                let words = if n % 2 == 0 {
                    "abcde:ox abcde:yak"
                } else {
                    "abcde:ox"
                };
                (1_000_000 - n, words)
            })
            .collect();
        let sample = sample(&rows, &["ox", "yak", "emu"]);
        let depth = |of: &[&[&str]]| 1_000_000 - sample.depth(&groups(of));
        assert_eq!(depth(&[&["ox"]]), 30_000);
        assert_eq!(depth(&[&["yak"]]), 60_000);
        assert_eq!(depth(&[&["ox", "yak"]]), 20_000);
        assert_eq!(depth(&[&["yak"], &["yak"]]), 30_000, "both are looked for");
        // One row in 512 at most, and a leap for each of them.
        assert_eq!(depth(&[&["emu"]]), 1_000_000);
        assert!((150_000..155_000).contains(&depth(&[&["emu", "ox"]])));
        assert_eq!(Sample::default().depth(&groups(&[&["ox"]])), 0);
        let likely = |of: &[&[&str]]| sample.likely(&groups(of), 64);
        assert_eq!(likely(&[&["ox"]]), 80);
        assert_eq!(likely(&[&["ox", "yak"]]), 160);
        assert_eq!(
            likely(&[&["yak"], &["ox"]]),
            80,
            "no more than all have one"
        );
        assert_eq!(likely(&[&["emu", "yak"]]), 81_920);
    }

    #[test]
    fn a_space_whose_rows_are_far_apart_is_looked_through_as_far_as_any() {
        let rows: Vec<(i64, &str)> = (0..256)
            .map(|n| (10_000_000 - 100 * n, "abcde:ox"))
            .collect();
        let sample = sample(&rows, &["ox"]);
        let depth = 10_000_000 - sample.depth(&groups(&[&["ox"]]));
        assert!((2_900_000..=3_000_000).contains(&depth), "{depth}");
    }

    #[test]
    fn a_small_space_beside_a_large_one_does_not_make_it_look_farther() {
        let rows = |apart: i64| -> Vec<Document> {
            let document = |n| Document {
                row: 1_000_000 - apart * n,
                words: "abcde:ox".to_owned(),
            };
            (0..64).map(document).collect()
        };
        let ox = ["ox".to_owned()];
        let depth = |newest| {
            let sample = Sample::new(Vec::new(), newest, ox.iter());
            1_000_000 - sample.depth(&groups(&[&["ox"]]))
        };
        assert_eq!(depth(vec![rows(1)]), 30_000);
        let both = depth(vec![rows(1), rows(300), rows(300)]);
        assert!((29_000..30_000).contains(&both), "{both}");
    }
}
