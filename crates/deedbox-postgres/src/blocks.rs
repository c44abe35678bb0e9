//! How GIN is asked for the newest rows first.
//!
//! It finds the rows that have all words, but all of them, and in no order. So a search asks for few rows first: for those of the newest
//! [block](deedbox_store::blocks) or two of the smallest size. How many of these fit tells how far down enough of them should be, and so far it asks
//! next, until there are enough. A common word ends it at once; a rare one is cheap to look for anywhere.

use deedbox_store::blocks::{Blocks, SMALLEST};

/// What is asked at once: rows that are not newer than this one, in these blocks (none: all that are left).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    pub(crate) newest: i64,
    pub(crate) blocks: Vec<String>,
}

/// How many blocks one round names at most: so nearly it can say how far down it goes.
const BLOCKS: i64 = 8;
/// How many times as many rows as all rounds before it a round may look through: what was seldom so far may be frequent below.
const GROWTH: i64 = 8;

/// What was looked through so far: every row from `newest` down to the one above `top`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    newest: i64,
    top: i64,
    /// The row above which all end.
    end: i64,
    /// How many rows the first round looks through, at least.
    first: i64,
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
            end: 0,
            first: SMALLEST,
            found: 0,
            room: i64::from(room),
        }
    }

    /// Looks through no more than what is newer than this row, but for what is in one block with it.
    pub(crate) fn above(self, row: i64) -> Self {
        Self {
            end: row.max(0),
            ..self
        }
    }

    /// So many rows are likely to be enough.
    pub(crate) fn likely(self, rows: i64) -> Self {
        Self {
            first: rows.max(SMALLEST),
            ..self
        }
    }

    /// What to ask next, how many rows of that are wanted, and the row above which nothing is left to be asked then; none when enough is
    /// found, or all is looked through.
    pub(crate) fn round(&self) -> Option<(Round, i64, i64)> {
        if self.top <= self.end || self.room <= 0 {
            return None;
        }
        let seen = self.newest - self.top;
        // A quarter more than what is likely to be enough.
        let likely = seen.saturating_mul(self.room * 5) / (self.found + 1) / 4;
        let wanted = likely.clamp(self.first, seen.saturating_mul(GROWTH).max(self.first));
        // The half of what would be left is not worth another round.
        let is_last = wanted >= (self.top - self.end) / 2;
        let bottom = if is_last { self.end } else { self.top - wanted };
        let blocks = Blocks::covering(bottom, self.top, BLOCKS);
        let (blocks, bottom) = match blocks {
            // From the first row on, blocks leave nothing out.
            Some(blocks) if blocks.above >= 0 || self.end > 0 => (blocks.words, blocks.above),
            _ => (Vec::new(), 0),
        };
        let newest = self.top;
        Some((Round { newest, blocks }, self.room, bottom))
    }

    /// So many rows more were found, down to the one above `bottom`.
    pub(crate) fn advance(&mut self, more: usize, bottom: i64) {
        let more = i64::try_from(more).unwrap_or(i64::MAX);
        self.top = bottom;
        self.found = self.found.saturating_add(more);
        self.room = self.room.saturating_sub(more);
    }
}

#[cfg(test)]
mod tests {
    use deedbox_store::blocks::words;

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
                    assert!(round.blocks.len() <= 8);
                    let of_round = |id: i64| {
                        round.blocks.is_empty()
                            || words(id).any(|word| round.blocks.contains(&word))
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
    fn rounds_end_where_they_are_told_to() {
        for end in [1, 1_000, 70_000, 400_000, 999_999] {
            let mut progress = Progress::new(1_000_000, 256).above(end);
            let mut top = 1_000_000;
            while let Some((round, _, bottom)) = progress.round() {
                assert_eq!(round.newest, top);
                assert!(!round.blocks.is_empty(), "{end}: older rows are left alone");
                assert!(round.blocks.len() <= 8 && bottom < top);
                progress.advance(0, bottom);
                top = bottom;
            }
            // At most one block more, of a size that eight of are enough.
            assert!(
                top <= end && end - top <= (1_000_000 - end).max(1_024),
                "{end}: {top}"
            );
        }
    }

    #[test]
    fn a_search_begins_with_as_many_rows_as_are_likely_to_be_enough() {
        let first = |rows| {
            let progress = Progress::new(1_000_000, 64).likely(rows);
            progress.round().map(|(_, _, bottom)| 1_000_000 - bottom)
        };
        assert!((1_024..3_000).contains(&first(1).unwrap()));
        assert!((50_000..60_000).contains(&first(50_000).unwrap()));
        assert_eq!(first(600_000), Some(1_000_000), "all of it");
    }

    #[test]
    fn a_round_goes_as_far_down_as_the_words_are_rare() {
        let first = &rounds(1_000_000, 0)[0].0;
        assert_eq!(first.blocks, ["b10:975", "b10:976"]);
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
}
