//! Looking words up, newest rows first.
//!
//! GIN finds the rows that have all words, but all of them, and in no order: for a common word that is most of the table. So each document
//! also has words for the blocks of rows that it is in, of several sizes, and a search asks for few rows first: for those of the newest
//! block or two of the smallest size. How many of these fit tells how far down enough of them should be, and so far it asks next, until
//! there are enough. A common word ends it at once; a rare one is cheap to look for anywhere.

use deedbox_store::{
    StoreError,
    index::{Card, Found, Only, Query, Search, SearchRun, WINDOW},
};

use super::rows::{EntryRow, parsed};
use crate::pool::Pool;

/// How many bits of a row number are left out to get its block, of each size. The last one has four million rows.
const SIZES: [u32; 5] = [10, 13, 16, 19, 22];

/// The word for a block of rows. Has a colon, as all words have that no text has.
fn bucket(size: u32, number: i64) -> String {
    format!("b{size}:{number}")
}

/// The words for the blocks that a row is in.
pub(crate) fn buckets(id: i64) -> impl Iterator<Item = String> {
    SIZES.into_iter().map(move |size| bucket(size, id >> size))
}

/// What is asked at once: rows that are not newer than this one, in these blocks (none: all that are left).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    pub(crate) newest: i64,
    pub(crate) buckets: Vec<String>,
}

/// How many rows the first round looks through, at least.
const FIRST: i64 = 1 << SIZES[0];
/// How many blocks one round names at most: so nearly it can say how far down it goes.
const BLOCKS: i64 = 8;
/// How many times as many rows as all rounds before it a round may look through: what was seldom so far may be frequent below.
const GROWTH: i64 = 8;

/// What was looked through so far: every row from `newest` down to the one above `top`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    newest: i64,
    top: i64,
    /// How many rows fit there, and how many more are wanted.
    found: i64,
    room: i64,
}

impl Progress {
    /// Before anything was looked through, of so many rows that are wanted.
    pub(crate) fn new(newest: i64, room: u32) -> Self {
        Self {
            newest,
            top: newest,
            found: 0,
            room: i64::from(room),
        }
    }

    /// What to ask next, how many rows of that are wanted, and the row above which nothing is left to be asked then; none when enough is
    /// found, or all is looked through.
    pub(crate) fn round(&self) -> Option<(Round, i64, i64)> {
        if self.top <= 0 || self.room <= 0 {
            return None;
        }
        let seen = self.newest - self.top;
        // A quarter more than what is likely to be enough.
        let likely = seen.saturating_mul(self.room * 5) / (self.found + 1) / 4;
        let wanted = likely.clamp(FIRST, seen.saturating_mul(GROWTH).max(FIRST));
        let bottom = self.top.saturating_sub(wanted).max(0);
        let blocks = SIZES.into_iter().map(|size| (size, bottom >> size));
        let few = |(size, first): &(u32, i64)| (self.top >> size) - first < BLOCKS;
        let (buckets, bottom) = match blocks.filter(|(_, first)| *first > 0).find(few) {
            // The half of what would be left is not worth another round.
            Some((size, first)) if wanted < self.top / 2 => {
                let numbers = first..=(self.top >> size);
                let buckets = numbers.map(|number| bucket(size, number));
                (buckets.collect(), (first << size) - 1)
            }
            _ => (Vec::new(), 0),
        };
        let newest = self.top;
        Some((Round { newest, buckets }, self.room, bottom))
    }

    /// So many rows more were found, down to the one above `bottom`.
    pub(crate) fn advance(&mut self, more: usize, bottom: i64) {
        let more = i64::try_from(more).unwrap_or(i64::MAX);
        self.top = bottom;
        self.found = self.found.saturating_add(more);
        self.room = self.room.saturating_sub(more);
    }
}

/// A word as a `tsquery` has it. None has a quotation mark or a backslash in it, but nothing depends on that.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''"))
}

