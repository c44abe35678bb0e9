//! What recall looks up in the index of words, newest rows first: block by block, as [searches](crate::index) do.

use async_trait::async_trait;
use deedbox_core::{Memory, MemoryId, MemoryState, MemoryText};
use deedbox_store::{Candidate, Probe, StoreError, Wanted, document};
use uuid::Uuid;

use super::rows::MemoryRow;
use crate::{
    index::{Progress, block_words, one_of, quoted},
    pool::Pool,
};

/// How many bits of a row number are left out to get its block, of the smallest size.
const SMALLEST: u32 = 10;

/// The index.
#[derive(Debug)]
pub(super) struct Index<'a>(pub(super) &'a Pool);

/// Every word of the document of a memory in this row: its own, and those for the blocks that the row is in.
#[must_use]
pub fn memory_words(row: i64, state: &MemoryState, text: &MemoryText) -> Vec<String> {
    let mut words = document(state, text);
    words.extend(block_words(row));
    words
}

fn joined(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    format!("({})", words.join(" & "))
}

fn expression(wanted: &Wanted) -> String {
    let groups: Vec<_> = wanted.groups.iter().map(|group| joined(group)).collect();
    let mut parts = vec![format!("({})", groups.join(" | ")), one_of(&wanted.spaces)];
    parts.extend(wanted.all.iter().map(|word| quoted(word)));
    parts.join(" & ")
}

impl Index<'_> {
    async fn last(&self) -> Result<Option<i64>, StoreError> {
        let last = self.0.read(|connection| {
            let file = sqlx::query_file_scalar!("queries/memory/documents_last.sql");
            Box::pin(file.fetch_optional(connection))
        });
        last.await
    }
}

#[async_trait]
impl Probe for Index<'_> {
    async fn frequencies(
        &mut self,
        words: &[String],
        newest: u32,
    ) -> Result<(Vec<u32>, u32), StoreError> {
        let Some(last) = self.last().await? else {
            return Ok((vec![0; words.len()], 0));
        };
        // The newest two blocks: at most `newest` rows.
        let block = last >> SMALLEST;
        let first = (block - 1).max(0);
        let blocks: Vec<String> = (first..=block)
            .filter_map(|number| block_words(number << SMALLEST).next())
            .collect();
        let blocks = one_of(&blocks);
        let words: Vec<String> = words
            .iter()
            .map(|word| format!("{} & {blocks}", quoted(word)))
            .collect();
        let counts = self.0.read(|connection| {
            let file = sqlx::query_file_scalar!("queries/memory/frequencies.sql", &words);
            Box::pin(file.fetch_all(connection))
        });
        // A count is at most `newest`.
        let counts = counts.await?.into_iter();
        let counts = counts.map(|count| u32::try_from(count).unwrap_or(newest));
        let of = u32::try_from(last - (first << SMALLEST) + 1).unwrap_or(newest);
        Ok((counts.collect(), of.min(newest)))
    }

    async fn look_up(&mut self, wanted: &Wanted, limit: u32) -> Result<Vec<i64>, StoreError> {
        let Some(last) = self.last().await? else {
            return Ok(Vec::new());
        };
        let words = expression(wanted);
        let mut rows = Vec::new();
        let mut progress = Progress::new(last, limit);
        while let Some((round, room, bottom)) = progress.round() {
            let words = match round.buckets.as_slice() {
                [] => words.clone(),
                buckets => format!("{words} & {}", one_of(buckets)),
            };
            let found = self.0.read(|connection| {
                let newest = round.newest;
                let file =
                    sqlx::query_file_scalar!("queries/memory/found.sql", words, newest, room);
                Box::pin(file.fetch_all(connection))
            });
            let found = found.await?;
            progress.advance(found.len(), bottom);
            rows.extend(found);
        }
        Ok(rows)
    }

    async fn candidates(&mut self, rows: &[i64]) -> Result<Vec<Candidate>, StoreError> {
        let found = self.0.read(|connection| {
            let file = sqlx::query_file_as!(MemoryRow, "queries/memory/candidates.sql", rows);
            Box::pin(file.fetch_all(connection))
        });
        let mut candidates = Vec::with_capacity(rows.len());
        for row in found.await? {
            let Memory { state, text } = row.memory()?;
            candidates.extend(text.map(|text| Candidate { state, text }));
        }
        Ok(candidates)
    }

    async fn whole(&mut self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
        let rows = self.0.read(|connection| {
            let file = sqlx::query_file_as!(MemoryRow, "queries/memory/wanted.sql", &ids);
            Box::pin(file.fetch_all(connection))
        });
        rows.await?.into_iter().map(MemoryRow::memory).collect()
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
            groups: vec![words(&["a", "it's"]), words(&["d"])],
        };
        assert_eq!(
            expression(&wanted),
            "(('a' & 'it''s') | ('d')) & ('s:1' | 's:2') & 'k:note'"
        );
    }
}
