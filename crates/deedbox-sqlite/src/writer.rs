//! The one writer.
//!
//! SQLite lets one connection write at a time, and a durable commit waits for the disk. So all commands that
//! are waiting are carried out in one transaction and share one wait; while it lasts, the next group gathers.
//! Nobody is answered before the commit has returned.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use deedbox_core::{Body, Timestamp, World};
use deedbox_store::{Access, Execute, Outcome, StoreError};
use metrics::{Counter, Histogram, counter, histogram};
use sqlx::{Connection as _, SqliteConnection};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use crate::{
    error::{again, failed},
    group::{self, Done},
    memories, open,
};

/// How many commands share one commit at most: bounds how long the first of them waits for the others,
/// and how much is done over when one of them spoils the group.
const GROUP: usize = 128;

/// How many commands may wait. Who comes later waits for a place, so a burst costs time and not memory.
const WAITING: usize = 1_024;

/// Idempotency records that one transaction forgets at most.
const FORGET: i64 = 1_000;

/// How long a log that a read holds keeps redacted words before it is tried again to empty it.
const LOG_AGAIN: Duration = Duration::from_secs(1);

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What tells one file from another at the same path: the device and the number of the file on it.
#[cfg(unix)]
type FileId = (u64, u64);
#[cfg(not(unix))]
type FileId = ();

#[cfg(unix)]
fn file_id(path: &Path) -> io::Result<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).map(|about| (about.dev(), about.ino()))
}

/// Elsewhere an open file cannot be removed or replaced.
#[cfg(not(unix))]
fn file_id(_: &Path) -> io::Result<FileId> {
    Ok(())
}

/// Something for the writer to do.
#[derive(Debug)]
enum Job {
    Execute(Box<Execute>, Reply<Outcome>),
    Forget(Timestamp, Reply<u64>),
    Note(Box<Access>, Reply<()>),
    Ping(Reply<()>),
    Close(oneshot::Sender<()>),
}

/// Where jobs are handed in.
#[derive(Clone, Debug)]
pub(crate) struct Inbox(mpsc::Sender<Job>);

impl Inbox {
    async fn ask<T>(&self, job: impl FnOnce(Reply<T>) -> Job) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.0
            .send(job(reply))
            .await
            .map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    pub(crate) async fn execute(&self, execute: Execute) -> Result<Outcome, StoreError> {
        self.ask(|reply| Job::Execute(Box::new(execute), reply))
            .await
    }

    /// Up to [`FORGET`] records, and whether there may be more.
    pub(crate) async fn forget(&self, before: Timestamp) -> Result<(u64, bool), StoreError> {
        let forgotten = self.ask(|reply| Job::Forget(before, reply)).await?;
        Ok((forgotten, forgotten >= FORGET.unsigned_abs()))
    }

    /// Who was shown which memories.
    pub(crate) async fn note(&self, access: Access) -> Result<(), StoreError> {
        self.ask(|reply| Job::Note(Box::new(access), reply)).await
    }

    pub(crate) async fn ping(&self) -> Result<(), StoreError> {
        self.ask(Job::Ping).await
    }

    /// Returns when all that was handed in before is done and the file is closed.
    pub(crate) async fn close(&self) {
        let (reply, closed) = oneshot::channel();
        if self.0.send(Job::Close(reply)).await.is_ok() {
            // Err: the writer is gone, which is what was asked for.
            closed.await.ok();
        }
    }
}

#[derive(Debug)]
struct Writer {
    path: PathBuf,
    /// Which file `path` named when it was opened.
    file: Option<FileId>,
    connection: SqliteConnection,
    /// Whether words that were redacted may be in the log still.
    log_has_redacted: bool,
    world: Arc<dyn World>,
    commits: Counter,
    group_size: Histogram,
    commit_seconds: Histogram,
}

/// Why a transaction came to nothing.
#[derive(Debug)]
struct Failed {
    error: StoreError,
    /// Whether a statement of the group failed, so that a smaller group may fare better.
    by_statement: bool,
}

/// Starts the writer. It ends when it is told to, or when nobody can hand in anything any more.
pub(crate) fn start(path: PathBuf, connection: SqliteConnection, world: Arc<dyn World>) -> Inbox {
    let (sender, inbox) = mpsc::channel(WAITING);
    let writer = Writer {
        file: file_id(&path).ok(),
        path,
        connection,
        log_has_redacted: false,
        world,
        commits: counter!("deedbox_commits_total", "backend" => "sqlite"),
        group_size: histogram!("deedbox_commit_group_size", "backend" => "sqlite"),
        commit_seconds: histogram!("deedbox_commit_seconds", "backend" => "sqlite"),
    };
    tokio::spawn(writer.run(inbox));
    Inbox(sender)
}