pub(crate) fn one_of(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    format!("({})", words.join(" | "))
}

/// A query as two texts of type `tsquery`, neither of them empty.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    /// Words to look up; none when a search is for everything.
    words: Option<String>,
    /// What is asked of the rows that were found: what they must not have, and of everything, whether they are agents or tools. Most rows
    /// answer as they should, so nothing is gained by looking that up.
    rest: String,
}

impl Wanted {
    fn new(query: &Query) -> Self {
        let mut words: Vec<_> = query.all.iter().map(|word| quoted(word)).collect();
        words.extend(query.any.iter().map(|words| one_of(words)));
        let words = (!words.is_empty()).then(|| words.join(" & "));
        let mut rest = Vec::new();
        if words.is_none() {
            rest.push(quoted(&query.every));
        }
        if !query.none.is_empty() {
            rest.push(format!("!{}", one_of(&query.none)));
        }
        // Where nothing more is to be asked, what was looked up is asked again.
        if let (true, Some(words)) = (rest.is_empty(), &words) {
            rest.push(words.clone());
        }
        let rest = rest.join(" & ");
        Self { words, rest }
    }

    /// What to look up in a round, and in which blocks, where that is something else.
    fn in_round(&self, round: &Round) -> (String, Option<String>) {
        let buckets = (!round.buckets.is_empty()).then(|| one_of(&round.buckets));
        match (&self.words, buckets) {
            (Some(words), buckets) => (words.clone(), buckets),
            (None, Some(buckets)) => (buckets, None),
            (None, None) => (self.rest.clone(), None),
        }
    }
}

pub(super) async fn search<F: Only + Sync>(
    pool: &Pool,
    search: &Search<F>,
) -> Result<Found<F::Entry>, StoreError>
where
    F::Entry: Send,
{
    let mut run = SearchRun::new(search);
    let wanted = Wanted::new(&run.query());
    while let Some(newest) = run.wants() {
        run.take(&window(pool, &wanted, newest).await?);
    }
    if run.shown().is_empty() {
        return Ok(run.found([]));
    }
    let rows = pool.read(|connection| {
        let file = sqlx::query_file_as!(EntryRow, "queries/index/entries_shown.sql", run.shown());
        Box::pin(file.fetch_all(connection))
    });
    let entries = rows.await?.into_iter().map(EntryRow::entry);
    Ok(run.found(entries.collect::<Result<Vec<_>, _>>()?))
}

/// A row that was found.
struct CardRow {
    id: i64,
    card: String,
}

