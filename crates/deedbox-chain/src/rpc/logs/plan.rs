//! Which piece of a range is searched next, and how wide: no I/O.

use super::super::{trouble::Trouble, widths::LogBlocks};

/// Pieces in a row that must be answered before a wider one is tried, after one was refused: where logs are dense
/// a wider one would be refused again.
const CALM: u32 = 4;
/// How many times as wide the next piece is at most, where it is known how much there is in this one, and none was refused.
const BOLD: u64 = 8;

/// At which end a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// With the newest blocks.
    NewestFirst,
    /// With the oldest blocks.
    OldestFirst,
}

/// What of a range was not searched yet, and in pieces of which width it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    direction: Direction,
    from: u64,
    to: u64,
    width: u64,
    refused: Option<u64>,
    /// How many pieces in a row were not refused; none when none was refused yet.
    calm: Option<u32>,
}

impl Plan {
    /// Of the blocks `from` to `to`, both included.
    pub(super) fn new(direction: Direction, (from, to): (u64, u64), known: LogBlocks) -> Self {
        Self {
            direction,
            from,
            to,
            width: known.start.max(1),
            refused: known.refused,
            calm: known.calm,
        }
    }

    /// The next piece, both ends included.
    pub(super) fn piece(&self) -> (u64, u64) {
        let more = self.width - 1;
        match self.direction {
            Direction::NewestFirst => (self.to.saturating_sub(more).max(self.from), self.to),
            Direction::OldestFirst => (self.from, self.from.saturating_add(more).min(self.to)),
        }
    }

    /// No block above `height` is searched.
    pub(super) fn end_at(&mut self, height: u64) {
        self.to = self.to.min(height);
    }

    /// The piece was searched. Returns whether that was all. Where it is known, `fitting` says how many blocks like these make an answer
    /// of the size that is wanted.
    pub(super) fn searched(&mut self, fitting: Option<u64>) -> bool {
        let (from, to) = self.piece();
        self.calm = self.calm.map(|calm| calm.saturating_add(1));
        match fitting {
            Some(fitting) if fitting < self.width => {
                self.width = fitting.max(self.width.div_ceil(2));
            }
            _ if to - from + 1 == self.width => self.widen(fitting),
            _ => {}
        }
        if (from, to) == (self.from, self.to) {
            return true;
        }
        match self.direction {
            Direction::NewestFirst => self.to = from - 1,
            Direction::OldestFirst => self.from = to + 1,
        }
        false
    }

    /// A piece of this width was answered.
    fn widen(&mut self, fitting: Option<u64>) {
        let (most, refused) = (
            fitting.unwrap_or(u64::MAX),
            self.refused.unwrap_or(u64::MAX),
        );
        let wider = match (self.calm, fitting) {
            (None, Some(_)) => self
                .width
                .saturating_mul(BOLD)
                .min(refused.saturating_sub(1)),
            (None, None) | (Some(CALM..), _) => self.width.saturating_mul(2),
            (Some(_), _) => return,
        };
        let wider = wider.min(most);
        if self.width < wider && wider < refused {
            self.width = wider;
            self.calm = self.calm.map(|_| 0);
        }
    }

    /// The piece was answered with `trouble`. Whether a narrower one may be answered, which is the next then.
    pub(super) fn refused(&mut self, trouble: &Trouble) -> bool {
        match trouble {
            Trouble::TooManyBlocks { suggested } => self.narrower(*suggested, true),
            Trouble::TooManyLogs { suggested } => self.narrower(*suggested, false),
            Trouble::ResponseTooLarge => self.narrower(None, false),
            // Not to be waited for again and again.
            Trouble::TimedOut => self.narrower(None, true),
            _ => false,
        }
    }

    /// Whatever is suggested, the next piece is narrower; false when there is none.
    fn narrower(&mut self, suggested: Option<u64>, for_its_width: bool) -> bool {
        let (from, to) = self.piece();
        let width = to - from + 1;
        if width == 1 {
            return false;
        }
        if for_its_width {
            self.refused = Some(self.refused.map_or(width, |refused| refused.min(width)));
        }
        self.calm = Some(0);
        let useful = suggested.filter(|suggested| (1..width).contains(suggested));
        self.width = useful.unwrap_or(width / 2);
        true
    }