impl Writer {
    async fn run(mut self, mut inbox: mpsc::Receiver<Job>) {
        let mut waiting = Vec::with_capacity(GROUP);
        let mut closing = Vec::new();
        loop {
            let received = inbox.recv_many(&mut waiting, GROUP);
            let received = if self.log_has_redacted {
                timeout(LOG_AGAIN, received).await
            } else {
                Ok(received.await)
            };
            match received {
                Ok(0) => break,
                Ok(_) => {}
                Err(_) => self.empty_log().await,
            }
            let mut group = Vec::with_capacity(waiting.len());
            let mut notes = Vec::new();
            for job in waiting.drain(..) {
                match job {
                    Job::Execute(execute, reply) => group.push((execute, reply)),
                    Job::Forget(before, reply) => answer(reply, self.forget(before).await),
                    Job::Note(access, reply) => notes.push((*access, reply)),
                    Job::Ping(reply) => answer(reply, self.ping().await),
                    Job::Close(reply) => {
                        inbox.close();
                        closing.push(reply);
                    }
                }
            }
            self.carry_out(group).await;
            self.note(notes).await;
        }
        self.finish().await;
        for reply in closing {
            reply.send(()).ok();
        }
    }

    /// Carries out a group and answers everyone in it.
    async fn carry_out(&mut self, mut group: Vec<(Box<Execute>, Reply<Outcome>)>) {
        // Who has gone away before the work began is not waiting for it any more.
        group.retain(|(_, reply)| !reply.is_closed());
        if group.is_empty() {
            return;
        }
        let (commands, replies): (Vec<_>, Vec<_>) = group.into_iter().unzip();
        let commands: Vec<&Execute> = commands.iter().map(AsRef::as_ref).collect();
        match self.transact(&commands).await {
            Ok(answers) => {
                for (reply, outcome) in replies.into_iter().zip(answers) {
                    answer(reply, outcome);
                }
            }
            Err(failed) if failed.by_statement && commands.len() > 1 => {
                // One of them spoiled it for all; alone, it can only spoil its own.
                tracing::warn!(
                    error = &failed.error as &dyn std::error::Error,
                    commands = commands.len(),
                    "a group of commands failed; each is tried alone"
                );
                self.carry_out_alone(commands, replies).await;
            }
            Err(failed) => {
                for reply in replies {
                    answer(reply, Err(again(&failed.error)));
                }
            }
        }
    }

    /// Carries out each command in a transaction of its own.
    async fn carry_out_alone(&mut self, commands: Vec<&Execute>, replies: Vec<Reply<Outcome>>) {
        // A database that cannot begin or commit is not asked again for each: every time can take
        // as long as a lock is waited for.
        let mut unavailable: Option<StoreError> = None;
        for (command, reply) in commands.into_iter().zip(replies) {
            if let Some(error) = &unavailable {
                answer(reply, Err(again(error)));
                continue;
            }
            let outcome = match self.transact(&[command]).await {
                Ok(mut answers) => answers.pop().unwrap_or(Err(StoreError::Closed)),
                Err(failed) if failed.by_statement => Err(failed.error),
                Err(failed) => Err(again(unavailable.insert(failed.error))),
            };
            answer(reply, outcome);
        }
    }

    /// One transaction. When it returns `Ok`, what was written is on the disk.
    async fn transact(
        &mut self,
        commands: &[&Execute],
    ) -> Result<Vec<Result<Outcome, StoreError>>, Failed> {
        self.begin().await.map_err(|error| Failed {
            error,
            by_statement: false,
        })?;
        let done = group::carry_out(&mut self.connection, commands, &*self.world).await;
        match done {
            Ok(Done {
                answers,
                wrote: true,
            }) => match self.commit(commands.len()).await {
                Ok(()) => {
                    self.log_has_redacted |= answers.iter().any(redacted);
                    self.empty_log().await;
                    Ok(answers)
                }
                Err(error) => {
                    self.roll_back().await;
                    Err(Failed {
                        error,
                        by_statement: false,
                    })
                }
            },
            Ok(Done { answers, .. }) => {
                self.roll_back().await;
                Ok(answers)
            }
            Err(error) => {
                self.roll_back().await;
                Err(Failed {
                    error,
                    by_statement: true,
                })
            }
        }
    }