/// The cards of the newest rows that fit, from this one on.
async fn window(pool: &Pool, wanted: &Wanted, newest: i64) -> Result<Vec<(i64, Card)>, StoreError> {
    let last = pool.read(|connection| {
        let file = sqlx::query_file_scalar!("queries/index/documents_last.sql");
        Box::pin(file.fetch_optional(connection))
    });
    let newest = newest.min(last.await?.unwrap_or(0));
    let mut cards = Vec::new();
    let mut progress = Progress::new(newest, WINDOW);
    while let Some((round, room, bottom)) = progress.round() {
        let (words, blocks) = wanted.in_round(&round);
        let (newest, rest) = (round.newest, &wanted.rest);
        let found = pool.read(|connection| match &blocks {
            None => {
                let file = sqlx::query_file_as!(
                    CardRow,
                    "queries/index/documents_found.sql",
                    words,
                    newest,
                    room,
                    rest
                );
                Box::pin(file.fetch_all(connection))
            }
            Some(blocks) => {
                let file = sqlx::query_file_as!(
                    CardRow,
                    "queries/index/documents_found_in_blocks.sql",
                    words,
                    newest,
                    room,
                    rest,
                    blocks
                );
                Box::pin(file.fetch_all(connection))
            }
        });
        let found = found.await?;
        progress.advance(found.len(), bottom);
        for row in found {
            cards.push((row.id, parsed("card", row.id, &row.card)?));
        }
    }
    Ok(cards)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rounds of a search of which so many rows in a thousand fit.
    fn rounds(newest: i64, in_a_thousand: i64) -> Vec<(Round, i64)> {
        let (mut rounds, mut progress) = (Vec::new(), Progress::new(newest, 256));
        let fitting = |bottom: i64| usize::try_from((newest - bottom) * in_a_thousand / 1_000);
        let mut found = 0;
        while let Some((round, _, bottom)) = progress.round() {
            rounds.push((round, bottom));
            let until = fitting(bottom).unwrap();
            progress.advance(until - found, bottom);
            found = until;
        }
        rounds
    }

    #[test]
    fn rounds_have_every_row_once_and_name_few_blocks() {
        for newest in [
            1, 2, 1_023, 1_024, 2_047, 2_048, 70_000, 1_000_000, 4_194_304, 40_000_000,
        ] {
            for density in [0, 1, 10, 100] {
                let mut top = newest;
                for (round, bottom) in rounds(newest, density) {
                    assert_eq!(round.newest, top, "{newest} {density}");
                    assert!(round.buckets.len() <= 8);
                    let of_round = |id: i64| {
                        round.buckets.is_empty()
                            || buckets(id).any(|word| round.buckets.contains(&word))
                    };
                    assert!(of_round(top) && of_round(bottom + 1));
                    // One step above and one below its rows.
                    assert!(bottom == 0 || !of_round(bottom), "{newest}: {round:?}");
                    // Blocks are neighbours, so what is between its ends is in them.
                    for id in (bottom + 1..=top).step_by(997) {
                        assert!(of_round(id), "{newest} {density}: {id} {round:?}");
                    }
                    assert!(bottom < top);
                    top = bottom;
                }
                assert!(top == 0 || density > 0, "{newest} {density}");
            }
        }
    }

    #[test]
    fn a_round_goes_as_far_down_as_the_words_are_rare() {
        let first = &rounds(1_000_000, 0)[0].0;
        assert_eq!(first.buckets, ["b10:975", "b10:976"]);
        let looked_through = |in_a_thousand| {
            let rounds = rounds(1_000_000, in_a_thousand);
            let last = rounds.last().map_or(0, |(_, bottom)| *bottom);
            (rounds.len(), 1_000_000 - last)
        };
        let (many, few, none) = (looked_through(500), looked_through(10), looked_through(0));
        assert_eq!(many.0, 1);
        // 256 rows are in 25,600.
        assert!(few.0 <= 3 && few.1 < 60_000, "{few:?}");
        assert!(none.0 <= 5 && none.1 == 1_000_000, "{none:?}");
    }

    #[test]
    fn what_is_looked_for_is_quoted_and_what_most_rows_have_is_not_looked_up() {
        let mut query = Query {
            every: "ak:any".to_owned(),
            all: vec!["a".to_owned(), "it's\\".to_owned()],
            any: vec![vec!["r:x".to_owned(), "r:y".to_owned()]],
            none: vec!["g:gone".to_owned()],
        };
        let wanted = Wanted::new(&query);
        let words = r"'a' & 'it''s\\' & ('r:x' | 'r:y')";
        assert_eq!(wanted.words.as_deref(), Some(words));
        assert_eq!(wanted.rest, "!('g:gone')");
        let all = &rounds(1_500, 0)[0].0;
        assert_eq!(wanted.in_round(all), (words.to_owned(), None));
        let some = &rounds(5_000, 0)[0].0;
        let blocks = "('b10:3' | 'b10:4')".to_owned();
        let in_blocks = (words.to_owned(), Some(blocks.clone()));
        assert_eq!(wanted.in_round(some), in_blocks);
        query = Query {
            every: "tk:any".to_owned(),
            ..Query::default()
        };
        let everything = Wanted::new(&query);
        assert_eq!(everything.in_round(all), ("'tk:any'".to_owned(), None));
        assert_eq!(everything.in_round(some), (blocks, None));
    }
}
