//! What recall looks up in the index of words.

use std::collections::BTreeSet;

use async_trait::async_trait;
use deedbox_core::{Memory, MemoryId};
use deedbox_store::{Candidate, Probe, StoreError, Wanted};
use sqlx::SqliteConnection;

use super::{rows::MemoryRow, write};
use crate::{error::failed, rows::array};

/// The index, by a connection that reads.
#[derive(Debug)]
pub(super) struct Index<'a>(pub(super) &'a mut SqliteConnection);

/// A word in FTS5's own words. None has a quotation mark in it, but nothing depends on that.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

fn joined(words: &[String], with: &str) -> String {
    let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    format!("({})", words.join(with))
}

fn expression(wanted: &Wanted) -> String {
    let groups = wanted.groups.iter().map(|group| joined(group, " AND "));
    let groups = format!("({})", groups.collect::<Vec<_>>().join(" OR "));
    let mut parts = vec![groups, joined(&wanted.spaces, " OR ")];
    parts.extend(wanted.all.iter().map(|word| quoted(word)));
    parts.join(" AND ")
}

#[async_trait]
impl Probe for Index<'_> {
    async fn frequencies(
        &mut self,
        words: &[String],
        newest: u32,
    ) -> Result<(Vec<u32>, u32), StoreError> {
        let last = sqlx::query_file_scalar!("queries/recall_newest.sql")
            .fetch_one(&mut *self.0)
            .await
            .map_err(failed)?;
        let last = last.unwrap_or(0);
        let after = (last - i64::from(newest)).max(0);
        let words = array(words.iter().map(|word| quoted(word)));
        let counts = sqlx::query_file_scalar!("queries/recall_frequencies.sql", words, after)
            .fetch_all(&mut *self.0)
            .await
            .map_err(failed)?;
        // A count is at most `newest`.
        let counts = counts
            .into_iter()
            .map(|count| u32::try_from(count).unwrap_or(newest));
        Ok((
            counts.collect(),
            u32::try_from(last - after).unwrap_or(newest),
        ))
    }

    async fn look_up(&mut self, wanted: &Wanted, limit: u32) -> Result<Vec<i64>, StoreError> {
        let wanted = expression(wanted);
        sqlx::query_file_scalar!("queries/recall_found.sql", wanted, limit)
            .fetch_all(&mut *self.0)
            .await
            .map_err(failed)
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
            spaces: words(&["s:1", "s:2"]),
            all: words(&["k:note"]),
            groups: vec![words(&["a", "b\" OR \"c"]), words(&["d"])],
        };
        assert_eq!(
            expression(&wanted),
            r#"(("a" AND "b"" OR ""c") OR ("d")) AND ("s:1" OR "s:2") AND "k:note""#
        );
    }
}
