//! What recall looks up in the index of words, newest rows first: in [rounds](crate::blocks), as searches do.

use async_trait::async_trait;
use deedbox_core::{Memory, MemoryId, SpaceId};
use deedbox_store::{Candidate, Document, Probe, StoreError, Wanted};
use uuid::Uuid;

use super::rows::MemoryRow;
use crate::{
    blocks::Progress,
    index::{one_of, quoted},
    pool::Pool,
};

/// The index.
#[derive(Debug)]
pub(super) struct Index<'a>(pub(super) &'a Pool);

fn expression(wanted: &Wanted) -> String {
    let groups = wanted.groups.iter().map(|group| {
        let words: Vec<_> = group.iter().map(|word| quoted(word)).collect();
        format!("({})", words.join(" & "))
    });
    groups.collect::<Vec<_>>().join(" | ")
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
    async fn newest(&mut self, space: &SpaceId, limit: u32) -> Result<Vec<Document>, StoreError> {
        let (space, limit) = (space.as_str(), i64::from(limit));
        let documents = self.0.read(|connection| {
            let file = sqlx::query_file_as!(Document, "queries/memory/newest.sql", space, limit);
            Box::pin(file.fetch_all(connection))
        });
        documents.await
    }

    async fn look_up(&mut self, wanted: &Wanted, limit: u32) -> Result<Vec<i64>, StoreError> {
        let Some(last) = self.last().await? else {
            return Ok(Vec::new());
        };
        let words = expression(wanted);
        let mut rows = Vec::new();
        let mut progress = Progress::new(last, limit)
            .above(wanted.above)
            .likely(wanted.likely);
        while let Some((round, room, bottom)) = progress.round() {
            let newest = round.newest;
            let blocks = (!round.blocks.is_empty()).then(|| one_of(&round.blocks));
            let found = self.0.read(|connection| match &blocks {
                None => {
                    let file =
                        sqlx::query_file_scalar!("queries/memory/found.sql", words, newest, room);
                    Box::pin(file.fetch_all(connection))
                }
                Some(blocks) => {
                    let file = sqlx::query_file_scalar!(
                        "queries/memory/found_in_blocks.sql",
                        words,
                        newest,
                        room,
                        blocks
                    );
                    Box::pin(file.fetch_all(connection))
                }
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
            groups: vec![words(&["x:a", "x:it's"]), words(&["x:d"])],
            above: 0,
            likely: 0,
        };
        assert_eq!(expression(&wanted), "('x:a' & 'x:it''s') | ('x:d')");
    }
}
