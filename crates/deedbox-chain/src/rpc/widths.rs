//! How wide the pieces are in which an endpoint is searched for logs: no I/O.

use tokio::time::Instant;

use super::condition::SMALLER;

/// How wide a search for logs may be, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogBlocks {
    /// What to begin with.
    pub(crate) start: u64,
    /// What was refused for being too wide: not tried again.
    pub(crate) refused: Option<u64>,
    /// How many in a row were answered since one was refused; none when none was.
    pub(crate) calm: Option<u32>,
}

/// What is known of that, and learnt by searches of one kind.
#[derive(Debug)]
pub(crate) struct Widths {
    /// As configured, or as nothing is known.
    configured: LogBlocks,
    /// What searches found out, until it is found out again.
    learnt: Option<(LogBlocks, Instant)>,
}

impl Widths {
    /// Searches begin with `first` blocks, where nothing else is known, and never ask for more than `most`.
    pub(crate) fn new(first: u64, most: Option<u64>) -> Self {
        Self {
            configured: LogBlocks {
                start: most.map_or(first, |most| first.min(most)),
                refused: most.map(|most| most.saturating_add(1)),
                calm: None,
            },
            learnt: None,
        }
    }

    /// What the next search begins with.
    pub(crate) fn known(&self, now: Instant) -> LogBlocks {
        match self.learnt {
            Some((learnt, until)) if now < until => learnt,
            Some((learnt, _)) => LogBlocks {
                refused: self.configured.refused,
                ..learnt
            },
            None => self.configured,
        }
    }

    /// A search found out what it may begin with the next time. Others search meanwhile: what one of them was refused stays
    /// refused, and only a narrower refusal is news.
    pub(crate) fn learn(&mut self, found: LogBlocks, now: Instant) {
        let known = self.known(now).refused;
        let refused = match (known, found.refused) {
            (Some(known), Some(found)) => Some(known.min(found)),
            (known, found) => known.or(found),
        };
        let until = match self.learnt {
            Some((_, until)) if now < until && refused == known => until,
            _ => now + SMALLER,
        };
        let widest = refused.map_or(u64::MAX, |refused| refused.saturating_sub(1));
        let start = found.start.min(widest).max(1);
        let calm = found.calm;
        let learnt = LogBlocks {
            start,
            refused,
            calm,
        };
        self.learnt = Some((learnt, until));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_range_that_one_search_was_refused_stays_refused_for_a_while() {
        let blocks = |start, refused| LogBlocks {
            start,
            refused,
            calm: None,
        };
        let mut widths = Widths::new(10_000, None);
        let now = Instant::now();
        widths.learn(blocks(2_500, Some(5_000)), now);
        // One that began before ends later, and knows of no refusal.
        widths.learn(blocks(20_000, None), now + SMALLER / 2);
        let expected = blocks(4_999, Some(5_000));
        assert_eq!(widths.known(now + SMALLER / 2), expected);
        widths.learn(blocks(2_500, Some(8_000)), now + SMALLER / 2);
        assert_eq!(widths.known(now), blocks(2_500, Some(5_000)));
        // It is tried again later; a narrower refusal counts from when it came.
        assert_eq!(widths.known(now + SMALLER), blocks(2_500, None));
        widths.learn(blocks(500, Some(1_000)), now + SMALLER / 2);
        assert_eq!(widths.known(now + SMALLER), blocks(500, Some(1_000)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_range_that_is_configured_is_never_exceeded() {
        let configured = LogBlocks {
            start: 1_000,
            refused: Some(1_001),
            calm: None,
        };
        let mut widths = Widths::new(10_000, Some(1_000));
        let now = Instant::now();
        widths.learn(configured, now);
        assert_eq!(widths.known(now + SMALLER), configured);
    }
}