    /// Takes the write lock at once: a transaction that read first could find that it may not write any more.
    async fn begin(&mut self) -> Result<(), StoreError> {
        self.must_be_in_place()?;
        let begun = sqlx::query("BEGIN IMMEDIATE")
            .execute(&mut self.connection)
            .await;
        match begun {
            Ok(_) => Ok(()),
            Err(sqlx::Error::WorkerCrashed) => {
                // The connection's thread is gone, and with it all that was not committed.
                self.connection = open::writing(&self.path).await.map_err(failed)?;
                sqlx::query("BEGIN IMMEDIATE")
                    .execute(&mut self.connection)
                    .await
                    .map(drop)
                    .map_err(failed)
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Refuses to write into a file that was removed or replaced under the program: the system keeps it for
    /// whoever has it open, and what is acknowledged into it is gone with the process.
    fn must_be_in_place(&self) -> Result<(), StoreError> {
        match file_id(&self.path) {
            Ok(now) if self.file == Some(now) => Ok(()),
            Ok(_) => Err(StoreError::Unavailable(
                "the database's file was replaced while it was open; restart the server".into(),
            )),
            Err(error) => Err(StoreError::Unavailable(error.into())),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a group has at most GROUP commands"
    )]
    async fn commit(&mut self, commands: usize) -> Result<(), StoreError> {
        let started = Instant::now();
        sqlx::query("COMMIT")
            .execute(&mut self.connection)
            .await
            .map_err(failed)?;
        self.commit_seconds.record(started.elapsed());
        self.commits.increment(1);
        self.group_size.record(commands as f64);
        Ok(())
    }

    /// Takes redacted words out of the log, if there may be any. They are out of the file for every reader already, so that it cannot be done
    /// yet fails no command.
    async fn empty_log(&mut self) {
        if !self.log_has_redacted {
            return;
        }
        match open::empty_log(&mut self.connection).await {
            Ok(emptied) => self.log_has_redacted = !emptied,
            Err(error) => tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the log still has words that were redacted; it is tried again"
            ),
        }
    }

    async fn roll_back(&mut self) {
        // SQLite rolls back by itself after some errors; then this one finds no transaction, which is as good.
        if let Err(error) = sqlx::query("ROLLBACK").execute(&mut self.connection).await {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "nothing to roll back"
            );
        }
    }

    async fn forget(&mut self, before: Timestamp) -> Result<u64, StoreError> {
        let before = before.as_millis();
        let result = sqlx::query_file!("queries/idempotency_forget.sql", before, FORGET)
            .execute(&mut self.connection)
            .await;
        Ok(result.map_err(failed)?.rows_affected())
    }

    /// Keeps who was shown what, all that wait with one commit.
    async fn note(&mut self, notes: Vec<(Access, Reply<()>)>) {
        if notes.is_empty() {
            return;
        }
        let (accesses, replies): (Vec<_>, Vec<_>) = notes.into_iter().unzip();
        let kept = match self.must_be_in_place() {
            Ok(()) => memories::note(&mut self.connection, &accesses).await,
            Err(error) => Err(error),
        };
        for reply in replies {
            answer(reply, kept.as_ref().copied().map_err(again));
        }
    }

    async fn ping(&mut self) -> Result<(), StoreError> {
        self.begin().await?;
        self.roll_back().await;
        Ok(())
    }

    /// Closes. The last connection to a file copies the log into the database and removes it, so that the
    /// file alone is whole; when another process has it open too, the log stays, and is as safe.
    async fn finish(mut self) {
        self.empty_log().await;
        if let Err(error) = self.connection.close().await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the database did not close cleanly; nothing is lost"
            );
        }
    }
}

/// Whether a command deleted the words of a memory.
fn redacted(answer: &Result<Outcome, StoreError>) -> bool {
    let deed = answer
        .as_ref()
        .ok()
        .and_then(|outcome| outcome.as_ref().ok());
    deed.is_some_and(|kept| matches!(kept.deed.body, Body::MemoryRedacted { .. }))
}

fn answer<T>(reply: Reply<T>, outcome: Result<T, StoreError>) {
    // Err: the caller has gone away. What was done stays done.
    reply.send(outcome).ok();
}
