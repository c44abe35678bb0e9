//! Looking words up, newest rows first.
//!
//! GIN finds the rows that have all words, but all of them, and in no order: for a common word that is most of the table. So each document
//! also has words for the block of rows that it is in, of several sizes, and a search asks for few rows first: for those of the newest
//! block or two of the smallest size, then of the next size, and so on until there are enough of them. A common word ends it
//! at once; a rare one is cheap to look for anywhere.

use deedbox_store::{
    StoreError,
    index::{Found, Only, Query, Search, SearchRun, WINDOW},
};

use super::rows::EntryRow;
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

/// Everything from a row on, the newest first: each round has what is below the one before it, down to where the second
/// block of its size begins. The last one has all that are left, in whatever blocks.
pub(crate) fn rounds(newest: i64) -> Vec<Round> {
    let (mut rounds, mut top) = (Vec::new(), newest);
    for size in SIZES {
        let last = newest >> size;
        let first = (last - 1).max(0);
        if first == 0 {
            break; // all that are left
        }
        rounds.push(Round {
            newest: top,
            buckets: (first..=last).map(|number| bucket(size, number)).collect(),
        });
        top = (first << size) - 1;
    }
    rounds.push(Round {
        newest: top,
        buckets: Vec::new(),
    });
    rounds
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
    /// What is asked of the rows that were found: whether they are agents or tools, and what they must not have. Half of all rows or more
    /// answer as they should, so nothing is gained by looking that up.
    rest: String,
}

impl Wanted {
    fn new(query: &Query) -> Self {
        let (rest, words): (Vec<_>, Vec<_>) =
            query.all.iter().partition(|word| word.starts_with("k:"));
        let mut words: Vec<_> = words.into_iter().map(|word| quoted(word)).collect();
        words.extend(query.any.iter().map(|words| one_of(words)));
        let mut rest: Vec<_> = rest.into_iter().map(|word| quoted(word)).collect();
        if !query.none.is_empty() {
            rest.push(format!("!{}", one_of(&query.none)));
        }
        let words = (!words.is_empty()).then(|| words.join(" & "));
        // A search always says what it is for; if it did not, its words could be asked for twice.
        if let (true, Some(words)) = (rest.is_empty(), &words) {
            rest.push(words.clone());
        }
        let rest = rest.join(" & ");
        Self { words, rest }
    }

    /// What to look up in a round.
    fn in_round(&self, round: &Round) -> String {
        let buckets = (!round.buckets.is_empty()).then(|| one_of(&round.buckets));
        match (&self.words, buckets) {
            (Some(words), Some(buckets)) => format!("{words} & {buckets}"),
            (Some(words), None) => words.clone(),
            (None, Some(buckets)) => buckets,
            (None, None) => self.rest.clone(),
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
        let rows = window(pool, &wanted, newest).await?;
        let rows = rows.into_iter().map(EntryRow::entry);
        run.take(rows.collect::<Result<_, _>>()?);
    }
    Ok(run.found())
}

/// The newest rows that fit, from this one on.
async fn window(pool: &Pool, wanted: &Wanted, newest: i64) -> Result<Vec<EntryRow>, StoreError> {
    let last = pool.read(|connection| {
        let file = sqlx::query_file_scalar!("queries/index/documents_last.sql");
        Box::pin(file.fetch_optional(connection))
    });
    let mut rows: Vec<EntryRow> = Vec::new();
    let Some(last) = last.await? else {
        return Ok(rows);
    };
    for round in rounds(newest.min(last)) {
        let room = i64::from(WINDOW) - i64::try_from(rows.len()).unwrap_or(i64::MAX);
        if room <= 0 {
            break;
        }
        let words = wanted.in_round(&round);
        let found = pool.read(|connection| {
            let file = sqlx::query_file_as!(
                EntryRow,
                "queries/index/documents_found.sql",
                words,
                round.newest,
                room,
                wanted.rest
            );
            Box::pin(file.fetch_all(connection))
        });
        rows.extend(found.await?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_have_every_row_once_and_grow() {
        for newest in [
            1, 2, 1_023, 1_024, 2_048, 70_000, 1_000_000, 4_194_304, 40_000_000,
        ] {
            let mut top = newest;
            for round in rounds(newest) {
                assert_eq!(round.newest, top, "{newest}");
                let of_round = |id: i64| {
                    round.buckets.is_empty()
                        || buckets(id).any(|word| round.buckets.contains(&word))
                };
                // Rows from `top` down to the first that is outside of its blocks.
                let mut low = 1;
                let mut high = top;
                while low < high {
                    let middle = i64::midpoint(low, high);
                    if of_round(middle) {
                        high = middle;
                    } else {
                        low = middle + 1;
                    }
                }
                assert!(of_round(top) && of_round(high), "{newest}: {round:?}");
                assert!(round.buckets.len() <= 2);
                top = high - 1;
            }
            assert_eq!(top, 0, "{newest}");
        }
        let first = &rounds(1_000_000)[0];
        assert_eq!(first.buckets, ["b10:975", "b10:976"]);
    }

    #[test]
    fn what_is_looked_for_is_quoted_and_what_most_rows_have_is_not_looked_up() {
        let mut query = Query {
            all: vec!["a".to_owned(), "it's\\".to_owned(), "k:agent".to_owned()],
            any: vec![vec!["r:x".to_owned(), "r:y".to_owned()]],
            none: vec!["g:gone".to_owned()],
        };
        let wanted = Wanted::new(&query);
        let words = r"'a' & 'it''s\\' & ('r:x' | 'r:y')";
        assert_eq!(wanted.words.as_deref(), Some(words));
        assert_eq!(wanted.rest, "'k:agent' & !('g:gone')");
        let all = rounds(1_500);
        assert_eq!(wanted.in_round(&all[0]), words);
        query = Query {
            all: vec!["k:tool".to_owned()],
            ..Query::default()
        };
        let everything = Wanted::new(&query);
        assert_eq!(everything.in_round(&all[0]), "'k:tool'");
        assert_eq!(
            everything.in_round(&rounds(5_000)[0]),
            "('b10:3' | 'b10:4')"
        );
    }
}
