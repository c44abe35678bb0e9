//! The line before an endpoint: so many requests at once, and so many reads that wait.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::trouble::Trouble;
use crate::EndpointConfig;

/// How a request stands in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The first of a read: refused when too many wait already.
    First,
    /// Another of a read that was let in: waits as long as it takes.
    Next,
}

/// The line.
#[derive(Debug)]
pub(crate) struct Line {
    free: Semaphore,
    waiting: AtomicUsize,
    max_waiting: usize,
}

/// One place among those who wait; given back when dropped, whether or not its turn came.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Line {
    pub(crate) fn new(config: &EndpointConfig) -> Self {
        let number = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        Self {
            free: Semaphore::new(number(config.max_concurrent.get()).min(Semaphore::MAX_PERMITS)),
            waiting: AtomicUsize::new(0),
            max_waiting: number(config.max_waiting),
        }
    }

    /// Waits for a turn, which lasts until the permit is dropped. First come, first served.
    pub(crate) async fn enter(&self, turn: Turn) -> Result<SemaphorePermit<'_>, Trouble> {
        if let Ok(permit) = self.free.try_acquire() {
            return Ok(permit);
        }
        let before = self.waiting.fetch_add(1, Ordering::AcqRel);
        let _waiting = Waiting(&self.waiting);
        if turn == Turn::First && before >= self.max_waiting {
            return Err(Trouble::Busy);
        }
        // Never closed.
        self.free.acquire().await.map_err(|_| Trouble::Busy)
    }
}
