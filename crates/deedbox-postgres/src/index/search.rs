//! Looking words up, newest rows first, in [rounds](crate::blocks).

use deedbox_store::{
    StoreError,
    index::{Card, Found, Only, Query, Search, SearchRun, WINDOW},
};

use super::rows::{EntryRow, parsed};
use crate::{
    blocks::{Progress, Round},
    pool::Pool,
};

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
        let blocks = (!round.blocks.is_empty()).then(|| one_of(&round.blocks));
        match (&self.words, blocks) {
            (Some(words), blocks) => (words.clone(), blocks),
            (None, Some(blocks)) => (blocks, None),
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
        let round = |newest| Progress::new(newest, 256).round().unwrap().0;
        let (all, some) = (&round(1_500), &round(5_000));
        assert_eq!(wanted.in_round(all), (words.to_owned(), None));
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
