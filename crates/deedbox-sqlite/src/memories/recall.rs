//! What recall looks up in the index of words.

use std::collections::BTreeSet;

use async_trait::async_trait;
use deedbox_core::{Memory, MemoryId, SpaceId};
use deedbox_store::{Candidate, Document, Probe, StoreError, Wanted, blocks::Blocks};
use serde::de::DeserializeOwned;
use sqlx::SqliteConnection;

use super::{rows::MemoryRow, write};
use crate::error::failed;

/// How many blocks stand with a group of words at most. Few: to open the list of one word's rows costs as much as a thousand of its rows.
const BLOCKS: i64 = 2;

/// The index, by a connection that reads.
#[derive(Debug)]
pub(super) struct Index<'a>(pub(super) &'a mut SqliteConnection);

/// A word in FTS5's own words. None has a quotation mark in it, but nothing depends on that.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

/// What to look for, in these blocks of rows only. They stand with each group of several words: otherwise words that are never together would be
/// followed to the first row of the table.
fn expression(wanted: &Wanted, blocks: Option<&Blocks>) -> String {
    let quoted = |words: &[String], with: &str| {
        let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        words.join(with)
    };
    let blocks = blocks.map(|blocks| format!(" AND ({})", quoted(&blocks.words, " OR ")));
    let groups = wanted.groups.iter().map(|group| {
        let blocks = blocks.as_deref().filter(|_| group.len() > 1);
        format!("({}{})", quoted(group, " AND "), blocks.unwrap_or_default())
    });
    groups.collect::<Vec<_>>().join(" OR ")
}

/// What SQLite put into one JSON array.
fn array_of<T: DeserializeOwned>(what: &'static str, json: &str) -> Result<Vec<T>, StoreError> {
    serde_json::from_str(json).map_err(|cause| StoreError::unreadable(what, "recall", cause))
}

#[async_trait]
impl Probe for Index<'_> {
    async fn newest(&mut self, space: &SpaceId, limit: u32) -> Result<Vec<Document>, StoreError> {
        let space = space.as_str();
        let documents = sqlx::query_file_scalar!("queries/recall_newest.sql", space, limit)
            .fetch_one(&mut *self.0)
            .await
            .map_err(failed)?;
        let documents: Vec<(i64, String)> = array_of("words of memories", &documents)?;
        let document = |(row, words)| Document { row, words };
        Ok(documents.into_iter().map(document).collect())
    }

    async fn look_up(&mut self, wanted: &Wanted, limit: u32) -> Result<Vec<i64>, StoreError> {
        let above = wanted.above;
        let mut blocks = None;
        if above > 0 {
            let last = sqlx::query_file_scalar!("queries/recall_last.sql")
                .fetch_one(&mut *self.0)
                .await
                .map_err(failed)?;
            blocks = Blocks::covering(above, last.unwrap_or(0), BLOCKS);
        }
        let words = expression(wanted, blocks.as_ref());
        let rows = sqlx::query_file_scalar!("queries/recall_found.sql", words, limit, above)
            .fetch_one(&mut *self.0)
            .await
            .map_err(failed)?;
        array_of("rows of words", &rows)
    }

    async fn candidates(&mut self, rows: &[i64]) -> Result<Vec<Candidate>, StoreError> {
        let rows = serde_json::to_string(rows).map_err(|e| StoreError::Rejected(e.into()))?;
        let rows = sqlx::query_file_as!(MemoryRow, "queries/recall_candidates.sql", rows)
            .fetch_all(&mut *self.0)
            .await
            .map_err(failed)?;
        let mut candidates = Vec::with_capacity(rows.len());
        for row in rows {
            let Memory { state, text } = row.memory()?;
            candidates.extend(text.map(|text| Candidate { state, text }));
        }
        Ok(candidates)
    }

    async fn whole(&mut self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        let ids: BTreeSet<MemoryId> = ids.iter().copied().collect();
        write::wanted(self.0, ids).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_is_quoted_and_grouped() {
        let words = |words: &[&str]| {
            words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>()
        };
        let wanted = Wanted {
            groups: vec![words(&["x:a", "x:b\" OR \"c"]), words(&["x:d"])],
            above: 0,
            likely: 0,
        };
        assert_eq!(
            expression(&wanted, None),
            r#"("x:a" AND "x:b"" OR ""c") OR ("x:d")"#
        );
        assert_eq!(
            expression(&wanted, Blocks::covering(1_000, 2_000, BLOCKS).as_ref()),
            r#"("x:a" AND "x:b"" OR ""c" AND ("b10:0" OR "b10:1")) OR ("x:d")"#
        );
    }
}
