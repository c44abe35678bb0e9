//! The line before an endpoint: so many requests at once, and so many reads that wait.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

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
    /// One that is not worth a wait: refused when too many wait already, or when its turn does not come within a second.
    Soon,
}

/// How long a [`Turn::Soon`] waits.
const SOON: Duration = Duration::from_secs(1);

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
        let _waiting = self.wait(turn, 0)?;
        // Never closed.
        patient(turn, self.free.acquire())
            .await?
            .map_err(|_| Trouble::Busy)
    }

    /// Waits for `something` else that has to be done before a turn can be of use, in the place of those who wait for one.
    /// Those who find a free turn afterwards do not count among them.
    pub(crate) async fn wait_for<T>(
        &self,
        turn: Turn,
        something: impl Future<Output = T>,
    ) -> Result<T, Trouble> {
        let _waiting = self.wait(turn, self.free.available_permits())?;
        patient(turn, something).await
    }

    fn wait(&self, turn: Turn, free: usize) -> Result<Waiting<'_>, Trouble> {
        let before = self.waiting.fetch_add(1, Ordering::AcqRel);
        let waiting = Waiting(&self.waiting);
        if turn != Turn::Next && before >= self.max_waiting.saturating_add(free) {
            return Err(Trouble::Busy);
        }
        Ok(waiting)
    }
}

async fn patient<T>(turn: Turn, something: impl Future<Output = T>) -> Result<T, Trouble> {
    match turn {
        Turn::First | Turn::Next => Ok(something.await),
        Turn::Soon => tokio::time::timeout(SOON, something)
            .await
            .map_err(|_| Trouble::Busy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;

    fn line(max_waiting: u32) -> Line {
        let mut config = EndpointConfig::new("main".parse().unwrap(), Secret::new("http://h"));
        config.max_concurrent = 2.try_into().unwrap();
        config.max_waiting = max_waiting;
        Line::new(&config)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_worth_a_wait_does_not_wait_long() {
        let line = line(9);
        let first = line.enter(Turn::Soon).await.unwrap();
        let _second = line.enter(Turn::Soon).await.unwrap();
        assert_eq!(line.enter(Turn::Soon).await.unwrap_err(), Trouble::Busy);
        let (third, ()) = tokio::join!(line.enter(Turn::Soon), async {
            tokio::time::sleep(SOON / 2).await;
            drop(first);
        });
        assert!(third.is_ok());
    }

    /// Two turns are free and one may wait, so three may wait for what comes before.
    #[tokio::test(start_paused = true)]
    async fn whoever_waits_for_something_else_stands_in_line_too() {
        let line = line(1);
        let never = || line.wait_for(Turn::First, std::future::pending::<()>());
        let waiting: Vec<_> = (0..3).map(|_| Box::pin(never())).collect();
        let mut waiting = futures::future::join_all(waiting);
        assert!(futures::poll!(&mut waiting).is_pending());
        assert_eq!(never().await, Err(Trouble::Busy));
        // A read that was let in goes on.
        let next = line.wait_for(Turn::Next, std::future::ready(7)).await;
        assert_eq!(next, Ok(7));
        drop(waiting);
        assert_eq!(
            line.wait_for(Turn::First, std::future::ready(7)).await,
            Ok(7)
        );
    }
}
