//! The lane of commands.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use deedbox_core::World;
use deedbox_store::{Execute, Outcome, StoreError};
use sqlx::PgConnection;
use tokio::{
    sync::oneshot,
    time::{sleep, timeout},
};
use tokio_util::task::TaskTracker;

use crate::{
    connect::timed_out,
    error::{Failure, for_all, store_error},
    group::{self, Verdict},
    lane::{Line, Work},
    load::Wait,
    pool::{LOST, Pool},
};

/// A transaction that takes longer is given up. Longer than any of its statements may take.
const PATIENCE: Duration = Duration::from_secs(40);
/// How often a command is tried that others keep getting in the way of.
const TRIES: u32 = 10;

/// A command and whom to tell.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) execute: Execute,
    pub(crate) reply: oneshot::Sender<Result<Outcome, StoreError>>,
}

impl Job {
    fn answer(self, result: Result<Outcome, StoreError>) {
        // Whoever asked may have gone; the deed is kept all the same.
        drop(self.reply.send(result));
    }
}

/// Carries out commands.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) world: Arc<dyn World>,
    pub(crate) pool: Pool,
    /// The commands that go alone.
    pub(crate) alone: TaskTracker,
}

#[async_trait]
impl Work for Writer {
    type Job = Job;
    const TOGETHER: usize = 64;

    async fn work(&self, line: &mut Line, jobs: Vec<Job>) {
        match self.together(line, &jobs).await {
            Ok(verdicts) => {
                for (job, verdict) in jobs.into_iter().zip(verdicts) {
                    match verdict {
                        Verdict::Done(outcome) => job.answer(Ok(*outcome)),
                        Verdict::Failed(error) => job.answer(Err(error)),
                        Verdict::Again => self.go_alone(job),
                    }
                }
            }
            // Nothing was written. Alone, only the command that was in the way meets its trouble again.
            Err(Failure::Conflict(_)) => jobs.into_iter().for_each(|job| self.go_alone(job)),
            Err(Failure::Failed(_)) if jobs.len() > 1 => {
                jobs.into_iter().for_each(|job| self.go_alone(job));
            }
            Err(failure) if jobs.len() > 1 => {
                let error = for_all(failure.into());
                jobs.into_iter().for_each(|job| job.answer(Err(error())));
            }
            Err(failure) => {
                if let Some(job) = jobs.into_iter().next() {
                    job.answer(Err(failure.into()));
                }
            }
        }
    }
}

impl Writer {
    async fn together(&self, line: &mut Line, jobs: &[Job]) -> Result<Vec<Verdict>, Failure> {
        let group: Vec<&Execute> = jobs.iter().map(|job| &job.execute).collect();
        let mut tried = 0;
        loop {
            let connection = line.get().await.map_err(store_error)?;
            match self.once(connection, &group, Wait::No).await {
                // The first may have been dead since the server was restarted.
                Err(Failure::Lost(_)) if tried == 0 => tried += 1,
                Err(failure @ (Failure::Lost(_) | Failure::Unknown(_))) => {
                    line.hang_up();
                    return Err(failure);
                }
                result => return result,
            }
            line.hang_up();
        }
    }

    async fn once(
        &self,
        connection: &mut PgConnection,
        group: &[&Execute],
        wait: Wait,
    ) -> Result<Vec<Verdict>, Failure> {
        timeout(PATIENCE, group::run(connection, &*self.world, group, wait))
            .await
            .unwrap_or_else(|_| {
                let error = timed_out("no answer from the server within a transaction");
                Err(Failure::Unknown(store_error(error)))
            })
    }

    /// Carries out one command in a transaction of its own, which waits for whoever is at its task.
    pub(crate) fn go_alone(&self, job: Job) {
        let writer = self.clone();
        self.alone.spawn(async move {
            let result = writer.alone(&job.execute).await;
            job.answer(result);
        });
    }

    async fn alone(&self, execute: &Execute) -> Result<Outcome, StoreError> {
        let (mut tries, mut lost) = (0, 0);
        loop {
            let mut connection = self.pool.acquire().await?;
            match self.once(&mut connection, &[execute], Wait::Yes).await {
                Ok(verdicts) => match verdicts.into_iter().next() {
                    Some(Verdict::Done(outcome)) => return Ok(*outcome),
                    Some(Verdict::Failed(error)) => return Err(error),
                    Some(Verdict::Again) | None if tries < TRIES => {}
                    Some(Verdict::Again) | None => {
                        return Err(StoreError::Busy("others kept getting in the way".into()));
                    }
                },
                Err(Failure::Conflict(_)) if tries < TRIES => {}
                Err(Failure::Lost(_)) if lost < LOST => {
                    lost += 1;
                    self.pool.discard(connection);
                    continue;
                }
                Err(failure) => {
                    if matches!(failure, Failure::Lost(_) | Failure::Unknown(_)) {
                        self.pool.discard(connection);
                    }
                    return Err(failure.into());
                }
            }
            drop(connection);
            tries += 1;
            sleep(Duration::from_millis(u64::from(tries))).await;
        }
    }
}