    /// What the next search should begin with.
    pub(super) const fn learnt(&self) -> LogBlocks {
        LogBlocks {
            start: self.width,
            refused: self.refused,
            calm: self.calm,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOTHING: LogBlocks = LogBlocks {
        start: 8,
        refused: None,
        calm: None,
    };

    #[test]
    fn after_a_refusal_a_wider_piece_is_tried_after_four_also_by_the_next_search() {
        let mut plan = Plan::new(Direction::OldestFirst, (0, u64::MAX), NOTHING);
        assert!(plan.refused(&Trouble::ResponseTooLarge));
        let mut widths = Vec::new();
        for _ in 0..9 {
            let (from, to) = plan.piece();
            widths.push(to - from + 1);
            plan.searched(None);
            plan = Plan::new(Direction::OldestFirst, (to + 1, u64::MAX), plan.learnt());
        }
        assert_eq!(widths, [4, 4, 4, 4, 8, 8, 8, 8, 16]);
    }

    /// The widths of pieces of which so many blocks would fit.
    fn widths(known: LogBlocks, fitting: &[u64]) -> Vec<u64> {
        let mut plan = Plan::new(Direction::OldestFirst, (0, u64::MAX), known);
        let widths = fitting.iter().map(|fitting| {
            let (from, to) = plan.piece();
            plan.searched(Some(*fitting));
            to - from + 1
        });
        widths.collect()
    }

    #[test]
    fn where_it_is_known_what_fits_pieces_are_soon_as_wide_as_that_and_narrow_before_they_are_refused()
     {
        let known = LogBlocks {
            start: 100,
            ..NOTHING
        };
        let fitting = [90_000, 90_000, 3_000, 3_000, 900, 900, 1_000, 1_000];
        assert_eq!(
            widths(known, &fitting),
            [100, 800, 6_400, 3_200, 3_000, 1_500, 900, 1_000]
        );
    }

    #[test]
    fn what_is_configured_is_reached_and_not_exceeded() {
        let known = LogBlocks {
            start: 100,
            refused: Some(5_001),
            calm: None,
        };
        let fitting = [u64::MAX; 4];
        assert_eq!(widths(known, &fitting), [100, 800, 5_000, 5_000]);
    }

    #[test]
    fn one_block_cannot_be_narrower() {
        let mut plan = Plan::new(Direction::OldestFirst, (7, 7), NOTHING);
        assert!(!plan.refused(&Trouble::TooManyBlocks { suggested: Some(5) }));
        assert_eq!(plan.piece(), (7, 7));
        assert_eq!(plan.learnt(), NOTHING, "which says nothing of wider pieces");
    }

    proptest! {
        #[test]
        fn pieces_cover_the_range_once_and_in_order(
            from in 0..50_u64,
            blocks in 1..200_u64,
            start in 1..40_u64,
            refusals in prop::collection::vec(any::<bool>(), 0..20),
            is_newest_first in any::<bool>(),
        ) {
            let direction = if is_newest_first { Direction::NewestFirst } else { Direction::OldestFirst };
            let to = from + blocks - 1;
            let mut plan = Plan::new(direction, (from, to), LogBlocks { start, ..NOTHING });
            let mut refusals = refusals.into_iter();
            let mut searched: Vec<u64> = Vec::new();
            loop {
                let before = plan.piece();
                if refusals.next().unwrap_or(false) && plan.refused(&Trouble::ResponseTooLarge) {
                    let after = plan.piece();
                    prop_assert!(after.1 - after.0 < before.1 - before.0);
                    continue;
                }
                match direction {
                    Direction::NewestFirst => searched.extend((before.0..=before.1).rev()),
                    Direction::OldestFirst => searched.extend(before.0..=before.1),
                }
                if plan.searched(None) {
                    break;
                }
            }
            let mut expected: Vec<u64> = (from..=to).collect();
            if is_newest_first {
                expected.reverse();
            }
            prop_assert_eq!(searched, expected);
        }
    }
}
