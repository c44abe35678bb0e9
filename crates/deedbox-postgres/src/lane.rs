//! Requests that share round trips.
//!
//! A lane is a queue and a few workers, each with a connection of its own. A worker takes whatever is waiting
//! and does it together: under load one commit, one flush to the disk and four messages serve many requests;
//! with nobody else waiting a request goes alone and at once.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use deedbox_store::StoreError;
use futures::FutureExt;
use sqlx::{Connection, PgConnection};
use tokio::{
    sync::{Mutex, mpsc},
    task::JoinSet,
    time::timeout,
};

use crate::connect::{Connector, timed_out};

/// How many requests may wait. Each is bounded by the limit on a request's body.
const WAITING: usize = 1_024;
/// How long one may wait to be let into the queue.
const PATIENCE: Duration = Duration::from_secs(5);
/// A connection that was idle for longer is asked whether it still works: a firewall may have dropped it
/// silently.
const IDLE: Duration = Duration::from_secs(20);
const PING: Duration = Duration::from_secs(2);

/// What a lane's workers do.
#[async_trait]
pub(crate) trait Work: Send + Sync + 'static {
    /// One request.
    type Job: Send + 'static;
    /// How many go together at most.
    const TOGETHER: usize;
    /// Does `jobs` and answers each of them.
    async fn work(&self, line: &mut Line, jobs: Vec<Self::Job>);
}

/// A queue and its workers.
#[derive(Debug)]
pub(crate) struct Lane<J> {
    sender: RwLock<Option<mpsc::Sender<J>>>,
    workers: Mutex<JoinSet<()>>,
}

impl<J: Send + 'static> Lane<J> {
    pub(crate) fn start<W: Work<Job = J>>(
        workers: u32,
        connector: &Connector,
        work: &Arc<W>,
    ) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        let mut set = JoinSet::new();
        for _ in 0..workers {
            let line = Line::new(connector.clone());
            set.spawn(run(Arc::clone(work), line, Arc::clone(&receiver)));
        }
        Self {
            sender: RwLock::new(Some(sender)),
            workers: Mutex::new(set),
        }
    }

    pub(crate) async fn send(&self, job: J) -> Result<(), StoreError> {
        self.sender()?
            .send_timeout(job, PATIENCE)
            .await
            .map_err(|error| match error {
                mpsc::error::SendTimeoutError::Timeout(_) => {
                    StoreError::Busy("too many requests are waiting".into())
                }
                mpsc::error::SendTimeoutError::Closed(_) => StoreError::Closed,
            })
    }

    /// Whether the lane still takes requests.
    pub(crate) fn must_be_open(&self) -> Result<(), StoreError> {
        self.sender().map(drop)
    }

    fn sender(&self) -> Result<mpsc::Sender<J>, StoreError> {
        self.sender
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
            .ok_or(StoreError::Closed)
    }

    /// Takes nothing more, and returns when all that was taken is answered.
    pub(crate) async fn close(&self) {
        drop(
            self.sender
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let mut workers = self.workers.lock().await;
        while workers.join_next().await.is_some() {}
    }
}

async fn run<W: Work>(work: Arc<W>, mut line: Line, receiver: Arc<Mutex<mpsc::Receiver<W::Job>>>) {
    loop {
        let mut jobs = Vec::new();
        // One worker waits for the first; the others wait for their turn to.
        if receiver
            .lock()
            .await
            .recv_many(&mut jobs, W::TOGETHER)
            .await
            == 0
        {
            break;
        }
        // Whoever waits for an answer hears that there is none, because its sender is dropped with the jobs.
        if let Err(panic) = AssertUnwindSafe(work.work(&mut line, jobs))
            .catch_unwind()
            .await
        {
            line.hang_up();
            let text = panic
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| panic.downcast_ref::<String>().cloned());
            tracing::error!(
                panic = text,
                "a fault of this program: a request was not carried out"
            );
        }
    }
    line.close().await;
}

/// A worker's own connection, opened when it is needed and again after it was lost.
#[derive(Debug)]
pub(crate) struct Line {
    connector: Connector,
    open: Option<(PgConnection, Instant)>,
}

impl Line {
    pub(crate) const fn new(connector: Connector) -> Self {
        Self {
            connector,
            open: None,
        }
    }

    /// The connection, known to have worked a moment ago.
    pub(crate) async fn get(&mut self) -> Result<&mut PgConnection, sqlx::Error> {
        if let Some((connection, used)) = &mut self.open
            && used.elapsed() > IDLE
            && !matches!(timeout(PING, connection.ping()).await, Ok(Ok(())))
        {
            self.open = None;
        }
        if self.open.is_none() {
            self.open = Some((self.connector.connect().await?, Instant::now()));
        }
        let (connection, used) = self
            .open
            .as_mut()
            .ok_or_else(|| timed_out("no connection"))?;
        *used = Instant::now();
        Ok(connection)
    }

    /// Forgets a connection that is in an unknown state. The server ends its transaction.
    pub(crate) fn hang_up(&mut self) {
        self.open = None;
    }

    async fn close(&mut self) {
        if let Some((connection, _)) = self.open.take() {
            drop(timeout(PING, connection.close()).await);
        }
    }
}
