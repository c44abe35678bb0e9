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
const STEPS: f64 = 40_000.0;
/// What it costs to leap over rows of a word that fit no other word, in such steps.
const LEAP: f64 = 100.0;

/// The newest memories of some spaces.
#[derive(Debug, Default)]
pub(super) struct Sample {
    documents: Vec<Document>,
    /// Whether there are no others.
    is_all: bool,
    /// In how many each of the words is that were asked for.
    counts: HashMap<String, u32>,
}

/// The words of a document without their space.
fn words(document: &Document) -> impl Iterator<Item = &str> {
    document.words.split(' ').map(without_space)
}

impl Sample {
    /// `is_all`: whether there are no other memories. Counts these words.
    pub(super) fn new<'a>(
        mut documents: Vec<Document>,
        is_all: bool,
        of: impl Iterator<Item = &'a String>,
    ) -> Self {
        documents.sort_unstable_by_key(|document| std::cmp::Reverse(document.row));
        let mut counts: HashMap<String, u32> = of.map(|word| (word.clone(), 0)).collect();
        for document in &documents {
            for word in words(document) {
                if let Some(count) = counts.get_mut(word) {
                    *count += 1;
                }
            }
        }
        Self {
            documents,
            is_all,
            counts,
        }
    }

    pub(super) const fn is_all(&self) -> bool {
        self.is_all
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.documents.len()).unwrap_or(u32::MAX)
    }

    /// How many of the memories have a word.
    pub(super) fn count(&self, word: &str) -> u32 {
        self.counts.get(word).copied().unwrap_or(0)
    }

    /// The rows that have all words of one of these groups, the newest first.
    pub(super) fn rows(&self, groups: &[Vec<String>]) -> Vec<i64> {
        let fits = |document: &&Document| {
            let words: HashSet<&str> = words(document).collect();
            let all = |group: &Vec<String>| group.iter().all(|word| words.contains(word.as_str()));
            groups.iter().any(all)
        };
        let fitting = self.documents.iter().filter(fits);
        fitting.map(|document| document.row).collect()
    }

    /// The row down to which a look-up of these groups goes, that one not included: zero where it can afford to go through all.
    pub(super) fn depth(&self, groups: &[Vec<String>]) -> i64 {
        let steps: f64 = groups.iter().map(|group| self.steps(group)).sum();
        let newest = self.documents.first().map_or(0, |newest| newest.row);
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

    /// How many row numbers so many rows of these spaces are apart, by the newer half of the sample: a space that is seldom written to has old
    /// ones among the others.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "an estimate; what does not fit is all there is"
    )]
    fn numbers(&self, rows: f64) -> i64 {
        let half = self.documents.len() / 2;
        let ends = self.documents.first().zip(self.documents.get(half));
        let apart = ends.map_or(0, |(newest, middle)| newest.row - middle.row);
        (rows * apart.max(1) as f64 / half.max(1) as f64) as i64
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
        Sample::new(documents.collect(), false, of.iter())
    }

    fn groups(groups: &[&[&str]]) -> Vec<Vec<String>> {
        let owned = |group: &&[&str]| group.iter().map(|word| (*word).to_owned()).collect();
        groups.iter().map(owned).collect()
    }

    #[test]
    fn words_are_counted_without_their_space() {
        let newest = [
            (7, "abcde:k:note abcde:owl b10:7"),
            (9, "fghij:owl fghij:yak b10:9"),
            (8, "abcde:yak abcde:k:fact"),
        ];
        let sample = sample(&newest, &["owl", "yak", "k:note", "emu"]);
        let counts = ["owl", "yak", "k:note", "emu"].map(|word| sample.count(word));
        assert_eq!((counts, sample.len()), ([2, 2, 1, 0], 3));
        assert_eq!(sample.rows(&groups(&[&["owl"]])), [9, 7]);
        assert_eq!(
            sample.rows(&groups(&[&["owl", "yak"], &["k:fact"]])),
            [9, 8]
        );
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
        assert_eq!(depth(&[&["ox"]]), 40_000);
        assert_eq!(depth(&[&["yak"]]), 80_000);
        assert_eq!(depth(&[&["ox", "yak"]]), 26_666);
        assert_eq!(depth(&[&["yak"], &["yak"]]), 40_000, "both are looked for");
        // One row in 512 at most, and a leap for each of them.
        assert_eq!(depth(&[&["emu"]]), 1_000_000);
        assert!((200_000..206_000).contains(&depth(&[&["emu", "ox"]])));
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
        assert!((3_900_000..=4_000_000).contains(&depth), "{depth}");
    }
}
