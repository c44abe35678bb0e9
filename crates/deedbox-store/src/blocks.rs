//! Blocks of rows: how an index of words is asked for some of its rows only.
//!
//! An index of words finds the rows that have all words, from the first row of the table to the last, or in no order. For common words that is most of
//! the table, and to see that two of them are never together takes going through all rows of both. So each document also has words for the blocks
//! of rows that it is in, of several sizes, and a search names the blocks that it is for.

/// How many bits of a row number are left out to get its block, of each size. The last one has four million rows.
const SIZES: [u32; 5] = [10, 13, 16, 19, 22];
/// How many rows a block of the smallest size has.
pub const SMALLEST: i64 = 1 << SIZES[0];
/// Has a colon, as all words have that no text has.
fn word(size: u32, number: i64) -> String {
    format!("b{size}:{number}")
}

/// The words for the blocks that a row is in.
pub fn words(row: i64) -> impl Iterator<Item = String> {
    SIZES.into_iter().map(move |size| word(size, row >> size))
}

/// Blocks of one size, side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Their words.
    pub words: Vec<String>,
    /// The row above which they begin; -1 when they begin with the first.
    pub above: i64,
}

impl Blocks {
    /// At most so many blocks, of as small a size as can be, that have all rows above `above` up to `newest`; none when there are too many rows.
    /// The more there may be, the nearer they are to what is meant.
    #[must_use]
    pub fn covering(above: i64, newest: i64, most: i64) -> Option<Self> {
        let few = |size: &u32| (newest >> size) - ((above + 1) >> size) < most;
        let size = SIZES.into_iter().find(few)?;
        let first = (above + 1) >> size;
        let numbers = first..=(newest >> size);
        Some(Self {
            words: numbers.map(|number| word(size, number)).collect(),
            above: (first << size) - 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_blocks_have_every_row_that_is_meant_and_none_beyond_their_end() {
        for newest in [0, 1, 1_023, 1_024, 70_000, 1_000_000, 4_194_304, 30_000_000] {
            for above in [-1, 0, newest / 2, newest - 1_024, newest - 1] {
                let blocks = Blocks::covering(above, newest, 8).unwrap();
                let is_in = |row| words(row).any(|word| blocks.words.contains(&word));
                assert!((1..=8).contains(&blocks.words.len()), "{above} {newest}");
                assert!(blocks.above <= above);
                for row in ((blocks.above + 1).max(0)..=newest).step_by(997) {
                    assert!(is_in(row), "{above} {newest}: {row}");
                }
                assert!(is_in(newest) && !is_in(blocks.above), "{above} {newest}");
            }
        }
        assert_eq!(Blocks::covering(0, 40_000_000, 8), None);
        let near = Blocks::covering(999_000, 1_000_000, 8).unwrap();
        assert_eq!(near.words, ["b10:975", "b10:976"]);
        let one = Blocks::covering(999_000, 1_000_000, 1).unwrap();
        assert_eq!((one.words, one.above), (vec!["b16:15".to_owned()], 983_039));
    }
}
